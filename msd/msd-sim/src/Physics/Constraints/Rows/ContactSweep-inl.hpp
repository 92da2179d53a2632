// One visit of a manifold: the impulses of its points. Included after ContactLanes-inl.hpp.

MSD_KERNELS_BEGIN
namespace contact_kernels {

/// The normals of a manifold: all that a point's impulse changes is the others' velocities, by k_ij (C-8), and a
/// point waits only for its own change and one product.
template <int kPoints>
struct Normals {
  Lane velocity[kPoints], mass[kPoints];  // velocity above the target; the negative of the mass
  Lane start[kPoints], room[kPoints];     // impulse before; the negative of that of now
  Mask even;                              // all points ask for the same velocity, and can be stopped at once

  MSD_INLINE Normals(const ContactRows<kPoints>& rows, const Twist& u, const Lane (&target)[kPoints],
                     const Lane (&impulse)[kPoints], int l) {
    for (int i = 0; i < kPoints; ++i) {
      mass[i] = -load(rows.points[i].normalMass + l);
      start[i] = impulse[i];
      room[i] = -impulse[i];
      velocity[i] = normalVelocity(u, rows, i, l) - target[i];
    }
    if constexpr (kPoints == 2) even = load(rows.inverse[0] + l) > set(0.0);
    if constexpr (kPoints == 4) {
      even = load(rows.inverse[0] + l) > set(0.0);
      for (int i = 1; i < kPoints; ++i) even = even & ((target[i] == target[0]) | (mass[i] == set(0.0)));
    }
  }

  /// The way back is the last one: it leaves behind what nobody asks for.
  template <bool kBackward>
  MSD_INLINE void sweep(const ContactRows<kPoints>& rows, int l) {
    for (int s = 0; s < kPoints; ++s) {
      const int i = kBackward ? kPoints - 1 - s : s;
      const Lane d = max(mass[i] * velocity[i], room[i]);
      room[i] = room[i] - d;
      const int end = kBackward ? i : kPoints;
      for (int j = 0; j < end; ++j) {
        velocity[j] = fma(load(rows.couplings[ContactRows<kPoints>::coupling(i, j)] + l), d, velocity[j]);
      }
    }
  }
  /// (C-9): all points at once, where all of them go on pushing and ask for the same velocity; in other lanes one by
  /// one.
  template <bool kBackward>
  MSD_INLINE void solve(const ContactRows<kPoints>& rows, int l) {
    if constexpr (kPoints == 1) {
      sweep<kBackward>(rows, l);
    } else {
      Mask fits = even;
      Lane step[kPoints];
      for (int i = 0; i < kPoints; ++i) {
        Lane sum = load(rows.inverse[ContactRows<kPoints>::coupling(i, 0)] + l) * velocity[0];
        for (int j = 1; j < kPoints; ++j) {
          sum = fma(load(rows.inverse[ContactRows<kPoints>::coupling(i, j)] + l), velocity[j], sum);
        }
        step[i] = -sum;
        fits = fits & (step[i] >= room[i]);
      }
      if (any(!fits)) {
        Lane before[kPoints];
        for (int i = 0; i < kPoints; ++i) before[i] = room[i];
        sweep<kBackward>(rows, l);
        for (int i = 0; i < kPoints; ++i) room[i] = select(fits, before[i] - step[i], room[i]);
      } else {
        for (int i = 0; i < kPoints; ++i) room[i] = room[i] - step[i];
      }
      for (int i = 0; i < kPoints; ++i) velocity[i] = select(fits, set(0.0), velocity[i]);
    }
  }

  /// The same where all compliances are `softness` times, and the masses `hardness` times theirs.
  template <bool kBackward>
  MSD_INLINE void sweepSoft(const ContactRows<kPoints>& rows, Lane softness, Lane hardness, int l) {
    for (int s = 0; s < kPoints; ++s) {
      const int i = kBackward ? kPoints - 1 - s : s;
      const Lane d = max(hardness * mass[i] * velocity[i], room[i]);
      room[i] = room[i] - d;
      const Lane given = softness * d;
      const int end = kBackward ? i : kPoints;
      for (int j = 0; j < end; ++j) {
        velocity[j] = fma(load(rows.couplings[ContactRows<kPoints>::coupling(i, j)] + l), given, velocity[j]);
      }
    }
  }

  MSD_INLINE Lane now(int i) const { return -room[i]; }
  MSD_INLINE Lane given(int i) const { return -(start[i] + room[i]); }

  /// What the normal group has got in all.
  MSD_INLINE void sum(const ContactRows<kPoints>& rows, Lane& force, Lane& moment1, Lane& moment2, int l) const {
    force = moment1 = moment2 = set(0.0);
    for (int i = 0; i < kPoints; ++i) {
      const Lane d = given(i);
      force = force + d;
      if constexpr (kPoints > 1) {
        moment1 = fma(placeY(rows, i, l), d, moment1);
        moment2 = nfma(placeX(rows, i, l), d, moment2);
      }
    }
  }

  /// Largest change of a normal velocity.
  MSD_INLINE Lane largestChange(const ContactRows<kPoints>& rows, int l) const {
    Lane most = set(0.0);
    for (int i = 0; i < kPoints; ++i) {
      most = max(most, load(rows.couplings[ContactRows<kPoints>::coupling(i, i)] + l) * abs(given(i)));
    }
    return most;
  }
};

/// Block Gauss–Seidel on one manifold: normals, friction, normals backwards.
///
/// The symmetric order matters: an asymmetric visit, combined with the warm start from phase to
/// phase, lets slow oscillations of large piles grow (docs/theory/warm-start.md, G-5). The twist at the
/// centre follows every impulse through the compliance, so that the bodies are read and written once (C-6).
template <int kPoints>
struct Sweep {
  Lane fn, m1, m2;  // change of the normal group's impulse
  Lane f1, f2, mn;  // change of the friction group's impulse
  Lane change;      // largest change of a normal velocity [m/s]
  Lane slide;       // about the change of the sliding velocity [m/s]
  Mask slips;       // a point reached its disc's edge

  MSD_INLINE Sweep(ContactRows<kPoints>& rows, Twist u, const Lane (&target)[kPoints], const Chosen& chosen, int l) {
    Lane impulse[kPoints];
    for (int i = 0; i < kPoints; ++i) impulse[i] = load(rows.points[i].impulse[0] + l);
    Normals<kPoints> normals(rows, u, target, impulse, l);
    normals.template solve<false>(rows, l);
    normals.sum(rows, fn, m1, m2, l);
    crossToFriction(rows, u, l);
    visitFriction(rows, u, normals, chosen, l);
    feel(rows, normals, l);
    normals.template solve<true>(rows, l);
    normals.sum(rows, fn, m1, m2, l);
    change = normals.largestChange(rows, l);
    slide = load(rows.couplings[0] + l) * max(abs(f1), abs(f2));
    for (int i = 0; i < kPoints; ++i) chosen.put(normals.now(i), rows.points[i].impulse[0] + l);
  }

 private:
  /// Answer of the friction group to the normals.
  MSD_INLINE void crossToFriction(const ContactRows<kPoints>& rows, Twist& u, int l) const {
    const auto& c = rows.cross;
    if constexpr (kPoints == 1) {
      u.v1 = fma(load(c[0] + l), fn, u.v1);
      u.v2 = fma(load(c[1] + l), fn, u.v2);
    } else {
      u.v1 = fma(load(c[0] + l), fn, fma(load(c[1] + l), m1, fma(load(c[2] + l), m2, u.v1)));
      u.v2 = fma(load(c[3] + l), fn, fma(load(c[4] + l), m1, fma(load(c[5] + l), m2, u.v2)));
      u.wn = fma(load(c[6] + l), fn, fma(load(c[7] + l), m1, fma(load(c[8] + l), m2, u.wn)));
    }
  }

  /// Answer of the normals to the friction group.
  MSD_INLINE void feel(const ContactRows<kPoints>& rows, Normals<kPoints>& normals, int l) const {
    const auto& c = rows.cross;
    if constexpr (kPoints == 1) {
      normals.velocity[0] = fma(load(c[0] + l), f1, fma(load(c[1] + l), f2, normals.velocity[0]));
    } else {
      const Lane vn = fma(load(c[0] + l), f1, fma(load(c[3] + l), f2, load(c[6] + l) * mn));
      const Lane w1 = fma(load(c[1] + l), f1, fma(load(c[4] + l), f2, load(c[7] + l) * mn));
      const Lane w2 = fma(load(c[2] + l), f1, fma(load(c[5] + l), f2, load(c[8] + l) * mn));
      for (int i = 0; i < kPoints; ++i) {
        normals.velocity[i] = normals.velocity[i] + nfma(placeX(rows, i, l), w2, fma(placeY(rows, i, l), w1, vn));
      }
    }
  }

  MSD_INLINE void visitFriction(ContactRows<kPoints>& rows, const Twist& u, const Normals<kPoints>& normals,
                                const Chosen& chosen, int l) {
    if constexpr (kPoints == 1) {
      visitPoint(rows, u, load(rows.friction + l) * normals.now(0), chosen, l);
    } else {
      visitPatch(rows, u, normals, chosen, l);
    }
  }

  /// Coulomb's disc |p| <= limit (F-2): full stop where the disc allows it, else a projected step of a
  /// length that keeps the direction of slip (rows.md, F-3 and F-4).
  MSD_INLINE void visitPoint(ContactRows<kPoints>& rows, const Twist& u, Lane limit, const Chosen& chosen, int l) {
    ContactPointRows& p = rows.points[0];
    const auto& t = rows.tangential;
    const Lane p1 = load(p.impulse[1] + l), p2 = load(p.impulse[2] + l);
    const Lane s12 = load(t.stick12 + l);
    f1 = -fma(load(t.stick11 + l), u.v1, s12 * u.v2);
    f2 = -fma(s12, u.v1, load(t.stick22 + l) * u.v2);
    mn = set(0.0);
    const Lane stick1 = p1 + f1, stick2 = p2 + f2;
    Lane now1 = stick1, now2 = stick2;
    slips = fma(stick1, stick1, stick2 * stick2) > limit * limit;
    if (any(slips)) {
      const Lane slip = load(t.slipMass + l);
      const Lane slip1 = nfma(slip, u.v1, p1), slip2 = nfma(slip, u.v2, p2);
      const Lane length2 = max(fma(slip1, slip1, slip2 * slip2), set(kTiny));
      const Lane shrink = min(limit * inverseRoot(length2), set(1.0));
      now1 = select(slips, shrink * slip1, stick1);
      now2 = select(slips, shrink * slip2, stick2);
      f1 = select(slips, now1 - p1, f1);
      f2 = select(slips, now2 - p2, f2);
    }
    chosen.put(now1, p.impulse[1] + l);
    chosen.put(now2, p.impulse[2] + l);
  }

  /// What a patch can hold by friction: of each point, in all, where its centre is, and how far it is spread.
  struct Hold {
    Lane limit[kPoints];
    Lane sum, inverse, x, y, spread;
  };

  /// All points at once (rows.md, F-5): with the wrench W = -F⁻¹u the patch stops, and all that the
  /// friction of the patch gives is spread anew over the points by their limits. Lanes where that does not keep
  /// every point in its disc slide.
  MSD_INLINE void visitPatch(ContactRows<kPoints>& rows, const Twist& u, const Normals<kPoints>& normals,
                             const Chosen& chosen, int l) {
    const Lane zero = set(0.0);
    const auto& g = rows.tangential.stick;
    const Lane g01 = load(g[3] + l), g02 = load(g[4] + l), g12 = load(g[5] + l);
    const Lane w1 = -fma(load(g[0] + l), u.v1, fma(g01, u.v2, g02 * u.wn));
    const Lane w2 = -fma(g01, u.v1, fma(load(g[1] + l), u.v2, g12 * u.wn));
    const Lane wn = -fma(g02, u.v1, fma(g12, u.v2, load(g[2] + l) * u.wn));
    const Lane mu = load(rows.friction + l);
    Hold hold;
    Lane sumX = zero, sumY = zero, square = zero, t1 = w1, t2 = w2, tn = wn;
    hold.sum = zero;
    for (int i = 0; i < kPoints; ++i) {
      const Lane x = placeX(rows, i, l), y = placeY(rows, i, l), limit = mu * normals.now(i);
      const Lane q1 = load(rows.points[i].impulse[1] + l), q2 = load(rows.points[i].impulse[2] + l);
      hold.limit[i] = limit;
      t1 = t1 + q1;
      t2 = t2 + q2;
      tn = fma(x, q2, nfma(y, q1, tn));
      hold.sum = hold.sum + limit;
      sumX = fma(limit, x, sumX);
      sumY = fma(limit, y, sumY);
      square = fma(limit, fma(x, x, y * y), square);
    }
    const Mask loaded = hold.sum > zero;
    const Lane whole = hold.sum * square;
    hold.spread = nfma(sumY, sumY, nfma(sumX, sumX, whole));
    hold.inverse = select(loaded, set(1.0) / max(hold.sum, set(kTiny)), zero);
    hold.x = hold.inverse * sumX;
    hold.y = hold.inverse * sumY;
    const Lane twist = nfma(hold.x, t2, fma(hold.y, t1, tn)) * hold.sum / max(hold.spread, set(kTiny));
    const Lane b = select(loaded, twist, zero);
    const Lane a1 = fma(b, hold.y, hold.inverse * t1), a2 = nfma(b, hold.x, hold.inverse * t2);
    slips = loaded & (hold.spread <= set(kRowTuning.spread) * whole);
    Lane now1[kPoints], now2[kPoints];
    for (int i = 0; i < kPoints; ++i) {
      const Lane limit = hold.limit[i];
      now1[i] = limit * nfma(b, placeY(rows, i, l), a1);
      now2[i] = limit * fma(b, placeX(rows, i, l), a2);
      slips = slips | (fma(now1[i], now1[i], now2[i] * now2[i]) > limit * limit);
    }
    // A patch that carries nothing lets go of all it had.
    f1 = select(loaded, w1, w1 - t1);
    f2 = select(loaded, w2, w2 - t2);
    mn = select(loaded, wn, wn - tn);
    if (any(slips)) slidePatch(rows, u, hold, now1, now2, l);
    for (int i = 0; i < kPoints; ++i) {
      chosen.put(now1[i], rows.points[i].impulse[1] + l);
      chosen.put(now2[i], rows.points[i].impulse[2] + l);
    }
  }

  /// (F-6): all points of a patch that slides move by a step against their slip, each by its share of the load, and
  /// are projected onto their discs. The length of the step is that of the stiffest motion: with the friction group
  /// about the centre of load, the larger of its diagonal entries and what couples them, and the twist at the radius
  /// of the load. Where a point slides its force ends up opposite to its own slip.
  MSD_INLINE void slidePatch(const ContactRows<kPoints>& rows, const Twist& u, const Hold& hold,
                             Lane (&now1)[kPoints], Lane (&now2)[kPoints], int l) {
    const Lane zero = set(0.0);
    const auto& g = rows.tangential.group;
    const Lane g22 = load(g[2] + l), g02 = load(g[4] + l), g12 = load(g[5] + l);
    const Lane y02 = hold.y * g02, x12 = hold.x * g12, x22 = hold.x * g22, y22 = hold.y * g22;
    const Lane a11 = fma(hold.y, y22, load(g[0] + l)) - (y02 + y02);
    const Lane a22 = fma(hold.x, x22, load(g[1] + l)) + (x12 + x12);
    const Lane a12 = fma(hold.x, g02 - y22, nfma(hold.y, g12, load(g[3] + l)));
    const Lane radius2 = hold.spread * hold.inverse * hold.inverse;
    const Lane stiffest = fma(radius2, g22, max(a11, a22) + abs(a12));
    const Lane step = hold.inverse / max(stiffest, set(kTiny));
    Lane d1 = zero, d2 = zero, dn = zero;
    for (int i = 0; i < kPoints; ++i) {
      const Lane x = placeX(rows, i, l), y = placeY(rows, i, l), limit = hold.limit[i];
      const Lane q1 = load(rows.points[i].impulse[1] + l), q2 = load(rows.points[i].impulse[2] + l);
      const Lane share = limit * step;
      const Lane z1 = nfma(share, nfma(y, u.wn, u.v1), q1), z2 = nfma(share, fma(x, u.wn, u.v2), q2);
      const Lane length2 = max(fma(z1, z1, z2 * z2), set(kTiny));
      const Lane shrink = min(limit * inverseRoot(length2), set(1.0));
      const Lane p1 = shrink * z1, p2 = shrink * z2;
      now1[i] = select(slips, p1, now1[i]);
      now2[i] = select(slips, p2, now2[i]);
      const Lane e1 = p1 - q1, e2 = p2 - q2;
      d1 = d1 + e1;
      d2 = d2 + e2;
      dn = fma(x, e2, nfma(y, e1, dn));
    }
    f1 = select(slips, d1, f1);
    f2 = select(slips, d2, f2);
    mn = select(slips, dn, mn);
  }
};

}  // namespace contact_kernels
MSD_KERNELS_END
