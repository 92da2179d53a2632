// One visit of a manifold: the impulses of its points. Included by ContactKernels-inl.hpp.

// Keeps a quotient finite where its divisor may be zero; far below any square of an impulse.
inline constexpr double kTiny = 1e-300;

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

/// What a visit asks of the points.
template <int kPoints>
struct Demand {
  Lane target[kPoints];  ///< least normal velocity
  Lane massScale;        ///< of the effective masses
  Lane softness;         ///< of the compliances, the inverse of massScale
};

/// Block Gauss–Seidel on one manifold: normals, friction, friction backwards, normals backwards.
///
/// The symmetric order matters: an asymmetric visit, combined with the warm start from phase to
/// phase, lets slow oscillations of large piles grow (docs/theory/guess.md, G-5). The twist at the
/// centre follows every impulse through the 6 x 6 compliance, so that the bodies are read and written
/// once.
template <int kPoints, bool kFriction = true>
struct Sweep {
  Lane fn, m1, m2;  // change of the normal group's impulse
  Lane f1, f2, mn;  // change of the friction group's impulse
  Lane change;      // largest change of a normal velocity [m/s]

  MSD_INLINE Sweep(ContactRows<kPoints>& rows, Twist u, const Demand<kPoints>& demand, int l) {
    const Lane zero = set(0.0);
    fn = m1 = m2 = f1 = f2 = mn = change = zero;
    for (int i = 0; i < kPoints; ++i) {
      for (int c = 0; c < 3; ++c) p_[i][c] = load(rows.points[i].impulse[c] + l);
    }
    if constexpr (!kFriction) {
      sweepNormals(rows, u, demand, false, l);
      if constexpr (kPoints > 1) sweepNormals(rows, u, demand, true, l);
    } else if constexpr (kPoints == 1) {
      sweepPoint(rows, u, demand, l);
    } else {
      sweepNormals(rows, u, demand, false, l);
      crossToFriction(rows, u, demand, l);
      sweepFriction(rows, u, demand, false, l);
      sweepFriction(rows, u, demand, true, l);
      crossToNormal(rows, u, demand, l);
      sweepNormals(rows, u, demand, true, l);
    }
    for (int i = 0; i < kPoints; ++i) {
      ContactPointRows& p = rows.points[i];
      const Lane turned = abs(p_[i][0] - load(p.impulse[0] + l));
      change = max(change, turned / max(load(p.normalMass + l), set(kTiny)));
      for (int c = 0; c < 3; ++c) store(p_[i][c], p.impulse[c] + l);
    }
  }

 private:
  Lane p_[kPoints][3];

  static MSD_INLINE LaneSym loadSym(const double (*p)[kBundleLanes], Lane scale, int l) {
    return {scale * load(p[0] + l), scale * load(p[1] + l), scale * load(p[2] + l),
            scale * load(p[3] + l), scale * load(p[4] + l), scale * load(p[5] + l)};
  }

  /// One point at the centre: the normal, both tangents together, and the normal once more.
  MSD_INLINE void sweepPoint(ContactRows<kPoints>& rows, Twist& u, const Demand<kPoints>& demand,
                             int l) {
    const ContactPointRows& p = rows.points[0];
    const Lane c1 = demand.softness * load(rows.crossGroup[0] + l);
    const Lane c2 = demand.softness * load(rows.crossGroup[3] + l);
    const Lane knn = demand.softness * load(rows.normalGroup[0] + l);
    const Lane mass = demand.massScale * load(p.normalMass + l);
    const auto normal = [&](Lane velocity) MSD_LAMBDA {
      const Lane old = p_[0][0];
      p_[0][0] = max(nfma(mass, velocity - demand.target[0], old), set(0.0));
      return p_[0][0] - old;
    };
    const Lane d = normal(u.vn);
    Lane d1, d2;
    frictionPoint(p, load(rows.friction + l) * p_[0][0], fma(c1, d, u.v1), fma(c2, d, u.v2), 0,
                  demand.massScale, l, d1, d2);
    const Lane again = normal(fma(knn, d, fma(c1, d1, fma(c2, d2, u.vn))));
    fn = d + again;
    f1 = d1;
    f2 = d2;
  }

  MSD_INLINE void sweepNormals(const ContactRows<kPoints>& rows, Twist& u,
                               const Demand<kPoints>& demand, bool backward, int l) {
    const LaneSym k = loadSym(rows.normalGroup, demand.softness, l);
    for (int j = 0; j < kPoints; ++j) {
      const int i = backward ? kPoints - 1 - j : j;
      const ContactPointRows& p = rows.points[i];
      const Lane x = load(p.x + l), y = load(p.y + l);
      const Lane velocity = nfma(x, u.w2, fma(y, u.w1, u.vn));
      const Lane old = p_[i][0];
      const Lane now = max(
          nfma(demand.massScale * load(p.normalMass + l), velocity - demand.target[i], old),
          set(0.0));
      p_[i][0] = now;
      const Lane d = now - old, d1 = y * d, d2 = -(x * d);
      u.vn = fma(k.xx, d, fma(k.xy, d1, fma(k.xz, d2, u.vn)));
      u.w1 = fma(k.xy, d, fma(k.yy, d1, fma(k.yz, d2, u.w1)));
      u.w2 = fma(k.xz, d, fma(k.yz, d1, fma(k.zz, d2, u.w2)));
      fn = fn + d;
      m1 = m1 + d1;
      m2 = m2 + d2;
    }
  }

  MSD_INLINE void crossToFriction(const ContactRows<kPoints>& rows, Twist& u,
                                  const Demand<kPoints>& demand, int l) const {
    const auto& c = rows.crossGroup;
    const Lane a = demand.softness * fn, b = demand.softness * m1, d = demand.softness * m2;
    u.v1 = fma(load(c[0] + l), a, fma(load(c[1] + l), b, fma(load(c[2] + l), d, u.v1)));
    u.v2 = fma(load(c[3] + l), a, fma(load(c[4] + l), b, fma(load(c[5] + l), d, u.v2)));
    u.wn = fma(load(c[6] + l), a, fma(load(c[7] + l), b, fma(load(c[8] + l), d, u.wn)));
  }

  MSD_INLINE void crossToNormal(const ContactRows<kPoints>& rows, Twist& u,
                                const Demand<kPoints>& demand, int l) const {
    const auto& c = rows.crossGroup;
    const Lane a = demand.softness * f1, b = demand.softness * f2, d = demand.softness * mn;
    u.vn = fma(load(c[0] + l), a, fma(load(c[3] + l), b, fma(load(c[6] + l), d, u.vn)));
    u.w1 = fma(load(c[1] + l), a, fma(load(c[4] + l), b, fma(load(c[7] + l), d, u.w1)));
    u.w2 = fma(load(c[2] + l), a, fma(load(c[5] + l), b, fma(load(c[8] + l), d, u.w2)));
  }

  MSD_INLINE void sweepFriction(const ContactRows<kPoints>& rows, Twist& u,
                                const Demand<kPoints>& demand, bool backward, int l) {
    const LaneSym k = loadSym(rows.frictionGroup, demand.softness, l);
    const Lane mu = load(rows.friction + l);
    for (int j = 0; j < kPoints; ++j) {
      const int i = backward ? kPoints - 1 - j : j;
      const ContactPointRows& p = rows.points[i];
      const Lane x = load(p.x + l), y = load(p.y + l);
      Lane d1, d2;
      frictionPoint(p, mu * p_[i][0], nfma(y, u.wn, u.v1), fma(x, u.wn, u.v2), i, demand.massScale,
                    l, d1, d2);
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
  MSD_INLINE void frictionPoint(const ContactPointRows& p, Lane limit, Lane u1, Lane u2, int i,
                                Lane massScale, int l, Lane& d1, Lane& d2) {
    const Lane p1 = p_[i][1], p2 = p_[i][2];
    const Lane s12 = load(p.stick12 + l);
    const Lane stick1 = nfma(massScale, fma(load(p.stick11 + l), u1, s12 * u2), p1);
    const Lane stick2 = nfma(massScale, fma(s12, u1, load(p.stick22 + l) * u2), p2);
    const Mask sticks = fma(stick1, stick1, stick2 * stick2) <= limit * limit;
    const Lane slip = massScale * load(p.slipMass + l);
    const Lane slip1 = nfma(slip, u1, p1), slip2 = nfma(slip, u2, p2);
    const Lane length2 = fma(slip1, slip1, slip2 * slip2);
    const Lane shrink = min(limit / sqrt(max(length2, set(kTiny))), set(1.0));
    p_[i][1] = select(sticks, stick1, shrink * slip1);
    p_[i][2] = select(sticks, stick2, shrink * slip2);
    d1 = p_[i][1] - p1;
    d2 = p_[i][2] - p2;
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
