#include "msd-sim/src/Physics/Collision/RigidMotion.hpp"

#include <algorithm>
#include <cmath>

namespace msd_sim {

Pose RigidMotion::at(double time) const {
  Pose pose;
  pose.orientation = exponentialRotation(time * angularVelocity) * start.orientation;
  const Coordinate centre = start.toWorld(pivot) + time * velocity;
  pose.position = centre - pose.orientation * pivot;
  return pose;
}

double computeReach(const CollisionShape& shape, const Coordinate& pivot) {
  const double x = std::abs(pivot.x());
  const double y = std::abs(pivot.y());
  const double z = std::abs(pivot.z());
  switch (shape.kind) {
    case ShapeKind::kSphere:
      return pivot.norm();
    case ShapeKind::kCapsule:
      return Vector3D{x, y, z + shape.halfHeight}.norm();
    case ShapeKind::kBox:
      return (pivot.cwiseAbs() + shape.halfExtents).norm();
    case ShapeKind::kCylinder: {
      const double radial = std::sqrt(x * x + y * y) + shape.radius;
      const double axial = z + shape.halfHeight;
      return std::sqrt(radial * radial + axial * axial);
    }
    case ShapeKind::kHull: {
      double greatest = 0.0;
      for (const Coordinate& v : shape.polyhedron->vertices()) {
        greatest = std::max(greatest, (v - pivot).squaredNorm());
      }
      return std::sqrt(greatest);
    }
    default:
      return shape.size + pivot.norm();
  }
}

}  // namespace msd_sim
