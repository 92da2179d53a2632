// The prepare, renew, warm and approach passes of ContactKernels: rows from contacts that are kept and from poses.
// Included after ContactLanes-inl.hpp.

MSD_KERNELS_BEGIN
namespace contact_kernels {

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
    gatherLines<8>(numbers(b.pose), index, kStrideOf<BodyPose>, pose);
    gatherLines<8>(numbers(b.motion), index, kStrideOf<BodyMotion>, line);
    gatherLines<8>(numbers(b.motion) + 8, index, kStrideOf<BodyMotion>, tail);
    x = {pose[0], pose[1], pose[2]};
    r = rotationOf(LaneQuat{pose[3], pose[4], pose[5], pose[6]});
    inverseMass = line[6];
    inverse = {line[7], tail[3], tail[4], tail[5], tail[6], tail[7]};
  }
};

/// The numbers of eight contacts, side by side (StoredContact).
template <int kPoints>
struct StoredLanes {
  static constexpr auto kCoreAt = static_cast<std::ptrdiff_t>(StoredContact<kPoints>::kFollowAt);

  Lane3 normal, tangent;  // body 0 axes
  Lane friction, restitution, size, rounding0, rounding1, balls, mode;
  Lane3 anchor0[kPoints], anchor1[kPoints], force[kPoints];
  Lane active[kPoints];

  MSD_INLINE explicit StoredLanes(const double* const* records) {
    Lane c[8];
    gatherRecords(records, 0, c);
    normal = {c[0], c[1], c[2]};
    tangent = {c[3], c[4], c[5]};
    friction = c[6], restitution = c[7];
    gatherRecords(records, 8, c);
    size = c[0], rounding0 = c[1], rounding1 = c[2], balls = c[3], mode = c[4];
    constexpr int kBlocks = (3 * kPoints + 7) / 8;
    Lane forces[8 * kBlocks];
    for (int i = 0; i < kBlocks; ++i) {
      gatherRecords(records, static_cast<std::ptrdiff_t>(StoredContact<kPoints>::kForcesAt) + 8 * i, forces + 8 * i);
    }
    for (int i = 0; i < kPoints; ++i) {
      gatherRecords(records, static_cast<std::ptrdiff_t>(StoredContact<kPoints>::kPointsAt) + 8 * i, c);
      anchor0[i] = {c[0], c[1], c[2]};
      anchor1[i] = {c[3], c[4], c[5]};
      active[i] = c[6];
      force[i] = {forces[3 * i], forces[3 * i + 1], forces[3 * i + 2]};
    }
  }
};

/// (K-11), the cores' surfaces over a face of body 0: the normal n stays, the points of body 1 are
/// core - ρ n wherever the body has turned, and those of body 0 lie under them.
template <int kPoints>
MSD_INLINE void followFace(const PlacedBody& b0, const PlacedBody& b1, const double* const* records,
                           StoredLanes<kPoints>& s, Mask m) {
  // Cores of body 0 stand before those of body 1; the last block ends with them.
  constexpr int kCores = 6 * kPoints, kBlocks = (kCores + 7) / 8;
  Lane c[8 * kBlocks];
  for (int i = 0; i < kBlocks; ++i) gatherRecords(records, StoredLanes<kPoints>::kCoreAt + 8 * i, c + 8 * i);
  const Lane3 n = rotate(b0.r, s.normal), n_1 = unrotate(b1.r, n);
  const Lane3 between = b1.x - b0.x;
  for (int i = 0; i < kPoints; ++i) {
    const Lane3 core0{c[3 * i], c[3 * i + 1], c[3 * i + 2]};
    const Lane* at = c + 3 * kPoints + 3 * i;
    const Lane3 anchor1 = nfma(s.rounding1, n_1, Lane3{at[0], at[1], at[2]});
    const Lane3 p = unrotate(b0.r, between + rotate(b1.r, anchor1));  // from x0, axes of body 0
    const Lane gap = dot(s.normal, p - core0);
    s.anchor1[i] = select(m, anchor1, s.anchor1[i]);
    s.anchor0[i] = select(m, nfma(gap, s.normal, p), s.anchor0[i]);
  }
}

/// (K-11), the line between two cores, which may slide along a0 and a1: nearest points of two lines,
///
///   s = (a0·d - (a1·d)(a0·a1)) / (1 - (a0·a1)²),  t = (-a1·d + (a0·d)(a0·a1)) / (1 - (a0·a1)²)
///
/// with d from core 0 to core 1; a zero direction leaves its core where it is.
MSD_INLINE void followCores(const PlacedBody& b0, const PlacedBody& b1, const double* const* records,
                            StoredLanes<1>& s, Mask m) {
  const Lane zero = set(0.0), one = set(1.0);
  Lane c[8], s8[8];
  gatherRecords(records, StoredLanes<1>::kCoreAt, c);
  gatherRecords(records, StoredLanes<1>::kCoreAt + 4, s8);
  const Lane3 core0{c[0], c[1], c[2]}, core1{c[3], c[4], c[5]};
  const Lane3 slide0{s8[2], s8[3], s8[4]}, slide1{s8[5], s8[6], s8[7]};
  const Lane3 d = (b1.x - b0.x) + rotate(b1.r, core1) - rotate(b0.r, core0);
  const Lane3 a0 = rotate(b0.r, slide0), a1 = rotate(b1.r, slide1);
  const Lane cosine = dot(a0, a1), along0 = dot(a0, d), along1 = dot(a1, d);
  const Lane scale = one / max(nfma(cosine, cosine, one), set(kRowTuning.leastDistance));
  const Lane s0 = scale * nfma(along1, cosine, along0);
  const Lane s1 = scale * fma(along0, cosine, -along1);
  const Lane3 between = fma(s1, a1, nfma(s0, a0, d));
  const Lane distance = sqrt(dot(between, between));
  const Mask clear = m & (distance > set(kRowTuning.leastDistance) * (s.rounding0 + s.rounding1)) & (distance > zero);
  const Lane3 n = (one / select(clear, distance, one)) * between;
  const Lane3 n_0 = unrotate(b0.r, n);
  const Lane3 across = nfma(dot(s.tangent, n_0), n_0, s.tangent);
  const Lane length = sqrt(dot(across, across));
  const Mask turned = clear & (length > zero);
  s.tangent = select(turned, (one / select(turned, length, one)) * across, s.tangent);
  s.normal = select(clear, n_0, s.normal);
  s.anchor0[0] = select(clear, fma(s.rounding0, n_0, fma(s0, slide0, core0)), s.anchor0[0]);
  s.anchor1[0] = select(clear, nfma(s.rounding1, unrotate(b1.r, n), fma(s1, slide1, core1)), s.anchor1[0]);
}

/// What has followed is kept.
template <int kPoints>
MSD_INLINE void keepFollowed(const StoredLanes<kPoints>& s, unsigned lanes, StoredContact<kPoints>* const* stored) {
  alignas(64) double values[6 + 6 * kPoints][kBundleLanes];
  store3(s.normal, values, 0);
  store3(s.tangent, values + 3, 0);
  for (int i = 0; i < kPoints; ++i) {
    store3(s.anchor0[i], values + 6 + 6 * i, 0);
    store3(s.anchor1[i], values + 9 + 6 * i, 0);
  }
  for (; lanes != 0; lanes &= lanes - 1) {
    const int lane = std::countr_zero(lanes);
    StoredContact<kPoints>& to = *stored[lane];
    for (int c = 0; c < 3; ++c) {
      to.normal[c] = values[c][lane];
      to.tangent[c] = values[3 + c][lane];
      for (int i = 0; i < kPoints; ++i) {
        to.points[i].anchor0[c] = values[6 + 6 * i + c][lane];
        to.points[i].anchor1[c] = values[9 + 6 * i + c][lane];
      }
    }
  }
}

/// Brings contacts of round surfaces to where their bodies are now.
template <int kPoints>
MSD_INLINE void follow(const PlacedBody& b0, const PlacedBody& b1, const double* const* records,
                       StoredContact<kPoints>* const* stored, StoredLanes<kPoints>& s, unsigned lanes) {
  const Mask onFace = s.mode == set(static_cast<double>(FollowMode::kFace));
  const Mask betweenCores = s.mode == set(static_cast<double>(FollowMode::kCores));
  const Mask follows = onFace | betweenCores;
  if (!any(follows)) return;
  if (any(onFace)) followFace(b0, b1, records, s, onFace);
  if constexpr (kPoints == 1) {
    if (any(betweenCores)) followCores(b0, b1, records, s, betweenCores);
  }
  keepFollowed(s, bits(follows) & lanes, stored);
}

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
/// wrench there (rows.md, C-4), contact frame (n, 1, 2).
struct Compliance {
  Lane vv[3][3];  // velocity from force
  Lane vm[3][3];  // velocity from moment
  LaneSym ww;     // angular velocity from moment: nn 11 22 n1 n2 12

  MSD_INLINE explicit Compliance(Lane inverseMass) {
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

/// Couplings and effective masses of the normals, for bodies as they are turned now; points without a mass stay so.
template <int kPoints>
MSD_INLINE void writeNormals(const Compliance& k, const Mask (&there)[kPoints], ContactRows<kPoints>& rows, int l) {
  const Lane zero = set(0.0), one = set(1.0);
  const LaneSym n{k.vv[0][0], k.ww.yy, k.ww.zz, k.vm[0][1], k.vm[0][2], k.ww.yz};
  for (int i = 0; i < kPoints; ++i) {
    const Lane x = placeX(rows, i, l), y = placeY(rows, i, l);
    const Lane row0 = nfma(x, n.xz, fma(y, n.xy, n.xx));
    const Lane row1 = nfma(x, n.yz, fma(y, n.yy, n.xy));
    const Lane row2 = nfma(x, n.zz, fma(y, n.yz, n.xz));
    for (int j = 0; j <= i; ++j) {
      const Lane kij = nfma(placeX(rows, j, l), row2, fma(placeY(rows, j, l), row1, row0));
      store(kij, rows.couplings[ContactRows<kPoints>::coupling(i, j)] + l);
      if (j < i) continue;
      const Mask real = there[i] & (kij > zero);
      store(select(real, one / max(kij, set(kTiny)), zero), rows.points[i].normalMass + l);
    }
  }
}

/// (C-9): the impulses of least norm that stop all points of a patch, -C N⁻¹ Cᵀ u, with the columns of C what a unit
/// of the normal group's impulses is as impulses of the points; of two points the inverse of their couplings.
template <int kPoints>
MSD_INLINE void writeInverse(const Compliance& k, const Mask (&there)[kPoints], ContactRows<kPoints>& rows, int l) {
  const Lane zero = set(0.0), one = set(1.0);
  const auto at = [](int i, int j) { return ContactRows<kPoints>::coupling(i, j); };
  if constexpr (kPoints == 2) {
    const Lane a = load(rows.couplings[0] + l), b = load(rows.couplings[1] + l), c = load(rows.couplings[2] + l);
    const Lane det = nfma(b, b, a * c);
    const Mask regular = (det > set(kRowTuning.flat) * (a * c)) & there[0] & there[1];
    const Lane r = select(regular, one / max(det, set(kTiny)), zero);
    store(r * c, rows.inverse[0] + l);
    store(-(r * b), rows.inverse[1] + l);
    store(r * a, rows.inverse[2] + l);
  }
  if constexpr (kPoints == 4) {
    Lane count = zero, xx = zero, yy = zero, xy = zero, x[kPoints], y[kPoints], is[kPoints];
    for (int i = 0; i < kPoints; ++i) {
      is[i] = select(there[i], one, zero);
      x[i] = is[i] * placeX(rows, i, l), y[i] = is[i] * placeY(rows, i, l);
      count = count + is[i];
      xx = fma(x[i], x[i], xx), yy = fma(y[i], y[i], yy), xy = fma(x[i], y[i], xy);
    }
    const Lane det = nfma(xy, xy, xx * yy), whole = xx + yy;
    const LaneSym n = inverseOf({k.vv[0][0], k.ww.yy, k.ww.zz, k.vm[0][1], k.vm[0][2], k.ww.yz});
    const Mask regular = (det > set(kRowTuning.flat) * (whole * whole)) & (n.xx > zero);
    const Lane r = select(regular, one / max(det, set(kTiny)), zero);
    const Lane even = select(regular, one / max(count, one), zero);
    // The points lie about their mean, so that a force alone is shared evenly; moments (m_1, m_2) by y and -x.
    Lane a[kPoints], b[kPoints], c[kPoints];
    for (int i = 0; i < kPoints; ++i) {
      a[i] = even * is[i];
      b[i] = r * nfma(xy, x[i], xx * y[i]);
      c[i] = r * fma(xy, y[i], -(yy * x[i]));
    }
    for (int i = 0; i < kPoints; ++i) {
      const Lane3 row = n * Lane3{a[i], b[i], c[i]};
      for (int j = 0; j <= i; ++j) store(dot(row, Lane3{a[j], b[j], c[j]}), rows.inverse[at(i, j)] + l);
    }
  }
}

/// The friction of a patch, or of a point.
template <int kPoints>
MSD_INLINE void writeFriction(const Compliance& k, ContactRows<kPoints>& rows, int l) {
  const Lane zero = set(0.0), one = set(1.0);
  const LaneSym friction{k.vv[1][1], k.vv[2][2], k.ww.xx, k.vv[1][2], k.vm[1][0], k.vm[2][0]};
  auto& t = rows.tangential;
  if constexpr (kPoints > 1) {
    const LaneSym stick = inverseOf(friction);
    const Lane entries[6] = {friction.xx, friction.yy, friction.zz, friction.xy, friction.xz, friction.yz};
    const Lane inverse[6] = {stick.xx, stick.yy, stick.zz, stick.xy, stick.xz, stick.yz};
    for (int i = 0; i < 6; ++i) {
      store(entries[i], t.group[i] + l);
      store(inverse[i], t.stick[i] + l);
    }
    const Lane cross[9] = {k.vv[1][0], k.vm[1][1], k.vm[1][2], k.vv[2][0], k.vm[2][1],
                           k.vm[2][2], k.vm[0][0], k.ww.xy,    k.ww.xz};
    for (int i = 0; i < 9; ++i) store(cross[i], rows.cross[i] + l);
  } else {
    store(k.vv[1][0], rows.cross[0] + l);
    store(k.vv[2][0], rows.cross[1] + l);
    const Lane a11 = friction.xx, a22 = friction.yy, a12 = friction.xy;
    const Lane det = nfma(a12, a12, a11 * a22);
    const Mask regular = (load(rows.points[0].normalMass + l) > zero) & (det > zero);
    const Lane inverse = select(regular, one / max(det, set(kTiny)), zero);
    store(inverse * a22, t.stick11 + l);
    store(-(inverse * a12), t.stick12 + l);
    store(inverse * a11, t.stick22 + l);
    const Lane mean = set(0.5) * (a11 + a22), spread = set(0.5) * (a11 - a22);
    const Lane largest = mean + sqrt(fma(spread, spread, a12 * a12));
    store(select(regular, one / max(largest, set(kTiny)), zero), t.slipMass + l);
  }
}

/// Rows of contacts where their bodies are now. `lanes` are those whose contacts are kept where they have followed.
template <int kPoints>
MSD_INLINE void placeLanes(const SolverBodies& b, StoredContact<kPoints>* const* stored, const BundleBodies& bodyPair,
                           ContactRows<kPoints>& rows, StoredLanes<kPoints>& s, const double* const* records,
                           unsigned lanes, int l) {
  const Lane zero = set(0.0), one = set(1.0), half = set(0.5);
  const PlacedBody b0(b, bodyPair.body0() + l), b1(b, bodyPair.body1() + l);
  follow(b0, b1, records, stored + l, s, lanes);
  store(s.size, rows.size + l);
  store(one / s.size, rows.inverseSize + l);
  store(s.friction, rows.friction + l);
  store(s.restitution, rows.restitution + l);
  store(s.rounding0, rows.rounding0 + l);
  store(s.rounding1, rows.rounding1 + l);
  store(s.balls, rows.balls + l);

  // Contact frame: the stored normal turns with body 0; the tangent is made perpendicular again.
  const Lane3 n = rotate(b0.r, s.normal);
  Lane3 t1 = rotate(b0.r, s.tangent);
  t1 = nfma(dot(t1, n), n, t1);
  t1 = inverseRoot(dot(t1, t1)) * t1;
  const Lane3 t2 = cross(n, t1);
  store3(n, rows.normal, l);
  store3(t1, rows.tangent, l);

  // Points, their gaps, and the centre c midway between surfaces that overlap.
  const Lane3 between = b1.x - b0.x;
  Lane3 middle[kPoints];
  Lane gap[kPoints];
  Lane3 sum{zero, zero, zero};
  Lane count = zero;
  for (int i = 0; i < kPoints; ++i) {
    const Lane3 p0 = rotate(b0.r, s.anchor0[i]);  // from x0
    const Lane3 own = rotate(b1.r, s.anchor1[i]);
    const Lane3 p1 = between + own;  // from x0
    gap[i] = dot(n, p1 - p0);
    // A ball that is still apart will touch with its own point, which the centre moves with; two balls
    // follow each other (G-2).
    const Mask apart = (gap[i] > zero) & (dot(own, own) <= set(kBallLike) * s.rounding1 * s.rounding1) &
                       (s.balls <= zero);
    middle[i] = select(apart, p1, half * (p0 + p1));
    sum = fma(s.active[i], middle[i], sum);
    count = count + s.active[i];
  }
  const Lane3 arm0 = (one / max(count, one)) * sum;
  const Lane3 arm1 = arm0 - between;
  store3(arm0, rows.arm0, l);
  store3(arm1, rows.arm1, l);

  const Lane offset = dot(n, arm0);
  Mask there[kPoints];
  for (int i = 0; i < kPoints; ++i) {
    ContactPointRows& p = rows.points[i];
    if constexpr (kPoints > 1) {
      const Lane3 d = middle[i] - arm0;
      store(dot(d, t1), rows.tangential.x[i] + l);
      store(dot(d, t2), rows.tangential.y[i] + l);
    }
    store(offset - gap[i], p.gapOffset + l);
    there[i] = s.active[i] > zero;
  }
  Compliance k(b0.inverseMass + b1.inverseMass);
  k.add(inFrame(b0.inverse, n, t1, t2), {dot(arm0, n), dot(arm0, t1), dot(arm0, t2)});
  k.add(inFrame(b1.inverse, n, t1, t2), {dot(arm1, n), dot(arm1, t1), dot(arm1, t2)});
  writeNormals(k, there, rows, l);
  writeInverse(k, there, rows, l);
  writeFriction(k, rows, l);
}

/// Rows of a step, from where the bodies are at its start.
template <int kPoints>
MSD_INLINE void prepareLanes(const SolverBodies& b, StoredContact<kPoints>* const* stored, const BundleBodies& bodyPair,
                             ContactRows<kPoints>& rows, int l) {
  const Lane zero = set(0.0);
  const double* records[kBundleLanes];
  for (int i = 0; i < kLanes; ++i) records[i] = stored[l + i]->numbers();
  StoredLanes<kPoints> s(records);
  placeLanes(b, stored, bodyPair, rows, s, records, kAllLanes, l);
  store3(Lane3{zero, zero, zero}, rows.drift, l);
  store(set(static_cast<double>(LookedAgain::kNo)), rows.looks + l);
  for (int i = 0; i < kPoints; ++i) {
    ContactPointRows& p = rows.points[i];
    store(zero, p.target + l);
    store(zero, p.warmStart + l);
    store3(s.active[i] * s.force[i], p.impulse, l);
    store3(Lane3{zero, zero, zero}, p.total, l);
  }
}

template <int kPoints>
void prepare(const SolverBodies& b, StoredContact<kPoints>* const* stored, const BundleRun<kPoints>& run) {
  for (std::size_t i = 0; i < run.count; ++i) {
    for (int l = 0; l < kBundleLanes; l += kLanes) {
      prepareLanes(b, stored + kBundleLanes * i, run.bodyPair[i], run.rows[i], l);
    }
  }
}

/// Lanes with a body that has turned so far since the step began that its inertia answers otherwise.
MSD_INLINE unsigned turnedLanes(const SolverBodies& b, const BundleBodies& bodyPair) {
  unsigned lanes = 0;
  for (int lane = 0; lane < kBundleLanes; ++lane) {
    const auto i0 = static_cast<std::size_t>(bodyPair.body0()[lane]), i1 = static_cast<std::size_t>(bodyPair.body1()[lane]);
    lanes |= static_cast<unsigned>((b.hasTurned[i0] | b.hasTurned[i1]) & kTurnedUneven) << lane;
  }
  return lanes;
}

/// The compliance of bodies that have turned, for the frame and the points as they are (C-7).
template <int kPoints>
MSD_INLINE void renewLanes(const SolverBodies& b, const BundleBodies& bodyPair, ContactRows<kPoints>& rows, int l) {
  const Body b0(b, bodyPair.body0() + l), b1(b, bodyPair.body1() + l);
  const Frame f(rows, l);
  const Lane3 arm1 = load3(rows.arm1, l);
  const Lane3 arm0 = load3(rows.arm0, l) + (b1.dx() - b0.dx());
  Compliance k(b0.inverseMass() + b1.inverseMass());
  k.add(inFrame(b0.inverseInertia(), f.n, f.t1, f.t2), {dot(arm0, f.n), dot(arm0, f.t1), dot(arm0, f.t2)});
  k.add(inFrame(b1.inverseInertia(), f.n, f.t1, f.t2), {dot(arm1, f.n), dot(arm1, f.t1), dot(arm1, f.t2)});
  Mask there[kPoints];
  for (int i = 0; i < kPoints; ++i) there[i] = load(rows.points[i].normalMass + l) > set(0.0);
  writeNormals(k, there, rows, l);
  writeInverse(k, there, rows, l);
  writeFriction(k, rows, l);
}

/// Takes over some lanes; the others stay as they are: a contact's rows depend on its own bodies alone.
template <int kPoints>
MSD_INLINE void takeLanes(const ContactRows<kPoints>& from, unsigned lanes, ContactRows<kPoints>& rows) {
  const auto* fresh = reinterpret_cast<const double*>(&from);
  auto* now = reinterpret_cast<double*>(&rows);
  for (; lanes != 0; lanes &= lanes - 1) {
    constexpr std::size_t kNumbers = sizeof(from) / sizeof(double);
    for (auto k = static_cast<std::size_t>(std::countr_zero(lanes)); k < kNumbers; k += kBundleLanes) now[k] = fresh[k];
  }
}

template <int kPoints>
void renew(const SolverBodies& b, const BundleRun<kPoints>& run) {
  for (std::size_t i = 0; i < run.count; ++i) {
    const unsigned turned = turnedLanes(b, run.bodyPair[i]);
    if (turned == 0) continue;
    ContactRows<kPoints> fresh = run.rows[i];
    for (int l = 0; l < kBundleLanes; l += kLanes) renewLanes(b, run.bodyPair[i], fresh, l);
    takeLanes(fresh, turned, run.rows[i]);
  }
}

template <int kPoints>
MSD_INLINE void warmLanes(SolverBodies& b, const BundleBodies& bodyPair, ContactRows<kPoints>& rows, Lane h, int l) {
  const std::int32_t* i0 = bodyPair.body0() + l;
  const std::int32_t* i1 = bodyPair.body1() + l;
  for (ContactPointRows& p : rows.points) store3(h * load3(p.impulse, l), p.impulse, l);
  const Frame f(rows, l);
  const Wrench warmStart(rows, f, l);
  Lane g0[8], g1[8];
  gatherLines<8>(numbers(b.warmStart), i0, kStrideOf<BodyWarmStart>, g0);
  gatherLines<8>(numbers(b.warmStart), i1, kStrideOf<BodyWarmStart>, g1);
  const Lane3 m0 = addCross(warmStart.moment, load3(rows.arm0, l), warmStart.force);
  const Lane3 m1 = addCross(warmStart.moment, load3(rows.arm1, l), warmStart.force);
  g0[0] = g0[0] - warmStart.force.x, g0[1] = g0[1] - warmStart.force.y, g0[2] = g0[2] - warmStart.force.z;
  g0[4] = g0[4] - m0.x, g0[5] = g0[5] - m0.y, g0[6] = g0[6] - m0.z;
  g1[0] = g1[0] + warmStart.force.x, g1[1] = g1[1] + warmStart.force.y, g1[2] = g1[2] + warmStart.force.z;
  g1[4] = g1[4] + m1.x, g1[5] = g1[5] + m1.y, g1[6] = g1[6] + m1.z;
  // The motion line's inverse mass says who can be pushed.
  unsigned pushable0 = 0, pushable1 = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    pushable0 |= static_cast<unsigned>(b.motion[static_cast<std::size_t>(i0[lane])].inverseMass > 0.0) << lane;
    pushable1 |= static_cast<unsigned>(b.motion[static_cast<std::size_t>(i1[lane])].inverseMass > 0.0) << lane;
  }
  scatterLines<8>(numbers(b.warmStart), i0, kStrideOf<BodyWarmStart>, g0, pushable0);
  scatterLines<8>(numbers(b.warmStart), i1, kStrideOf<BodyWarmStart>, g1, pushable1);
}

template <int kPoints>
void warm(SolverBodies& b, const BundleRun<kPoints>& run, double h) {
  for (std::size_t i = 0; i < run.count; ++i) {
    if (run.notes[i].idle == 0xFFu) continue;  // nothing is expected of them
    for (int l = 0; l < kBundleLanes; l += kLanes) warmLanes(b, run.bodyPair[i], run.rows[i], set(h), l);
  }
}

/// speed of approach at the moment of touch, from the velocity and the loads at the start of
/// the substep; energy-consistent, u² = u0² - 2 a φ.
template <int kPoints>
MSD_INLINE void approachLanes(const SolverBodies& b, const BundleBodies& bodyPair, const ContactRows<kPoints>& rows,
                              ContactBounce<kPoints>& bounce, const ContactPass& pass, int l) {
  const std::int32_t* i0 = bodyPair.body0() + l;
  const std::int32_t* i1 = bodyPair.body1() + l;
  const Body b0(b, i0), b1(b, i1);
  const Frame f(rows, l);
  const Lane3 arm1 = load3(rows.arm1, l);
  const Lane3 arm0 = load3(rows.arm0, l) + (b1.dx() - b0.dx());
  const LiveGap gap(b, bodyPair, rows, f, arm0, arm1, l);
  const Twist u(f, relativeVelocity(b0, b1, arm0, arm1), b1.w() - b0.w());
  Lane load0[8], load1[8];
  gatherLines<8>(numbers(b.load), i0, kStrideOf<BodyLoad>, load0);
  gatherLines<8>(numbers(b.load), i1, kStrideOf<BodyLoad>, load1);
  const Lane3 spin0 = b0.inverseInertia() * Lane3{load0[4], load0[5], load0[6]};
  const Lane3 spin1 = b1.inverseInertia() * Lane3{load1[4], load1[5], load1[6]};
  const Lane3 pull = addCross(Lane3{load1[0], load1[1], load1[2]}, spin1, arm1) -
                     addCross(Lane3{load0[0], load0[1], load0[2]}, spin0, arm0);
  const Twist a(f, pull, spin1 - spin0);
  const Lane zero = set(0.0), h = set(pass.h);
  const Lane e = load(rows.restitution + l);
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

template <int kPoints>
void approach(const SolverBodies& b, const BundleRun<kPoints>& run, const ContactPass& pass) {
  for (std::size_t i = 0; i < run.count; ++i) {
    for (int l = 0; l < kBundleLanes; l += kLanes) {
      approachLanes(b, run.bodyPair[i], run.rows[i], run.bounce[i], pass, l);
    }
  }
}

}  // namespace contact_kernels
MSD_KERNELS_END
