#include "msd-assets/src/PolyhedralIntegrals.hpp"

#include <cstddef>

namespace msd_assets {

namespace {

using Real = DoubleDouble;
using Triple = std::array<Real, 3>;

/// Components of the three corners along one axis, and their sums of powers.
struct AxisSums {
  Triple x;
  Triple squares;
  Real sum;     ///< S
  Real square;  ///< Q
  Real cube;    ///< C

  AxisSums(const Real& a, const Real& b, const Real& c)
      : x{a, b, c},
        squares{a * a, b * b, c * c},
        sum{a + b + c},
        square{squares[0] + squares[1] + squares[2]},
        cube{squares[0] * a + squares[1] * b + squares[2] * c} {}
};

}  // namespace

void PolyhedralIntegrals::addTriangle(const Eigen::Vector3d& a, const Eigen::Vector3d& b,
                                      const Eigen::Vector3d& c) {
  const auto axis = [&](Eigen::Index k) {
    return AxisSums{Real::exactSum(a[k], -reference_[k]), Real::exactSum(b[k], -reference_[k]),
                    Real::exactSum(c[k], -reference_[k])};
  };
  const std::array<AxisSums, 3> axes{axis(0), axis(1), axis(2)};
  const Real two{2.0};
  const Real three{3.0};
  for (std::size_t k = 0; k < 3; ++k) {
    const AxisSums& x = axes[k];
    const AxisSums& y = axes[(k + 1) % 3];
    const AxisSums& z = axes[(k + 2) % 3];
    // 2 A n_x
    const Real normal =
        (y.x[1] - y.x[0]) * (z.x[2] - z.x[0]) - (z.x[1] - z.x[0]) * (y.x[2] - y.x[0]);
    const Real mixed = x.x[0] * y.x[0] + x.x[1] * y.x[1] + x.x[2] * y.x[2];
    const Real mixedSquare = x.squares[0] * y.x[0] + x.squares[1] * y.x[1] + x.squares[2] * y.x[2];
    const Real pairs = x.sum * x.sum + x.square;

    volume_ += normal * x.x[0];
    first_[k] += normal * pairs;
    second_[k] += normal * (x.sum * (x.sum * x.sum + three * x.square) + two * x.cube);
    product_[k] += normal * (pairs * y.sum + two * (x.sum * mixed + mixedSquare));
  }
}

MassProperties PolyhedralIntegrals::massProperties() const {
  const Real volume = volume_ / 6.0;
  MassProperties result;
  result.volume = volume.value();
  result.centreOfMass = reference_;
  Triple centre{};
  if (volume.high != 0.0) {
    for (std::size_t k = 0; k < 3; ++k) {
      centre[k] = first_[k] / 48.0 / volume;
      const auto axis = static_cast<Eigen::Index>(k);
      result.centreOfMass[axis] = (centre[k] + reference_[axis]).value();
    }
  }
  // Moments about the centre: ∫ x_i x_j - V c_i c_j.
  Triple square{};
  for (std::size_t k = 0; k < 3; ++k) {
    square[k] = second_[k] / 360.0 - volume * centre[k] * centre[k];
  }
  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t u = (k + 1) % 3;
    const std::size_t v = (k + 2) % 3;
    const auto i = static_cast<Eigen::Index>(k);
    const auto j = static_cast<Eigen::Index>(u);
    result.inertia(i, i) = (square[u] + square[v]).value();
    result.inertia(i, j) = -(product_[k] / 240.0 - volume * centre[k] * centre[u]).value();
    result.inertia(j, i) = result.inertia(i, j);
  }
  return result;
}

}  // namespace msd_assets
