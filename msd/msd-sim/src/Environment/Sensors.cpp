#include "msd-sim/src/Environment/Sensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "msd-sim/src/Environment/WorldModel.hpp"

namespace msd_sim {

namespace {

void store(std::array<double, 4>& values, const Vector3D& v) {
  values = {v.x(), v.y(), v.z(), 0.0};
}

/// Where a sensor is and how its place moves, in the world.
struct Placed {
  Pose pose{};
  Vector3D velocity{Vector3D::Zero()};  ///< [m/s]
  Vector3D rate{Vector3D::Zero()};      ///< of the body [rad/s]
};

Placed placeOf(const WorldModel& world, const SensorDescription& d) {
  if (d.body == BodyId{}) return {.pose = d.pose};
  const Pose body = world.asset(d.body).getReferenceFrame().pose();
  Placed placed{.pose = body * d.pose};
  if (world.isEnvironment(d.body)) return placed;
  placed.rate = world.inertial(d.body).getInertialState().angularVelocity;
  placed.velocity = world.frameVelocity(d.body) +
                    placed.rate.cross(Vector3D{placed.pose.position - body.position});
  return placed;
}

double touchForce(const WorldModel& world, const SensorDescription& d, const Pose& pose) {
  double sum = 0.0;
  for (const ContactRecord& contact : world.contacts(d.body)) {
    if (d.volume) {
      const Vector3D p = pose.toLocal(contact.point);
      if ((p.cwiseAbs() - *d.volume).maxCoeff() > 0.0) continue;
    }
    sum += std::max(0.0, contact.forceOnB.dot(contact.normal));
  }
  return sum;
}

}  // namespace

std::size_t sensorSize(SensorKind kind) {
  switch (kind) {
    case SensorKind::kOrientation:
      return 4;
    case SensorKind::kTouch:
    case SensorKind::kRange:
    case SensorKind::kJointPosition:
    case SensorKind::kJointVelocity:
    case SensorKind::kMotorForce:
      return 1;
    default:
      return 3;
  }
}

std::size_t Sensors::add(const WorldModel& world, SensorDescription d) {
  if (isJointSensor(d.kind)) {
    (void)world.joint(d.joint);
  } else if (d.body != BodyId{}) {
    (void)world.asset(d.body);
  } else if (d.kind == SensorKind::kTouch) {
    throw std::invalid_argument{
        fmt::format("sensor \"{}\": a touch sensor of the world; expected a body", d.name)};
  }
  if (d.volume && !(d.volume->minCoeff() > 0.0)) {
    throw std::invalid_argument{
        fmt::format("sensor \"{}\": volume {} {} {} m; expected numbers > 0", d.name, d.volume->x(),
                    d.volume->y(), d.volume->z())};
  }
  if (!(d.range > 0.0) || !std::isfinite(d.range)) {
    throw std::invalid_argument{
        fmt::format("sensor \"{}\": range {} m; expected a number > 0", d.name, d.range)};
  }
  d.pose.orientation.normalize();
  Sensor sensor{.description = std::move(d)};
  sensor.time = world.time();
  if (!isJointSensor(sensor.description.kind)) {
    sensor.velocity = placeOf(world, sensor.description).velocity;
  }
  measure(world, sensor);
  sensors_.push_back(std::move(sensor));
  return sensors_.size() - 1;
}

void Sensors::observe(const WorldModel& world) {
  for (Sensor& sensor : sensors_) measure(world, sensor);
}

const SensorDescription& Sensors::description(std::size_t index) const {
  return sensors_.at(index).description;
}

std::span<const double> Sensors::values(std::size_t index) const {
  const Sensor& sensor = sensors_.at(index);
  return {sensor.values.data(), sensorSize(sensor.description.kind)};
}

std::optional<std::size_t> Sensors::find(std::string_view name) const {
  const auto found =
      std::ranges::find_if(sensors_, [&](const Sensor& s) { return s.description.name == name; });
  if (found == sensors_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - sensors_.begin());
}

void Sensors::measure(const WorldModel& world, Sensor& sensor) const {
  const SensorDescription& d = sensor.description;
  switch (d.kind) {
    case SensorKind::kJointPosition:
      sensor.values[0] = world.jointCoordinate(d.joint) + d.offset;
      return;
    case SensorKind::kJointVelocity:
      sensor.values[0] = world.jointVelocity(d.joint);
      return;
    case SensorKind::kMotorForce:
      sensor.values[0] = world.motorForce(d.joint);
      return;
    case SensorKind::kJointForce:
      return store(sensor.values, world.jointReaction(d.joint).force);
    case SensorKind::kJointTorque:
      return store(sensor.values, world.jointReaction(d.joint).torque);
    default:
      measureOnBody(world, sensor);
  }
}

void Sensors::measureOnBody(const WorldModel& world, Sensor& sensor) const {
  const SensorDescription& d = sensor.description;
  const Placed placed = placeOf(world, d);
  const Quaternion toSensor = placed.pose.orientation.conjugate();
  switch (d.kind) {
    case SensorKind::kPosition:
      return store(sensor.values, placed.pose.position);
    case SensorKind::kOrientation: {
      const Quaternion& q = placed.pose.orientation;
      sensor.values = {q.w(), q.x(), q.y(), q.z()};
      return;
    }
    case SensorKind::kLinearVelocity:
      return store(sensor.values, placed.velocity);
    case SensorKind::kAngularVelocity:
      return store(sensor.values, placed.rate);
    case SensorKind::kVelocimeter:
      return store(sensor.values, toSensor * placed.velocity);
    case SensorKind::kGyro:
      return store(sensor.values, toSensor * placed.rate);
    case SensorKind::kAccelerometer: {
      const double passed = world.time() - sensor.time;
      const Vector3D acceleration =
          passed > 0.0 ? Vector3D{(placed.velocity - sensor.velocity) / passed} : Vector3D::Zero();
      store(sensor.values, toSensor * Vector3D{acceleration - world.settings().gravity});
      sensor.velocity = placed.velocity;
      sensor.time = world.time();
      return;
    }
    case SensorKind::kTouch:
      sensor.values[0] = touchForce(world, d, placed.pose);
      return;
    case SensorKind::kRange: {
      const Ray ray{.origin = placed.pose.position,
                    .direction = placed.pose.orientation * Vector3D{0.0, 0.0, 1.0},
                    .length = d.range};
      const auto hit = world.rayCast(ray, QueryFilter{.ignore = d.body});
      sensor.values[0] = hit ? hit->distance : -1.0;
      return;
    }
    default:
      return;
  }
}

}  // namespace msd_sim
