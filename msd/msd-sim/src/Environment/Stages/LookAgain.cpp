// Contacts of bodies that turn far within a step (docs/theory/collision.md, K-17).
#include <algorithm>
#include <array>
#include <cmath>

#include "msd-sim/src/DataTypes/Arrays.hpp"
#include "msd-sim/src/Environment/Stages/RowPasses.hpp"

namespace msd_sim {

namespace {

// Pairs that one thread tests at a time.
constexpr std::size_t kPairGrain = 16;
// Two bodies that have turned against each other by so much more [rad] are tested anew; what is
// less needs a new frame only.
constexpr double kTestTurn = 0.1;

/// sin² of half the turn between two orientations since the start of the step.
double turnBetween(const double (&now)[4], const double (&then)[4]) {
  const double cosine = now[0] * then[0] + now[1] * then[1] + now[2] * then[2] + now[3] * then[3];
  return 1.0 - cosine * cosine;
}

/// Has a body turned far since the rows of a lane were made?
template <class Rows>
bool isStale(const SolverBodies& solver, std::uint32_t body, const Rows& rows,
             const double (&turn)[4][kBundleLanes], int lane) {
  if ((solver.hasTurned[body] & kTurnedAtAll) == 0) return false;
  if (rows.looks[lane] != static_cast<double>(LookedAgain::kYes)) return true;
  return turnBetween(solver.turn[body].q,
                     {turn[0][lane], turn[1][lane], turn[2][lane], turn[3][lane]}) > kLookTurn2;
}

/// Surfaces do not turn, and their triangles are found for the whole step.
bool isConvex(const Simulation& sim, std::uint32_t pair) {
  const CollisionPipeline::Pair& p = sim.collision.pairs()[pair];
  return sim.collision.colliders()[p.colliderA].shape.isConvex() &&
         sim.collision.colliders()[p.colliderB].shape.isConvex();
}

/// Pairs with a closed form are tested in no time.
bool isPlain(const Simulation& sim, std::uint32_t pair) {
  const CollisionPipeline::Pair& p = sim.collision.pairs()[pair];
  const CollisionShape& a = sim.collision.colliders()[p.colliderA].shape;
  const CollisionShape& b = sim.collision.colliders()[p.colliderB].shape;
  const auto isBallOn = [](const CollisionShape& ball, const CollisionShape& other) {
    return ball.kind == ShapeKind::kSphere && other.kind == ShapeKind::kBox;
  };
  return (a.isRound() && b.isRound()) || isBallOn(a, b) || isBallOn(b, a);
}

/// How far two bodies have turned against each other in the step [rad].
double turnOfPair(const SolverBodies& solver, LaneBodies who) {
  const auto turnOf = [&](std::uint32_t body) {
    const double(&q)[4] = solver.turn[body].q;
    return Quaternion{q[0], q[1], q[2], q[3]};
  };
  return 2.0 * (turnOf(who.body0).conjugate() * turnOf(who.body1)).vec().norm();
}

/// Has a turn, which grows evenly from substep to substep, passed a multiple of kTestTurn in the
/// last one of so many?
bool isDue(double turn, double substeps) {
  return std::floor(turn / kTestTurn) > std::floor((1.0 - 1.0 / substeps) * turn / kTestTurn);
}

}  // namespace

void lookAgain(Simulation& sim, std::size_t pack, const ContactPass& pass, double left) {
  if ((sim.solver.turnedFar & kTurnedAtAll) == 0) return;
  ContactCache& contacts = sim.collision.contacts();
  std::vector<std::uint32_t>& pairs = sim.packScratch[pack]->lookedAt;
  pairs.clear();
  if (pairs.capacity() < contactsOf(sim, pack)) pairs.reserve(2 * contactsOf(sim, pack));
  bool any = false;
  const double substeps = std::round((1.0 - left) * sim.report.dt / pass.h);
  sim.table.forContacts(
      pack, [&](std::uint32_t id, LaneBodies who, auto& rows, ContactSums&, int lane) {
        if (!isStale(sim.solver, who.body0, rows, rows.turn0, lane) &&
            !isStale(sim.solver, who.body1, rows, rows.turn1, lane)) {
          return;
        }
        if (rows.balls[lane] > 0.0) return;
        const ContactCache::Contact& contact = contacts.contact(id);
        if (contact.resistance != ContactCache::kNone) return;  // has rows of its own besides
        if (!isConvex(sim, contact.pair)) return;
        // Time of impact knows how far these may turn.
        if (sim.slots[who.body0].continuous || sim.slots[who.body1].continuous) return;
        rows.looks[lane] = static_cast<double>(LookedAgain::kWanted);
        any = true;
        if (isPlain(sim, contact.pair) || isDue(turnOfPair(sim.solver, who), substeps))
          pairs.push_back(contact.pair);
      });
  if (!any) return;
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  const auto test = [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      sim.collision.lookAgain(pairs[i], {sim.solver, sim.travel, sim.pushable, sim.report.dt},
                              left);
    }
  };
  if (sim.packs.packs[pack].shared) {
    sim.team->forRange(pairs.size(), kPairGrain, test);
  } else {
    test(0, pairs.size());
  }
  forColours(sim, pack,
             [&](const auto& kernels, auto& lanes, std::size_t first, std::size_t count) {
               kernels.lookAgain(sim.solver, lanes.storedOf(first), lanes.run(first, count), pass);
             });
}

}  // namespace msd_sim
