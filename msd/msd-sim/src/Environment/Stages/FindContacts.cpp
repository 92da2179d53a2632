#include <algorithm>

#include "msd-sim/src/Environment/Simulation.hpp"

namespace msd_sim {

namespace {

struct JointRule final : CollisionPipeline::PairRule {
  explicit JointRule(const Simulation& s) : sim{s} {}
  [[nodiscard]] bool allows(std::uint32_t a, std::uint32_t b) const override {
    // Two bodies that nothing can push have nothing to tell each other.
    const bool anyDynamic = (sim.slots[a].inertial && !sim.slots[a].kinematic) ||
                            (sim.slots[b].inertial && !sim.slots[b].kinematic);
    if (!anyDynamic || sim.joinedPairs.empty()) return anyDynamic;
    return !std::binary_search(sim.joinedPairs.begin(), sim.joinedPairs.end(),
                               std::pair{std::min(a, b), std::max(a, b)});
  }
  const Simulation& sim;
};

}  // namespace

bool mayTouch(const Simulation& sim, std::uint32_t a, std::uint32_t b) {
  return JointRule{sim}.allows(a, b);
}

void findPairs(Simulation& sim) {
  sim.collision.findPairs(sim.solver, sim.travel, sim.pushable, JointRule{sim}, *sim.team);
  sim.report.pairs = static_cast<std::uint32_t>(sim.collision.pairs().size());
}

void findContacts(Simulation& sim) {
  sim.collision.contacts().advanceFrame();
  sim.collision.testPairs(sim.solver, sim.travel, sim.pushable, *sim.team);
  // What meets a sleeper wakes its island, whose bodies may meet others.
  while (sim.sleepers.count > 0) {
    callTouched(sim);
    if (!wakeCalled(sim)) break;
    gatherBodies(sim, sim.report.dt);
    findPairs(sim);
    sim.collision.testPairs(sim.solver, sim.travel, sim.pushable, *sim.team);
  }
  sim.report.manifolds = sim.collision.contacts().count();
}

}  // namespace msd_sim
