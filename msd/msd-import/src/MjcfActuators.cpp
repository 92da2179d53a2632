#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "msd-import/src/MjcfContext.hpp"
#include "msd-import/src/XmlValues.hpp"
#include "msd-scene/src/JsonText.hpp"

namespace msd_import {

namespace {

using Kind = RobotActuator::Kind;

double at(const std::vector<double>& list, std::size_t i, double usual = 0.0) {
  return i < list.size() ? list[i] : usual;
}

/// force = gain · control + b0 + b1 · length + b2 · velocity, as a motor; false, with a note, where
/// no motor does that.
bool readGeneral(const XmlNode& node, MjcfContext& context, RobotActuator& actuator) {
  const auto skip = [&](std::string_view attribute, std::string_view what) {
    context.notes.add(node, attribute, fmt::format("<general> with {}", what),
                      "the actuator is left out");
    return false;
  };
  const std::string_view gain = node.text("gaintype");
  const std::string_view bias = node.text("biastype");
  const std::string_view dynamics = node.text("dyntype");
  if (!gain.empty() && gain != "fixed") return skip("gaintype", "a gain that is not fixed");
  if (!bias.empty() && bias != "none" && bias != "affine") return skip("biastype", "such a bias");
  if (!dynamics.empty() && dynamics != "none") {
    if (dynamics == "integrator") return skip("dyntype", "an integrator");
    context.notes.add(node, "dyntype", fmt::format("<general> dyntype \"{}\"", dynamics),
                      "the actuator answers at once");
  }
  const double g = at(readNumbers(node, "gainprm"), 0, 1.0);
  const std::vector<double> b =
      bias == "affine" ? readNumbers(node, "biasprm") : std::vector<double>{};
  if (at(b, 0) != 0.0) {
    context.notes.add(node, "biasprm", "<general> with a constant force", "left out of it");
  }
  const double kp = -at(b, 1);
  const double kd = -at(b, 2);
  if (kp < 0.0 || kd < 0.0) return skip("biasprm", "a bias that pushes away");
  if (kp > 0.0) {
    if (std::abs(g - kp) > 1e-9 * kp) return skip("biasprm", "a gain other than its bias");
    actuator.kind = Kind::kPosition;
    actuator.kp = kp;
    actuator.kd = kd;
  } else if (kd > 0.0) {
    if (std::abs(g - kd) > 1e-9 * kd) return skip("biasprm", "a gain other than its bias");
    actuator.kind = Kind::kVelocity;
    actuator.kd = kd;
  } else {
    actuator.kind = Kind::kForce;
    actuator.gear *= g;
  }
  return true;
}

double bound(const XmlNode& node, std::string_view limited, std::string_view range,
             const MjcfContext& context) {
  if (!isLimited(node, limited, range, context.compiler)) {
    return std::numeric_limits<double>::infinity();
  }
  const auto numbers = findNumbers(node, range, 2);
  if (!numbers) failAt(node, limited, fmt::format("no \"{}\"", range), "lower and upper bound");
  return std::max(std::abs((*numbers)[0]), std::abs((*numbers)[1]));
}

double gearOf(const XmlNode& node) {
  return at(readNumbers(node, "gear", 6), 0, 1.0);
}

/// A force on a fixed tendon is a force on each of its joints; anything else would have to measure
/// the tendon.
void addSumActuator(const XmlNode& node, MjcfContext& context) {
  const std::string name = requireText(node, "tendon", "the name of a tendon");
  RobotActuator actuator{.name = std::string{node.text("name")},
                         .sum = name,
                         .gear = gearOf(node),
                         .place = {node.file, node.line}};
  const auto known = std::ranges::find(context.robot.sums, name, &RobotSum::name);
  const auto skip = [&](std::string_view what) {
    context.notes.add(node, "tendon", fmt::format("<{}> of a {}", node.name, what),
                      "the actuator is left out: motors drive joints");
  };
  if (known == context.robot.sums.end()) return skip("tendon that is no sum of joints");
  if (node.name == "general" && !readGeneral(node, context, actuator)) return;
  if ((node.name != "general" && node.name != "motor") || actuator.kind != Kind::kForce) {
    return skip("tendon, with feedback");
  }
  actuator.maxForce =
      std::abs(actuator.gear) * std::min(bound(node, "forcelimited", "forcerange", context),
                                         bound(node, "ctrllimited", "ctrlrange", context));
  context.robot.actuators.push_back(std::move(actuator));
}

void addActuator(const XmlNode& written, MjcfContext& context) {
  const XmlNode node = context.defaults.complete(written, {});
  const std::string_view target = node.find("joint") ? "joint" : "jointinparent";
  if (node.find("tendon")) return addSumActuator(node, context);
  if (!node.find(target)) {
    context.notes.add(node, {},
                      fmt::format("<{}> of a {}", node.name, node.find("site") ? "site" : "body"),
                      "the actuator is left out: motors drive joints");
    return;
  }
  const std::string name{node.text(target)};
  const RobotJoint* joint = findJoint(context.robot, name);
  if (joint == nullptr) failAt(node, target, inQuotes(name), "the name of a joint of this file");
  if (joint->freedoms() != 1) {
    context.notes.add(node, target, fmt::format("<{}> of a ball or free joint", node.name),
                      "the actuator is left out: motors drive hinges and slides");
    return;
  }
  RobotActuator actuator{.name = std::string{node.text("name")},
                         .joint = name,
                         .gear = gearOf(node),
                         .place = {node.file, node.line}};
  if (node.name == "position") {
    actuator.kind = Kind::kPosition;
    actuator.kp = numberOr(node, "kp", 1.0);
    actuator.kd = numberOr(node, "kv", 0.0);
    actuator.dampingRatio = numberOr(node, "dampratio", 0.0);
    if (actuator.kp < 0.0 || actuator.kd < 0.0) failAt(node, "kp", "a negative gain", "gains >= 0");
  } else if (node.name == "velocity") {
    actuator.kind = Kind::kVelocity;
    actuator.kd = numberOr(node, "kv", 1.0);
    if (actuator.kd < 0.0) failAt(node, "kv", "a negative gain", "a gain >= 0");
  } else if (node.name == "general") {
    if (!readGeneral(node, context, actuator)) return;
  } else if (node.name != "motor") {
    return;  // noted by the table of rules
  }
  actuator.maxForce = bound(node, "forcelimited", "forcerange", context) * std::abs(actuator.gear);
  if (actuator.kind == Kind::kForce) {
    actuator.maxForce =
        std::min(actuator.maxForce,
                 std::abs(actuator.gear) * bound(node, "ctrllimited", "ctrlrange", context));
  }
  actuator.maxForce = std::min(actuator.maxForce, joint->effort);
  context.robot.actuators.push_back(std::move(actuator));
}

struct SensorRule {
  std::string_view element;
  std::string_view type;  ///< in the scene
  RobotSensor::Of of;
};

constexpr auto kSensors = std::to_array<SensorRule>({
    {"jointpos", "jointPosition", RobotSensor::Of::kJoint},
    {"jointvel", "jointVelocity", RobotSensor::Of::kJoint},
    {"jointactuatorfrc", "motorForce", RobotSensor::Of::kJoint},
    {"touch", "touch", RobotSensor::Of::kSite},
    {"gyro", "gyro", RobotSensor::Of::kSite},
    {"accelerometer", "accelerometer", RobotSensor::Of::kSite},
    {"velocimeter", "velocimeter", RobotSensor::Of::kSite},
    {"rangefinder", "range", RobotSensor::Of::kSite},
    {"framepos", "position", RobotSensor::Of::kLink},
    {"framequat", "orientation", RobotSensor::Of::kLink},
    {"framelinvel", "linearVelocity", RobotSensor::Of::kLink},
    {"frameangvel", "angularVelocity", RobotSensor::Of::kLink},
});

void addSensor(const XmlNode& node, MjcfContext& context) {
  const auto rule = std::ranges::find(kSensors, std::string_view{node.name}, &SensorRule::element);
  const auto skip = [&](std::string why) {
    context.notes.add(node, {}, fmt::format("<{}> sensor", node.name), std::move(why));
  };
  if (rule == kSensors.end()) return skip("left out");
  for (const XmlAttribute& a : node.attributes) {
    constexpr auto kKnown =
        std::to_array<std::string_view>({"name", "joint", "site", "objtype", "objname", "body"});
    if (std::ranges::find(kKnown, a.name) != kKnown.end()) continue;
    context.notes.add(node, a.name, fmt::format("<{}> {}", node.name, a.name),
                      "the sensor measures without it");
  }
  RobotSensor sensor{.name = std::string{node.text("name")},
                     .type = std::string{rule->type},
                     .of = rule->of,
                     .place = {node.file, node.line}};
  if (rule->of == RobotSensor::Of::kJoint) {
    sensor.object = requireText(node, "joint", "the name of a joint");
    if (findJoint(context.robot, sensor.object) == nullptr) {
      failAt(node, "joint", inQuotes(sensor.object), "the name of a joint of this file");
    }
  } else if (rule->of == RobotSensor::Of::kSite) {
    if (!node.find("site")) return skip("left out: it is not at a site");
    sensor.object = requireText(node, "site", "the name of a site");
  } else {
    const std::string_view type = node.text("objtype");
    sensor.object = requireText(node, "objname", "the name of what is measured");
    if (type == "site") {
      sensor.of = RobotSensor::Of::kSite;
    } else if (type == "geom") {
      sensor.of = RobotSensor::Of::kGeom;
    } else if (type != "body" && type != "xbody") {
      return skip("left out: it measures a camera");
    }
    sensor.ofCentre = type == "body";
  }
  context.robot.sensors.push_back(std::move(sensor));
}

}  // namespace

void readActuators(const XmlNode& root, MjcfContext& context) {
  for (const XmlNode& section : root.children) {
    if (section.name != "actuator") continue;
    for (const XmlNode& node : section.children) addActuator(node, context);
  }
}

void readSensors(const XmlNode& root, MjcfContext& context) {
  for (const XmlNode& section : root.children) {
    if (section.name != "sensor") continue;
    for (const XmlNode& node : section.children) addSensor(node, context);
  }
}

void readKeyframes(const XmlNode& root, MjcfContext& context) {
  for (const XmlNode& section : root.children) {
    if (section.name != "keyframe") continue;
    for (const XmlNode& node : section.children) {
      if (node.name != "key") continue;
      context.robot.keyframes.push_back({.name = std::string{node.text("name")},
                                         .positions = readNumbers(node, "qpos"),
                                         .velocities = readNumbers(node, "qvel"),
                                         .controls = readNumbers(node, "ctrl"),
                                         .place = {node.file, node.line}});
    }
  }
}

}  // namespace msd_import
