#pragma once

#include "msd-sim/src/Physics/Constraints/Joints/JointDefinition.hpp"

namespace msd_sim {

/// Arms and the vector between the anchors, world axes: all that a ball joint asks for.
struct JointArms {
  Vector3D armA, armB, d;  ///< anchors from the centres; d from A's anchor to B's

  JointArms(const JointDefinition& joint, const JointPlace& place)
      : armA{place.qA * joint.anchorA},
        armB{place.qB * joint.anchorB},
        d{(place.xB - place.xA) + (armB - armA)} {}
};

/// The same with both frames.
struct JointGeometry : JointArms {
  Matrix3D a, b;  ///< columns t₁, t₂, n of both frames

  JointGeometry(const JointDefinition& joint, const JointPlace& place)
      : JointArms{joint, place},
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
