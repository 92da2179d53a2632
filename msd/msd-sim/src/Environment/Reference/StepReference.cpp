// One step of the reference method, from top to bottom. docs/reference-method.md is the way in.
#include "msd-sim/src/Environment/Reference/StepReference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>

#include "msd-sim/src/DataTypes/Rotation.hpp"
#include "msd-sim/src/Environment/Reference/JointConstraints.hpp"
#include "msd-sim/src/Environment/Reference/ReferenceBalance.hpp"
#include "msd-sim/src/Environment/Reference/ReferencePipeline.hpp"
#include "msd-sim/src/Environment/Simulation.hpp"
#include "msd-sim/src/Physics/Constraints/Joints/MechanismInertia.hpp"
#include "msd-sim/src/Physics/Integration/SemiImplicitEulerIntegrator.hpp"
#include "msd-sim/src/Physics/RigidBody/Validation.hpp"

namespace msd_sim {

namespace {

// Penetration that is left alone, relative to the smallest body: contacts at rest stay found.
constexpr double kSlop = 1e-4;

/// The step, split into functions that share the lists of bodies.
class ReferenceStep {
 public:
  explicit ReferenceStep(Simulation& sim) : sim_{sim}, pipeline_{sim.collision.reference()} {
    for (const BodyId id : sim.order) {
      const BodySlot& slot = sim.slots[id.index];
      if (!slot.inertial) continue;
      inertial_.push_back(slot.inertial.get());
      slots_.push_back(id.index);
    }
    for (const BodyId id : sim.order) {
      const BodySlot& slot = sim.slots[id.index];
      if (!slot.environment) continue;
      environment_.push_back(slot.environment.get());
      slots_.push_back(id.index);
    }
  }

  void advance(double h, ReferenceBalance& balance);
  [[nodiscard]] const std::vector<AssetInertial*>& inertial() const { return inertial_; }
  [[nodiscard]] const std::vector<std::uint32_t>& slots() const { return slots_; }
  void detect();

 private:
  void choose(double h);
  [[nodiscard]] bool askUser(const ReferencePipeline::Manifold& m, SurfaceMaterial& pair) const;
  void placeJoints(double h);
  [[nodiscard]] std::map<std::uint32_t, MotorGains> tuneMotors();
  [[nodiscard]] double giveOf(const JointRow& row, std::size_t bodyA, std::size_t bodyB) const;
  void push(const CoordinateForce& force, const JointRow& row, std::size_t bodyA,
            std::size_t bodyB);
  void integrate(double h);
  [[nodiscard]] std::size_t indexOf(std::uint32_t slot) const;
  [[nodiscard]] const InertialState& stateOf(std::uint32_t slot) const;

  Simulation& sim_;
  ReferencePipeline& pipeline_;
  std::vector<AssetInertial*> inertial_;
  std::vector<const AssetEnvironment*> environment_;
  std::vector<std::uint32_t> slots_;  ///< of the bodies, inertial ones first
  std::vector<std::unique_ptr<Constraint>> joints_;
  std::vector<ConstraintOwner> owners_;  ///< of joints_
  std::vector<JointForce> forces_;       ///< that no constraint stands for
  std::vector<BodyStory> stories_;
};

/// The whole method. Velocities are not touched before the solve: what the loads will add to them
/// is known as a bias.
void ReferenceStep::advance(double h, ReferenceBalance& balance) {
  stories_.assign(inertial_.size(), {});
  for (std::size_t i = 0; i < inertial_.size(); ++i) {
    stories_[i].before = inertial_[i]->getInertialState();
    stories_[i].user = {inertial_[i]->accumulatedForce(), inertial_[i]->accumulatedTorque()};
  }
  choose(h);
  placeJoints(h);

  const std::vector<SpatialVector> bias = velocityBias(sim_, h);
  sim_.collision.advanceFrame();
  sim_.collision.expireOldEntries();
  sim_.collision.execute(inertial_, environment_, h, bias, slots_);  // adds the constraints' forces
  integrate(h);
  pipeline_.correct(h);

  for (std::size_t i = 0; i < inertial_.size(); ++i) {
    AssetInertial& body = *inertial_[i];
    stories_[i].after = body.getInertialState();
    body.synchronizeFrame();
    body.clearForces();  // those of the user act throughout the step
    body.applyForce(stories_[i].user.linear);
    body.applyTorque(stories_[i].user.angular);
  }
  balance.add(stories_, owners_, forces_, h);
}

/// Velocities first, positions with the new velocities (SemiImplicitEulerIntegrator). What is moved
/// from outside goes on as it was told.
void ReferenceStep::integrate(double h) {
  const SemiImplicitEulerIntegrator integrator;
  for (std::size_t i = 0; i < inertial_.size(); ++i) {
    AssetInertial& body = *inertial_[i];
    InertialState& state = body.getInertialState();
    BodyStory& story = stories_[i];
    if (body.isKinematic()) {
      state.position += h * state.velocity;
      state.orientation =
          (exponentialRotation(h * state.angularVelocity) * state.orientation).normalized();
    } else {
      SpatialVector load{body.accumulatedForce() + body.getMass() * sim_.settings.gravity,
                         body.accumulatedTorque()};
      story.field = fieldLoad(sim_, slots_[i], state);
      load.linear += story.field.linear;
      load.angular += story.field.angular;
      state = integrator.step(state, {body.getMass(), body.getInertiaTensor()}, load, h);
    }
    story.free = state;
  }
}

/// Gains of motors that follow from the mechanism as it stands (docs/theory/joints.md, J-14 and
/// J-29).
std::map<std::uint32_t, MotorGains> ReferenceStep::tuneMotors() {
  std::map<std::uint32_t, MotorGains> gains;
  std::vector<std::uint32_t> held;
  const auto records = std::as_const(sim_.joints).records();
  for (std::uint32_t j = 0; j < records.size(); ++j) {
    const JointRecord& r = records[j];
    if (r.used && !r.broken && r.definition.constraint == nullptr && isHeld(r.definition))
      held.push_back(j);
  }
  if (std::none_of(held.begin(), held.end(),
                   [&](std::uint32_t j) { return needsInertia(records[j].definition); })) {
    return gains;
  }
  for (std::size_t i = 0; i < inertial_.size(); ++i) writeStateToSolver(sim_, slots_[i]);
  const auto canBePushed = [&](std::uint32_t slot) {
    return slot != 0 && sim_.slots[slot].inertial && !sim_.slots[slot].kinematic;
  };
  MechanismInertia inertia;
  inertia.build(sim_.joints.findMechanism(held, canBePushed), held, records, canBePushed);
  inertia.place(sim_.solver, records, sim_.time);
  inertia.findFreeAccelerations(sim_.solver, bodyLoads(sim_), records,
                                MechanismInertia::Motion::kIgnored);
  for (std::size_t k = 0; k < held.size(); ++k) {
    const JointDefinition& joint = records[held[k]].definition;
    if (!needsInertia(joint)) continue;
    MotorGains& own = gains[held[k]];
    own = joint.motor->isTuned() ? tunedGains(*joint.motor, inertia.inertia(k))
                                 : givenGains(*joint.motor);
    if (carriesLoad(*joint.motor)) own.load = inertia.holdingForce(k);
  }
  return gains;
}

/// J M⁻¹ Jᵀ of a row between two bodies.
double ReferenceStep::giveOf(const JointRow& row, std::size_t bodyA, std::size_t bodyB) const {
  const auto of = [&](std::size_t body, const Vector3D& linear, const Vector3D& angular) {
    if (body >= inertial_.size() || inertial_[body]->isKinematic()) return 0.0;
    return inertial_[body]->getInverseMass() * linear.squaredNorm() +
           angular.dot(inertial_[body]->getInverseInertiaTensor() * angular);
  };
  return of(bodyA, row.linearA, row.angularA) + of(bodyB, row.linearB, row.angularB);
}

/// Forces on a joint's coordinate act along its gradient, on both bodies.
void ReferenceStep::push(const CoordinateForce& force, const JointRow& row, std::size_t bodyA,
                         std::size_t bodyB) {
  const auto act = [&](std::size_t body, const Vector3D& linear, const Vector3D& angular) {
    if (body >= inertial_.size() || inertial_[body]->isKinematic()) return;
    stories_[body].spring.linear += force.elastic * linear;
    stories_[body].spring.angular += force.elastic * angular;
    stories_[body].motor.linear += force.motor * linear;
    stories_[body].motor.angular += force.motor * angular;
    inertial_[body]->applyForce((force.elastic + force.motor) * linear);
    inertial_[body]->applyTorque((force.elastic + force.motor) * angular);
  };
  act(bodyA, row.linearA, row.angularA);
  act(bodyB, row.linearB, row.angularB);
}

/// Joints and users' constraints as Constraint objects; the pipeline solves them with the contacts.
void ReferenceStep::placeJoints(double h) {
  const std::map<std::uint32_t, MotorGains> gains = tuneMotors();
  joints_.clear();
  forces_.clear();
  owners_.clear();
  const auto records = std::as_const(sim_.joints).records();
  for (std::size_t j = 0; j < records.size(); ++j) {
    const JointRecord& record = records[j];
    const JointDefinition& d = record.definition;
    if (!record.used || record.broken || d.constraint != nullptr) continue;
    PlacedJoint placed{record, indexOf(d.bodyA), indexOf(d.bodyB), stateOf(d.bodyA),
                       stateOf(d.bodyB)};
    if (const auto own = gains.find(static_cast<std::uint32_t>(j)); own != gains.end())
      placed.gains = own->second;
    const JointRow row =
        evaluateCoordinateRow(d, jointPlace(placed.stateA, placed.stateB, sim_.time));
    const CoordinateForce force =
        addJointConstraints(placed, sim_.time, h, giveOf(row, placed.bodyA, placed.bodyB), joints_);
    push(force, row, placed.bodyA, placed.bodyB);
    forces_.push_back({j, force, row});
    owners_.resize(joints_.size(), {ConstraintOwner::Kind::kJoint, j});
  }
  for (std::size_t u = 0; u < sim_.constraints.size(); ++u) {
    const UserConstraint& user = sim_.constraints[u];
    if (user.constraint == nullptr) continue;
    joints_.push_back(std::make_unique<PlacedConstraint>(*user.constraint, indexOf(user.bodyA),
                                                         indexOf(user.bodyB)));
    owners_.push_back({ConstraintOwner::Kind::kUser, u});
  }
  pipeline_.others.clear();
  for (const auto& joint : joints_) pipeline_.others.push_back(joint.get());
}

/// What the settings ask of the pipeline.
void ReferenceStep::choose(double h) {
  double smallest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < inertial_.size(); ++i) {
    smallest = std::min(smallest, sim_.solver.pose[slots_[i]].size);
  }
  if (!std::isfinite(smallest)) smallest = 1.0;
  const Settings& s = sim_.settings;
  ReferencePipeline::Options& options = pipeline_.options;
  options.restitutionThreshold = s.restitutionThreshold;
  options.erp = s.baumgarte;
  options.correction = {.share = s.positionCorrection,
                        .slop = kSlop * smallest,
                        .largest = s.correctionSpeed * h * smallest};
  options.coneTolerance = s.exactTolerance;
  options.coneIterations = s.exactIterations;
  options.time = sim_.time;
  options.combine = s.combine;
  options.mayTouch = [this](std::uint32_t a, std::uint32_t b) { return mayCollide(sim_, a, b); };
  options.change = {};
  if (!sim_.contactCallback) return;
  options.change = [this](const ReferencePipeline::Manifold& m, SurfaceMaterial& pair) {
    return askUser(m, pair);
  };
}

/// The user's own function decides about a contact (WorldModel::setContactCallback).
bool ReferenceStep::askUser(const ReferencePipeline::Manifold& m, SurfaceMaterial& pair) const {
  const CollisionResult& found = m.collision.result;
  const auto last = found.contacts.begin() + static_cast<std::ptrdiff_t>(found.contactCount);
  const auto deepest = std::max_element(
      found.contacts.begin(), last,
      [](const ContactPoint& x, const ContactPoint& y) { return x.depth < y.depth; });
  const std::uint32_t slotA = slots_[m.bodyA], slotB = slots_[m.bodyB];
  const bool swapped = slotB < slotA;
  ContactChange change{.bodyA = sim_.idOf(swapped ? slotB : slotA),
                       .bodyB = sim_.idOf(swapped ? slotA : slotB),
                       .point = 0.5 * (deepest->pointA + deepest->pointB),
                       .normal = swapped ? Vector3D{-found.normal} : found.normal,
                       .gap = found.normal.dot(deepest->pointB - deepest->pointA),
                       .friction = pair.friction,
                       .restitution = pair.restitution};
  sim_.contactCallback(change);
  pair.friction = requireRange(change.friction, "friction", "", 0.0, kLargestFriction);
  pair.restitution = requireRange(change.restitution, "restitution", "", 0.0, 1.0);
  return change.enabled;
}

std::size_t ReferenceStep::indexOf(std::uint32_t slot) const {
  if (slot == 0) return slots_.size();  // the world's own
  return static_cast<std::size_t>(std::find(slots_.begin(), slots_.end(), slot) - slots_.begin());
}

const InertialState& ReferenceStep::stateOf(std::uint32_t slot) const {
  static const InertialState kWorld{};
  if (slot == 0) return kWorld;
  const BodySlot& s = sim_.slots[slot];
  return s.inertial ? std::as_const(*s.inertial).getInertialState()
                    : s.environment->getInertialState();
}

void ReferenceStep::detect() {
  std::vector<ReferencePipeline::Body> bodies;
  for (AssetInertial* body : inertial_) bodies.push_back({body, body, slots_[bodies.size()]});
  for (const AssetEnvironment* body : environment_) {
    bodies.push_back({body, nullptr, slots_[bodies.size()]});
  }
  choose(0.0);
  pipeline_.detect(std::move(bodies));
}

/// Kinematic bodies on the way to a target, or arrived; damping, its first half.
void beginStep(Simulation& sim, double dt) {
  dampBodies(sim, dt);
  for (std::uint32_t i = 0; i < sim.slots.size(); ++i) {
    if (!sim.slots[i].inertial) continue;
    if (sim.slots[i].kinematic) steerBody(sim, i, dt);
    writeVelocityToAsset(sim, i);
  }
}

}  // namespace

bool stepReference(Simulation& sim, double dt) {
  sim.guardedSubsteps = 0;
  beginStep(sim, dt);
  ReferenceStep step{sim};
  ReferenceBalance balance{sim, step.slots()};
  const int substeps = std::max(sim.settings.substeps, 1);
  const double start = sim.time;
  try {
    for (int k = 0; k < substeps; ++k) {
      sim.time = start + k * (dt / substeps);  // constraints may move by themselves
      step.advance(dt / substeps, balance);
    }
  } catch (const std::invalid_argument&) {
    // Objects refuse numbers that are not finite; anything else they refuse is the caller's
    // mistake.
    if (balance.isFinite()) throw;
    return false;
  }
  sim.time = start;
  if (!balance.finish(dt)) return false;
  step.detect();
  sim.report.deepestPenetration = sim.collision.reference().deepest();
  return true;
}

void lookReference(Simulation& sim) {
  ReferenceStep step{sim};
  step.detect();
  ReferenceBalance{sim, step.slots()}.look();
}

}  // namespace msd_sim
