// Elastic impacts at several places at once keep their energy (docs/theory/restitution.md, R-8).
#include <algorithm>
#include <cmath>

#include "msd-sim/src/DataTypes/Arrays.hpp"
#include "msd-sim/src/Environment/StageTuning.hpp"
#include "msd-sim/src/Environment/Stages/RowPasses.hpp"

namespace msd_sim {

namespace {

bool isElastic(const Simulation& sim, std::uint32_t island) {
  return sim.islands.elastic[island] == ElasticState::kBounces;
}

std::uint32_t islandOfLane(const Simulation& sim, const BundleBodies& bodyPair, std::size_t lane) {
  const LaneBodies bodies{bodyPair, lane};
  return sim.islands.islandOf[sim.pushable[bodies.body0] != 0 ? bodies.body0 : bodies.body1];
}

/// Calls visit(island, rows, bounce, lane) for the contacts of a pack that belong to elastic islands.
template <class Visit>
void forElasticContacts(Simulation& sim, std::size_t pack, const Visit& visit) {
  for (const ContactTable::Colour& colour : sim.table.coloursOf(pack)) {
    visitColour(sim, colour, [&](const auto&, auto& lanes, std::size_t first, std::size_t count) {
      for (std::size_t bundle = first; bundle < first + count; ++bundle) {
        for (std::size_t lane = 0; lane < kBundleLanes; ++lane) {
          if (lanes.contact[bundle * kBundleLanes + lane] == ContactCache::kNone) continue;
          const std::uint32_t island = islandOfLane(sim, lanes.bodyPair[bundle], lane);
          if (isElastic(sim, island)) visit(island, lanes.rows[bundle], lanes.bounce[bundle], lane);
        }
      }
    });
  }
}

/// Kinetic energy of an island whose impulses of this phase are scaled by s: at + along s + of s² [J]; and what it ought
/// to be by the loads and what substeps before could not give back.
struct ImpulseEnergy {
  double at{0.0}, along{0.0}, of{0.0};
  double wanted{0.0};
  double rounding{0.0};

  ImpulseEnergy(const SolverBodies& solver, std::span<const std::uint32_t> bodies, double h, double owed)
      : wanted{owed} {
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
      rounding += kStageTuning.loadRounding * mass * vectorOf(solver.load[i].a).squaredNorm() * h * h +
                  kStageTuning.kineticRounding * kick.kinetic;
    }
  }

  /// The scale that gives the energy that is wanted; 1 where these impulses cannot.
  [[nodiscard]] double scale() const {
    const double excess = at - wanted;
    // What is lost in their rounding cannot be scaled.
    if (std::abs(excess + along + of) <= rounding || !(of > kStageTuning.kineticRounding * at)) return 1.0;
    const double square = along * along - 4.0 * of * excess;
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

}  // namespace

bool findElasticIslands(Simulation& sim, std::size_t pack) {
  Islands& islands = sim.islands;
  bool any = false;
  for (const std::uint32_t k : sim.packs.islandsOf(sim.packs.packs[pack])) {
    const IslandCensus& census = islands.census[k];
    const bool is = census.bounces && !census.lossy && !census.resists && census.joints == 0 &&
                    islands.support[k] != IslandSupport::kDriven;
    islands.elastic[k] = is ? ElasticState::kBounces : ElasticState::kNo;
    any = any || is;
  }
  return any;
}

void noteSoftHits(Simulation& sim, std::size_t pack, const ContactPass& pass) {
  Islands& islands = sim.islands;
  for (const std::uint32_t k : sim.packs.islandsOf(sim.packs.packs[pack])) {
    if (islands.elastic[k] == ElasticState::kSettles) islands.elastic[k] = ElasticState::kBounces;
  }
  if (!(pass.threshold > 0.0)) return;
  forElasticContacts(sim, pack, [&](std::uint32_t island, const auto& rows, const auto& bounce, std::size_t lane) {
    int number = 0;
    for (const ContactPointRows& p : rows.points) {
      const double impulse = p.impulse[0][lane];
      if (impulse > 0.0 && bounce.velocity[number][lane] == 0.0 && impulse <= pass.threshold * p.normalMass[lane]) {
        islands.elastic[island] = ElasticState::kSettles;
      }
      ++number;
    }
  });
}

bool keepElasticEnergy(Simulation& sim, std::size_t pack, double h) {
  Islands& islands = sim.islands;
  bool any = false;
  for (const std::uint32_t k : sim.packs.islandsOf(sim.packs.packs[pack])) {
    islands.rebound[k] = 1.0;
    if (!isElastic(sim, k)) continue;
    const ImpulseEnergy energy{sim.solver, islands.bodiesOf(k), h, islands.owed[k]};
    const double scale = energy.scale();
    islands.rebound[k] = scale;
    islands.owed[k] = scale == 1.0 ? std::max(0.0, energy.wanted - (energy.at + energy.along + energy.of)) : 0.0;
    if (scale == 1.0) continue;
    any = true;
    for (const std::uint32_t i : islands.bodiesOf(k)) scaleMotion(sim.solver, i, scale);
  }
  if (!any) return false;
  forElasticContacts(sim, pack, [&](std::uint32_t island, auto& rows, const auto&, std::size_t lane) {
    const double scale = islands.rebound[island];
    for (ContactPointRows& p : rows.points) p.impulse[0][lane] *= scale;
  });
  return true;
}

}  // namespace msd_sim
