#pragma once

#include <Eigen/Core>
#include <array>
#include <span>

#include "msd-assets/src/DoubleDouble.hpp"
#include "msd-assets/src/MassProperties.hpp"

namespace msd_assets {

/// Volume integrals of a solid bounded by plane polygons, one polygon at a time.
///
/// B. Mirtich, "Fast and Accurate Computation of Polyhedral Mass Properties", J. Graphics Tools
/// 1(2), 1996: the divergence theorem turns a volume integral into integrals over faces, a
/// projection along the largest component γ of the face's normal turns those into integrals over
/// a plane polygon in (α, β), and Green's theorem turns those into sums over its edges:
///
///   ∫_V x dV = ½ Σ_F n_x ∫_F x² dA        (likewise 1, x², xy)
///   ∫_F f(α, β, γ) dA = 1/|n_γ| ∫_Π f(α, β, -(n_α α + n_β β + w)/n_γ) dα dβ
///
/// Lengths are taken from a reference point, which should be a point of the body. All sums are in
/// double-double: the terms of a thin or slender body cancel by its aspect ratio, and those digits
/// are there to lose.
class PolyhedralIntegrals {
 public:
  explicit PolyhedralIntegrals(const Eigen::Vector3d& reference) : reference_{reference} {}

  /// Adds a face, corners counter-clockwise from outside. A face without area adds nothing.
  void addPolygon(std::span<const Eigen::Vector3d> corners);

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
