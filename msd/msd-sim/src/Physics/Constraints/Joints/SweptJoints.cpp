#include "msd-sim/src/Physics/Constraints/Joints/SweptJoints.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "msd-sim/src/Physics/Constraints/Joints/Tolerances.hpp"

namespace msd_sim {

namespace {

constexpr std::size_t kGrain = 16;  ///< bundles one thread takes at a time
constexpr auto kLanesPerBundle = static_cast<std::uint32_t>(kBundleLanes);

}  // namespace

void SweptJoints::clear(std::size_t bodySlots) {
  for (Colour& c : colours_) c = Colour{};
  body_colours_.assign(bodySlots, 0);
  ball_slots_.clear();
  replies_.assign(bodySlots, BallReply{});
  count_ = 0;
  searched_ = false;
}

int SweptJoints::chooseColour(std::uint32_t a, std::uint32_t b, const SolverBodies& bodies) {
  const bool pushA = canBePushed(bodies, a), pushB = canBePushed(bodies, b);
  const std::uint64_t used = (pushA ? body_colours_[a] : 0) | (pushB ? body_colours_[b] : 0);
  const int colour = std::min(std::countr_one(used), kOverflow);
  if (pushA) body_colours_[a] |= std::uint64_t{1} << colour;
  if (pushB) body_colours_[b] |= std::uint64_t{1} << colour;
  return colour;
}

void SweptJoints::addBall(Colour& colour, bool alone, std::uint32_t joint,
                          const JointRecord& record, const SolverBodies& bodies) {
  std::uint32_t lane = colour.count % kLanesPerBundle;
  if (alone || lane == 0) {
    lane = 0;
    colour.bundles.push_back(BallBundle{});
    colour.joints.resize(colour.joints.size() + kLanesPerBundle, kNone);
  }
  const JointDefinition& d = record.definition;
  BallBundle& bundle = colour.bundles.back();
  bundle.body0[lane] = static_cast<std::int32_t>(d.bodyA);
  bundle.body1[lane] = static_cast<std::int32_t>(d.bodyB);
  const double a = canBePushed(bodies, d.bodyA)
                       ? std::max(bodies.pose[d.bodyA].size, d.anchorA.norm())
                       : std::numeric_limits<double>::infinity();
  const double b = canBePushed(bodies, d.bodyB)
                       ? std::max(bodies.pose[d.bodyB].size, d.anchorB.norm())
                       : std::numeric_limits<double>::infinity();
  bundle.size[lane] = std::min(a, b);
  for (int c = 0; c < 3; ++c) {
    bundle.anchor0[c][lane] = d.anchorA[c];
    bundle.anchor1[c][lane] = d.anchorB[c];
    bundle.impulse[c][lane] = record.impulse[static_cast<std::size_t>(c)];
  }
  colour.joints[(colour.bundles.size() - 1) * kLanesPerBundle + lane] = joint;
  ++colour.count;
}

void SweptJoints::add(std::span<const std::uint32_t> joints, std::span<const JointRecord> records,
                      const SolverBodies& bodies) {
  for (const std::uint32_t j : joints) {
    const JointDefinition& d = records[j].definition;
    const int colour = chooseColour(d.bodyA, d.bodyB, bodies);
    Colour& c = colours_[static_cast<std::size_t>(colour)];
    ++count_;
    if (d.kind == JointKind::kBall) {
      addBall(c, colour == kOverflow, j, records[j], bodies);
      ball_slots_.push_back(d.bodyA);
      ball_slots_.push_back(d.bodyB);
      continue;
    }
    JointComponent single;
    single.build({&j, 1}, records, bodies, std::numeric_limits<double>::infinity());
    c.singles.push_back(std::move(single));
    c.answers.push_back(0.0);
  }
}

void SweptJoints::close() {
  std::sort(ball_slots_.begin(), ball_slots_.end());
  ball_slots_.erase(std::unique(ball_slots_.begin(), ball_slots_.end()), ball_slots_.end());
  runs_ = 0;
  for (int k = 0; k < kColours; ++k) {
    Colour& c = colours_[static_cast<std::size_t>(k)];
    c.firstRun = runs_;
    if (!c.bundles.empty()) runs_ += k == kOverflow ? 1 : (c.bundles.size() + kGrain - 1) / kGrain;
  }
  answers_.assign(runs_, 0.0);
  sums_.assign(2 * kLanesPerBundle * runs_, 0.0);
}

void SweptJoints::readParameters(std::span<const JointRecord> records) {
  for (Colour& c : colours_) {
    for (JointComponent& single : c.singles) single.readParameters(records);
  }
}

/// Calls pass(bundles, count, run) for all runs of bundles, colour by colour, and returns the
/// largest answer. Runs do not depend on the number of threads.
template <class Pass>
double SweptJoints::forBundles(WorkTeam& team, const Pass& pass) {
  for (int k = 0; k < kColours; ++k) {
    Colour& c = colours_[static_cast<std::size_t>(k)];
    if (c.bundles.empty()) continue;
    const std::size_t grain = k == kOverflow ? c.bundles.size() : kGrain;
    team.forRange(c.bundles.size(), grain, [&](std::size_t first, std::size_t last) {
      const std::size_t run = c.firstRun + first / grain;
      if (k == kOverflow) {
        answers_[run] = 0.0;
        for (std::size_t i = first; i < last; ++i) {
          const double answer = pass(c.bundles.data() + i, 1, run);
          answers_[run] = std::max(answers_[run], answer);
        }
      } else {
        answers_[run] = pass(c.bundles.data() + first, last - first, run);
      }
    });
  }
  double largest = 0.0;
  for (const double a : answers_) largest = std::max(largest, a);
  return largest;
}

template <class Pass>
double SweptJoints::forSingles(WorkTeam& team, const Pass& pass) {
  double largest = 0.0;
  for (int k = 0; k < kColours; ++k) {
    Colour& c = colours_[static_cast<std::size_t>(k)];
    const std::size_t grain = k == kOverflow ? std::max<std::size_t>(c.singles.size(), 1) : 1;
    team.forRange(c.singles.size(), grain, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) c.answers[i] = pass(c.singles[i]);
    });
    for (const double a : c.answers) largest = std::max(largest, a);
  }
  return largest;
}

void SweptJoints::prepare(const SolverBodies& bodies, std::span<const JointRecord> records,
                          const BallKernels& kernels, const BallPass& pass, double scale,
                          WorkTeam& team) {
  kernels_ = &kernels;
  pass_ = pass;
  uncounted_ = 0;
  masses_current_ = warm_start_right_ = false;
  forBundles(team, [&](BallBundle* bundles, std::size_t count, std::size_t) {
    for (std::size_t i = 0; i < count; ++i) {
      for (int c = 0; c < 3; ++c) {
        for (int l = 0; l < kBundleLanes; ++l) {
          bundles[i].impulse[c][l] *= scale;
          bundles[i].total[c][l] = 0.0;
        }
      }
    }
    kernels.place(bodies, bundles, count);
    return 0.0;
  });
  forSingles(team, [&](JointComponent& single) {
    single.prepare(bodies, records, pass.h, pass.reach * pass.inverseH, scale);
    return 0.0;
  });
}

void SweptJoints::warm(SolverBodies& bodies) const {
  for (int k = 0; k < kColours; ++k) {
    const Colour& c = colours_[static_cast<std::size_t>(k)];
    const std::size_t step = k == kOverflow ? 1 : std::max<std::size_t>(c.bundles.size(), 1);
    for (std::size_t i = 0; i < c.bundles.size(); i += step) {
      kernels_->warm(bodies, c.bundles.data() + i, step);
    }
    for (const JointComponent& single : c.singles) single.warm(bodies);
  }
}

/// Sets the direction, and finds dᵀAd and dᵀe.
void SweptJoints::searchAlong(const SolverBodies& bodies, double share, bool warmStart,
                              WorkTeam& team, double& curvature, double& slope) {
  for (const std::uint32_t slot : ball_slots_) replies_[slot] = BallReply{};
  forBundles(team, [&](BallBundle* bundles, std::size_t count, std::size_t) {
    kernels_->push(bodies, replies_.data(), bundles, count, share, warmStart);
    return 0.0;
  });
  for (const std::uint32_t slot : ball_slots_) {
    const BodyMotion& m = bodies.motion[slot];
    BallReply& r = replies_[slot];
    const Vector3D turn = inverseInertiaTimes(m, vectorOf(r.theta));
    for (int c = 0; c < 3; ++c) {
      r.d[c] *= m.inverseMass;
      r.theta[c] = turn[c];
    }
  }
  std::fill(sums_.begin(), sums_.end(), 0.0);
  forBundles(team, [&](BallBundle* bundles, std::size_t count, std::size_t run) {
    kernels_->listen(replies_.data(), bundles, count, sums_.data() + 2 * kLanesPerBundle * run);
    return 0.0;
  });
  curvature = slope = 0.0;
  for (std::size_t run = 0; run < runs_; ++run) {
    for (std::size_t l = 0; l < kLanesPerBundle; ++l) {
      curvature += sums_[2 * kLanesPerBundle * run + l];
      slope += sums_[2 * kLanesPerBundle * run + kLanesPerBundle + l];
    }
  }
}

/// Changes impulses and velocities. Returns the largest error left.
double SweptJoints::goAlong(SolverBodies& bodies, double length, WorkTeam& team, double& squares) {
  for (const std::uint32_t slot : ball_slots_) {
    BodyMotion& m = bodies.motion[slot];
    if (!(m.inverseMass > 0.0)) continue;
    for (int c = 0; c < 3; ++c) {
      m.v[c] += length * replies_[slot].d[c];
      m.w[c] += length * replies_[slot].theta[c];
    }
  }
  std::fill(sums_.begin(), sums_.end(), 0.0);
  const double worst =
      forBundles(team, [&](BallBundle* bundles, std::size_t count, std::size_t run) {
        return kernels_->advance(bundles, count, length, sums_.data() + 2 * kLanesPerBundle * run);
      });
  squares = 0.0;
  for (std::size_t run = 0; run < runs_; ++run) {
    for (std::size_t l = 0; l < kLanesPerBundle; ++l) {
      squares += sums_[2 * kLanesPerBundle * run + l];
    }
  }
  return worst;
}

/// Speed of an anchor, against the joint's size, at which it counts as closed [1/s].
double SweptJoints::closedSpeed() const {
  return joint_tolerances::kSweptClosed * pass_.inverseH;
}

bool SweptJoints::isWarmStartRight(const SolverBodies& bodies, WorkTeam& team) {
  if (hasSingles()) return false;
  const double worst = forBundles(team, [&](BallBundle* bundles, std::size_t count, std::size_t) {
    return kernels_->aim(bodies, bundles, count, pass_, false);
  });
  warm_start_right_ = worst <= closedSpeed();
  return warm_start_right_;
}

/// Preconditioned conjugate gradients on the impulses (J-21), from errors of which `worst` is the
/// largest. The first search is along the warm start itself: whatever it was, the energy after it
/// is no more than without it.
double SweptJoints::conjugateGradients(SolverBodies& bodies, double worst, WorkTeam& team) {
  using namespace joint_tolerances;
  const double closed = closedSpeed();
  searched_ = worst > closed || hasSingles();
  if (worst <= closed) return 0.0;
  addTotals();
  if (!masses_current_) {
    forBundles(team, [&](BallBundle* bundles, std::size_t count, std::size_t) {
      kernels_->computeMasses(bodies, bundles, count);
      return 0.0;
    });
    masses_current_ = true;
  }
  const double start = worst;
  double curvature = 0.0, slope = 0.0, squares = 0.0, last = 0.0;
  searchAlong(bodies, 0.0, true, team, curvature, slope);
  worst = goAlong(bodies, curvature > 0.0 ? slope / curvature : 0.0, team, squares);
  const int most = curvature > 0.0 ? kMostSearches : kMostColdSearches;
  for (int i = 0; i < most && worst > closed && squares > 0.0; ++i) {
    searchAlong(bodies, i == 0 ? 0.0 : squares / last, false, team, curvature, slope);
    if (!(curvature > 0.0)) break;
    last = squares;
    worst = goAlong(bodies, squares / curvature, team, squares);
  }
  return start;
}

double SweptJoints::solve(SolverBodies& bodies, std::span<const JointRecord> records, bool first,
                          WorkTeam& team) {
  if (first && warm_start_right_) {
    warm_start_right_ = searched_ = false;
    return 0.0;
  }
  const double worst = forBundles(team, [&](BallBundle* bundles, std::size_t count, std::size_t) {
    return first ? kernels_->aim(bodies, bundles, count, pass_, true)
                 : kernels_->measure(bodies, bundles, count, true, true);
  });
  const double balls = conjugateGradients(bodies, worst, team);
  const double singles = forSingles(
      team, [&](JointComponent& single) { return single.solve(bodies, records, first); });
  return std::max(hasSingles() ? balls : 0.0, singles);
}

double SweptJoints::relax(SolverBodies& bodies, std::span<JointRecord> records, bool first,
                          WorkTeam& team) {
  if (first) {
    forBundles(team, [&](BallBundle* bundles, std::size_t count, std::size_t) {
      kernels_->turn(bodies, bundles, count);
      return 0.0;
    });
    masses_current_ = false;
  }
  const double worst = forBundles(team, [&](BallBundle* bundles, std::size_t count, std::size_t) {
    return kernels_->measure(bodies, bundles, count, false, true);
  });
  const double balls = conjugateGradients(bodies, worst, team);
  const double singles = forSingles(
      team, [&](JointComponent& single) { return single.relax(bodies, records, first); });
  return std::max(hasSingles() ? balls : 0.0, singles);
}

bool SweptJoints::hasSingles() const {
  return std::any_of(colours_.begin(), colours_.end(),
                     [](const Colour& c) { return !c.singles.empty(); });
}

/// Before impulses change: those of the phases that ended with them.
void SweptJoints::addTotals() {
  if (uncounted_ == 0) return;
  for (Colour& c : colours_) {
    for (BallBundle& bundle : c.bundles) {
      for (int k = 0; k < 3; ++k) {
        for (int l = 0; l < kBundleLanes; ++l) {
          bundle.total[k][l] += uncounted_ * bundle.impulse[k][l];
        }
      }
    }
  }
  uncounted_ = 0;
}

void SweptJoints::addBallWorks(const SolverBodies& bodies, const PhaseEnd& end, WorkTeam& team) {
  std::fill(sums_.begin(), sums_.end(), 0.0);
  forBundles(team, [&](BallBundle* bundles, std::size_t count, std::size_t run) {
    kernels_->work(bodies, bundles, count, end.lead, sums_.data() + 2 * kLanesPerBundle * run);
    return 0.0;
  });
  for (std::size_t run = 0; run < runs_; ++run) {
    for (std::size_t l = 0; l < kLanesPerBundle; ++l) {
      works_.both += sums_[2 * kLanesPerBundle * run + l];
      works_.driven += sums_[2 * kLanesPerBundle * run + kLanesPerBundle + l];
    }
  }
}

void SweptJoints::concludePositions(const SolverBodies& bodies, const PhaseEnd& end,
                                    WorkTeam& team) {
  ++uncounted_;
  addBallWorks(bodies, end, team);
  for (Colour& c : colours_) {
    for (JointComponent& single : c.singles) single.concludePositions(bodies, end);
  }
}

void SweptJoints::concludeVelocities(const SolverBodies& bodies, const PhaseEnd& end,
                                     WorkTeam& team) {
  ++uncounted_;
  addBallWorks(bodies, end, team);
  for (Colour& c : colours_) {
    for (JointComponent& single : c.singles) single.concludeVelocities(bodies, end);
  }
}

JointComponent::PhaseWorks SweptJoints::takeWorks() {
  JointComponent::PhaseWorks all = std::exchange(works_, {});
  for (Colour& c : colours_) {
    for (JointComponent& single : c.singles) all.add(single.takeWorks());
  }
  return all;
}

void SweptJoints::finish(const SolverBodies& bodies, std::span<JointRecord> records, double dt) {
  for (Colour& c : colours_) {
    for (JointComponent& single : c.singles) single.finish(bodies, records, dt);
    for (std::size_t i = 0; i < c.joints.size(); ++i) {
      if (c.joints[i] == kNone) continue;
      JointRecord& record = records[c.joints[i]];
      const BallBundle& bundle = c.bundles[i / kLanesPerBundle];
      const std::size_t lane = i % kLanesPerBundle;
      Vector3D total = Vector3D::Zero();
      for (int k = 0; k < 3; ++k) {
        total[k] = bundle.total[k][lane] + uncounted_ * bundle.impulse[k][lane];
        record.impulse[static_cast<std::size_t>(k)] = bundle.impulse[k][lane];
      }
      record.reaction = {total / dt, Torque::Zero()};
      const JointDefinition& d = record.definition;
      Vector3D apart = vectorOf(bodies.pose[d.bodyB].x) - vectorOf(bodies.pose[d.bodyA].x);
      for (int k = 0; k < 3; ++k) apart[k] += bundle.arm1[k][lane] - bundle.arm0[k][lane];
      record.separation = apart.norm();
    }
  }
}

}  // namespace msd_sim
