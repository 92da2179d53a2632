#pragma once

#include <Eigen/Core>
#include <array>

#include "msd-assets/src/DoubleDouble.hpp"
#include "msd-assets/src/MassProperties.hpp"

namespace msd_assets {

/// Volume integrals of a solid bounded by triangles, one triangle at a time.
///
/// B. Mirtich, "Fast and Accurate Computation of Polyhedral Mass Properties", J. Graphics Tools
/// 1(2), 1996: the divergence theorem turns a volume integral into integrals over faces, a
/// projection along the largest component γ of the face's normal turns those into integrals over
/// a figure in the plane (α, β), and Green's theorem turns those into sums over its edges:
///
///   ∫_V x dV = ½ Σ_F n_x ∫_F x² dA        (likewise 1, x², xy)
///   ∫_F f(α, β, γ) dA = 1/|n_γ| ∫_Π f(α, β, -(n_α α + n_β β + w)/n_γ) dα dβ
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
  DoubleDouble volume_;  ///< ∫ 1
  Triple first_;         ///< ∫ x, ∫ y, ∫ z
  Triple second_;        ///< ∫ x², ∫ y², ∫ z²
  Triple product_;       ///< ∫ xy, ∫ yz, ∫ zx
};

}  // namespace msd_assets
