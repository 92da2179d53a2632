#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "msd-sim/src/DataTypes/Id.hpp"
#include "msd-sim/src/DataTypes/Pose.hpp"

namespace msd_sim {

class WorldModel;

enum class SensorKind : std::uint8_t {
  kPosition,         ///< of the sensor's place in the world [m], 3 values
  kOrientation,      ///< of its axes in the world, w, x, y, z
  kLinearVelocity,   ///< of its place, world axes [m/s], 3
  kAngularVelocity,  ///< of the body, world axes [rad/s], 3
  kVelocimeter,      ///< linear velocity in the sensor's axes [m/s], 3
  kGyro,             ///< angular velocity in the sensor's axes [rad/s], 3
  /// What a mass in the sensor feels: acceleration over the last step less gravity, in the sensor's
  /// axes [m/s²], 3. At rest it points up with 9.81.
  kAccelerometer,
  kTouch,          ///< sum of normal contact forces on the body within the sensor's volume [N]
  kRange,          ///< distance along the sensor's z axis to the next other body [m]; -1: none
  kJointPosition,  ///< coordinate of a joint, plus `offset` [rad] or [m]
  kJointVelocity,  ///< [rad/s] or [m/s]
  kMotorForce,     ///< of a joint's motor [N·m] or [N]
  kJointForce,     ///< of a joint on its body B, world axes [N], 3
  kJointTorque,    ///< likewise, about B's anchor [N·m], 3
};

/// "position", "gyro", ... as scene files write it, in the order of SensorKind.
inline constexpr std::array<std::string_view, 14> kSensorTypes{
    "position",      "orientation",   "linearVelocity", "angularVelocity", "velocimeter",
    "gyro",          "accelerometer", "touch",          "range",           "jointPosition",
    "jointVelocity", "motorForce",    "jointForce",     "jointTorque"};

/// Does a kind of sensor sit in a joint? Others sit on a body.
[[nodiscard]] constexpr bool isJointSensor(SensorKind kind) {
  return kind >= SensorKind::kJointPosition;
}

struct SensorDescription {
  std::string name{};
  SensorKind kind{SensorKind::kPosition};
  BodyId body{};    ///< of sensors on bodies; null: fixed to the world
  JointId joint{};  ///< of sensors in joints
  Pose pose{};      ///< place and axes in the body's frame
  /// Touch: half extents of the box, in the sensor's axes, in which contacts count; unset: all
  /// contacts of the body [m].
  std::optional<Vector3D> volume{};
  double range{100.0};  ///< of a range finder [m]
  double offset{0.0};   ///< joint position: added to the coordinate [rad] or [m]
};

/// Sensors of a world. They read what every user can read, and change nothing:
///
///   Sensors sensors;
///   const std::size_t gyro = sensors.add(world, {.kind = SensorKind::kGyro, .body = torso});
///   world.update(dt);
///   sensors.observe(world);
///   use(sensors.values(gyro));
class Sensors {
 public:
  /// Returns the sensor's index. Throws std::invalid_argument or std::out_of_range for a body or
  /// joint that is not there, or of the wrong kind, and for a volume or range that is not positive.
  std::size_t add(const WorldModel& world, SensorDescription description);

  /// Measures all of them. Call it once after every step: accelerations are taken from the
  /// velocities of two calls and the time between them.
  void observe(const WorldModel& world);

  [[nodiscard]] std::size_t size() const { return sensors_.size(); }
  [[nodiscard]] const SensorDescription& description(std::size_t index) const;
  /// 1, 3 or 4 numbers, as SensorKind says; as they were when last observed.
  [[nodiscard]] std::span<const double> values(std::size_t index) const;
  /// The first sensor of this name.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const;

 private:
  struct Sensor {
    SensorDescription description;
    std::array<double, 4> values{};
    Vector3D velocity{Vector3D::Zero()};  ///< of its place, when last observed [m/s]
    double time{0.0};                     ///< then [s]
  };
  void measure(const WorldModel& world, Sensor& sensor) const;
  void measureOnBody(const WorldModel& world, Sensor& sensor) const;
  std::vector<Sensor> sensors_;
};

/// How many numbers a sensor of a kind gives.
[[nodiscard]] std::size_t sensorSize(SensorKind kind);

}  // namespace msd_sim
