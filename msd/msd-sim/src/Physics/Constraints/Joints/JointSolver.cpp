#include "msd-sim/src/Physics/Constraints/Joints/JointSolver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "msd-sim/src/DataTypes/UnionFind.hpp"
#include "msd-sim/src/Physics/Constraints/Joints/ExtraRows.hpp"
#include "msd-sim/src/Physics/Constraints/Joints/Tolerances.hpp"

namespace msd_sim {

namespace {

/// What may change of a joint while it exists, as numbers in a snapshot.
struct SavedJoint {
  double flagged;  ///< kLimited and so on
  double length, stiffness, damping, rest, armature, friction;
  double breakingForce, breakingTorque, boundLower, boundUpper;
  double limitLower, limitUpper;
  double motorMode, motor[10];
};

constexpr unsigned kLimited = 1, kDriven = 2, kLoadSet = 4, kLoadCarried = 8;
constexpr std::size_t kSavedNumbers = sizeof(SavedJoint) / sizeof(double);

/// Calls visit(saved number, number) for all that a motor has beside its mode and load.
template <class Saved, class Motor, class Visit>
void forMotorNumbers(Saved& saved, Motor& m, const Visit& visit) {
  int i = 0;
  for (auto* number : {&m.target, &m.maxForce, &m.frequency, &m.dampingRatio, &m.stiffness,
                       &m.damping, &m.targetVelocity, &m.feedForward, &m.gear, &m.rotorInertia}) {
    visit(saved.motor[i++], *number);
  }
}

void saveDefinition(const JointDefinition& d, SavedJoint& saved) {
  unsigned flags = 0;
  saved.length = d.length;
  saved.stiffness = d.stiffness;
  saved.damping = d.damping;
  saved.rest = d.rest;
  saved.armature = d.armature;
  saved.friction = d.friction;
  saved.breakingForce = d.breakingForce;
  saved.breakingTorque = d.breakingTorque;
  saved.boundLower = d.lower;
  saved.boundUpper = d.upper;
  if (d.limit) {
    flags |= kLimited;
    saved.limitLower = d.limit->lower;
    saved.limitUpper = d.limit->upper;
  }
  if (d.motor) flags |= kDriven;
  if (d.motor && d.motor->carriesLoad) flags |= *d.motor->carriesLoad ? kLoadSet | kLoadCarried : kLoadSet;
  saved.flagged = flags;
  if (!d.motor) return;
  saved.motorMode = static_cast<double>(d.motor->mode);
  forMotorNumbers(saved, *d.motor, [](double& to, const double& from) { to = from; });
}

void loadDefinition(const SavedJoint& saved, JointDefinition& d) {
  const auto flags = static_cast<unsigned>(saved.flagged);
  d.length = saved.length;
  d.stiffness = saved.stiffness;
  d.damping = saved.damping;
  d.rest = saved.rest;
  d.armature = saved.armature;
  d.friction = saved.friction;
  d.breakingForce = saved.breakingForce;
  d.breakingTorque = saved.breakingTorque;
  d.lower = saved.boundLower;
  d.upper = saved.boundUpper;
  d.limit.reset();
  d.motor.reset();
  if ((flags & kLimited) != 0) d.limit = JointLimit{saved.limitLower, saved.limitUpper};
  if ((flags & kDriven) == 0) return;
  JointMotor& motor = d.motor.emplace();
  motor.mode = saved.motorMode == 0.0   ? MotorMode::kVelocity
               : saved.motorMode == 1.0 ? MotorMode::kPosition
                                        : MotorMode::kForce;
  forMotorNumbers(saved, motor, [](const double& from, double& to) { to = from; });
  if ((flags & kLoadSet) != 0) motor.carriesLoad = (flags & kLoadCarried) != 0;
}


}  // namespace

std::uint32_t JointSolver::add(const JointDefinition& definition, const SolverBodies& bodies) {
  std::uint32_t index = static_cast<std::uint32_t>(records_.size());
  if (free_.empty()) {
    records_.emplace_back();
  } else {
    index = free_.back();
    free_.pop_back();
  }
  JointRecord& record = records_[index];
  record = JointRecord{};
  record.definition = definition;
  record.used = true;
  const JointPlace place = placeOf(bodies, definition.bodyA, definition.bodyB);
  record.coordinate = evaluateCoordinate(definition, place);
  record.potential = springEnergy(definition, record.coordinate);
  if (const double inertia = rotorInertia(definition); inertia > 0.0) {
    const double rate = coordinateRate(index, bodies);
    record.kinetic = 0.5 * inertia * rate * rate;
  }
  ++live_count_;
  ++version_;
  return index;
}

void JointSolver::remove(std::uint32_t joint) {
  records_[joint] = JointRecord{};
  free_.push_back(joint);
  --live_count_;
  ++version_;
}

void JointSolver::redefine(std::uint32_t joint, const JointDefinition& definition) {
  JointDefinition& old = records_[joint].definition;
  const bool same = haveSameRows(old, definition) && feedsEnergy(old) == feedsEnergy(definition) &&
                    needsInertia(old) == needsInertia(definition) &&
                    isHeld(old) == isHeld(definition);
  old = definition;
  if (same) {
    parameters_changed_ = true;
  } else {
    ++version_;
  }
}

void JointSolver::removeConstraintsOf(std::uint32_t slot) {
  for (std::uint32_t j = 0; j < records_.size(); ++j) {
    const JointDefinition& d = records_[j].definition;
    if (records_[j].used && d.constraint != nullptr && (d.bodyA == slot || d.bodyB == slot)) {
      remove(j);
    }
  }
}

void JointSolver::setBounds(std::uint32_t joint, double lower, double upper) {
  JointDefinition& d = records_[joint].definition;
  if (d.lower == lower && d.upper == upper) return;
  d.lower = lower;
  d.upper = upper;
  ++version_;
}

double JointSolver::coordinate(std::uint32_t joint, const SolverBodies& bodies) const {
  const JointRecord& r = records_[joint];
  const JointPlace place = placeOf(bodies, r.definition.bodyA, r.definition.bodyB);
  return continuedCoordinate(r.definition, evaluateCoordinate(r.definition, place), r.coordinate);
}

double JointSolver::coordinateRate(std::uint32_t joint, const SolverBodies& bodies) const {
  const JointDefinition& d = records_[joint].definition;
  const JointRow j = evaluateCoordinateRow(d, placeOf(bodies, d.bodyA, d.bodyB));
  const BodyMotion& a = bodies.motion[d.bodyA];
  const BodyMotion& b = bodies.motion[d.bodyB];
  return j.linearA.dot(vectorOf(a.v)) + j.angularA.dot(vectorOf(a.w)) +
         j.linearB.dot(vectorOf(b.v)) + j.angularB.dot(vectorOf(b.w));
}

std::vector<std::uint32_t> JointSolver::findMechanism(
    std::span<const std::uint32_t> joints,
    const std::function<bool(std::uint32_t)>& canBePushed) const {
  std::uint32_t most = 0;
  forEachPair([&](std::uint32_t a, std::uint32_t b) { most = std::max({most, a, b}); });
  std::vector<std::uint32_t> parent(most + 1);
  for (std::uint32_t i = 0; i < parent.size(); ++i) parent[i] = i;
  forEachPair([&](std::uint32_t a, std::uint32_t b) {
    if (canBePushed(a) && canBePushed(b)) unite(parent, a, b);
  });
  const auto rootOf = [&](const JointDefinition& d) {
    return findRoot(parent, canBePushed(d.bodyA) ? d.bodyA : d.bodyB);
  };
  std::vector<std::uint8_t> wanted(parent.size(), 0);
  for (const std::uint32_t j : joints) wanted[rootOf(records_[j].definition)] = 1;
  std::vector<std::uint32_t> found;
  for (std::uint32_t j = 0; j < records_.size(); ++j) {
    const JointRecord& r = records_[j];
    if (r.used && !r.broken && wanted[rootOf(r.definition)] != 0) found.push_back(j);
  }
  return found;
}

/// Components: union of bodies that can be pushed, joint by joint, numbered by their first joint.
void JointSolver::update(const SolverBodies& bodies, bool sweeps) {
  if (built_version_ != version_ || built_sweeps_ != sweeps) {
    rebuild(bodies, sweeps);
  } else if (parameters_changed_) {
    for (JointComponent& c : components_) c.readParameters(records_);
    swept_.readParameters(records_);
  }
  parameters_changed_ = false;
}

void JointSolver::rebuild(const SolverBodies& bodies, bool sweeps) {
  built_version_ = version_;
  built_sweeps_ = sweeps;
  components_.clear();
  swept_.clear(bodies.size());
  std::vector<std::uint32_t> parent(bodies.size());
  for (std::uint32_t i = 0; i < parent.size(); ++i) parent[i] = i;
  forEachPair([&](std::uint32_t a, std::uint32_t b) {
    if (!canBePushed(bodies, a) || !canBePushed(bodies, b)) return;
    unite(parent, a, b);
  });
  constexpr std::uint32_t kNone = 0xFFFFFFFFu;
  std::vector<std::uint32_t> number(bodies.size(), kNone);
  std::vector<std::vector<std::uint32_t>> groups;
  for (std::uint32_t j = 0; j < records_.size(); ++j) {
    JointRecord& r = records_[j];
    r.slot = JointRecord::kNoSlot;
    r.swept = r.ofTree = false;
    r.plain = r.definition.constraint == nullptr && extraRows(r.definition).all().empty();
    if (!r.used || r.broken) continue;
    const bool pushA = canBePushed(bodies, r.definition.bodyA);
    if (!pushA && !canBePushed(bodies, r.definition.bodyB)) continue;
    r.slot = pushA ? r.definition.bodyA : r.definition.bodyB;
    const std::uint32_t root = findRoot(parent, pushA ? r.definition.bodyA : r.definition.bodyB);
    if (number[root] == kNone) {
      number[root] = static_cast<std::uint32_t>(groups.size());
      groups.emplace_back();
    }
    groups[number[root]].push_back(j);
  }
  for (const auto& group : groups) {
    JointComponent component;
    if (component.build(group, records_, bodies, joint_tolerances::kMostWork)) {
      components_.push_back(std::move(component));
    } else if (sweeps) {
      swept_.add(group, records_, bodies);
      for (const std::uint32_t j : group) records_[j].swept = true;
    } else {
      for (const std::uint32_t j : group) {
        component.build({&j, 1}, records_, bodies, joint_tolerances::kMostWork);
        components_.push_back(component);
      }
    }
  }
  for (const JointComponent& component : components_) {
    for (const JointComponent::Link& link : component.links()) records_[link.joint].ofTree = !component.tree().isEmpty();
  }
  swept_.close();
  awake_.assign(components_.size(), 0);
  component_of_.assign(bodies.size(), kNoComponent);
  for (std::size_t k = 0; k < components_.size(); ++k) {
    for (const std::uint32_t slot : components_[k].slots()) {
      if (canBePushed(bodies, slot)) component_of_[slot] = static_cast<std::uint32_t>(k);
    }
  }
  solved_.assign(components_.size(), 0);
  last_change_.assign(components_.size(), 0.0);
}

void JointSolver::wake(const SolverBodies& bodies) {
  awake_list_.clear();
  for (std::size_t k = 0; k < components_.size(); ++k) {
    const auto slots = components_[k].slots();
    awake_[k] = std::any_of(slots.begin(), slots.end(),
                            [&](std::uint32_t s) { return bodies.motion[s].inverseMass > 0.0; });
    if (awake_[k] != 0) awake_list_.push_back(static_cast<std::uint32_t>(k));
  }
}

/// Calls work(component).
template <class Work>
void JointSolver::forComponents(const Share& share, WorkTeam& team, const Work& work) {
  team.forBlocks(share.components.size(), [&](std::size_t i) { work(components_[share.components[i]]); });
}

/// Returns the ratio of the new to the last length of a substep of the joints that are swept.
double JointSolver::prepareComponents(const SolverBodies& bodies, const Share& share, double h,
                                      double correctionSpeed, bool alone, WorkTeam& team) {
  const auto scaleOf = [&](const JointRecord& r) { return r.substep > 0.0 ? h / r.substep : 1.0; };
  forComponents(share, team, [&](JointComponent& c) {
    c.setTime(time_);
    c.setAlone(alone);
    c.prepare(bodies, records_, h, correctionSpeed, scaleOf(records_[c.links()[0].joint]));
    for (const JointComponent::Link& link : c.links()) records_[link.joint].substep = h;
  });
  double scale = 1.0;
  if (!hasSwept(share)) return scale;
  for (JointRecord& r : records_) {
    if (!r.used || !r.swept) continue;
    scale = scaleOf(r);
    r.substep = h;
  }
  return scale;
}

void JointSolver::prepare(const SolverBodies& bodies, double h, double correctionSpeed,
                          WorkTeam& team) {
  update(bodies, false);
  wake(bodies);
  markTouched(bodies, [](std::uint32_t) { return false; });
  prepareComponents(bodies, all(), h, correctionSpeed, false, team);
}

void JointSolver::prepare(const SolverBodies& bodies, const Share& share, const BallKernels& kernels, double h,
                          double correctionSpeed, WorkTeam& team) {
  const double scale = prepareComponents(bodies, share, h, correctionSpeed, true, team);
  if (!hasSwept(share)) return;
  const BallPass pass{.h = h, .inverseH = 1.0 / h, .reach = correctionSpeed * h};
  swept_.prepare(bodies, records_, kernels, pass, scale, team);
}

void JointSolver::warm(SolverBodies& bodies, const Share& share) const {
  for (const std::uint32_t k : share.components) components_[k].warm(bodies);
  if (hasSwept(share)) swept_.warm(bodies);
}

/// Calls work(component) for those with a body that still moves, and stamps what has not settled.
template <class Work>
std::uint32_t JointSolver::sweepComponents(SolverBodies& bodies, const Share& share, const Sweep& sweep,
                                           WorkTeam& team, const Work& work) {
  std::atomic<std::uint32_t> unsettled{0};
  team.forBlocks(share.components.size(), [&](std::size_t i) {
    const std::uint32_t k = share.components[i];
    if (components_[k].isTree()) return;  // solved with the contacts
    const auto slots = components_[k].slots();
    const auto moves = [&](std::uint32_t s) { return bodies.dirty[s] + 1 >= sweep.stamp; };
    if (sweep.number > 0 && std::none_of(slots.begin(), slots.end(), moves)) return;
    const double change = last_change_[k] = work(components_[k]);
    if (change > 0.0) solved_[k] = 1;
    const auto pushed =
        std::find_if(slots.begin(), slots.end(), [&](std::uint32_t s) { return bodies.motion[s].inverseMass > 0.0; });
    if (!(change / sweep.directSpeed > static_cast<double>(bodies.budget[*pushed].limit(sweep.number)))) return;
    for (const std::uint32_t s : slots) {
      if (bodies.motion[s].inverseMass > 0.0) bodies.dirty[s] = sweep.stamp;
    }
    unsettled.fetch_add(1, std::memory_order_relaxed);
  });
  return unsettled.load(std::memory_order_relaxed);
}

/// The same for the joints that are swept, which go on together.
std::uint32_t JointSolver::callSwept(SolverBodies& bodies, const Sweep& sweep, double change) {
  std::uint32_t unsettled = 0;
  last_swept_change_ = change;
  for (const JointRecord& r : records_) {
    if (!r.used || !r.swept || r.slot == JointRecord::kNoSlot) continue;
    if (!(change / sweep.sweptSpeed > static_cast<double>(bodies.budget[r.slot].limit(sweep.number)))) continue;
    for (const std::uint32_t s : {r.definition.bodyA, r.definition.bodyB}) {
      if (bodies.motion[s].inverseMass > 0.0) bodies.dirty[s] = sweep.stamp;
    }
    ++unsettled;
  }
  return unsettled;
}

std::uint32_t JointSolver::solve(SolverBodies& bodies, const Share& share, const Sweep& sweep, WorkTeam& team) {
  std::uint32_t unsettled = 0;
  if (hasSwept(share)) unsettled = callSwept(bodies, sweep, swept_.solve(bodies, records_, sweep.number == 0, team));
  unsettled += sweepComponents(bodies, share, sweep, team, [&](JointComponent& c) {
    if (sweep.number == 0 && sweep.drifted)
      c.follow(bodies, records_, JointComponent::Phase::kPosition, sweep.carried);
    return c.solve(bodies, records_, sweep.number == 0);
  });
  if (hasSwept(share) && swept_.hasSearched()) swept_solved_ = true;
  return unsettled;
}

std::uint32_t JointSolver::relax(SolverBodies& bodies, const Share& share, const Sweep& sweep, WorkTeam& team) {
  std::uint32_t unsettled = 0;
  if (hasSwept(share)) unsettled = callSwept(bodies, sweep, swept_.relax(bodies, records_, sweep.number == 0, team));
  unsettled += sweepComponents(bodies, share, sweep, team, [&](JointComponent& c) {
    return c.relax(bodies, records_, sweep.number == 0, sweep.carried);
  });
  if (hasSwept(share) && swept_.hasSearched()) swept_solved_ = true;
  return unsettled;
}

void JointSolver::concludePositions(const SolverBodies& bodies, const Share& share, const PhaseEnd& end,
                                    WorkTeam& team) {
  forComponents(share, team, [&](JointComponent& c) { c.concludePositions(bodies, end); });
  if (hasSwept(share)) swept_.concludePositions(bodies, end, team);
}

void JointSolver::concludeVelocities(const SolverBodies& bodies, const Share& share, const PhaseEnd& end,
                                     WorkTeam& team) {
  forComponents(share, team, [&](JointComponent& c) { c.concludeVelocities(bodies, end); });
  if (hasSwept(share)) swept_.concludeVelocities(bodies, end, team);
}

std::span<const std::uint32_t> JointSolver::finish(const SolverBodies& bodies, double dt,
                                                   WorkTeam& team) {
  // Joints of bodies that sleep do nothing.
  for (JointRecord& r : records_) r.work = r.potentialChange = r.kineticChange = 0.0;
  forComponents(all(), team, [&](JointComponent& c) { c.finish(bodies, records_, dt); });
  if (!swept_.isEmpty()) swept_.finish(bodies, records_, dt);
  for (std::size_t k = 0; k < components_.size(); ++k) {
    if (awake_[k] != 0 && components_[k].isStiff()) stiff_ = 1;
    for (const JointComponent::Link& link : components_[k].links()) records_[link.joint].solved = solved_[k] != 0;
  }
  for (JointRecord& r : records_) {
    if (r.used && r.swept) r.solved = swept_solved_;
  }
  std::fill(solved_.begin(), solved_.end(), std::uint8_t{0});
  swept_solved_ = false;
  was_stiff_ = std::exchange(stiff_, std::uint8_t{0}) != 0;
  sums_ = Sums{};
  for (JointComponent& c : components_) sums_.phases.add(c.takeWorks());
  sums_.phases.add(swept_.takeWorks());
  broken_.clear();
  for (std::uint32_t j = 0; j < records_.size(); ++j) {
    JointRecord& r = records_[j];
    if (!r.used || r.broken) continue;
    sums_.work += r.work;
    sums_.potential += r.potential;
    sums_.potentialChange += r.potentialChange;
    sums_.kinetic += r.kinetic;
    sums_.kineticChange += r.kineticChange;
    sums_.separation = std::max(sums_.separation, r.separation);
    if (r.reaction.linear.norm() > r.definition.breakingForce ||
        r.reaction.angular.norm() > r.definition.breakingTorque) {
      r.broken = true;
      r.impulse.fill(0.0);
      // What a broken spring or its rotor held is gone; it is counted as work of the joint.
      sums_.work -= r.potential + r.kinetic;
      sums_.potential -= r.potential;
      sums_.potentialChange -= r.potential;
      sums_.kinetic -= r.kinetic;
      sums_.kineticChange -= r.kinetic;
      r.potential = r.kinetic = r.motorForce = 0.0;
      broken_.push_back(j);
      ++version_;
    }
  }
  return broken_;
}

void JointSolver::keepStart() {
  kept_impulses_.clear();
  for (const JointComponent& c : components_) c.saveImpulses(kept_impulses_);
  kept_.clear();
  for (const JointRecord& r : records_) kept_.push_back({r.coordinate, r.substep});
}

void JointSolver::returnToStart() {
  std::span<const double> impulses = kept_impulses_;
  for (JointComponent& c : components_) impulses = impulses.subspan(c.loadImpulses(impulses));
  for (std::size_t j = 0; j < records_.size(); ++j) {
    records_[j].coordinate = kept_[j].coordinate;
    records_[j].substep = kept_[j].substep;
  }
}

void JointSolver::project(SolverBodies& bodies, WorkTeam& team) {
  if (built_version_ != version_) return;  // joints have come or gone since the step was solved
  forComponents(all(), team, [&](JointComponent& c) {
    if (!c.isTree() || c.tree().isOpen()) c.project(bodies, records_);
  });
  sums_.separation = 0.0;
  for (const JointRecord& r : records_) {
    if (r.used && !r.broken) sums_.separation = std::max(sums_.separation, r.separation);
  }
}

void JointSolver::save(ByteWriter& out) const {
  out.put(static_cast<std::uint64_t>(records_.size()));
  for (const JointRecord& r : records_) {
    out.put(r.used);
    out.put(r.broken);
    out.put(r.solved);
    out.put(r.substep);
    out.put(r.coordinate);
    out.put(r.potential);
    out.put(r.energyGain);
    out.put(r.energyPeak);
    out.put(r.kinetic);
    SavedJoint saved{};
    saveDefinition(r.definition, saved);
    for (std::size_t i = 0; i < kSavedNumbers; ++i) out.put(reinterpret_cast<const double*>(&saved)[i]);
    for (const double impulse : r.impulse) out.put(impulse);
    out.putVector(r.reaction.linear);
    out.putVector(r.reaction.angular);
    out.put(r.multiplier);
  }
}

void JointSolver::load(ByteReader& in) {
  const auto count = in.take<std::uint64_t>();
  if (count != records_.size()) {
    throw std::invalid_argument(fmt::format("snapshot holds {} joints; expected those of {} joints",
                                            count, records_.size()));
  }
  for (std::size_t j = 0; j < count; ++j) {
    JointRecord& r = records_[j];
    if (in.takeBool() != r.used) {
      throw std::invalid_argument(fmt::format("snapshot joint {} is {}; expected it {}", j,
                                              r.used ? "missing" : "there",
                                              r.used ? "there" : "missing"));
    }
    r.broken = in.takeBool();
    r.solved = in.takeBool();
    in.take(r.substep);
    r.coordinate = in.take<double>();
    r.potential = in.take<double>();
    r.energyGain = in.take<double>();
    r.energyPeak = in.take<double>();
    r.kinetic = in.take<double>();
    SavedJoint saved{};
    for (std::size_t i = 0; i < kSavedNumbers; ++i) in.take(reinterpret_cast<double*>(&saved)[i]);
    if (!(saved.flagged >= 0.0 && saved.flagged < 16.0)) {
      throw std::invalid_argument("snapshot has a joint of no known kind");
    }
    loadDefinition(saved, r.definition);
    for (double& impulse : r.impulse) impulse = in.take<double>();
    r.reaction = {in.takeVector(), in.takeVector()};
    in.take(r.multiplier);
  }
  ++version_;  // components are made afresh, with these impulses
}

namespace {

bool isNotNegative(double value) {
  return value >= 0.0 && std::isfinite(value);
}

/// Could a motor be given these numbers?
bool isDrivable(const JointMotor& m) {
  const auto isUnsetOr = [](double gain) { return std::isnan(gain) || isNotNegative(gain); };
  return std::isfinite(m.target + m.targetVelocity + m.feedForward + m.gear) && m.gear != 0.0 && m.maxForce >= 0.0 &&
         isNotNegative(m.rotorInertia) && isUnsetOr(m.stiffness) && isUnsetOr(m.damping) &&
         (!m.isTuned() || (m.frequency > 0.0 && std::isfinite(m.frequency) && isNotNegative(m.dampingRatio)));
}

/// Could a joint be made with these numbers?
bool isPossible(const JointDefinition& d) {
  return isNotNegative(d.length) && isNotNegative(d.stiffness) && isNotNegative(d.damping) && std::isfinite(d.rest) &&
         isNotNegative(d.armature) && isNotNegative(d.friction) && d.breakingForce >= 0.0 && d.breakingTorque >= 0.0 &&
         d.lower <= d.upper && (!d.limit || d.limit->lower <= d.limit->upper) && (!d.motor || isDrivable(*d.motor));
}

}  // namespace

const char* JointSolver::findFault() const {
  constexpr double kLongestSubstep = 1.0;
  for (const JointRecord& r : records_) {
    if (r.used && !isPossible(r.definition)) return "a joint has a limit, spring or motor out of range";
    if (!(r.substep >= 0.0 && r.substep <= kLongestSubstep)) return "a joint's last substep was too long";
    double sum = r.coordinate + r.potential + r.kinetic + r.energyGain + r.energyPeak;
    for (const double impulse : r.impulse) sum += impulse;
    sum += r.reaction.linear.sum() + r.reaction.angular.sum() + r.multiplier;
    if (!std::isfinite(sum)) return "a joint is not made of numbers";
  }
  return nullptr;
}

}  // namespace msd_sim
