// Where the energy of a step went. With P an impulse, v̄ and ω̄ the means of the velocities before
// and after the step, an impulse changes kinetic energy by P·v̄ + L·ω̄, exactly. Loads that have a
// potential change that as well; what the two do not balance is the integrator's.
#include "msd-sim/src/Environment/Reference/ReferenceLedger.hpp"

#include "msd-sim/src/Environment/Reference/ReferencePipeline.hpp"
#include "msd-sim/src/Environment/Simulation.hpp"

namespace msd_sim {

namespace {

double spinEnergy(const AssetInertial& body, const InertialState& s) {
  const AngularRate w = s.orientation.conjugate() * s.angularVelocity;
  return 0.5 * w.dot(body.getInertiaTensor() * w);
}

struct Mean {
  Vector3D v, w;  ///< over the step [m/s], [rad/s]
};

Mean meanOf(const BodyStory& s) {
  return {0.5 * (s.before.velocity + s.free.velocity),
          0.5 * (s.before.angularVelocity + s.free.angularVelocity)};
}

double workOf(const SpatialVector& load, const Mean& mean, double h) {
  return h * (load.linear.dot(mean.v) + load.angular.dot(mean.w));
}

void addBody(const Simulation& sim, std::uint32_t slot, const BodyStory& s,
             const ConstraintSolver::BodyForces& constraint, double h, EnergyLedger& ledger) {
  const AssetInertial& body = *sim.slots[slot].inertial;
  const Mean mean = meanOf(s);
  const Vector3D weight = body.getMass() * sim.settings.gravity;
  const Vector3D moved = s.free.position - s.before.position;
  const Vector3D shifted = s.after.position - s.free.position;
  const double field0 = fieldEnergy(sim, slot, s.before), field1 = fieldEnergy(sim, slot, s.free),
               field2 = fieldEnergy(sim, slot, s.after);
  const double kinetic0 = 0.5 * body.getMass() * s.before.velocity.squaredNorm();
  const double kinetic1 = 0.5 * body.getMass() * s.free.velocity.squaredNorm();
  const double spin0 = spinEnergy(body, s.before), spin1 = spinEnergy(body, s.free),
               spin2 = spinEnergy(body, s.after);

  ledger.change +=
      (kinetic1 - kinetic0) + (spin2 - spin0) - weight.dot(moved + shifted) + (field2 - field0);
  ledger.externalWork += s.user.linear.dot(moved) + h * s.user.angular.dot(mean.w);
  ledger.positionWork += (spin2 - spin1) - weight.dot(shifted) + (field2 - field1);
  ledger.jointWork += workOf(s.motor, mean, h);
  // Kick against displacement, of what has a potential; and the turning of the inertia.
  ledger.integratorError += (weight + s.user.linear).dot(h * mean.v - moved);
  ledger.integratorError += workOf(s.field, mean, h) + (field1 - field0);
  ledger.integratorError += workOf(s.spring, mean, h);
  const Vector3D torque = s.user.angular + s.field.angular + s.spring.angular + s.motor.angular +
                          constraint.angularTorque;
  ledger.integratorError += (spin1 - spin0) - h * torque.dot(mean.w);
}

}  // namespace

void addToLedger(const Simulation& sim, const ReferencePipeline& pipeline,
                 const std::vector<BodyStory>& stories, double h, EnergyLedger& ledger) {
  const auto bodies = pipeline.bodies();
  for (std::size_t i = 0; i < stories.size(); ++i) {
    if (!bodies[i].isDynamic()) continue;
    addBody(sim, bodies[i].name, stories[i], pipeline.forces()[i], h, ledger);
  }
  // Constraints: λ J v̄, with the bodies that are driven apart; they work from outside.
  std::vector<double> works(pipeline.constraints().size(), 0.0);
  for (std::size_t c = 0; c < works.size(); ++c) {
    const Constraint& constraint = *pipeline.constraints()[c];
    for (int side = 0; side < constraint.bodyCount(); ++side) {
      const std::size_t body = side == 0 ? constraint.bodyAIndex() : constraint.bodyBIndex();
      if (body >= stories.size()) continue;  // does not move
      const Mean mean = meanOf(stories[body]);
      const Eigen::VectorXd u = pipeline.rows(c).middleCols<3>(6 * side) * mean.v +
                                pipeline.rows(c).middleCols<3>(6 * side + 3) * mean.w;
      const double work = pipeline.impulses(c).dot(u);
      works[c] += work;
      if (!bodies[body].isDynamic()) ledger.externalWork -= work;
    }
  }
  for (std::size_t c = 0; c < pipeline.others.size(); ++c) ledger.jointWork += works[c];
  for (const ReferencePipeline::Contact& contact : pipeline.contacts()) {
    ledger.normalWork += works[contact.constraint];
    if (contact.friction > 0.0) ledger.frictionWork += works[contact.constraint + 1];
  }
}

}  // namespace msd_sim
