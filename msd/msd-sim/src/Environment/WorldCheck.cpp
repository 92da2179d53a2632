#include "msd-sim/src/Environment/WorldCheck.hpp"

#include <cmath>
#include <cstdio>

namespace msd_sim {

bool isFinite(const Simulation& sim) {
  for (std::size_t i = 0; i < sim.slots.size(); ++i) {
    if (sim.moving[i] == 0) continue;
    const BodyPose& p = sim.solver.pose[i];
    const BodyMotion& m = sim.solver.motion[i];
    const BodyLoad& load = sim.solver.load[i];
    double sum = 0.0;
    for (int c = 0; c < 3; ++c) sum += p.x[c] + m.v[c] + m.w[c] + load.a[c] + load.torque[c];
    for (int c = 0; c < 4; ++c) sum += p.q[c];
    if (!std::isfinite(sum)) return false;
  }
  return true;
}

namespace {

const char* findFault(const Simulation& sim, Stage stage) {
  const std::size_t slots = sim.slots.size(), size = sim.solver.size();
  if (size < slots || sim.travel.size() < slots || sim.pushable.size() < slots || sim.moving.size() < slots ||
      sim.sleepers.asleep.size() < slots || sim.sleepers.next.size() < slots) {
    return "an array is shorter than the list of bodies";
  }
  if (stage >= Stage::kIslands) {
    const Islands& islands = sim.islands;
    if (islands.islandOf.size() < slots) return "a body without its island";
    if (!islands.start.empty() && islands.start.back() != islands.bodies.size()) return "islands do not end";
    for (const std::uint32_t body : islands.bodies) {
      if (body >= slots) return "an island with a body that is not there";
    }
  }
  // Bodies may be no numbers here: that is for scatter to find. Contacts of finite bodies must hang together.
  if (stage != Stage::kNarrowphase && stage != Stage::kAudit) return nullptr;
  return isFinite(sim) ? sim.collision.findFault(size) : nullptr;
}

}  // namespace

bool checkStage(const Simulation& sim, Stage stage) {
  const char* fault = findFault(sim, stage);
  if (fault == nullptr) return true;
  std::fprintf(stderr, "after %.*s: %s\n", static_cast<int>(stageName(stage).size()), stageName(stage).data(), fault);
  return false;
}

}  // namespace msd_sim
