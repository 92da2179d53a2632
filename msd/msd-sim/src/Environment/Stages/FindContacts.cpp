#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "msd-sim/src/Environment/ContactExclusion.hpp"
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
    const auto isListed = [&](const std::pair<std::uint32_t, std::uint32_t>& pair) {
      return std::binary_search(sim.joinedPairs.begin(), sim.joinedPairs.end(), pair);
    };
    if (isListed({std::min(a, b), std::max(a, b)})) return false;
    const bool anyExcluded = (sim.joinedPairs.back().first & kExcludedByUser) != 0;
    return !anyExcluded || !isListed(excludedPair(a, b));
  }
  const Simulation& sim;
};

}  // namespace

bool mayTouch(const Simulation& sim, std::uint32_t a, std::uint32_t b) {
  return JointRule{sim}.allows(a, b);
}

bool mayCollide(const Simulation& sim, std::uint32_t a, std::uint32_t b) {
  const std::uint32_t first = sim.slots[a].firstCollider, second = sim.slots[b].firstCollider;
  if (first == Collider::kNone || second == Collider::kNone) return false;
  const Collider& x = sim.collision.colliders()[first];
  const Collider& y = sim.collision.colliders()[second];
  return (x.layer & y.mask) != 0 && (y.layer & x.mask) != 0 && mayTouch(sim, a, b);
}

void findPairs(Simulation& sim) {
  sim.collision.findPairs(sim.solver, sim.travel, JointRule{sim}, *sim.team);
  sim.report.pairs = static_cast<std::uint32_t>(sim.collision.pairs().size());
}

void useCombination(Simulation& sim) {
  if (!sim.settings.combine) {
    sim.collision.setCombination({});
    return;
  }
  sim.collision.setCombination(
      [rule = sim.settings.combine](const ContactMaterial& a, const ContactMaterial& b) {
        const auto surface = [](const ContactMaterial& m) {
          return SurfaceMaterial{m.friction, m.restitution, m.rollingResistance,
                                 m.torsionalResistance};
        };
        const SurfaceMaterial m = rule(surface(a), surface(b));
        return ContactMaterial{m.friction, m.restitution, m.rollingResistance,
                               m.torsionalResistance};
      });
}

namespace {

/// A rule that gave a coefficient out of its range is the caller's mistake.
void refuseBadCombination(Simulation& sim) {
  const auto bad = sim.collision.takeBadCombination();
  if (!bad) return;
  const auto list = [](const ContactMaterial& m) {
    return fmt::format("{{friction {}, restitution {}, rollingResistance {} m, torsionalResistance {} m}}",
                       m.friction, m.restitution, m.rollingResistance, m.torsionalResistance);
  };
  throw std::invalid_argument(
      fmt::format("combine made {} of {} and {}; expected friction from 0 to 1000, restitution from 0 to 1, "
                  "resistances >= 0",
                  list(bad->result), list(bad->a), list(bad->b)));
}

/// Pairs that may have changed are tested.
void testPairs(Simulation& sim) {
  sim.collision.testPairs({sim.solver, sim.travel, sim.pushable, sim.report.dt}, *sim.team);
  sim.report.shapeTests += sim.collision.testCount();
}

}  // namespace

void findContacts(Simulation& sim) {
  sim.collision.contacts().advanceFrame();
  sim.collision.contacts().expireOldEntries();
  testPairs(sim);
  // What meets a sleeper wakes its island, whose bodies may meet others.
  while (sim.sleepers.count > 0) {
    callTouched(sim);
    if (!wakeRequested(sim)) break;
    gatherBodies(sim, sim.report.dt);
    findPairs(sim);
    testPairs(sim);
  }
  sim.report.manifolds = sim.collision.contacts().count();
  refuseBadCombination(sim);
}

}  // namespace msd_sim
