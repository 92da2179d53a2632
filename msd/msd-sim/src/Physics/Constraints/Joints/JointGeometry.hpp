#pragma once

#include "msd-sim/src/Physics/Constraints/Joints/JointDefinition.hpp"

namespace msd_sim {

/// Arms, axes and the vector between the anchors, world axes.
struct JointGeometry {
  Vector3D armA, armB, d;  ///< anchors from the centres; d from A's anchor to B's
  Matrix3D a, b;           ///< columns t₁, t₂, n of both frames

  JointGeometry(const JointDefinition& joint, const JointPlace& place)
      : armA{place.qA * joint.anchorA},
        armB{place.qB * joint.anchorB},
        d{(place.xB - place.xA) + (armB - armA)},
        a{place.qA.toRotationMatrix() * joint.frameA},
        b{place.qB.toRotationMatrix() * joint.frameB} {}
};

/// Unit vector between the anchors; where they coincide, any that does not depend on rounding.
inline Vector3D lineOf(const JointGeometry& g) {
  const double length = g.d.norm();
  return length > 0.0 ? Vector3D{g.d / length} : Vector3D{g.a.col(2)};
}

inline bool holdsPoint(JointKind kind) {
  return kind == JointKind::kBall || kind == JointKind::kHinge || kind == JointKind::kUniversal ||
         kind == JointKind::kFixed;
}

}  // namespace msd_sim
