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
  Lane massScale;        ///< of the effective masses; position correction only
  Lane softness;         ///< of the compliances, the inverse of massScale
};

// Points count as spread out when the square of their mean distance from their centre of load is more
// than this share of that from the manifold's centre.
inline constexpr double kSpread = 1e-3;

/// Block Gauss–Seidel on one manifold: normals, friction, normals backwards. Friction that can hold all
/// of its points holds them at once; otherwise they are visited one by one and back.
///
/// The symmetric order matters: an asymmetric visit, combined with the warm start from phase to
/// phase, lets slow oscillations of large piles grow (docs/theory/guess.md, G-5). The twist at the
/// centre follows every impulse through the 6 x 6 compliance, so that the bodies are read and written
/// once. What a point waits for is kept short: its own change and one product with a coupling.
template <int kPoints, bool kFriction = true>
struct Sweep {
  Lane fn, m1, m2;  // change of the normal group's impulse
  Lane f1, f2, mn;  // change of the friction group's impulse
  Lane change;      // largest change of a normal velocity [m/s]
  Lane slide;       // about the change of the sliding velocity [m/s]
  Mask slips;       // a point reached its disc's edge

  MSD_INLINE Sweep(ContactRows<kPoints>& rows, Twist u, const Demand<kPoints>& demand, int l) {
    const Lane zero = set(0.0);
    fn = m1 = m2 = f1 = f2 = mn = change = slide = zero;
    slips = zero > zero;
    if constexpr (kPoints == 1) {
      visitPoint(rows, u, demand, l);
    } else {
      visitManifold(rows, u, demand, l);
    }
  }

 private:
  /// One point at the centre: the normal, both tangents together, and the normal once more.
  MSD_INLINE void visitPoint(ContactRows<kPoints>& rows, const Twist& u,
                             const Demand<kPoints>& demand, int l) {
    ContactPointRows& p = rows.points[0];
    Lane knn = load(rows.normalGroup[0] + l);
    Lane mass = load(p.normalMass + l);
    if constexpr (!kFriction) {
      knn = demand.softness * knn;
      mass = demand.massScale * mass;
    }
    const Lane start = load(p.impulse[0] + l);
    const Lane first = max(-(mass * (u.vn - demand.target[0])), -start);
    fn = first;
    if constexpr (kFriction) {
      const Lane c1 = load(rows.crossGroup[0] + l), c2 = load(rows.crossGroup[1] + l);
      const Lane carried = start + first;
      slips = frictionPoint(p, load(rows.friction + l) * carried, fma(c1, first, u.v1),
                            fma(c2, first, u.v2), l, f1, f2);
      const Lane velocity = fma(knn, first, fma(c1, f1, fma(c2, f2, u.vn)));
      fn = first + max(-(mass * (velocity - demand.target[0])), -carried);
    }
    store(start + fn, p.impulse[0] + l);
    change = knn * abs(fn);
    slide = knn * max(abs(f1), abs(f2));
  }

  MSD_INLINE void visitManifold(ContactRows<kPoints>& rows, Twist& u, const Demand<kPoints>& demand,
                                int l) {
    Normals normals(rows, u, demand, l);
    normals.template sweep<false>();
    if constexpr (kFriction) {
      normals.sum(fn, m1, m2);
      crossToFriction(rows, u, l);
      normals.writeLimits(rows, l);
      visitFriction(rows, u, normals, l);
      normals.feel(crossToNormal(rows, l));
    }
    normals.template sweep<true>();
    normals.sum(fn, m1, m2);
    change = normals.largestChange();
    slide = load(rows.normalGroup[0] + l) * max(abs(f1), abs(f2));
    normals.save(rows, l);
  }

  /// Answer of the normal group to the friction group.
  struct NormalTwist {
    Lane vn, w1, w2;
  };

  /// The normals of a manifold, k_ij = (1, y_i, -x_i) N (1, y_j, -x_j)ᵀ (rows.md, C-8): all that a
  /// point's impulse changes is the others' velocities.
  struct Normals {
    Lane x[kPoints], y[kPoints], velocity[kPoints], mass[kPoints];
    Lane start[kPoints], room[kPoints], limit[kPoints];  // room: the negative of the impulse
    Lane k[kPoints][kPoints];

    MSD_INLINE Normals(const ContactRows<kPoints>& rows, const Twist& u,
                       const Demand<kPoints>& demand, int l) {
      const auto& n = rows.normalGroup;
      Lane n00 = load(n[0] + l), n11 = load(n[1] + l), n22 = load(n[2] + l), n01 = load(n[3] + l),
           n02 = load(n[4] + l), n12 = load(n[5] + l);
      if constexpr (!kFriction) {
        n00 = demand.softness * n00, n11 = demand.softness * n11, n22 = demand.softness * n22;
        n01 = demand.softness * n01, n02 = demand.softness * n02, n12 = demand.softness * n12;
      }
      for (int i = 0; i < kPoints; ++i) {
        const ContactPointRows& p = rows.points[i];
        x[i] = load(rows.x[i] + l);
        y[i] = load(rows.y[i] + l);
        const Lane a = nfma(x[i], n02, fma(y[i], n01, n00));
        const Lane b = nfma(x[i], n12, fma(y[i], n11, n01));
        const Lane c = nfma(x[i], n22, fma(y[i], n12, n02));
        for (int j = 0; j <= i; ++j) k[i][j] = k[j][i] = nfma(x[j], c, fma(y[j], b, a));
        mass[i] = -load(p.normalMass + l);
        if constexpr (!kFriction) mass[i] = demand.massScale * mass[i];
        start[i] = load(p.impulse[0] + l);
        room[i] = -start[i];
        velocity[i] = nfma(x[i], u.w2, fma(y[i], u.w1, u.vn)) - demand.target[i];
      }
    }

    /// The way back is the last one: it leaves behind what nobody asks for.
    template <bool kBackward>
    MSD_INLINE void sweep() {
      for (int s = 0; s < kPoints; ++s) {
        const int i = kBackward ? kPoints - 1 - s : s;
        const Lane d = max(mass[i] * velocity[i], room[i]);
        room[i] = room[i] - d;
        const int end = kBackward ? i : kPoints;
        for (int j = 0; j < end; ++j) velocity[j] = fma(k[i][j], d, velocity[j]);
      }
    }

    MSD_INLINE Lane given(int i) const { return -(start[i] + room[i]); }

    MSD_INLINE void sum(Lane& force, Lane& moment1, Lane& moment2) const {
      force = moment1 = moment2 = set(0.0);
      for (int i = 0; i < kPoints; ++i) {
        const Lane d = given(i);
        force = force + d;
        moment1 = fma(y[i], d, moment1);
        moment2 = nfma(x[i], d, moment2);
      }
    }

    MSD_INLINE void writeLimits(const ContactRows<kPoints>& rows, int l) {
      const Lane mu = load(rows.friction + l);
      for (int i = 0; i < kPoints; ++i) limit[i] = -(mu * room[i]);
    }

    MSD_INLINE void feel(const NormalTwist& t) {
      for (int i = 0; i < kPoints; ++i) {
        velocity[i] = velocity[i] + nfma(x[i], t.w2, fma(y[i], t.w1, t.vn));
      }
    }

    MSD_INLINE Lane largestChange() const {
      Lane most = set(0.0);
      for (int i = 0; i < kPoints; ++i) most = max(most, k[i][i] * abs(given(i)));
      return most;
    }

    MSD_INLINE void save(ContactRows<kPoints>& rows, int l) const {
      for (int i = 0; i < kPoints; ++i) store(-room[i], rows.points[i].impulse[0] + l);
    }
  };

  MSD_INLINE void crossToFriction(const ContactRows<kPoints>& rows, Twist& u, int l) const {
    const auto& c = rows.crossGroup;
    u.v1 = fma(load(c[0] + l), fn, fma(load(c[1] + l), m1, fma(load(c[2] + l), m2, u.v1)));
    u.v2 = fma(load(c[3] + l), fn, fma(load(c[4] + l), m1, fma(load(c[5] + l), m2, u.v2)));
    u.wn = fma(load(c[6] + l), fn, fma(load(c[7] + l), m1, fma(load(c[8] + l), m2, u.wn)));
  }

  MSD_INLINE NormalTwist crossToNormal(const ContactRows<kPoints>& rows, int l) const {
    const auto& c = rows.crossGroup;
    return {fma(load(c[0] + l), f1, fma(load(c[3] + l), f2, load(c[6] + l) * mn)),
            fma(load(c[1] + l), f1, fma(load(c[4] + l), f2, load(c[7] + l) * mn)),
            fma(load(c[2] + l), f1, fma(load(c[5] + l), f2, load(c[8] + l) * mn))};
  }

  /// All points at once (rows.md, F-5): with the wrench W = -F⁻¹u the patch stops, and all that the
  /// friction of the patch gives is spread anew over the points by their limits. Lanes where that keeps
  /// every point in its disc are done.
  MSD_INLINE void visitFriction(ContactRows<kPoints>& rows, Twist& u, const Normals& normals,
                                int l) {
    const Lane zero = set(0.0);
    const auto& g = rows.stickGroup;
    const Lane g01 = load(g[3] + l), g02 = load(g[4] + l), g12 = load(g[5] + l);
    const Lane w1 = -fma(load(g[0] + l), u.v1, fma(g01, u.v2, g02 * u.wn));
    const Lane w2 = -fma(g01, u.v1, fma(load(g[1] + l), u.v2, g12 * u.wn));
    const Lane wn = -fma(g02, u.v1, fma(g12, u.v2, load(g[2] + l) * u.wn));
    Lane sum = zero, sumX = zero, sumY = zero, square = zero, t1 = w1, t2 = w2, tn = wn;
    for (int i = 0; i < kPoints; ++i) {
      const Lane x = normals.x[i], y = normals.y[i], limit = normals.limit[i];
      const Lane q1 = load(rows.points[i].impulse[1] + l), q2 = load(rows.points[i].impulse[2] + l);
      t1 = t1 + q1;
      t2 = t2 + q2;
      tn = fma(x, q2, nfma(y, q1, tn));
      sum = sum + limit;
      sumX = fma(limit, x, sumX);
      sumY = fma(limit, y, sumY);
      square = fma(limit, fma(x, x, y * y), square);
    }
    const Mask loaded = sum > zero;
    const Lane whole = sum * square;
    const Lane spread = nfma(sumY, sumY, nfma(sumX, sumX, whole));
    const Lane inverse = select(loaded, set(1.0) / max(sum, set(kTiny)), zero);
    const Lane cx = inverse * sumX, cy = inverse * sumY;
    const Lane twist = nfma(cx, t2, fma(cy, t1, tn)) * sum / max(spread, set(kTiny));
    const Lane b = select(loaded, twist, zero);
    const Lane a1 = fma(b, cy, inverse * t1), a2 = nfma(b, cx, inverse * t2);
    slips = loaded & (spread <= set(kSpread) * whole);
    Lane now1[kPoints], now2[kPoints];
    for (int i = 0; i < kPoints; ++i) {
      const Lane limit = normals.limit[i];
      now1[i] = limit * nfma(b, normals.y[i], a1);
      now2[i] = limit * fma(b, normals.x[i], a2);
      slips = slips | (fma(now1[i], now1[i], now2[i] * now2[i]) > limit * limit);
    }
    if (any(slips)) {
      sweepFriction<false>(rows, u, normals, l);
      sweepFriction<true>(rows, u, normals, l);
      for (int i = 0; i < kPoints; ++i) {
        now1[i] = select(slips, load(rows.points[i].impulse[1] + l), now1[i]);
        now2[i] = select(slips, load(rows.points[i].impulse[2] + l), now2[i]);
      }
    }
    // A patch that carries nothing lets go of all it had.
    f1 = select(slips, f1, select(loaded, w1, w1 - t1));
    f2 = select(slips, f2, select(loaded, w2, w2 - t2));
    mn = select(slips, mn, select(loaded, wn, wn - tn));
    for (int i = 0; i < kPoints; ++i) {
      store(now1[i], rows.points[i].impulse[1] + l);
      store(now2[i], rows.points[i].impulse[2] + l);
    }
  }

  /// The friction group F answers to (d1, d2) at a point by F (d1, d2, x d2 - y d1)ᵀ.
  template <bool kBackward>
  MSD_INLINE void sweepFriction(ContactRows<kPoints>& rows, Twist& u, const Normals& normals,
                                int l) {
    const auto& g = rows.frictionGroup;
    const Lane g00 = load(g[0] + l), g11 = load(g[1] + l), g22 = load(g[2] + l),
               g01 = load(g[3] + l), g02 = load(g[4] + l), g12 = load(g[5] + l);
    for (int s = 0; s < kPoints; ++s) {
      const int i = kBackward ? kPoints - 1 - s : s;
      const Lane x = normals.x[i], y = normals.y[i];
      const Lane a1 = nfma(y, g02, g00), a2 = fma(x, g02, g01);
      const Lane b1 = nfma(y, g12, g01), b2 = fma(x, g12, g11);
      const Lane c1 = nfma(y, g22, g02), c2 = fma(x, g22, g12);
      Lane d1, d2;
      frictionPoint(rows.points[i], normals.limit[i], nfma(y, u.wn, u.v1), fma(x, u.wn, u.v2), l,
                    d1, d2);
      u.v1 = fma(a1, d1, fma(a2, d2, u.v1));
      u.v2 = fma(b1, d1, fma(b2, d2, u.v2));
      u.wn = fma(c1, d1, fma(c2, d2, u.wn));
      f1 = f1 + d1;
      f2 = f2 + d2;
      mn = fma(x, d2, nfma(y, d1, mn));
    }
  }

  /// Coulomb's disc |p| <= limit: full stop where the disc allows it, else a projected step of a
  /// length that keeps the direction of slip (rows.md, F-3 and F-4).
  static MSD_INLINE Mask frictionPoint(ContactPointRows& p, Lane limit, Lane u1, Lane u2, int l,
                                       Lane& d1, Lane& d2) {
    const Lane p1 = load(p.impulse[1] + l), p2 = load(p.impulse[2] + l);
    const Lane s12 = load(p.stick12 + l);
    d1 = -fma(load(p.stick11 + l), u1, s12 * u2);
    d2 = -fma(s12, u1, load(p.stick22 + l) * u2);
    const Lane stick1 = p1 + d1, stick2 = p2 + d2;
    Lane now1 = stick1, now2 = stick2;
    const Mask slips = fma(stick1, stick1, stick2 * stick2) > limit * limit;
    if (any(slips)) {
      const Lane slip = load(p.slipMass + l);
      const Lane slip1 = nfma(slip, u1, p1), slip2 = nfma(slip, u2, p2);
      const Lane length2 = fma(slip1, slip1, slip2 * slip2);
      const Lane shrink = min(limit / sqrt(max(length2, set(kTiny))), set(1.0));
      now1 = select(slips, shrink * slip1, stick1);
      now2 = select(slips, shrink * slip2, stick2);
      d1 = select(slips, now1 - p1, d1);
      d2 = select(slips, now2 - p2, d2);
    }
    store(now1, p.impulse[1] + l);
    store(now2, p.impulse[2] + l);
    return slips;
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
        const Lane x = load(rows.x[i] + l), y = load(rows.y[i] + l);
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
