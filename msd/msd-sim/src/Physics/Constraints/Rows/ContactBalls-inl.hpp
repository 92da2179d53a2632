// Two balls: the normal is the line of their centres. Included after ContactLanes-inl.hpp.

MSD_KERNELS_BEGIN
namespace contact_kernels {

/// (G-2): after a drift the normal, the point of contact and the effective masses of two balls are
/// those of where the balls are now: their forces pass through both centres, and what one gains in
/// angular momentum the other loses. The warm start was applied in the old frame; the difference goes to
/// the bodies. `drift` is that of now, and the warm start acts with it.
template <int kPoints>
MSD_INLINE void followBalls(Body& b0, Body& b1, ContactRows<kPoints>& rows, Lane3 drift, const Chosen& chosen,
                            int l) {
  if constexpr (kPoints == 1) {
    const Lane zero = set(0.0), one = set(1.0), half = set(0.5);
    if (!any(load(rows.balls + l) > zero)) return;
    const Frame old(rows, l);
    const Lane3 arm0 = load3(rows.arm0, l) + drift, arm1 = load3(rows.arm1, l);
    const Lane3 between = arm0 - arm1;
    const Lane distance = max(sqrt(dot(between, between)), set(kTiny));
    const Lane3 n = (one / distance) * between;
    const Lane3 turn = cross(old.n, n);
    const Mask turned =
        chosen.mask & (load(rows.balls + l) > zero) & (dot(turn, turn) > set(kRowTuning.ballTurn * kRowTuning.ballTurn));
    if (!any(turned)) return;
    const Wrench before(rows, old, l);
    const Lane gap = distance - load(rows.rounding0 + l) - load(rows.rounding1 + l);
    const Lane reach0 = fma(half, gap, load(rows.rounding0 + l));
    const Lane3 now0 = select(turned, reach0 * n, arm0);
    const Lane3 now1 = now0 - between;
    Lane3 t1 = nfma(dot(old.t1, n), n, old.t1);
    t1 = (one / sqrt(max(dot(t1, t1), set(kTiny)))) * t1;
    store3(select(turned, n, old.n), rows.normal, l);
    store3(select(turned, t1, old.t1), rows.tangent, l);
    store3(select(turned, now0 - drift, load3(rows.arm0, l)), rows.arm0, l);
    store3(select(turned, now1, arm1), rows.arm1, l);

    const Lane reach1 = distance - reach0;
    const Lane tangential = fma(reach0 * reach0, b0.inverseInertia().xx,
                                fma(reach1 * reach1, b1.inverseInertia().xx,
                                    b0.inverseMass() + b1.inverseMass()));
    auto& t = rows.tangential;
    const Mask renewed = turned & (load(rows.points[0].normalMass + l) > zero);
    const Lane mass = one / max(tangential, set(kTiny));
    for (double* entry : {t.stick11, t.stick22, t.slipMass}) {
      store(select(renewed, mass, load(entry + l)), entry + l);
    }
    store(select(renewed, zero, load(t.stick12 + l)), t.stick12 + l);

    const Wrench after(rows, Frame(rows, l), l);
    const Lane3 force = after.force - before.force;
    b1.push(force, cross(load3(rows.arm1, l), after.force) - cross(arm1, before.force));
    b0.push(-force, cross(arm0, before.force) - cross(now0, after.force));
  }
}

/// (G-2): balls that move past each other while they close touch where their distance, not its part along the
/// old normal, is that of their radii: (d + h u_N)² + h² u_T² = (ρ0 + ρ1)², u of the centres. Least normal velocity.
MSD_INLINE Lane meetingSpeed(const Body& b0, const Body& b1, const ContactRows<1>& rows, const Frame& f,
                             Lane3 between, const ContactPass& pass, int l) {
  const Lane3 v = b1.v() - b0.v();
  const Lane3 aside = set(pass.h) * nfma(dot(f.n, v), f.n, v);
  const Lane reach = load(rows.rounding0 + l) + load(rows.rounding1 + l);
  const Lane left = sqrt(max(fma(reach, reach, -dot(aside, aside)), set(0.0)));
  return set(pass.inverseH) * (left - sqrt(dot(between, between)));
}

}  // namespace contact_kernels
MSD_KERNELS_END
