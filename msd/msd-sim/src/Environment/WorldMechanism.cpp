#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <algorithm>
#include <stdexcept>

#include "msd-sim/src/Environment/Mechanism.hpp"
#include "msd-sim/src/Environment/Simulation.hpp"
#include "msd-sim/src/Environment/WorldModel.hpp"
#include "msd-sim/src/Physics/Constraints/Joints/MechanismInertia.hpp"

namespace msd_sim {

namespace {

void requireLength(const Eigen::VectorXd& values, Eigen::Index expected, std::string_view name) {
  if (values.size() == expected) return;
  throw std::invalid_argument(fmt::format("{} has {} numbers; expected {}, one per coordinate",
                                          name, values.size(), expected));
}

std::vector<std::uint32_t> coordinatesOf(const Simulation& sim, std::span<const JointId> joints) {
  std::vector<std::uint32_t> indices;
  for (const JointId id : joints) {
    const JointSlot& slot = sim.jointSlot(id);
    const JointRecord& record = sim.joints.record(slot.joint);
    const std::string& name = slot.description.name;
    if (!hasFreeCoordinate(record.definition.kind) || record.broken) {
      throw std::invalid_argument(
          fmt::format("joint \"{}\" has no free coordinate; expected a hinge, slider or "
                      "cylindrical joint that holds",
                      name));
    }
    if (std::ranges::find(indices, slot.joint) != indices.end()) {
      throw std::invalid_argument(
          fmt::format("joint \"{}\" is given twice; expected each joint once", name));
    }
    indices.push_back(slot.joint);
  }
  return indices;
}

}  // namespace

std::vector<BodyLoad> bodyLoads(const Simulation& sim) {
  std::vector<BodyLoad> loads(sim.slots.size());
  const std::vector<SpatialVector> bias = velocityBias(sim, 1.0);
  std::size_t k = 0;
  for (const BodyId id : sim.order) {
    const std::uint32_t i = id.index;
    if (!sim.slots[i].inertial) continue;
    const SpatialVector& b = bias[k++];
    const Quaternion& q = sim.slots[i].inertial->getInertialState().orientation;
    const Vector3D torque =
        q * (sim.slots[i].inertial->getInertiaTensor() * (q.conjugate() * b.angular));
    for (int c = 0; c < 3; ++c) {
      loads[i].a[c] = b.linear[c];
      loads[i].torque[c] = torque[c];
    }
  }
  return loads;
}

Eigen::VectorXd Mechanism::inverseDynamics(const Eigen::VectorXd& acceleration) const {
  requireLength(acceleration, size(), "acceleration");
  return values_.massMatrix * acceleration + values_.bias;
}

Eigen::VectorXd Mechanism::forwardDynamics(const Eigen::VectorXd& force) const {
  requireLength(force, size(), "force");
  return values_.massMatrix.llt().solve(force - values_.bias);
}

Eigen::Matrix<double, 6, Eigen::Dynamic> Mechanism::jacobian(BodyId body,
                                                             const Coordinate& point) const {
  Eigen::Matrix<double, 6, Eigen::Dynamic> result =
      Eigen::Matrix<double, 6, Eigen::Dynamic>::Zero(6, size());
  const auto place = std::ranges::find(values_.bodies, body, &BodyMotion::body);
  if (place == values_.bodies.end()) return result;
  result = place->jacobian;
  const Vector3D arm = point - place->centre;
  for (Eigen::Index i = 0; i < size(); ++i) {
    const Vector3D w = result.col(i).tail<3>();
    result.col(i).head<3>() += w.cross(arm);
  }
  return result;
}

Mechanism WorldModel::mechanism(std::span<const JointId> joints) const {
  const Simulation& sim = *simulation_;
  const std::vector<std::uint32_t> coordinates = coordinatesOf(sim, joints);
  const auto canBePushed = [&](std::uint32_t slot) {
    return slot != 0 && sim.slots[slot].inertial && !sim.slots[slot].kinematic;
  };
  MechanismInertia inertia;
  inertia.build(sim.joints.findMechanism(coordinates, canBePushed), coordinates,
                sim.joints.records(), canBePushed);
  inertia.place(sim.solver, sim.joints.records(), sim.time);
  inertia.findFreeAccelerations(sim.solver, bodyLoads(sim), sim.joints.records(),
                                MechanismInertia::Motion::kCounted);
  const auto n = static_cast<Eigen::Index>(coordinates.size());
  Mechanism::Values values;
  values.position.resize(n);
  values.velocity.resize(n);
  values.bias.resize(n);
  values.massMatrix.resize(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    values.position[i] = sim.joints.coordinate(coordinates[k], sim.solver);
    values.velocity[i] = sim.joints.coordinateRate(coordinates[k], sim.solver);
    values.bias[i] = inertia.holdingForce(k);
    for (Eigen::Index c = 0; c < n; ++c) {
      values.massMatrix(i, c) = inertia.massMatrix(k, static_cast<std::size_t>(c));
    }
  }
  for (const std::uint32_t slot : inertia.slots()) {
    Mechanism::BodyMotion body{sim.idOf(slot), sim.slots[slot].inertial->getInertialState().position,
                               Eigen::Matrix<double, 6, Eigen::Dynamic>{6, n}};
    for (Eigen::Index i = 0; i < n; ++i) {
      const auto motion = inertia.bodyMotion(slot, static_cast<std::size_t>(i));
      for (Eigen::Index c = 0; c < 6; ++c) body.jacobian(c, i) = motion[static_cast<std::size_t>(c)];
    }
    values.bodies.push_back(std::move(body));
  }
  return Mechanism{std::move(values)};
}

}  // namespace msd_sim
