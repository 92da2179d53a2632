#pragma once

#include <Eigen/Core>
#include <array>

#include "msd-assets/src/DoubleDouble.hpp"
#include "msd-assets/src/MassProperties.hpp"

namespace msd_assets {

/// Volume integrals of a solid bounded by triangles, one triangle at a time.
///
/// The reduction of B. Mirtich, "Fast and Accurate Computation of Polyhedral Mass Properties",
/// J. Graphics Tools 1(2), 1996: the divergence theorem turns each volume integral into integrals
/// over faces,
///
///   ∫ 1 dV = ⅓ ∮ x·n dA,  ∫ x dV = ½ ∮ x² n_x dA,  ∫ x² dV = ⅓ ∮ x³ n_x dA,
///   ∫ xy dV = ½ ∮ x² y n_x dA.
///
/// Mirtich goes on to project faces onto planes and planes onto edges. Over a triangle with corners
/// x_i the last two steps have a closed form, the moments of a simplex: with S = Σ x_i, Q = Σ x_i²,
/// C = Σ x_i³, P = Σ x_i y_i, D = Σ x_i² y_i and area A,
///
///   ∫ x² dA = A/12 (S² + Q),  ∫ x³ dA = A/60 (S³ + 3 S Q + 2 C),
///   ∫ x² y dA = A/60 ((S² + Q) S_y + 2 S P + 2 D),
///
/// and 2 A n is the cross product of two sides, so that nothing is divided or projected.
///
/// Polygons enter as fans of triangles: four corners and more lie in a plane only up to rounding,
/// and the slits that plane faces would leave along their edges weigh in by the square of the
/// body's aspect ratio. Triangles close exactly.
///
/// Lengths are taken from a reference point, which should be a point of the body. All sums are in
/// double-double: the terms of a thin or slender body cancel by its aspect ratio, and those digits
/// are there to lose.
class PolyhedralIntegrals {
 public:
  explicit PolyhedralIntegrals(const Eigen::Vector3d& reference) : reference_{reference} {}

  /// Adds a triangle, corners counter-clockwise from outside. One without area adds nothing.
  void addTriangle(const Eigen::Vector3d& a, const Eigen::Vector3d& b, const Eigen::Vector3d& c);

  /// Signed: an inside-out surface gives negative volume and inertia. With a volume of zero, the
  /// centre is the reference point and the inertia is about it.
  [[nodiscard]] MassProperties massProperties() const;

 private:
  using Triple = std::array<DoubleDouble, 3>;

  Eigen::Vector3d reference_;
  DoubleDouble volume_;  ///< 6 ∫ 1
  Triple first_;         ///< 48 ∫ x, ∫ y, ∫ z
  Triple second_;        ///< 360 ∫ x², ∫ y², ∫ z²
  Triple product_;       ///< 240 ∫ xy, ∫ yz, ∫ zx
};

}  // namespace msd_assets
