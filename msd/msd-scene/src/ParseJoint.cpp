#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "msd-scene/src/FieldTable.hpp"
#include "msd-scene/src/JsonValues.hpp"
#include "msd-scene/src/ParseScene.hpp"

namespace msd_scene {

namespace {

using R = JsonReader;
using J = SceneJoint;
using msd_sim::JointKind;
using msd_sim::MotorMode;

constexpr std::array<std::string_view, 4> kMotorModes{"velocity", "position", "force", "torque"};

/// "torque" is another word for force.
MotorMode readMode(JsonReader& reader) {
  const std::size_t i = readChoice(reader, kMotorModes);
  return static_cast<MotorMode>(std::min<std::size_t>(i, 2));
}

/// A body's name, or null or "world" for the world, which the document writes as an empty name.
std::string readPartner(JsonReader& reader) {
  if (reader.peek() == JsonKind::kNull) {
    reader.readNull("null");
    return {};
  }
  std::string name = readName(reader, "the name of a body, \"world\" or null");
  return name == "world" ? std::string{} : name;
}

constexpr std::array<Field<SceneLimit>, 2> kLimitFields{{
    {"lower", [](R& r, SceneLimit& l) { l.lower = readNumber(r, "[rad] or [m]"); }},
    {"upper", [](R& r, SceneLimit& l) { l.upper = readNumber(r, "[rad] or [m]"); }},
}};

constexpr std::string_view kTargetUnit = "[rad/s], [m/s], [rad], [m], [N·m] or [N]";

using M = SceneMotor;
constexpr std::array<Field<SceneMotor>, 13> kMotorFields{{
    {"mode", [](R& r, M& m) { m.mode = readMode(r); }},
    {"target", [](R& r, M& m) { m.target = readNumber(r, kTargetUnit); }},
    {"targets", [](R& r, M& m) { m.targets = readTimedNumbers(r); }},
    {"stiffness", [](R& r, M& m) { m.stiffness = readNumber(r, "[N·m/rad] or [N/m]"); }},
    {"damping", [](R& r, M& m) { m.damping = readNumber(r, "[N·m·s/rad] or [N·s/m]"); }},
    {"feedForward", [](R& r, M& m) { m.feedForward = readNumber(r, "[N·m] or [N]"); }},
    {"carriesLoad", [](R& r, M& m) { m.carriesLoad = r.readBoolean("true or false"); }},
    {"inverseDynamics", [](R& r, M& m) { m.inverseDynamics = r.readBoolean("true or false"); }},
    {"gear", [](R& r, M& m) { m.gear = readNumber(r, "[-]"); }},
    {"rotorInertia", [](R& r, M& m) { m.rotorInertia = readNumber(r, "[kg·m²] or [kg]"); }},
    {"maxForce", [](R& r, SceneMotor& m) { m.maxForce = readNumber(r, "[N] or [N·m]"); }},
    {"frequency", [](R& r, SceneMotor& m) { m.frequency = readNumber(r, "[Hz]"); }},
    {"dampingRatio", [](R& r, SceneMotor& m) { m.dampingRatio = readNumber(r, "[-]"); }},
}};

void readMotor(JsonReader& reader, J& joint) {
  const std::size_t start = reader.offset();
  const FieldSet seen = readFields(reader, "a joint's motor", kMotorFields, joint.motor.emplace());
  const bool target = (seen >> 1 & 1u) != 0, targets = (seen >> 2 & 1u) != 0;
  if (target == targets) {
    reader.failAt(start, reader.path(),
                  target ? "\"target\" and \"targets\"" : "no field \"target\"",
                  "the speed, position or force to reach: \"target\", or \"targets\" over time");
  }
}

using F = SceneFollow;
constexpr std::array<Field<F>, 3> kFollowFields{{
    {"joint", [](R& r, F& f) { f.joint = readName(r, "the name of a joint"); }},
    {"ratio", [](R& r, F& f) { f.ratio = readNumber(r, "[-], [m/rad] or [rad/m]"); }},
    {"offset", [](R& r, F& f) { f.offset = readNumber(r, "[rad] or [m]"); }},
}};

constexpr std::array<Field<J>, 20> kJointFields{{
    {"type", [](R& r, J& j) { j.kind = static_cast<JointKind>(readChoice(r, kJointTypes)); },
     "the kind of joint"},
    {"name", [](R& r, J& j) { j.name = readName(r, "a joint's name"); }},
    {"bodyA", [](R& r, J& j) { j.bodyA = readPartner(r); },
     "the name of a body, \"world\" or null"},
    {"bodyB", [](R& r, J& j) { j.bodyB = readName(r, "the name of a body"); },
     "the name of a body"},
    {"anchor", [](R& r, J& j) { j.anchor = readVector3(r, "[m]"); }, "the joint's place [m]"},
    {"anchorB", [](R& r, J& j) { j.anchorB = readVector3(r, "[m]"); }},
    {"axis", [](R& r, J& j) { j.axis = readVector3(r, "(a unit vector)"); }},
    {"axisB", [](R& r, J& j) { j.axisB = readVector3(r, "(a unit vector)"); }},
    {"length", [](R& r, J& j) { j.length = readNumber(r, "[m]"); }},
    {"stiffness", [](R& r, J& j) { j.stiffness = readNumber(r, "[N/m] or [N·m/rad]"); }},
    {"damping", [](R& r, J& j) { j.damping = readNumber(r, "[N·s/m] or [N·m·s/rad]"); }},
    {"rest", [](R& r, J& j) { j.rest = readNumber(r, "[rad] or [m]"); }},
    {"limit",
     [](R& r, J& j) { readFields(r, "a joint's limit", kLimitFields, j.limit.emplace()); }},
    {"motor", readMotor},
    {"follows",
     [](R& r, J& j) { readFields(r, "what a joint follows", kFollowFields, j.follows.emplace()); }},
    {"friction", [](R& r, J& j) { j.friction = readNumber(r, "[N] or [N·m]"); }},
    {"armature", [](R& r, J& j) { j.armature = readNumber(r, "[kg] or [kg·m²]"); }},
    {"breakingForce", [](R& r, J& j) { j.breakingForce = readNumber(r, "[N]"); }},
    {"breakingTorque", [](R& r, J& j) { j.breakingTorque = readNumber(r, "[N·m]"); }},
    {"collideConnected", [](R& r, J& j) { j.collideConnected = r.readBoolean("true or false"); }},
}};

/// What a kind of joint has beside type, name, bodies, anchor, breaking force, breaking torque and
/// collideConnected, which all have. In the order of JointKind.
const std::array<KindRule, kJointTypes.size()>& jointRules() {
  static const std::vector<std::string_view> kDrive{"limit",   "motor", "friction", "armature",
                                                    "damping", "rest",  "stiffness"};
  static const std::vector<std::string_view> kAll{"limit",     "motor",   "friction",
                                                  "armature",  "damping", "rest",
                                                  "stiffness", "follows"};
  static const std::array<KindRule, kJointTypes.size()> kTable{{
      {{}, {}},
      {{"axis"}, kAll},
      {{"axis"}, kAll},
      {{"axis"}, kDrive},
      {{"axis", "axisB"}, {}},
      {{}, {}},
      {{"anchorB"}, {"length"}},
      {{"anchorB"}, {"length"}},
      {{"anchorB", "stiffness"}, {"length", "damping"}},
  }};
  return kTable;
}

constexpr std::array<std::string_view, 12> kKindFields{
    "anchorB", "axis",  "axisB", "length",   "stiffness", "damping",
    "rest",    "limit", "motor", "friction", "armature",  "follows"};

void checkKindFields(JsonReader& reader, std::size_t start, JointKind kind, FieldSet seen) {
  const auto index = static_cast<std::size_t>(kind);
  const KindRule& rule = jointRules()[index];
  for (const std::string_view name : rule.required) {
    if (wasGiven(kJointFields, seen, name)) continue;
    reader.failAt(start, reader.path(), fmt::format("no field {}", jsonString(name)),
                  fmt::format("it in a joint of type {}", kJointTypes[index]));
  }
  const auto allows = [&](std::string_view name) {
    return std::ranges::find(rule.required, name) != rule.required.end() ||
           std::ranges::find(rule.optional, name) != rule.optional.end();
  };
  for (const std::string_view name : kKindFields) {
    if (!wasGiven(kJointFields, seen, name) || allows(name)) continue;
    reader.failAt(reader.path() / name, fmt::format("the field {}", jsonString(name)),
                  fmt::format("no such field in a joint of type {}", kJointTypes[index]));
  }
}

}  // namespace

SceneJoint parseJoint(JsonReader& reader) {
  const std::size_t start = reader.offset();
  SceneJoint joint;
  const FieldSet seen = readFields(reader, "a joint", kJointFields, joint);
  checkKindFields(reader, start, joint.kind, seen);
  return joint;
}

std::vector<FieldGroup> jointFields() {
  return {{"a joint", fieldNames(kJointFields)},
          {"a joint's limit", fieldNames(kLimitFields)},
          {"a joint's motor", fieldNames(kMotorFields)},
          {"what a joint follows", fieldNames(kFollowFields)}};
}

}  // namespace msd_scene
