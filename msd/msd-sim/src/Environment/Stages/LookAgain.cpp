// Contacts of bodies that turn far within a step (docs/theory/collision.md, K-17).
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>

#include "msd-sim/src/DataTypes/Arrays.hpp"
#include "msd-sim/src/Environment/StageTuning.hpp"
#include "msd-sim/src/Environment/Stages/RowPasses.hpp"
#include "msd-sim/src/Environment/WorkGrain.hpp"
#include "msd-sim/src/Physics/Constraints/Rows/RowTuning.hpp"

namespace msd_sim {

namespace {

/// sin² of half the turn between two orientations since the start of the step.
double turnBetween(const double (&now)[4], const double (&then)[4]) {
  const double cosine = now[0] * then[0] + now[1] * then[1] + now[2] * then[2] + now[3] * then[3];
  return 1.0 - cosine * cosine;
}

/// A body's side of a contact.
struct TouchingSide {
  std::uint32_t body;
  double rounding;  ///< 0: corner or face [m]
  Vector3D n_W;     ///< out of the body
};

Quaternion turnOf(const double (&q)[4]) {
  return {q[0], q[1], q[2], q[3]};
}

/// Has what a body touches with turned far since the rows of a lane were made? A round surface
/// touches as before whichever way it has turned about its core: there it is the core that has to
/// move.
template <int kPoints, class Anchor>
bool isStale(const SolverBodies& solver, const TouchingSide& side, const StoredContact<kPoints>& s,
             const Anchor& anchor, const double (*then)[4]) {
  if ((solver.hasTurned[side.body] & kTurnedAtAll) == 0) return false;
  const double(&now)[4] = solver.turn[side.body].q;
  if (!(side.rounding > 0.0))
    return then == nullptr || turnBetween(now, *then) > kRowTuning.lookTurn2();
  const Quaternion turned = then == nullptr ? turnOf(now) : turnOf(now) * turnOf(*then).conjugate();
  const BodyPose& pose = solver.pose[side.body];
  for (const StoredPoint& point : s.points) {
    if (!(point.active > 0.0)) continue;
    const Vector3D core = quaternionOf(pose.q) * vectorOf(anchor(point)) - side.rounding * side.n_W;
    if ((core - turned.conjugate() * core).norm() > kRowTuning.lookTurn * pose.size) return true;
  }
  return false;
}

/// The same for both bodies of a contact; by their cores, where it `rolls`.
template <int kPoints, class Rows>
bool isStale(const SolverBodies& solver, LaneBodies bodyPair, const StoredContact<kPoints>& s,
             const Rows& rows, int lane, bool rolls) {
  const bool again = rows.looks[lane] == static_cast<double>(LookedAgain::kYes);
  double then0[4], then1[4];
  for (int c = 0; c < 4; ++c) {
    then0[c] = rows.turn0[c][lane];
    then1[c] = rows.turn1[c][lane];
  }
  const Vector3D n = quaternionOf(solver.pose[bodyPair.body0].q) * vectorOf(s.normal);
  return isStale(
             solver, {bodyPair.body0, rolls ? s.rounding0 : 0.0, n}, s,
             [](const StoredPoint& p) -> auto& { return p.anchor0; }, again ? &then0 : nullptr) ||
         isStale(
             solver, {bodyPair.body1, rolls ? s.rounding1 : 0.0, -n}, s,
             [](const StoredPoint& p) -> auto& { return p.anchor1; }, again ? &then1 : nullptr);
}

/// A cylinder's points are chosen anew by every test, wherever on its side or rim they were: one
/// that rolls like a wheel would lose in each substep what they carry.
bool hasCylinder(const Simulation& sim, std::uint32_t pair) {
  const CollisionPipeline::Pair& p = sim.collision.pairs()[pair];
  return sim.collision.colliders()[p.colliderA].shape.kind == ShapeKind::kCylinder ||
         sim.collision.colliders()[p.colliderB].shape.kind == ShapeKind::kCylinder;
}

/// Pairs with a closed form are tested in no time.
bool isPlain(const Simulation& sim, std::uint32_t pair) {
  const CollisionPipeline::Pair& p = sim.collision.pairs()[pair];
  const CollisionShape& a = sim.collision.colliders()[p.colliderA].shape;
  const CollisionShape& b = sim.collision.colliders()[p.colliderB].shape;
  const auto isBallOn = [](const CollisionShape& ball, const CollisionShape& other) {
    return ball.kind == ShapeKind::kSphere && other.kind == ShapeKind::kBox;
  };
  return (a.isRound() && b.isRound()) || isBallOn(a, b) || isBallOn(b, a) ||
         a.kind == ShapeKind::kPlane || b.kind == ShapeKind::kPlane;
}

/// How far two bodies have turned against each other in the step [rad].
double turnOfPair(const SolverBodies& solver, LaneBodies bodyPair) {
  return 2.0 *
         (turnOf(solver.turn[bodyPair.body0].q).conjugate() * turnOf(solver.turn[bodyPair.body1].q))
             .vec()
             .norm();
}

/// Has a turn, which grows evenly from substep to substep, passed a multiple of
/// kStageTuning.testTurn in the last one of so many?
bool isDue(double turn, double substeps) {
  return std::floor(turn / kStageTuning.testTurn) >
         std::floor((1.0 - 1.0 / substeps) * turn / kStageTuning.testTurn);
}

/// Has a body of the pack turned far? Of other packs' bodies threads learn sooner or later.
bool hasTurnedBody(const Simulation& sim, std::size_t pack) {
  const std::span<const std::int32_t> bodies = sim.packs.bodiesOf(sim.packs.packs[pack]);
  return std::any_of(bodies.begin(), bodies.end(), [&](std::int32_t body) {
    return (sim.solver.hasTurned[static_cast<std::size_t>(body)] & kTurnedAtAll) != 0;
  });
}

}  // namespace

void lookAgain(Simulation& sim, std::size_t pack, const ContactPass& pass, double left) {
  if (!hasTurnedFar(sim, kTurnedAtAll) || !hasTurnedBody(sim, pack)) return;
  ContactCache& contacts = sim.collision.contacts();
  // Who finds a pair first does not matter: they are sorted before they are tested.
  std::vector<std::uint32_t>& pairs = sim.packScratch[pack]->lookedAt;
  if (pairs.capacity() < contactsOf(sim, pack)) pairs.reserve(2 * contactsOf(sim, pack));
  pairs.resize(contactsOf(sim, pack));
  std::uint32_t found = 0;
  std::atomic<bool> any{false};
  const bool shared = sim.packs.packs[pack].shared && sim.team->threads() > 1;
  const double substeps = std::round((1.0 - left) * sim.report.dt / pass.h);
  const auto look = [&](std::uint32_t id, LaneBodies bodyPair, auto& rows, ContactSums&, int lane) {
    const auto hasTurned = [&](std::uint32_t body) {
      return (sim.solver.hasTurned[body] & kTurnedAtAll) != 0;
    };
    if (!hasTurned(bodyPair.body0) && !hasTurned(bodyPair.body1)) return;
    if (rows.balls[lane] > 0.0) return;
    const ContactCache::Contact& contact = contacts.contact(id);
    if (contact.resistance != ContactCache::kNone) return;  // has rows of its own besides
    // Time of impact knows how far these may turn.
    if (sim.slots[bodyPair.body0].continuous || sim.slots[bodyPair.body1].continuous) return;
    bool stale = false;
    const bool rolls = hasCylinder(sim, contact.pair);
    contacts.with(
        id, [&](const auto& s) { stale = isStale(sim.solver, bodyPair, s, rows, lane, rolls); });
    if (!stale) return;
    rows.looks[lane] = static_cast<double>(LookedAgain::kWanted);
    any.store(true, std::memory_order_relaxed);
    if (isPlain(sim, contact.pair) || isDue(turnOfPair(sim.solver, bodyPair), substeps))
      pairs[addTo(found, 1, shared)] = contact.pair;
  };
  forRows(sim, pack, [&](const auto&, auto& lanes, std::size_t first, std::size_t count) {
    ContactTable::forBusyLanes(lanes, first, first + count, look);
  });
  if (!any.load(std::memory_order_relaxed)) return;
  pairs.resize(found);
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  const auto test = [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      sim.collision.lookAgain(pairs[i], {sim.solver, sim.travel, sim.pushable, sim.report.dt},
                              left);
    }
  };
  sim.packScratch[pack]->tests += static_cast<std::uint32_t>(pairs.size());
  if (sim.packs.packs[pack].shared) {
    sim.team->forRange(pairs.size(), kWorkGrain.pairs, test);
  } else {
    test(0, pairs.size());
  }
  forColours(sim, pack,
             [&](const auto& kernels, auto& lanes, std::size_t first, std::size_t count) {
               kernels.lookAgain(sim.solver, lanes.storedOf(first), lanes.run(first, count), pass);
             });
}

}  // namespace msd_sim
