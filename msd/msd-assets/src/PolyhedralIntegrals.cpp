#include "msd-assets/src/PolyhedralIntegrals.hpp"

#include <cmath>
#include <cstddef>

namespace msd_assets {

namespace {

using Real = DoubleDouble;
using Point = std::array<Real, 3>;

/// ∫ α^p β^q dα dβ over the projected polygon, for the powers that are needed.
struct PlaneIntegrals {
  Real one, a, aa, aaa, b, bb, bbb, ab, aab, abb;
};

/// One edge's share, by Green's theorem: along the edge α and β are linear, so that
/// ∮ α^(p+1) β^q dβ is a polynomial of the end points.
void addEdge(const Real& a0, const Real& b0, const Real& a1, const Real& b1, PlaneIntegrals& sum) {
  const Real da = a1 - a0;
  const Real db = b1 - b0;
  const Real a0Squared = a0 * a0;
  const Real a0Cubed = a0Squared * a0;
  const Real b0Squared = b0 * b0;
  const Real b0Cubed = b0Squared * b0;
  const Real a1Squared = a1 * a1;
  const Real b1Squared = b1 * b1;

  const Real c1 = a1 + a0;                     // α₁ + α₀
  const Real ca = a1 * c1 + a0Squared;         // Σ α₁^i α₀^(2-i)
  const Real caa = a1 * ca + a0Cubed;          // Σ α₁^i α₀^(3-i)
  const Real caaa = a1 * caa + a0Cubed * a0;   // Σ α₁^i α₀^(4-i)
  const Real cb = b1 * (b1 + b0) + b0Squared;  // the same for β
  const Real cbb = b1 * cb + b0Cubed;
  const Real cbbb = b1 * cbb + b0Cubed * b0;
  // Mixed sums, weighted by the binomials of ∫ (α₀ + s Δα)^p (β₀ + s Δβ)^q ds.
  const Real two{2.0};
  const Real three{3.0};
  const Real cab = three * a1Squared + two * a1 * a0 + a0Squared;
  const Real kab = a1Squared + two * a1 * a0 + three * a0Squared;
  const Real caab = a0 * cab + Real{4.0} * a1Squared * a1;
  const Real kaab = a1 * kab + Real{4.0} * a0Cubed;
  const Real cabb =
      Real{4.0} * b1Squared * b1 + three * b1Squared * b0 + two * b1 * b0Squared + b0Cubed;
  const Real kabb =
      b1Squared * b1 + two * b1Squared * b0 + three * b1 * b0Squared + Real{4.0} * b0Cubed;

  sum.one += db * c1;
  sum.a += db * ca;
  sum.aa += db * caa;
  sum.aaa += db * caaa;
  sum.b += da * cb;
  sum.bb += da * cbb;
  sum.bbb += da * cbbb;
  sum.ab += db * (b1 * cab + b0 * kab);
  sum.aab += db * (b1 * caab + b0 * kaab);
  sum.abb += da * (a1 * cabb + a0 * kabb);
}

/// The constant factors of the edge sums.
void finish(PlaneIntegrals& sum) {
  sum.one = sum.one / 2.0;
  sum.a = sum.a / 6.0;
  sum.aa = sum.aa / 12.0;
  sum.aaa = sum.aaa / 20.0;
  sum.b = sum.b / -6.0;
  sum.bb = sum.bb / -12.0;
  sum.bbb = sum.bbb / -20.0;
  sum.ab = sum.ab / 24.0;
  sum.aab = sum.aab / 60.0;
  sum.abb = sum.abb / -60.0;
}

/// Twice the area vector of a polygon about its first corner: exact direction even for needles.
Point areaVector(std::span<const Eigen::Vector3d> corners) {
  Point sum{};
  const auto side = [&](std::size_t i, Eigen::Index k) {
    return Real::exactSum(corners[i][k], -corners[0][k]);
  };
  for (std::size_t i = 1; i + 1 < corners.size(); ++i) {
    for (Eigen::Index k = 0; k < 3; ++k) {
      const Eigen::Index u = (k + 1) % 3;
      const Eigen::Index v = (k + 2) % 3;
      sum[static_cast<std::size_t>(k)] += side(i, u) * side(i + 1, v) - side(i, v) * side(i + 1, u);
    }
  }
  return sum;
}

std::size_t largest(const Point& n) {
  const double x = std::abs(n[0].high);
  const double y = std::abs(n[1].high);
  const double z = std::abs(n[2].high);
  if (x > y && x > z) return 0;
  return y > z ? 1 : 2;
}

}  // namespace

void PolyhedralIntegrals::addPolygon(std::span<const Eigen::Vector3d> corners) {
  // Only ratios of the normal's components enter: it need not be of unit length.
  const Point n = areaVector(corners);
  const std::size_t c = largest(n);
  const std::size_t a = (c + 1) % 3;
  const std::size_t b = (c + 2) % 3;
  if (n[c].high == 0.0) return;

  const auto local = [&](std::size_t corner, std::size_t axis) {
    const auto k = static_cast<Eigen::Index>(axis);
    return Real::exactSum(corners[corner][k], -reference_[k]);
  };
  PlaneIntegrals p;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const std::size_t j = i + 1 == corners.size() ? 0 : i + 1;
    addEdge(local(i, a), local(i, b), local(j, a), local(j, b), p);
  }
  finish(p);

  // On the face γ = u α + v β + h.
  const Real u = -(n[a] / n[c]);
  const Real v = -(n[b] / n[c]);
  const Real h = local(0, c) - u * local(0, a) - v * local(0, b);
  const Real uu = u * u;
  const Real vv = v * v;
  const Real hh = h * h;
  const Real three{3.0};
  const Real two{2.0};
  const Real six{6.0};

  // n_k dA = (n_k / n_γ) dα dβ; the n_γ component is the projection itself.
  const Real ra = n[a] / n[c];
  const Real rb = n[b] / n[c];

  // ∫ 1 dV = ⅓ ∮ (α n_α + β n_β + γ n_γ), and on the face the bracket over n_γ is h.
  volume_ += h * p.one / 3.0;

  const Real faceCC =
      uu * p.aa + vv * p.bb + hh * p.one + two * (u * v * p.ab + h * (u * p.a + v * p.b));
  first_[a] += ra * p.aa / 2.0;
  first_[b] += rb * p.bb / 2.0;
  first_[c] += faceCC / 2.0;

  const Real faceCCC = uu * u * p.aaa + vv * v * p.bbb + hh * h * p.one +
                       three * (uu * v * p.aab + u * vv * p.abb + uu * h * p.aa + vv * h * p.bb +
                                hh * (u * p.a + v * p.b)) +
                       six * u * v * h * p.ab;
  second_[a] += ra * p.aaa / 3.0;
  second_[b] += rb * p.bbb / 3.0;
  second_[c] += faceCCC / 3.0;

  // ∫ αβ dV = ½ ∮ α² β n_α, ∫ βγ dV = ½ ∮ β² γ n_β, ∫ γα dV = ½ ∮ γ² α n_γ.
  const Real faceBBC = u * p.abb + v * p.bbb + h * p.bb;
  const Real faceCCA =
      uu * p.aaa + vv * p.abb + hh * p.a + two * (u * v * p.aab + h * (u * p.aa + v * p.ab));
  product_[a] += ra * p.aab / 2.0;
  product_[b] += rb * faceBBC / 2.0;
  product_[c] += faceCCA / 2.0;
}

MassProperties PolyhedralIntegrals::massProperties() const {
  MassProperties result;
  result.volume = volume_.value();
  result.centreOfMass = reference_;
  Point centre{};
  if (volume_.high != 0.0) {
    for (std::size_t k = 0; k < 3; ++k) {
      centre[k] = first_[k] / volume_;
      const auto axis = static_cast<Eigen::Index>(k);
      result.centreOfMass[axis] = (centre[k] + reference_[axis]).value();
    }
  }
  // Moments about the centre: ∫ x_i x_j - V c_i c_j.
  Point square{};
  for (std::size_t k = 0; k < 3; ++k) square[k] = second_[k] - volume_ * centre[k] * centre[k];
  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t u = (k + 1) % 3;
    const std::size_t v = (k + 2) % 3;
    const auto i = static_cast<Eigen::Index>(k);
    const auto j = static_cast<Eigen::Index>(u);
    result.inertia(i, i) = (square[u] + square[v]).value();
    result.inertia(i, j) = -(product_[k] - volume_ * centre[k] * centre[u]).value();
    result.inertia(j, i) = result.inertia(i, j);
  }
  return result;
}

}  // namespace msd_assets
