#pragma once

#include <Eigen/Core>

#include "msd-assets/src/Shape.hpp"

namespace msd_assets {

/// Volume, centre and second moments of a homogeneous solid of unit density.
///
/// Multiply volume and inertia by the density [kg/m³] to get mass and inertia.
struct MassProperties {
  double volume{0.0};                                ///< [m³]
  Eigen::Vector3d centreOfMass{0.0, 0.0, 0.0};       ///< in the shape's frame [m]
  Eigen::Matrix3d inertia{Eigen::Matrix3d::Zero()};  ///< about the centre, shape axes [m⁵]
};

/// Closed forms for primitives; for polyhedra and closed meshes the volume integrals of
/// B. Mirtich, "Fast and Accurate Computation of Polyhedral Mass Properties", J. Graphics Tools
/// 1(2), 1996; compounds by the parallel-axis theorem.
///
/// Throws std::invalid_argument for a plane, a terrain, an open mesh, a mesh that encloses no
/// volume or one whose moments no solid can have (parts inside out). A mesh that is inside out as a
/// whole is measured by the absolute value of its volume.
[[nodiscard]] MassProperties computeMassProperties(const Shape& shape);

/// Mirtich's integrals over a closed polygonal surface, in double-double about a vertex: exact for
/// the given coordinates to about 1e-15, whatever the aspect ratio and the distance from the
/// origin. Signed: negative volume means inside out.
[[nodiscard]] MassProperties computePolyhedronMass(const ConvexPolyhedron& polyhedron);
[[nodiscard]] MassProperties computeMeshMass(const TriangleMesh& mesh);

}  // namespace msd_assets
