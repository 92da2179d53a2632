#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "msd-sim/src/Environment/ContactExclusion.hpp"
#include "msd-sim/src/Environment/JointHandle.hpp"
#include "msd-sim/src/Environment/Simulation.hpp"
#include "msd-sim/src/Environment/WorldModel.hpp"
#include "msd-sim/src/Physics/RigidBody/Validation.hpp"

namespace msd_sim {

namespace {

/// Lengths below this share of the anchors' distance from the origin are rounding [-].
constexpr double kLengthRounding = 1e-12;
/// Least sine of the angle between a universal joint's axes.
constexpr double kAxesApart = 1e-3;

bool hasTwoEnds(JointKind kind) {
  return kind == JointKind::kDistance || kind == JointKind::kRope || kind == JointKind::kSpring;
}

bool hasAxis(JointKind kind) {
  return hasFreeCoordinate(kind) || kind == JointKind::kUniversal;
}

double requireNotNegative(double value, std::string_view name, std::string_view unit) {
  if (value >= 0.0) return value;  // infinity stands for "never" or "as strong as needed"
  throw std::invalid_argument(
      fmt::format("{} is {} {}; expected a number >= 0", name, value, unit));
}

/// Two unit vectors that make a right-handed frame with n.
Matrix3D frameAlong(const Vector3D& n) {
  const Vector3D a = n.cwiseAbs();
  int least = 0;
  if (a[1] < a[least]) least = 1;
  if (a[2] < a[least]) least = 2;
  const Vector3D t1 = n.cross(Vector3D::Unit(least)).normalized();
  Matrix3D frame;
  frame << t1, n.cross(t1), n;
  return frame;
}

/// Slot of a joint's body; the world is slot 0.
std::uint32_t slotOf(const Simulation& sim, BodyId body) {
  if (body.isNull()) return 0;
  (void)sim.slot(body);
  return body.index;
}

constexpr double kMost = std::numeric_limits<double>::max();

void requireMotor(const JointMotor& motor) {
  constexpr std::string_view kTarget = "rad/s, m/s, rad, m, N·m or N";
  requireRange(motor.target, "motor target", kTarget, -kMost, kMost);
  requireNotNegative(motor.maxForce, "motor maxForce", "N or N·m");
  requireRange(motor.targetVelocity, "motor targetVelocity", "rad/s or m/s", -kMost, kMost);
  requireRange(motor.feedForward, "motor feedForward", "N·m or N", -kMost, kMost);
  requireRange(motor.rotorInertia, "motor rotorInertia", "kg·m² or kg", 0.0, kMost);
  requireRange(motor.gear, "motor gear", "-", -kMost, kMost);
  if (motor.gear == 0.0) throw std::invalid_argument("motor gear is 0; expected any other number");
  if (!std::isnan(motor.damping)) {
    requireRange(motor.damping, "motor damping", "N·m·s/rad or N·s/m", 0.0, kMost);
    if (motor.isTuned()) {
      throw std::invalid_argument(
          "motor damping is set without stiffness; expected both, or frequency and dampingRatio");
    }
  }
  if (!std::isnan(motor.stiffness)) {
    requireRange(motor.stiffness, "motor stiffness", "N·m/rad or N/m", 0.0, kMost);
  } else if (motor.mode == MotorMode::kPosition) {
    requirePositive(motor.frequency, "motor frequency", "Hz");
    requireRange(motor.dampingRatio, "motor dampingRatio", "-", 0.0, kMost);
  }
}

void requireDrive(const JointDescription& d) {
  if (!hasFreeCoordinate(d.kind)) {
    if (d.limit || d.motor || d.friction != 0.0 || d.armature != 0.0) {
      throw std::invalid_argument(fmt::format(
          "joint \"{}\" has a limit, motor, friction or armature; expected none, for its kind has "
          "no free coordinate they could act on (hinge, slider and cylindrical have)",
          d.name));
    }
    return;
  }
  requireRange(d.friction, "friction", "N or N·m", 0.0, kMost);
  requireRange(d.armature, "armature", "kg or kg·m²", 0.0, kMost);
  if (d.limit && !(d.limit->lower <= d.limit->upper)) {
    throw std::invalid_argument(
        fmt::format("limit is {} to {}; expected lower <= upper", d.limit->lower, d.limit->upper));
  }
  if (d.motor) requireMotor(*d.motor);
}

/// Spring and damper of a spring joint or a free coordinate; others have none.
void defineSpring(const JointDescription& d, JointDefinition& joint) {
  if (d.kind != JointKind::kSpring && !hasFreeCoordinate(d.kind)) return;
  if (d.kind == JointKind::kSpring && std::isnan(d.stiffness)) {
    throw std::invalid_argument("stiffness is not set; expected one for a spring [N/m]");
  }
  joint.stiffness = std::isnan(d.stiffness)
                        ? 0.0
                        : requireRange(d.stiffness, "stiffness", "N/m or N·m/rad", 0.0, kMost);
  joint.damping = requireRange(d.damping, "damping", "N·s/m or N·m·s/rad", 0.0, kMost);
  joint.rest = requireRange(d.rest, "rest", "m or rad", -kMost, kMost);
}

/// `ends` is from A's anchor to B's, for a length that is not given.
void defineLine(const JointDescription& d, double ends, double scale, JointDefinition& joint) {
  if (!hasTwoEnds(d.kind)) return;
  joint.length = std::isnan(d.length) ? ends : d.length;
  const bool mayBeZero = d.kind == JointKind::kSpring;
  requireRange(joint.length, "length", "m", mayBeZero ? 0.0 : kLengthRounding * scale, kMost);
}

/// What may change while a joint exists, but for its length.
void defineDrive(const JointDescription& d, JointDefinition& joint) {
  requireDrive(d);
  defineSpring(d, joint);
  joint.limit = d.limit;
  joint.motor = d.motor;
  joint.friction = d.friction;
  joint.armature = d.armature;
  joint.breakingForce = requireNotNegative(d.breakingForce, "breakingForce", "N");
  joint.breakingTorque = requireNotNegative(d.breakingTorque, "breakingTorque", "N·m");
}

double scaleOf(const JointDescription& d) {
  return std::max(d.anchor.norm(), 1e-300);
}

/// Frames of the joint in the bodies, from the world as it stands.
void defineFrames(const JointDescription& d, const JointPlace& place, JointDefinition& joint) {
  if (!hasAxis(d.kind)) {
    joint.frameA = place.qA.conjugate().toRotationMatrix();
    joint.frameB = place.qB.conjugate().toRotationMatrix();
    return;
  }
  const Vector3D axis = requireDirection(d.axis, "axis");
  Matrix3D frame = frameAlong(axis);
  if (d.kind == JointKind::kUniversal) {
    const Vector3D axisB = requireDirection(d.axisB, "axisB");
    const Vector3D across = axisB - axis * axis.dot(axisB);
    if (across.norm() < kAxesApart) {
      throw std::invalid_argument(
          fmt::format("axisB is ({}, {}, {}); expected a direction across axis", d.axisB[0],
                      d.axisB[1], d.axisB[2]));
    }
    const Vector3D t1 = across.normalized();
    frame << t1, axis.cross(t1), axis;
  }
  joint.frameA = place.qA.conjugate().toRotationMatrix() * frame;
  joint.frameB = place.qB.conjugate().toRotationMatrix() * frame;
}

JointDefinition define(const Simulation& sim, const JointDescription& d) {
  JointDefinition joint;
  joint.kind = d.kind;
  joint.bodyA = slotOf(sim, d.bodyA);
  joint.bodyB = slotOf(sim, d.bodyB);
  if (joint.bodyB == 0) throw std::invalid_argument("bodyB is null; expected a body");
  if (joint.bodyA == joint.bodyB) {
    throw std::invalid_argument(fmt::format("bodyA and bodyB are both \"{}\"; expected two bodies",
                                            sim.slots[joint.bodyB].name));
  }
  requireFinite(d.anchor, "anchor", "m");
  const Coordinate anchorB = d.anchorB && hasTwoEnds(d.kind)
                                 ? requireFinite(*d.anchorB, "anchorB", "m")
                                 : Vector3D{d.anchor};
  const JointPlace place = placeOf(sim.solver, joint.bodyA, joint.bodyB);
  joint.anchorA = place.qA.conjugate() * (d.anchor - place.xA);
  joint.anchorB = place.qB.conjugate() * (anchorB - place.xB);
  defineFrames(d, place, joint);
  defineLine(d, (anchorB - d.anchor).norm(), scaleOf(d), joint);
  defineDrive(d, joint);
  return joint;
}

/// Refuses a change of what makes the joint what it is.
void requireSameJoint(const JointDescription& old, const JointDescription& d) {
  const auto same = [&](bool holds, std::string_view field) {
    if (holds) return;
    throw std::invalid_argument(
        fmt::format("joint \"{}\" would change its {}; expected the one it was made with",
                    old.name, field));
  };
  same(d.name == old.name, "name");
  same(d.kind == old.kind, "kind");
  same(d.bodyA == old.bodyA && d.bodyB == old.bodyB, "bodies");
  same(d.anchor == old.anchor && d.anchorB == old.anchorB, "anchors");
  same(d.axis == old.axis && d.axisB == old.axisB, "axes");
  same(d.collideConnected == old.collideConnected, "collideConnected");
}

void callJointAwake(Simulation& sim, const JointDefinition& joint) {
  callAwake(sim, joint.bodyA);
  callAwake(sim, joint.bodyB);
}

std::pair<std::uint32_t, std::uint32_t> pairOf(const JointDefinition& joint) {
  return {std::min(joint.bodyA, joint.bodyB), std::max(joint.bodyA, joint.bodyB)};
}

/// Lets the broadphase find the pairs of both bodies afresh.
void refreshPair(Simulation& sim, const JointDefinition& joint) {
  for (const std::uint32_t slot : {joint.bodyA, joint.bodyB}) {
    if (slot != 0 && sim.slots[slot].isUsed()) {
      sim.collision.refreshBody(sim.slots[slot].firstCollider);
    }
  }
}

}  // namespace

void releasePair(Simulation& sim, const JointDefinition& joint) {
  const auto place =
      std::lower_bound(sim.joinedPairs.begin(), sim.joinedPairs.end(), pairOf(joint));
  if (place == sim.joinedPairs.end() || *place != pairOf(joint)) return;
  sim.joinedPairs.erase(place);
  refreshPair(sim, joint);
}

void listJoinedPairs(Simulation& sim) {
  // Those that the user has excluded stay.
  std::erase_if(sim.joinedPairs,
                [](const auto& pair) { return (pair.first & kExcludedByUser) == 0; });
  for (const JointId id : sim.jointOrder) {
    const JointSlot& slot = sim.jointSlots[id.index];
    const JointRecord& record = sim.joints.record(slot.joint);
    if (record.broken || slot.description.collideConnected || record.definition.bodyA == 0)
      continue;
    sim.joinedPairs.push_back(pairOf(record.definition));
  }
  std::sort(sim.joinedPairs.begin(), sim.joinedPairs.end());
}

const JointSlot& Simulation::jointSlot(JointId id) const {
  if (id.index >= jointSlots.size() || !jointSlots[id.index].used ||
      jointSlots[id.index].generation != id.generation) {
    throw std::out_of_range(
        fmt::format("joint {}.{} does not exist (it was removed, or belongs to another world)",
                    id.index, id.generation));
  }
  return jointSlots[id.index];
}

JointSlot& Simulation::jointSlot(JointId id) {
  return const_cast<JointSlot&>(static_cast<const Simulation&>(*this).jointSlot(id));
}

JointId WorldModel::spawn(const JointDescription& d) {
  Simulation& sim = simulation_.edit();
  const JointDefinition joint = define(sim, d);
  std::uint32_t index = static_cast<std::uint32_t>(sim.jointSlots.size());
  if (sim.freeJointSlots.empty()) {
    sim.jointSlots.emplace_back();
  } else {
    index = sim.freeJointSlots.back();
    sim.freeJointSlots.pop_back();
  }
  JointSlot& slot = sim.jointSlots[index];
  slot.used = true;
  slot.description = d;
  slot.joint = sim.joints.add(joint, sim.solver);
  if (!d.collideConnected && joint.bodyA != 0) {
    const auto pair = pairOf(joint);
    const auto place = std::lower_bound(sim.joinedPairs.begin(), sim.joinedPairs.end(), pair);
    const bool known = place != sim.joinedPairs.end() && *place == pair;
    sim.joinedPairs.insert(place, pair);
    if (!known && sim.step > 0) refreshPair(sim, joint);
  }
  callAwake(sim, joint.bodyA);
  callAwake(sim, joint.bodyB);
  ++sim.slots[joint.bodyA].joints;
  ++sim.slots[joint.bodyB].joints;
  const JointId id{index, slot.generation};
  sim.jointOrder.push_back(id);
  if (!d.name.empty()) sim.jointByName.try_emplace(d.name, id);
  return id;
}

void WorldModel::change(JointId id, const JointDescription& d) {
  Simulation& sim = simulation_.edit();
  JointSlot& slot = sim.jointSlot(id);
  requireSameJoint(slot.description, d);
  const JointRecord& record = sim.joints.record(slot.joint);
  JointDefinition joint = record.definition;
  defineLine(d, joint.length, scaleOf(d), joint);
  defineDrive(d, joint);
  sim.joints.redefine(slot.joint, joint);
  slot.description = d;
  callJointAwake(sim, joint);
}

void WorldModel::setMotorTarget(JointId id, double target, double targetVelocity) {
  requireIdle(*simulation_);
  Simulation& sim = simulation_.inner();
  const JointSlot& slot = sim.jointSlot(id);
  if (!slot.description.motor) {
    throw std::invalid_argument(fmt::format(
        "joint \"{}\" has no motor; expected one to give a target to", slot.description.name));
  }
  requireRange(target, "motor target", "rad/s, m/s, rad, m, N·m or N", -kMost, kMost);
  requireRange(targetVelocity, "motor targetVelocity", "rad/s or m/s", -kMost, kMost);
  const JointMotor& motor = *slot.description.motor;
  if (motor.target == target && motor.targetVelocity == targetVelocity) return;
  takeInput(sim, {.kind = WorldInput::Kind::kMotorTarget, .index = id.index, .values = {target, targetVelocity}});
}

std::size_t WorldModel::addConstraint(std::unique_ptr<Constraint> constraint, BodyId bodyA,
                                      BodyId bodyB) {
  Simulation& sim = simulation_.edit();
  if (constraint == nullptr) {
    throw std::invalid_argument("constraint is null; expected an object");
  }
  JointDefinition row;
  row.kind = JointKind::kDistance;  // a length, as far as tolerances go
  row.bodyA = slotOf(sim, bodyA);
  row.bodyB = slotOf(sim, bodyB);
  if (row.bodyA == 0 || (constraint->bodyCount() == 1 && row.bodyB != 0)) {
    throw std::invalid_argument(
        fmt::format("{} acts on {} bodies; expected bodyA, and bodyB for two alone",
                    constraint->typeName(), constraint->bodyCount()));
  }
  const JointPlace place = placeOf(sim.solver, row.bodyA, row.bodyB);
  const InertialState a{place.xA, place.qA, place.vA, place.wA};
  const InertialState b{place.xB, place.qB, place.vB, place.wB};
  const int rows = constraint->dimension();
  const Eigen::MatrixXd jacobian = constraint->jacobian(a, b, sim.time);
  const int columns =
      constraint->bodyCount() == 2 ? Constraint::kTwoBodyColumns : Constraint::kOneBodyColumns;
  if (rows < 1 || jacobian.rows() != rows || jacobian.cols() != columns ||
      constraint->evaluate(a, b, sim.time).size() != rows) {
    throw std::invalid_argument(fmt::format(
        "{} has dimension {} and a Jacobian of {} x {}; expected as many rows as its dimension, "
        "and {} columns",
        constraint->typeName(), rows, jacobian.rows(), jacobian.cols(), columns));
  }
  const LambdaBounds bounds = constraint->lambdaBounds();
  if (!(bounds.lower <= bounds.upper)) {
    throw std::invalid_argument(
        fmt::format("lambdaBounds of {} are {} to {}; expected lower <= upper",
                    constraint->typeName(), bounds.lower, bounds.upper));
  }
  row.constraint = constraint.get();
  row.lower = bounds.lower;
  row.upper = bounds.upper;
  UserConstraint user{.constraint = std::move(constraint), .bodyA = row.bodyA, .bodyB = row.bodyB};
  for (row.constraintRow = 0; row.constraintRow < rows; ++row.constraintRow) {
    user.rows.push_back(sim.joints.add(row, sim.solver));
  }
  user.impulse = Eigen::VectorXd::Zero(rows);
  sim.constraints.push_back(std::move(user));
  callAwake(sim, row.bodyA);
  callAwake(sim, row.bodyB);
  return sim.constraints.size() - 1;
}

namespace {

const UserConstraint& userConstraint(const Simulation& sim, std::size_t index) {
  if (index >= sim.constraints.size() || sim.constraints[index].constraint == nullptr) {
    throw std::out_of_range(
        fmt::format("constraint {} does not exist (it was removed, or its body was)", index));
  }
  return sim.constraints[index];
}

}  // namespace

void WorldModel::removeConstraint(std::size_t constraint) {
  Simulation& sim = simulation_.edit();
  (void)userConstraint(sim, constraint);
  UserConstraint& user = sim.constraints[constraint];
  for (const std::uint32_t row : user.rows) sim.joints.remove(row);
  callAwake(sim, user.bodyA);
  callAwake(sim, user.bodyB);
  user = UserConstraint{};
}

bool WorldModel::hasConstraint(std::size_t constraint) const {
  const auto& all = simulation_->constraints;
  return constraint < all.size() && all[constraint].constraint != nullptr;
}

std::vector<double> WorldModel::constraintForce(std::size_t constraint) const {
  const UserConstraint& user = userConstraint(*simulation_, constraint);
  if (simulation_->settings.method == Method::kReference) {
    return {user.impulse.begin(), user.impulse.end()};
  }
  std::vector<double> force;
  for (const std::uint32_t row : user.rows) {
    force.push_back(simulation_->joints.record(row).multiplier);
  }
  return force;
}

void readConstraintBounds(Simulation& sim) {
  for (const UserConstraint& user : sim.constraints) {
    if (user.constraint == nullptr) continue;
    const LambdaBounds bounds = user.constraint->lambdaBounds();
    if (!(bounds.lower <= bounds.upper)) {
      throw std::invalid_argument(
          fmt::format("lambdaBounds of {} are {} to {}; expected lower <= upper",
                      user.constraint->typeName(), bounds.lower, bounds.upper));
    }
    for (const std::uint32_t row : user.rows) sim.joints.setBounds(row, bounds.lower, bounds.upper);
  }
}

void removeConstraintsOf(Simulation& sim, std::uint32_t slot) {
  sim.joints.removeConstraintsOf(slot);
  for (UserConstraint& user : sim.constraints) {
    if (user.bodyA == slot || user.bodyB == slot) user = UserConstraint{};
  }
}

void WorldModel::remove(JointId joint) {
  Simulation& sim = simulation_.edit();
  JointSlot& slot = sim.jointSlot(joint);
  const JointRecord& record = sim.joints.record(slot.joint);
  callAwake(sim, record.definition.bodyA);
  callAwake(sim, record.definition.bodyB);
  if (!slot.description.collideConnected && !record.broken) releasePair(sim, record.definition);
  --sim.slots[record.definition.bodyA].joints;
  --sim.slots[record.definition.bodyB].joints;
  sim.joints.remove(slot.joint);
  slot.used = false;
  ++slot.generation;
  const auto named = sim.jointByName.find(slot.description.name);
  if (named != sim.jointByName.end() && named->second == joint) sim.jointByName.erase(named);
  slot.description = JointDescription{};
  sim.freeJointSlots.push_back(joint.index);
  std::erase(sim.jointOrder, joint);
}

bool WorldModel::contains(JointId joint) const {
  const auto& slots = simulation_->jointSlots;
  return joint.index < slots.size() && slots[joint.index].used &&
         slots[joint.index].generation == joint.generation;
}

std::span<const JointId> WorldModel::joints() const {
  return simulation_->jointOrder;
}

const JointDescription& WorldModel::joint(JointId joint) const {
  return simulation_->jointSlot(joint).description;
}

JointReaction WorldModel::jointReaction(JointId joint) const {
  const JointRecord& record = simulation_->joints.record(simulation_->jointSlot(joint).joint);
  if (record.broken) return {};
  return {record.reaction.linear, record.reaction.angular};
}

bool WorldModel::isBroken(JointId joint) const {
  return simulation_->joints.record(simulation_->jointSlot(joint).joint).broken;
}

double WorldModel::jointCoordinate(JointId joint) const {
  const Simulation& sim = *simulation_;
  return sim.joints.coordinate(sim.jointSlot(joint).joint, sim.solver);
}

double WorldModel::jointVelocity(JointId joint) const {
  const Simulation& sim = *simulation_;
  return sim.joints.coordinateRate(sim.jointSlot(joint).joint, sim.solver);
}

double WorldModel::motorForce(JointId joint) const {
  const Simulation& sim = *simulation_;
  return sim.joints.record(sim.jointSlot(joint).joint).motorForce;
}

std::optional<JointId> WorldModel::findJoint(std::string_view name) const {
  const auto place = simulation_->jointByName.find(std::string{name});
  if (place == simulation_->jointByName.end()) return std::nullopt;
  return place->second;
}

JointHandle WorldModel::handle(JointId joint) {
  (void)simulation_->jointSlot(joint);
  return {*this, joint};
}

JointHandle WorldModel::handle(std::string_view name) {
  if (const std::optional<JointId> joint = findJoint(name)) return {*this, *joint};
  throw std::out_of_range(fmt::format("no joint has the name \"{}\"", name));
}

void describeJointsAnew(Simulation& sim) {
  for (const JointId id : sim.jointOrder) {
    JointSlot& slot = sim.jointSlots[id.index];
    const JointDefinition& joint = sim.joints.record(slot.joint).definition;
    JointDescription& d = slot.description;
    d.limit = joint.limit;
    d.motor = joint.motor;
    d.friction = joint.friction;
    d.armature = joint.armature;
    d.breakingForce = joint.breakingForce;
    d.breakingTorque = joint.breakingTorque;
    if (hasTwoEnds(d.kind)) d.length = joint.length;
    if (d.kind != JointKind::kSpring && !hasFreeCoordinate(d.kind)) continue;
    if (!std::isnan(d.stiffness) || joint.stiffness != 0.0) d.stiffness = joint.stiffness;
    d.damping = joint.damping;
    d.rest = joint.rest;
  }
}

}  // namespace msd_sim
