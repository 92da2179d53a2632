// The prepare pass of ContactKernels: rows from anchors and poses. Included by the kernel
// translation units after ContactKernels-inl.hpp, inside namespace contact_kernels.

// Square of a point's distance from a ball's centre against that of its radius: 1 but for rounding.
inline constexpr double kBallLike = 1.0 + 1e-9;

/// Pose, inverse mass and inverse inertia of one body per lane.
struct PlacedBody {
  Lane3 x;
  LaneFrame r;
  Lane inverseMass;
  LaneSym inverse;
  MSD_INLINE PlacedBody(const SolverBodies& b, const std::int32_t* index) {
    Lane line[8], tail[8], pose[8];
    gatherLines<8>(numbers(b.pose), index, kPoseStride, pose);
    gatherLines<8>(numbers(b.motion), index, kMotionStride, line);
    gatherLines<8>(numbers(b.motion) + 8, index, kMotionStride, tail);
    x = {pose[0], pose[1], pose[2]};
    r = rotationOf(LaneQuat{pose[3], pose[4], pose[5], pose[6]});
    inverseMass = line[6];
    inverse = {line[7], tail[3], tail[4], tail[5], tail[6], tail[7]};
  }
};

/// Tᵀ S T of a symmetric matrix, T = (n, t1, t2) by columns: entries nn 11 22 n1 n2 12.
MSD_INLINE LaneSym inFrame(const LaneSym& s, const Lane3& n, const Lane3& t1, const Lane3& t2) {
  const Lane3 sn = s * n, s1 = s * t1, s2 = s * t2;
  return {dot(n, sn), dot(t1, s1), dot(t2, s2), dot(n, s1), dot(n, s2), dot(t1, s2)};
}

/// Inverse by cofactors; zero where there is none.
MSD_INLINE LaneSym inverseOf(const LaneSym& s) {
  const Lane xx = nfma(s.yz, s.yz, s.yy * s.zz), yy = nfma(s.xz, s.xz, s.xx * s.zz),
             zz = nfma(s.xy, s.xy, s.xx * s.yy), xy = nfma(s.xy, s.zz, s.xz * s.yz),
             xz = nfma(s.xz, s.yy, s.xy * s.yz), yz = nfma(s.yz, s.xx, s.xy * s.xz);
  const Lane det = fma(s.xx, xx, fma(s.xy, xy, s.xz * xz));
  const Lane r = select(det > set(0.0), set(1.0) / max(det, set(kTiny)), set(0.0));
  return {r * xx, r * yy, r * zz, r * xy, r * xz, r * yz};
}

/// The relative inverse inertia at the centre c: how the twist of body 1 against body 0 answers to a
/// wrench there (rows.md, C-6), contact frame (n, 1, 2).
struct Compliance {
  Lane vv[3][3];  // velocity from force
  Lane vm[3][3];  // velocity from moment
  LaneSym ww;     // angular velocity from moment: nn 11 22 n1 n2 12

  MSD_INLINE Compliance(Lane inverseMass) {
    const Lane zero = set(0.0);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        vv[i][j] = i == j ? inverseMass : zero;
        vm[i][j] = zero;
      }
    }
    ww = {zero, zero, zero, zero, zero, zero};
  }

  /// Adds a body with inverse inertia S (frame) and arm r (frame): vm -= [r]S, vv -= [r]S[r].
  MSD_INLINE void add(const LaneSym& s, Lane3 r) {
    const Lane3 columns[3] = {{s.xx, s.xy, s.xz}, {s.xy, s.yy, s.yz}, {s.xz, s.yz, s.zz}};
    const Lane3 g[3] = {cross(r, columns[0]), cross(r, columns[1]), cross(r, columns[2])};
    const Lane3 rows[3] = {{g[0].x, g[1].x, g[2].x}, {g[0].y, g[1].y, g[2].y},
                           {g[0].z, g[1].z, g[2].z}};
    for (int i = 0; i < 3; ++i) {
      const Lane3 v = cross(rows[i], r);
      vv[i][0] = vv[i][0] - v.x, vv[i][1] = vv[i][1] - v.y, vv[i][2] = vv[i][2] - v.z;
      vm[i][0] = vm[i][0] - rows[i].x;
      vm[i][1] = vm[i][1] - rows[i].y;
      vm[i][2] = vm[i][2] - rows[i].z;
    }
    ww = {ww.xx + s.xx, ww.yy + s.yy, ww.zz + s.zz, ww.xy + s.xy, ww.xz + s.xz, ww.yz + s.yz};
  }
};

/// The groups of the compliance and the effective masses of the points, for bodies as they are turned
/// now; points without a mass stay so.
template <int kPoints>
MSD_INLINE void writeCompliance(const Compliance& k, const Mask (&there)[kPoints],
                                ContactRows<kPoints>& rows, int l) {
  const Lane zero = set(0.0), one = set(1.0), half = set(0.5);
  const LaneSym normal{k.vv[0][0], k.ww.yy, k.ww.zz, k.vm[0][1], k.vm[0][2], k.ww.yz};
  const LaneSym friction{k.vv[1][1], k.vv[2][2], k.ww.xx, k.vv[1][2], k.vm[1][0], k.vm[2][0]};
  const Lane normalEntries[6] = {normal.xx, normal.yy, normal.zz, normal.xy, normal.xz, normal.yz};
  const Lane frictionEntries[6] = {friction.xx, friction.yy, friction.zz,
                                   friction.xy, friction.xz, friction.yz};
  const Lane crossEntries[9] = {k.vv[1][0], k.vm[1][1], k.vm[1][2], k.vv[2][0], k.vm[2][1],
                                k.vm[2][2], k.vm[0][0], k.ww.xy,    k.ww.xz};
  if constexpr (kPoints > 1) {
    const LaneSym stick = inverseOf(friction);
    const Lane entries[6] = {stick.xx, stick.yy, stick.zz, stick.xy, stick.xz, stick.yz};
    for (int i = 0; i < 6; ++i) {
      store(normalEntries[i], rows.normalGroup[i] + l);
      store(frictionEntries[i], rows.frictionGroup[i] + l);
      store(entries[i], rows.stickGroup[i] + l);
    }
    for (int i = 0; i < 9; ++i) store(crossEntries[i], rows.crossGroup[i] + l);
  } else {
    store(normal.xx, rows.normalGroup[0] + l);
    store(crossEntries[0], rows.crossGroup[0] + l);
    store(crossEntries[3], rows.crossGroup[1] + l);
  }
  for (int i = 0; i < kPoints; ++i) {
    ContactPointRows& p = rows.points[i];
    Lane x = zero, y = zero;
    if constexpr (kPoints > 1) x = load(rows.x[i] + l), y = load(rows.y[i] + l);

    // Normal: k = (1, y, -x) N (1, y, -x)ᵀ.
    const Lane row0 = nfma(x, normal.xz, fma(y, normal.xy, normal.xx));
    const Lane row1 = nfma(x, normal.yz, fma(y, normal.yy, normal.xy));
    const Lane row2 = nfma(x, normal.zz, fma(y, normal.yz, normal.xz));
    const Lane kn = nfma(x, row2, fma(y, row1, row0));
    const Mask real = there[i] & (kn > zero);
    store(select(real, one / max(kn, set(kTiny)), zero), p.normalMass + l);

    // Tangents: rows (1, 0, -y) and (0, 1, x) of the friction group.
    const Lane a11 = fma(y, fma(y, friction.zz, -(set(2.0) * friction.xz)), friction.xx);
    const Lane a22 = fma(x, fma(x, friction.zz, set(2.0) * friction.yz), friction.yy);
    const Lane a12 =
        fma(x, nfma(y, friction.zz, friction.xz), nfma(y, friction.yz, friction.xy));
    const Lane det = nfma(a12, a12, a11 * a22);
    const Mask regular = real & (det > zero);
    const Lane inverse = select(regular, one / max(det, set(kTiny)), zero);
    store(inverse * a22, p.stick11 + l);
    store(-(inverse * a12), p.stick12 + l);
    store(inverse * a11, p.stick22 + l);
    const Lane mean = half * (a11 + a22), spread = half * (a11 - a22);
    const Lane largest = mean + sqrt(fma(spread, spread, a12 * a12));
    store(select(regular, one / max(largest, set(kTiny)), zero), p.slipMass + l);
  }
}

template <int kPoints>
MSD_INLINE void prepareLanes(const SolverBodies& b, const ContactBundle<kPoints>& bundle,
                             ContactRows<kPoints>& rows, int l) {
  const Lane zero = set(0.0), one = set(1.0), half = set(0.5);
  const PlacedBody b0(b, bundle.body0 + l), b1(b, bundle.body1 + l);

  // Contact frame: the stored normal turns with body 0; the tangent is made perpendicular again.
  const Lane3 n = rotate(b0.r, load3(bundle.normal, l));
  Lane3 t1 = rotate(b0.r, load3(bundle.tangent, l));
  t1 = nfma(dot(t1, n), n, t1);
  t1 = (one / sqrt(dot(t1, t1))) * t1;
  const Lane3 t2 = cross(n, t1);
  store3(n, rows.normal, l);
  store3(t1, rows.tangent, l);

  // Points, their gaps, and the centre c midway between surfaces that overlap.
  const Lane3 between = b1.x - b0.x;
  Lane3 middle[kPoints];
  Lane gap[kPoints], exists[kPoints];
  Lane3 sum{zero, zero, zero};
  Lane count = zero;
  for (int i = 0; i < kPoints; ++i) {
    const Lane3 p0 = rotate(b0.r, load3(bundle.anchor0[i], l));            // from x0
    const Lane3 p1 = between + rotate(b1.r, load3(bundle.anchor1[i], l));  // from x0
    exists[i] = load(bundle.active[i] + l);
    gap[i] = dot(n, p1 - p0);
    // A ball that is still apart will touch with its own point, which the centre moves with; two balls
    // follow each other (G-2).
    const Lane3 own = p1 - between;
    const Lane round = load(bundle.rounding1 + l);
    const Mask apart = (gap[i] > zero) & (dot(own, own) <= set(kBallLike) * round * round) &
                       (load(bundle.balls + l) <= zero);
    const Lane3 midway = half * (p0 + p1);
    middle[i] = {select(apart, p1.x, midway.x), select(apart, p1.y, midway.y),
                 select(apart, p1.z, midway.z)};
    sum = fma(exists[i], middle[i], sum);
    count = count + exists[i];
  }
  const Lane3 arm0 = (one / max(count, one)) * sum;
  const Lane3 arm1 = arm0 - between;
  store3(arm0, rows.arm0, l);
  store3(arm1, rows.arm1, l);
  store3(Lane3{zero, zero, zero}, rows.drift, l);
  store(load(bundle.friction + l), rows.friction + l);

  Compliance k(b0.inverseMass + b1.inverseMass);
  k.add(inFrame(b0.inverse, n, t1, t2), {dot(arm0, n), dot(arm0, t1), dot(arm0, t2)});
  k.add(inFrame(b1.inverse, n, t1, t2), {dot(arm1, n), dot(arm1, t1), dot(arm1, t2)});

  const Lane offset = dot(n, arm0);
  for (int i = 0; i < kPoints; ++i) {
    ContactPointRows& p = rows.points[i];
    if constexpr (kPoints > 1) {
      const Lane3 d = middle[i] - arm0;
      store(dot(d, t1), rows.x[i] + l);
      store(dot(d, t2), rows.y[i] + l);
    }
    store(offset - gap[i], p.gapOffset + l);
    store(zero, p.target + l);
    store(zero, p.guess + l);

    for (int c = 0; c < 3; ++c) {
      store(exists[i] * load(bundle.impulse[i][c] + l), p.impulse[c] + l);
      store(zero, p.total[c] + l);
    }
  }
  Mask there[kPoints];
  for (int i = 0; i < kPoints; ++i) there[i] = exists[i] > zero;
  writeCompliance(k, there, rows, l);
}

/// Lanes with a body that has turned so far since the step began that its inertia answers otherwise.
template <int kPoints>
MSD_INLINE unsigned turnedLanes(const SolverBodies& b, const ContactBundle<kPoints>& bundle) {
  unsigned lanes = 0;
  for (int lane = 0; lane < kBundleLanes; ++lane) {
    const auto i0 = static_cast<std::size_t>(bundle.body0[lane]);
    const auto i1 = static_cast<std::size_t>(bundle.body1[lane]);
    lanes |= static_cast<unsigned>(b.hasTurned[i0] | b.hasTurned[i1]) << lane;
  }
  return lanes;
}

/// The compliance of bodies that have turned, for the frame and the points as they are (C-7).
template <int kPoints>
MSD_INLINE void renewLanes(const SolverBodies& b, const ContactBundle<kPoints>& bundle,
                           ContactRows<kPoints>& rows, int l) {
  const Body b0(b, bundle.body0 + l), b1(b, bundle.body1 + l);
  const Frame f(rows, l);
  const Lane3 arm1 = load3(rows.arm1, l);
  const Lane3 arm0 = load3(rows.arm0, l) + (b1.dx() - b0.dx());
  Compliance k(b0.inverseMass() + b1.inverseMass());
  k.add(inFrame(b0.inverseInertia(), f.n, f.t1, f.t2), {dot(arm0, f.n), dot(arm0, f.t1), dot(arm0, f.t2)});
  k.add(inFrame(b1.inverseInertia(), f.n, f.t1, f.t2), {dot(arm1, f.n), dot(arm1, f.t1), dot(arm1, f.t2)});
  Mask there[kPoints];
  for (int i = 0; i < kPoints; ++i) there[i] = load(rows.points[i].normalMass + l) > set(0.0);
  writeCompliance(k, there, rows, l);
}

template <int kPoints>
void renew(const SolverBodies& b, const ContactBundle<kPoints>* bundles,
           ContactRows<kPoints>* rows, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const unsigned turned = turnedLanes(b, bundles[i]);
    if (turned == 0) continue;
    const ContactRows<kPoints> before = rows[i];
    for (int l = 0; l < kBundleLanes; l += kLanes) renewLanes(b, bundles[i], rows[i], l);
    if (turned == 0xFFu) continue;
    // The others stay as they are: a contact's rows depend on its own bodies alone.
    const auto* old = reinterpret_cast<const double*>(&before);
    auto* now = reinterpret_cast<double*>(&rows[i]);
    for (std::size_t k = 0; k < sizeof(before) / sizeof(double); ++k) {
      if (((turned >> (k % kBundleLanes)) & 1u) == 0) now[k] = old[k];
    }
  }
}

template <int kPoints>
void prepare(const SolverBodies& b, const ContactBundle<kPoints>* bundles,
             ContactRows<kPoints>* rows, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    for (int l = 0; l < kBundleLanes; l += kLanes) prepareLanes(b, bundles[i], rows[i], l);
  }
}
template <int kPoints>
void warm(SolverBodies& b, const ContactBundle<kPoints>* bundles, ContactRows<kPoints>* rows,
          std::size_t count, double scale) {
  for (std::size_t i = 0; i < count; ++i) {
    for (int l = 0; l < kBundleLanes; l += kLanes) warmLanes(b, bundles[i], rows[i], scale, l);
  }
}
template <int kPoints>
void approach(const SolverBodies& b, const ContactBundle<kPoints>* bundles,
              ContactRows<kPoints>* rows, ContactBounce<kPoints>* bounce, std::size_t count,
              const ContactPass& pass) {
  for (std::size_t i = 0; i < count; ++i) {
    for (int l = 0; l < kBundleLanes; l += kLanes) {
      approachLanes(b, bundles[i], rows[i], bounce[i], pass, l);
    }
  }
}
/// Lanes with a body that still moves since the sweep before.
MSD_INLINE unsigned stirredLanes(const SolverBodies& b, const BundleBodies& who, std::uint32_t stamp) {
  unsigned lanes = 0;
  for (int lane = 0; lane < kBundleLanes; ++lane) {
    const std::uint32_t latest =
        std::max(b.stirred[static_cast<std::size_t>(who.body[lane])],
                 b.stirred[static_cast<std::size_t>(who.body[kBundleLanes + lane])]);
    lanes |= static_cast<unsigned>(latest + 1 >= stamp) << lane;
  }
  return lanes;
}

/// Stamps the bodies of the lanes that have not settled, and returns how many of these there are. Bodies that
/// cannot be pushed stay out of it: other threads read them.
template <int kPoints>
MSD_INLINE std::uint32_t stir(SolverBodies& b, const ContactBundle<kPoints>& bundle, unsigned lanes,
                              const Visited& visited, const ContactPass& pass, int l) {
  alignas(64) double unrest[kBundleLanes], slide[kBundleLanes];
  store(visited.unrest, unrest);
  store(visited.slide, slide);
  std::uint32_t count = 0;
  for (; lanes != 0; lanes &= lanes - 1) {
    const int at = std::countr_zero(lanes), lane = l + at;
    const auto i0 = static_cast<std::size_t>(bundle.body0[lane]);
    const auto i1 = static_cast<std::size_t>(bundle.body1[lane]);
    const bool moves0 = b.motion[i0].inverseMass > 0.0, moves1 = b.motion[i1].inverseMass > 0.0;
    if (pass.planned) {
      const SweepBudget& budget = b.budget[moves0 ? i0 : i1];
      const double most = std::max(unrest[at], static_cast<double>(budget.slip) * slide[at]);
      if (!(most > static_cast<double>(budget.limit(pass.number)))) continue;
    }
    if (moves0) b.stirred[i0] = pass.stamp;
    if (moves1) b.stirred[i1] = pass.stamp;
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

/// The same of what a visit reads of its bundle.
template <int kPoints>
MSD_INLINE void fetchBundle(const ContactBundle<kPoints>& bundle) {
  __builtin_prefetch(bundle.body0);
  for (const double* line : {bundle.size, bundle.rounding0, bundle.rounding1, bundle.balls}) {
    __builtin_prefetch(line);
  }
}

template <int kPoints, class Visit>
SweepOutcome sweep(SolverBodies& b, const ContactBundle<kPoints>* bundles, const BundleBodies* who,
                   const ContactRows<kPoints>* rows, ContactSums* sums, std::uint8_t* busy,
                   std::size_t count, const ContactPass& pass, const Visit& visit) {
  SweepOutcome outcome;
  Lane worst = set(0.0);
  for (std::size_t i = 0; i < count; ++i) {
    unsigned lanes = 0xFFu;
    if (!pass.first) {
      lanes = stirredLanes(b, who[i], pass.stamp);
      if (lanes == 0) continue;
    } else if (pass.ahead && i + 1 < count) {
      fetchRows(rows[i + 1]);
      fetchBundle(bundles[i + 1]);
    }
    const unsigned before = busy != nullptr ? busy[i] : 0u;
    unsigned notes = pass.first ? 0u : before;
    const bool worked = pass.first && !pass.opening && (pass.eachWork || (before & kBusy) != 0);
    for (int l = 0; l < kBundleLanes; l += kLanes) {
      const Chosen chosen((lanes >> l) & ((1u << kLanes) - 1u));
      if (chosen.lanes == 0) continue;
      const Visited visited = visit(i, l, worked, chosen);
      const Lane most = select(chosen.mask, max(visited.unrest, visited.slide), set(0.0));
      worst = max(worst, select(chosen.mask, visited.unrest, set(0.0)));
      if (pass.noted && sums != nullptr) {
        store(select(chosen.mask, most, load(sums[i].unrest + l)), sums[i].unrest + l);
      }
      if (any(chosen.mask & visited.busy)) notes |= kBusy;
      if (any(chosen.mask & visited.surprised)) notes |= kSurprised;
      const unsigned unsettled = bits(most > set(pass.settled));
      if (unsettled != 0) outcome.unsettled += stir(b, bundles[i], unsettled, visited, pass, l);
    }
    if (busy != nullptr) busy[i] = static_cast<std::uint8_t>(notes);
  }
  outcome.unrest = largest(worst);
  return outcome;
}

template <int kPoints>
SweepOutcome solve(SolverBodies& b, const ContactBundle<kPoints>* bundles, const BundleBodies* who,
                   ContactRows<kPoints>* rows, const ContactBounce<kPoints>* bounce,
                   ContactSums* sums, std::uint8_t* busy, std::size_t count,
                   const ContactPass& pass) {
  const auto visit = [&](std::size_t i, int l, bool worked, const Chosen& chosen) MSD_LAMBDA {
    if (worked) addLastWork(b, bundles[i], rows[i], sums[i], l);
    return solveLanes(b, bundles[i], rows[i], bounce != nullptr ? bounce + i : nullptr, pass, chosen,
                      l);
  };
  return sweep(b, bundles, who, rows, sums, busy, count, pass, visit);
}
template <int kPoints>
SweepOutcome relax(SolverBodies& b, const ContactBundle<kPoints>* bundles, const BundleBodies* who,
                   ContactRows<kPoints>* rows, ContactSums* sums, std::uint8_t* busy,
                   std::size_t count, const ContactPass& pass) {
  const auto visit = [&](std::size_t i, int l, bool worked, const Chosen& chosen) MSD_LAMBDA {
    if (worked) addLastWork(b, bundles[i], rows[i], sums[i], l);
    return relaxLanes(b, bundles[i], rows[i], pass, chosen, l);
  };
  return sweep(b, bundles, who, rows, sums, busy, count, pass, visit);
}
template <int kPoints>
void conclude(SolverBodies& b, const ContactBundle<kPoints>* bundles, ContactRows<kPoints>* rows,
              ContactSums* sums, const std::uint8_t* busy, std::size_t count,
              const ContactPass& pass) {
  for (std::size_t i = 0; i < count; ++i) {
    if (!pass.moved && (busy[i] & kSurprised) == 0) continue;
    for (int l = 0; l < kBundleLanes; l += kLanes) {
      limitGuess(b, bundles[i], rows[i], Frame(rows[i], l), sums[i], pass, l);
    }
  }
}
/// Adds the work and the impulses of the step's last phase to the others.
template <int kPoints>
MSD_INLINE void addLastPhase(const SolverBodies& b, const ContactBundle<kPoints>& bundle,
                             ContactRows<kPoints>& rows, ContactSums& sums, std::uint8_t busy,
                             const ContactPass& pass, int l) {
  if (pass.eachWork || (busy & kBusy) != 0) addLastWork(b, bundle, rows, sums, l);
  addToTotal(rows, l);
}

template <int kPoints>
StoreOutcome storeImpulses(const SolverBodies& b, ContactBundle<kPoints>* bundles,
                           ContactRows<kPoints>* rows, ContactSums* sums,
                           const std::uint8_t* busy, std::size_t count, const ContactPass& pass) {
  Lane deepest = set(0.0), share = set(0.0);
  for (std::size_t i = 0; i < count; ++i) {
    if (pass.ahead && i + 1 < count) fetchRows(rows[i + 1]);
    for (int l = 0; l < kBundleLanes; l += kLanes) {
      if (pass.swept) addLastPhase(b, bundles[i], rows[i], sums[i], busy[i], pass, l);
      const Settled now(b, bundles[i], rows[i], l);
      const LiveGap gap(b, bundles[i], rows[i], now.f, now.arm0, now.arm1, l);
      const Depth depth = storeLanes(b, now, gap, bundles[i], rows[i], sums[i], l);
      deepest = max(deepest, depth.deepest);
      share = max(share, depth.share);
    }
  }
  return {largest(deepest), largest(share)};
}
template <int kPoints>
SweepOutcome correct(SolverBodies& b, const ContactBundle<kPoints>* bundles,
                     const BundleBodies* who, ContactRows<kPoints>* rows, std::size_t count,
                     const ContactPass& pass) {
  const Mask never = set(0.0) > set(0.0);
  const auto visit = [&](std::size_t i, int l, bool, const Chosen& chosen) MSD_LAMBDA {
    const Settled now(b, bundles[i], rows[i], l);
    const Lane above = upwards(now.f, pass);
    if (pass.first) {
      const LiveGap gap(b, bundles[i], rows[i], now.f, now.arm0, now.arm1, l);
      aimCorrection(b, now, gap, above, bundles[i], rows[i], pass, l);
    }
    return Visited{correctLanes(b, now, bundles[i], rows[i], pass, above, chosen, l), set(0.0), never,
                   never};
  };
  return sweep(b, bundles, who, rows, nullptr, nullptr, count, pass, visit);
}
/// The store pass and the first sweep of position correction at once: gaps and bodies are the same.
template <int kPoints>
SweepOutcome storeAndCorrect(SolverBodies& b, ContactBundle<kPoints>* bundles,
                             const BundleBodies* who, ContactRows<kPoints>* rows,
                             ContactSums* sums, const std::uint8_t* busy, std::size_t count,
                             const ContactPass& pass, StoreOutcome& stored) {
  const Mask never = set(0.0) > set(0.0);
  Lane deepest = set(0.0), share = set(0.0);
  const auto visit = [&](std::size_t i, int l, bool, const Chosen& chosen) MSD_LAMBDA {
    addLastPhase(b, bundles[i], rows[i], sums[i], busy[i], pass, l);
    const Settled now(b, bundles[i], rows[i], l);
    const LiveGap gap(b, bundles[i], rows[i], now.f, now.arm0, now.arm1, l);
    const Depth depth = storeLanes(b, now, gap, bundles[i], rows[i], sums[i], l);
    deepest = max(deepest, depth.deepest);
    share = max(share, depth.share);
    const Lane above = upwards(now.f, pass);
    aimCorrection(b, now, gap, above, bundles[i], rows[i], pass, l);
    return Visited{correctLanes(b, now, bundles[i], rows[i], pass, above, chosen, l), set(0.0), never,
                   never};
  };
  const SweepOutcome outcome =
      sweep(b, bundles, who, rows, nullptr, nullptr, count, pass, visit);
  stored = {largest(deepest), largest(share)};
  return outcome;
}

template <int kPoints>
ContactKernels<kPoints> table() {
  return {follow<kPoints>,   prepare<kPoints>, renew<kPoints>,    warm<kPoints>,
          approach<kPoints>, solve<kPoints>,   relax<kPoints>,    conclude<kPoints>,
          storeImpulses<kPoints>, correct<kPoints>, storeAndCorrect<kPoints>};
}

}  // namespace contact_kernels
MSD_KERNELS_END
