// ContactKernels::follow; compiled once per vector width. docs/theory/collision.md (K-11) holds the
// algebra. Included by the kernel translation units after ContactKernels-inl.hpp,
// inside namespace contact_kernels.

// Cores nearer than this share of their roundings' sum give no direction; the old normal stays.
inline constexpr double kLeastDistance = 1e-3;

struct Placed : Place {
  LaneFrame r;
  MSD_INLINE Placed(const SolverBodies& b, const std::int32_t* index)
      : Place(b, index), r(rotationOf(q)) {}
};

MSD_INLINE void blend(Mask m, Lane3 a, double (*p)[kBundleLanes], int l) {
  store3(select(m, a, load3(p, l)), p, l);
}

/// The cores' surfaces over a face of body 0: the normal n stays, the points of body 1 are
/// core - ρ n wherever the body has turned, and those of body 0 lie under them.
template <int kPoints>
MSD_INLINE void followFace(const Placed& b0, const Placed& b1, ContactBundle<kPoints>& bundle,
                           const ContactFollow<kPoints>& follow, Mask m, int l) {
  const Lane3 n_0 = load3(bundle.normal, l);
  const Lane3 n = rotate(b0.r, n_0);
  const Lane3 n_1 = unrotate(b1.r, n);
  const Lane3 between = b1.x - b0.x;
  const Lane radius = load(bundle.rounding1 + l);
  for (int i = 0; i < kPoints; ++i) {
    const Lane3 anchor1 = nfma(radius, n_1, load3(follow.core1[i], l));
    const Lane3 p = unrotate(b0.r, between + rotate(b1.r, anchor1));  // from x0, axes of body 0
    const Lane gap = dot(n_0, p - load3(follow.core0[i], l));
    blend(m, anchor1, bundle.anchor1[i], l);
    blend(m, nfma(gap, n_0, p), bundle.anchor0[i], l);
  }
}

/// The line between two cores, which may slide along a0 and a1: nearest points of two lines,
///
///   s = (a0·d - (a1·d)(a0·a1)) / (1 - (a0·a1)²),  t = (-a1·d + (a0·d)(a0·a1)) / (1 - (a0·a1)²)
///
/// with d from core 0 to core 1; a zero direction leaves its core where it is.
MSD_INLINE void followCores(const Placed& b0, const Placed& b1, ContactBundle<1>& bundle,
                            const ContactFollow<1>& follow, Mask m, int l) {
  const Lane zero = set(0.0), one = set(1.0);
  const Lane3 core0 = load3(follow.core0[0], l), core1 = load3(follow.core1[0], l);
  const Lane3 slide0 = load3(follow.slide0, l), slide1 = load3(follow.slide1, l);
  const Lane3 d = (b1.x - b0.x) + rotate(b1.r, core1) - rotate(b0.r, core0);
  const Lane3 a0 = rotate(b0.r, slide0), a1 = rotate(b1.r, slide1);
  const Lane cosine = dot(a0, a1), along0 = dot(a0, d), along1 = dot(a1, d);
  const Lane scale = one / max(nfma(cosine, cosine, one), set(kLeastDistance));
  const Lane s = scale * nfma(along1, cosine, along0);
  const Lane t = scale * fma(along0, cosine, -along1);
  const Lane3 between = fma(t, a1, nfma(s, a0, d));
  const Lane distance = sqrt(dot(between, between));
  const Lane r0 = load(bundle.rounding0 + l), r1 = load(bundle.rounding1 + l);
  const Mask clear = m & (distance > set(kLeastDistance) * (r0 + r1)) & (distance > zero);
  const Lane3 n = (one / select(clear, distance, one)) * between;
  const Lane3 n_0 = unrotate(b0.r, n);
  const Lane3 old = load3(bundle.tangent, l);
  const Lane3 across = nfma(dot(old, n_0), n_0, old);
  const Lane length = sqrt(dot(across, across));
  const Mask turned = clear & (length > zero);
  blend(turned, (one / select(turned, length, one)) * across, bundle.tangent, l);
  blend(clear, n_0, bundle.normal, l);
  blend(clear, fma(r0, n_0, fma(s, slide0, core0)), bundle.anchor0[0], l);
  blend(clear, nfma(r1, unrotate(b1.r, n), fma(t, slide1, core1)), bundle.anchor1[0], l);
}

template <int kPoints>
void follow(const SolverBodies& b, ContactBundle<kPoints>* bundles,
            const ContactFollow<kPoints>* follows, std::size_t count) {
  const Lane faceMode = set(static_cast<double>(FollowMode::kFace));
  const Lane coresMode = set(static_cast<double>(FollowMode::kCores));
  for (std::size_t i = 0; i < count; ++i) {
    for (int l = 0; l < kBundleLanes; l += kLanes) {
      const Lane mode = load(follows[i].mode + l);
      const Mask onFace = mode == faceMode, betweenCores = mode == coresMode;
      if (!any(onFace | betweenCores)) continue;
      const Placed b0(b, bundles[i].body0 + l), b1(b, bundles[i].body1 + l);
      if (any(onFace)) followFace(b0, b1, bundles[i], follows[i], onFace, l);
      if constexpr (kPoints == 1) {
        if (any(betweenCores)) followCores(b0, b1, bundles[i], follows[i], betweenCores, l);
      }
    }
  }
}
