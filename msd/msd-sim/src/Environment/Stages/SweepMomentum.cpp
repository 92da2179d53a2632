#include "msd-sim/src/Environment/Stages/SweepMomentum.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace msd_sim {

namespace {

/// value += β (value - old), old = value before.
void extrapolate(double& value, double& old, double beta) {
  const double now = value;
  value = now + beta * (now - old);
  old = now;
}

/// Calls visit(number) for the impulses of a contact.
template <class Visit>
void forImpulses(ContactCache& contacts, std::uint32_t id, const Visit& visit) {
  contacts.with(id, [&](const ContactCache::Contact&, auto&, auto& rows, auto&, int lane) {
    for (auto& point : rows.points) {
      for (auto& component : point.impulse) visit(component[lane]);
    }
  });
}

}  // namespace

SweepMomentum::SweepMomentum(Simulation& sim, SolveGroup group) : sim_{sim}, scratch_{sim.momentum} {
  scratch_.lanes.clear();
  scratch_.bodies.clear();
  const Islands& islands = sim.islands;
  const auto starts = [&](std::size_t k) {
    return islands.plan[k].group == group && islands.plan[k].extrapolates;
  };
  for (std::size_t k = 0; k < islands.count(); ++k) {
    if (!starts(k)) continue;
    scratch_.bodies.insert(scratch_.bodies.end(), islands.bodiesOf(k).begin(), islands.bodiesOf(k).end());
  }
  if (scratch_.bodies.empty()) return;
  std::size_t size = 6 * scratch_.bodies.size();
  sim.collision.contacts().forEach([&](std::uint32_t id, const ContactCache::Contact&, auto& bundle, auto& rows,
                                       ContactSums&, int lane) {
    const auto a = static_cast<std::uint32_t>(bundle.body0[lane]);
    const auto b = static_cast<std::uint32_t>(bundle.body1[lane]);
    const std::uint32_t k = islands.islandOf[sim.pushable[a] != 0 ? a : b];
    if (!starts(k)) return;
    scratch_.lanes.push_back({id, k});
    size += 3 * std::size(rows.points);
  });
  scratch_.old.assign(size, 0.0);
  scratch_.t.assign(islands.count(), 1.0);
  scratch_.last.assign(islands.count(), 0.0);
  scratch_.unrest.assign(islands.count(), 0.0);
  scratch_.beta.assign(islands.count(), 0.0);
}

// Starts anew where a sweep has made things worse.
void SweepMomentum::choosePace(int sweep) {
  std::fill(scratch_.unrest.begin(), scratch_.unrest.end(), 0.0);
  for (const MomentumScratch::Lane& lane : scratch_.lanes) {
    double& worst = scratch_.unrest[lane.island];
    sim_.collision.contacts().with(
        lane.contact, [&](const ContactCache::Contact&, auto&, auto&, ContactSums& sums, int l) {
          worst = std::max(worst, std::exchange(sums.unrest[l], 0.0));
        });
  }
  for (std::size_t k = 0; k < scratch_.beta.size(); ++k) {
    if (!sim_.islands.plan[k].extrapolates) continue;
    const double limit = static_cast<double>(sim_.islands.plan[k].budget.limit(sweep));
    scratch_.beta[k] = 0.0;
    if (!(scratch_.unrest[k] > limit)) continue;  // has settled, or may not go on
    double& t = scratch_.t[k];
    if (scratch_.last[k] > 0.0 && scratch_.unrest[k] > scratch_.last[k]) t = 1.0;
    scratch_.last[k] = scratch_.unrest[k];
    if (sweep == 0) continue;
    const double next = 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * t * t));
    scratch_.beta[k] = (t - 1.0) / next;
    t = next;
  }
}

void SweepMomentum::advance(int sweep, std::uint32_t stamp) {
  choosePace(sweep);
  double* old = scratch_.old.data();
  for (const MomentumScratch::Lane& lane : scratch_.lanes) {
    const double beta = scratch_.beta[lane.island];
    forImpulses(sim_.collision.contacts(), lane.contact,
                [&](double& impulse) { extrapolate(impulse, *old++, beta); });
  }
  for (const std::uint32_t i : scratch_.bodies) {
    const std::uint32_t k = sim_.islands.islandOf[i];
    BodyMotion& m = sim_.solver.motion[i];
    for (double& v : m.v) extrapolate(v, *old++, scratch_.beta[k]);
    for (double& w : m.w) extrapolate(w, *old++, scratch_.beta[k]);
    if (scratch_.beta[k] > 0.0) sim_.solver.stirred[i] = stamp;
  }
}

}  // namespace msd_sim
