#pragma once

#include <cmath>

namespace msd_assets {

/// A number as the unevaluated sum of two doubles, about 32 digits. The sum and product algorithms
/// are those of T. J. Dekker, "A floating-point technique for extending the available precision",
/// Numer. Math. 18, 1971, and D. E. Knuth; the product uses the fused multiply-add.
/// Sums are accurate relative to the magnitudes added, which is what integrals with cancelling
/// terms need.
struct DoubleDouble {
  double high{0.0};
  double low{0.0};

  DoubleDouble() = default;
  DoubleDouble(double value) : high{value} {}  // NOLINT(google-explicit-constructor)
  DoubleDouble(double h, double l) : high{h}, low{l} {}

  [[nodiscard]] double value() const { return high + low; }

  /// a + b with its rounding error, for any a and b.
  [[nodiscard]] static DoubleDouble exactSum(double a, double b) {
    const double sum = a + b;
    const double part = sum - a;
    return {sum, (a - (sum - part)) + (b - part)};
  }

  friend DoubleDouble operator-(const DoubleDouble& a) { return {-a.high, -a.low}; }

  friend DoubleDouble operator+(const DoubleDouble& a, const DoubleDouble& b) {
    const DoubleDouble sum = exactSum(a.high, b.high);
    return renormalised(sum.high, sum.low + (a.low + b.low));
  }
  friend DoubleDouble operator-(const DoubleDouble& a, const DoubleDouble& b) { return a + (-b); }

  friend DoubleDouble operator*(const DoubleDouble& a, const DoubleDouble& b) {
    const double product = a.high * b.high;
    const double error = std::fma(a.high, b.high, -product);
    return renormalised(product, error + (a.high * b.low + a.low * b.high));
  }

  friend DoubleDouble operator/(const DoubleDouble& a, const DoubleDouble& b) {
    const double quotient = a.high / b.high;
    const DoubleDouble rest = a - b * quotient;
    return renormalised(quotient, rest.high / b.high);
  }

  DoubleDouble& operator+=(const DoubleDouble& b) { return *this = *this + b; }

 private:
  /// For |low| small against |high|.
  [[nodiscard]] static DoubleDouble renormalised(double high, double low) {
    const double sum = high + low;
    return {sum, low - (sum - high)};
  }
};

}  // namespace msd_assets
