#include <fmt/format.h>

#include "msd-scene/src/JsonText.hpp"
#include "msd-scene/src/Limits.hpp"
#include "msd-scene/src/SceneValidator.hpp"

namespace msd_scene {

void SceneValidator::checkSensors() {
  for (std::size_t i = 0; i < document_.sensors.size(); ++i) checkSensor(i);
}

void SceneValidator::checkSensor(std::size_t i) {
  const SceneSensor& sensor = document_.sensors[i];
  const JsonPath path = JsonPath{} / "sensors" / i;
  if (const std::size_t first = sensors_.find(sensor.name); first != i) {
    issues_.error(path / "name", shortened(jsonString(sensor.name)),
                  fmt::format("a name of its own (sensors[{}] has this one)", first));
  }
  const bool inJoint = msd_sim::isJointSensor(sensor.kind);
  const std::string_view type = msd_sim::kSensorTypes[static_cast<std::size_t>(sensor.kind)];
  if (inJoint && !sensor.body.empty()) {
    issues_.error(path / "body", fmt::format("a body of a sensor of type {}", type), "\"joint\"");
  }
  if (inJoint && joints_.find(sensor.joint) == NameTable::npos) {
    missing(path / "joint", sensor.joint, joints_, "a joint");
  }
  if (!inJoint && !sensor.joint.empty()) {
    issues_.error(path / "joint", fmt::format("a joint of a sensor of type {}", type), "\"body\"");
  }
  if (!inJoint && !sensor.body.empty() && bodies_.find(sensor.body) == NameTable::npos) {
    missing(path / "body", sensor.body, bodies_, "a body");
  }
  if (sensor.kind == msd_sim::SensorKind::kTouch && sensor.body.empty()) {
    issues_.error(path, "no \"body\"", "the body that is touched");
  }
  issues_.demandVector(sensor.position, Limits::kMaxPosition, "[m]",
                       [&] { return path / "position"; });
  const WrittenRotation& q = sensor.orientation;
  issues_.demandUnit(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3],
                     [&] { return path / "orientation"; });
  if (sensor.halfExtents) {
    for (int k = 0; k < 3; ++k) {
      issues_.demand((*sensor.halfExtents)[k], {0.0, Limits::kMaxSize, "[m]", true},
                     [&] { return path / "halfExtents" / std::size_t(k); });
    }
  }
  issues_.demand(sensor.range, {0.0, Limits::kMaxPosition, "[m]", true},
                 [&] { return path / "range"; });
  issues_.demand(sensor.offset, {-Limits::kMaxPosition, Limits::kMaxPosition, "[rad] or [m]"},
                 [&] { return path / "offset"; });
}

}  // namespace msd_scene
