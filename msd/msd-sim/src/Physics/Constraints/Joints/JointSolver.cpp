#include "msd-sim/src/Physics/Constraints/Joints/JointSolver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "msd-sim/src/DataTypes/UnionFind.hpp"
#include "msd-sim/src/Physics/Constraints/Joints/Tolerances.hpp"

namespace msd_sim {

namespace {

bool canBePushed(const SolverBodies& bodies, std::uint32_t slot) {
  return slot != 0 && bodies.mass[slot].dynamic > 0.0;
}

/// Bytes of one joint in a snapshot.
struct SavedJoint {
  double coordinate, potential, energyGain, energyPeak;
  double impulse[kMostHoldingRows + kExtraRows];
  double substep;
  std::uint64_t flags;  ///< bit 0 used, bit 1 broken, bit 2 solved
};

/// Bytes before the joints: their number.
constexpr std::size_t kHead = sizeof(std::uint64_t);

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
  if (definition.kind == JointKind::kSpring) {
    const double stretch = record.coordinate - definition.length;
    record.potential = 0.5 * definition.stiffness * stretch * stretch;
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

/// Components: union of bodies that can be pushed, joint by joint, numbered by their first joint.
void JointSolver::update(const SolverBodies& bodies, bool sweeps) {
  if (built_version_ != version_ || built_sweeps_ != sweeps) rebuild(bodies, sweeps);
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
    r.swept = false;
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
  swept_.close();
  awake_.assign(components_.size(), 0);
  component_of_.assign(bodies.size(), kNoComponent);
  for (std::size_t k = 0; k < components_.size(); ++k) {
    for (const std::uint32_t slot : components_[k].slots()) {
      if (canBePushed(bodies, slot)) component_of_[slot] = static_cast<std::uint32_t>(k);
    }
  }
  solved_.assign(components_.size(), 0);
  answers_.assign(components_.size(), 0.0);
}

/// Calls work(component) for those that are awake; returns the largest answer.
template <class Work>
double JointSolver::forComponents(WorkTeam& team, const Work& work) {
  team.forBlocks(components_.size(),
                 [&](std::size_t k) { answers_[k] = awake_[k] != 0 ? work(components_[k]) : 0.0; });
  double largest = 0.0;
  for (const double a : answers_) largest = std::max(largest, a);
  return largest;
}

/// Returns the ratio of the new to the last length of a substep of the joints that are swept.
double JointSolver::prepareComponents(const SolverBodies& bodies, bool sweeps, double h,
                                      double correctionSpeed, WorkTeam& team) {
  update(bodies, sweeps);
  const auto scaleOf = [&](const JointRecord& r) { return r.substep > 0.0 ? h / r.substep : 1.0; };
  forComponents(team, [&](JointComponent& c) {
    c.setTime(time_);
    c.prepare(bodies, records_, h, correctionSpeed, scaleOf(records_[c.links()[0].joint]));
    for (const JointComponent::Link& link : c.links()) records_[link.joint].substep = h;
    return 0.0;
  });
  double scale = 1.0;
  if (!swept_chosen_) return scale;
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
  choose(bodies, [](std::uint32_t) { return true; });
  prepareComponents(bodies, false, h, correctionSpeed, team);
}

void JointSolver::prepare(const SolverBodies& bodies, const BallKernels& kernels, double h,
                          double correctionSpeed, WorkTeam& team) {
  const double scale = prepareComponents(bodies, true, h, correctionSpeed, team);
  if (!hasSwept()) return;
  const BallPass pass{.h = h, .inverseH = 1.0 / h, .reach = correctionSpeed * h};
  swept_.prepare(bodies, records_, kernels, pass, scale, team);
}

void JointSolver::warm(SolverBodies& bodies) const {
  for (std::size_t k = 0; k < components_.size(); ++k) {
    if (awake_[k] != 0) components_[k].warm(bodies);
  }
  if (hasSwept()) swept_.warm(bodies);
}

/// Calls work(component) for those with a body that still moves, and stamps what has not settled.
template <class Work>
std::uint32_t JointSolver::sweepComponents(SolverBodies& bodies, const Sweep& sweep, WorkTeam& team,
                                           const Work& work) {
  std::atomic<std::uint32_t> unsettled{0};
  team.forBlocks(components_.size(), [&](std::size_t k) {
    if (awake_[k] == 0) return;
    const auto slots = components_[k].slots();
    const auto moves = [&](std::uint32_t s) { return bodies.stirred[s] + 1 >= sweep.stamp; };
    if (sweep.number > 0 && std::none_of(slots.begin(), slots.end(), moves)) return;
    const double change = work(components_[k]);
    if (change > 0.0) solved_[k] = 1;
    const auto pushed =
        std::find_if(slots.begin(), slots.end(), [&](std::uint32_t s) { return bodies.motion[s].inverseMass > 0.0; });
    if (!(change / sweep.directSpeed > static_cast<double>(bodies.budget[*pushed].limit(sweep.number)))) return;
    for (const std::uint32_t s : slots) {
      if (bodies.motion[s].inverseMass > 0.0) bodies.stirred[s] = sweep.stamp;
    }
    unsettled.fetch_add(1, std::memory_order_relaxed);
  });
  return unsettled.load(std::memory_order_relaxed);
}

/// The same for the joints that are swept, which go on together.
std::uint32_t JointSolver::callSwept(SolverBodies& bodies, const Sweep& sweep, double change) {
  std::uint32_t unsettled = 0;
  for (const JointRecord& r : records_) {
    if (!r.used || !r.swept || r.slot == JointRecord::kNoSlot) continue;
    if (!(change / sweep.sweptSpeed > static_cast<double>(bodies.budget[r.slot].limit(sweep.number)))) continue;
    for (const std::uint32_t s : {r.definition.bodyA, r.definition.bodyB}) {
      if (bodies.motion[s].inverseMass > 0.0) bodies.stirred[s] = sweep.stamp;
    }
    ++unsettled;
  }
  return unsettled;
}

std::uint32_t JointSolver::solve(SolverBodies& bodies, const Sweep& sweep, WorkTeam& team) {
  std::uint32_t unsettled = 0;
  if (hasSwept()) unsettled = callSwept(bodies, sweep, swept_.solve(bodies, records_, sweep.number == 0, team));
  unsettled += sweepComponents(bodies, sweep, team, [&](JointComponent& c) {
    return c.solve(bodies, records_, sweep.number == 0);
  });
  swept_solved_ = swept_solved_ || (hasSwept() && swept_.hasSearched());
  return unsettled;
}

std::uint32_t JointSolver::relax(SolverBodies& bodies, const Sweep& sweep, WorkTeam& team) {
  std::uint32_t unsettled = 0;
  if (hasSwept()) unsettled = callSwept(bodies, sweep, swept_.relax(bodies, records_, sweep.number == 0, team));
  unsettled += sweepComponents(bodies, sweep, team, [&](JointComponent& c) {
    return c.relax(bodies, records_, sweep.number == 0);
  });
  swept_solved_ = swept_solved_ || (hasSwept() && swept_.hasSearched());
  return unsettled;
}

void JointSolver::concludePositions(WorkTeam& team) {
  forComponents(team, [](JointComponent& c) {
    c.concludePositions();
    return 0.0;
  });
  if (hasSwept()) swept_.concludePositions();
}

void JointSolver::concludeVelocities(WorkTeam& team) {
  forComponents(team, [](JointComponent& c) {
    c.concludeVelocities();
    return 0.0;
  });
  if (hasSwept()) swept_.concludeVelocities();
}

std::span<const std::uint32_t> JointSolver::finish(const SolverBodies& bodies, double dt,
                                                   WorkTeam& team) {
  choose(bodies, [](std::uint32_t) { return true; });
  // Joints of bodies that sleep do nothing.
  for (JointRecord& r : records_) r.work = r.potentialChange = 0.0;
  forComponents(team, [&](JointComponent& c) {
    c.finish(bodies, records_, dt);
    return 0.0;
  });
  if (!swept_.isEmpty()) swept_.finish(bodies, records_, dt);
  for (std::size_t k = 0; k < components_.size(); ++k) {
    taut_ = taut_ || (awake_[k] != 0 && components_[k].isTaut());
    for (const JointComponent::Link& link : components_[k].links()) records_[link.joint].solved = solved_[k] != 0;
  }
  for (JointRecord& r : records_) {
    if (r.used && r.swept) r.solved = swept_solved_;
  }
  std::fill(solved_.begin(), solved_.end(), std::uint8_t{0});
  swept_solved_ = false;
  was_taut_ = std::exchange(taut_, false);
  sums_ = Sums{};
  broken_.clear();
  for (std::uint32_t j = 0; j < records_.size(); ++j) {
    JointRecord& r = records_[j];
    if (!r.used || r.broken) continue;
    sums_.work += r.work;
    sums_.potential += r.potential;
    sums_.potentialChange += r.potentialChange;
    sums_.separation = std::max(sums_.separation, r.separation);
    if (r.reaction.linear.norm() > r.definition.breakingForce ||
        r.reaction.angular.norm() > r.definition.breakingTorque) {
      r.broken = true;
      r.impulse.fill(0.0);
      // What a broken spring held is gone; it is counted as work of the joint.
      sums_.work -= r.potential;
      sums_.potential -= r.potential;
      sums_.potentialChange -= r.potential;
      r.potential = 0.0;
      broken_.push_back(j);
      ++version_;
    }
  }
  return broken_;
}

void JointSolver::project(SolverBodies& bodies, WorkTeam& team) {
  if (built_version_ != version_) return;  // joints have come or gone since the step was solved
  forComponents(team, [&](JointComponent& c) {
    c.project(bodies, records_);
    return 0.0;
  });
  sums_.separation = 0.0;
  for (const JointRecord& r : records_) {
    if (r.used && !r.broken) sums_.separation = std::max(sums_.separation, r.separation);
  }
}

void JointSolver::recover(const SolverBodies& bodies) {
  for (std::uint32_t j = 0; j < records_.size(); ++j) {
    JointRecord& r = records_[j];
    if (!r.used) continue;
    for (double& impulse : r.impulse) {
      if (!std::isfinite(impulse)) impulse = 0.0;
    }
    if (!std::isfinite(r.coordinate)) r.coordinate = 0.0;
    r.coordinate = coordinate(j, bodies);
    if (!std::isfinite(r.potential)) r.potential = 0.0;
    if (!std::isfinite(r.energyGain) || !std::isfinite(r.energyPeak)) {
      r.energyGain = r.energyPeak = 0.0;
    }
    r.work = r.potentialChange = 0.0;
    r.reaction = {};
  }
  refresh();
}

void JointSolver::save(std::vector<std::byte>& bytes) const {
  const std::size_t count = records_.size();
  const std::size_t start = bytes.size();
  bytes.resize(start + kHead + count * sizeof(SavedJoint));
  std::byte* out = bytes.data() + start;
  const std::uint64_t number = count;
  std::memcpy(out, &number, sizeof number);
  out += kHead;
  for (const JointRecord& r : records_) {
    SavedJoint saved{};
    saved.coordinate = r.coordinate;
    saved.potential = r.potential;
    saved.energyGain = r.energyGain;
    saved.energyPeak = r.energyPeak;
    saved.substep = r.substep;
    saved.flags = (r.used ? 1u : 0u) | (r.broken ? 2u : 0u) | (r.solved ? 4u : 0u);
    std::copy(r.impulse.begin(), r.impulse.end(), saved.impulse);
    std::memcpy(out, &saved, sizeof saved);
    out += sizeof saved;
  }
}

std::size_t JointSolver::load(std::span<const std::byte> bytes) {
  std::uint64_t count = 0;
  if (bytes.size() >= kHead) std::memcpy(&count, bytes.data(), sizeof count);
  if (bytes.size() < kHead || count != records_.size() ||
      bytes.size() < kHead + count * sizeof(SavedJoint)) {
    throw std::invalid_argument(
        fmt::format("snapshot holds {} joints in {} bytes; expected those of {} joints", count,
                    bytes.size(), records_.size()));
  }
  std::vector<SavedJoint> saved(count);
  if (count > 0) std::memcpy(saved.data(), bytes.data() + kHead, count * sizeof(SavedJoint));
  for (std::size_t j = 0; j < count; ++j) {
    if (((saved[j].flags & 1u) != 0) != records_[j].used) {
      throw std::invalid_argument(fmt::format("snapshot joint {} is {}; expected it {}", j,
                                              records_[j].used ? "missing" : "there",
                                              records_[j].used ? "there" : "missing"));
    }
  }
  for (std::size_t j = 0; j < count; ++j) {
    JointRecord& r = records_[j];
    r.coordinate = saved[j].coordinate;
    r.potential = saved[j].potential;
    r.energyGain = saved[j].energyGain;
    r.energyPeak = saved[j].energyPeak;
    std::copy(std::begin(saved[j].impulse), std::end(saved[j].impulse), r.impulse.begin());
    r.broken = (saved[j].flags & 2u) != 0;
    r.solved = (saved[j].flags & 4u) != 0;
    r.substep = saved[j].substep;
  }
  ++version_;  // components are made afresh, with these impulses
  return kHead + count * sizeof(SavedJoint);
}

}  // namespace msd_sim
