#include "msd-sim/src/Physics/Constraints/Joints/JointDefinition.hpp"

#include <algorithm>
#include <cmath>

#include "msd-sim/src/Physics/Constraints/Joints/Angle.hpp"
#include "msd-sim/src/Physics/Constraints/Joints/JointGeometry.hpp"

namespace msd_sim {

namespace {

/// Gradient of direction·(anchor B - anchor A), direction fixed in space.
JointRow pointRow(const JointArms& g, const Vector3D& direction) {
  return {-direction, -g.armA.cross(direction), direction, g.armB.cross(direction)};
}

/// Gradient of t·d with t fixed to A (J-4).
JointRow slideRow(const JointGeometry& g, const Vector3D& t) {
  return {-t, -(g.armA + g.d).cross(t), t, g.armB.cross(t)};
}

/// Gradient of u·w with u fixed to A and w to B (J-5).
JointRow squareRow(const Vector3D& u, const Vector3D& w) {
  const Vector3D turn = w.cross(u);
  return {Vector3D::Zero(), -turn, Vector3D::Zero(), turn};
}

}  // namespace

int holdingRowCount(JointKind kind) {
  switch (kind) {
    case JointKind::kBall:
      return 3;
    case JointKind::kHinge:
    case JointKind::kSlider:
      return 5;
    case JointKind::kCylindrical:
    case JointKind::kUniversal:
      return 4;
    case JointKind::kFixed:
      return 6;
    case JointKind::kDistance:
      return 1;
    case JointKind::kRope:
    case JointKind::kSpring:
      return 0;
  }
  return 0;
}

int holdingRowCount(const JointDefinition& joint) {
  if (joint.constraint == nullptr) return holdingRowCount(joint.kind);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return joint.lower == -kInfinity && joint.upper == kInfinity ? 1 : 0;
}

bool hasFreeCoordinate(JointKind kind) {
  return kind == JointKind::kHinge || kind == JointKind::kSlider || kind == JointKind::kCylindrical;
}

double rotorInertia(const JointDefinition& joint) {
  if (!joint.motor) return joint.armature;
  return joint.armature + joint.motor->gear * joint.motor->gear * joint.motor->rotorInertia;
}

bool feedsEnergy(const JointDefinition& joint) {
  return joint.kind == JointKind::kSpring || joint.motor || joint.stiffness > 0.0 ||
         joint.armature > 0.0 || joint.constraint != nullptr;
}

bool isAngle(JointKind kind) {
  return kind == JointKind::kHinge || kind == JointKind::kCylindrical;
}

bool isLength(JointKind kind, int row) {
  if (holdsPoint(kind)) return row < 3;
  return kind == JointKind::kDistance || row < 2;
}

void evaluateErrors(const JointDefinition& joint, const JointPlace& place, double* errors) {
  if (joint.constraint != nullptr) {
    errors[0] = userValue(joint, place);
    return;
  }
  if (joint.kind == JointKind::kBall) {
    const JointArms g(joint, place);
    for (int c = 0; c < 3; ++c) errors[c] = g.d[c];
    return;
  }
  const JointGeometry g(joint, place);
  int i = 0;
  if (holdsPoint(joint.kind)) {
    for (int c = 0; c < 3; ++c) errors[i++] = g.d[c];
  }
  switch (joint.kind) {
    case JointKind::kSlider:
    case JointKind::kCylindrical:
      errors[i++] = g.a.col(0).dot(g.d);
      errors[i++] = g.a.col(1).dot(g.d);
      [[fallthrough]];
    case JointKind::kHinge:
    case JointKind::kFixed:
      errors[i++] = g.a.col(0).dot(g.b.col(2));
      errors[i++] = g.a.col(1).dot(g.b.col(2));
      if (joint.kind == JointKind::kSlider || joint.kind == JointKind::kFixed) {
        errors[i++] = g.a.col(0).dot(g.b.col(1));
      }
      break;
    case JointKind::kUniversal:
      errors[i++] = g.a.col(2).dot(g.b.col(0));
      break;
    case JointKind::kDistance:
      errors[i++] = g.d.norm() - joint.length;
      break;
    default:
      break;
  }
}

void evaluateRows(const JointDefinition& joint, const JointPlace& place, JointRow* rows) {
  if (joint.constraint != nullptr) {
    rows[0] = userRow(joint, place);
    return;
  }
  if (joint.kind == JointKind::kBall) {
    const JointArms g(joint, place);
    for (int c = 0; c < 3; ++c) rows[c] = pointRow(g, Vector3D::Unit(c));
    return;
  }
  const JointGeometry g(joint, place);
  int i = 0;
  if (holdsPoint(joint.kind)) {
    for (int c = 0; c < 3; ++c) rows[i++] = pointRow(g, Vector3D::Unit(c));
  }
  switch (joint.kind) {
    case JointKind::kSlider:
    case JointKind::kCylindrical:
      rows[i++] = slideRow(g, g.a.col(0));
      rows[i++] = slideRow(g, g.a.col(1));
      [[fallthrough]];
    case JointKind::kHinge:
    case JointKind::kFixed:
      rows[i++] = squareRow(g.a.col(0), g.b.col(2));
      rows[i++] = squareRow(g.a.col(1), g.b.col(2));
      if (joint.kind == JointKind::kSlider || joint.kind == JointKind::kFixed) {
        rows[i++] = squareRow(g.a.col(0), g.b.col(1));
      }
      break;
    case JointKind::kUniversal:
      rows[i++] = squareRow(g.a.col(2), g.b.col(0));
      break;
    case JointKind::kDistance:
      rows[i++] = pointRow(g, lineOf(g));
      break;
    default:
      break;
  }
}

double evaluateCoordinate(const JointDefinition& joint, const JointPlace& place) {
  if (joint.constraint != nullptr) return userValue(joint, place);
  if (joint.kind == JointKind::kBall) return JointArms(joint, place).d.norm();
  const JointGeometry g(joint, place);
  if (isAngle(joint.kind)) {
    return angleOf(g.a.col(1).dot(g.b.col(0)), g.a.col(0).dot(g.b.col(0)));
  }
  if (joint.kind == JointKind::kSlider) return g.a.col(2).dot(g.d);
  return g.d.norm();
}

Vector3D evaluateLine(const JointDefinition& joint, const JointPlace& place) {
  return JointArms(joint, place).d;
}

JointRow evaluateCoordinateRow(const JointDefinition& joint, const JointPlace& place) {
  if (joint.constraint != nullptr) return userRow(joint, place);
  const JointGeometry g(joint, place);
  if (isAngle(joint.kind)) {
    return {Vector3D::Zero(), -g.a.col(2), Vector3D::Zero(), g.a.col(2)};
  }
  if (joint.kind == JointKind::kSlider) return slideRow(g, g.a.col(2));
  return pointRow(g, lineOf(g));
}

double continuedCoordinate(const JointDefinition& joint, double value, double last) {
  if (!isAngle(joint.kind)) return value;
  return value + 2.0 * kPi * std::round((last - value) / (2.0 * kPi));
}

double springEnergy(const JointDefinition& joint, double coordinate) {
  if (joint.constraint != nullptr || !(joint.stiffness > 0.0)) return 0.0;
  const double rest = joint.kind == JointKind::kSpring ? joint.length : joint.rest;
  return 0.5 * joint.stiffness * (coordinate - rest) * (coordinate - rest);
}

double evaluateSeparation(const JointDefinition& joint, const JointPlace& place) {
  if (joint.constraint != nullptr) return 0.0;  // its unit is the user's own
  if (holdsPoint(joint.kind)) return JointArms(joint, place).d.norm();
  const JointGeometry g(joint, place);
  switch (joint.kind) {
    case JointKind::kSlider:
    case JointKind::kCylindrical:
      return Eigen::Vector2d{g.a.col(0).dot(g.d), g.a.col(1).dot(g.d)}.norm();
    case JointKind::kDistance:
      return std::fabs(g.d.norm() - joint.length);
    case JointKind::kRope:
      return std::max(g.d.norm() - joint.length, 0.0);
    case JointKind::kSpring:
      return 0.0;
    default:
      return g.d.norm();
  }
}

}  // namespace msd_sim
