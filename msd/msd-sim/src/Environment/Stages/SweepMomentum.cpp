#include "msd-sim/src/Environment/Stages/SweepMomentum.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "msd-sim/src/Environment/Stages/RowPasses.hpp"

namespace msd_sim {

namespace {

/// Calls visit(first entry in the lists of lanes, rows, sums) for the bundles of a pack, in the order of a sweep.
template <class Visit>
void forBundles(Simulation& sim, std::size_t pack, const Visit& visit) {
  std::size_t bundle = 0, number = 0;
  for (const ContactTable::Colour& colour : sim.table.coloursOf(pack)) {
    visitColour(sim, colour, [&](const auto&, auto& lanes, std::size_t first, std::size_t count) {
      for (std::size_t i = first; i < first + count; ++i) {
        visit(bundle * kBundleLanes, number, lanes.who[i], lanes.rows[i], lanes.sums[i]);
        ++bundle;
        number += 3 * std::size(lanes.rows[i].points) * kBundleLanes;
      }
    });
  }
}

}  // namespace

SweepMomentum::SweepMomentum(Simulation& sim, std::size_t pack)
    : sim_{sim}, pack_{pack}, scratch_{sim.packScratch[pack]->momentum} {
  scratch_.lanes.clear();
  scratch_.bodies.clear();
  scratch_.islands.clear();
  const Islands& islands = sim.islands;
  for (const std::uint32_t k : sim.packs.islandsOf(sim.packs.packs[pack])) {
    if (!islands.plan[k].extrapolates) continue;
    scratch_.islands.push_back(k);
    for (const std::uint32_t i : islands.bodiesOf(k)) {
      scratch_.bodies.push_back({i, static_cast<std::uint32_t>(scratch_.islands.size() - 1)});
    }
  }
  if (scratch_.bodies.empty()) return;
  const auto count = static_cast<std::uint32_t>(scratch_.islands.size());
  std::size_t numbers = 0;
  forBundles(sim, pack, [&](std::size_t, std::size_t, const BundleBodies& who, auto& rows, ContactSums&) {
    numbers += 3 * std::size(rows.points) * kBundleLanes;
    for (std::size_t lane = 0; lane < kBundleLanes; ++lane) {
      const auto [body0, body1] = LaneBodies{who, lane};
      const std::uint32_t slot = sim.pushable[body0] != 0 ? body0 : body1;
      std::uint32_t at = count;  // of nobody, and of islands that do not start cold
      if (slot != 0 && islands.plan[islands.islandOf[slot]].extrapolates) {
        const auto found =
            std::lower_bound(scratch_.islands.begin(), scratch_.islands.end(), islands.islandOf[slot]);
        at = static_cast<std::uint32_t>(found - scratch_.islands.begin());
      }
      scratch_.lanes.push_back(at);
    }
  });
  scratch_.old.assign(numbers, 0.0);
  scratch_.ahead.assign(numbers, 0.0);
  scratch_.oldMotion.assign(6 * scratch_.bodies.size(), 0.0);
  // One more than there are: of lanes that do not take part.
  scratch_.t.assign(count, 1.0);
  scratch_.unrest.assign(count + 1, 0.0);
  scratch_.beta.assign(count + 1, 0.0);
  scratch_.against.assign(count + 1, 0.0);
}

/// (G-9): where a sweep from y led to x₊, and the one before had led to x, the momentum that led from x to y was for
/// the worse if (y - x₊)·(x₊ - x) > 0, in the norm of the compliances; then it starts anew
/// (O'Donoghue and Candès, Found. Comput. Math. 15, 2015).
void SweepMomentum::choosePace(int sweep) {
  std::fill(scratch_.unrest.begin(), scratch_.unrest.end(), 0.0);
  std::fill(scratch_.against.begin(), scratch_.against.end(), 0.0);
  forBundles(sim_, pack_, [&](std::size_t lane, std::size_t number, const BundleBodies&, auto& rows,
                              ContactSums& sums) {
    double against[kBundleLanes]{};
    const double* old = scratch_.old.data() + number;
    const double* ahead = scratch_.ahead.data() + number;
    for (const ContactPointRows& point : rows.points) {
      for (const auto& impulse : point.impulse) {
        for (int l = 0; l < kBundleLanes; ++l) against[l] += (ahead[l] - impulse[l]) * (impulse[l] - old[l]);
        old += kBundleLanes;
        ahead += kBundleLanes;
      }
    }
    for (std::size_t l = 0; l < kBundleLanes; ++l) {
      const std::uint32_t k = scratch_.lanes[lane + l];
      scratch_.against[k] += rows.couplings[0][l] * against[l];
      scratch_.unrest[k] = std::max(scratch_.unrest[k], std::exchange(sums.unrest[l], 0.0));
    }
  });
  for (std::size_t k = 0; k < scratch_.islands.size(); ++k) {
    const double limit = static_cast<double>(sim_.islands.plan[scratch_.islands[k]].budget.limit(sweep));
    scratch_.beta[k] = 0.0;
    if (sweep == 0 || !(scratch_.unrest[k] > limit)) continue;  // has settled, or may not go on
    double& t = scratch_.t[k];
    if (scratch_.against[k] > 0.0) t = 1.0;
    const double next = 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * t * t));
    scratch_.beta[k] = (t - 1.0) / next;
    t = next;
  }
}

void SweepMomentum::advance(int sweep, std::uint32_t stamp) {
  choosePace(sweep);
  forBundles(sim_, pack_, [&](std::size_t lane, std::size_t number, const BundleBodies&, auto& rows, ContactSums&) {
    double beta[kBundleLanes];
    for (std::size_t l = 0; l < kBundleLanes; ++l) beta[l] = scratch_.beta[scratch_.lanes[lane + l]];
    double* old = scratch_.old.data() + number;
    double* ahead = scratch_.ahead.data() + number;
    for (ContactPointRows& point : rows.points) {
      for (auto& impulse : point.impulse) {
        for (int l = 0; l < kBundleLanes; ++l) {
          ahead[l] = impulse[l] + beta[l] * (impulse[l] - old[l]);
          old[l] = impulse[l];
          impulse[l] = ahead[l];
        }
        old += kBundleLanes;
        ahead += kBundleLanes;
      }
    }
  });
  double* old = scratch_.oldMotion.data();
  const auto extrapolate = [&](double& value, double beta) {
    const double now = value;
    value = now + beta * (now - *old);
    *old++ = now;
  };
  for (const auto& [i, k] : scratch_.bodies) {
    BodyMotion& m = sim_.solver.motion[i];
    for (double& v : m.v) extrapolate(v, scratch_.beta[k]);
    for (double& w : m.w) extrapolate(w, scratch_.beta[k]);
    if (scratch_.beta[k] > 0.0) sim_.solver.stirred[i] = stamp;
  }
}

}  // namespace msd_sim
