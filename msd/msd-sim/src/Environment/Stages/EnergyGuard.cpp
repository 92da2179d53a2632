#include <cmath>

#include "msd-sim/src/Environment/Simulation.hpp"

namespace msd_sim {

namespace {

// The guard lets this share of the energy that the loads feed in during a substep pass, and this
// share of the kinetic energy: both are rounding.
constexpr double kLoadShare = 1e-9;
constexpr double kKineticShare = 1e-13;

// What an island with joints may have gained, relative to the largest kinetic energy it has had: the
// energy of a swing that the substep resolves stays within this of its mean (J-23).
constexpr double kJointGain = 1e-3;

Vector3D vec(const double (&a)[3]) { return {a[0], a[1], a[2]}; }

/// Inertia tensor R I Rᵀ in world axes.
Matrix3D worldInertia(const SolverBodies& solver, std::uint32_t i) {
  const double* s = solver.mass[i].inertia;
  const double* q = solver.pose[i].q;
  Matrix3D body;
  body << s[0], s[3], s[4], s[3], s[1], s[5], s[4], s[5], s[2];
  const Matrix3D r = Quaternion{q[0], q[1], q[2], q[3]}.toRotationMatrix();
  return r * body * r.transpose();
}

/// The rigid motion with the momentum and the angular momentum of a group of bodies.
struct RigidMotionOfGroup {
  Coordinate centre{Coordinate::Zero()};
  CoordinateRate velocity{CoordinateRate::Zero()};
  AngularRate spin{AngularRate::Zero()};
  double kinetic{0.0};  ///< [J]

  RigidMotionOfGroup(const SolverBodies& solver, std::span<const std::uint32_t> bodies) {
    double mass = 0.0;
    Vector3D momentum = Vector3D::Zero();
    for (const std::uint32_t i : bodies) {
      mass += solver.mass[i].mass;
      centre += solver.mass[i].mass * vec(solver.pose[i].x);
      momentum += solver.mass[i].mass * vec(solver.motion[i].v);
    }
    centre /= mass;
    velocity = momentum / mass;
    Vector3D angular = Vector3D::Zero();
    Matrix3D inertia = Matrix3D::Zero();
    for (const std::uint32_t i : bodies) {
      const double m = solver.mass[i].mass;
      const Vector3D r = vec(solver.pose[i].x) - centre;
      const Matrix3D own = worldInertia(solver, i);
      angular += r.cross(m * vec(solver.motion[i].v)) + own * vec(solver.motion[i].w);
      inertia += own + m * (r.squaredNorm() * Matrix3D::Identity() - r * r.transpose());
    }
    spin = inertia.ldlt().solve(angular);
    kinetic = 0.5 * (mass * velocity.squaredNorm() + spin.dot(angular));
  }
};

/// Scales what an island moves beyond the rigid motion of its momenta: these stay as they are.
void calmFreeIsland(SolverBodies& solver, std::span<const std::uint32_t> bodies, double surplus,
                    double kinetic) {
  const RigidMotionOfGroup rigid{solver, bodies};
  const double inner = kinetic - rigid.kinetic;
  if (!(inner > 0.0)) return;
  const double c = std::sqrt(std::max(0.0, 1.0 - surplus / inner));
  for (const std::uint32_t i : bodies) {
    BodyMotion& m = solver.motion[i];
    const Vector3D v =
        rigid.velocity + rigid.spin.cross(vec(solver.pose[i].x) - rigid.centre);
    for (int q = 0; q < 3; ++q) {
      m.v[q] = v[q] + c * (m.v[q] - v[q]);
      m.w[q] = rigid.spin[q] + c * (m.w[q] - rigid.spin[q]);
    }
  }
}

/// Scales all that moves: what holds the island takes up the difference of momentum.
void calmHeldIsland(SolverBodies& solver, std::span<const std::uint32_t> bodies, double surplus,
                    double kinetic) {
  const double c = std::sqrt(std::max(0.0, 1.0 - surplus / kinetic));
  for (const std::uint32_t i : bodies) {
    for (int q = 0; q < 3; ++q) {
      solver.motion[i].v[q] *= c;
      solver.motion[i].w[q] *= c;
    }
  }
}

/// Energy to take out of an island with joints. These exchange energy between the phases of a swing:
/// what was lost may come back, and only the sum counts (J-23).
double surplusWithJoints(Islands& islands, std::size_t k, double surplus, double kinetic) {
  islands.peak[k] = std::max(islands.peak[k], kinetic);
  islands.gain[k] += surplus;
  const double excess = islands.gain[k] - kJointGain * islands.peak[k];
  if (!(excess > 0.0)) return 0.0;
  islands.gain[k] -= excess;
  return excess;
}

double loadShare(const SolverBodies& solver, std::uint32_t i, double h) {
  const BodyLoad& load = solver.load[i];
  const double a2 = vec(load.a).squaredNorm();
  return kLoadShare * solver.mass[i].mass * a2 * h * h +
         kKineticShare * solver.kick[i].kinetic;
}

/// Calls visit(record, island) for every joint that holds a body which can be pushed.
template <class Visit>
void forJointIslands(Simulation& sim, const Visit& visit) {
  for (JointRecord& r : sim.joints.records()) {
    if (!r.used || r.broken) continue;
    const JointDefinition& d = r.definition;
    const std::uint32_t k = sim.islands.islandOf[sim.pushable[d.bodyA] != 0 ? d.bodyA : d.bodyB];
    if (k != Islands::kNone) visit(r, k);
  }
}

}  // namespace

void holdDrift(Simulation& sim, double h) {
  SolverBodies& solver = sim.solver;
  for (std::size_t k = 0; k < sim.islands.count(); ++k) {
    if (sim.islands.hold[k] != IslandHold::kStatic || sim.islands.joints[k] > 0) continue;
    double climb = 0.0, kinetic = 0.0, allowance = 0.0;
    for (const std::uint32_t i : sim.islands.bodiesOf(k)) {
      const BodyMotion& m = solver.motion[i];
      climb -= h * (solver.mass[i].mass * vec(solver.load[i].a).dot(vec(m.v)) +
                    vec(solver.load[i].torque).dot(vec(m.w)));
      kinetic += solver.kick[i].kinetic;
      allowance += loadShare(solver, i, h);
    }
    sim.islands.scale[k] = climb > kinetic + allowance ? kinetic / climb : 1.0;
    if (sim.islands.scale[k] == 1.0) continue;
    for (const std::uint32_t i : sim.islands.bodiesOf(k)) solver.hold[i] = sim.islands.scale[k];
    ++sim.guardedSubsteps;
  }
}

void guardEnergy(Simulation& sim, double h) {
  SolverBodies& solver = sim.solver;
  for (std::size_t k = 0; k < sim.islands.count(); ++k) {
    const IslandHold hold = sim.islands.hold[k];
    if (hold == IslandHold::kDriven) continue;
    const std::span<const std::uint32_t> bodies = sim.islands.bodiesOf(k);
    double surplus = 0.0, allowance = 0.0, kinetic = 0.0;
    for (const std::uint32_t i : bodies) {
      surplus += solver.surplus[i];
      kinetic += solver.surplus[i] + solver.kick[i].kinetic + solver.kick[i].work;
      allowance += loadShare(solver, i, h);
    }
    if (sim.islands.scale[k] != 1.0) {
      for (const std::uint32_t i : bodies) solver.hold[i] = 1.0;
      sim.islands.scale[k] = 1.0;
    }
    if (sim.islands.joints[k] > 0) {
      surplus = surplusWithJoints(sim.islands, k, surplus, kinetic);
    }
    if (surplus <= allowance || !(kinetic > 0.0)) continue;
    if (sim.islands.joints[k] > 0 && surplus > kJointGain * kinetic) sim.joints.noteTaut();
    ++sim.guardedSubsteps;
    if (hold == IslandHold::kStatic) {
      calmHeldIsland(solver, bodies, surplus, kinetic);
    } else {
      calmFreeIsland(solver, bodies, surplus, kinetic);
    }
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

}  // namespace msd_sim
