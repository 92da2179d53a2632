#include "msd-sim/src/Environment/Stages/SweepExtrapolation.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "msd-sim/src/Environment/Stages/RowPasses.hpp"
#include "msd-sim/src/Environment/WorkGrain.hpp"

namespace msd_sim {

namespace {

// Bundles of a colour that one thread takes at a time.
constexpr std::size_t kMomentumBundles = 16;
// What each of them adds up has a cache line of its own: so many numbers.
constexpr std::size_t kLineNumbers = 8;

/// A part of a colour, and where the lists of the colour begin.
struct ColourPart {
  const ContactTable::Colour* colour;
  std::size_t slice, slices;
  std::size_t bundle{0}, number{0};
};

/// Calls visit(first entry in the lists of lanes, of numbers, bodies, rows, sums) for the bundles of a part.
template <class Visit>
void forBundles(Simulation& sim, const ColourPart& part, const Visit& visit) {
  const ContactTable::Colour mine = sliceOf(*part.colour, part.slice, part.slices);
  std::size_t bundle = part.bundle, number = part.number;
  const auto visitKind = [&]<int kPoints>(std::size_t kind) {
    constexpr std::size_t kNumbers = 3 * kPoints * kBundleLanes;
    ContactTable::Lanes<kPoints>& lanes = sim.table.lanes<kPoints>();
    for (std::size_t i = mine.first[kind]; i < mine.last[kind]; ++i) {
      const std::size_t at = i - part.colour->first[kind];
      visit((bundle + at) * kBundleLanes, number + at * kNumbers, lanes.bodyPair[i], lanes.rows[i], lanes.sums[i]);
    }
    const std::size_t count = part.colour->last[kind] - part.colour->first[kind];
    bundle += count;
    number += count * kNumbers;
  };
  visitKind.template operator()<4>(2);
  visitKind.template operator()<2>(1);
  visitKind.template operator()<1>(0);
}

std::size_t slicesOf(const ContactTable::Colour& colour, bool cut) {
  return cut ? 1 + colour.bundles() / kMomentumBundles : 1;
}

/// The parts of all colours of a pack in the order of a sweep; colours are `cut` or whole.
std::size_t partCount(const Simulation& sim, std::size_t pack, bool cut) {
  std::size_t count = 0;
  for (const ContactTable::Colour& colour : sim.table.coloursOf(pack)) count += slicesOf(colour, cut);
  return count;
}

ColourPart partOf(const Simulation& sim, std::size_t pack, std::size_t part, bool cut) {
  std::size_t bundle = 0, number = 0;
  for (const ContactTable::Colour& colour : sim.table.coloursOf(pack)) {
    const std::size_t slices = slicesOf(colour, cut);
    if (part < slices) return {&colour, part, slices, bundle, number};
    part -= slices;
    bundle += colour.bundles();
    for (std::size_t kind = 0; kind < kContactKinds; ++kind) {
      number += 3 * static_cast<std::size_t>(kPointsOfKind[kind]) * kBundleLanes * (colour.last[kind] - colour.first[kind]);
    }
  }
  return {};
}

/// Calls visit(part's number, entries, bodies, rows, sums) for the bundles of a pack: part by part, shared by the team,
/// where colours are cut; else in the order of a sweep.
template <class Visit>
void forBundles(Simulation& sim, std::size_t pack, bool cut, const Visit& visit) {
  const auto visitPart = [&](std::size_t part) {
    forBundles(sim, partOf(sim, pack, part, cut), [&](std::size_t lane, std::size_t number, const BundleBodies& bodyPair,
                                                      auto& rows, ContactSums& sums) {
      visit(part, lane, number, bodyPair, rows, sums);
    });
  };
  const std::size_t parts = partCount(sim, pack, cut);
  if (cut) {
    sim.team->forBlocks(parts, visitPart);
  } else {
    for (std::size_t part = 0; part < parts; ++part) visitPart(part);
  }
}

}  // namespace

SweepExtrapolation::SweepExtrapolation(Simulation& sim, std::size_t pack)
    : sim_{sim}, pack_{pack}, scratch_{sim.packScratch[pack]->extrapolation} {
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
  forBundles(sim, pack, false, [&](std::size_t, std::size_t, std::size_t, const BundleBodies& bodyPair, auto& rows, ContactSums&) {
    numbers += 3 * std::size(rows.points) * kBundleLanes;
    for (std::size_t lane = 0; lane < kBundleLanes; ++lane) {
      const auto [body0, body1] = LaneBodies{bodyPair, lane};
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
  scratch_.t.assign(count, 1.0);
  scratch_.beta.assign(count + 1, 0.0);
  // Of one island alone, which the team shares, parts of colours are added up by themselves, and then in their order.
  cut_ = count == 1 && sim.packs.packs[pack].shared;
  // One more than there are: of lanes that do not take part.
  const std::size_t sums = cut_ ? kLineNumbers * partCount(sim, pack, true) : count + 1;
  scratch_.localResidual.assign(sums, 0.0);
  scratch_.against.assign(sums, 0.0);
}

/// (G-9): where a sweep from y led to x₊, and the one before had led to x, the momentum that led from x to y was for
/// the worse if (y - x₊)·(x₊ - x) > 0, in the norm of the compliances; then it starts anew
/// (O'Donoghue and Candès, Found. Comput. Math. 15, 2015).
void SweepExtrapolation::choosePace(int sweep) {
  std::fill(scratch_.localResidual.begin(), scratch_.localResidual.end(), 0.0);
  std::fill(scratch_.against.begin(), scratch_.against.end(), 0.0);
  forBundles(sim_, pack_, cut_, [&](std::size_t part, std::size_t lane, std::size_t number, const BundleBodies&, auto& rows,
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
      const std::size_t k = scratch_.lanes[lane + l] + (cut_ ? part * kLineNumbers : 0);
      scratch_.against[k] += rows.couplings[0][l] * against[l];
      scratch_.localResidual[k] = std::max(scratch_.localResidual[k], std::exchange(sums.localResidual[l], 0.0));
    }
  });
  for (std::size_t part = kLineNumbers; part < scratch_.against.size() && cut_; part += kLineNumbers) {
    scratch_.against[0] += scratch_.against[part];
    scratch_.localResidual[0] = std::max(scratch_.localResidual[0], scratch_.localResidual[part]);
  }
  for (std::size_t k = 0; k < scratch_.islands.size(); ++k) {
    const double limit = static_cast<double>(sim_.islands.plan[scratch_.islands[k]].budget.limit(sweep));
    scratch_.beta[k] = 0.0;
    if (sweep == 0 || !(scratch_.localResidual[k] > limit)) continue;  // has settled, or may not go on
    double& t = scratch_.t[k];
    if (scratch_.against[k] > 0.0) t = 1.0;
    const double next = 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * t * t));
    scratch_.beta[k] = (t - 1.0) / next;
    t = next;
  }
}

void SweepExtrapolation::advance(int sweep, std::uint32_t stamp) {
  choosePace(sweep);
  forBundles(sim_, pack_, cut_, [&](std::size_t, std::size_t lane, std::size_t number, const BundleBodies&, auto& rows,
                                    ContactSums&) {
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
  const auto extrapolate = [&](std::size_t first, std::size_t last) {
    for (std::size_t at = first; at < last; ++at) {
      const auto [i, k] = scratch_.bodies[at];
      const double beta = scratch_.beta[k];
      double* old = scratch_.oldMotion.data() + 6 * at;
      const auto goOn = [&](double& value) {
        const double now = value;
        value = now + beta * (now - *old);
        *old++ = now;
      };
      BodyMotion& m = sim_.solver.motion[i];
      for (double& v : m.v) goOn(v);
      for (double& w : m.w) goOn(w);
      if (beta > 0.0) sim_.solver.dirty[i] = stamp;
    }
  };
  if (cut_) {
    sim_.team->forRange(scratch_.bodies.size(), kWorkGrain.bodies, extrapolate);
  } else {
    extrapolate(0, scratch_.bodies.size());
  }
}

}  // namespace msd_sim
