// Rebounds and the energy of an island (docs/theory/restitution.md): smooth elastic impacts at
// several places at once keep it, and where Newton's law would add some, bodies rebound by
// less.
#include <cmath>

#include "msd-sim/src/DataTypes/Arrays.hpp"
#include "msd-sim/src/Environment/StageTuning.hpp"
#include "msd-sim/src/Environment/Stages/RowPasses.hpp"

namespace msd_sim {

namespace {

/// Calls visit(limit of the island, bodies, rows, bounce, sums, lane) for the contacts of a pack
/// whose islands are in one of two states.
template <class Visit>
void forContactsIn(Simulation& sim, std::size_t pack, ReboundState one, ReboundState other,
                   const Visit& visit) {
  for (const ContactTable::Colour& colour : sim.table.coloursOf(pack)) {
    visitColour(sim, colour, [&](const auto&, auto& lanes, std::size_t first, std::size_t count) {
      for (std::size_t bundle = first; bundle < first + count; ++bundle) {
        for (std::size_t lane = 0; lane < kBundleLanes; ++lane) {
          if (lanes.contact[bundle * kBundleLanes + lane] == ContactCache::kNone) continue;
          const LaneBodies bodies{lanes.bodyPair[bundle], lane};
          ReboundLimit& limit =
              sim.islands
                  .rebound[sim.islands.islandOf[sim.pushable[bodies.body0] != 0 ? bodies.body0
                                                                                : bodies.body1]];
          if (limit.state != one && limit.state != other) continue;
          visit(limit, bodies, lanes.rows[bundle], lanes.bounce[bundle], lanes.sums[bundle], lane);
        }
      }
    });
  }
}

/// Kinetic energy of an island whose impulses of this phase are scaled by s: at + along s + of s²
/// [J]; and what the loads have left it.
struct ImpulseEnergy {
  double at{0.0}, along{0.0}, of{0.0};
  double wanted{0.0};
  double rounding{0.0};

  ImpulseEnergy(const SolverBodies& solver, std::span<const std::uint32_t> bodies, double h) {
    for (const std::uint32_t i : bodies) {
      const BodyMotion& m = solver.motion[i];
      const BodyKick& kick = solver.kick[i];
      const double mass = solver.mass[i].mass;
      const Matrix3D r = quaternionOf(solver.pose[i].q).toRotationMatrix();
      const Matrix3D inertia = r * symmetricOf(solver.mass[i].inertia) * r.transpose();
      const Vector3D v = vectorOf(kick.v), w = vectorOf(kick.w);
      const Vector3D dv = vectorOf(m.v) - v, dw = vectorOf(m.w) - w;
      const Vector3D turn = inertia * dw;
      at += 0.5 * (mass * v.squaredNorm() + w.dot(inertia * w));
      along += mass * v.dot(dv) + w.dot(turn);
      of += 0.5 * (mass * dv.squaredNorm() + dw.dot(turn));
      wanted += kick.kinetic + kick.work;
      rounding +=
          kStageTuning.loadRounding * mass * vectorOf(solver.load[i].a).squaredNorm() * h * h +
          kStageTuning.kineticRounding * kick.kinetic;
    }
  }

  [[nodiscard]] double kinetic() const { return at + along + of; }
  [[nodiscard]] double surplus() const { return kinetic() - wanted; }

  /// The scale that gives the energy that is wanted; 1 where these impulses cannot.
  [[nodiscard]] double scale() const {
    // Impulses that are rounding give nothing back.
    if (std::abs(surplus()) <= rounding || !(of > kStageTuning.kineticRounding * at)) return 1.0;
    const double square = along * along - 4.0 * of * (at - wanted);
    if (!(square > 0.0)) return 1.0;
    const double s = (std::sqrt(square) - along) / (2.0 * of);
    return s > 0.0 && std::isfinite(s) ? s : 1.0;
  }
};

void scaleMotion(SolverBodies& solver, std::uint32_t i, double scale) {
  BodyMotion& m = solver.motion[i];
  const BodyKick& kick = solver.kick[i];
  for (int c = 0; c < 3; ++c) {
    m.v[c] = kick.v[c] + scale * (m.v[c] - kick.v[c]);
    m.w[c] = kick.w[c] + scale * (m.w[c] - kick.w[c]);
  }
}

/// What a contact's impulses of the running phase have done (L-7) [J].
template <class Rows>
double presentWork(const SolverBodies& solver, const LaneBodies& bodies, const Rows& rows,
                   std::size_t lane, double lead) {
  const auto at = [&](const double(&v)[3][kBundleLanes]) {
    return Vector3D{v[0][lane], v[1][lane], v[2][lane]};
  };
  const auto mean = [&](std::uint32_t i) -> Vector3D {
    return 0.5 * (vectorOf(solver.motion[i].v) + vectorOf(solver.before[i].v)) +
           lead * vectorOf(solver.load[i].a);
  };
  const auto spin = [&](std::uint32_t i) -> Vector3D {
    return 0.5 * (vectorOf(solver.motion[i].w) + vectorOf(solver.before[i].w));
  };
  const Vector3D n = at(rows.normal), t1 = at(rows.tangent), t2 = n.cross(t1);
  const Vector3D w0 = spin(bodies.body0), w1 = spin(bodies.body1), w = w1 - w0;
  const Vector3D v = mean(bodies.body1) + w1.cross(at(rows.arm1)) - mean(bodies.body0) -
                     w0.cross(at(rows.arm0) + at(rows.drift));
  double work = 0.0;
  for (int i = 0; i < Rows::kPointCount; ++i) {
    const ContactPointRows& p = rows.points[i];
    Vector3D u = v;
    if constexpr (Rows::kPointCount > 1) {
      u += w.cross(rows.tangential.x[i][lane] * t1 + rows.tangential.y[i][lane] * t2);
    }
    work += p.impulse[0][lane] * n.dot(u) + p.impulse[1][lane] * t1.dot(u) +
            p.impulse[2][lane] * t2.dot(u);
  }
  return work;
}

/// Calls visit(target, rebound) for the points of a contact.
template <class Rows, class Bounce, class Visit>
void forTargets(Rows& rows, Bounce& bounce, std::size_t lane, const Visit& visit) {
  for (int i = 0; i < Rows::kPointCount; ++i) visit(rows.points[i], bounce.velocity[i][lane]);
}

/// What contacts did in the step so far is the gain where joints or drives do work besides; else
/// that of the motion.
bool asksContacts(const Simulation& sim, std::uint32_t k) {
  return sim.islands.joints[k] > 0 || sim.islands.support[k] == IslandSupport::kDriven;
}

/// Writes the gains of the islands of a pack that are in a state. Returns whether there are any.
bool measureGains(Simulation& sim, std::size_t pack, ReboundState state, double h, double lead) {
  Islands& islands = sim.islands;
  bool any = false, ask = false;
  for (const std::uint32_t k : sim.packs.islandsOf(sim.packs.packs[pack])) {
    ReboundLimit& limit = islands.rebound[k];
    if (limit.state != state) continue;
    const ImpulseEnergy energy{sim.solver, islands.bodiesOf(k), h};
    limit.gain = asksContacts(sim, k) ? 0.0 : energy.surplus();
    limit.allowance = energy.rounding + kStageTuning.reboundGain * energy.kinetic();
    ask = ask || asksContacts(sim, k);
    any = true;
  }
  if (!ask) return any;
  forContactsIn(
      sim, pack, state, state,
      [&](ReboundLimit& limit, const LaneBodies& bodies, auto& rows, auto&, ContactSums& sums,
          std::size_t lane) {
        const std::uint32_t k =
            sim.islands.islandOf[sim.pushable[bodies.body0] != 0 ? bodies.body0 : bodies.body1];
        if (!asksContacts(sim, k)) return;
        limit.gain += sums.normalWork[lane] + sums.frictionWork[lane] +
                      presentWork(sim.solver, bodies, rows, lane, lead);
      });
  return any;
}

/// Targets of the contacts of the islands that are limited, and their bodies called to the next
/// sweep.
void shareRebounds(Simulation& sim, std::size_t pack) {
  forContactsIn(sim, pack, ReboundState::kLimited, ReboundState::kLimited,
                [&](const ReboundLimit& limit, const LaneBodies&, auto& rows, auto& bounce,
                    ContactSums&, std::size_t lane) {
                  forTargets(rows, bounce, lane, [&](ContactPointRows& p, double rebound) {
                    if (rebound > 0.0) p.target[lane] = limit.share * rebound;
                  });
                });
  for (const std::uint32_t k : sim.packs.islandsOf(sim.packs.packs[pack])) {
    if (sim.islands.rebound[k].state != ReboundState::kLimited) continue;
    for (const std::uint32_t i : sim.islands.bodiesOf(k))
      sim.solver.dirty[i] = sim.packScratch[pack]->stamp;
  }
}

}  // namespace

void classifyRebounds(Simulation& sim, std::size_t pack) {
  Islands& islands = sim.islands;
  for (const std::uint32_t k : sim.packs.islandsOf(sim.packs.packs[pack])) {
    const IslandCensus& census = islands.census[k];
    const bool plain =
        !census.resists && census.joints == 0 && islands.support[k] != IslandSupport::kDriven;
    islands.rebound[k].state = !census.bounces          ? ReboundState::kNone
                               : plain && !census.lossy ? ReboundState::kElastic
                               : census.manifolds <= kStageTuning.reboundManifolds
                                   ? ReboundState::kLossy
                                   : ReboundState::kNone;
  }
}

void noteSoftHits(Simulation& sim, std::size_t pack, const ContactPass& pass) {
  for (const std::uint32_t k : sim.packs.islandsOf(sim.packs.packs[pack])) {
    ReboundLimit& limit = sim.islands.rebound[k];
    if (limit.state == ReboundState::kSettling) limit.state = ReboundState::kElastic;
  }
  if (!(pass.threshold > 0.0)) return;
  forContactsIn(
      sim, pack, ReboundState::kElastic, ReboundState::kElastic,
      [&](ReboundLimit& limit, const LaneBodies&, auto& rows, auto& bounce, ContactSums&,
          std::size_t lane) {
        forTargets(rows, bounce, lane, [&](const ContactPointRows& p, double rebound) {
          const double impulse = p.impulse[0][lane];
          if (impulse > 0.0 && rebound == 0.0 && impulse <= pass.threshold * p.normalMass[lane]) {
            limit.state = ReboundState::kSettling;
          }
        });
      });
}

bool keepElasticEnergy(Simulation& sim, std::size_t pack, double h) {
  Islands& islands = sim.islands;
  bool any = false;
  for (const std::uint32_t k : sim.packs.islandsOf(sim.packs.packs[pack])) {
    ReboundLimit& limit = islands.rebound[k];
    if (limit.state != ReboundState::kElastic) continue;
    limit.share = ImpulseEnergy{sim.solver, islands.bodiesOf(k), h}.scale();
    if (limit.share == 1.0) continue;
    any = true;
    for (const std::uint32_t i : islands.bodiesOf(k)) scaleMotion(sim.solver, i, limit.share);
  }
  if (!any) return false;
  forContactsIn(sim, pack, ReboundState::kElastic, ReboundState::kElastic,
                [&](const ReboundLimit& limit, const LaneBodies&, auto& rows, auto&, ContactSums&,
                    std::size_t lane) {
                  for (ContactPointRows& p : rows.points) p.impulse[0][lane] *= limit.share;
                });
  return true;
}

bool stopGainingRebounds(Simulation& sim, std::size_t pack, double h, double lead) {
  if (!measureGains(sim, pack, ReboundState::kLossy, h, lead)) return false;
  bool any = false;
  for (const std::uint32_t k : sim.packs.islandsOf(sim.packs.packs[pack])) {
    ReboundLimit& limit = sim.islands.rebound[k];
    if (limit.state != ReboundState::kLossy || !(limit.gain > limit.allowance)) continue;
    limit.state = ReboundState::kGaining;
    limit.share = 0.0;
    limit.full = limit.gain;
    any = true;
  }
  if (!any) return false;
  any = false;
  forContactsIn(sim, pack, ReboundState::kGaining, ReboundState::kLimited,
                [&](ReboundLimit& limit, const LaneBodies&, auto& rows, auto& bounce, ContactSums&,
                    std::size_t lane) {
                  for (int i = 0; i < std::remove_reference_t<decltype(rows)>::kPointCount; ++i) {
                    const ContactPointRows& p = rows.points[i];
                    const bool rebounds = p.target[lane] > 0.0 && p.normalMass[lane] > 0.0;
                    // As the touch has it.
                    bounce.velocity[i][lane] = rebounds ? p.target[lane] : 0.0;
                    if (rebounds && p.impulse[0][lane] > 0.0)
                      limit.state = ReboundState::kLimited, any = true;
                  }
                });
  if (!any) return false;
  for (const std::uint32_t k : sim.packs.islandsOf(sim.packs.packs[pack])) {
    if (sim.islands.rebound[k].state == ReboundState::kLimited) ++sim.islands.rebound[k].again;
  }
  shareRebounds(sim, pack);
  return true;
}

bool shareGainingRebounds(Simulation& sim, std::size_t pack, double h, double lead, bool first) {
  (void)measureGains(sim, pack, ReboundState::kLimited, h, lead);
  bool any = false;
  for (const std::uint32_t k : sim.packs.islandsOf(sim.packs.packs[pack])) {
    ReboundLimit& limit = sim.islands.rebound[k];
    if (limit.state != ReboundState::kLimited) continue;
    if (first && limit.gain < 0.0) {
      // The gain is convex in the share: the chord lies above it.
      limit.share = limit.gain / (limit.gain - limit.full);
    } else if (!first && limit.gain > limit.allowance && limit.share > 0.0) {
      limit.share = 0.0;  // what has not settled keeps to no chord
    } else {
      limit.state = ReboundState::kGaining;
      continue;
    }
    ++limit.again;
    any = true;
  }
  if (any) shareRebounds(sim, pack);
  return any;
}

void forgetRebounds(Simulation& sim, std::size_t pack) {
  for (const std::uint32_t k : sim.packs.islandsOf(sim.packs.packs[pack])) {
    ReboundLimit& limit = sim.islands.rebound[k];
    if (limit.state == ReboundState::kGaining || limit.state == ReboundState::kLimited)
      limit.state = ReboundState::kLossy;
  }
}

}  // namespace msd_sim
