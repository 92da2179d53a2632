// What all passes of ContactKernels are made of: bodies, frames, twists, gaps; compiled once per
// vector width. docs/theory/rows.md holds the algebra.
#include "msd-sim/src/DataTypes/Lanes-inl.hpp"
#include "msd-sim/src/Physics/Constraints/Rows/ContactKernels.hpp"

MSD_KERNELS_BEGIN
namespace contact_kernels {

// Keeps a quotient finite where its divisor may be zero; far below any square of an impulse.
inline constexpr double kTiny = 1e-300;

MSD_INLINE Lane3 load3(const double (*p)[kBundleLanes], int l) {
  return {load(p[0] + l), load(p[1] + l), load(p[2] + l)};
}
MSD_INLINE void store3(Lane3 a, double (*p)[kBundleLanes], int l) {
  store(a.x, p[0] + l);
  store(a.y, p[1] + l);
  store(a.z, p[2] + l);
}

/// Numbers from one body's lines to the next one's.
template <class T>
inline constexpr std::int64_t kStrideOf = sizeof(T) / sizeof(double);

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
    gatherLines<8>(numbers(b.motion), index, kStrideOf<BodyMotion>, line);
    gatherLines<8>(numbers(b.motion) + 8, index, kStrideOf<BodyMotion>, tail);
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
    scatterLines<8>(numbers(b.motion), index, kStrideOf<BodyMotion>, line, pushable() & lanes);
  }
};

inline constexpr unsigned kAllLanes = (1u << kLanes) - 1u;

/// The lanes of a visit that are meant; the others stay bit for bit as they are.
struct Chosen {
  unsigned lanes;  ///< bit set
  bool all;
  Mask mask;
  MSD_INLINE explicit Chosen(unsigned bits) : lanes(bits), all(bits == kAllLanes) {
    alignas(64) double set01[8] = {};
    if (!all) {
      for (int i = 0; i < kLanes; ++i) set01[i] = static_cast<double>((bits >> i) & 1u);
    }
    mask = all ? (set(1.0) > set(0.0)) : (load(set01) > set(0.0));
  }
  /// Stores what has changed, of the lanes that are meant.
  MSD_INLINE void put(Lane now, double* to) const {
    store(all ? now : select(mask, now, load(to)), to);
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

/// Relative twist of body 1 against body 0 at the manifold's centre (C-1), in the contact frame.
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

/// Place of a point in the contact plane.
template <int kPoints>
MSD_INLINE Lane placeX(const ContactRows<kPoints>& rows, int i, int l) {
  if constexpr (kPoints == 1)
    return set(0.0);
  else
    return load(rows.tangential.x[i] + l);
}
template <int kPoints>
MSD_INLINE Lane placeY(const ContactRows<kPoints>& rows, int i, int l) {
  if constexpr (kPoints == 1)
    return set(0.0);
  else
    return load(rows.tangential.y[i] + l);
}

/// Velocity of a point of the manifold along the normal (C-2).
template <int kPoints>
MSD_INLINE Lane normalVelocity(const Twist& u, const ContactRows<kPoints>& rows, int i, int l) {
  if constexpr (kPoints == 1) {
    return u.vn;
  } else {
    return nfma(placeX(rows, i, l), u.w2, fma(placeY(rows, i, l), u.w1, u.vn));
  }
}

/// Sum of a manifold's impulses as a wrench at its centre, world axes (C-3).
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
        const Lane x = placeX(rows, i, l), y = placeY(rows, i, l);
        m1 = fma(y, pn, m1);
        m2 = nfma(x, pn, m2);
        mn = fma(x, p2, nfma(y, p1, mn));
      }
    }
    force = f.world(fn, f1, f2);
    moment = {zero, zero, zero};
    if constexpr (kPoints > 1) moment = f.world(mn, m1, m2);
  }
};

/// Gap of a point after rigid motions of both bodies, (G-1): exact for a face of body 0 against a
/// corner of body 1, n'·(x1 - x0) + (R1ᵀ n')·(r1 + d) - offset, with n' = R0 n. The surface of a
/// round body lies ρ from a core, and only the core turns: r + d becomes core + d and ρ stays along
/// the normal. Where body 0 is round, nothing turns the normal.
struct LiveGap {
  Lane base, along1, along2;
  template <int kPoints>
  MSD_INLINE LiveGap(const SolverBodies& b, const BundleBodies& bodyPair,
                     const ContactRows<kPoints>& rows, const Frame& f, Lane3 arm0, Lane3 arm1,
                     int l) {
    const Lane zero = set(0.0), one = set(1.0);
    if constexpr (kPoints == 1) {
      const Mask turns =
          (load(rows.balls + l) <= zero) & (load(rows.points[0].normalMass + l) > zero);
      if (!any(turns)) {
        base = ballGap(rows, arm0 - arm1, l) + load(rows.points[0].gapOffset + l);
        along1 = along2 = zero;
        return;
      }
    }
    Lane q0[4], q1[4];
    gatherLines<4>(numbers(b.turn), bodyPair.body0() + l, kStrideOf<BodyTurn>, q0);
    gatherLines<4>(numbers(b.turn), bodyPair.body1() + l, kStrideOf<BodyTurn>, q1);
    const Mask anew = load(rows.looks + l) == set(static_cast<double>(LookedAgain::kYes));
    if (any(anew)) {
      turnSince(rows.turn0, anew, q0, l);
      turnSince(rows.turn1, anew, q1, l);
    }
    const Lane round0 = load(rows.rounding0 + l), round1 = load(rows.rounding1 + l);
    const Mask isRound = round0 > zero;
    const LaneQuat turn0{q0[0], q0[1], q0[2], q0[3]};
    const Lane3 turned = rotate(turn0, f.n);
    const Lane3 n = select(isRound, f.n, turned);
    const Lane3 m = rotate(conjugate(LaneQuat{q1[0], q1[1], q1[2], q1[3]}), n);
    // arm0 is live, so arm0 - arm1 = x1 - x0.
    base = dot(n, arm0 - arm1) + dot(m, arm1) + round1 * (dot(m, f.n) - one);
    along1 = dot(m, f.t1);
    along2 = dot(m, f.t2);
    if constexpr (kPoints == 1) {
      const Mask balls = load(rows.balls + l) > zero;
      const Lane gap = ballGap(rows, arm0 - arm1, l);
      base = select(balls, gap + load(rows.points[0].gapOffset + l), base);
      if (!any(isRound & (load(rows.balls + l) <= zero))) return;
    }
    if (any(isRound)) {
      const Lane3 k = rotate(conjugate(turn0), f.n);
      const Lane3 start = load3(rows.arm0, l);
      const Lane moved = dot(f.n, start) - dot(k, start) + round0 * (dot(k, f.n) - one);
      const Mask turns = isRound & (load(rows.balls + l) <= zero);
      base = base + select(turns, moved, zero);
      along1 = along1 - select(isRound, dot(k, f.t1), zero);
      along2 = along2 - select(isRound, dot(k, f.t2), zero);
    }
  }
  /// The turn since the rows were made anew, where they were (K-17).
  static MSD_INLINE void turnSince(const double (&then)[4][kBundleLanes], Mask anew, Lane (&q)[4],
                                   int l) {
    const LaneQuat from{load(then[0] + l), load(then[1] + l), load(then[2] + l), load(then[3] + l)};
    const LaneQuat since = LaneQuat{q[0], q[1], q[2], q[3]} * conjugate(from);
    q[0] = select(anew, since.w, q[0]);
    q[1] = select(anew, since.x, q[1]);
    q[2] = select(anew, since.y, q[2]);
    q[3] = select(anew, since.z, q[3]);
  }
  static MSD_INLINE Lane ballGap(const ContactRows<1>& rows, Lane3 between, int l) {
    return sqrt(dot(between, between)) - load(rows.rounding0 + l) - load(rows.rounding1 + l);
  }
  template <int kPoints>
  MSD_INLINE Lane at(const ContactRows<kPoints>& rows, int i, int l) const {
    const Lane offset = load(rows.points[i].gapOffset + l);
    if constexpr (kPoints == 1) {
      return base - offset;
    } else {
      return fma(along1, placeX(rows, i, l), fma(along2, placeY(rows, i, l), base)) - offset;
    }
  }
};

/// (G-11): a body that has passed another sideways by more than its size touches it no longer where
/// the rows say; what lies still has no lever arm that could grow.
inline constexpr double kNoContact = 1e30;
MSD_INLINE Mask hasPassed(const Body& b0, Lane3 drift, Lane3 n, const double* size) {
  const Lane far = set(kRowTuning.passed) * load(size), along = dot(drift, n);
  return (nfma(along, along, dot(drift, drift)) > far * far) & (b0.inverseMass() > set(0.0));
}

}  // namespace contact_kernels
MSD_KERNELS_END
