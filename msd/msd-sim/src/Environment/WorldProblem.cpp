#include <stdexcept>
#include <string>

#include "msd-sim/src/Environment/Simulation.hpp"
#include "msd-sim/src/Environment/WorldModel.hpp"

namespace msd_sim {

FrictionProblem WorldModel::frictionProblem() const {
  const Simulation& sim = *simulation_;
  if (sim.settings.method != Method::kExact) {
    throw std::logic_error("frictionProblem: the world's method is " +
                           std::string{methodName(sim.settings.method)} + ", expected exact");
  }
  FrictionProblem all;
  const std::size_t solved = sim.exact.start.empty() ? 0 : sim.exact.start.size() - 1;
  for (std::size_t k = 0; k < solved; ++k) {
    const ExactIsland& island = *sim.exact.islands[k];
    const FrictionProblem part = island.problem.bilateralCount() > 0
                                     ? island.problem.settleBounds(island.multiplier)
                                     : island.problem;
    const int shift = all.bodyCount();
    const auto moved = [shift](int body) { return body == kStaticBody ? body : body + shift; };
    for (const BodyInverseMass& body : part.bodies()) all.addBody(body);
    for (int c = 0; c < part.contactCount(); ++c) {
      FrictionContact contact = part.contacts()[c];
      contact.bodyA = moved(contact.bodyA);
      contact.bodyB = moved(contact.bodyB);
      const auto q = part.q().subspan(3 * static_cast<std::size_t>(c), 3);
      all.addContact(contact, {q[0], q[1], q[2]}, part.mu()[c], part.compliance()[c]);
    }
    for (int b = 0; b < part.bilateralCount(); ++b) {
      BilateralRow row = part.bilateralRows()[b];
      row.bodyA = moved(row.bodyA);
      row.bodyB = moved(row.bodyB);
      all.addBilateralRow(row, part.bilateralQ()[b], part.bilateralCompliance()[b]);
    }
  }
  return all;
}

}  // namespace msd_sim
