#include <algorithm>
#include <cmath>

#include "msd-sim/src/DataTypes/Arrays.hpp"
#include "msd-sim/src/Environment/StageTuning.hpp"
#include "msd-sim/src/Environment/Stages/RowPasses.hpp"
#include "msd-sim/src/Environment/WorkGrain.hpp"

namespace msd_sim {

namespace {

/// Inertia tensor R I Rᵀ in world axes of a body turned so.
Matrix3D inertiaAt(const SolverBodies& solver, std::uint32_t i, const Quaternion& orientation) {
  const Matrix3D r = orientation.toRotationMatrix();
  return r * symmetricOf(solver.mass[i].inertia) * r.transpose();
}

Matrix3D worldInertia(const SolverBodies& solver, std::uint32_t i) {
  return inertiaAt(solver, i, quaternionOf(solver.pose[i].q));
}

/// Kinetic energy of a body with the inertia it has in an orientation [J].
double kineticOf(const SolverBodies& solver, std::uint32_t i, const Matrix3D& inertia) {
  const Vector3D v = vectorOf(solver.motion[i].v), w = vectorOf(solver.motion[i].w);
  return 0.5 * (solver.mass[i].mass * v.squaredNorm() + w.dot(inertia * w));
}

/// World inertia of a body before its position was corrected.
Matrix3D inertiaBefore(const SolverBodies& solver, std::uint32_t i) {
  return inertiaAt(solver, i, quaternionOf(solver.turn[i].q) * quaternionOf(solver.start[i].q));
}

double kineticBefore(const SolverBodies& solver, std::span<const std::uint32_t> bodies) {
  double sum = 0.0;
  for (const std::uint32_t i : bodies) sum += kineticOf(solver, i, inertiaBefore(solver, i));
  return sum;
}

double kineticOf(const SolverBodies& solver, std::span<const std::uint32_t> bodies) {
  double sum = 0.0;
  for (const std::uint32_t i : bodies) sum += kineticOf(solver, i, worldInertia(solver, i));
  return sum;
}

/// What contacts took out of an island in the step, the guard's part of it too [J].
double takenByContacts(const Simulation& sim, std::size_t k) {
  const ContactTotals& totals = sim.contactTotals[k];
  return -(totals.normalWork + totals.frictionWork + sim.islands.guarded[k].work);
}

/// The rigid motion with the momentum and the angular momentum of a group of bodies.
struct RigidMotionOfGroup {
  Coordinate centre{Coordinate::Zero()};
  CoordinateRate velocity{CoordinateRate::Zero()};
  AngularRate spin{AngularRate::Zero()};
  Matrix3D inertia{Matrix3D::Zero()};  ///< about the centre [kg·m²]
  double kinetic{0.0};                 ///< [J]

  RigidMotionOfGroup(const SolverBodies& solver, std::span<const std::uint32_t> bodies) {
    double mass = 0.0;
    Vector3D momentum = Vector3D::Zero();
    for (const std::uint32_t i : bodies) {
      mass += solver.mass[i].mass;
      centre += solver.mass[i].mass * vectorOf(solver.pose[i].x);
      momentum += solver.mass[i].mass * vectorOf(solver.motion[i].v);
    }
    centre /= mass;
    velocity = momentum / mass;
    Vector3D angular = Vector3D::Zero();
    for (const std::uint32_t i : bodies) {
      const double m = solver.mass[i].mass;
      const Vector3D r = vectorOf(solver.pose[i].x) - centre;
      const Matrix3D own = worldInertia(solver, i);
      angular += r.cross(m * vectorOf(solver.motion[i].v)) + own * vectorOf(solver.motion[i].w);
      inertia += own + m * (r.squaredNorm() * Matrix3D::Identity() - r * r.transpose());
    }
    spin = inertia.ldlt().solve(angular);
    kinetic = 0.5 * (mass * velocity.squaredNorm() + spin.dot(angular));
  }
};

/// Scales what an island moves beyond the rigid motion of its momenta: these stay as they are. Returns the factor.
double calmFreeIsland(SolverBodies& solver, std::span<const std::uint32_t> bodies, double surplus,
                    double kinetic) {
  const RigidMotionOfGroup rigid{solver, bodies};
  const double inner = kinetic - rigid.kinetic;
  if (!(inner > 0.0)) return 1.0;
  const double c = std::sqrt(std::max(0.0, 1.0 - surplus / inner));
  for (const std::uint32_t i : bodies) {
    BodyMotion& m = solver.motion[i];
    const Vector3D v =
        rigid.velocity + rigid.spin.cross(vectorOf(solver.pose[i].x) - rigid.centre);
    for (int q = 0; q < 3; ++q) {
      m.v[q] = v[q] + c * (m.v[q] - v[q]);
      m.w[q] = rigid.spin[q] + c * (m.w[q] - rigid.spin[q]);
    }
  }
  return c;
}

/// Scales all that moves: what holds the island takes up the difference of momentum. Returns the factor.
double calmHeldIsland(SolverBodies& solver, std::span<const std::uint32_t> bodies, double surplus,
                    double kinetic) {
  const double c = std::sqrt(std::max(0.0, 1.0 - surplus / kinetic));
  for (const std::uint32_t i : bodies) {
    for (int q = 0; q < 3; ++q) {
      solver.motion[i].v[q] *= c;
      solver.motion[i].w[q] *= c;
    }
  }
  return c;
}

/// True when some mechanism of an island could not be closed after a substep of this step (J-42).
bool hasGivenUp(Simulation& sim, std::size_t k) {
  const std::span<const std::uint32_t> bodies = sim.islands.bodiesOf(k);
  return std::any_of(bodies.begin(), bodies.end(), [&](std::uint32_t i) {
    const std::uint32_t c = sim.joints.componentOf(i);
    return c != JointSolver::kNoComponent && sim.joints.components()[c].hasGivenUp();
  });
}

/// Energy to take out of an island with joints. These exchange energy between the phases of a swing:
/// what was lost may come back, and only the sum counts (J-23).
double surplusWithJoints(Simulation& sim, std::size_t k, double surplus, double kinetic) {
  Islands& islands = sim.islands;
  islands.peak[k] = std::max(islands.peak[k], kinetic);
  islands.gain[k] += surplus;
  const bool touched = islands.census[k].manifolds > 0;
  const double share = touched ? kStageTuning.touchedGain : kStageTuning.jointGain;
  // What contacts have taken does not come back, nor much of what a swing has lost that the substep does not resolve.
  if (touched || hasGivenUp(sim, k)) {
    islands.gain[k] = std::max(islands.gain[k], (touched ? -share : -kStageTuning.jointLoss) * islands.peak[k]);
  }
  const double excess = islands.gain[k] - share * islands.peak[k];
  if (!(excess > 0.0)) return 0.0;
  islands.gain[k] -= excess;
  return excess;
}

double loadShare(const SolverBodies& solver, std::uint32_t i, double h) {
  const BodyLoad& load = solver.load[i];
  const double a2 = vectorOf(load.a).squaredNorm();
  return kStageTuning.loadRounding * solver.mass[i].mass * a2 * h * h +
         kStageTuning.kineticRounding * solver.kick[i].kinetic;
}

/// Adds up what add(body, sums) tells of an island's bodies. Of many, the team may share the blocks, whose sums are
/// added in their order.
template <class Add>
IslandSums sumIsland(Simulation& sim, PackScratch& scratch, std::size_t k, const Add& add) {
  const std::span<const std::uint32_t> bodies = sim.islands.bodiesOf(k);
  IslandSums all;
  if (bodies.size() < kWorkGrain.manyBodies) {
    for (const std::uint32_t i : bodies) add(i, all);
    return all;
  }
  std::vector<IslandSums>& parts = scratch.sums;
  parts.assign((bodies.size() + kWorkGrain.blockBodies - 1) / kWorkGrain.blockBodies, IslandSums{});
  sim.team->forRange(bodies.size(), kWorkGrain.blockBodies, [&](std::size_t first, std::size_t last) {
    IslandSums part;
    for (const std::uint32_t i : bodies.subspan(first, last - first)) add(i, part);
    parts[first / kWorkGrain.blockBodies] = part;
  });
  for (const IslandSums& part : parts) {
    all.energy += part.energy;
    all.kinetic += part.kinetic;
    all.allowance += part.allowance;
    all.weight += part.weight;
  }
  return all;
}

/// Enters what a held drift takes: kinetic energy, and, as an impulse P between the phase and the drift has moved its body
/// by half a kick more than the kicks count, -½h a·P (L-6).
void enterLimit(Simulation& sim, PackScratch& scratch, std::size_t k, double h, double scale) {
  SolverBodies& solver = sim.solver;
  const std::span<const std::uint32_t> bodies = sim.islands.bodiesOf(k);
  double power = 0.0;
  for (const std::uint32_t i : bodies) {
    power += solver.mass[i].mass * vectorOf(solver.load[i].a).dot(vectorOf(solver.motion[i].v));
  }
  const double kinetic = (scale * scale - 1.0) * kineticOf(solver, bodies);
  const double moved = 0.5 * h * (1.0 - scale) * power;
  sim.islands.guarded[k].add(kinetic + moved, scale);
  solver.turn[bodies[0]].scheme -= moved;  // only the sum counts
  scratch.guardedEnergy = std::max(scratch.guardedEnergy, -(kinetic + moved));
}

/// Slows the drift of an island that would climb higher than its motion can carry it. Returns whether.
bool limitIsland(Simulation& sim, PackScratch& scratch, std::size_t k, double h, bool measured) {
  SolverBodies& solver = sim.solver;
  if (sim.islands.support[k] != IslandSupport::kStatic) return false;
  // Joints alone are closed by phase 1, and their energy comes and goes (J-23).
  if (sim.islands.joints[k] > 0 && sim.islands.census[k].manifolds == 0) return false;
  const IslandSums sums = sumIsland(sim, scratch, k, [&](std::uint32_t i, IslandSums& sum) {
    const BodyMotion& m = solver.motion[i];
    sum.energy -= h * (solver.mass[i].mass * vectorOf(solver.load[i].a).dot(vectorOf(m.v)) +
                       vectorOf(solver.load[i].torque).dot(vectorOf(m.w)));
    sum.kinetic += solver.kick[i].kinetic;
    sum.allowance += loadShare(solver, i, h);
  });
  const double climb = sums.energy, kinetic = std::max(sums.kinetic, 0.0);
  const double scale = climb > kinetic + sums.allowance ? kinetic / climb : 1.0;
  sim.islands.scale[k] = scale;
  if (scale == 1.0) return false;
  enterLimit(sim, scratch, k, h, scale);
  double motion = 0.0;
  for (const std::uint32_t i : sim.islands.bodiesOf(k)) {
    solver.turn[i].hold = scale;
    motion += solver.turn[i].kinetic;
  }
  if (measured) solver.kick[sim.islands.bodiesOf(k)[0]].kinetic -= (1.0 - scale * scale) * motion;
  return true;
}

/// Takes out what an island gained beyond the work of its loads. Returns whether it had to; `stiff` is
/// raised where joints gained more than they should.
bool calmIsland(Simulation& sim, PackScratch& scratch, std::size_t k, double h, bool& stiff) {
  SolverBodies& solver = sim.solver;
  const IslandSupport support = sim.islands.support[k];
  if (support == IslandSupport::kDriven) return false;
  if (sim.settings.method == Method::kExact && sim.islands.joints[k] > 0) return false;
  const std::span<const std::uint32_t> bodies = sim.islands.bodiesOf(k);
  const IslandSums sums = sumIsland(sim, scratch, k, [&](std::uint32_t i, IslandSums& sum) {
    sum.energy += solver.turn[i].surplus;
    sum.kinetic += solver.turn[i].kinetic;
    sum.allowance += loadShare(solver, i, h);
    sum.weight += solver.mass[i].mass * vectorOf(solver.load[i].a).norm();
  });
  const double kinetic = sums.kinetic;
  double surplus = sums.energy;
  if (sums.weight > 0.0) sim.islands.paidLift[k] += std::max(-surplus, 0.0) / sums.weight;
  if (sim.islands.scale[k] != 1.0) {
    for (const std::uint32_t i : bodies) solver.turn[i].hold = 1.0;
    sim.islands.scale[k] = 1.0;
  }
  const bool jointed = sim.islands.joints[k] > 0;
  if (jointed) surplus = surplusWithJoints(sim, k, surplus, kinetic);
  if (surplus <= sums.allowance || !(kinetic > 0.0)) return false;
  if (jointed && surplus > kStageTuning.jointGain * kinetic) stiff = true;
  calmMotion(sim, k, surplus, kinetic);
  scratch.guardedEnergy = std::max(scratch.guardedEnergy, surplus);
  solver.kick[bodies[0]].kinetic -= surplus;  // only the island's sum counts
  return true;
}

/// Counts the islands of a pack for which guard(island) had something to do.
template <class Guard>
void guardIslands(Simulation& sim, std::size_t pack, const Guard& guard) {
  PackScratch& scratch = *sim.packScratch[pack];
  for (const std::uint32_t k : sim.packs.islandsOf(sim.packs.packs[pack])) {
    if (guard(scratch, k)) ++scratch.guarded;
  }
}

}  // namespace

void limitDrift(Simulation& sim, std::size_t pack, double h, bool measured) {
  guardIslands(sim, pack, [&](PackScratch& scratch, std::size_t k) { return limitIsland(sim, scratch, k, h, measured); });
}

void calmMotion(Simulation& sim, std::size_t island, double surplus, double kinetic) {
  if (!(kinetic > 0.0)) return;
  const std::span<const std::uint32_t> bodies = sim.islands.bodiesOf(island);
  // Booked is what the motion has lost, not what it was to lose; with the inertia before correction, which the ledger
  // enters by the velocity that is left.
  const double before = kineticBefore(sim.solver, bodies);
  const double factor = sim.islands.support[island] == IslandSupport::kNothing
                            ? calmFreeIsland(sim.solver, bodies, surplus, kinetic)
                            : calmHeldIsland(sim.solver, bodies, surplus, kinetic);
  sim.islands.guarded[island].add(kineticBefore(sim.solver, bodies) - before, factor);
}

void guardEnergy(Simulation& sim, std::size_t pack, double h) {
  bool stiff = false;
  guardIslands(sim, pack, [&](PackScratch& scratch, std::size_t k) { return calmIsland(sim, scratch, k, h, stiff); });
  if (stiff) sim.joints.noteStiff();
}

namespace {

/// Kinetic energy of half a kick of its loads: what a contact may give in one phase and take in another (L-11) [J].
double halfKick(const SolverBodies& solver, std::span<const std::uint32_t> bodies, double h) {
  double sum = 0.0;
  for (const std::uint32_t i : bodies) {
    sum += solver.mass[i].mass * vectorOf(solver.load[i].a).squaredNorm();
  }
  return 0.125 * h * h * sum;
}

void takeBackContactGain(Simulation& sim, std::size_t k, double h) {
  // Others have been looked after substep by substep (T-13).
  if (sim.islands.support[k] != IslandSupport::kDriven && sim.islands.joints[k] == 0) return;
  const double gained = -takenByContacts(sim, k);
  if (!(gained > 0.0)) return;
  const std::span<const std::uint32_t> bodies = sim.islands.bodiesOf(k);
  const double kinetic = kineticBefore(sim.solver, bodies);
  if (!(gained > kStageTuning.kineticRounding * kinetic)) return;
  const bool bounces = sim.islands.rebound[k].state != ReboundState::kNone;
  if (!bounces && gained < halfKick(sim.solver, bodies, h)) return;
  calmMotion(sim, k, gained, kinetic);
  ++sim.guardedSubsteps;
  sim.guardedEnergy = std::max(sim.guardedEnergy, gained);
}

}  // namespace

void takeBackContactGains(Simulation& sim) {
  for (std::size_t pack = 0; pack < sim.packs.packs.size(); ++pack) {
    const double h = sim.packScratch[pack]->h;
    for (const std::uint32_t k : sim.packs.islandsOf(sim.packs.packs[pack])) takeBackContactGain(sim, k, h);
  }
}

void recallJointGains(Simulation& sim) {
  if (sim.joints.isEmpty()) return;
  Islands& islands = sim.islands;
  islands.gain.reserve(sim.slots.size());
  islands.peak.reserve(sim.slots.size());
  islands.gain.assign(islands.count(), 0.0);
  islands.peak.assign(islands.count(), 0.0);
  forJointIslands(sim, [&](const JointRecord& r, std::uint32_t k) {
    islands.gain[k] += r.energyGain;
    islands.peak[k] = std::max(islands.peak[k], r.energyPeak);
  });
}

void storeJointGains(Simulation& sim) {
  if (sim.joints.isEmpty()) return;
  const Islands& islands = sim.islands;
  forJointIslands(sim, [&](JointRecord& r, std::uint32_t k) {
    r.energyGain = islands.gain[k] / islands.joints[k];
    r.energyPeak = islands.peak[k];
  });
}

namespace {

/// Moving bodies that fly apart moves their momenta too. An island that nothing holds gives back, by a
/// rigid turn, the angular momentum Σ m d × v + ΔI ω that its correction brought (P-7).
void returnTurn(SolverBodies& solver, std::span<const std::uint32_t> bodies) {
  Vector3D gained = Vector3D::Zero();
  for (const std::uint32_t i : bodies) {
    const BodyShift& shift = solver.shift[i];
    gained += solver.mass[i].mass * vectorOf(shift.d).cross(vectorOf(solver.motion[i].v));
    if (!vectorOf(shift.theta).isZero(0.0)) {
      gained += (worldInertia(solver, i) - inertiaBefore(solver, i)) * vectorOf(solver.motion[i].w);
    }
  }
  if (gained.isZero(0.0)) return;
  const RigidMotionOfGroup group{solver, bodies};
  const Vector3D spin = group.inertia.ldlt().solve(gained);
  for (const std::uint32_t i : bodies) {
    BodyMotion& m = solver.motion[i];
    const Vector3D v = spin.cross(vectorOf(solver.pose[i].x) - group.centre);
    for (int c = 0; c < 3; ++c) {
      m.v[c] -= v[c];
      m.w[c] -= spin[c];
    }
  }
}

/// What position correction gave a body [J].
struct CorrectionEnergy {
  double before;   ///< kinetic energy as the body lay before
  double kinetic;  ///< kinetic energy as it lies now
  double energy;   ///< gained: its climb against gravity, and the turn of its inertia
};

CorrectionEnergy correctionEnergyOf(const Simulation& sim, std::uint32_t i) {
  const SolverBodies& solver = sim.solver;
  const BodyShift& shift = solver.shift[i];
  const double climb = -solver.mass[i].mass * sim.settings.gravity.dot(vectorOf(shift.d));
  const double kinetic = kineticOf(solver, i, worldInertia(solver, i));
  if (vectorOf(shift.theta).isZero(0.0)) return {kinetic, kinetic, climb};
  const double before = kineticOf(solver, i, inertiaBefore(solver, i));
  return {before, kinetic, climb + (kinetic - before)};
}

CorrectionEnergy sumCorrectionEnergies(const Simulation& sim, std::span<const std::uint32_t> bodies) {
  CorrectionEnergy sum{};
  for (const std::uint32_t i : bodies) {
    const CorrectionEnergy own = correctionEnergyOf(sim, i);
    sum.before += own.before;
    sum.kinetic += own.kinetic;
    sum.energy += own.energy;
  }
  return sum;
}

/// What correction gave, and what of it the motion paid, with the inertia that it had before: the ledger enters the turn
/// of the inertia by the velocity that is left [J].
struct LiftPayment {
  double energy;
  double paid;
};

/// A body that something holds pays for its own lift.
LiftPayment returnFromBody(Simulation& sim, std::uint32_t i) {
  const CorrectionEnergy given = correctionEnergyOf(sim, i);
  if (!(given.energy > 0.0) || !(given.kinetic > 0.0)) return {given.energy, 0.0};
  calmHeldIsland(sim.solver, std::span{&i, 1}, given.energy, given.kinetic);
  return {given.energy, std::min(given.energy / given.kinetic, 1.0) * given.before};
}

/// The bodies of an island that nothing holds pay for it together.
LiftPayment returnFromIsland(Simulation& sim, std::span<const std::uint32_t> bodies) {
  const CorrectionEnergy given = sumCorrectionEnergies(sim, bodies);
  returnTurn(sim.solver, bodies);
  const double turned = sumCorrectionEnergies(sim, bodies).kinetic;
  const double surplus = given.energy + (turned - given.kinetic);
  if (surplus > 0.0) calmFreeIsland(sim.solver, bodies, surplus, turned);
  return {given.energy, given.before - sumCorrectionEnergies(sim, bodies).before};
}

/// Bodies that hang together on something pay together: their joints' velocities stay zero.
LiftPayment returnFromMechanism(Simulation& sim, std::size_t island) {
  const CorrectionEnergy sum = sumCorrectionEnergies(sim, sim.islands.bodiesOf(island));
  if (!(sum.energy > 0.0) || !(sum.kinetic > 0.0)) return {sum.energy, 0.0};
  calmHeldIsland(sim.solver, sim.islands.bodiesOf(island), sum.energy, sum.kinetic);
  return {sum.energy, std::min(sum.energy / sum.kinetic, 1.0) * sum.before};
}

/// Whoever pays for the lifts of an island. Motion that is driven does not.
LiftPayment returnFrom(Simulation& sim, PackScratch& scratch, std::size_t k) {
  const Islands& islands = sim.islands;
  const IslandSupport support = islands.support[k];
  if (support == IslandSupport::kDriven) return {sumCorrectionEnergies(sim, islands.bodiesOf(k)).energy, 0.0};
  if (islands.joints[k] > 0 && support != IslandSupport::kNothing) return returnFromMechanism(sim, k);
  if (support == IslandSupport::kNothing) return returnFromIsland(sim, islands.bodiesOf(k));
  const IslandSums sums = sumIsland(sim, scratch, k, [&](std::uint32_t i, IslandSums& sum) {
    const LiftPayment own = returnFromBody(sim, i);
    sum.energy += own.energy;
    sum.kinetic += own.paid;
  });
  return {sums.energy, sums.kinetic};
}

}  // namespace

void returnCorrectionEnergy(Simulation& sim) {
  Islands& islands = sim.islands;
  for (std::vector<double>* sums : {&islands.correctionEnergy, &islands.lifted}) {
    sums->reserve(sim.slots.size());
    sums->assign(islands.count(), 0.0);
  }
  forPacks(sim, [&](std::size_t pack) {
    for (const std::uint32_t k : sim.packs.islandsOf(sim.packs.packs[pack])) {
      const LiftPayment lift = returnFrom(sim, *sim.packScratch[pack], k);
      islands.correctionEnergy[k] = lift.paid;
      islands.lifted[k] = lift.energy - lift.paid;
    }
  });
  for (const double energy : islands.correctionEnergy) sim.returnedCorrectionEnergy += energy;
}

double liftsPaidByContacts(const Simulation& sim) {
  double paid = 0.0;
  for (std::size_t k = 0; k < sim.islands.lifted.size(); ++k) {
    paid += std::max(0.0, std::min(sim.islands.lifted[k], takenByContacts(sim, k)));
  }
  return paid;
}

}  // namespace msd_sim
