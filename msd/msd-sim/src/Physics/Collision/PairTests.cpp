// Narrowphase: which pairs are tested, and what becomes of the manifolds.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "msd-sim/src/DataTypes/Arrays.hpp"
#include "msd-sim/src/DataTypes/SharedUpdate.hpp"
#include "msd-sim/src/Physics/Collision/CollisionPipeline.hpp"
#include "msd-sim/src/Physics/Collision/CollisionTolerances.hpp"
#include "msd-sim/src/Physics/Collision/ConvexTriangles.hpp"
#include "msd-sim/src/Physics/Collision/HalfwayContacts.hpp"
#include "msd-sim/src/Physics/Collision/PairManifolds.hpp"
#include "msd-sim/src/Physics/Collision/RoundContacts.hpp"

namespace msd_sim {

namespace {

// Pairs one thread tests at a time: so many at most, and fewer where there are few.
constexpr std::size_t kTestGrain = 32;
constexpr std::size_t kLeastTestGrain = 4;
constexpr std::size_t kTestBlocks = 128;

// So many pairs are tested before what they found is applied: enough for many threads to share, and
// what waits for its turn stays small.
constexpr std::size_t kWave = 256 * kTestGrain;

// Memory is asked for this many pairs before it is needed: the pair itself, what it names, and what
// that names.
constexpr std::size_t kPairsAhead = 12;
constexpr std::size_t kFetchAhead = 6;
constexpr std::size_t kShapesAhead = 3;
// Of the numbers of larger hulls a test reads a part [B].
constexpr std::size_t kMostFetched = 4096;

// A pair that comes by more than this many times what it may move from a place in the coming step
// does not rest there.
constexpr double kLeavesRest = 4.0;

// Relative poses of pairs that are farther apart than so many sizes are as good as unknown.
constexpr double kFarApart = 8.0;

// Cosine of the angle up to which a surface's manifold continues an old contact.
constexpr double kSameNormal = 0.9;

constexpr std::size_t kMostManifolds = std::max(kMaxTriangleManifolds, kMaxPolyhedronManifolds);

/// Asks for the cache lines of an object, wherever it begins.
void fetchLines(const void* object, std::size_t bytes) {
  constexpr std::size_t kLine = 64;
  const auto* first = static_cast<const std::byte*>(object);
  for (std::size_t at = 0; at < bytes; at += kLine) __builtin_prefetch(first + at);
  __builtin_prefetch(first + bytes - 1);
}

/// The body that gives a pair its place: the first of those that can be pushed.
std::uint32_t firstBody(std::uint32_t a, std::uint32_t b, std::span<const std::uint8_t> pushable) {
  if (pushable[a] == 0) return b;
  if (pushable[b] == 0) return a;
  return std::min(a, b);
}

}  // namespace

struct CollisionPipeline::Found {
  std::array<ContactManifold, kMostManifolds> manifolds;
  std::array<ContactRounding, kMostManifolds> roundings;
  /// The push that it takes until one of its points touches, as a way in the step; 0: none (K-20) [m].
  std::array<float, kMostManifolds> spare{};
  std::size_t count{0};
};

namespace {

/// How far the centres of two bodies come against each other in the step [m].
double relativePath(const BodyTravel& a, const BodyTravel& b) {
  return (vectorOf(b.path) - vectorOf(a.path)).norm();
}

/// The same along a direction from A to B: positive where they come nearer.
double closingAlong(const float (&n)[3], const BodyTravel& a, const BodyTravel& b) {
  return (vectorOf(a.path) - vectorOf(b.path)).dot(vectorOf(n));
}

/// How far the centre of B is from that of A along the normal of their pair [m].
double placeAlong(const float (&n)[3], const BodyPose& a, const BodyPose& b) {
  double place = 0.0;
  for (int c = 0; c < 3; ++c) place += (b.x[c] - a.x[c]) * static_cast<double>(n[c]);
  return place;
}

/// The gap of a pair along its normal, were its bodies not to have turned since the last test [m].
double gapNow(const CollisionPipeline::PairClock& clock, const SolverBodies& bodies) {
  const double place = placeAlong(clock.normal, bodies.pose[clock.bodyA], bodies.pose[clock.bodyB]);
  return static_cast<double>(clock.gap) + place - static_cast<double>(clock.place);
}

double leastGap(const ContactManifold& manifold) {
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < manifold.count; ++k)
    least = std::min(least, manifold.points[static_cast<std::size_t>(k)].gap);
  return least;
}

/// The one of some contacts whose normal is nearest to one, if it is near enough; it is taken out
/// of the list.
std::uint32_t takeNearest(const ContactCache& contacts, std::span<std::uint32_t> old,
                          const Vector3D& normal, const ContactPlaces& places) {
  std::size_t best = old.size();
  double nearest = kSameNormal;
  for (std::size_t k = 0; k < old.size(); ++k) {
    if (old[k] == ContactCache::kNone) continue;
    const double cosine = contacts.normal(old[k], places).dot(normal);
    if (cosine > nearest) {
      nearest = cosine;
      best = k;
    }
  }
  return best == old.size() ? ContactCache::kNone : std::exchange(old[best], ContactCache::kNone);
}

/// The size that counts for a pair: that of the smaller body that can be pushed [m].
double sizeOf(const BodyTravel& a, const BodyTravel& b) {
  return a.size > 0.0 && b.size > 0.0 ? std::min(a.size, b.size) : std::max(a.size, b.size);
}

}  // namespace

double CollisionPipeline::relativeComing(const PairClock& clock, std::span<const BodyTravel> travel) const {
  const BodyTravel& a = travel[clock.bodyA];
  const BodyTravel& b = travel[clock.bodyB];
  return relativePath(a, b) + a.turn + b.turn + a.fall + b.fall + hits_[clock.bodyA].most() + hits_[clock.bodyB].most();
}

// Two convex shapes that were apart along a direction are so still, less what their centres have come nearer along it and what
// turning has moved their points. While the coming step cannot use that up, by the rule of (K-16), they need no test.
bool CollisionPipeline::staysApart(const PairClock& clock, const CollisionStep& step) const {
  if (clock.turned < 0.0) return false;
  const BodyTravel& a = step.travel[clock.bodyA];
  const BodyTravel& b = step.travel[clock.bodyB];
  const double gap = gapNow(clock, step.bodies) - (a.turned + b.turned - clock.turned);
  const double closing = closingAlong(clock.normal, a, b), path = relativePath(a, b);
  const double sliding = std::sqrt(std::max(path * path - closing * closing, 0.0));
  return gap > std::max(closing, 0.0) + kLeaningShare * sliding + a.turn + b.turn + a.fall + b.fall +
                   hitsAlong(clock, vectorOf(clock.normal)) + kAlwaysActive * sizeOf(a, b);
}

CollisionPipeline::Verdict CollisionPipeline::judge(std::uint32_t pair, const CollisionStep& step) const {
  const PairClock& clock = clocks_[pair];
  const BodyTravel& ta = step.travel[clock.bodyA];
  const BodyTravel& tb = step.travel[clock.bodyB];
  // Boxes that have not moved overlap still.
  if ((has_moved_[clock.bodyA] != 0 || has_moved_[clock.bodyB] != 0) &&
      !box(pairs_[pair].colliderA).overlaps(box(pairs_[pair].colliderB))) {
    return Verdict::kParted;
  }
  const double sums = ta.sum + tb.sum;
  const bool due = sums > clock.movedLimit || sums + relativeComing(clock, step.travel) > clock.limit;
  return due && !staysApart(clock, step) ? Verdict::kDue : Verdict::kWaits;
}

namespace {

/// A hit that moves a body so far, along a direction; whichever way where that is zero.
void addHit(BodyHit& hit, const Vector3D& n, double way) {
  const bool anyWay = n.isZero(0.0);
  for (int c = 0; c < 3; ++c) {
    const auto moved = static_cast<float>(way * (anyWay ? 1.0 : std::abs(n[c])));
    if (anyWay || n[c] > 0.0) raise(hit.up[c], moved);
    if (anyWay || n[c] < 0.0) raise(hit.down[c], moved);
  }
}

}  // namespace

// (K-15): a body that is hit moves on with a share of the speed, by the masses: u m_B/(m_A + m_B),
// and (1 + e) times that where it bounces. Whatever lies in its way may be met in this step, too.
void CollisionPipeline::spreadHits(const CollisionStep& step, WorkTeam& team) {
  constexpr std::size_t kGrain = 2048;  // pairs a thread takes at a time
  team.forRange(clocks_.size(), kGrain, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const PairClock& clock = clocks_[i];
      BodyTravel& ta = step.travel[clock.bodyA];
      BodyTravel& tb = step.travel[clock.bodyB];
      const double path = relativePath(ta, tb);
      const double felt = kFeltHit * sizeOf(ta, tb);
      if (!(path > felt)) continue;
      double closing = path;
      const double besides = ta.turn + tb.turn + ta.fall + tb.fall;
      // Of a surface the front of the nearest triangle tells more than the whole speed does.
      if (clock.hasNormal()) {
        closing = closingAlong(clock.normal, ta, tb);
        if (!(closing > felt)) continue;
        if (!clock.touches()) {
          const bool isConvex = clock.turned >= 0.0;
          const double gap = gapNow(clock, step.bodies) - (isConvex ? ta.turned + tb.turned - clock.turned : 0.0);
          if (gap > (isConvex ? 1.0 : 2.0) * (closing + besides)) continue;
        }
      } else if (clock.limit - (ta.sum + tb.sum) > path + besides) {
        continue;
      }
      const double wa = step.bodies.motion[clock.bodyA].inverseMass;
      const double wb = step.bodies.motion[clock.bodyB].inverseMass;
      const double given = closing * (1.0 + static_cast<double>(clock.restitution)) / (wa + wb);
      const Vector3D n = vectorOf(clock.normal);
      if (wa > 0.0) addHit(hits_[clock.bodyA], -n, given * wa);
      if (wb > 0.0) addHit(hits_[clock.bodyB], n, given * wb);
    }
  });
}

void CollisionPipeline::findDue(const CollisionStep& step, WorkTeam& team) {
  constexpr std::size_t kJudged = 2048;  // pairs a thread takes at a time
  verdicts_.resize(clocks_.size());
  team.forRange(clocks_.size(), kJudged, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      verdicts_[i] = judge(static_cast<std::uint32_t>(i), step);
    }
  });
  due_.clear();
  for (std::uint32_t i = 0; i < clocks_.size();) {
    if (verdicts_[i] == Verdict::kParted) {
      verdicts_[i] = verdicts_[clocks_.size() - 1];  // the last pair takes the place
      removePair(i);
      continue;
    }
    if (verdicts_[i] == Verdict::kDue) due_.push_back(i);
    ++i;
  }
}

// In the order of the bodies, which is that of the lanes within a colour: what one test has fetched
// the next ones find in the cache, the bodies as well as the bundles that the contacts are written
// to.
void CollisionPipeline::sortDue(std::span<const std::uint8_t> pushable) {
  const auto bodyOf = [&](std::uint32_t pair) {
    return firstBody(clocks_[pair].bodyA, clocks_[pair].bodyB, pushable);
  };
  // By counting: where the pairs of each body begin. Pairs of one body stay in their order.
  due_start_.assign(pushable.size() + 1, 0);
  for (const std::uint32_t pair : due_) ++due_start_[bodyOf(pair) + 1];
  std::partial_sum(due_start_.begin(), due_start_.end(), due_start_.begin());
  due_sorted_.resize(due_.size());
  for (const std::uint32_t pair : due_) due_sorted_[due_start_[bodyOf(pair)]++] = pair;
  due_.swap(due_sorted_);
}

void CollisionPipeline::fetchBooks(std::uint32_t index) const {
  fetchLines(&pairs_[index], sizeof(Pair));
  fetchLines(&clocks_[index], sizeof(PairClock));
}

void CollisionPipeline::fetchPair(std::uint32_t index, const CollisionStep& step) const {
  const SolverBodies& bodies = step.bodies;
  for (const std::uint32_t id : {pairs_[index].colliderA, pairs_[index].colliderB}) {
    fetchLines(&colliders_[id], Collider::kHotBytes);
  }
  if (pairs_[index].memory != kNone) {
    fetchLines(&memories_[pairs_[index].memory], TriangleMemory::kHotBytes);
  }
  for (const std::uint32_t body : {clocks_[index].bodyA, clocks_[index].bodyB}) {
    fetchLines(&bodies.pose[body], sizeof(BodyPose));
    fetchLines(&bodies.motion[body], sizeof(BodyMotion));
    __builtin_prefetch(&step.travel[body]);
  }
  fetchContact(pairs_[index].firstContact);
}

void CollisionPipeline::fetchContact(std::uint32_t contact) const {
  if (contact == ContactCache::kNone) return;
  fetchLines(&contacts_.contact(contact), sizeof(ContactCache::Contact));
  contacts_.with(contact, []<int kPoints>(const StoredContact<kPoints>& s) {
    fetchLines(&s, sizeof(double) * (StoredContact<kPoints>::kForcesAt + 3 * kPoints));
  });
}

// What the shapes are made of, and the second contact; only once the colliders and the first have
// come.
void CollisionPipeline::fetchShapes(std::uint32_t index) const {
  const std::uint32_t first = pairs_[index].firstContact;
  if (first != ContactCache::kNone) fetchContact(contacts_.contact(first).next);
  for (const std::uint32_t id : {pairs_[index].colliderA, pairs_[index].colliderB}) {
    const CollisionShape& shape = colliders_[id].shape;
    if (shape.numbers.empty()) continue;
    fetchLines(shape.polyhedron.get(), sizeof(msd_assets::ConvexPolyhedron));
    fetchLines(shape.numbers.data(), std::min(shape.numbers.size(), kMostFetched));
  }
}

void CollisionPipeline::testPairs(const CollisionStep& step, WorkTeam& team) {
  tests_ = 0;
  hits_.assign(step.travel.size(), {});
  testNew(step, team);
  has_moved_.resize(step.bodies.size());
  for (const std::uint32_t id : moved_) has_moved_[colliders_[id].body] = 1;
  spreadHits(step, team);
  findDue(step, team);
  for (const std::uint32_t id : moved_) has_moved_[colliders_[id].body] = 0;
  testDue(step, team);
}

void CollisionPipeline::testDue(const CollisionStep& step, WorkTeam& team) {
  sortDue(step.pushable);
  for (std::size_t first = 0; first < due_.size(); first += kWave) {
    testWave(std::span{due_}.subspan(first, std::min(kWave, due_.size() - first)), step, team);
  }
}

// Pairs that have just come are tested before hits are weighed: whether they close, and along which direction, is not known of
// them yet.
void CollisionPipeline::testNew(const CollisionStep& step, WorkTeam& team) {
  due_.resize(pairs_.size() - tested_pairs_);
  std::iota(due_.begin(), due_.end(), static_cast<std::uint32_t>(tested_pairs_));
  testDue(step, team);
  tested_pairs_ = pairs_.size();
}

void CollisionPipeline::testWave(std::span<const std::uint32_t> due, const CollisionStep& step,
                                 WorkTeam& team) {
  const SolverBodies& bodies = step.bodies;
  const std::size_t grain = std::clamp(due.size() / kTestBlocks, kLeastTestGrain, kTestGrain);
  const std::size_t blocks = (due.size() + grain - 1) / grain;
  if (finds_.size() < blocks) finds_.resize(blocks);
  team.forBlocks(blocks, [&](std::size_t block) {
    BlockFinds& left = finds_[block];
    left.tests = 0;
    left.pairs.clear();
    left.manifolds.clear();
    left.roundings.clear();
    left.targets.clear();
    Found found;
    const std::size_t begin = block * grain, last = std::min(due.size(), begin + grain);
    for (std::size_t i = begin; i < std::min(begin + kPairsAhead, last); ++i) fetchBooks(due[i]);
    for (std::size_t i = begin; i < std::min(begin + kFetchAhead, last); ++i)
      fetchPair(due[i], step);
    for (std::size_t i = begin; i < last; ++i) {
      if (i + kPairsAhead < last) fetchBooks(due[i + kPairsAhead]);
      if (i + kFetchAhead < last) fetchPair(due[i + kFetchAhead], step);
      if (i + kShapesAhead < last) fetchShapes(due[i + kShapesAhead]);
      if (!testPair(due[i], step, found)) continue;
      ++left.tests;
      applyInPlace(due[i], found, bodies, left);
    }
  });
  // Contacts come, go and change their kind one after the other.
  for (std::size_t block = 0; block < blocks; ++block) {
    tests_ += finds_[block].tests;
    for (const BlockFinds::Pair& pair : finds_[block].pairs) applyManifolds(pair, finds_[block]);
  }
  team.forBlocks(blocks, [&](std::size_t block) { writePoints(finds_[block], bodies); });
}

// (K-16): a point acts in the step only if its gap can close: by its velocity along the normal, by
// a share of its sliding, since normals lean, by what turns and loads can add, and by hits. Where
// velocity, turn and loads alone do not close it, it is idle until something pushes its bodies (K-20).
void CollisionPipeline::dropIdle(const Collider& a, const Collider& b, const PairClock& clock,
                                 const CollisionStep& step, Found& found) const {
  const BodyTravel& ta = step.travel[a.body];
  const BodyTravel& tb = step.travel[b.body];
  const SolverBodies& bodies = step.bodies;
  const Vector3D path = vectorOf(tb.path) - vectorOf(ta.path);
  const Vector3D turnA = step.dt * vectorOf(bodies.motion[a.body].w);
  const Vector3D turnB = step.dt * vectorOf(bodies.motion[b.body].w);
  const Vector3D xa = vectorOf(bodies.pose[a.body].x), xb = vectorOf(bodies.pose[b.body].x);
  const double always = kAlwaysActive * std::min(a.shape.size, b.shape.size);
  const double falls = ta.fall + tb.fall;
  // What the turn in the step adds to that of the points' velocities: the chord's second order.
  const auto bent = [](const BodyTravel& t, double size) { return 0.5 * t.turn * t.turn / size; };
  const double bends = bent(ta, bodies.pose[a.body].size) + bent(tb, bodies.pose[b.body].size);
  std::size_t kept = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < found.count; ++i) {
    const ContactManifold& m = found.manifolds[i];
    bool acts = false;
    double spare = std::numeric_limits<double>::infinity();
    const double other = falls + hitsAlong(clock, m.normal) + always;
    for (int k = 0; k < m.count; ++k) {
      const ManifoldPoint& p = m.points[static_cast<std::size_t>(k)];
      const Vector3D u = path + turnB.cross(p.pointB - xb) - turnA.cross(p.pointA - xa);
      const double closing = -u.dot(m.normal);
      const double sliding = (u + closing * m.normal).norm();
      least = std::min(least, p.gap);
      acts = acts || p.gap <= std::max(closing, 0.0) + kLeaningShare * sliding + other;
      spare = std::min(spare, p.gap - std::max(closing, 0.0) - bends);
    }
    if (!acts) continue;
    if (kept != i) found.manifolds[kept] = m;
    found.spare[kept] = spare > falls ? static_cast<float>(spare) : 0.0f;
    ++kept;
  }
  if (kept == 0) {
    found.manifolds[0].count = 0;
    found.manifolds[0].separation = least;
  }
  found.count = kept;
}

// Margin: what both bodies may come against each other in this step, and a share of their size so
// that a pair at rest need not be tested again soon. docs/theory/collision.md derives both bounds.
bool CollisionPipeline::testPair(std::uint32_t index, const CollisionStep& step, Found& found) {
  Pair& pair = pairs_[index];
  const SolverBodies& bodies = step.bodies;
  const Collider& a = colliders_[pair.colliderA];
  const Collider& b = colliders_[pair.colliderB];
  const BodyTravel& ta = step.travel[a.body];
  const BodyTravel& tb = step.travel[b.body];
  const double size = std::min(a.shape.size, b.shape.size);
  const double coming = relativeComing(clocks_[index], step.travel);
  const double sums = ta.sum + tb.sum;
  Placement rooms[2];
  const Placement& poseA = placeOf(a, rooms[0]);
  const Placement& poseB = placeOf(b, rooms[1]);
  PairClock& clock = clocks_[index];
  if (pair.rest.allowed > 0.0f) {
    const double left = wayLeft(pair.rest, {a.shape, poseA, b.shape, poseB});
    if (!clock.touches()) {
      if (left > coming) {
        clock.limit = sums + left;
        return false;
      }
    } else {
      const double spare = clock.limit - clock.movedLimit;  // what was coming when it was tested
      if (left > 0.0 && coming <= spare + left) {
        clock.limit = sums + spare + left;
        clock.movedLimit = sums + left;
        return false;
      }
    }
  }
  const double margin = coming + kSpareMargin * size;
  ContactManifold& first = found.manifolds[0];
  first.count = 0;
  first.separation = -std::numeric_limits<double>::infinity();
  first.normal.setZero();
  const bool polyhedra = a.shape.polyhedron != nullptr && b.shape.polyhedron != nullptr;
  const SurfaceTrack track{pair.memory == kNone ? nullptr : &memories_[pair.memory], sums};
  found.count =
      static_cast<std::size_t>(polyhedra ? collidePolyhedra(a.shape, poseA, b.shape, poseB, margin,
                                                            pair.cache, found.manifolds)
                                         : collideShapes(a.shape, poseA, b.shape, poseB, margin,
                                                         pair.cache, found.manifolds, track));
  found.spare.fill(0.0f);
  if (found.count > 0 && coming > kAlwaysActive * size) dropIdle(a, b, clock, step, found);
  if (found.count == 1) {
    aimHalfway({a, poseA, ta.coming()}, {b, poseB, tb.coming()}, bodies, margin, pair.cache, first);
  }
  // No contact: nothing can touch before the separation is used up. Contact: the points follow the
  // bodies, and no other point can be missed, for motions up to what the manifolds allow.
  double kept = kBallTravel * size;
  for (std::size_t i = 0; i < found.count; ++i) {
    const RoundContact contact = describeRounding(a, poseA, b, poseB, found.manifolds[i]);
    found.roundings[i] = contact.rounding;
    kept = std::min(kept, contact.keptTravel * size);
  }
  const bool touches = found.count > 0;
  clock.limit = sums + (touches ? coming + kept : first.separation);
  clock.movedLimit = touches ? sums + kept : std::numeric_limits<double>::infinity();
  // Where numbers are so large that a direction is none, none is known.
  const Vector3D normal = first.normal.allFinite() ? first.normal : Vector3D{Vector3D::Zero()};
  for (int c = 0; c < 3; ++c) clock.normal[c] = static_cast<float>(normal[c]);
  clock.gap =
      static_cast<float>(touches ? leastGap(first) : std::min(first.separation, kFarApart * size));
  clock.place =
      static_cast<float>(placeAlong(clock.normal, bodies.pose[a.body], bodies.pose[b.body]));
  const bool isApart = !touches && pair.memory == kNone && clock.hasNormal();
  clock.turned = isApart ? ta.turned + tb.turned : -1.0;
  const double allowed = touches ? kept : std::min(first.separation, kFarApart * size);
  // What moves on as it does now has left such a place by the next step.
  const bool mayRest = allowed > 0.0 && coming <= kLeavesRest * allowed;
  pair.rest = mayRest ? restOf({a.shape, poseA, b.shape, poseB}, allowed) : PairRest{};
  return true;
}

// (K-17): every manifold goes on with the contact whose normal is nearest to its own; contacts that
// get none stay with the points they have. Where a contact has fewer points than the manifold,
// those go that will be the highest.
void CollisionPipeline::lookAgain(std::uint32_t index, const CollisionStep& step, double left) {
  const Pair& pair = pairs_[index];
  const Collider& a = colliders_[pair.colliderA];
  const Collider& b = colliders_[pair.colliderB];
  const SolverBodies& bodies = step.bodies;
  const double size = std::min(a.shape.size, b.shape.size);
  const double margin =
      left * relativeComing(clocks_[index], step.travel) + kSpareMargin * size;
  const Placement poseA{colliderPose(a, bodies)}, poseB{colliderPose(b, bodies)};
  const auto bodyPlace = [&](const Collider& c, const Placement& place) -> Placement {
    if (c.isCentred) return place;
    return Pose{vectorOf(bodies.pose[c.body].x), quaternionOf(bodies.pose[c.body].q)};
  };
  const Placement bodyA = bodyPlace(a, poseA), bodyB = bodyPlace(b, poseB);
  const ContactPlaces places{bodyA, bodyB,
                             std::min(bodies.pose[a.body].size, bodies.pose[b.body].size)};
  ManifoldCache cache = pair.cache;
  std::array<ContactManifold, kMostManifolds> manifolds;
  const int count = collideShapes(a.shape, poseA, b.shape, poseB, margin, cache, manifolds);
  std::uint32_t taken[kMostManifolds];
  for (int i = 0; i < count; ++i) {
    ContactManifold& m = manifolds[static_cast<std::size_t>(i)];
    std::uint32_t best = ContactCache::kNone;
    double nearest = -2.0;
    for (std::uint32_t c = pair.firstContact; c != ContactCache::kNone;
         c = contacts_.contact(c).next) {
      if (std::find(taken, taken + i, c) != taken + i) continue;
      const double cosine = contacts_.normal(c, places).dot(m.normal);
      if (cosine > nearest) nearest = cosine, best = c;
    }
    taken[i] = best;
    if (best == ContactCache::kNone) continue;
    const BodyMotion& ma = bodies.motion[a.body];
    const BodyMotion& mb = bodies.motion[b.body];
    const Vector3D xa = vectorOf(bodies.pose[a.body].x), xb = vectorOf(bodies.pose[b.body].x);
    const auto endOf = [&](const ManifoldPoint& p) {
      const Vector3D u = vectorOf(mb.v) + vectorOf(mb.w).cross(p.pointB - xb) - vectorOf(ma.v) -
                         vectorOf(ma.w).cross(p.pointA - xa);
      return p.gap + left * step.dt * u.dot(m.normal);
    };
    const int room = kPointsOfKind[static_cast<std::size_t>(ContactCache::kindOf(best))];
    if (m.count > room)
      std::sort(m.points.begin(), m.points.begin() + m.count,
                [&](const ManifoldPoint& x, const ManifoldPoint& y) {
                  const double ex = endOf(x), ey = endOf(y);
                  return ex != ey ? ex < ey : x.feature < y.feature;
                });
    contacts_.renew(best, m, describeRounding(a, poseA, b, poseB, m).rounding, places);
  }
}

double CollisionPipeline::penetration(std::uint32_t index, const SolverBodies& bodies) const {
  const Collider& a = colliders_[pairs_[index].colliderA];
  const Collider& b = colliders_[pairs_[index].colliderB];
  ManifoldCache cache;  // no axis of earlier steps: the least depth counts
  std::array<ContactManifold, kMostManifolds> manifolds;
  const int count = collideShapes(a.shape, colliderPose(a, bodies), b.shape,
                                  colliderPose(b, bodies), 0.0, cache, manifolds);
  double deepest = 0.0;
  for (int i = 0; i < count; ++i) {
    const ContactManifold& m = manifolds[static_cast<std::size_t>(i)];
    for (int k = 0; k < m.count; ++k)
      deepest = std::max(deepest, -m.points[static_cast<std::size_t>(k)].gap);
  }
  return deepest;
}

// One manifold after one: the same contact goes on whatever its normal does. A surface's manifolds
// come in no lasting order: each continues the old contact whose normal is nearest to its own, if
// that is near enough.
std::size_t CollisionPipeline::matchContacts(const Pair& pair, const Found& found,
                                             std::span<std::uint32_t> matched,
                                             const ContactPlaces& places) const {
  std::array<std::uint32_t, kMostManifolds> old;
  std::size_t count = 0;
  for (std::uint32_t c = pair.firstContact; c != ContactCache::kNone; c = contacts_.contact(c).next)
    old[count++] = c;
  if (found.count == 1 && count <= 1) {
    matched[0] = count == 1 ? old[0] : ContactCache::kNone;
    return count;
  }
  for (std::size_t i = found.count; i-- > 0;) {
    matched[i] =
        takeNearest(contacts_, std::span{old}.first(count), found.manifolds[i].normal, places);
  }
  return count;
}

void CollisionPipeline::applyInPlace(std::uint32_t index, const Found& found,
                                     const SolverBodies& bodies, BlockFinds& left) {
  Pair& pair = pairs_[index];
  const ContactPlaces places = placesOf(index, bodies);
  std::array<std::uint32_t, kMostManifolds> matched;
  bool stays = matchContacts(pair, found, matched, places) == found.count;
  for (std::size_t i = 0; i < found.count && stays; ++i) {
    stays = matched[i] != ContactCache::kNone &&
            ContactCache::kindOf(matched[i]) == ContactCache::kindFor(found.manifolds[i].count);
  }
  if (stays) {
    std::uint32_t following = ContactCache::kNone;
    for (std::size_t i = found.count; i-- > 0;) {
      const CarriedPoints carried = contacts_.carriedBy(matched[i], places);
      contacts_.write(matched[i], {found.manifolds[i], found.roundings[i], carried}, places, false);
      contacts_.setSpare(matched[i], found.spare[i]);
      contacts_.contact(matched[i]).order = static_cast<std::uint8_t>(i);
      contacts_.contact(matched[i]).next = following;
      following = matched[i];
    }
    if (found.count > 0) pair.firstContact = following;
    return;
  }
  left.pairs.push_back({index, static_cast<std::uint32_t>(left.targets.size()),
                        static_cast<std::uint32_t>(found.count)});
  for (std::size_t i = 0; i < found.count; ++i) {
    left.manifolds.push_back(found.manifolds[i]);
    left.roundings.push_back(found.roundings[i]);
    left.targets.push_back(
        {.contact = matched[i], .isNew = false, .spare = found.spare[i], .carried = {}});
    if (matched[i] != ContactCache::kNone)
      left.targets.back().carried = contacts_.carriedBy(matched[i], places);
  }
}

void CollisionPipeline::applyManifolds(const BlockFinds::Pair& what, BlockFinds& left) {
  Pair& pair = pairs_[what.index];
  const std::span<BlockFinds::Target> targets =
      std::span{left.targets}.subspan(what.first, what.count);
  for (std::uint32_t c = pair.firstContact; c != ContactCache::kNone;) {
    const std::uint32_t next = contacts_.contact(c).next;
    const bool goesOn =
        std::any_of(targets.begin(), targets.end(), [c](const auto& t) { return t.contact == c; });
    if (!goesOn) contacts_.remove(c);
    c = next;
  }
  pair.firstContact = ContactCache::kNone;
  for (std::size_t i = what.count; i-- > 0;) {
    BlockFinds::Target& target = targets[i];
    const ContactCache::Kind kind = ContactCache::kindFor(left.manifolds[what.first + i].count);
    if (target.contact == ContactCache::kNone) {
      const Collider& a = colliders_[pair.colliderA];
      const Collider& b = colliders_[pair.colliderB];
      const ContactMaterial material = combine(a.material, b.material);
      clocks_[what.index].restitution = static_cast<float>(material.restitution);
      target.carried.friction = material.friction;
      target.carried.restitution = material.restitution;
      target.contact = contacts_.add(what.index, {a.body, b.body}, material, kind);
      target.isNew = true;
    } else if (ContactCache::kindOf(target.contact) != kind) {
      target.contact = contacts_.moveTo(target.contact, kind);
      target.isNew = true;
    }
    contacts_.setSpare(target.contact, target.spare);
    contacts_.contact(target.contact).order = static_cast<std::uint8_t>(i);
    contacts_.contact(target.contact).next = pair.firstContact;
    pair.firstContact = target.contact;
  }
}

void CollisionPipeline::writePoints(const BlockFinds& left, const SolverBodies& bodies) {
  for (std::size_t i = 0; i < left.targets.size(); ++i) {
    const BlockFinds::Target& target = left.targets[i];
    const ContactPlaces places = placesOf(contacts_.contact(target.contact).pair, bodies);
    contacts_.write(target.contact, {left.manifolds[i], left.roundings[i], target.carried}, places,
                    target.isNew);
  }
}

}  // namespace msd_sim
