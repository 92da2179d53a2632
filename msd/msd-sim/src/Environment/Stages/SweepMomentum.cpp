#include "msd-sim/src/Environment/Stages/SweepMomentum.hpp"

#include <cmath>

namespace msd_sim {

namespace {

/// Calls visit(array of kBundleLanes numbers) for every impulse of every contact.
template <class Visit>
void forImpulses(Simulation& sim, const Visit& visit) {
  const auto all = [&](auto& colours, auto count) {
    for (int c = 0; c < ContactCache::kColours; ++c) {
      auto& colour = colours[static_cast<std::size_t>(c)];
      const std::size_t bundles = count(c);
      for (std::size_t i = 0; i < bundles; ++i) {
        for (auto& point : colour.rows[i].points) {
          for (auto& impulse : point.impulse) visit(impulse);
        }
      }
    }
  };
  ContactCache& cache = sim.collision.contacts();
  all(cache.colours<4>(), [&](int c) { return cache.bundleCount<4>(c); });
  all(cache.colours<1>(), [&](int c) { return cache.bundleCount<1>(c); });
}

}  // namespace

void SweepMomentum::begin() {
  std::size_t size = 0;
  forImpulses(sim_, [&](auto&) { size += kBundleLanes; });
  sim_.sweepScratch.resize(size + 6 * sim_.solver.size());
  extrapolate(0.0);
}

void SweepMomentum::advance(double unrest) {
  if (last_ > 0.0 && unrest > last_) t_ = 1.0;
  last_ = unrest;
  const double next = 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * t_ * t_));
  extrapolate((t_ - 1.0) / next);
  t_ = next;
}

void SweepMomentum::extrapolate(double beta) {
  double* old = sim_.sweepScratch.data();
  const auto push = [&](double& value) {
    const double now = value;
    value += beta * (now - *old);
    *old++ = now;
  };
  forImpulses(sim_, [&](auto& impulse) {
    for (double& value : impulse) push(value);
  });
  if (unknowns_ == Unknowns::kVelocities) {
    for (BodyMotion& m : sim_.solver.motion) {
      for (double& value : m.v) push(value);
      for (double& value : m.w) push(value);
    }
  } else {
    for (BodyShift& s : sim_.solver.shift) {
      for (double& value : s.d) push(value);
      for (double& value : s.theta) push(value);
    }
  }
}

}  // namespace msd_sim
