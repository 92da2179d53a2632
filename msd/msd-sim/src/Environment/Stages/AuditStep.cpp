#include <algorithm>
#include <cmath>

#include "msd-sim/src/DataTypes/Arrays.hpp"
#include "msd-sim/src/Environment/Stages/ApplyLoads.hpp"
#include "msd-sim/src/Environment/Stages/RowPasses.hpp"
#include "msd-sim/src/Environment/WorkGrain.hpp"

namespace msd_sim {

namespace {

/// Angular momentum R I Rᵀ w.
Vector3D momentum(const Matrix3D& inertia, const Quaternion& q, const Vector3D& w) {
  return q * (inertia * (q.conjugate() * w));
}

/// The energy balance of one body over the step (docs/theory/energy.md, L-1 to L-9).
struct BodyBalance {
  double kinetic, potential, change, external, position, integrator;
};

BodyBalance balance(const Simulation& sim, std::uint32_t i, double dt) {
  const BodyStart& s = sim.solver.start[i];
  const BodyMotion& m = sim.solver.motion[i];
  const BodyPose& pose = sim.solver.pose[i];
  const BodyMass& mass = sim.solver.mass[i];
  const BodyLoad& load = sim.solver.load[i];
  const BodyShift& shift = sim.solver.shift[i];
  const Matrix3D inertia = symmetricOf(mass.inertia);

  const Vector3D v0 = vectorOf(s.v), w0 = vectorOf(s.w), v1 = vectorOf(m.v), w1 = vectorOf(m.w);
  const Quaternion q0 = quaternionOf(s.q);
  const Quaternion q1 = quaternionOf(sim.solver.turn[i].q) * q0;  // before position correction
  const Quaternion q2 = quaternionOf(pose.q);
  const Vector3D l0 = momentum(inertia, q0, w0);
  const Vector3D l1 = momentum(inertia, q1, w1);
  const Vector3D l2 = momentum(inertia, q2, w1);
  const double m0 = mass.mass;
  const double kinetic0 = 0.5 * (m0 * v0.squaredNorm() + w0.dot(l0));
  const double kinetic1 = 0.5 * (m0 * v1.squaredNorm() + w1.dot(l1));
  const double kinetic2 = 0.5 * (m0 * v1.squaredNorm() + w1.dot(l2));

  const Acceleration g = sim.settings.gravity;
  const Vector3D weight = m0 * g;
  const Vector3D push = m0 * vectorOf(load.a) - weight;  // user forces
  const Vector3D torque = vectorOf(load.torque);
  const Vector3D dx = vectorOf(m.dx), moved = vectorOf(shift.d);
  BodyBalance b{};
  b.kinetic = kinetic2;
  b.potential = -weight.dot(vectorOf(pose.x));
  b.change = (kinetic2 - kinetic0) - weight.dot(dx + moved);
  b.external = push.dot(dx) + 0.5 * dt * torque.dot(w0 + w1);
  b.position = (kinetic2 - kinetic1) - weight.dot(moved);
  // (L-6): what the kicks gave, against the work of the loads along the way that was gone.
  b.integrator = sim.solver.turn[i].scheme - weight.dot(dx) - b.external;
  return b;
}

void addFieldBalance(const FieldBalance& field, BodyBalance& b) {
  b.potential += field.energy;
  b.change += field.change;
  b.position += field.position;
  b.integrator += field.change - field.position;
}

/// Of a body that sleeps.
double restingPotential(const Simulation& sim, std::uint32_t i) {
  const AssetInertial& body = *sim.slots[i].inertial;
  const InertialState& state = body.getInertialState();
  return -body.getMass() * sim.settings.gravity.dot(state.position) + fieldEnergy(sim, i, state);
}

/// Adds up the bodies [first, last).
AuditSums auditBlock(const Simulation& sim, double dt, std::size_t first, std::size_t last) {
  AuditSums sums;
  EnergyLedger& ledger = sums.ledger;
  const double gravity = sim.settings.gravity.norm();
  for (auto i = static_cast<std::uint32_t>(first); i < last; ++i) {
    if (!sim.slots[i].inertial) continue;
    ++sums.bodies;
    if (sim.pushable[i] == 0) {
      if (sim.sleepers.asleep[i] != 0) ledger.potential += restingPotential(sim, i);
      continue;
    }
    ++sums.awake;
    BodyBalance b = balance(sim, i, dt);
    if (!sim.fields.empty()) addFieldBalance(balanceFields(sim, i), b);
    sums.weightTimesSize += sim.solver.mass[i].mass * gravity * sim.solver.pose[i].size;
    ledger.kinetic += b.kinetic;
    ledger.potential += b.potential;
    ledger.change += b.change;
    ledger.externalWork += b.external;
    ledger.positionWork += b.position;
    ledger.integratorError += b.integrator;
  }
  return sums;
}

AuditSums auditBodies(Simulation& sim, double dt) {
  const std::size_t count = sim.slots.size();
  sim.auditSums.resize((count + kWorkGrain.audit - 1) / kWorkGrain.audit);
  sim.team->forRange(count, kWorkGrain.audit, [&](std::size_t first, std::size_t last) {
    sim.auditSums[first / kWorkGrain.audit] = auditBlock(sim, dt, first, last);
  });
  AuditSums all;
  for (const AuditSums& part : sim.auditSums) {
    all.ledger.kinetic += part.ledger.kinetic;
    all.ledger.potential += part.ledger.potential;
    all.ledger.change += part.ledger.change;
    all.ledger.externalWork += part.ledger.externalWork;
    all.ledger.positionWork += part.ledger.positionWork;
    all.ledger.integratorError += part.ledger.integratorError;
    all.weightTimesSize += part.weightTimesSize;
    all.bodies += part.bodies;
    all.awake += part.awake;
  }
  return all;
}

GuardShare auditGuard(const Simulation& sim) {
  GuardShare all;
  for (const GuardShare& share : sim.islands.guarded) all.add(share.work, share.factor);
  return all;
}

/// What exact mode enters of its contacts otherwise than phase by phase (E-10).
double exactScheme(const Simulation& sim) {
  double sum = 0.0;
  for (std::size_t k = 0; k < sim.islands.count(); ++k) sum += sim.exact.islands[k]->scheme;
  return sum;
}

}  // namespace

void auditStep(Simulation& sim, double dt) {
  const AuditSums sums = auditBodies(sim, dt);
  EnergyLedger ledger = sums.ledger;
  ContactTotals contacts;
  for (const ContactTotals& totals : sim.contactTotals) contacts.add(totals);
  const SurfaceSums surfaces = auditSurfaces(sim);
  const JointSolver::Sums& joints = sim.joints.sums();
  const GuardShare guard = auditGuard(sim);
  ledger.normalWork = contacts.normalWork;
  ledger.frictionWork = contacts.frictionWork;
  ledger.jointWork = joints.work;
  ledger.guardWork = guard.work;
  // What is driven through contacts and joints, and surfaces that move.
  ledger.externalWork += contacts.drivenWork + joints.phases.driven + surfaces.carried;
  // Springs and rotors take up energy of the motion and give it back; theory/joints.md, (J-19).
  const double held = joints.potentialChange + joints.kineticChange;
  ledger.potential += joints.potential + surfaces.potential;
  ledger.kinetic += joints.kinetic;
  ledger.change += held + surfaces.stored;
  // (L-10): what joints did phase by phase, against what they are booked for; and soft contacts alike.
  ledger.integratorError += joints.phases.both - (joints.work - held) + surfaces.scheme + surfaces.stored;
  if (sim.settings.method == Method::kExact && dt > 0.0) ledger.integratorError += exactScheme(sim);
  const double paid = liftsPaidByContacts(sim);
  ledger.positionWork -= sim.returnedCorrectionEnergy + paid;  // (P-6)
  ledger.normalWork += paid;                                   // (P-10)
  ledger.scale = std::max({sim.report.energy.scale, ledger.kinetic, sums.weightTimesSize});
  StepReport& report = sim.report;
  report.energy = ledger;
  report.contacts = static_cast<std::uint32_t>(contacts.points);
  report.residual =
      sim.settings.method == Method::kExact ? sim.exact.residual : contacts.residual;
  report.bodies = sums.bodies;
  report.awakeBodies = sums.awake;
  report.guardFactor = guard.factor;
  if (sim.settings.method == Method::kFast && dt > 0.0) reportSolve(sim, dt);
}

}  // namespace msd_sim
