#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "msd-scene/src/JsonText.hpp"
#include "msd-scene/src/Limits.hpp"
#include "msd-scene/src/SceneValidator.hpp"

namespace msd_scene {

namespace {

using msd_sim::JointKind;

JsonPath jointPath(std::size_t i) {
  return JsonPath{} / "joints" / i;
}

constexpr Range kForce{0.0, Limits::kMaxForce, "[N] or [N·m]"};
constexpr Range kInertia{0.0, Limits::kMaxForce, "[kg·m²] or [kg]"};
constexpr double kMost = std::numeric_limits<double>::max();

}  // namespace

void SceneValidator::checkJoints() {
  for (std::size_t i = 0; i < document_.joints.size(); ++i) checkJoint(i);
}

void SceneValidator::checkJoint(std::size_t i) {
  const SceneJoint& joint = document_.joints[i];
  if (!joint.name.empty()) {
    if (const std::size_t first = joints_.find(joint.name); first != i) {
      issues_.error(jointPath(i) / "name", shortened(jsonString(joint.name)),
                    fmt::format("a name of its own (joints[{}] has this one)", first));
    }
  }
  checkJointBodies(i);
  checkJointGeometry(i);
  checkJointDrive(i);
  checkJointBreaking(i);
}

void SceneValidator::checkJointBodies(std::size_t i) {
  const SceneJoint& joint = document_.joints[i];
  const std::size_t a = joint.bodyA.empty() ? NameTable::npos : bodies_.find(joint.bodyA);
  const std::size_t b = bodies_.find(joint.bodyB);
  if (!joint.bodyA.empty() && a == NameTable::npos) {
    missing(jointPath(i) / "bodyA", joint.bodyA, bodies_, "a body");
    return;
  }
  if (b == NameTable::npos) {
    if (joint.bodyB == "world" || joint.bodyB.empty()) {
      issues_.error(jointPath(i) / "bodyB", jsonString(joint.bodyB),
                    "the name of a body (the world can only be bodyA)");
    } else {
      missing(jointPath(i) / "bodyB", joint.bodyB, bodies_, "a body");
    }
    return;
  }
  if (a == b) {
    issues_.error(jointPath(i) / "bodyB", shortened(jsonString(joint.bodyB)),
                  "another body than bodyA");
    return;
  }
  const bool fixedA = a == NameTable::npos || document_.bodies[a].isStatic;
  if (fixedA && document_.bodies[b].isStatic) {
    issues_.warning(jointPath(i), "a joint between two static bodies",
                    "at least one that moves: this joint does nothing");
  }
}

void SceneValidator::checkJointGeometry(std::size_t i) {
  const SceneJoint& joint = document_.joints[i];
  issues_.demandVector(joint.anchor, Limits::kMaxPosition, "[m]",
                       [&] { return jointPath(i) / "anchor"; });
  if (joint.anchorB) {
    issues_.demandVector(*joint.anchorB, Limits::kMaxPosition, "[m]",
                         [&] { return jointPath(i) / "anchorB"; });
  }
  const auto checkAxis = [&](const std::optional<Vector3D>& axis, std::string_view field) {
    if (!axis) return;
    const double length = axis->norm();
    issues_.demand(length, {0.0, kMost, "(the length of a direction)", true},
                   [&] { return jointPath(i) / field; });
  };
  checkAxis(joint.axis, "axis");
  checkAxis(joint.axisB, "axisB");
  if (joint.kind == JointKind::kUniversal && joint.axis && joint.axisB) {
    const double cosine = joint.axis->normalized().dot(joint.axisB->normalized());
    if (std::abs(cosine) > Limits::kPerpendicular) {
      issues_.error(jointPath(i) / "axisB", fmt::format("a cosine of {} with axis", cosine),
                    "an axis perpendicular to it");
    }
  }
  const bool spans = joint.kind == JointKind::kDistance || joint.kind == JointKind::kRope;
  if (joint.length) {
    issues_.demand(*joint.length, {0.0, Limits::kMaxPosition, "[m]", spans},
                   [&] { return jointPath(i) / "length"; });
  } else if (spans && joint.anchorB && *joint.anchorB == joint.anchor) {
    issues_.error(jointPath(i), "no \"length\" and both anchors in one point",
                  "a length > 0 or anchors apart");
  }
}

void SceneValidator::checkJointDrive(std::size_t i) {
  const SceneJoint& joint = document_.joints[i];
  const auto check = [&](double value, const Range& range, auto makePath) {
    issues_.demand(value, range, makePath);
  };
  if (joint.stiffness) {
    check(*joint.stiffness,
          {0.0, Limits::kMaxStiffness, "[N/m] or [N·m/rad]", joint.kind == JointKind::kSpring},
          [&] { return jointPath(i) / "stiffness"; });
  }
  check(joint.damping, {0.0, Limits::kMaxStiffness, "[N·s/m]"},
        [&] { return jointPath(i) / "damping"; });
  check(joint.friction, kForce, [&] { return jointPath(i) / "friction"; });
  check(joint.armature, kInertia, [&] { return jointPath(i) / "armature"; });
  check(joint.rest, {-Limits::kMaxPosition, Limits::kMaxPosition, "[rad] or [m]"},
        [&] { return jointPath(i) / "rest"; });
  if (joint.limit) {
    constexpr Range kTravel{-Limits::kMaxPosition, Limits::kMaxPosition, "[rad] or [m]"};
    const JsonPath limit = jointPath(i) / "limit";
    if (joint.limit->lower) check(*joint.limit->lower, kTravel, [&] { return limit / "lower"; });
    if (joint.limit->upper) check(*joint.limit->upper, kTravel, [&] { return limit / "upper"; });
    const double lower = joint.limit->lower.value_or(-kMost);
    const double upper = joint.limit->upper.value_or(kMost);
    if (!joint.limit->lower && !joint.limit->upper) {
      issues_.error(limit, "no bound", "\"lower\", \"upper\" or both");
    } else if (lower > upper) {
      issues_.error(limit, fmt::format("lower {} above upper {}", lower, upper), "lower <= upper");
    }
  }
  if (joint.motor) checkMotor(jointPath(i) / "motor", *joint.motor);
  if (joint.follows) checkFollows(i);
}

void SceneValidator::checkFollows(std::size_t i) {
  const SceneFollow& follows = *document_.joints[i].follows;
  const JsonPath path = jointPath(i) / "follows";
  constexpr Range kAny{-Limits::kMaxPosition, Limits::kMaxPosition, "[rad] or [m]"};
  issues_.demand(follows.ratio, kAny, [&] { return path / "ratio"; });
  issues_.demand(follows.offset, kAny, [&] { return path / "offset"; });
  if (follows.joint.empty()) return;  // held at the offset
  const std::size_t leader = joints_.find(follows.joint);
  if (leader == NameTable::npos) {
    missing(path / "joint", follows.joint, joints_, "a joint");
    return;
  }
  const JointKind kind = document_.joints[leader].kind;
  if (leader == i || (kind != JointKind::kHinge && kind != JointKind::kSlider)) {
    issues_.error(path / "joint", shortened(jsonString(follows.joint)),
                  "the name of another joint, a hinge or slider");
  }
  // Whoever is followed may follow, but not in a circle.
  std::size_t next = leader;
  for (std::size_t n = 0; n <= document_.joints.size(); ++n) {
    const auto& above = document_.joints[next].follows;
    next = above && !above->joint.empty() ? joints_.find(above->joint) : NameTable::npos;
    if (next == NameTable::npos) return;
    if (next == i) break;
  }
  issues_.error(path / "joint", shortened(jsonString(follows.joint)),
                "a joint that does not follow this one");
}

void SceneValidator::checkMotor(const JsonPath& motor, const SceneMotor& m) {
  const auto check = [&](double value, const Range& range, auto makePath) {
    issues_.demand(value, range, makePath);
  };
  const double most =
      m.mode == msd_sim::MotorMode::kForce ? Limits::kMaxForce : Limits::kMaxSpeed;
  const Range target{-most, most, "[rad/s], [m/s], [rad], [m], [N·m] or [N]"};
  check(m.target, target, [&] { return motor / "target"; });
  checkTimes(motor / "targets", m.targets);
  for (std::size_t k = 0; k < m.targets.size(); ++k) {
    check(m.targets[k].value, target, [&] { return motor / "targets" / k / "value"; });
  }
  if (m.stiffness) {
    check(*m.stiffness, {0.0, Limits::kMaxStiffness, "[N·m/rad] or [N/m]"},
          [&] { return motor / "stiffness"; });
  }
  if (m.damping) {
    check(*m.damping, {0.0, Limits::kMaxStiffness, "[N·m·s/rad] or [N·s/m]"},
          [&] { return motor / "damping"; });
  }
  if (m.damping && !m.stiffness && m.mode == msd_sim::MotorMode::kPosition) {
    issues_.error(motor / "damping", "a damping without a stiffness",
                  "both, or \"frequency\" and \"dampingRatio\"");
  }
  check(m.feedForward, {-Limits::kMaxForce, Limits::kMaxForce, "[N·m] or [N]"},
        [&] { return motor / "feedForward"; });
  check(m.rotorInertia, kInertia, [&] { return motor / "rotorInertia"; });
  check(m.gear, {-Limits::kMaxDamping, Limits::kMaxDamping, "[-]"},
        [&] { return motor / "gear"; });
  if (m.gear == 0.0) issues_.error(motor / "gear", "0", "any other number");
  if (m.inverseDynamics && (m.mode != msd_sim::MotorMode::kPosition || m.carriesLoad.value_or(false))) {
    issues_.error(motor / "inverseDynamics", "true",
                  "true in position mode only, and without carriesLoad: it carries the load itself");
  }
  if (m.maxForce) check(*m.maxForce, kForce, [&] { return motor / "maxForce"; });
  check(m.frequency, {0.0, Limits::kMaxDamping, "[Hz]", true}, [&] { return motor / "frequency"; });
  check(m.dampingRatio, {0.0, Limits::kMaxDamping, "[-]"}, [&] { return motor / "dampingRatio"; });
}

void SceneValidator::checkJointBreaking(std::size_t i) {
  const SceneJoint& joint = document_.joints[i];
  const auto check = [&](const std::optional<double>& value, std::string_view field,
                         std::string_view unit) {
    if (!value) return;
    issues_.demand(*value, {0.0, Limits::kMaxForce, unit, true},
                   [&] { return jointPath(i) / field; });
  };
  check(joint.breakingForce, "breakingForce", "[N]");
  check(joint.breakingTorque, "breakingTorque", "[N·m]");
}

}  // namespace msd_scene
