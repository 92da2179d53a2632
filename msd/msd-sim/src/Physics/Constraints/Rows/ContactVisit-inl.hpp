// The solve, relax and conclude passes of ContactKernels: sweeps of a velocity phase. Included
// after ContactSweep-inl.hpp and ContactBalls-inl.hpp.

MSD_KERNELS_BEGIN
namespace contact_kernels {

/// (T-12): the most of a point's impulse that may be expected again.
MSD_INLINE Lane expectedImpulse(const ContactPointRows& p, const ContactPass& pass, int l) {
  const Lane now = load(p.impulse[0] + l);
  return fma(
      set(2.0), load(p.warmStart + l),
      max(load(p.normalMass + l) * set(pass.warmStartSpeed), set(kRowTuning.expectedShare) * now));
}

/// Has a point of the lanes given more than may be expected again?
template <int kPoints>
MSD_INLINE Mask isImpact(const ContactRows<kPoints>& rows, const ContactPass& pass, int l) {
  Mask impact = {};
  for (int i = 0; i < kPoints; ++i) {
    const ContactPointRows& p = rows.points[i];
    const Mask more = load(p.impulse[0] + l) > expectedImpulse(p, pass, l);
    impact = i == 0 ? more : (impact | more);
  }
  return impact;
}

/// Velocities of the bodies over a phase, as a twist of body 1 against body 0 at the manifold's
/// centre.
template <int kPoints>
MSD_INLINE Twist meanTwist(const ContactRows<kPoints>& rows, const Frame& f, Lane3 v0, Lane3 w0,
                           Lane3 v1, Lane3 w1, int l) {
  const Lane3 arm1 = load3(rows.arm1, l), arm0 = load3(rows.arm0, l) + load3(rows.drift, l);
  return Twist(f, addCross(v1, w1, arm1) - addCross(v0, w0, arm0), w1 - w0);
}

/// Mean velocities of bodies over a phase.
struct PhaseMean {
  Lane3 v, w;

  /// As the body kernels have left them.
  MSD_INLINE static PhaseMean last(const SolverBodies& b, const std::int32_t* slots) {
    Lane m[8];
    gatherLines<8>(numbers(b.mean), slots, kStrideOf<BodyMean>, m);
    return {{m[0], m[1], m[2]}, {m[3], m[4], m[5]}};
  }
  /// The same at the end of a phase, before the body kernels have passed.
  MSD_INLINE static PhaseMean present(const SolverBodies& b, const std::int32_t* slots, Lane lead) {
    const Body body(b, slots);
    Lane k[8], a[8];
    gatherLines<8>(numbers(b.before), slots, kStrideOf<BodyBefore>, k);
    gatherLines<8>(numbers(b.load), slots, kStrideOf<BodyLoad>, a);
    const Lane half = set(0.5);
    return {fma(lead, Lane3{a[0], a[1], a[2]}, half * (body.v() + Lane3{k[0], k[1], k[2]})),
            half * (body.w() + Lane3{k[3], k[4], k[5]})};
  }
  /// Nothing, but for bodies that cannot be pushed.
  MSD_INLINE PhaseMean ofDriven(const SolverBodies& b, const std::int32_t* slots) const {
    const Mask pushed = Body(b, slots).inverseMass() > set(0.0);
    const Lane zero = set(0.0);
    const Lane3 none{zero, zero, zero};
    return {select(pushed, none, v), select(pushed, none, w)};
  }
};

/// (L-7): the work of a phase's impulses is their product with the mean of the velocities before
/// the phase's kick and after it; that of the kick is measured alike, so that both add up exactly.
/// `share(i)` is that of each point's impulse.
template <int kPoints, class Share>
MSD_INLINE void addWorkAlong(const ContactRows<kPoints>& rows, const Twist& mean,
                             const Share& share, Lane& normal, Lane& friction, int l) {
  for (int i = 0; i < kPoints; ++i) {
    const ContactPointRows& p = rows.points[i];
    Lane v1 = mean.v1, v2 = mean.v2;
    if constexpr (kPoints > 1) {
      v1 = nfma(placeY(rows, i, l), mean.wn, v1);
      v2 = fma(placeX(rows, i, l), mean.wn, v2);
    }
    normal = fma(share(i, load(p.impulse[0] + l)), normalVelocity(mean, rows, i, l), normal);
    friction = fma(share(i, load(p.impulse[1] + l)), v1, friction);
    friction = fma(share(i, load(p.impulse[2] + l)), v2, friction);
  }
}
template <int kPoints, class Share>
MSD_INLINE void addWork(const SolverBodies& b, const BundleBodies& bodyPair,
                        const ContactRows<kPoints>& rows, const PhaseMean& m0, const PhaseMean& m1,
                        const Share& share, const ContactPass& pass, ContactSums& sums, int l) {
  const Frame f(rows, l);
  Lane normal = load(sums.normalWork + l), friction = load(sums.frictionWork + l);
  addWorkAlong(rows, meanTwist(rows, f, m0.v, m0.w, m1.v, m1.w, l), share, normal, friction, l);
  store(normal, sums.normalWork + l);
  store(friction, sums.frictionWork + l);
  if (!pass.driven) return;
  // Of this, what bodies that are driven took up: they gave it.
  const PhaseMean d0 = m0.ofDriven(b, bodyPair.body0() + l),
                  d1 = m1.ofDriven(b, bodyPair.body1() + l);
  Lane taken = set(0.0);
  addWorkAlong(rows, meanTwist(rows, f, d0.v, d0.w, d1.v, d1.w, l), share, taken, taken, l);
  store(load(sums.drivenWork + l) - taken, sums.drivenWork + l);
}

/// Adds the work of the phase before, whose impulses the rows still hold, when the next one begins.
template <int kPoints>
MSD_INLINE void addLastWork(const SolverBodies& b, const BundleBodies& bodyPair,
                            const ContactRows<kPoints>& rows, ContactSums& sums,
                            const ContactPass& pass, int l) {
  addWork(
      b, bodyPair, rows, PhaseMean::last(b, bodyPair.body0() + l),
      PhaseMean::last(b, bodyPair.body1() + l),
      [](int, Lane impulse) MSD_LAMBDA { return impulse; }, pass, sums, l);
}

/// Adds the impulses of a phase (what limitWarmStart left of them) to those of the step.
template <int kPoints>
MSD_INLINE void addToTotal(ContactRows<kPoints>& rows, int l) {
  for (ContactPointRows& p : rows.points) {
    for (int c = 0; c < 3; ++c) {
      store(load(p.total[c] + l) + load(p.impulse[c] + l), p.total[c] + l);
    }
  }
}

/// What a visit tells of its lanes.
struct Visited {
  Lane localResidual;  ///< how far it was from having settled, 1 at the limit
  Lane slide;          ///< the same of the friction
  Mask impact;         ///< it gave more than can be expected again
};

/// How much of a change counts as settled [s/m].
template <class Rows>
MSD_INLINE Lane perSettled(const Rows& rows, const ContactPass& pass, int l) {
  return min(set(pass.perSettledSpeed), set(pass.perSettledShare) * load(rows.inverseSize + l));
}

/// One visit of a manifold in a velocity phase.
template <int kPoints>
MSD_INLINE Visited visit(Body& b0, Body& b1, ContactRows<kPoints>& rows, const Frame& f, Lane3 arm0,
                         Lane3 arm1, const Lane (&target)[kPoints], const ContactPass& pass,
                         const Chosen& chosen, int l) {
  const Twist u(f, relativeVelocity(b0, b1, arm0, arm1), b1.w() - b0.w());
  const Sweep<kPoints> s(rows, u, target, chosen, l);
  const Lane3 force = f.world(s.fn, s.f1, s.f2);
  if constexpr (kPoints == 1) {
    b1.push(force, cross(arm1, force));
    b0.push(-force, cross(force, arm0));
  } else {
    const Lane3 moment = f.world(s.mn, s.m1, s.m2);
    b1.push(force, addCross(moment, arm1, force));
    b0.push(-force, -addCross(moment, arm0, force));
  }
  const Lane per = perSettled(rows, pass, l);
  return {s.change * per, s.slide * per, isImpact(rows, pass, l)};
}

/// Lanes of islands whose budget says so.
MSD_INLINE unsigned lanesThat(bool SweepBudget::*holds, const SolverBodies& b,
                              const BundleBodies& bodyPair, int l) {
  unsigned lanes = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    const auto i0 = static_cast<std::size_t>(bodyPair.body0()[l + lane]),
               i1 = static_cast<std::size_t>(bodyPair.body1()[l + lane]);
    lanes |= static_cast<unsigned>(b.budget[b.motion[i0].inverseMass > 0.0 ? i0 : i1].*holds)
             << lane;
  }
  return lanes;
}

/// (C-10): what a patch carries stays, where it carries it moves towards the middle of its points.
/// The bodies get what that changes of the moment.
template <int kPoints>
MSD_INLINE void evenOut(Body& b0, Body& b1, ContactRows<kPoints>& rows, const Frame& f,
                        const Chosen& chosen, int l) {
  const Lane zero = set(0.0), one = set(1.0);
  Lane sum = zero, count = zero, share[kPoints];
  for (int i = 0; i < kPoints; ++i) {
    const ContactPointRows& p = rows.points[i];
    const Lane there = select(load(p.normalMass + l) > zero, one, zero);
    sum = sum + load(p.impulse[0] + l);
    count = count + there;
    share[i] = set(kRowTuning.forgotten) * there;
  }
  const Lane even = sum / max(count, one);
  Lane m1 = zero, m2 = zero;
  for (int i = 0; i < kPoints; ++i) {
    ContactPointRows& p = rows.points[i];
    const Lane now = load(p.impulse[0] + l), d = select(chosen.mask, share[i] * (even - now), zero),
               then = now + d;
    store(then, p.impulse[0] + l);
    store(select(chosen.mask, then, load(p.warmStart + l)), p.warmStart + l);
    m1 = fma(placeY(rows, i, l), d, m1);
    m2 = nfma(placeX(rows, i, l), d, m2);
  }
  const Lane3 moment = f.world(zero, m1, m2), none{zero, zero, zero};
  b1.push(none, moment);
  b0.push(none, -moment);
}

/// The first visit after a drift: the last phase's impulses go into the step's total and become the
/// warm start of this one. It was applied to body 0 with the arm of that phase; the bodies have
/// moved since. The frames of balls follow in the lanes that are `chosen`.
template <int kPoints>
MSD_INLINE void carryWarmStart(Body& b0, Body& b1, ContactRows<kPoints>& rows, Lane3 drift,
                               const ContactPass& pass, const Chosen& chosen, unsigned evened,
                               int l) {
  const Lane scale = set(pass.warmStartScale);
  for (ContactPointRows& p : rows.points) {
    for (int c = 0; c < 3; ++c) {
      const Lane last = load(p.impulse[c] + l), warmStart = scale * last;
      store(load(p.total[c] + l) + last, p.total[c] + l);
      store(warmStart, p.impulse[c] + l);
      if (c == 0) store(warmStart, p.warmStart + l);
    }
  }
  const Frame f(rows, l);
  const Wrench warmStart(rows, f, l);
  const Lane zero = set(0.0);
  b0.push({zero, zero, zero}, cross(warmStart.force, drift - load3(rows.drift, l)));
  if constexpr (kPoints == 4) {
    if ((evened & chosen.lanes) != 0) evenOut(b0, b1, rows, f, Chosen(evened & chosen.lanes), l);
  }
  store3(drift, rows.drift, l);
  followBalls(b0, b1, rows, drift, chosen, l);
}

/// What phase 1 asks of the points (T-6, G-3): an open one may close within the substep.
template <int kPoints>
MSD_INLINE void aimAtGaps(const SolverBodies& b, const BundleBodies& bodyPair,
                          ContactRows<kPoints>& rows, const Body& b0, const Frame& f, Lane3 arm0,
                          Lane3 arm1, Lane3 drift, const ContactPass& pass, int l) {
  const Lane zero = set(0.0);
  const LiveGap gap(b, bodyPair, rows, f, arm0, arm1, l);
  const Mask passed = hasPassed(b0, drift, f.n, rows.size + l);
  for (int i = 0; i < kPoints; ++i) {
    const Lane phi = select(passed, set(kNoContact), gap.at(rows, i, l));
    store(min(-(phi * set(pass.inverseH)), zero), rows.points[i].target + l);
  }
}

/// The targets of a visit in phase 1. A loaded point holds on within the band: letting go at every
/// hair's breadth of a gap would feed position errors back into velocities (G-6).
template <int kPoints>
MSD_INLINE void readTargets(const ContactRows<kPoints>& rows, const ContactPass& pass,
                            Lane (&target)[kPoints], int l) {
  const Lane zero = set(0.0), band = set(-pass.band * pass.inverseH) * load(rows.size + l);
  for (int i = 0; i < kPoints; ++i) {
    const Lane open = load(rows.points[i].target + l);
    target[i] = select((load(rows.points[i].impulse[0] + l) > zero) & (open >= band), zero, open);
  }
}

/// Balls that are still open when they meet: friction changes the way along the tangent, and this
/// the way that is left to the touch. The other lanes stay as they are: the result must not depend
/// on the width of a vector.
MSD_INLINE void meetAgain(Body& b0, Body& b1, ContactRows<1>& rows, const Frame& f, Lane3 arm0,
                          Lane3 arm1, Mask meeting, const ContactPass& pass, const Chosen& chosen,
                          Visited& visited, int l) {
  const Lane zero = set(0.0);
  ContactPointRows& p = rows.points[0];
  for (int k = 0; k < kRowTuning.meetings; ++k) {
    const Mask again = meeting & chosen.mask & (load(p.impulse[0] + l) > zero);
    if (!any(again)) return;
    const Body old0 = b0, old1 = b1;
    const Lane target[1] = {
        select(again, meetingSpeed(b0, b1, rows, f, arm0 - arm1, pass, l), load(p.target + l))};
    store(target[0], p.target + l);
    const Visited more = visit(b0, b1, rows, f, arm0, arm1, target, pass, Chosen(bits(again)), l);
    b0.keepUnless(again, old0);
    b1.keepUnless(again, old1);
    visited = {max(visited.localResidual, select(again, more.localResidual, zero)),
               max(visited.slide, select(again, more.slide, zero)), isImpact(rows, pass, l)};
  }
}

/// Contacts that nothing had pushed so far in the step (K-20) take part from now on, with their
/// frames and gaps where the bodies are now. They have carried nothing yet.
template <int kPoints>
MSD_INLINE void wakeLanes(const SolverBodies& b, const BundleBodies& bodyPair,
                          ContactRows<kPoints>& rows, const ContactPass& pass, const Chosen& chosen,
                          int l) {
  Body b0(b, bodyPair.body0() + l), b1(b, bodyPair.body1() + l);
  const Lane3 drift = b1.dx() - b0.dx(), before = load3(rows.drift, l);
  store3(select(chosen.mask, drift, before), rows.drift, l);
  followBalls(b0, b1, rows, drift, chosen, l);
  Lane target[kPoints];
  for (int i = 0; i < kPoints; ++i) target[i] = load(rows.points[i].target + l);
  const Frame f(rows, l);
  aimAtGaps(b, bodyPair, rows, b0, f, load3(rows.arm0, l) + drift, load3(rows.arm1, l), drift, pass,
            l);
  for (int i = 0; i < kPoints; ++i) {
    double* now = rows.points[i].target + l;
    store(select(chosen.mask, load(now), target[i]), now);
  }
}

/// A visit in phase 1 (T-6), with the gaps where the bodies are now.
template <int kPoints>
MSD_INLINE Visited solveLanes(SolverBodies& b, const BundleBodies& bodyPair,
                              ContactRows<kPoints>& rows, const ContactPass& pass,
                              const Chosen& chosen, int l) {
  const std::int32_t* i0 = bodyPair.body0() + l;
  const std::int32_t* i1 = bodyPair.body1() + l;
  Body b0(b, i0), b1(b, i1);
  const Lane3 drift = b1.dx() - b0.dx();
  if (pass.first && pass.drifted) {
    const unsigned evened = pass.evens ? lanesThat(&SweepBudget::evens, b, bodyPair, l) : 0u;
    carryWarmStart(b0, b1, rows, drift, pass, chosen, evened, l);
  }
  const Frame f(rows, l);
  const Lane3 arm1 = load3(rows.arm1, l);
  const Lane3 arm0 = load3(rows.arm0, l) + drift;
  if (pass.first) {
    // Nothing moves within a phase.
    store3(drift, rows.drift, l);
    if (!pass.drifted) {
      if (!pass.opening) addToTotal(rows, l);
      for (ContactPointRows& p : rows.points) store(load(p.impulse[0] + l), p.warmStart + l);
    }
    aimAtGaps(b, bodyPair, rows, b0, f, arm0, arm1, drift, pass, l);
  }
  Lane target[kPoints];
  readTargets(rows, pass, target, l);
  if constexpr (kPoints == 1) {
    const Mask meeting = (load(rows.balls + l) > set(0.0)) & (target[0] < set(0.0));
    if (any(meeting)) {
      target[0] = select(meeting, meetingSpeed(b0, b1, rows, f, arm0 - arm1, pass, l), target[0]);
      double* noted = rows.points[0].target + l;
      store(select(meeting & chosen.mask, target[0], load(noted)), noted);
      Visited visited = visit(b0, b1, rows, f, arm0, arm1, target, pass, chosen, l);
      meetAgain(b0, b1, rows, f, arm0, arm1, meeting, pass, chosen, visited, l);
      b0.save(b, i0, chosen.lanes);
      b1.save(b, i1, chosen.lanes);
      return visited;
    }
  }
  const Visited visited = visit(b0, b1, rows, f, arm0, arm1, target, pass, chosen, l);
  b0.save(b, i0, chosen.lanes);
  b1.save(b, i1, chosen.lanes);
  return visited;
}

/// the way to the touch has turned the normal of two balls, and what phase 1 left of their
/// motion now counts in part along it. The speed of the touch along the new normal is that which
/// keeps their energy.
MSD_INLINE void turnRebound(const SolverBodies& b, const BundleBodies& bodyPair,
                            ContactRows<1>& rows, Lane3 oldNormal, int l) {
  double* target = rows.points[0].target + l;
  const Lane zero = set(0.0), asked = load(target), e = load(rows.restitution + l);
  const Mask rebounds = (load(rows.balls + l) > zero) & (asked > zero);
  if (!any(rebounds)) return;
  Lane v0[8], v1[8];
  gatherLines<8>(numbers(b.before), bodyPair.body0() + l, kStrideOf<BodyBefore>, v0);
  gatherLines<8>(numbers(b.before), bodyPair.body1() + l, kStrideOf<BodyBefore>, v1);
  const Lane3 u{v1[0] - v0[0], v1[1] - v0[1], v1[2] - v0[2]};
  const Lane was = dot(oldNormal, u), is = dot(load3(rows.normal, l), u);
  const Lane speed2 = fma(e * e, (is - was) * (is + was), asked * asked);
  store(select(rebounds, sqrt(max(speed2, zero)), asked), target);
}

/// A visit in phase 2 (T-8, G-4): a contact that carried an impulse in phase 1 is closed, or
/// rebounds; an open one keeps what its gap allowed.
template <int kPoints>
MSD_INLINE Visited relaxLanes(SolverBodies& b, const BundleBodies& bodyPair,
                              ContactRows<kPoints>& rows, const ContactBounce<kPoints>* bounce,
                              const ContactPass& pass, const Chosen& chosen, int l) {
  const Lane zero = set(0.0);
  const std::int32_t* i0 = bodyPair.body0() + l;
  const std::int32_t* i1 = bodyPair.body1() + l;
  Body b0(b, i0), b1(b, i1);
  const Lane3 drift = b1.dx() - b0.dx();
  if (pass.first) {
    const Frame old(rows, l);
    const Mask passed = hasPassed(b0, drift, old.n, rows.size + l);
    for (int i = 0; i < kPoints; ++i) {
      ContactPointRows& p = rows.points[i];
      const Lane closed = bounce != nullptr ? load(bounce->velocity[i] + l) : zero;
      const Lane target = select(load(p.impulse[0] + l) > zero, closed, load(p.target + l));
      store(select(passed, set(-kNoContact), target), p.target + l);
    }
    const unsigned evened = pass.evens ? lanesThat(&SweepBudget::evens, b, bodyPair, l) : 0u;
    carryWarmStart(b0, b1, rows, drift, pass, chosen, evened, l);
    if constexpr (kPoints == 1) {
      if (bounce != nullptr) turnRebound(b, bodyPair, rows, old.n, l);
    }
  }
  const Frame f(rows, l);
  const Lane3 arm1 = load3(rows.arm1, l);
  const Lane3 arm0 = load3(rows.arm0, l) + drift;
  Lane target[kPoints];
  for (int i = 0; i < kPoints; ++i) target[i] = load(rows.points[i].target + l);
  const Visited visited = visit(b0, b1, rows, f, arm0, arm1, target, pass, chosen, l);
  b0.save(b, i0, chosen.lanes);
  b1.save(b, i1, chosen.lanes);
  return visited;
}

/// Lanes with a body that still moves since the sweep before.
MSD_INLINE unsigned dirtyLanes(const SolverBodies& b, const BundleBodies& bodyPair,
                               std::uint32_t stamp) {
  unsigned lanes = 0;
  for (int lane = 0; lane < kBundleLanes; ++lane) {
    const std::uint32_t latest =
        std::max(b.dirty[static_cast<std::size_t>(bodyPair.body0()[lane])],
                 b.dirty[static_cast<std::size_t>(bodyPair.body1()[lane])]);
    lanes |= static_cast<unsigned>(latest + 1 >= stamp) << lane;
  }
  return lanes;
}

/// Most that a change of velocity and spin, or a displacement and turn, moves a point of a body of
/// this size.
MSD_INLINE double mostOf(const double (&linear)[3], const double (&angular)[3], double size) {
  double d2 = 0.0, t2 = 0.0;
  for (int c = 0; c < 3; ++c) {
    d2 += linear[c] * linear[c];
    t2 += angular[c] * angular[c];
  }
  return std::sqrt(d2) + std::sqrt(t2) * size;
}

/// How far the pushes since the step began, and correction, may bring a body's points in the step
/// beyond what its motion did then.
MSD_INLINE double pushedWay(const SolverBodies& b, std::int32_t slot, double dt, bool corrects) {
  const auto i = static_cast<std::size_t>(slot);
  const BodyMotion& now = b.motion[i];
  if (!(now.inverseMass > 0.0)) return 0.0;
  const BodyStart& then = b.start[i];
  double dv[3], dw[3];
  for (int c = 0; c < 3; ++c) {
    dv[c] = now.v[c] - then.v[c];
    dw[c] = now.w[c] - then.w[c];
  }
  const double size = b.pose[i].size, pushed = dt * mostOf(dv, dw, size);
  return corrects ? pushed + mostOf(b.shift[i].d, b.shift[i].theta, size) : pushed;
}

/// Of some idle lanes those whose bodies have been pushed as far as it takes (K-20).
MSD_INLINE unsigned pushedLanes(const SolverBodies& b, const BundleBodies& bodyPair,
                                const BundleNotes& notes, unsigned lanes, double dt,
                                bool corrects) {
  unsigned pushed = 0;
  for (; lanes != 0; lanes &= lanes - 1) {
    const int lane = std::countr_zero(lanes);
    const double way = pushedWay(b, bodyPair.body0()[lane], dt, corrects) +
                       pushedWay(b, bodyPair.body1()[lane], dt, corrects);
    pushed |= static_cast<unsigned>(way > static_cast<double>(notes.spare[lane])) << lane;
  }
  return pushed;
}

/// Stamps the bodies of the lanes that have not settled, and returns how many of these there are.
/// Bodies that cannot be pushed stay out of it: other threads read them.
MSD_INLINE std::uint32_t stir(SolverBodies& b, const BundleBodies& bodyPair, unsigned lanes,
                              const Visited& visited, const ContactPass& pass, int l) {
  alignas(64) double localResidual[kBundleLanes], slide[kBundleLanes];
  store(visited.localResidual, localResidual);
  store(visited.slide, slide);
  std::uint32_t count = 0;
  for (; lanes != 0; lanes &= lanes - 1) {
    const int at = std::countr_zero(lanes), lane = l + at;
    const auto i0 = static_cast<std::size_t>(bodyPair.body0()[lane]),
               i1 = static_cast<std::size_t>(bodyPair.body1()[lane]);
    const bool moves0 = b.motion[i0].inverseMass > 0.0, moves1 = b.motion[i1].inverseMass > 0.0;
    const SweepBudget& budget = b.budget[moves0 ? i0 : i1];
    if (!pass.planned) {
      if (pass.number + 1 >= budget.corrections) continue;
    } else {
      const double most = std::max(localResidual[at], static_cast<double>(budget.slip) * slide[at]);
      if (!(most > static_cast<double>(budget.limit(pass.number)))) continue;
    }
    if (moves0) b.dirty[i0] = pass.stamp;
    if (moves1) b.dirty[i1] = pass.stamp;
    ++count;
  }
  return count;
}

/// Asks for the rows after these while these are being worked on.
template <int kPoints>
MSD_INLINE void fetchRows(const ContactRows<kPoints>& rows) {
  constexpr std::size_t kLine = 64;
  const auto* bytes = reinterpret_cast<const char*>(&rows);
  for (std::size_t at = 0; at < sizeof(rows); at += kLine) __builtin_prefetch(bytes + at, 1);
}

/// Idle contacts stay so.
struct NeverWoken {
  static constexpr bool kWakes = false;
  [[nodiscard]] unsigned wanted(std::size_t, unsigned) const { return 0; }
  void begin(std::size_t, int, const Chosen&) const {}
};
/// wanted(bundle, lanes): those of some idle lanes that are to take part; begin(bundle, first lane,
/// lanes) lets them.
template <class Wanted, class Begin>
struct Woken {
  static constexpr bool kWakes = true;
  const Wanted& wanted;
  const Begin& begin;
};

/// Calls visit(bundle, first lane, lanes) for what a sweep has to visit. Idle contacts are left out
/// until one of their bodies is pushed far enough (K-20).
template <int kPoints, class Waking, class Visit>
MSD_INLINE SweepOutcome sweep(SolverBodies& b, const BundleRun<kPoints>& run,
                              const ContactPass& pass, bool noting, const Waking& waking,
                              const Visit& visit) {
  SweepOutcome outcome;
  Lane worst = set(0.0);
  for (std::size_t i = 0; i < run.count; ++i) {
    const unsigned idle = run.notes[i].idle;
    unsigned lanes = 0xFFu & ~idle;
    if (!pass.first) {
      if (!Waking::kWakes && lanes == 0) continue;
      const unsigned dirty =
          dirtyLanes(b, run.bodyPair[i], pass.stamp) & ~static_cast<unsigned>(run.notes[i].walked);
      lanes &= dirty;
      if (Waking::kWakes && (dirty & idle) != 0) lanes |= waking.wanted(i, dirty & idle);
      if (lanes == 0) continue;
      outcome.visits += static_cast<std::uint32_t>(std::popcount(lanes));
    } else {
      if (pass.ahead && i + 1 < run.count && run.notes[i + 1].idle != 0xFFu)
        fetchRows(run.rows[i + 1]);
      outcome.visits += static_cast<std::uint32_t>(std::popcount(idle));
      if (lanes == 0) continue;
    }
    if (noting && pass.first) run.notes[i].impact = 0;
    if (const unsigned woken = lanes & idle; woken != 0) {
      for (int l = 0; l < kBundleLanes; l += kLanes) {
        const Chosen chosen((woken >> l) & kAllLanes);
        if (chosen.lanes != 0) waking.begin(i, l, chosen);
      }
      run.notes[i].idle = static_cast<std::uint8_t>(idle & ~woken);
    }
    for (int l = 0; l < kBundleLanes; l += kLanes) {
      const Chosen chosen((lanes >> l) & kAllLanes);
      if (chosen.lanes == 0) continue;
      const Visited visited = visit(i, l, chosen);
      const Lane most = select(chosen.mask, max(visited.localResidual, visited.slide), set(0.0));
      worst = max(worst, select(chosen.mask, visited.localResidual, set(0.0)));
      if (noting) {
        run.notes[i].impact |=
            static_cast<std::uint8_t>((bits(visited.impact) & chosen.lanes) << l);
      }
      if (pass.noted) {
        store(select(chosen.mask, visited.localResidual, load(run.sums[i].localResidual + l)),
              run.sums[i].localResidual + l);
      }
      const unsigned unsettled =
          bits(most > set(pass.settled)) & ~(static_cast<unsigned>(run.notes[i].walked) >> l);
      if (unsettled != 0)
        outcome.unsettled += stir(b, run.bodyPair[i], unsettled, visited, pass, l);
    }
  }
  outcome.localResidual = largest(worst);
  return outcome;
}

template <int kPoints>
SweepOutcome solve(SolverBodies& b, const BundleRun<kPoints>& run, const ContactPass& pass) {
  const auto wanted = [&](std::size_t i, unsigned lanes) MSD_LAMBDA {
    return pushedLanes(b, run.bodyPair[i], run.notes[i], lanes, pass.dt, false);
  };
  const auto begin = [&](std::size_t i, int l, const Chosen& chosen) MSD_LAMBDA {
    wakeLanes(b, run.bodyPair[i], run.rows[i], pass, chosen, l);
  };
  return sweep(b, run, pass, true, Woken<decltype(wanted), decltype(begin)>{wanted, begin},
               [&](std::size_t i, int l, const Chosen& chosen) MSD_LAMBDA {
                 if (pass.first && !pass.opening)
                   addLastWork(b, run.bodyPair[i], run.rows[i], run.sums[i], pass, l);
                 return solveLanes(b, run.bodyPair[i], run.rows[i], pass, chosen, l);
               });
}
template <int kPoints>
SweepOutcome relax(SolverBodies& b, const BundleRun<kPoints>& run, const ContactPass& pass) {
  return sweep(
      b, run, pass, true, NeverWoken{}, [&](std::size_t i, int l, const Chosen& chosen) MSD_LAMBDA {
        if (pass.first) addLastWork(b, run.bodyPair[i], run.rows[i], run.sums[i], pass, l);
        return relaxLanes(b, run.bodyPair[i], run.rows[i],
                          run.bounce != nullptr ? run.bounce + i : nullptr, pass, chosen, l);
      });
}

/// (K-17): rows where the bodies are now. Their impulses are the warm start that the bodies have
/// got with the old frame and arms, and get with the new ones; the work of the last phase is that
/// of the old ones.
template <int kPoints>
MSD_INLINE void lookAgainLanes(SolverBodies& b, StoredContact<kPoints>* const* stored,
                               const BundleBodies& bodyPair, ContactRows<kPoints>& rows,
                               ContactSums& sums, const ContactPass& pass, const Chosen& chosen,
                               int l) {
  const Lane zero = set(0.0), scale = set(pass.drifted ? pass.warmStartScale : 1.0);
  const std::int32_t* i0 = bodyPair.body0() + l;
  const std::int32_t* i1 = bodyPair.body1() + l;
  const PhaseMean m0 = PhaseMean::last(b, i0), m1 = PhaseMean::last(b, i1);
  addWork(
      b, bodyPair, rows, m0, m1,
      [&](int, Lane impulse) MSD_LAMBDA { return select(chosen.mask, impulse, zero); }, pass, sums,
      l);
  Body b0(b, i0), b1(b, i1);
  const Wrench before(rows, Frame(rows, l), l);
  const Lane3 old0 =
      addCross(before.moment, load3(rows.arm0, l) + load3(rows.drift, l), before.force);
  const Lane3 old1 = addCross(before.moment, load3(rows.arm1, l), before.force);

  const double* records[kBundleLanes];
  for (int i = 0; i < kLanes; ++i) records[i] = stored[l + i]->numbers();
  StoredLanes<kPoints> s(records);
  placeLanes(b, stored, bodyPair, rows, s, records, chosen.lanes, l);
  const Lane3 drift = b1.dx() - b0.dx();
  store3(load3(rows.arm0, l) - drift, rows.arm0, l);
  store3(drift, rows.drift, l);
  store(set(static_cast<double>(LookedAgain::kYes)), rows.looks + l);
  Lane q0[4], q1[4];
  gatherLines<4>(numbers(b.turn), i0, kStrideOf<BodyTurn>, q0);
  gatherLines<4>(numbers(b.turn), i1, kStrideOf<BodyTurn>, q1);
  for (int c = 0; c < 4; ++c) {
    store(q0[c], rows.turn0[c] + l);
    store(q1[c], rows.turn1[c] + l);
  }

  // What the next sweep will ask of the new rows for the last phase.
  addWork(
      b, bodyPair, rows, m0, m1,
      [&](int, Lane impulse) MSD_LAMBDA { return select(chosen.mask, -impulse, zero); }, pass, sums,
      l);
  const Wrench after(rows, Frame(rows, l), l);
  const Lane3 new0 = addCross(after.moment, load3(rows.arm0, l) + drift, after.force);
  const Lane3 new1 = addCross(after.moment, load3(rows.arm1, l), after.force);
  const Lane3 force = scale * (after.force - before.force);
  b1.push(force, scale * (new1 - old1));
  b0.push(-force, scale * (old0 - new0));
  b0.save(b, i0, chosen.lanes);
  b1.save(b, i1, chosen.lanes);
}

template <int kPoints>
void lookAgain(SolverBodies& b, StoredContact<kPoints>* const* stored,
               const BundleRun<kPoints>& run, const ContactPass& pass) {
  for (std::size_t i = 0; i < run.count; ++i) {
    unsigned wanted = 0;
    for (int lane = 0; lane < kBundleLanes; ++lane) {
      const bool is = run.rows[i].looks[lane] == static_cast<double>(LookedAgain::kWanted);
      wanted |= static_cast<unsigned>(is) << lane;
    }
    if (wanted == 0) continue;
    ContactRows<kPoints> fresh = run.rows[i];
    for (int l = 0; l < kBundleLanes; l += kLanes) {
      const Chosen chosen((wanted >> l) & kAllLanes);
      if (chosen.lanes == 0) continue;
      lookAgainLanes(b, stored + kBundleLanes * i, run.bodyPair[i], fresh, run.sums[i], pass,
                     chosen, l);
    }
    takeLanes(fresh, wanted, run.rows[i]);
  }
}

/// (T-12): what a phase gave beyond all expectation moves from the impulse, which is the next
/// warm start, into the total, and is taken off the bodies' warm starts. Seldom has anything to do.
template <int kPoints>
MSD_INLINE void limitWarmStart(SolverBodies& b, const BundleBodies& bodyPair,
                               ContactRows<kPoints>& rows, const Frame& f, ContactSums& sums,
                               unsigned noted, const ContactPass& pass, int l) {
  // Loads of islands that were set up at rest are no surprise.
  const unsigned lanes =
      bits(isImpact(rows, pass, l)) & noted & ~lanesThat(&SweepBudget::lasts, b, bodyPair, l);
  if (lanes == 0) return;
  const Mask impact = Chosen(lanes).mask;

  Lane keep[kPoints], gone[kPoints];
  for (int i = 0; i < kPoints; ++i) {
    const Lane now = load(rows.points[i].impulse[0] + l);
    const Lane limit = expectedImpulse(rows.points[i], pass, l);
    keep[i] = select(impact & (now > limit), limit / max(now, set(kTiny)), set(1.0));
    gone[i] = set(1.0) - keep[i];
  }
  // The work of what stays is measured later.
  addWork(
      b, bodyPair, rows, PhaseMean::present(b, bodyPair.body0() + l, set(pass.lead)),
      PhaseMean::present(b, bodyPair.body1() + l, set(pass.lead)),
      [&](int i, Lane impulse) MSD_LAMBDA { return gone[i] * impulse; }, pass, sums, l);
  const Wrench before(rows, f, l);
  for (int i = 0; i < kPoints; ++i) {
    ContactPointRows& p = rows.points[i];
    for (int c = 0; c < 3; ++c) {
      const Lane full = load(p.impulse[c] + l), kept = keep[i] * full;
      store(kept, p.impulse[c] + l);
      store(load(p.total[c] + l) + (full - kept), p.total[c] + l);
    }
  }
  const Wrench after(rows, f, l);
  const Lane3 force = before.force - after.force, moment = before.moment - after.moment;
  const Lane3 arm0 = load3(rows.arm0, l) + load3(rows.drift, l);
  const Lane3 moment0 = addCross(moment, arm0, force);
  const Lane3 moment1 = addCross(moment, load3(rows.arm1, l), force);
  alignas(64) double values[9][kBundleLanes];
  store3(force, values, 0);
  store3(moment0, values + 3, 0);
  store3(moment1, values + 6, 0);
  for (int lane = 0; lane < kLanes; ++lane) {
    if (((lanes >> lane) & 1u) == 0) continue;
    const auto i0 = static_cast<std::size_t>(bodyPair.body0()[l + lane]);
    const auto i1 = static_cast<std::size_t>(bodyPair.body1()[l + lane]);
    for (int c = 0; c < 3; ++c) {
      if (b.motion[i0].inverseMass > 0.0) {
        b.warmStart[i0].excessLinear[c] -= values[c][lane];
        b.warmStart[i0].excessAngular[c] -= values[3 + c][lane];
      }
      if (b.motion[i1].inverseMass > 0.0) {
        b.warmStart[i1].excessLinear[c] += values[c][lane];
        b.warmStart[i1].excessAngular[c] += values[6 + c][lane];
      }
    }
  }
}

template <int kPoints>
void conclude(SolverBodies& b, const BundleRun<kPoints>& run, const ContactPass& pass) {
  for (std::size_t i = 0; i < run.count; ++i) {
    const unsigned noted = pass.moved ? 0xFFu : run.notes[i].impact;
    if (noted == 0) continue;
    for (int l = 0; l < kBundleLanes; l += kLanes) {
      limitWarmStart(b, run.bodyPair[i], run.rows[i], Frame(run.rows[i], l), run.sums[i],
                     noted >> l, pass, l);
    }
  }
}

}  // namespace contact_kernels
MSD_KERNELS_END
