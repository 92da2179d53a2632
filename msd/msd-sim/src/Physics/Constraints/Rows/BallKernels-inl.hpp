// Passes of BallKernels; compiled once per vector width. docs/theory/joints.md holds the algebra.
// Included after ContactLanes-inl.hpp, whose body access it shares.
#include "msd-sim/src/Physics/Constraints/Rows/BallRows.hpp"

MSD_KERNELS_BEGIN
namespace ball_kernels {

using contact_kernels::Body;
using contact_kernels::kStrideOf;
using contact_kernels::load3;
using contact_kernels::numbers;
using contact_kernels::relativeVelocity;
using contact_kernels::store3;

/// Pose of one body per lane.
struct Place {
  Lane3 x;
  LaneQuat q;
  MSD_INLINE Place(const SolverBodies& b, const std::int32_t* index) {
    Lane c[8];
    gatherLines<8>(numbers(b.pose), index, contact_kernels::kStrideOf<BodyPose>, c);
    x = {c[0], c[1], c[2]};
    q = {c[3], c[4], c[5], c[6]};
  }
};

/// Adds m⁻¹ − [r] I⁻¹ [r] of one body, column by column: the velocity at r that a unit impulse
/// gives.
MSD_INLINE void addCompliance(LaneSym& k, const Body& body, Lane3 r) {
  const LaneSym inverse = body.inverseInertia();
  const Lane zero = set(0.0);
  // Columns of −[r]: r × e_x, r × e_y, r × e_z are torques of unit impulses.
  const Lane3 wx = inverse * Lane3{zero, r.z, -r.y};
  const Lane3 wy = inverse * Lane3{-r.z, zero, r.x};
  const Lane3 wz = inverse * Lane3{r.y, -r.x, zero};
  const Lane3 vx = cross(wx, r), vy = cross(wy, r), vz = cross(wz, r);
  const Lane m = body.inverseMass();
  k.xx = k.xx + (m + vx.x);
  k.yy = k.yy + (m + vy.y);
  k.zz = k.zz + (m + vz.z);
  k.xy = k.xy + vy.x;
  k.xz = k.xz + vz.x;
  k.yz = k.yz + vz.y;
}

/// Inverse of a symmetric matrix by its adjugate, zero where `there` is false. Compliances of two
/// bodies are positive definite unless nothing can push them: then the determinant is 0, and so is
/// the mass.
MSD_INLINE LaneSym inverse(const LaneSym& k, Mask there) {
  const Lane a = fma(k.yy, k.zz, -(k.yz * k.yz));
  const Lane b = fma(k.xz, k.yz, -(k.xy * k.zz));
  const Lane c = fma(k.xy, k.yz, -(k.xz * k.yy));
  const Lane det = fma(k.xx, a, fma(k.xy, b, k.xz * c));
  const Lane zero = set(0.0);
  const Lane s = select(there & (det > zero), set(1.0) / select(there, det, set(1.0)), zero);
  return {s * a, s * fma(k.xx, k.zz, -(k.xz * k.xz)), s * fma(k.xx, k.yy, -(k.xy * k.xy)), s * b,
          s * c, s * fma(k.xy, k.xz, -(k.xx * k.yz))};
}

MSD_INLINE LaneSym loadSym(const double (*p)[kBundleLanes], int l) {
  return {load(p[0] + l), load(p[1] + l), load(p[2] + l),
          load(p[3] + l), load(p[4] + l), load(p[5] + l)};
}

MSD_INLINE void placeLanes(const Place& p0, const Place& p1, BallBundle& bundle, int l) {
  store3(rotate(p0.q, load3(bundle.anchor0, l)), bundle.arm0, l);
  store3(rotate(p1.q, load3(bundle.anchor1, l)), bundle.arm1, l);
}

MSD_INLINE Lane clampTo(Lane a, Lane limit) {
  return min(max(a, -limit), limit);
}

/// Largest component against the size; unused lanes have error 0.
MSD_INLINE Lane relative(Lane3 error, const double* size) {
  const Lane s = load(size), zero = set(0.0);
  const Lane most = max(abs(error.x), max(abs(error.y), abs(error.z)));
  return select(s > zero, most / select(s > zero, s, set(1.0)), zero);
}

/// Arms R r from the centres to the anchors, in world axes [m].
void place(const SolverBodies& b, BallBundle* bundles, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    for (int l = 0; l < kBundleLanes; l += kLanes) {
      const std::int32_t* i0 = bundles[i].body0 + l;
      const std::int32_t* i1 = bundles[i].body1 + l;
      placeLanes(Place(b, i0), Place(b, i1), bundles[i], l);
    }
  }
}

/// The preconditioner of the conjugate gradients (J-21): of each joint the inverse of its own 3 x 3
/// compliance, (m₀⁻¹ + m₁⁻¹) 1 − [r₀] I₀⁻¹ [r₀] − [r₁] I₁⁻¹ [r₁], as if its bodies had no other
/// [kg].
void computeMasses(const SolverBodies& b, BallBundle* bundles, std::size_t count) {
  const Lane zero = set(0.0);
  for (std::size_t i = 0; i < count; ++i) {
    BallBundle& bundle = bundles[i];
    for (int l = 0; l < kBundleLanes; l += kLanes) {
      LaneSym k{zero, zero, zero, zero, zero, zero};
      addCompliance(k, Body(b, bundle.body0 + l), load3(bundle.arm0, l));
      addCompliance(k, Body(b, bundle.body1 + l), load3(bundle.arm1, l));
      const LaneSym mass = inverse(k, load(bundle.size + l) > zero);
      const Lane entries[6] = {mass.xx, mass.yy, mass.zz, mass.xy, mass.xz, mass.yz};
      for (int c = 0; c < 6; ++c) store(entries[c], bundle.mass[c] + l);
    }
  }
}

/// Adds the impulses of the phase before, p on body 1 and −p on body 0, to what the bodies expect
/// of the coming one (T-12).
void warm(SolverBodies& b, const BallBundle* bundles, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const BallBundle& bundle = bundles[i];
    for (int l = 0; l < kBundleLanes; l += kLanes) {
      const std::int32_t* i0 = bundle.body0 + l;
      const std::int32_t* i1 = bundle.body1 + l;
      const Body b0(b, i0), b1(b, i1);
      const Lane3 p = load3(bundle.impulse, l);
      const Lane3 m0 = cross(load3(bundle.arm0, l), p), m1 = cross(load3(bundle.arm1, l), p);
      Lane g0[8], g1[8];
      gatherLines<8>(numbers(b.warmStart), i0, kStrideOf<BodyWarmStart>, g0);
      gatherLines<8>(numbers(b.warmStart), i1, kStrideOf<BodyWarmStart>, g1);
      g0[0] = g0[0] - p.x, g0[1] = g0[1] - p.y, g0[2] = g0[2] - p.z;
      g0[4] = g0[4] - m0.x, g0[5] = g0[5] - m0.y, g0[6] = g0[6] - m0.z;
      g1[0] = g1[0] + p.x, g1[1] = g1[1] + p.y, g1[2] = g1[2] + p.z;
      g1[4] = g1[4] + m1.x, g1[5] = g1[5] + m1.y, g1[6] = g1[6] + m1.z;
      scatterLines<8>(numbers(b.warmStart), i0, kStrideOf<BodyWarmStart>, g0, b0.pushable());
      scatterLines<8>(numbers(b.warmStart), i1, kStrideOf<BodyWarmStart>, g1, b1.pushable());
    }
  }
}

/// (J-20): −C/h − ½h (ω₁ × (ω₁ × r₁) − ω₀ × (ω₀ × r₀)), C what is to go of the anchors' distance.
double aim(const SolverBodies& b, BallBundle* bundles, std::size_t count, const BallPass& pass,
           bool keep) {
  Lane worst = set(0.0);
  for (std::size_t i = 0; i < count; ++i) {
    BallBundle& bundle = bundles[i];
    for (int l = 0; l < kBundleLanes; l += kLanes) {
      const std::int32_t* i0 = bundle.body0 + l;
      const std::int32_t* i1 = bundle.body1 + l;
      const Body b0(b, i0), b1(b, i1);
      const Place p0(b, i0), p1(b, i1);
      const Lane3 arm0 = load3(bundle.arm0, l), arm1 = load3(bundle.arm1, l);
      const Lane3 d = (p1.x - p0.x) + (arm1 - arm0);
      const Lane reach = set(pass.reach) * load(bundle.size + l);
      const Lane3 c{clampTo(d.x, reach), clampTo(d.y, reach), clampTo(d.z, reach)};
      const Lane3 turn = cross(b1.w(), cross(b1.w(), arm1)) - cross(b0.w(), cross(b0.w(), arm0));
      const Lane3 target = -fma(set(pass.inverseH), c, set(0.5 * pass.h) * turn);
      const Lane3 error = target - relativeVelocity(b0, b1, arm0, arm1);
      worst = max(worst, relative(error, bundle.size + l));
      if (!keep) continue;
      store3(target, bundle.target, l);
      store3(error, bundle.error, l);
    }
  }
  return largest(worst);
}

/// After the drift: arms where the bodies have turned to, and what the warm start with the old ones
/// lacks, (r − r_old) × p.
void turn(SolverBodies& b, BallBundle* bundles, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    BallBundle& bundle = bundles[i];
    for (int l = 0; l < kBundleLanes; l += kLanes) {
      const std::int32_t* i0 = bundle.body0 + l;
      const std::int32_t* i1 = bundle.body1 + l;
      Body b0(b, i0), b1(b, i1);
      // The warm start was applied with the arms of phase 1.
      const Lane3 old0 = load3(bundle.arm0, l), old1 = load3(bundle.arm1, l);
      placeLanes(Place(b, i0), Place(b, i1), bundle, l);
      const Lane3 p = load3(bundle.impulse, l);
      const Lane zero = set(0.0);
      const Lane3 none{zero, zero, zero};
      b1.push(none, cross(load3(bundle.arm1, l) - old1, p));
      b0.push(none, -cross(load3(bundle.arm0, l) - old0, p));
      b0.save(b, i0);
      b1.save(b, i1);
    }
  }
}

/// The residual of the joints' velocities, target − u [m/s]; phase 2 has the target 0. Returns the
/// largest against the joints' sizes [1/s].
double measure(const SolverBodies& b, BallBundle* bundles, std::size_t count, bool aimed,
               bool keep) {
  const Lane zero = set(0.0);
  Lane worst = set(0.0);
  for (std::size_t i = 0; i < count; ++i) {
    BallBundle& bundle = bundles[i];
    for (int l = 0; l < kBundleLanes; l += kLanes) {
      const Body b0(b, bundle.body0 + l), b1(b, bundle.body1 + l);
      const Lane3 target = aimed ? load3(bundle.target, l) : Lane3{zero, zero, zero};
      const Lane3 error =
          target - relativeVelocity(b0, b1, load3(bundle.arm0, l), load3(bundle.arm1, l));
      if (keep) store3(error, bundle.error, l);
      worst = max(worst, relative(error, bundle.size + l));
    }
  }
  return largest(worst);
}

/// A conjugate gradient search, first half (J-21): the direction d ← M r + share d, M the
/// preconditioner, and the momenta that it gives the bodies. Colours keep two joints of a body
/// apart, so that sums have one order.
void push(const SolverBodies& b, BallReply* replies, BallBundle* bundles, std::size_t count,
          double share, bool warmStart) {
  double* const base = reinterpret_cast<double*>(replies);
  for (std::size_t i = 0; i < count; ++i) {
    BallBundle& bundle = bundles[i];
    for (int l = 0; l < kBundleLanes; l += kLanes) {
      const std::int32_t* i0 = bundle.body0 + l;
      const std::int32_t* i1 = bundle.body1 + l;
      const Lane3 d = warmStart ? load3(bundle.impulse, l)
                                : fma(set(share), load3(bundle.direction, l),
                                      loadSym(bundle.mass, l) * load3(bundle.error, l));
      store3(d, bundle.direction, l);
      const Lane3 m0 = cross(load3(bundle.arm0, l), d), m1 = cross(load3(bundle.arm1, l), d);
      alignas(64) double pushable0[kBundleLanes], pushable1[kBundleLanes];
      for (int lane = 0; lane < kLanes; ++lane) {
        pushable0[lane] = b.motion[static_cast<std::size_t>(i0[lane])].inverseMass;
        pushable1[lane] = b.motion[static_cast<std::size_t>(i1[lane])].inverseMass;
      }
      Lane g0[8], g1[8];
      gatherLines<8>(base, i0, kStrideOf<BallReply>, g0);
      gatherLines<8>(base, i1, kStrideOf<BallReply>, g1);
      g0[0] = g0[0] - d.x, g0[1] = g0[1] - d.y, g0[2] = g0[2] - d.z;
      g0[3] = g0[3] - m0.x, g0[4] = g0[4] - m0.y, g0[5] = g0[5] - m0.z;
      g1[0] = g1[0] + d.x, g1[1] = g1[1] + d.y, g1[2] = g1[2] + d.z;
      g1[3] = g1[3] + m1.x, g1[4] = g1[4] + m1.y, g1[5] = g1[5] + m1.z;
      scatterLines<8>(base, i0, kStrideOf<BallReply>, g0, bits(load(pushable0) > set(0.0)));
      scatterLines<8>(base, i1, kStrideOf<BallReply>, g1, bits(load(pushable1) > set(0.0)));
    }
  }
}

/// Second half: with the bodies' answers M⁻¹Jᵀd the velocity q = A d at each joint, and lane by
/// lane the sums d·q and d·r from which the length of the step follows, d·r / d·q.
void listen(const BallReply* replies, BallBundle* bundles, std::size_t count, double* sums) {
  const double* const base = reinterpret_cast<const double*>(replies);
  for (std::size_t i = 0; i < count; ++i) {
    BallBundle& bundle = bundles[i];
    for (int l = 0; l < kBundleLanes; l += kLanes) {
      Lane r0[8], r1[8];
      gatherLines<8>(base, bundle.body0 + l, kStrideOf<BallReply>, r0);
      gatherLines<8>(base, bundle.body1 + l, kStrideOf<BallReply>, r1);
      const Lane3 v0 =
          addCross(Lane3{r0[0], r0[1], r0[2]}, Lane3{r0[3], r0[4], r0[5]}, load3(bundle.arm0, l));
      const Lane3 v1 =
          addCross(Lane3{r1[0], r1[1], r1[2]}, Lane3{r1[3], r1[4], r1[5]}, load3(bundle.arm1, l));
      const Lane3 q = v1 - v0, d = load3(bundle.direction, l);
      store3(q, bundle.reply, l);
      store(load(sums + l) + dot(d, q), sums + l);
      store(load(sums + kBundleLanes + l) + dot(d, load3(bundle.error, l)),
            sums + kBundleLanes + l);
    }
  }
}

/// The step of that length: p ← p + a d, r ← r − a q, and the sums r·M r for the next direction's
/// share. Returns the largest residual against the joints' sizes [1/s].
double advance(BallBundle* bundles, std::size_t count, double length, double* sums) {
  Lane worst = set(0.0);
  const Lane a = set(length);
  for (std::size_t i = 0; i < count; ++i) {
    BallBundle& bundle = bundles[i];
    for (int l = 0; l < kBundleLanes; l += kLanes) {
      store3(fma(a, load3(bundle.direction, l), load3(bundle.impulse, l)), bundle.impulse, l);
      const Lane3 error = nfma(a, load3(bundle.reply, l), load3(bundle.error, l));
      store3(error, bundle.error, l);
      store(load(sums + l) + dot(error, loadSym(bundle.mass, l) * error), sums + l);
      worst = max(worst, relative(error, bundle.size + l));
    }
  }
  return largest(worst);
}

/// Works of the phase on both bodies (L-7): all of them, and of these, with the other sign, what
/// bodies took up that are driven.
void work(const SolverBodies& b, const BallBundle* bundles, std::size_t count, double lead,
          double* sums) {
  using contact_kernels::PhaseMean;
  for (std::size_t i = 0; i < count; ++i) {
    const BallBundle& bundle = bundles[i];
    for (int l = 0; l < kBundleLanes; l += kLanes) {
      const auto side = [&](const std::int32_t* slots, Lane3 p, Lane3 arm) MSD_LAMBDA {
        const PhaseMean mean = PhaseMean::present(b, slots, set(lead));
        const Lane done = dot(p, addCross(mean.v, mean.w, arm));
        store(load(sums + l) + done, sums + l);
        const Lane taken = select(Body(b, slots).inverseMass() > set(0.0), set(0.0), done);
        store(load(sums + kBundleLanes + l) - taken, sums + kBundleLanes + l);
      };
      const Lane3 p = load3(bundle.impulse, l);
      side(bundle.body1 + l, p, load3(bundle.arm1, l));
      side(bundle.body0 + l, -p, load3(bundle.arm0, l));
    }
  }
}

inline BallKernels table() {
  return {place, computeMasses, warm, aim, turn, measure, push, listen, advance, work};
}

}  // namespace ball_kernels
MSD_KERNELS_END
