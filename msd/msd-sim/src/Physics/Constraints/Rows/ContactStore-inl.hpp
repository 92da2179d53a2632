// The store, keep and correct passes of ContactKernels: the end of a step. Included after
// ContactVisit-inl.hpp.

MSD_KERNELS_BEGIN
namespace contact_kernels {

/// Penetration of a point (P-2). Of one that carried nothing, only what the collision test found:
/// the rows know no edges of faces, and what seems to have sunk in since may have passed by. Two
/// balls have no edges.
template <int kPoints>
MSD_INLINE Lane trueDepth(const ContactRows<kPoints>& rows, const Frame& f,
                          const ContactPointRows& p, Lane gap, int l) {
  const Lane found = load(p.gapOffset + l) - dot(f.n, load3(rows.arm0, l));
  Mask touched = load(p.total[0] + l) > set(0.0);
  if constexpr (kPoints == 1) touched = touched | (load(rows.balls + l) > set(0.0));
  return select(touched, -gap, min(-gap, found));
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
  MSD_INLINE Settled(const SolverBodies& b, const BundleBodies& bodyPair,
                     const ContactRows<kPoints>& rows, int l)
      : b0(b, bodyPair.body0() + l),
        b1(b, bodyPair.body1() + l),
        f(rows, l),
        arm0(load3(rows.arm0, l) + (b1.dx() - b0.dx())),
        arm1(load3(rows.arm1, l)),
        passed(hasPassed(b0, b1.dx() - b0.dx(), f.n, rows.size + l)) {}
};

/// Adds the work and the impulses of the step's last phase to the others.
template <int kPoints>
MSD_INLINE void addLastPhase(const SolverBodies& b, const BundleBodies& bodyPair,
                             ContactRows<kPoints>& rows, ContactSums& sums, const ContactPass& pass,
                             int l) {
  addLastWork(b, bodyPair, rows, sums, pass, l);
  addToTotal(rows, l);
}

/// What nothing has pushed in the step (K-20) has no depth and lacks no velocity; `chosen` are the
/// others.
template <int kPoints>
MSD_INLINE Depth storeLanes(const SolverBodies& b, const BundleBodies& bodyPair, const Settled& now,
                            const LiveGap& gap, const ContactRows<kPoints>& rows, ContactSums& sums,
                            const Chosen& chosen, int l) {
  const Frame& f = now.f;
  Lane s0[8], s1[8];
  gatherLines<8>(numbers(b.start) + 8, bodyPair.body0() + l, kStrideOf<BodyStart>, s0);
  gatherLines<8>(numbers(b.start) + 8, bodyPair.body1() + l, kStrideOf<BodyStart>, s1);
  const Lane zero = set(0.0);
  const Lane3 armStart = load3(rows.arm0, l);
  const Lane3 v0{s0[0], s0[1], s0[2]}, w0{s0[3], s0[4], s0[5]};
  const Lane3 v1{s1[0], s1[1], s1[2]}, w1{s1[3], s1[4], s1[5]};
  const Twist before(f, addCross(v1, w1, now.arm1) - addCross(v0, w0, armStart), w1 - w0);
  const Twist end(f, relativeVelocity(now.b0, now.b1, now.arm0, now.arm1), now.b1.w() - now.b0.w());
  Lane deepest = zero, residual = zero, sum = zero, approach = zero;
  for (int i = 0; i < kPoints; ++i) {
    const ContactPointRows& p = rows.points[i];
    const Lane normal = load(p.total[0] + l);
    sum = sum + normal;
    const Mask exists = load(p.normalMass + l) > zero;
    const Lane depth = trueDepth(rows, f, p, gap.at(rows, i, l), l);
    const Lane missing = load(p.target + l) - normalVelocity(end, rows, i, l);
    deepest = max(deepest, select(exists, depth, zero));
    residual = max(residual, select(exists, missing, zero));
    approach = max(approach, select(normal > zero, -normalVelocity(before, rows, i, l), zero));
  }
  const Mask counts = !now.passed & chosen.mask;
  deepest = select(counts, deepest, zero);
  store(deepest, sums.deepest + l);
  store(select(counts, residual, zero), sums.residual + l);
  store(sum, sums.load + l);
  store(approach, sums.approach + l);
  return {deepest, deepest * load(rows.inverseSize + l)};
}

template <int kPoints>
StoreOutcome storeResults(const SolverBodies& b, const BundleRun<kPoints>& run,
                          const ContactPass& pass) {
  Lane deepest = set(0.0), share = set(0.0);
  for (std::size_t i = 0; i < run.count; ++i) {
    const unsigned lanes = 0xFFu & ~static_cast<unsigned>(run.notes[i].idle);
    if (lanes == 0) continue;
    if (pass.ahead && i + 1 < run.count) fetchRows(run.rows[i + 1]);
    for (int l = 0; l < kBundleLanes; l += kLanes) {
      if (pass.swept) addLastPhase(b, run.bodyPair[i], run.rows[i], run.sums[i], pass, l);
      const Settled now(b, run.bodyPair[i], run.rows[i], l);
      const LiveGap gap(b, run.bodyPair[i], run.rows[i], now.f, now.arm0, now.arm1, l);
      const Depth depth = storeLanes(b, run.bodyPair[i], now, gap, run.rows[i], run.sums[i],
                                     Chosen((lanes >> l) & kAllLanes), l);
      deepest = max(deepest, depth.deepest);
      share = max(share, depth.share);
    }
  }
  return {largest(deepest), largest(share)};
}

template <int kPoints>
void keep(const BundleRun<kPoints>& run, StoredContact<kPoints>* const* stored, double perSubstep,
          double perStep) {
  constexpr int kNumbers = static_cast<int>(sizeof(StoredForces<kPoints>) / sizeof(double));
  static_assert(kNumbers % 8 == 0);
  for (std::size_t i = 0; i < run.count; ++i) {
    if (run.notes[i].idle == 0xFFu) continue;  // had nothing and got nothing
    const ContactRows<kPoints>& rows = run.rows[i];
    for (int l = 0; l < kBundleLanes; l += kLanes) {
      double* records[kBundleLanes];
      unsigned lanes = 0;
      for (int lane = 0; lane < kLanes; ++lane) {
        records[lane] = stored[kBundleLanes * i + static_cast<std::size_t>(l + lane)]->numbers();
        lanes |= static_cast<unsigned>(run.bodyPair[i].body0()[l + lane] !=
                                       run.bodyPair[i].body1()[l + lane])
                 << lane;
      }
      const Frame f(rows, l);
      Lane out[kNumbers];
      for (Lane& number : out) number = set(0.0);
      for (int p = 0; p < kPoints; ++p) {
        const Lane3 expected = set(perSubstep) * load3(rows.points[p].impulse, l);
        const Lane3 total = load3(rows.points[p].total, l);
        const Lane3 mean = set(perStep) * f.world(total.x, total.y, total.z);
        Lane* at = out + 3 * p;
        at[0] = expected.x, at[1] = expected.y, at[2] = expected.z;
        at = out + 3 * (kPoints + p);
        at[0] = mean.x, at[1] = mean.y, at[2] = mean.z;
      }
      for (int block = 0; block < kNumbers; block += 8) {
        scatterRecords(records,
                       static_cast<std::ptrdiff_t>(StoredContact<kPoints>::kForcesAt) + block,
                       out + block, lanes);
      }
    }
  }
}

/// Kinetic energy of a body per mass, at least: the trace of the inverse inertia is more than its
/// largest eigenvalue [m²/s²]. Zero where it cannot be pushed.
MSD_INLINE Lane kineticPerMass(const Body& b) {
  const LaneSym inverse = b.inverseInertia();
  const Lane trace = max(inverse.xx + inverse.yy + inverse.zz, set(kTiny));
  const Lane twice = fma(b.inverseMass() / trace, dot(b.w(), b.w()), dot(b.v(), b.v()));
  return select(b.inverseMass() > set(0.0), set(0.5) * twice, set(0.0));
}

/// How far a body may be lifted at once: a share of its motion pays (P-8), or what contacts took
/// (P-10).
MSD_INLINE Lane liftPaid(const SolverBodies& bodies, const Body& b, const std::int32_t* index,
                         const ContactPass& pass) {
  Lane shift[8];
  gatherLines<8>(numbers(bodies.shift), index, kStrideOf<BodyShift>, shift);
  return max(set(pass.kineticHeight) * shift[6] * kineticPerMass(b), shift[7]);
}

/// How much of a contact's normal points up.
MSD_INLINE Lane upwards(const Frame& f, const ContactPass& pass) {
  return dot(f.n, Lane3{set(pass.up[0]), set(pass.up[1]), set(pass.up[2])});
}

/// What position correction asks of a contact's points (P-3).
template <int kPoints>
MSD_INLINE void aimCorrection(const SolverBodies& b, const BundleBodies& bodyPair,
                              const Settled& now, const LiveGap& gap, Lane above,
                              ContactRows<kPoints>& rows, const ContactPass& pass, int l) {
  const Lane zero = set(0.0), size = load(rows.size + l);
  // What lies above is lifted, and all at once as far as somebody can pay.
  const Lane paid = select(above >= zero, liftPaid(b, now.b1, bodyPair.body1() + l, pass),
                           liftPaid(b, now.b0, bodyPair.body0() + l, pass));
  for (int i = 0; i < kPoints; ++i) {
    ContactPointRows& p = rows.points[i];
    const Lane phi = select(now.passed, set(kNoContact), gap.at(rows, i, l));
    // Room to fall back into, or the share of the penetration to get out of.
    const Lane depth = trueDepth(rows, now.f, p, phi, l);
    const Lane deep = max(nfma(set(pass.slop), size, depth), zero);
    const Lane beyond = nfma(set(pass.mostLeft), size, depth);  // (P-9)
    const Lane owed = min(max(set(pass.correction) * deep, beyond), set(pass.largestShift) * size);
    const Lane out = max(owed, min(min(deep, paid), set(pass.paidShift) * size));
    store(select(phi > zero, -phi, out), p.target + l);
    store(zero, p.warmStart + l);
  }
}

/// Position correction (theory/position-correction.md, P-3): displacements with
/// J s >= share of the penetration along the normals. The body under a contact counts `support`
/// times, so that what lies above is lifted and what lies below stays (P-4). The points' warm
/// starts hold what has been given so far.
template <int kPoints>
MSD_INLINE Lane correctLanes(SolverBodies& b, const BundleBodies& bodyPair, const Settled& now,
                             ContactRows<kPoints>& rows, const ContactPass& pass, Lane above,
                             const Chosen& chosen, int l) {
  const std::int32_t* i0 = bodyPair.body0() + l;
  const std::int32_t* i1 = bodyPair.body1() + l;
  const Body &b0 = now.b0, &b1 = now.b1;
  const Frame& f = now.f;
  const Lane zero = set(0.0), one = set(1.0);
  const Lane less = set(1.0 - pass.support);
  const Lane weight0 = nfma(less, max(above, zero), one);
  const Lane weight1 = nfma(less, max(-above, zero), one);
  const Lane give0 = weight0 * b0.inverseMass(), give1 = weight1 * b1.inverseMass();
  const Lane whole = max(b0.inverseMass() + b1.inverseMass(), set(kTiny));
  const Lane softness = (give0 + give1) / whole;
  const Lane hardness = whole / max(give0 + give1, set(kTiny));
  Lane target[kPoints], given[kPoints];
  for (int i = 0; i < kPoints; ++i) {
    target[i] = load(rows.points[i].target + l);
    given[i] = load(rows.points[i].warmStart + l);
  }
  Lane s0[8], s1[8];
  gatherLines<8>(numbers(b.shift), i0, kStrideOf<BodyShift>, s0);
  gatherLines<8>(numbers(b.shift), i1, kStrideOf<BodyShift>, s1);
  const Lane3 d0{s0[0], s0[1], s0[2]}, t0{s0[3], s0[4], s0[5]};
  const Lane3 d1{s1[0], s1[1], s1[2]}, t1{s1[3], s1[4], s1[5]};
  const Twist u(f, addCross(d1, t1, now.arm1) - addCross(d0, t0, now.arm0), t1 - t0);
  Normals<kPoints> normals(rows, u, target, given, l);
  normals.template sweepSoft<false>(rows, softness, hardness, l);
  if constexpr (kPoints > 1) normals.template sweepSoft<true>(rows, softness, hardness, l);
  for (int i = 0; i < kPoints; ++i) chosen.put(normals.now(i), rows.points[i].warmStart + l);
  // Without friction: the normal and what it turns.
  Lane fn, m1, m2;
  normals.sum(rows, fn, m1, m2, l);
  const Lane3 force = fn * f.n;
  Lane3 moment0 = cross(now.arm0, force), moment1 = cross(now.arm1, force);
  if constexpr (kPoints > 1) {
    const Lane3 moment = fma(m1, f.t1, m2 * f.t2);
    moment0 = moment0 + moment;
    moment1 = moment1 + moment;
  }
  const Lane3 e1 = fma(give1, force, d1);
  const Lane3 q1 = t1 + weight1 * (b1.inverseInertia() * moment1);
  const Lane3 e0 = nfma(give0, force, d0);
  const Lane3 q0 = t0 - weight0 * (b0.inverseInertia() * moment0);
  const Lane out0[8] = {e0.x, e0.y, e0.z, q0.x, q0.y, q0.z, s0[6], s0[7]};
  const Lane out1[8] = {e1.x, e1.y, e1.z, q1.x, q1.y, q1.z, s1[6], s1[7]};
  scatterLines<8>(numbers(b.shift), i0, kStrideOf<BodyShift>, out0, b0.pushable() & chosen.lanes);
  scatterLines<8>(numbers(b.shift), i1, kStrideOf<BodyShift>, out1, b1.pushable() & chosen.lanes);
  return softness * normals.largestChange(rows, l) * load(rows.inverseSize + l);
}

/// Lets contacts that nothing had pushed take part from now on: their own targets and warm starts
/// from what aim() writes to all lanes.
template <int kPoints, class Aim>
MSD_INLINE void aimWoken(ContactRows<kPoints>& rows, const Chosen& chosen, int l, const Aim& aim) {
  Lane target[kPoints], given[kPoints];
  for (int i = 0; i < kPoints; ++i) {
    target[i] = load(rows.points[i].target + l);
    given[i] = load(rows.points[i].warmStart + l);
  }
  aim();
  for (int i = 0; i < kPoints; ++i) {
    ContactPointRows& p = rows.points[i];
    store(select(chosen.mask, load(p.target + l), target[i]), p.target + l);
    store(select(chosen.mask, load(p.warmStart + l), given[i]), p.warmStart + l);
  }
}

template <int kPoints>
SweepOutcome correct(SolverBodies& b, const BundleRun<kPoints>& run, const ContactPass& pass) {
  const Mask never = set(0.0) > set(0.0);
  const auto aim = [&](std::size_t i, const Settled& now, Lane above, int l) MSD_LAMBDA {
    const LiveGap gap(b, run.bodyPair[i], run.rows[i], now.f, now.arm0, now.arm1, l);
    aimCorrection(b, run.bodyPair[i], now, gap, above, run.rows[i], pass, l);
  };
  const auto wanted = [&](std::size_t i, unsigned lanes) MSD_LAMBDA {
    return pushedLanes(b, run.bodyPair[i], run.notes[i], lanes, pass.dt, true);
  };
  const auto begin = [&](std::size_t i, int l, const Chosen& chosen) MSD_LAMBDA {
    const Settled now(b, run.bodyPair[i], run.rows[i], l);
    aimWoken(run.rows[i], chosen, l, [&]() MSD_LAMBDA { aim(i, now, upwards(now.f, pass), l); });
  };
  return sweep(b, run, pass, false, Woken<decltype(wanted), decltype(begin)>{wanted, begin},
               [&](std::size_t i, int l, const Chosen& chosen) MSD_LAMBDA {
                 const Settled now(b, run.bodyPair[i], run.rows[i], l);
                 const Lane above = upwards(now.f, pass);
                 if (pass.first) aim(i, now, above, l);
                 return Visited{
                     correctLanes(b, run.bodyPair[i], now, run.rows[i], pass, above, chosen, l),
                     set(0.0), never};
               });
}

/// The store pass and the first sweep of position correction at once: gaps and bodies are the same.
template <int kPoints>
SweepOutcome storeAndCorrect(SolverBodies& b, const BundleRun<kPoints>& run,
                             const ContactPass& pass, StoreOutcome& stored) {
  const Mask never = set(0.0) > set(0.0);
  Lane deepest = set(0.0), share = set(0.0);
  const SweepOutcome outcome = sweep(
      b, run, pass, false, NeverWoken{},
      [&](std::size_t i, int l, const Chosen& chosen) MSD_LAMBDA {
        addLastPhase(b, run.bodyPair[i], run.rows[i], run.sums[i], pass, l);
        const Settled now(b, run.bodyPair[i], run.rows[i], l);
        const LiveGap gap(b, run.bodyPair[i], run.rows[i], now.f, now.arm0, now.arm1, l);
        const Depth depth =
            storeLanes(b, run.bodyPair[i], now, gap, run.rows[i], run.sums[i], chosen, l);
        deepest = max(deepest, depth.deepest);
        share = max(share, depth.share);
        const Lane above = upwards(now.f, pass);
        aimCorrection(b, run.bodyPair[i], now, gap, above, run.rows[i], pass, l);
        return Visited{correctLanes(b, run.bodyPair[i], now, run.rows[i], pass, above, chosen, l),
                       set(0.0), never};
      });
  stored = {largest(deepest), largest(share)};
  return outcome;
}

template <int kPoints>
ContactKernels<kPoints> table() {
  return {prepare<kPoints>,  renew<kPoints>,           warm<kPoints>,
          approach<kPoints>, solve<kPoints>,           relax<kPoints>,
          conclude<kPoints>, storeResults<kPoints>,    keep<kPoints>,
          correct<kPoints>,  storeAndCorrect<kPoints>, lookAgain<kPoints>};
}

}  // namespace contact_kernels
MSD_KERNELS_END
