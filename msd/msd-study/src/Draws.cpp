#include "msd-study/src/Draws.hpp"

#include <bit>
#include <cmath>
#include <numbers>
#include <span>
#include <utility>

namespace msd_study {

namespace {

/// Steele, Lea and Flood 2014: the finaliser of SplitMix64.
std::uint64_t mixed(std::uint64_t z) {
  z += 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

std::uint64_t drawBits(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  return mixed(mixed(mixed(seed) ^ stream) ^ index);
}

/// c_0 + c_1 x + c_2 x² + ...
double polynomial(std::span<const double> c, double x) {
  double sum = 0.0;
  for (std::size_t i = c.size(); i-- > 0;) sum = sum * x + c[i];
  return sum;
}

/// ln x = e ln 2 + 2 artanh((m - 1) / (m + 1)), x = m 2^e, m in [1/√2, √2). The series ends where its
/// terms fall below 1e-18.
double logarithm(double x) {
  int e = 0;
  double m = std::frexp(x, &e);
  if (m < std::numbers::sqrt2 / 2.0) {
    m *= 2.0;
    --e;
  }
  const double s = (m - 1.0) / (m + 1.0);
  double sum = 0.0;
  for (int k = 23; k >= 1; k -= 2) sum = sum * (s * s) + 1.0 / k;
  return e * std::numbers::ln2 + 2.0 * s * sum;
}

/// e^x = 2^k e^r, |r| <= ln 2 / 2; Taylor's series to 1e-18.
double exponential(double x) {
  const double k = std::floor(x / std::numbers::ln2 + 0.5);
  const double r = x - k * std::numbers::ln2;
  double sum = 1.0;
  for (int n = 16; n >= 1; --n) sum = 1.0 + sum * r / n;
  return std::ldexp(sum, static_cast<int>(k));
}

/// Sine and cosine of 2π·turn: the turn is brought within an eighth of a quarter turn, where Taylor's
/// series ends below 1e-18.
std::pair<double, double> sineAndCosine(double turn) {
  const double quarters = std::floor(4.0 * turn + 0.5);
  const double x = 2.0 * std::numbers::pi * (turn - 0.25 * quarters);
  double sine = 1.0;
  double cosine = 1.0;
  for (int n = 18; n >= 2; n -= 2) {
    sine = 1.0 - sine * x * x / (n * (n + 1));
    cosine = 1.0 - cosine * x * x / (n * (n - 1));
  }
  sine *= x;
  switch (static_cast<int>(quarters) & 3) {
    case 0:
      return {sine, cosine};
    case 1:
      return {cosine, -sine};
    case 2:
      return {-sine, -cosine};
    default:
      return {-cosine, sine};
  }
}

}  // namespace

double drawUnit(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  return (static_cast<double>(drawBits(seed, stream, index) >> 11) + 0.5) * 0x1p-53;
}

std::uint64_t permuted(std::uint64_t seed, std::uint64_t stream, std::uint64_t index,
                       std::uint64_t size) {
  const int half = (static_cast<int>(std::bit_width(size > 1 ? size - 1 : 1)) + 1) / 2;
  const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
  constexpr std::uint64_t kRounds = 6;
  do {
    std::uint64_t left = index >> half;
    std::uint64_t right = index & mask;
    for (std::uint64_t round = 0; round < kRounds; ++round) {
      left ^= drawBits(seed ^ 0x6C617469ull, stream * kRounds + round, right) & mask;
      std::swap(left, right);
    }
    index = (left << half) | right;
  } while (index >= size);
  return index;
}

double normalQuantile(double p) {
  // Coefficients a, b: |p - 1/2| <= 0.425; c, d: tails to e^-25; e, f: beyond.
  static constexpr double a[] = {3.3871328727963666080e0, 1.3314166789178437745e2,
                                 1.9715909503065514427e3, 1.3731693765509461125e4,
                                 4.5921953931549871457e4, 6.7265770927008700853e4,
                                 3.3430575583588128105e4, 2.5090809287301226727e3};
  static constexpr double b[] = {1.0,
                                 4.2313330701600911252e1,
                                 6.8718700749205790830e2,
                                 5.3941960214247511077e3,
                                 2.1213794301586595867e4,
                                 3.9307895800092710610e4,
                                 2.8729085735721942674e4,
                                 5.2264952788528545610e3};
  static constexpr double c[] = {1.42343711074968357734e0,  4.63033784615654529590e0,
                                 5.76949722146069140550e0,  3.64784832476320460504e0,
                                 1.27045825245236838258e0,  2.41780725177450611770e-1,
                                 2.27238449892691845833e-2, 7.74545014278341407640e-4};
  static constexpr double d[] = {1.0,
                                 2.05319162663775882187e0,
                                 1.67638483018380384940e0,
                                 6.89767334985100004550e-1,
                                 1.48103976427480074590e-1,
                                 1.51986665636164571966e-2,
                                 5.47593808499534494600e-4,
                                 1.05075007164441684324e-9};
  static constexpr double e[] = {6.65790464350110377720e0,  5.46378491116411436990e0,
                                 1.78482653991729133580e0,  2.96560571828504891230e-1,
                                 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                 2.71155556874348757815e-5, 2.01033439929228813265e-7};
  static constexpr double f[] = {1.0,
                                 5.99832206555887937690e-1,
                                 1.36929880922735805310e-1,
                                 1.48753612908506148525e-2,
                                 7.86869131145613259100e-4,
                                 1.84631831751005468180e-5,
                                 1.42151175831644588870e-7,
                                 2.04426310338993978564e-15};
  const double q = p - 0.5;
  if (std::abs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * polynomial(a, r) / polynomial(b, r);
  }
  const double r = std::sqrt(-logarithm(q < 0.0 ? p : 1.0 - p));
  const double x = r <= 5.0 ? polynomial(c, r - 1.6) / polynomial(d, r - 1.6)
                            : polynomial(e, r - 5.0) / polynomial(f, r - 5.0);
  return q < 0.0 ? -x : x;
}

double logUniform(double u, double low, double high) {
  return low * exponential(u * logarithm(high / low));
}

std::array<double, 4> uniformRotation(double u1, double u2, double u3) {
  const auto [s2, c2] = sineAndCosine(u2);
  const auto [s3, c3] = sineAndCosine(u3);
  const double near = std::sqrt(1.0 - u1);
  const double far = std::sqrt(u1);
  return {far * c3, near * s2, near * c2, far * s3};
}

}  // namespace msd_study
