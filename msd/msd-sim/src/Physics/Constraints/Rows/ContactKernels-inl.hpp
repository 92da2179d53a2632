// Passes of ContactKernels; compiled once per vector width. docs/theory/rows.md holds the algebra.
#include "msd-sim/src/DataTypes/Lanes-inl.hpp"
#include "msd-sim/src/Physics/Constraints/Rows/ContactKernels.hpp"

MSD_KERNELS_BEGIN
namespace contact_kernels {

// Share of an impulse that is expected again even if it came out of nothing (T-12).
inline constexpr double kSurpriseShare = 1.0 / 64.0;

MSD_INLINE Lane3 load3(const double (*p)[kBundleLanes], int l) {
  return {load(p[0] + l), load(p[1] + l), load(p[2] + l)};
}
MSD_INLINE void store3(Lane3 a, double (*p)[kBundleLanes], int l) {
  store(a.x, p[0] + l);
  store(a.y, p[1] + l);
  store(a.z, p[2] + l);
}

#include "msd-sim/src/Physics/Constraints/Rows/ContactSweep-inl.hpp"

constexpr std::int64_t kMotionStride = sizeof(BodyMotion) / sizeof(double);
constexpr std::int64_t kBeforeStride = sizeof(BodyBefore) / sizeof(double);
constexpr std::int64_t kMeanStride = sizeof(BodyMean) / sizeof(double);
constexpr std::int64_t kTurnStride = sizeof(BodyTurn) / sizeof(double);
constexpr std::int64_t kPoseStride = sizeof(BodyPose) / sizeof(double);
constexpr std::int64_t kGuessStride = sizeof(BodyGuess) / sizeof(double);
constexpr std::int64_t kStartStride = sizeof(BodyStart) / sizeof(double);
constexpr std::int64_t kLoadStride = sizeof(BodyLoad) / sizeof(double);
constexpr std::int64_t kShiftStride = sizeof(BodyShift) / sizeof(double);

template <class T>
MSD_INLINE const double* numbers(const AlignedVector<T>& lines) {
  return reinterpret_cast<const double*>(lines.data());
}
template <class T>
MSD_INLINE double* numbers(AlignedVector<T>& lines) {
  return reinterpret_cast<double*>(lines.data());
}

/// Velocity, inverse mass and inertia, and displacement of one body per lane.
struct Body {
  Lane line[8];
  Lane tail[8];
  MSD_INLINE Body(const SolverBodies& b, const std::int32_t* index) {
    gatherLines<8>(numbers(b.motion), index, kMotionStride, line);
    gatherLines<8>(numbers(b.motion) + 8, index, kMotionStride, tail);
  }
  MSD_INLINE Lane3 v() const { return {line[0], line[1], line[2]}; }
  MSD_INLINE Lane3 w() const { return {line[3], line[4], line[5]}; }
  MSD_INLINE Lane inverseMass() const { return line[6]; }
  MSD_INLINE unsigned pushable() const { return bits(line[6] > set(0.0)); }
  MSD_INLINE Lane3 dx() const { return {tail[0], tail[1], tail[2]}; }
  MSD_INLINE LaneSym inverseInertia() const {
    return {line[7], tail[3], tail[4], tail[5], tail[6], tail[7]};
  }
  /// Adds a linear and an angular impulse.
  MSD_INLINE void push(Lane3 linear, Lane3 angular) {
    const Lane3 v1 = fma(line[6], linear, v());
    const Lane3 w1 = w() + inverseInertia() * angular;
    line[0] = v1.x, line[1] = v1.y, line[2] = v1.z;
    line[3] = w1.x, line[4] = w1.y, line[5] = w1.z;
  }
  /// Takes the velocities of `old` back but where the mask holds.
  MSD_INLINE void keepUnless(Mask changed, const Body& old) {
    for (int c = 0; c < 6; ++c) line[c] = select(changed, line[c], old.line[c]);
  }
  MSD_INLINE void save(SolverBodies& b, const std::int32_t* index, unsigned lanes = 0xFFu) const {
    scatterLines<8>(numbers(b.motion), index, kMotionStride, line, pushable() & lanes);
  }
};

/// The lanes of a visit that are meant; the others stay bit for bit as they are.
struct Chosen {
  unsigned lanes;  ///< bit set
  bool all;
  Mask mask;
  MSD_INLINE explicit Chosen(unsigned bits) : lanes(bits), all(bits == (1u << kLanes) - 1u) {
    alignas(64) double set01[8] = {};
    if (!all) {
      for (int i = 0; i < kLanes; ++i) set01[i] = static_cast<double>((bits >> i) & 1u);
    }
    mask = all ? (set(1.0) > set(0.0)) : (load(set01) > set(0.0));
  }
};

/// Impulses and targets of the points before a visit, to be put back where it was not meant.
template <int kPoints>
struct PointsBefore {
  Lane impulse[kPoints][3], target[kPoints];
  MSD_INLINE PointsBefore(const ContactRows<kPoints>& rows, const Chosen& chosen, int l) {
    if (chosen.all) return;
    for (int i = 0; i < kPoints; ++i) {
      for (int c = 0; c < 3; ++c) impulse[i][c] = load(rows.points[i].impulse[c] + l);
      target[i] = load(rows.points[i].target + l);
    }
  }
  MSD_INLINE void putBack(ContactRows<kPoints>& rows, const Chosen& chosen, int l) const {
    if (chosen.all) return;
    for (int i = 0; i < kPoints; ++i) {
      ContactPointRows& p = rows.points[i];
      for (int c = 0; c < 3; ++c) {
        store(select(chosen.mask, load(p.impulse[c] + l), impulse[i][c]), p.impulse[c] + l);
      }
      store(select(chosen.mask, load(p.target + l), target[i]), p.target + l);
    }
  }
};

/// Pose of one body per lane.
struct Place {
  Lane3 x;
  LaneQuat q;
  MSD_INLINE Place(const SolverBodies& b, const std::int32_t* index) {
    Lane c[8];
    gatherLines<8>(numbers(b.pose), index, kPoseStride, c);
    x = {c[0], c[1], c[2]};
    q = {c[3], c[4], c[5], c[6]};
  }
};

MSD_INLINE Lane3 relativeVelocity(const Body& b0, const Body& b1, Lane3 arm0, Lane3 arm1) {
  return addCross(b1.v(), b1.w(), arm1) - addCross(b0.v(), b0.w(), arm0);
}

/// Velocity of a point of the manifold along the normal.
template <int kPoints>
MSD_INLINE Lane normalVelocity(const Twist& u, const ContactRows<kPoints>& rows, int i, int l) {
  if constexpr (kPoints == 1) {
    return u.vn;
  } else {
    return nfma(load(rows.x[i] + l), u.w2, fma(load(rows.y[i] + l), u.w1, u.vn));
  }
}

/// Gap of a point after rigid motions of both bodies, (G-1): exact for a face of body 0 against a
/// corner of body 1, n'·(x1 - x0) + (R1ᵀ n')·(r1 + d) - offset, with n' = R0 n. The surface of a
/// round body lies ρ from a core, and only the core turns: r + d becomes core + d and ρ stays along
/// the normal. Where body 0 is round, nothing turns the normal.
struct LiveGap {
  Lane base, along1, along2;
  template <int kPoints>
  MSD_INLINE LiveGap(const SolverBodies& b, const ContactBundle<kPoints>& bundle,
                     const ContactRows<kPoints>& rows, const Frame& f, Lane3 arm0, Lane3 arm1,
                     int l) {
    const Lane zero = set(0.0), one = set(1.0);
    if constexpr (kPoints == 1) {
      const Mask turns =
          (load(bundle.balls + l) <= zero) & (load(rows.points[0].normalMass + l) > zero);
      if (!any(turns)) {
        base = ballGap(bundle, arm0 - arm1, l) + load(rows.points[0].gapOffset + l);
        along1 = along2 = zero;
        return;
      }
    }
    Lane q0[4], q1[4];
    gatherLines<4>(numbers(b.turn), bundle.body0 + l, kTurnStride, q0);
    gatherLines<4>(numbers(b.turn), bundle.body1 + l, kTurnStride, q1);
    const Lane round0 = load(bundle.rounding0 + l), round1 = load(bundle.rounding1 + l);
    const Mask isRound = round0 > zero;
    const LaneQuat turn0{q0[0], q0[1], q0[2], q0[3]};
    const Lane3 turned = rotate(turn0, f.n);
    const Lane3 n{select(isRound, f.n.x, turned.x), select(isRound, f.n.y, turned.y),
                  select(isRound, f.n.z, turned.z)};
    const Lane3 m = rotate(conjugate(LaneQuat{q1[0], q1[1], q1[2], q1[3]}), n);
    // arm0 is live, so arm0 - arm1 = x1 - x0.
    base = dot(n, arm0 - arm1) + dot(m, arm1) + round1 * (dot(m, f.n) - one);
    along1 = dot(m, f.t1);
    along2 = dot(m, f.t2);
    if constexpr (kPoints == 1) {
      const Mask balls = load(bundle.balls + l) > zero;
      const Lane gap = ballGap(bundle, arm0 - arm1, l);
      base = select(balls, gap + load(rows.points[0].gapOffset + l), base);
      if (!any(isRound & (load(bundle.balls + l) <= zero))) return;
    }
    if (any(isRound)) {
      const Lane3 k = rotate(conjugate(turn0), f.n);
      const Lane3 start = load3(rows.arm0, l);
      const Lane moved = dot(f.n, start) - dot(k, start) + round0 * (dot(k, f.n) - one);
      const Mask turns = isRound & (load(bundle.balls + l) <= zero);
      base = base + select(turns, moved, zero);
      along1 = along1 - select(isRound, dot(k, f.t1), zero);
      along2 = along2 - select(isRound, dot(k, f.t2), zero);
    }
  }
  static MSD_INLINE Lane ballGap(const ContactBundle<1>& bundle, Lane3 between, int l) {
    return sqrt(dot(between, between)) - load(bundle.rounding0 + l) - load(bundle.rounding1 + l);
  }
  template <int kPoints>
  MSD_INLINE Lane at(const ContactRows<kPoints>& rows, int i, int l) const {
    const Lane offset = load(rows.points[i].gapOffset + l);
    if constexpr (kPoints == 1) {
      return base - offset;
    } else {
      return fma(along1, load(rows.x[i] + l), fma(along2, load(rows.y[i] + l), base)) - offset;
    }
  }
};

/// (G-11): a body that has passed another sideways by more than its size touches it no longer where the rows say;
/// what lies still has no lever arm that could grow.
inline constexpr double kPassed = 2.0;
inline constexpr double kNoContact = 1e30;
MSD_INLINE Mask hasPassed(const Body& b0, Lane3 drift, Lane3 n, const double* size) {
  const Lane far = set(kPassed) * load(size), along = dot(drift, n);
  return (nfma(along, along, dot(drift, drift)) > far * far) & (b0.inverseMass() > set(0.0));
}

/// Penetration of a point (P-2). Of one that carried nothing, only what the collision test found: the
/// rows know no edges of faces, and what seems to have sunk in since may have passed by. Two balls have
/// no edges.
template <int kPoints>
MSD_INLINE Lane trueDepth(const ContactBundle<kPoints>& bundle, const ContactRows<kPoints>& rows,
                          const Frame& f, const ContactPointRows& p, Lane gap, int l) {
  const Lane found = load(p.gapOffset + l) - dot(f.n, load3(rows.arm0, l));
  Mask touched = load(p.total[0] + l) > set(0.0);
  if constexpr (kPoints == 1) touched = touched | (load(bundle.balls + l) > set(0.0));
  return select(touched, -gap, min(-gap, found));
}

/// (T-12): the most of a point's impulse that may be expected again.
MSD_INLINE Lane expectedImpulse(const ContactPointRows& p, const ContactPass& pass, int l) {
  const Lane now = load(p.impulse[0] + l);
  return fma(set(2.0), load(p.guess + l),
             max(load(p.normalMass + l) * set(pass.guessSpeed), set(kSurpriseShare) * now));
}

/// Has a point of the lanes given more than may be expected again?
template <int kPoints>
MSD_INLINE Mask isSurprised(const ContactRows<kPoints>& rows, const ContactPass& pass, int l) {
  Mask surprised = {};
  for (int i = 0; i < kPoints; ++i) {
    const ContactPointRows& p = rows.points[i];
    const Mask more = load(p.impulse[0] + l) > expectedImpulse(p, pass, l);
    surprised = i == 0 ? more : (surprised | more);
  }
  return surprised;
}

/// Velocities of the bodies over a phase, as a twist of body 1 against body 0 at the manifold's centre.
template <int kPoints>
MSD_INLINE Twist meanTwist(const ContactRows<kPoints>& rows, const Frame& f, Lane3 v0, Lane3 w0,
                           Lane3 v1, Lane3 w1, int l) {
  const Lane3 arm1 = load3(rows.arm1, l), arm0 = load3(rows.arm0, l) + load3(rows.drift, l);
  return Twist(f, addCross(v1, w1, arm1) - addCross(v0, w0, arm0), w1 - w0);
}

/// The same at the end of a phase, before the body kernels have passed.
template <int kPoints>
MSD_INLINE Twist presentMean(const SolverBodies& b, const ContactBundle<kPoints>& bundle,
                             const ContactRows<kPoints>& rows, const Frame& f, int l) {
  const Body b0(b, bundle.body0 + l), b1(b, bundle.body1 + l);
  Lane k0[8], k1[8];
  gatherLines<8>(numbers(b.before), bundle.body0 + l, kBeforeStride, k0);
  gatherLines<8>(numbers(b.before), bundle.body1 + l, kBeforeStride, k1);
  const Lane half = set(0.5);
  return meanTwist(rows, f, half * (b0.v() + Lane3{k0[0], k0[1], k0[2]}),
                   half * (b0.w() + Lane3{k0[3], k0[4], k0[5]}),
                   half * (b1.v() + Lane3{k1[0], k1[1], k1[2]}),
                   half * (b1.w() + Lane3{k1[3], k1[4], k1[5]}), l);
}

/// (L-7): the work of a phase's impulses is their product with the mean of the velocities before
/// the phase's kick and after it; that of the kick is measured alike, so that both add up exactly.
/// `share` is that of each point's impulse.
template <int kPoints>
MSD_INLINE void addWork(const ContactRows<kPoints>& rows, const Twist& mean,
                        const Lane (&share)[kPoints], ContactSums& sums, int l) {
  Lane normal = load(sums.normalWork + l), friction = load(sums.frictionWork + l);
  for (int i = 0; i < kPoints; ++i) {
    const ContactPointRows& p = rows.points[i];
    Lane v1 = mean.v1, v2 = mean.v2;
    if constexpr (kPoints > 1) {
      v1 = nfma(load(rows.y[i] + l), mean.wn, v1);
      v2 = fma(load(rows.x[i] + l), mean.wn, v2);
    }
    normal = fma(share[i] * load(p.impulse[0] + l), normalVelocity(mean, rows, i, l), normal);
    friction = fma(share[i] * load(p.impulse[1] + l), v1, friction);
    friction = fma(share[i] * load(p.impulse[2] + l), v2, friction);
  }
  store(normal, sums.normalWork + l);
  store(friction, sums.frictionWork + l);
}

/// Adds the work of the phase before, whose impulses the rows still hold, when the next one begins.
template <int kPoints>
MSD_INLINE void addLastWork(const SolverBodies& b, const ContactBundle<kPoints>& bundle,
                            const ContactRows<kPoints>& rows, ContactSums& sums, int l) {
  Lane m0[8], m1[8], all[kPoints];
  gatherLines<8>(numbers(b.mean), bundle.body0 + l, kMeanStride, m0);
  gatherLines<8>(numbers(b.mean), bundle.body1 + l, kMeanStride, m1);
  for (Lane& share : all) share = set(1.0);
  const Twist mean = meanTwist(rows, Frame(rows, l), {m0[0], m0[1], m0[2]}, {m0[3], m0[4], m0[5]},
                               {m1[0], m1[1], m1[2]}, {m1[3], m1[4], m1[5]}, l);
  addWork(rows, mean, all, sums, l);
}

/// (T-12): what a phase gave beyond all expectation moves from the impulse, which is the next
/// guess, into the total, and is taken off the bodies' guesses. Seldom has anything to do.
template <int kPoints>
MSD_INLINE void limitGuess(SolverBodies& b, const ContactBundle<kPoints>& bundle,
                           ContactRows<kPoints>& rows, const Frame& f, ContactSums& sums,
                           const ContactPass& pass, int l) {
  const Mask surprised = isSurprised(rows, pass, l);
  if (!any(surprised)) return;

  Lane keep[kPoints], gone[kPoints];
  for (int i = 0; i < kPoints; ++i) {
    const Lane now = load(rows.points[i].impulse[0] + l);
    const Lane limit = expectedImpulse(rows.points[i], pass, l);
    keep[i] = select(now > limit, limit / max(now, set(kTiny)), set(1.0));
    gone[i] = set(1.0) - keep[i];
  }
  // The work of what stays is measured later.
  addWork(rows, presentMean(b, bundle, rows, f, l), gone, sums, l);
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
  const unsigned lanes = bits(surprised);
  for (int lane = 0; lane < kLanes; ++lane) {
    if (((lanes >> lane) & 1u) == 0) continue;
    const auto i0 = static_cast<std::size_t>(bundle.body0[l + lane]);
    const auto i1 = static_cast<std::size_t>(bundle.body1[l + lane]);
    for (int c = 0; c < 3; ++c) {
      if (b.motion[i0].inverseMass > 0.0) {
        b.guess[i0].excessLinear[c] -= values[c][lane];
        b.guess[i0].excessAngular[c] -= values[3 + c][lane];
      }
      if (b.motion[i1].inverseMass > 0.0) {
        b.guess[i1].excessLinear[c] += values[c][lane];
        b.guess[i1].excessAngular[c] += values[6 + c][lane];
      }
    }
  }
}

/// Adds the impulses of a phase (what limitGuess left of them) to those of the step.
template <int kPoints>
MSD_INLINE void addToTotal(ContactRows<kPoints>& rows, int l) {
  for (int i = 0; i < kPoints; ++i) {
    ContactPointRows& p = rows.points[i];
    for (int c = 0; c < 3; ++c) {
      store(load(p.total[c] + l) + load(p.impulse[c] + l), p.total[c] + l);
    }
  }
}

template <int kPoints>
MSD_INLINE void scaleGuess(ContactRows<kPoints>& rows, Lane scale, int l) {
  for (ContactPointRows& p : rows.points) {
    for (int c = 0; c < 3; ++c) store(scale * load(p.impulse[c] + l), p.impulse[c] + l);
  }
}

template <int kPoints>
MSD_INLINE void saveGuess(ContactRows<kPoints>& rows, int l) {
  for (int i = 0; i < kPoints; ++i) {
    store(load(rows.points[i].impulse[0] + l), rows.points[i].guess + l);
  }
}

#include "msd-sim/src/Physics/Constraints/Rows/ContactBalls-inl.hpp"

/// What a visit tells of its lanes.
struct Visited {
  Lane unrest;     ///< how far it was from having settled, 1 at the limit
  Lane slide;      ///< the same of the friction
  Mask busy;       ///< its work is to be measured
  Mask surprised;  ///< it gave more than can be expected again
};

/// How far a sweep was from having settled, 1 at the limit.
MSD_INLINE Lane unrest(Lane change, const double* size, const ContactPass& pass) {
  return change / max(max(set(pass.settledSpeed), set(pass.settledShare) * load(size)), set(kTiny));
}

/// One visit of a manifold in a velocity phase.
template <int kPoints>
MSD_INLINE Visited visit(Body& b0, Body& b1, ContactRows<kPoints>& rows, const Frame& f, Lane3 arm0,
                         Lane3 arm1, const Demand<kPoints>& demand, const double* size,
                         const ContactPass& pass, int l) {
  const Twist u(f, relativeVelocity(b0, b1, arm0, arm1), b1.w() - b0.w());
  const Sweep<kPoints> s(rows, u, demand, l);
  const Lane3 force = f.world(s.fn, s.f1, s.f2);
  if constexpr (kPoints == 1) {
    b1.push(force, cross(arm1, force));
    b0.push(-force, cross(force, arm0));
  } else {
    const Lane3 moment = f.world(s.mn, s.m1, s.m2);
    b1.push(force, addCross(moment, arm1, force));
    b0.push(-force, -addCross(moment, arm0, force));
  }
  const Lane limit = set(pass.busySpeed);
  return {unrest(s.change, size, pass), unrest(s.slide, size, pass),
          s.slips | (s.change > limit) | (fma(u.v1, u.v1, u.v2 * u.v2) > limit * limit),
          isSurprised(rows, pass, l)};
}

template <int kPoints>
MSD_INLINE Demand<kPoints> plainDemand() {
  Demand<kPoints> demand;
  demand.massScale = demand.softness = set(1.0);
  return demand;
}

/// The first visit after a drift: the last phase's impulses go into the step's total and become the guess
/// of this one. It was applied to body 0 with the arm of that phase; the bodies have moved since.
template <int kPoints>
MSD_INLINE void carryGuess(Body& b0, Body& b1, const ContactBundle<kPoints>& bundle,
                           ContactRows<kPoints>& rows, Lane3 drift, const ContactPass& pass, int l) {
  addToTotal(rows, l);
  if (pass.guessScale != 1.0) scaleGuess(rows, set(pass.guessScale), l);
  const Wrench guess(rows, Frame(rows, l), l);
  const Lane zero = set(0.0);
  b0.push({zero, zero, zero}, cross(guess.force, drift - load3(rows.drift, l)));
  store3(drift, rows.drift, l);
  saveGuess(rows, l);
  followBalls(b0, b1, bundle, rows, drift, l);
}

template <int kPoints>
MSD_INLINE Visited solveLanes(SolverBodies& b, const ContactBundle<kPoints>& bundle,
                              ContactRows<kPoints>& rows, const ContactBounce<kPoints>* bounce,
                              const ContactPass& pass, const Chosen& chosen, int l) {
  const PointsBefore<kPoints> before(rows, chosen, l);
  const std::int32_t* i0 = bundle.body0 + l;
  const std::int32_t* i1 = bundle.body1 + l;
  Body b0(b, i0), b1(b, i1);
  const Lane3 drift = b1.dx() - b0.dx();
  if (pass.first && pass.drifted) carryGuess(b0, b1, bundle, rows, drift, pass, l);
  const Frame f(rows, l);
  const Lane3 arm1 = load3(rows.arm1, l);
  const Lane3 arm0 = load3(rows.arm0, l) + drift;
  if (pass.first) {
    // Nothing moves within a phase.
    store3(drift, rows.drift, l);
    const LiveGap gap(b, bundle, rows, f, arm0, arm1, l);
    const Mask passed = hasPassed(b0, drift, f.n, bundle.size + l);
    for (int i = 0; i < kPoints; ++i) {
      store(select(passed, set(kNoContact), gap.at(rows, i, l)), rows.points[i].gap + l);
    }
  }
  const Lane zero = set(0.0);
  const Lane band = set(pass.band) * load(bundle.size + l);
  Demand<kPoints> demand = plainDemand<kPoints>();
  for (int i = 0; i < kPoints; ++i) {
    // A loaded point holds on within the band: letting go at every hair's breadth of a gap would
    // feed position errors back into velocities (G-6).
    const Lane phi = load(rows.points[i].gap + l);
    const Mask open = phi > select(load(rows.points[i].impulse[0] + l) > zero, band, zero);
    demand.target[i] = select(open, -(phi * set(pass.inverseH)), zero);
  }
  if (pass.first && !pass.drifted) {
    if (!pass.opening) addToTotal(rows, l);
    saveGuess(rows, l);
  }
  const Mask meeting = meetBalls(b0, b1, bundle, f, arm0 - arm1, pass, demand, l);
  Visited visited = visit(b0, b1, rows, f, arm0, arm1, demand, bundle.size + l, pass, l);
  if constexpr (kPoints == 1) {
    // Friction changes the way along the tangent, and this the way that is left to the touch.
    for (int k = 0; k < kMeetings; ++k) {
      const Mask again = meeting & (load(rows.points[0].impulse[0] + l) > zero);
      if (!any(again)) break;
      const Body old0 = b0, old1 = b1;
      const Lane3 old{load(rows.points[0].impulse[0] + l), load(rows.points[0].impulse[1] + l),
                      load(rows.points[0].impulse[2] + l)};
      (void)meetBalls(b0, b1, bundle, f, arm0 - arm1, pass, demand, l, again);
      const Visited more = visit(b0, b1, rows, f, arm0, arm1, demand, bundle.size + l, pass, l);
      // The other lanes stay as they are: the result must not depend on the width of a vector.
      b0.keepUnless(again, old0);
      b1.keepUnless(again, old1);
      store3(select3(again, load3(rows.points[0].impulse, l), old), rows.points[0].impulse, l);
      visited = {max(visited.unrest, select(again, more.unrest, zero)),
                 max(visited.slide, select(again, more.slide, zero)), visited.busy | (again & more.busy), isSurprised(rows, pass, l)};
    }
  }
  b0.save(b, i0, chosen.lanes);
  b1.save(b, i1, chosen.lanes);
  for (int i = 0; i < kPoints; ++i) {
    // A contact that carried an impulse is closed in phase 2; an open one keeps its gap.
    const Lane closed = bounce != nullptr ? load(bounce->velocity[i] + l) : zero;
    store(select(load(rows.points[i].impulse[0] + l) > zero, closed, demand.target[i]),
          rows.points[i].target + l);
  }
  before.putBack(rows, chosen, l);
  return visited;
}

template <int kPoints>
MSD_INLINE Visited relaxLanes(SolverBodies& b, const ContactBundle<kPoints>& bundle,
                              ContactRows<kPoints>& rows, const ContactPass& pass,
                              const Chosen& chosen, int l) {
  const PointsBefore<kPoints> before(rows, chosen, l);
  const std::int32_t* i0 = bundle.body0 + l;
  const std::int32_t* i1 = bundle.body1 + l;
  Body b0(b, i0), b1(b, i1);
  const Lane3 drift = b1.dx() - b0.dx();
  if (pass.first) carryGuess(b0, b1, bundle, rows, drift, pass, l);
  const Frame f(rows, l);
  const Lane3 arm1 = load3(rows.arm1, l);
  const Lane3 arm0 = load3(rows.arm0, l) + drift;
  Demand<kPoints> demand = plainDemand<kPoints>();
  const Mask passed = hasPassed(b0, drift, f.n, bundle.size + l);
  for (int i = 0; i < kPoints; ++i) {
    demand.target[i] = select(passed, set(-kNoContact), load(rows.points[i].target + l));
  }
  const Visited visited = visit(b0, b1, rows, f, arm0, arm1, demand, bundle.size + l, pass, l);
  b0.save(b, i0, chosen.lanes);
  b1.save(b, i1, chosen.lanes);
  before.putBack(rows, chosen, l);
  return visited;
}

template <int kPoints>
MSD_INLINE void warmLanes(SolverBodies& b, const ContactBundle<kPoints>& bundle,
                          ContactRows<kPoints>& rows, double scale, int l) {
  const std::int32_t* i0 = bundle.body0 + l;
  const std::int32_t* i1 = bundle.body1 + l;
  if (scale != 1.0) scaleGuess(rows, set(scale), l);
  const Frame f(rows, l);
  const Wrench guess(rows, f, l);
  Lane g0[8], g1[8];
  gatherLines<8>(numbers(b.guess), i0, kGuessStride, g0);
  gatherLines<8>(numbers(b.guess), i1, kGuessStride, g1);
  const Lane3 m0 = addCross(guess.moment, load3(rows.arm0, l), guess.force);
  const Lane3 m1 = addCross(guess.moment, load3(rows.arm1, l), guess.force);
  g0[0] = g0[0] - guess.force.x, g0[1] = g0[1] - guess.force.y, g0[2] = g0[2] - guess.force.z;
  g0[4] = g0[4] - m0.x, g0[5] = g0[5] - m0.y, g0[6] = g0[6] - m0.z;
  g1[0] = g1[0] + guess.force.x, g1[1] = g1[1] + guess.force.y, g1[2] = g1[2] + guess.force.z;
  g1[4] = g1[4] + m1.x, g1[5] = g1[5] + m1.y, g1[6] = g1[6] + m1.z;
  // The motion line's inverse mass says who can be pushed.
  alignas(64) double pushable0[kBundleLanes], pushable1[kBundleLanes];
  for (int lane = 0; lane < kLanes; ++lane) {
    pushable0[lane] = b.motion[static_cast<std::size_t>(i0[lane])].inverseMass;
    pushable1[lane] = b.motion[static_cast<std::size_t>(i1[lane])].inverseMass;
  }
  scatterLines<8>(numbers(b.guess), i0, kGuessStride, g0, bits(load(pushable0) > set(0.0)));
  scatterLines<8>(numbers(b.guess), i1, kGuessStride, g1, bits(load(pushable1) > set(0.0)));
}

/// speed of approach at the moment of touch, from the velocity and the loads at the start of
/// the substep; energy-consistent, u² = u0² - 2 a φ.
template <int kPoints>
MSD_INLINE void approachLanes(const SolverBodies& b, const ContactBundle<kPoints>& bundle,
                              const ContactRows<kPoints>& rows, ContactBounce<kPoints>& bounce,
                              const ContactPass& pass, int l) {
  const std::int32_t* i0 = bundle.body0 + l;
  const std::int32_t* i1 = bundle.body1 + l;
  const Body b0(b, i0), b1(b, i1);
  const Frame f(rows, l);
  const Lane3 arm1 = load3(rows.arm1, l);
  const Lane3 arm0 = load3(rows.arm0, l) + (b1.dx() - b0.dx());
  const LiveGap gap(b, bundle, rows, f, arm0, arm1, l);
  const Twist u(f, relativeVelocity(b0, b1, arm0, arm1), b1.w() - b0.w());
  Lane load0[8], load1[8];
  gatherLines<8>(numbers(b.load), i0, kLoadStride, load0);
  gatherLines<8>(numbers(b.load), i1, kLoadStride, load1);
  const Lane3 spin0 = b0.inverseInertia() * Lane3{load0[4], load0[5], load0[6]};
  const Lane3 spin1 = b1.inverseInertia() * Lane3{load1[4], load1[5], load1[6]};
  const Lane3 pull = addCross(Lane3{load1[0], load1[1], load1[2]}, spin1, arm1) -
                     addCross(Lane3{load0[0], load0[1], load0[2]}, spin0, arm0);
  const Twist a(f, pull, spin1 - spin0);
  const Lane zero = set(0.0), h = set(pass.h);
  const Lane e = load(bundle.restitution + l);
  for (int i = 0; i < kPoints; ++i) {
    const ContactPointRows& p = rows.points[i];
    const Lane un = normalVelocity(u, rows, i, l), an = normalVelocity(a, rows, i, l);
    const Lane phi = max(gap.at(rows, i, l), zero);
    const Lane mean = fma(set(0.5) * h, an, un);
    const Lane speed = sqrt(max(fma(un, un, -(set(2.0) * an * phi)), zero));
    const Mask hits = (fma(h, mean, phi) <= zero) & (speed > set(pass.threshold)) &
                      (load(p.normalMass + l) > zero) & (mean < zero);
    store(select(hits, e * speed, zero), bounce.velocity[i] + l);
  }
}

/// What a bundle has of a penetration.
struct Depth {
  Lane deepest;  ///< [m]
  Lane share;    ///< of the contact's size [-]
};

/// A contact where its bodies are after all substeps.
struct Settled {
  Body b0, b1;
  Frame f;
  Lane3 arm0, arm1;
  Mask passed;
  template <int kPoints>
  MSD_INLINE Settled(const SolverBodies& b, const ContactBundle<kPoints>& bundle,
                     const ContactRows<kPoints>& rows, int l)
      : b0(b, bundle.body0 + l),
        b1(b, bundle.body1 + l),
        f(rows, l),
        arm0(load3(rows.arm0, l) + (b1.dx() - b0.dx())),
        arm1(load3(rows.arm1, l)),
        passed(hasPassed(b0, b1.dx() - b0.dx(), f.n, bundle.size + l)) {}
};

template <int kPoints>
MSD_INLINE Depth storeLanes(const SolverBodies& b, const Settled& now, const LiveGap& gap,
                            ContactBundle<kPoints>& bundle, const ContactRows<kPoints>& rows,
                            ContactSums& sums, int l) {
  const std::int32_t* i0 = bundle.body0 + l;
  const std::int32_t* i1 = bundle.body1 + l;
  const Frame& f = now.f;
  Lane s0[8], s1[8];
  gatherLines<8>(numbers(b.start) + 8, i0, kStartStride, s0);
  gatherLines<8>(numbers(b.start) + 8, i1, kStartStride, s1);
  const Lane zero = set(0.0);
  const Lane3 armStart = load3(rows.arm0, l);
  const Lane3 v0{s0[0], s0[1], s0[2]}, w0{s0[3], s0[4], s0[5]};
  const Lane3 v1{s1[0], s1[1], s1[2]}, w1{s1[3], s1[4], s1[5]};
  const Twist before(f, addCross(v1, w1, now.arm1) - addCross(v0, w0, armStart), w1 - w0);
  const Twist end(f, relativeVelocity(now.b0, now.b1, now.arm0, now.arm1),
                  now.b1.w() - now.b0.w());
  Lane deepest = zero, residual = zero, sum = zero, approach = zero;
  for (int i = 0; i < kPoints; ++i) {
    const ContactPointRows& p = rows.points[i];
    for (int c = 0; c < 3; ++c) store(load(p.impulse[c] + l), bundle.impulse[i][c] + l);
    const Lane normal = load(p.total[0] + l);
    sum = sum + normal;
    const Mask exists = load(p.normalMass + l) > zero;
    const Lane depth = select(now.passed, zero, trueDepth(bundle, rows, f, p, gap.at(rows, i, l), l));
    deepest = max(deepest, select(exists, depth, zero));
    residual = max(residual, select(now.passed, zero, select(exists, load(p.target + l) - normalVelocity(end, rows, i, l), zero)));
    approach = max(approach, select(normal > zero, -normalVelocity(before, rows, i, l), zero));
  }
  store(deepest, sums.deepest + l);
  store(residual, sums.residual + l);
  store(sum, sums.load + l);
  store(approach, sums.approach + l);
  return {deepest, deepest / max(load(bundle.size + l), set(kTiny))};
}

/// Kinetic energy of a body per mass, at least: the trace of the inverse inertia is more than its
/// largest eigenvalue [m²/s²]. Zero where it cannot be pushed.
MSD_INLINE Lane kineticPerMass(const Body& b) {
  const LaneSym inverse = b.inverseInertia();
  const Lane trace = max(inverse.xx + inverse.yy + inverse.zz, set(kTiny));
  const Lane twice = fma(b.inverseMass() / trace, dot(b.w(), b.w()), dot(b.v(), b.v()));
  return select(b.inverseMass() > set(0.0), set(0.5) * twice, set(0.0));
}

/// How much of a contact's normal points up.
MSD_INLINE Lane upwards(const Frame& f, const ContactPass& pass) {
  return dot(f.n, Lane3{set(pass.up[0]), set(pass.up[1]), set(pass.up[2])});
}

/// What position correction asks of a contact's points (P-3).
template <int kPoints>
MSD_INLINE void aimCorrection(const SolverBodies& b, const Settled& now, const LiveGap& gap, Lane above,
                              const ContactBundle<kPoints>& bundle, ContactRows<kPoints>& rows,
                              const ContactPass& pass, int l) {
  const Lane zero = set(0.0), size = load(bundle.size + l);
  // What lies above is lifted, and all at once as far as its motion can pay (P-8).
  Lane s0[8], s1[8];
  gatherLines<8>(numbers(b.shift), bundle.body0 + l, kShiftStride, s0);
  gatherLines<8>(numbers(b.shift), bundle.body1 + l, kShiftStride, s1);
  const Lane paid = set(pass.paidHeight) * select(above >= zero, s1[6] * kineticPerMass(now.b1),
                                                  s0[6] * kineticPerMass(now.b0));
  for (int i = 0; i < kPoints; ++i) {
    ContactPointRows& p = rows.points[i];
    const Lane phi = select(now.passed, set(kNoContact), gap.at(rows, i, l));
    // Room to fall back into, or the share of the penetration to get out of.
    const Lane depth = trueDepth(bundle, rows, now.f, p, phi, l);
    const Lane deep = max(nfma(set(pass.slop), size, depth), zero);
    const Lane beyond = nfma(set(pass.mostLeft), size, depth);  // (P-9)
    const Lane share = max(max(set(pass.correction) * deep, beyond), min(deep, paid));
    const Lane out = min(share, set(pass.largestShift) * size);
    store(select(phi > zero, -phi, out), p.target + l);
    for (int c = 0; c < 3; ++c) store(zero, p.impulse[c] + l);
  }
}

/// Position correction (theory/position-correction.md, P-3): displacements with
/// J s >= share of the penetration along the normals. The body under a contact counts `support`
/// times, so that what lies above is lifted and what lies below stays (P-4).
template <int kPoints>
MSD_INLINE Lane correctLanes(SolverBodies& b, const Settled& now,
                             const ContactBundle<kPoints>& bundle, ContactRows<kPoints>& rows,
                             const ContactPass& pass, Lane above, const Chosen& chosen, int l) {
  const PointsBefore<kPoints> before(rows, chosen, l);
  const std::int32_t* i0 = bundle.body0 + l;
  const std::int32_t* i1 = bundle.body1 + l;
  const Body &b0 = now.b0, &b1 = now.b1;
  const Frame& f = now.f;
  const Lane3 arm0 = now.arm0, arm1 = now.arm1;
  const Lane zero = set(0.0), one = set(1.0);
  const Lane less = set(1.0 - pass.support);
  const Lane weight0 = nfma(less, max(above, zero), one);
  const Lane weight1 = nfma(less, max(-above, zero), one);
  const Lane give0 = weight0 * b0.inverseMass(), give1 = weight1 * b1.inverseMass();
  Demand<kPoints> demand;
  const Lane whole = max(b0.inverseMass() + b1.inverseMass(), set(kTiny));
  demand.softness = (give0 + give1) / whole;
  demand.massScale = whole / max(give0 + give1, set(kTiny));
  for (int i = 0; i < kPoints; ++i) {
    const ContactPointRows& p = rows.points[i];
    demand.target[i] = load(p.target + l);
  }
  Lane s0[8], s1[8];
  gatherLines<8>(numbers(b.shift), i0, kShiftStride, s0);
  gatherLines<8>(numbers(b.shift), i1, kShiftStride, s1);
  const Lane3 d0{s0[0], s0[1], s0[2]}, t0{s0[3], s0[4], s0[5]};
  const Lane3 d1{s1[0], s1[1], s1[2]}, t1{s1[3], s1[4], s1[5]};
  const Sweep<kPoints, false> s(
      rows, Twist(f, addCross(d1, t1, arm1) - addCross(d0, t0, arm0), t1 - t0), demand, l);
  // Without friction: the normal and what it turns.
  const Lane3 force = s.fn * f.n;
  Lane3 moment0 = cross(arm0, force), moment1 = cross(arm1, force);
  if constexpr (kPoints > 1) {
    const Lane3 moment = fma(s.m1, f.t1, s.m2 * f.t2);
    moment0 = moment0 + moment;
    moment1 = moment1 + moment;
  }
  const Lane3 e1 = fma(give1, force, d1);
  const Lane3 q1 = t1 + weight1 * (b1.inverseInertia() * moment1);
  const Lane3 e0 = nfma(give0, force, d0);
  const Lane3 q0 = t0 - weight0 * (b0.inverseInertia() * moment0);
  const Lane out0[8] = {e0.x, e0.y, e0.z, q0.x, q0.y, q0.z, s0[6], zero};
  const Lane out1[8] = {e1.x, e1.y, e1.z, q1.x, q1.y, q1.z, s1[6], zero};
  scatterLines<8>(numbers(b.shift), i0, kShiftStride, out0, b0.pushable() & chosen.lanes);
  scatterLines<8>(numbers(b.shift), i1, kShiftStride, out1, b1.pushable() & chosen.lanes);
  before.putBack(rows, chosen, l);
  return s.change / max(load(bundle.size + l), set(kTiny));
}
