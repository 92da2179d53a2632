#include <algorithm>
#include <cmath>

#include "msd-sim/src/DataTypes/Arrays.hpp"
#include "msd-sim/src/Environment/WorkGrain.hpp"
#include "msd-sim/src/Physics/Solver/SolverTuning.hpp"
#include "msd-sim/src/Environment/Stages/RowPasses.hpp"

namespace msd_sim {

namespace {

/// Largest speed of a point of a body, squared [m²/s²], at most.
double fastestPoint2(const SolverBodies& solver, std::uint32_t i) {
  const BodyMotion& m = solver.motion[i];
  const double size = solver.pose[i].size;
  const double v2 = m.v[0] * m.v[0] + m.v[1] * m.v[1] + m.v[2] * m.v[2];
  const double w2 = m.w[0] * m.w[0] + m.w[1] * m.w[1] + m.w[2] * m.w[2];
  return v2 + size * size * w2;
}

/// How far the arm from a body's centre to a joint or a contact turns in a second [rad/s]. A body that spins about its
/// arm takes it nowhere.
double armRate(const SolverBodies& solver, std::uint32_t i, const Vector3D& arm, double length) {
  const Vector3D w = vectorOf(solver.motion[i].w);
  return length > 0.0 ? w.cross(quaternionOf(solver.pose[i].q) * arm).norm() / length : 0.0;
}

/// Adds to a census what some of its island's bodies or contacts tell; several threads may at a time, where it is
/// `shared`. Numbers and maxima do not depend on who comes first.
void addCensus(const IslandCensus& part, IslandCensus& census, bool shared) {
  (void)addTo(census.manifolds, part.manifolds, shared);
  if (part.fresh > 0) (void)addTo(census.fresh, part.fresh, shared);
  raise(census.fastest, part.fastest);
  raise(census.motion, part.motion);
  raise(census.finest, part.finest);
  raise(census.struck, part.struck);
  raise(census.forced, part.forced);
  raise(census.guided, part.guided);
  raise(census.bounces, part.bounces);
  raise(census.lossy, part.lossy);
  raise(census.resists, part.resists);
  raise(census.rolls, part.rolls);
}

/// Gathers what bodies or contacts tell, one after the other, as long as they are of one island.
class CensusTaker {
 public:
  explicit CensusTaker(Simulation& sim) : census_{sim.islands.census}, shared_{sim.team->threads() > 1} {}
  ~CensusTaker() { hand(); }
  CensusTaker(const CensusTaker&) = delete;
  CensusTaker& operator=(const CensusTaker&) = delete;
  [[nodiscard]] IslandCensus& of(std::uint32_t island) {
    if (island != island_) hand();
    island_ = island;
    return part_;
  }

 private:
  void hand() {
    if (island_ != Islands::kNone) addCensus(part_, census_[island_], shared_);
    part_ = {};
  }
  std::vector<IslandCensus>& census_;
  bool shared_;
  std::uint32_t island_{Islands::kNone};
  IslandCensus part_{};
};

void countBodies(Simulation& sim) {
  Islands& islands = sim.islands;
  for (std::size_t k = 0; k < islands.count(); ++k) {
    IslandCensus& census = islands.census[k];
    census = {};
    census.bodies = static_cast<std::uint32_t>(islands.bodiesOf(k).size());
    census.joints = islands.joints[k];
    census.held = islands.support[k] != IslandSupport::kNothing;
    census.driven = islands.support[k] == IslandSupport::kDriven;
    census.guided = islands.carried[k] != 0;
  }
  sim.team->forRange(islands.bodies.size(), kWorkGrain.bodies, [&](std::size_t first, std::size_t last) {
    CensusTaker taker{sim};
    for (std::size_t at = first; at < last; ++at) {
      const std::uint32_t i = islands.bodies[at];
      IslandCensus& census = taker.of(islands.islandOf[i]);
      census.fastest = std::max(census.fastest, fastestPoint2(sim.solver, i));  // squared so far
      census.finest = std::max(census.finest, 1.0 / sim.solver.pose[i].size);
      census.forced = census.forced || sim.slots[i].forced;
    }
  });
  for (IslandCensus& census : islands.census) census.fastest = std::sqrt(census.fastest);
}

/// Way in a step that its substeps do not resolve, against the smaller size (G-14).
double struckWay() { return kTuning.substeps * kTuning.smallTurn; }

/// Do two bodies of very different masses come far towards each other in a step?
bool isStruck(const Simulation& sim, std::uint32_t a, std::uint32_t b, double dt) {
  if (sim.pushable[a] == 0 || sim.pushable[b] == 0) return false;
  const SolverBodies& solver = sim.solver;
  const auto [least, most] = std::minmax(solver.mass[a].mass, solver.mass[b].mass);
  if (most < kTuning.struckRatio * least) return false;
  const double way = dt * (vectorOf(solver.motion[a].v) - vectorOf(solver.motion[b].v)).norm();
  return way > struckWay() * std::min(solver.pose[a].size, solver.pose[b].size);
}

/// How far a contact turns with its bodies in a second [rad/s]. What is round touches as before whichever way it has
/// turned about its core; faces and corners go with their bodies.
template <int kPoints>
double contactRate(const Simulation& sim, std::pair<std::uint32_t, std::uint32_t> bodyPair, const StoredContact<kPoints>& s) {
  const SolverBodies& solver = sim.solver;
  const bool follows = s.mode != static_cast<double>(FollowMode::kStay);
  double rate = 0.0;
  const auto side = [&](std::uint32_t i, double rounding, const double (&core)[kPoints][3]) {
    if (sim.pushable[i] == 0) return;
    if (!follows || !(rounding > 0.0)) {
      rate = std::max(rate, vectorOf(solver.motion[i].w).norm());
      return;
    }
    for (int p = 0; p < kPoints; ++p) {
      if (!(s.points[p].active > 0.0)) continue;
      rate = std::max(rate, armRate(solver, i, vectorOf(core[p]), solver.pose[i].size));
    }
  };
  side(bodyPair.first, s.rounding0, s.follow.core0);
  side(bodyPair.second, s.rounding1, s.follow.core1);
  return rate;
}

/// How far a joint turns with its bodies in a second [rad/s].
double jointRate(const Simulation& sim, const JointDefinition& joint) {
  double rate = 0.0;
  const auto side = [&](std::uint32_t i, const Vector3D& anchor) {
    if (sim.pushable[i] == 0) return;
    const bool isPoint = joint.kind == JointKind::kBall && joint.constraint == nullptr;
    rate = std::max(rate, isPoint ? armRate(sim.solver, i, anchor, anchor.norm())
                                  : vectorOf(sim.solver.motion[i].w).norm());
  };
  side(joint.bodyA, joint.anchorA);
  side(joint.bodyB, joint.anchorB);
  return rate;
}

/// A quarter of the phase that the spring of a joint swings through in a second [rad/s]: the midpoint rule (J-9) misses a
/// frequency by (hω)²/12. With its two bodies alone, since what hangs on them makes it slower. An overdamped one does not swing.
double springRate(const Simulation& sim, const JointDefinition& joint) {
  if (!(joint.stiffness > 0.0)) return 0.0;
  const JointRow row = evaluateCoordinateRow(joint, placeOf(sim.solver, joint.bodyA, joint.bodyB));
  const auto give = [&](std::uint32_t i, const Vector3D& linear, const Vector3D& angular) {
    const BodyMotion& m = sim.solver.motion[i];
    return sim.pushable[i] == 0 ? 0.0 : m.inverseMass * linear.squaredNorm() + angular.dot(inverseInertiaTimes(m, angular));
  };
  const double gives = give(joint.bodyA, row.linearA, row.angularA) + give(joint.bodyB, row.linearB, row.angularB);
  const double inverse = gives / (1.0 + rotorInertia(joint) * gives);
  const double damped = 0.5 * joint.damping * inverse;
  return 0.25 * std::sqrt(std::max(0.0, joint.stiffness * inverse - damped * damped));
}

/// Is a joint told where to be or how fast to go? Springs give way, as rotors, dampers and stops do, and given forces are
/// loads.
bool isGuided(const JointDefinition& joint) {
  return joint.constraint != nullptr ||
         (joint.motor && joint.motor->maxForce > 0.0 && joint.motor->mode != MotorMode::kForce);
}

void countContacts(Simulation& sim, double dt) {
  const Islands& islands = sim.islands;
  ContactCache& contacts = sim.collision.contacts();
  const std::span<const CollisionPipeline::Pair> pairs = sim.collision.pairs();
  const auto count = [&](CensusTaker& taker, std::uint32_t id, const ContactCache::Contact& contact) {
    const auto [a, b] = contact.bodies;
    if (sim.pushable[a] == 0 && sim.pushable[b] == 0) return;
    const std::uint32_t island = islands.islandOf[sim.pushable[a] != 0 ? a : b];
    IslandCensus& census = taker.of(island);
    ++census.manifolds;
    // Features come and go where bodies rock in a hollow; what has touched is not new.
    if (contact.born == contacts.frame() && !pairs[contact.pair].touching) ++census.fresh;
    const IslandCensus& all = islands.census[island];
    const bool quick = 2.0 * dt * all.fastest * all.finest > struckWay();
    if (quick && !census.struck) census.struck = isStruck(sim, a, b, dt);
    census.guided = census.guided || sim.slots[a].special || sim.slots[b].special;
    census.bounces = census.bounces || contact.bounces;
    census.lossy = census.lossy || !contact.bounces;
    if (!census.lossy) {
      contacts.with(id, [&](const auto& s) { census.lossy = s.friction > 0.0 || s.restitution < 1.0; });
    }
    census.resists = census.resists || contact.resistance != ContactCache::kNone;
    if (islands.joints[island] > 0) {
      contacts.with(id, [&](const auto& s) {
        census.motion = std::max(census.motion, dt * contactRate(sim, {contact.body0(), contact.body1()}, s));
      });
    }
    if (census.rolls || ContactCache::kindOf(id) == ContactCache::Kind::kPatch) return;
    contacts.with(id, [&](const auto& s) { census.rolls = s.rounding0 > 0.0 || s.rounding1 > 0.0; });
  };
  sim.team->forRange(contacts.places(), kContactGrain, [&](std::size_t first, std::size_t last) {
    CensusTaker taker{sim};
    contacts.forPlaces(first, last, [&](std::uint32_t id, const ContactCache::Contact& contact) { count(taker, id, contact); });
  });
}

/// Joints of components that are swept go on together: they rest all or none.
void countJoints(Simulation& sim, double dt) {
  Islands& islands = sim.islands;
  sim.joints.update(sim.solver, true);
  bool sweptRest = true;
  forJointIslands(sim, [&](const JointRecord& r, std::uint32_t k) {
    islands.census[k].plainJoints = islands.census[k].plainJoints && r.plain;
    islands.census[k].treeJoints = islands.census[k].treeJoints && r.ofTree;
    islands.census[k].sweptJoints = islands.census[k].sweptJoints || r.swept;
    islands.census[k].jointsRest = islands.census[k].jointsRest && !r.solved;
    const double rate = std::max(jointRate(sim, r.definition), springRate(sim, r.definition));
    islands.census[k].motion = std::max(islands.census[k].motion, dt * rate);
    islands.census[k].guided = islands.census[k].guided || isGuided(r.definition);
    sweptRest = sweptRest && (!r.swept || !r.solved);
  });
  for (std::size_t k = 0; k < islands.count(); ++k) {
    IslandCensus& census = islands.census[k];
    // What flies falls in one substep as in many, however fast.
    for (const std::uint32_t i : islands.bodiesOf(k)) {
      if (census.joints == 0 || census.manifolds == 0) break;
      const double way = dt * vectorOf(sim.solver.motion[i].v).norm() / sim.solver.pose[i].size;
      census.motion = std::max(census.motion, way);
    }
    census.jointsRest = census.jointsRest && (!census.sweptJoints || sweptRest);
  }
}

}  // namespace

/// A body in free flight falls exactly in one substep of any length; it turns exactly where its inertia is
/// the same about all axes, and nearly so where it turns little (T-11a).
bool fliesInOneSubstep(const Simulation& sim, std::uint32_t i, double dt) {
  const BodyMotion& m = sim.solver.motion[i];
  const double w2 = m.w[0] * m.w[0] + m.w[1] * m.w[1] + m.w[2] * m.w[2];
  return sim.pushable[i] != 0 && sim.settings.substeps == 0 && dt * dt * w2 <= kTuning.smallTurn * kTuning.smallTurn;
}

void planIslands(Simulation& sim, double dt) {
  Islands& islands = sim.islands;
  const std::size_t count = islands.count();
  islands.census.reserve(sim.slots.size());
  islands.plan.reserve(sim.slots.size());
  islands.census.assign(count, {});
  islands.plan.assign(count, {});
  if (sim.settings.method != Method::kExact) {
    countBodies(sim);
    countContacts(sim, dt);
    if (!sim.joints.isEmpty()) countJoints(sim, dt);
    const PlanSettings settings{.substeps = sim.settings.substeps,
                                .iterations = sim.settings.iterations,
                                .kickSpeed = 0.5 * dt * sim.settings.gravity.norm(),
                                .fields = !sim.potentials.empty()};
    for (std::size_t k = 0; k < count; ++k) islands.plan[k] = planIsland(islands.census[k], settings);
    sim.team->forRange(islands.bodies.size(), kWorkGrain.bodies, [&](std::size_t first, std::size_t last) {
      for (std::size_t at = first; at < last; ++at) {
        const std::uint32_t i = islands.bodies[at];
        sim.solver.budget[i] = islands.plan[islands.islandOf[i]].budget;
      }
    });
  } else {
    sim.solver.budget.assign(sim.solver.size(), SweepBudget{.corrections = static_cast<std::uint16_t>(2 * kTuning.mostHitSweeps)});
    if (!sim.joints.isEmpty()) sim.joints.update(sim.solver, false);
  }
  packIslands(sim, dt);
}

}  // namespace msd_sim
