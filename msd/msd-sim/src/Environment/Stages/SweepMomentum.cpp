#include "msd-sim/src/Environment/Stages/SweepMomentum.hpp"

#include <cmath>

namespace msd_sim {

namespace {

/// Calls visit(array of kBundleLanes numbers) for every normal impulse of every contact, and with
/// `friction` for the tangential ones too.
template <class Visit>
void forImpulses(Simulation& sim, bool friction, const Visit& visit) {
  const int components = friction ? 3 : 1;
  ContactCache& cache = sim.collision.contacts();
  const auto visitKind = [&]<int kPoints>(int c) {
    auto& rows = cache.colours<kPoints>()[static_cast<std::size_t>(c)].rows;
    const std::size_t bundles = cache.bundleCount<kPoints>(c);
    for (std::size_t i = 0; i < bundles; ++i) {
      for (auto& point : rows[i].points) {
        for (int k = 0; k < components; ++k) visit(point.impulse[k]);
      }
    }
  };
  cache.forEachColour([&](int c) {
    visitKind.template operator()<4>(c);
    visitKind.template operator()<2>(c);
    visitKind.template operator()<1>(c);
  });
}

/// value += β (value - old), old = value before, for a run of numbers.
template <int kCount>
void extrapolateRun(double* __restrict value, double* __restrict old, double beta) {
  for (int i = 0; i < kCount; ++i) {
    const double now = value[i];
    value[i] = now + beta * (now - old[i]);
    old[i] = now;
  }
}

}  // namespace

void SweepMomentum::begin() {
  std::size_t size = 0;
  forImpulses(sim_, unknowns_ == Unknowns::kVelocities, [&](auto&) { size += kBundleLanes; });
  // Nothing of a step that failed may come back, not even times zero.
  sim_.sweepScratch.assign(size + 6 * sim_.solver.size(), 0.0);
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
  const bool velocities = unknowns_ == Unknowns::kVelocities;
  forImpulses(sim_, velocities, [&](double(&impulse)[kBundleLanes]) {
    extrapolateRun<kBundleLanes>(impulse, old, beta);
    old += kBundleLanes;
  });
  // Velocity and spin, displacement and turn: six numbers side by side.
  const auto bodies = [&](auto& lines, auto start) {
    for (auto& line : lines) {
      extrapolateRun<6>(start(line), old, beta);
      old += 6;
    }
  };
  if (velocities) {
    bodies(sim_.solver.motion, [](BodyMotion& m) { return m.v; });
  } else {
    bodies(sim_.solver.shift, [](BodyShift& s) { return s.d; });
  }
}

}  // namespace msd_sim
