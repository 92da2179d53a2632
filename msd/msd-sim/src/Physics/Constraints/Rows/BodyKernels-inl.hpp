// Bodies of BodyKernels; compiled once per vector width.
#include "msd-sim/src/DataTypes/Lanes-inl.hpp"
#include "msd-sim/src/DataTypes/SharedUpdate.hpp"
#include "msd-sim/src/Physics/Constraints/Rows/BodyKernels.hpp"

MSD_KERNELS_BEGIN
namespace body_kernels {

// Newton stops after a step that began with a residual below this share of the momentum: the step
// squares it, so that nothing but rounding is left.
inline constexpr double kNewtonTolerance = 1e-9;
// Keeps 0/0 away where a body has no momentum.
inline constexpr double kTiny = 1e-300;

/// kLanes bodies of a list; slot 0 is nobody.
struct Group {
  const std::int32_t* index;
  unsigned lanes;  ///< bit set of those that are somebody
  MSD_INLINE explicit Group(const std::int32_t* slots) : index(slots), lanes(0) {
    for (int l = 0; l < kLanes; ++l) lanes |= static_cast<unsigned>(slots[l] != 0) << l;
  }
};

template <int kColumns, class T>
MSD_INLINE void loadLines(const AlignedVector<T>& lines, const Group& g, int line, Lane* out) {
  constexpr std::int64_t kStride = sizeof(T) / sizeof(double);
  gatherLines<kColumns>(reinterpret_cast<const double*>(lines.data()) + 8 * line, g.index, kStride,
                        out);
}
template <class T>
MSD_INLINE void storeLines(AlignedVector<T>& lines, const Group& g, int line, const Lane* in) {
  constexpr std::int64_t kStride = sizeof(T) / sizeof(double);
  scatterLines<8>(reinterpret_cast<double*>(lines.data()) + 8 * line, g.index, kStride, in, g.lanes);
}
struct Mass {
  LaneSym inertia, inverse;
  Lane mass, dynamic;
  MSD_INLINE Mass(const SolverBodies& b, const Group& g) {
    Lane c[8];
    loadLines<8>(b.mass, g, 0, c);
    inertia = {c[0], c[1], c[2], c[3], c[4], c[5]};
    mass = c[6];
    dynamic = c[7];
    loadLines<8>(b.mass, g, 1, c);
    inverse = {c[0], c[1], c[2], c[3], c[4], c[5]};
  }
};

struct Motion {
  Lane line[8];
  Lane tail[8];
  MSD_INLINE Motion(const SolverBodies& b, const Group& g) {
    loadLines<8>(b.motion, g, 0, line);
    loadLines<8>(b.motion, g, 1, tail);
  }
  MSD_INLINE Lane3 v() const { return {line[0], line[1], line[2]}; }
  MSD_INLINE Lane3 w() const { return {line[3], line[4], line[5]}; }
  MSD_INLINE Lane3 dx() const { return {tail[0], tail[1], tail[2]}; }
  MSD_INLINE void setV(Lane3 a) { line[0] = a.x, line[1] = a.y, line[2] = a.z; }
  MSD_INLINE void setW(Lane3 a) { line[3] = a.x, line[4] = a.y, line[5] = a.z; }
  MSD_INLINE void setDx(Lane3 a) { tail[0] = a.x, tail[1] = a.y, tail[2] = a.z; }
  MSD_INLINE LaneSym inverse() const {
    return {line[7], tail[3], tail[4], tail[5], tail[6], tail[7]};
  }
  MSD_INLINE void setInverse(const LaneSym& s, Lane scale) {
    line[7] = scale * s.xx;
    tail[3] = scale * s.yy, tail[4] = scale * s.zz;
    tail[5] = scale * s.xy, tail[6] = scale * s.xz, tail[7] = scale * s.yz;
  }
  MSD_INLINE void save(SolverBodies& b, const Group& g) const {
    storeLines(b.motion, g, 0, line);
    storeLines(b.motion, g, 1, tail);
  }
  MSD_INLINE void saveVelocity(SolverBodies& b, const Group& g) const {
    storeLines(b.motion, g, 0, line);
  }
};

struct Pose {
  Lane line[8];
  MSD_INLINE Pose(const SolverBodies& b, const Group& g) { loadLines<8>(b.pose, g, 0, line); }
  MSD_INLINE Lane3 x() const { return {line[0], line[1], line[2]}; }
  MSD_INLINE LaneQuat q() const { return {line[3], line[4], line[5], line[6]}; }
  MSD_INLINE void setX(Lane3 a) { line[0] = a.x, line[1] = a.y, line[2] = a.z; }
  MSD_INLINE void setQ(LaneQuat a) { line[3] = a.w, line[4] = a.x, line[5] = a.y, line[6] = a.z; }
  MSD_INLINE void save(SolverBodies& b, const Group& g) const { storeLines(b.pose, g, 0, line); }
};

/// Turns a quaternion back to unit length. The second step removes the rounding of the first, which is
/// the same way round in every step of a uniform turn.
MSD_INLINE LaneQuat normalized(LaneQuat q) {
  const Lane s = set(1.0) / sqrt(fma(q.w, q.w, fma(q.x, q.x, fma(q.y, q.y, q.z * q.z))));
  q = {s * q.w, s * q.x, s * q.y, s * q.z};
  const Lane excess = nfma(q.z, q.z, nfma(q.y, q.y, nfma(q.x, q.x, nfma(q.w, q.w, set(1.0)))));
  const Lane half = set(0.5) * excess;
  return {fma(half, q.w, q.w), fma(half, q.x, q.x), fma(half, q.y, q.y), fma(half, q.z, q.z)};
}

/// R I Rᵀ w from the inertia in body axes.
MSD_INLINE Lane3 angularMomentum(const LaneFrame& r, const LaneSym& inertia, Lane3 w) {
  return rotate(r, inertia * unrotate(r, w));
}

/// Midpoint momentum m̄ of (T-9): x - m0 - (h/2) x × Jx = 0 by Newton's method. Each lane stops on
/// its own, so that its bits do not depend on its neighbours.
MSD_INLINE Lane3 midpointMomentum(Lane3 m0, const LaneSym& J, Lane h) {
  const Lane half = set(0.5) * h;
  const Lane zero = set(0.0), one = set(1.0);
  const Lane limit = set(kNewtonTolerance * kNewtonTolerance) * dot(m0, m0);
  const Lane3 ja{J.xx, J.xy, J.xz}, jb{J.xy, J.yy, J.yz}, jc{J.xz, J.yz, J.zz};
  Lane3 x = m0;
  Mask active = {};
  for (int i = 0; i < kRowTuning.mostNewton; ++i) {
    const Lane3 jx = J * x;
    const Lane3 f = nfma(half, cross(x, jx), x - m0);
    const Lane residual = dot(f, f);
    active = i == 0 ? (residual > zero) : (active & (residual > zero));
    if (!any(active)) break;
    // F' = 1 + (h/2)([Jx]× − [x]×J); its columns:
    const Lane3 ca = fma(half, subCross(Lane3{zero, jx.z, -jx.y}, x, ja), Lane3{one, zero, zero});
    const Lane3 cb = fma(half, subCross(Lane3{-jx.z, zero, jx.x}, x, jb), Lane3{zero, one, zero});
    const Lane3 cc = fma(half, subCross(Lane3{jx.y, -jx.x, zero}, x, jc), Lane3{zero, zero, one});
    const Lane3 bc = cross(cb, cc);
    const Lane inv = one / dot(ca, bc);
    const Lane3 step{inv * dot(f, bc), inv * dot(ca, cross(f, cc)), inv * dot(ca, cross(cb, f))};
    x = select(active, x - step, x);
    active = active & (residual > limit);
    if (!any(active)) break;
  }
  return x;
}

/// (T-11a): tan(φ)/φ with φ = h (m·Jm)/(2 |m|), half the angle that the body turns about its momentum.
/// Stretching the step by it makes uniform turns exact. Both quantities are conserved, so that the
/// stretched step conserves all that the plain one does. Padé's approximant [5/6] is exact to
/// rounding at the largest turn.
MSD_INLINE Lane stretch(Lane3 m, const LaneSym& J, Lane h) {
  const Lane spin = dot(m, J * m);
  const Lane phi2 = set(0.25) * (h * h) * (spin * spin) / max(dot(m, m), set(kTiny));
  const Lane above = fma(phi2, fma(phi2, set(21.0), set(-1260.0)), set(10395.0));
  const Lane below =
      fma(phi2, fma(phi2, set(210.0) - phi2, set(-4725.0)), set(10395.0));
  return above / below;
}

/// Orientation and body-frame momentum after a free rotation over h.
struct Turned {
  LaneQuat q;
  Lane3 momentum;
};

/// (T-9) and (T-10), in equal parts of at most kRowTuning.largestTurn each. A body that does not turn keeps
/// its orientation bit for bit.
MSD_INLINE Turned turn(LaneQuat q, Lane3 m0, const LaneSym& J, Lane speed, Lane h) {
  Turned body{q, m0};
  const Lane angle = h * speed;
  Lane parts = set(1.0);
  int most = 1;
  while (most < kRowTuning.mostTurns && any(angle > set(kRowTuning.largestTurn * most))) {
    parts = select(angle > set(kRowTuning.largestTurn * most), set(2.0 * most), parts);
    most *= 2;
  }
  const Lane part = stretch(m0, J, h / parts) * (h / parts);
  for (int i = 0; i < most; ++i) {
    const Mask active = (set(static_cast<double>(i)) < parts) & (speed > set(0.0));
    if (!any(active)) break;
    const Lane3 mean = midpointMomentum(body.momentum, J, part);
    const Lane3 half = (set(0.5) * part) * (J * mean);
    const LaneQuat q1 = normalized(body.q * LaneQuat{set(1.0), half.x, half.y, half.z});
    body.q = {select(active, q1.w, body.q.w), select(active, q1.x, body.q.x),
              select(active, q1.y, body.q.y), select(active, q1.z, body.q.z)};
    body.momentum = select(active, set(2.0) * mean - body.momentum, body.momentum);
  }
  return body;
}

struct Impulse {
  Lane3 linear, angular;
};

/// The line of BodyTurn: rotation, hold, kinetic energy, surplus, scheme.
struct Sums {
  Lane line[8];
  MSD_INLINE Sums(const SolverBodies& b, const Group& g) { loadLines<8>(b.turn, g, 0, line); }
  MSD_INLINE void save(SolverBodies& b, const Group& g) const { storeLines(b.turn, g, 0, line); }
};

struct Load {
  Lane3 a, torque;
  MSD_INLINE Load(const SolverBodies& b, const Group& g) {
    Lane c[8];
    loadLines<8>(b.load, g, 0, c);
    a = {c[0], c[1], c[2]};
    torque = {c[4], c[5], c[6]};
  }
};

/// PhaseKick in lanes.
struct Kicked {
  Lane length, lead;
  MSD_INLINE explicit Kicked(const PhaseKick& kick) : length(set(kick.length)), lead(set(kick.lead)) {}
};

/// The impulse that the constraints gave since the kick, less the excess, becomes the next warm start. Its
/// work is that along the mean of the velocities before the kick and now. What constraints are asked with that mean,
/// and where the phase stands in its substep (L-7), is kept; what the kick gave besides (L-6) is added up.
struct CollectedImpulse {
  Impulse next;
  Lane work;
};
MSD_INLINE CollectedImpulse collectImpulse(SolverBodies& b, const Group& g, const Mass& m, const Load& loads, const Kicked& kicked,
                           Impulse given, Lane3 v, Lane3 w, Sums& sums) {
  Lane before[8];
  loadLines<8>(b.before, g, 0, before);
  const Lane3 v2 = v + Lane3{before[0], before[1], before[2]};
  const Lane3 w2 = w + Lane3{before[3], before[4], before[5]};
  const Lane twice = dot(given.linear, v2) + dot(given.angular, w2);
  const Lane half = set(0.5), zero = set(0.0);
  const Lane kick = (half * kicked.length) * fma(m.mass, dot(loads.a, v2), dot(loads.torque, w2));
  sums.line[7] = sums.line[7] + nfma(kicked.lead, dot(loads.a, given.linear), kick);
  const Lane3 vMean = fma(kicked.lead, loads.a, half * v2), wMean = half * w2;
  const Lane mean[8] = {vMean.x, vMean.y, vMean.z, wMean.x, wMean.y, wMean.z, zero, zero};
  storeLines(b.mean, g, 0, mean);
  Lane excess[8];
  loadLines<8>(b.warmStart, g, 1, excess);
  const Impulse next{given.linear - Lane3{excess[0], excess[1], excess[2]},
                     given.angular - Lane3{excess[4], excess[5], excess[6]}};
  const Lane line[8] = {next.linear.x,  next.linear.y,  next.linear.z,  zero,
                        next.angular.x, next.angular.y, next.angular.z, zero};
  storeLines(b.warmStart, g, 0, line);
  const Lane none[8] = {zero, zero, zero, zero, zero, zero, zero, zero};
  storeLines(b.warmStart, g, 1, none);
  return {next, half * twice};
}

/// ½ m v² + ½ ω·I ω, with the inertia in body axes, where it is constant [J].
MSD_INLINE Lane kineticEnergy(const Mass& m, const LaneFrame& r, Lane3 v, Lane3 w) {
  const Lane3 wB = unrotate(r, w);
  return set(0.5) * fma(m.mass, dot(v, v), dot(wB, m.inertia * wB));
}

/// Calls body(group) for kLanes bodies at a time; groups of nobody, which fill up a list, are passed over.
template <class Body>
MSD_INLINE void forGroups(BodyList bodies, const Body& body) {
  for (std::size_t i = 0; i < bodies.size(); i += kLanes) {
    const Group g(bodies.data() + i);
    if (g.lanes != 0) body(g);
  }
}

/// Start of a step: where the body stands is kept, since rows and works of the step are measured from there, and the inverse
/// inertia is brought to world axes, R I⁻¹ Rᵀ; it stays so until the body has turned far (C-7).
struct BeginBody {
  SolverBodies& b;
  MSD_INLINE void operator()(const Group& g) const {
    const Mass m(b, g);
    Motion motion(b, g);
    const Pose pose(b, g);
    const LaneFrame r = rotationOf(pose.q());
    const Lane zero = set(0.0);
    // Slot 0 is nobody's, and other threads fill their lists up with it, too.
    for (int l = 0; l < kLanes; ++l) {
      if (g.index[l] != 0) b.hasTurned[static_cast<std::size_t>(g.index[l])] = 0;
    }
    motion.setInverse(rotate(r, m.inverse), m.dynamic);
    motion.setDx({zero, zero, zero});
    motion.save(b, g);
    storeLines(b.start, g, 0, pose.line);
    const Lane velocity[8] = {motion.line[0], motion.line[1], motion.line[2], motion.line[3],
                              motion.line[4], motion.line[5], zero,           zero};
    storeLines(b.start, g, 1, velocity);
    const Lane turn[8] = {set(1.0), zero, zero, zero, set(1.0), zero, zero, zero};
    storeLines(b.turn, g, 0, turn);
  }
};

/// (T-1) and the warm start: v ← v + ½h a + m⁻¹ p, ω ← ω + I⁻¹(½h τ + q). Kept are the velocities before both, from which
/// works are measured (L-7), and those between, from which the impulses of the constraints are (T-12).
struct KickBody {
  SolverBodies& b;
  Lane halfStep;
  MSD_INLINE void operator()(const Group& g) const {
    const Mass m(b, g);
    const Load loads(b, g);
    const Pose pose(b, g);
    Motion motion(b, g);
    Lane warmStart[8];
    loadLines<8>(b.warmStart, g, 0, warmStart);
    const LaneFrame r = rotationOf(pose.q());
    const Lane kinetic = kineticEnergy(m, r, motion.v(), motion.w());
    const LaneSym inverse = motion.inverse();
    storeLines(b.before, g, 0, motion.line);
    const Lane3 v = fma(halfStep, loads.a, motion.v());
    const Lane3 w = fma(halfStep, inverse * loads.torque, motion.w());
    const Lane kick[8] = {v.x, v.y, v.z, w.x, w.y, w.z, kinetic, set(0.0)};
    storeLines(b.kick, g, 0, kick);
    motion.setV(fma(motion.line[6], Lane3{warmStart[0], warmStart[1], warmStart[2]}, v));
    motion.setW(w + inverse * Lane3{warmStart[4], warmStart[5], warmStart[6]});
    motion.saveVelocity(b, g);
  }
};

/// Notes which bodies have turned far, and which of these have an uneven inertia.
MSD_INLINE void noteTurn(SolverBodies& b, const Group& g, const Mass& m, Lane3 half) {
  const Lane turn2 = dot(half, half);
  const unsigned turned = bits(turn2 > set(kRowTuning.lookTurn2())) & g.lanes;
  if (turned == 0) return;
  const Mask far = turn2 > set(kRowTuning.turnedFar2());
  const LaneSym& s = m.inverse;
  const Lane most = max(s.xx, max(s.yy, s.zz)), least = min(s.xx, min(s.yy, s.zz));
  const Lane mixed = max(abs(s.xy), max(abs(s.xz), abs(s.yz)));
  const Lane uneven = (most - least) + mixed;
  const unsigned odd = bits(far & (m.dynamic > set(0.0)) & (uneven > set(kRowTuning.uneven) * most)) & g.lanes;
  for (int l = 0; l < kLanes; ++l) {
    if (((turned >> l) & 1u) == 0) continue;
    b.hasTurned[static_cast<std::size_t>(g.index[l])] =
        static_cast<std::uint8_t>(kTurnedAtAll | (((odd >> l) & 1u) != 0 ? kTurnedUneven : 0));
  }
  setBits(b.turnedFar, static_cast<std::uint8_t>(kTurnedAtAll | (odd != 0 ? kTurnedUneven : 0)));
}

/// What the constraints gave a body since its kick; v and the momentum in body axes are those of now.
MSD_INLINE Impulse givenSince(const Mass& m, const LaneFrame& r, const Lane (&kick)[8], Lane3 v,
                              Lane3 momentum) {
  const Lane3 kicked = m.inertia * unrotate(r, Lane3{kick[3], kick[4], kick[5]});
  return {(m.dynamic * m.mass) * (v - Lane3{kick[0], kick[1], kick[2]}),
          m.dynamic * rotate(r, momentum - kicked)};
}

/// The end of a phase that the next one joins (T-14): what its impulses gave the body is taken as energy now, as no closing
/// phase will measure it.
struct MeasureWork {
  SolverBodies& b;
  Lane opening;
  Kicked kicked;
  MSD_INLINE void operator()(const Group& g) const {
    const Mass m(b, g);
    const Load loads(b, g);
    const Motion motion(b, g);
    const Pose pose(b, g);
    Lane before[8], kick[8];
    loadLines<8>(b.before, g, 0, before);
    loadLines<8>(b.kick, g, 0, kick);
    const LaneFrame r = rotationOf(pose.q());
    const Lane3 wB = unrotate(r, motion.w());
    const Lane3 momentumB = m.inertia * wB;
    Sums sums(b, g);
    const CollectedImpulse given =
        collectImpulse(b, g, m, loads, kicked, givenSince(m, r, kick, motion.v(), momentumB), motion.v(), motion.w(), sums);
    // What the first drift lifts the body otherwise than half a kick says; a surplus counts at once, a
    // deficit is paid back by the last phase.
    const Lane late =
        (opening * m.dynamic) *
        fma(m.mass, dot(loads.a, Lane3{before[0], before[1], before[2]} - motion.v()),
            dot(loads.torque, Lane3{before[3], before[4], before[5]} - motion.w()));
    const Lane gained = given.work + max(late, set(0.0));
    sums.line[5] = (set(0.5) * m.dynamic) * fma(m.mass, dot(motion.v(), motion.v()), dot(wB, momentumB));
    sums.line[6] = gained;
    sums.save(b, g);
    kick[6] = kick[6] + gained;
    storeLines(b.kick, g, 0, kick);
  }
};

/// (T-3), (T-9) and (T-10) as DriftBody takes them, of bodies that nothing holds back.
MSD_INLINE void predictGroup(const SolverBodies& b, const Group& g, Lane h, BodyPose* poses) {
  const Mass m(b, g);
  Lane motion[8];
  loadLines<8>(b.motion, g, 0, motion);
  Pose pose(b, g);
  const Lane3 wB = unrotate(rotationOf(pose.q()), Lane3{motion[3], motion[4], motion[5]});
  pose.setX(fma(h, Lane3{motion[0], motion[1], motion[2]}, pose.x()));
  pose.setQ(turn(pose.q(), m.inertia * wB, m.inverse, sqrt(dot(wB, wB)), h).q);
  std::int32_t order[kBundleLanes];
  for (int l = 0; l < kLanes; ++l) order[l] = l;
  constexpr std::int64_t kStride = sizeof(BodyPose) / sizeof(double);
  scatterLines<8>(reinterpret_cast<double*>(poses), order, kStride, pose.line, g.lanes);
}

template <bool kWorkMeasured>
struct DriftBody {
  SolverBodies& b;
  Lane h, kickStep, warmStartScale;
  Kicked kicked;
  MSD_INLINE void operator()(const Group& g) const {
    const Mass m(b, g);
    const Load loads(b, g);
    Motion motion(b, g);
    Pose pose(b, g);
    Lane kick[8];
    loadLines<8>(b.kick, g, 0, kick);
    const LaneFrame r0 = rotationOf(pose.q());

    const Lane3 given = motion.v();
    const Lane3 givenMomentum = m.inertia * unrotate(r0, motion.w());
    Impulse warmStart;
    Sums sums(b, g);
    if constexpr (kWorkMeasured) {
      Lane line[8];
      loadLines<8>(b.warmStart, g, 0, line);
      warmStart = {warmStartScale * Lane3{line[0], line[1], line[2]},
               warmStartScale * Lane3{line[4], line[5], line[6]}};
    } else {
      warmStart = collectImpulse(b, g, m, loads, kicked, givenSince(m, r0, kick, given, givenMomentum), given, motion.w(), sums)
                  .next;
    }
    const Lane hold = sums.line[4];
    const Lane3 v = hold * given;
    const Lane3 w = hold * motion.w();
    const Lane3 wB = unrotate(r0, w);
    const Lane3 m0 = hold * givenMomentum;

    // Drift (T-3) and (T-10).
    const Turned turnedBody = turn(pose.q(), m0, m.inverse, sqrt(dot(wB, wB)), h);
    const LaneQuat q1 = turnedBody.q;
    const Lane3 dx = fma(h, v, motion.dx());
    Lane start[8];
    loadLines<8>(b.start, g, 0, start);
    pose.setX(Lane3{start[0], start[1], start[2]} + dx);
    pose.setQ(q1);
    pose.save(b, g);
    const LaneQuat turned = q1 * conjugate(LaneQuat{start[3], start[4], start[5], start[6]});
    const Lane zero = set(0.0);
    sums.line[0] = turned.w, sums.line[1] = turned.x, sums.line[2] = turned.y, sums.line[3] = turned.z;
    noteTurn(b, g, m, Lane3{turned.x, turned.y, turned.z});

    const LaneFrame r1 = rotationOf(q1);
    // I w = m, refined once: the products I J differ from 1 by rounding, always the same way.
    const Lane3 rough = m.inverse * turnedBody.momentum;
    const Lane3 refined = rough + m.inverse * (turnedBody.momentum - m.inertia * rough);
    const Lane3 w1 = rotate(r1, refined);
    // (T-9) keeps the energy of the rotation as far as it is solved.
    sums.line[7] = fma(set(0.5), dot(refined, turnedBody.momentum) - dot(wB, m0), sums.line[7]);
    sums.save(b, g);
    const LaneSym inverse = rotate(r1, m.inverse);
    motion.setInverse(inverse, m.dynamic);
    motion.setDx(dx);

    // Second kick (T-4); kinematic and static bodies have no load.
    const LaneSym pushable = motion.inverse();
    const Lane before[8] = {v.x, v.y, v.z, w1.x, w1.y, w1.z, zero, zero};
    storeLines(b.before, g, 0, before);
    const Lane3 vKick = fma(kickStep, loads.a, v);
    const Lane3 wKick = fma(kickStep, pushable * loads.torque, w1);
    const Lane work = h * fma(m.mass, dot(loads.a, v), dot(loads.torque, w));
    const Lane kinetic = kWorkMeasured ? kick[6] + work : kick[6];
    const Lane next[8] = {vKick.x, vKick.y, vKick.z, wKick.x,
                          wKick.y, wKick.z, kinetic, kWorkMeasured ? zero : work};
    storeLines(b.kick, g, 0, next);
    motion.setV(fma(motion.line[6], warmStart.linear, vKick));
    motion.setW(wKick + pushable * warmStart.angular);
    motion.save(b, g);
  }
};

/// The end of a substep: what it gained in kinetic energy beyond the work of its loads, body by body; the guard adds it up
/// over the island (T-13).
struct FinishBody {
  SolverBodies& b;
  Kicked kicked;
  MSD_INLINE void operator()(const Group& g) const {
    const Mass m(b, g);
    const Load loads(b, g);
    const Motion motion(b, g);
    const Pose pose(b, g);
    Lane kick[8];
    loadLines<8>(b.kick, g, 0, kick);
    const LaneFrame r = rotationOf(pose.q());
    const Lane3 dw = motion.w() - Lane3{kick[3], kick[4], kick[5]};
    Sums sums(b, g);
    collectImpulse(b, g, m, loads, kicked,
            {(m.dynamic * m.mass) * (motion.v() - Lane3{kick[0], kick[1], kick[2]}),
             m.dynamic * angularMomentum(r, m.inertia, dw)},
            motion.v(), motion.w(), sums);
    const Lane kinetic = kineticEnergy(m, r, motion.v(), motion.w());
    sums.line[5] = m.dynamic * kinetic;
    sums.line[6] = m.dynamic * (kinetic - kick[6] - kick[7]);
    sums.save(b, g);
  }
};

/// Position correction (P-1): the displacement moves the body and never its velocity. A body that is not turned keeps its
/// orientation bit for bit.
struct DisplaceBody {
  SolverBodies& b;
  MSD_INLINE void operator()(const Group& g) const {
    Pose pose(b, g);
    Lane shift[8];
    loadLines<8>(b.shift, g, 0, shift);
    const Lane half = set(0.5);
    const LaneQuat turn{set(1.0), half * shift[3], half * shift[4], half * shift[5]};
    pose.setX(pose.x() + Lane3{shift[0], shift[1], shift[2]});
    const Mask turns = dot(Lane3{turn.x, turn.y, turn.z}, Lane3{turn.x, turn.y, turn.z}) > set(0.0);
    const LaneQuat q = pose.q(), q1 = normalized(turn * q);
    pose.setQ({select(turns, q1.w, q.w), select(turns, q1.x, q.x), select(turns, q1.y, q.y),
               select(turns, q1.z, q.z)});
    pose.save(b, g);
  }
};

void begin(SolverBodies& b, BodyList bodies) {
  forGroups(bodies, BeginBody{b});
}
void kick(SolverBodies& b, BodyList bodies, double halfStep) {
  forGroups(bodies, KickBody{b, set(halfStep)});
}
void measureWork(SolverBodies& b, BodyList bodies, double opening, const PhaseKick& kicked) {
  forGroups(bodies, MeasureWork{b, set(0.25 * opening), Kicked(kicked)});
}
void drift(SolverBodies& b, BodyList bodies, const DriftStep& step) {
  const Lane h = set(step.h), kick = set(step.kick), scale = set(step.warmStartScale);
  const Kicked kicked(step.kicked);
  if (step.measured) {
    forGroups(bodies, DriftBody<true>{b, h, kick, scale, kicked});
  } else {
    forGroups(bodies, DriftBody<false>{b, h, kick, scale, kicked});
  }
}
void predict(const SolverBodies& b, BodyList bodies, double h, std::span<BodyPose> poses) {
  for (std::size_t i = 0; i < bodies.size(); i += kLanes) {
    const Group g(bodies.data() + i);
    if (g.lanes != 0) predictGroup(b, g, set(h), poses.data() + i);
  }
}
void finish(SolverBodies& b, BodyList bodies, const PhaseKick& kicked) {
  forGroups(bodies, FinishBody{b, Kicked(kicked)});
}
void displace(SolverBodies& b, BodyList bodies) {
  forGroups(bodies, DisplaceBody{b});
}

}  // namespace body_kernels
MSD_KERNELS_END
