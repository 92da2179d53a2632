// Passes of ContactKernels; compiled once per vector width. docs/theory/rows.md holds the algebra.
#include "msd-sim/src/DataTypes/Lanes-inl.hpp"
#include "msd-sim/src/Physics/Constraints/Rows/ContactKernels.hpp"

MSD_KERNELS_BEGIN
namespace contact_kernels {

// Keeps a quotient finite where its divisor may be zero; far below any square of an impulse.
inline constexpr double kTiny = 1e-300;
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

constexpr std::int64_t kMotionStride = sizeof(BodyMotion) / sizeof(double);
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
  MSD_INLINE void save(SolverBodies& b, const std::int32_t* index) const {
    scatterLines<8>(numbers(b.motion), index, kMotionStride, line, bits(line[6] > set(0.0)));
  }
};

/// Contact frame: normal, first and second tangent.
struct Frame {
  Lane3 n, t1, t2;
  template <class Rows>
  MSD_INLINE Frame(const Rows& rows, int l)
      : n(load3(rows.normal, l)), t1(load3(rows.tangent, l)), t2(cross(n, t1)) {}
  MSD_INLINE Lane3 world(Lane an, Lane a1, Lane a2) const {
    return fma(an, n, fma(a1, t1, a2 * t2));
  }
};

/// Relative twist of body 1 against body 0 at the manifold's centre, in the contact frame.
struct Twist {
  Lane vn, v1, v2, wn, w1, w2;
  MSD_INLINE Twist(const Frame& f, Lane3 v, Lane3 w)
      : vn(dot(f.n, v)),
        v1(dot(f.t1, v)),
        v2(dot(f.t2, v)),
        wn(dot(f.n, w)),
        w1(dot(f.t1, w)),
        w2(dot(f.t2, w)) {}
};

MSD_INLINE Lane3 relativeVelocity(const Body& b0, const Body& b1, Lane3 arm0, Lane3 arm1) {
  return addCross(b1.v(), b1.w(), arm1) - addCross(b0.v(), b0.w(), arm0);
}

MSD_INLINE LaneSym loadSym(const double (*p)[kBundleLanes], int l) {
  return {load(p[0] + l), load(p[1] + l), load(p[2] + l),
          load(p[3] + l), load(p[4] + l), load(p[5] + l)};
}

/// Gap of a point after rigid motions of both bodies, exact for a face of body 0 against a point of
/// body 1: n' (x1 - x0) + (R1ᵀ n')·(r1 + d) - offset, with n' = R0 n.
struct LiveGap {
  Lane base, along1, along2;
  template <class Rows>
  MSD_INLINE LiveGap(const SolverBodies& b, const std::int32_t* i0, const std::int32_t* i1,
                     const Rows& rows, const Frame& f, Lane3 arm0, Lane3 arm1, int l) {
    (void)rows, (void)l;
    Lane q0[4], q1[4];
    gatherLines<4>(numbers(b.turn), i0, kTurnStride, q0);
    gatherLines<4>(numbers(b.turn), i1, kTurnStride, q1);
    const Lane3 n = rotate(LaneQuat{q0[0], q0[1], q0[2], q0[3]}, f.n);
    const Lane3 m = rotate(conjugate(LaneQuat{q1[0], q1[1], q1[2], q1[3]}), n);
    // arm0 is live, so arm0 - arm1 = x1 - x0.
    base = dot(n, arm0 - arm1) + dot(m, arm1);
    along1 = dot(m, f.t1);
    along2 = dot(m, f.t2);
  }
  MSD_INLINE Lane at(const ContactPointRows& p, int l) const {
    return fma(along1, load(p.x + l), fma(along2, load(p.y + l), base)) - load(p.gapOffset + l);
  }
};

/// Impulses of the normal group, then of the friction group, of one manifold in one sweep.
template <int kPoints>
struct Sweep {
  Lane fn, m1, m2;  // change of the normal group's impulse
  Lane f1, f2, mn;  // change of the friction group's impulse

  template <class Targets>
  MSD_INLINE Sweep(ContactRows<kPoints>& rows, Twist u, const Targets& targets, int l) {
    const Lane zero = set(0.0);
    fn = m1 = m2 = f1 = f2 = mn = zero;
    if constexpr (kPoints == 1) {
      sweepPoint(rows, u, targets, l);
    } else {
      sweepNormals(rows, u, targets, l);
      sweepFriction(rows, u, l);
    }
  }

  /// One point at the centre: the normal first, then both tangents together.
  template <class Targets>
  MSD_INLINE void sweepPoint(ContactRows<kPoints>& rows, Twist u, const Targets& targets, int l) {
    ContactPointRows& p = rows.points[0];
    const Lane old = load(p.impulse[0] + l);
    const Lane now = max(nfma(load(p.normalMass + l), u.vn - targets.at(0, l), old), set(0.0));
    fn = now - old;
    store(now, p.impulse[0] + l);
    const Lane v1 = fma(load(rows.crossGroup[0] + l), fn, u.v1);
    const Lane v2 = fma(load(rows.crossGroup[3] + l), fn, u.v2);
    frictionPoint(p, load(rows.friction + l) * now, v1, v2, l, f1, f2);
  }

  template <class Targets>
  MSD_INLINE void sweepNormals(ContactRows<kPoints>& rows, Twist& u, const Targets& targets,
                               int l) {
    const LaneSym k = loadSym(rows.normalGroup, l);
    for (int i = 0; i < kPoints; ++i) {
      ContactPointRows& p = rows.points[i];
      const Lane x = load(p.x + l), y = load(p.y + l);
      const Lane velocity = nfma(x, u.w2, fma(y, u.w1, u.vn));
      const Lane old = load(p.impulse[0] + l);
      const Lane now = max(nfma(load(p.normalMass + l), velocity - targets.at(i, l), old), set(0.0));
      store(now, p.impulse[0] + l);
      const Lane d = now - old, d1 = y * d, d2 = -(x * d);
      u.vn = fma(k.xx, d, fma(k.xy, d1, fma(k.xz, d2, u.vn)));
      u.w1 = fma(k.xy, d, fma(k.yy, d1, fma(k.yz, d2, u.w1)));
      u.w2 = fma(k.xz, d, fma(k.yz, d1, fma(k.zz, d2, u.w2)));
      fn = fn + d;
      m1 = m1 + d1;
      m2 = m2 + d2;
    }
    const auto& c = rows.crossGroup;
    u.v1 = fma(load(c[0] + l), fn, fma(load(c[1] + l), m1, fma(load(c[2] + l), m2, u.v1)));
    u.v2 = fma(load(c[3] + l), fn, fma(load(c[4] + l), m1, fma(load(c[5] + l), m2, u.v2)));
    u.wn = fma(load(c[6] + l), fn, fma(load(c[7] + l), m1, fma(load(c[8] + l), m2, u.wn)));
  }

  MSD_INLINE void sweepFriction(ContactRows<kPoints>& rows, Twist& u, int l) {
    const LaneSym k = loadSym(rows.frictionGroup, l);
    const Lane mu = load(rows.friction + l);
    for (int i = 0; i < kPoints; ++i) {
      ContactPointRows& p = rows.points[i];
      const Lane x = load(p.x + l), y = load(p.y + l);
      Lane d1, d2;
      frictionPoint(p, mu * load(p.impulse[0] + l), nfma(y, u.wn, u.v1), fma(x, u.wn, u.v2), l, d1,
                    d2);
      const Lane dn = nfma(y, d1, x * d2);
      u.v1 = fma(k.xx, d1, fma(k.xy, d2, fma(k.xz, dn, u.v1)));
      u.v2 = fma(k.xy, d1, fma(k.yy, d2, fma(k.yz, dn, u.v2)));
      u.wn = fma(k.xz, d1, fma(k.yz, d2, fma(k.zz, dn, u.wn)));
      f1 = f1 + d1;
      f2 = f2 + d2;
      mn = mn + dn;
    }
  }

  /// Coulomb's disc |p| <= limit: full stop where the disc allows it, else a projected step of a
  /// length that keeps the direction of slip (rows.md, F-3 and F-4).
  static MSD_INLINE void frictionPoint(ContactPointRows& p, Lane limit, Lane u1, Lane u2, int l,
                                       Lane& d1, Lane& d2) {
    const Lane p1 = load(p.impulse[1] + l), p2 = load(p.impulse[2] + l);
    const Lane s12 = load(p.stick12 + l);
    const Lane stick1 = p1 - fma(load(p.stick11 + l), u1, s12 * u2);
    const Lane stick2 = p2 - fma(s12, u1, load(p.stick22 + l) * u2);
    const Lane slip = load(p.slipMass + l);
    const Lane slip1 = nfma(slip, u1, p1), slip2 = nfma(slip, u2, p2);
    const Lane length2 = fma(slip1, slip1, slip2 * slip2);
    const Lane scale = min(limit / sqrt(max(length2, set(kTiny))), set(1.0));
    const Mask sticks = fma(stick1, stick1, stick2 * stick2) <= limit * limit;
    const Lane now1 = select(sticks, stick1, scale * slip1);
    const Lane now2 = select(sticks, stick2, scale * slip2);
    store(now1, p.impulse[1] + l);
    store(now2, p.impulse[2] + l);
    d1 = now1 - p1;
    d2 = now2 - p2;
  }
};

/// Sum of a manifold's impulses as a wrench at its centre, world axes.
struct Wrench {
  Lane3 force, moment;
  template <int kPoints>
  MSD_INLINE Wrench(const ContactRows<kPoints>& rows, const Frame& f, int l) {
    const Lane zero = set(0.0);
    Lane fn = zero, f1 = zero, f2 = zero, mn = zero, m1 = zero, m2 = zero;
    for (int i = 0; i < kPoints; ++i) {
      const ContactPointRows& p = rows.points[i];
      const Lane pn = load(p.impulse[0] + l), p1 = load(p.impulse[1] + l),
                 p2 = load(p.impulse[2] + l);
      fn = fn + pn;
      f1 = f1 + p1;
      f2 = f2 + p2;
      if constexpr (kPoints > 1) {
        const Lane x = load(p.x + l), y = load(p.y + l);
        m1 = fma(y, pn, m1);
        m2 = nfma(x, pn, m2);
        mn = fma(x, p2, nfma(y, p1, mn));
      }
    }
    force = f.world(fn, f1, f2);
    moment = f.world(mn, m1, m2);
  }
};

/// (T-12): what a phase gave beyond all expectation moves from the impulse, which is the next
/// guess, into the total. Leaves the share that was kept in `guess`. Seldom has anything to do.
template <int kPoints>
MSD_INLINE void limitGuess(SolverBodies& b, const ContactBundle<kPoints>& bundle,
                           ContactRows<kPoints>& rows, const Frame& f, Lane3 arm0, Lane3 arm1,
                           const ContactPass& pass, int l) {
  Mask surprised = {};
  Lane keep[kPoints];
  for (int i = 0; i < kPoints; ++i) {
    const ContactPointRows& p = rows.points[i];
    const Lane now = load(p.impulse[0] + l);
    const Lane limit = fma(set(2.0), load(p.guess + l),
                           max(load(p.normalMass + l) * set(pass.guessSpeed),
                               set(kSurpriseShare) * now));
    const Mask more = now > limit;
    surprised = i == 0 ? more : (surprised | more);
    keep[i] = select(more, limit / max(now, set(kTiny)), set(1.0));
    store(keep[i], rows.points[i].guess + l);
  }
  if (!any(surprised)) return;

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
  const Lane3 moment0 = addCross(moment, arm0, force), moment1 = addCross(moment, arm1, force);
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
MSD_INLINE void saveGuess(ContactRows<kPoints>& rows, int l) {
  for (int i = 0; i < kPoints; ++i) {
    store(load(rows.points[i].impulse[0] + l), rows.points[i].guess + l);
  }
}

/// Targets of phase 1 are computed from live gaps, those of phase 2 were stored by phase 1.
template <int kPoints>
struct Targets {
  Lane value[kPoints];
  MSD_INLINE Lane at(int i, int) const { return value[i]; }
};

template <int kPoints>
MSD_INLINE void solveLanes(SolverBodies& b, const ContactBundle<kPoints>& bundle,
                           ContactRows<kPoints>& rows, const ContactBounce<kPoints>* bounce,
                           const ContactPass& pass, int l) {
  const std::int32_t* i0 = bundle.body0 + l;
  const std::int32_t* i1 = bundle.body1 + l;
  Body b0(b, i0), b1(b, i1);
  const Frame f(rows, l);
  const Lane3 drift = b1.dx() - b0.dx();
  store3(drift, rows.drift, l);
  const Lane3 arm1 = load3(rows.arm1, l);
  const Lane3 arm0 = load3(rows.arm0, l) + drift;
  const LiveGap gap(b, i0, i1, rows, f, arm0, arm1, l);
  const Lane zero = set(0.0);
  Targets<kPoints> targets;
  for (int i = 0; i < kPoints; ++i) {
    targets.value[i] = -(max(gap.at(rows.points[i], l), zero) * set(pass.inverseH));
  }
  if (pass.first) saveGuess(rows, l);
  const Sweep<kPoints> s(rows, Twist(f, relativeVelocity(b0, b1, arm0, arm1), b1.w() - b0.w()),
                         targets, l);
  const Lane3 force = f.world(s.fn, s.f1, s.f2);
  const Lane3 moment = f.world(s.mn, s.m1, s.m2);
  b1.push(force, addCross(moment, arm1, force));
  b0.push(-force, -addCross(moment, arm0, force));
  b0.save(b, i0);
  b1.save(b, i1);
  if (!pass.last) return;
  for (int i = 0; i < kPoints; ++i) {
    // A contact that carried an impulse is closed in phase 2; an open one keeps its gap.
    const Lane closed = bounce != nullptr ? load(bounce->velocity[i] + l) : zero;
    store(select(load(rows.points[i].impulse[0] + l) > zero, closed, targets.value[i]),
          rows.points[i].target + l);
  }
  limitGuess(b, bundle, rows, f, arm0, arm1, pass, l);
}

template <int kPoints>
MSD_INLINE void relaxLanes(SolverBodies& b, const ContactBundle<kPoints>& bundle,
                           ContactRows<kPoints>& rows, const ContactPass& pass, int l) {
  const std::int32_t* i0 = bundle.body0 + l;
  const std::int32_t* i1 = bundle.body1 + l;
  Body b0(b, i0), b1(b, i1);
  const Frame f(rows, l);
  const Lane3 drift = b1.dx() - b0.dx();
  const Lane3 arm1 = load3(rows.arm1, l);
  const Lane3 arm0 = load3(rows.arm0, l) + drift;
  const Lane zero = set(0.0);
  if (pass.first) {
    // The guess was applied to body 0 with the arm of phase 1; the bodies have moved since.
    const Wrench guess(rows, f, l);
    const Lane3 moved = drift - load3(rows.drift, l);
    b0.push({zero, zero, zero}, cross(guess.force, moved));
    saveGuess(rows, l);
    addToTotal(rows, l);
  }
  Targets<kPoints> targets;
  for (int i = 0; i < kPoints; ++i) targets.value[i] = load(rows.points[i].target + l);
  const Sweep<kPoints> s(rows, Twist(f, relativeVelocity(b0, b1, arm0, arm1), b1.w() - b0.w()),
                         targets, l);
  const Lane3 force = f.world(s.fn, s.f1, s.f2);
  const Lane3 moment = f.world(s.mn, s.m1, s.m2);
  b1.push(force, addCross(moment, arm1, force));
  b0.push(-force, -addCross(moment, arm0, force));
  b0.save(b, i0);
  b1.save(b, i1);
  if (!pass.last) return;
  limitGuess(b, bundle, rows, f, arm0, arm1, pass, l);
  addToTotal(rows, l);
}

template <int kPoints>
MSD_INLINE void warmLanes(SolverBodies& b, const ContactBundle<kPoints>& bundle,
                          const ContactRows<kPoints>& rows, int l) {
  const std::int32_t* i0 = bundle.body0 + l;
  const std::int32_t* i1 = bundle.body1 + l;
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
  const LiveGap gap(b, i0, i1, rows, f, arm0, arm1, l);
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
    const Lane x = load(p.x + l), y = load(p.y + l);
    const Lane un = nfma(x, u.w2, fma(y, u.w1, u.vn));
    const Lane an = nfma(x, a.w2, fma(y, a.w1, a.vn));
    const Lane phi = max(gap.at(p, l), zero);
    const Lane end = fma(h, fma(set(0.5) * h, an, un), phi);
    const Lane touch2 = fma(un, un, -(set(2.0) * an * phi));
    const Lane speed = sqrt(max(touch2, zero));
    const Mask hits = (end <= zero) & (speed > set(pass.threshold)) &
                      (load(p.normalMass + l) > zero) & (fma(set(0.5) * h, an, un) < zero);
    store(select(hits, e * speed, zero), bounce.velocity[i] + l);
  }
}

template <int kPoints>
MSD_INLINE void storeLanes(const SolverBodies& b, ContactBundle<kPoints>& bundle,
                           const ContactRows<kPoints>& rows, ContactSums& sums, int l) {
  const std::int32_t* i0 = bundle.body0 + l;
  const std::int32_t* i1 = bundle.body1 + l;
  const Body b0(b, i0), b1(b, i1);
  Lane s0[8], s1[8];
  gatherLines<8>(numbers(b.start) + 8, i0, kStartStride, s0);
  gatherLines<8>(numbers(b.start) + 8, i1, kStartStride, s1);
  const Frame f(rows, l);
  const Lane half = set(0.5), zero = set(0.0);
  const Lane3 drift = b1.dx() - b0.dx();
  const Lane3 arm1 = load3(rows.arm1, l);
  const Lane3 armStart = load3(rows.arm0, l);
  const Lane3 arm0 = armStart + drift;
  // Impulses act with the mean arm and the mean of the velocities before and after the step.
  const Lane3 armMean = fma(half, drift, armStart);
  const Lane3 w0 = half * (b0.w() + Lane3{s0[3], s0[4], s0[5]});
  const Lane3 w1 = half * (b1.w() + Lane3{s1[3], s1[4], s1[5]});
  const Lane3 v0 = half * (b0.v() + Lane3{s0[0], s0[1], s0[2]});
  const Lane3 v1 = half * (b1.v() + Lane3{s1[0], s1[1], s1[2]});
  const Twist mean(f, addCross(v1, w1, arm1) - addCross(v0, w0, armMean), w1 - w0);
  const Twist end(f, relativeVelocity(b0, b1, arm0, arm1), b1.w() - b0.w());
  const LiveGap gap(b, i0, i1, rows, f, arm0, arm1, l);
  Lane normalWork = zero, frictionWork = zero, deepest = zero, residual = zero;
  for (int i = 0; i < kPoints; ++i) {
    const ContactPointRows& p = rows.points[i];
    const Lane x = load(p.x + l), y = load(p.y + l);
    for (int c = 0; c < 3; ++c) store(load(p.impulse[c] + l), bundle.impulse[i][c] + l);
    normalWork = fma(load(p.total[0] + l), nfma(x, mean.w2, fma(y, mean.w1, mean.vn)), normalWork);
    frictionWork = fma(load(p.total[1] + l), nfma(y, mean.wn, mean.v1), frictionWork);
    frictionWork = fma(load(p.total[2] + l), fma(x, mean.wn, mean.v2), frictionWork);
    const Mask exists = load(p.normalMass + l) > zero;
    const Lane phi = gap.at(p, l);
    deepest = max(deepest, select(exists, -phi, zero));
    const Lane un = nfma(x, end.w2, fma(y, end.w1, end.vn));
    residual = max(residual, select(exists, load(p.target + l) - un, zero));
  }
  store(normalWork, sums.normalWork + l);
  store(frictionWork, sums.frictionWork + l);
  store(deepest, sums.deepest + l);
  store(residual, sums.residual + l);
}

/// Position correction (theory/position-correction.md, P-3): displacements s with
/// J s >= share of the penetration, by the normal group alone. The wanted displacement is kept in
/// `target`, the displacement impulse in `guess`.
template <int kPoints>
MSD_INLINE void correctLanes(SolverBodies& b, const ContactBundle<kPoints>& bundle,
                             ContactRows<kPoints>& rows, const ContactPass& pass, bool first,
                             int l) {
  const std::int32_t* i0 = bundle.body0 + l;
  const std::int32_t* i1 = bundle.body1 + l;
  const Body b0(b, i0), b1(b, i1);
  const Frame f(rows, l);
  const Lane zero = set(0.0);
  const Lane3 arm1 = load3(rows.arm1, l);
  const Lane3 arm0 = load3(rows.arm0, l) + (b1.dx() - b0.dx());
  if (first) {
    const LiveGap gap(b, i0, i1, rows, f, arm0, arm1, l);
    alignas(64) double sizes[kBundleLanes];
    for (int lane = 0; lane < kLanes; ++lane) {
      const BodyPose& p0 = b.pose[static_cast<std::size_t>(i0[lane])];
      const BodyPose& p1 = b.pose[static_cast<std::size_t>(i1[lane])];
      sizes[lane] = p0.size < p1.size ? p0.size : p1.size;
    }
    const Lane size = load(sizes);
    for (int i = 0; i < kPoints; ++i) {
      ContactPointRows& p = rows.points[i];
      const Lane deep = max(-gap.at(p, l) - set(pass.slop) * size, zero);
      store(min(set(pass.correction) * deep, set(pass.largestShift) * size), p.target + l);
      store(zero, p.guess + l);
    }
  }
  Mask needed = load(rows.points[0].target + l) > zero;
  for (int i = 1; i < kPoints; ++i) needed = needed | (load(rows.points[i].target + l) > zero);
  (void)needed;
  Lane s0[8], s1[8];
  gatherLines<8>(numbers(b.shift), i0, kShiftStride, s0);
  gatherLines<8>(numbers(b.shift), i1, kShiftStride, s1);
  const Lane3 d0{s0[0], s0[1], s0[2]}, t0{s0[3], s0[4], s0[5]};
  const Lane3 d1{s1[0], s1[1], s1[2]}, t1{s1[3], s1[4], s1[5]};
  Twist u(f, addCross(d1, t1, arm1) - addCross(d0, t0, arm0), t1 - t0);
  const LaneSym k = loadSym(rows.normalGroup, l);
  Lane fn = zero, m1 = zero, m2 = zero;
  for (int i = 0; i < kPoints; ++i) {
    ContactPointRows& p = rows.points[i];
    const Lane x = load(p.x + l), y = load(p.y + l);
    const Lane old = load(p.guess + l);
    const Lane moved = nfma(x, u.w2, fma(y, u.w1, u.vn));
    const Lane now = max(nfma(load(p.normalMass + l), moved - load(p.target + l), old), zero);
    store(now, p.guess + l);
    const Lane d = now - old, dm1 = y * d, dm2 = -(x * d);
    if constexpr (kPoints > 1) {
      u.vn = fma(k.xx, d, fma(k.xy, dm1, fma(k.xz, dm2, u.vn)));
      u.w1 = fma(k.xy, d, fma(k.yy, dm1, fma(k.yz, dm2, u.w1)));
      u.w2 = fma(k.xz, d, fma(k.yz, dm1, fma(k.zz, dm2, u.w2)));
    }
    fn = fn + d;
    m1 = m1 + dm1;
    m2 = m2 + dm2;
  }
  const Lane3 force = fn * f.n, moment = fma(m1, f.t1, m2 * f.t2);
  const Lane3 e1 = fma(b1.inverseMass(), force, d1);
  const Lane3 q1 = t1 + b1.inverseInertia() * addCross(moment, arm1, force);
  const Lane3 e0 = nfma(b0.inverseMass(), force, d0);
  const Lane3 q0 = t0 - b0.inverseInertia() * addCross(moment, arm0, force);
  const Lane out0[8] = {e0.x, e0.y, e0.z, q0.x, q0.y, q0.z, zero, zero};
  const Lane out1[8] = {e1.x, e1.y, e1.z, q1.x, q1.y, q1.z, zero, zero};
  scatterLines<8>(numbers(b.shift), i0, kShiftStride, out0, bits(b0.inverseMass() > zero));
  scatterLines<8>(numbers(b.shift), i1, kShiftStride, out1, bits(b1.inverseMass() > zero));
}

template <int kPoints>
MSD_INLINE void scaleLanes(const ContactBundle<kPoints>& bundle, ContactRows<kPoints>& rows,
                           const double* factorOfBody, int l) {
  alignas(64) double factors[kBundleLanes];
  for (int lane = 0; lane < kLanes; ++lane) {
    const double s0 = factorOfBody[bundle.body0[l + lane]];
    const double s1 = factorOfBody[bundle.body1[l + lane]];
    factors[lane] = s0 < s1 ? s0 : s1;
  }
  const Lane s = load(factors);
  for (int i = 0; i < kPoints; ++i) {
    ContactPointRows& p = rows.points[i];
    const Lane kept = load(p.guess + l);
    for (int c = 0; c < 3; ++c) {
      const Lane old = load(p.impulse[c] + l);
      const Lane lost = (set(1.0) - s) * (old / max(kept, set(kTiny)));
      store(load(p.total[c] + l) - lost, p.total[c] + l);
      store(s * old, p.impulse[c] + l);
    }
  }
}
