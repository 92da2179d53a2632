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
  std::size_t count{0};
};

namespace {

/// How far the centres of two bodies come against each other in the step [m].
double relativePath(const BodyTravel& a, const BodyTravel& b) {
  const double x = b.path[0] - a.path[0], y = b.path[1] - a.path[1], z = b.path[2] - a.path[2];
  return std::sqrt(x * x + y * y + z * z);
}

/// The same along a direction from A to B: positive where they come nearer.
double closingAlong(const float (&n)[3], const BodyTravel& a, const BodyTravel& b) {
  double closing = 0.0;
  for (int c = 0; c < 3; ++c) closing -= (b.path[c] - a.path[c]) * static_cast<double>(n[c]);
  return closing;
}

/// (K-2): most that two points of two bodies come against each other in the step [m].
double relativeComing(const BodyTravel& a, const BodyTravel& b) {
  return relativePath(a, b) + a.turn + b.turn + a.fall + b.fall + a.hit + b.hit;
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
                          const Vector3D& normal, const SolverBodies& bodies) {
  std::size_t best = old.size();
  double nearest = kSameNormal;
  for (std::size_t k = 0; k < old.size(); ++k) {
    if (old[k] == ContactCache::kNone) continue;
    const double cosine = contacts.normal(old[k], bodies).dot(normal);
    if (cosine > nearest) {
      nearest = cosine;
      best = k;
    }
  }
  return best == old.size() ? ContactCache::kNone : std::exchange(old[best], ContactCache::kNone);
}

}  // namespace

CollisionPipeline::Verdict CollisionPipeline::judge(std::uint32_t pair,
                                                    std::span<const BodyTravel> travel) const {
  const PairClock& clock = clocks_[pair];
  const BodyTravel& ta = travel[clock.bodyA];
  const BodyTravel& tb = travel[clock.bodyB];
  // Boxes that have not moved overlap still.
  if ((has_moved_[clock.bodyA] != 0 || has_moved_[clock.bodyB] != 0) &&
      !box(pairs_[pair].colliderA).overlaps(box(pairs_[pair].colliderB))) {
    return Verdict::kParted;
  }
  const double sums = ta.sum + tb.sum;
  const bool due = sums > clock.movedLimit || sums + relativeComing(ta, tb) > clock.limit;
  return due ? Verdict::kDue : Verdict::kWaits;
}

// (K-15): a body that is hit moves on with a share of the speed, by the masses: u m_B/(m_A + m_B),
// and (1 + e) times that where it bounces. Whatever lies in its way may be met in this step, too.
void CollisionPipeline::spreadHits(const CollisionStep& step, WorkTeam& team) {
  constexpr std::size_t kGrain = 2048;  // pairs a thread takes at a time
  team.forRange(step.travel.size(), kGrain, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) step.travel[i].hit = 0.0;
  });
  team.forRange(clocks_.size(), kGrain, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const PairClock& clock = clocks_[i];
      BodyTravel& ta = step.travel[clock.bodyA];
      BodyTravel& tb = step.travel[clock.bodyB];
      const double path = relativePath(ta, tb);
      const double felt = kFeltHit * (ta.size > 0.0 && tb.size > 0.0 ? std::min(ta.size, tb.size)
                                                                     : std::max(ta.size, tb.size));
      if (!(path > felt)) continue;
      double closing = path;
      const double besides = ta.turn + tb.turn + ta.fall + tb.fall;
      // Of a surface the front of the nearest triangle tells more than the whole speed does.
      const bool isSurface = pairs_[i].memory != kNone;
      if (clock.hasNormal() && (clock.touches() || isSurface)) {
        closing = closingAlong(clock.normal, ta, tb);
        if (!(closing > felt)) continue;
        if (!clock.touches() && gapNow(clock, step.bodies) > 2.0 * (closing + besides)) continue;
      } else if (clock.limit - (ta.sum + tb.sum) > path + besides) {
        continue;
      }
      const double wa = step.bodies.motion[clock.bodyA].inverseMass;
      const double wb = step.bodies.motion[clock.bodyB].inverseMass;
      const double given = closing * (1.0 + static_cast<double>(clock.restitution)) / (wa + wb);
      if (wa > 0.0) raise(ta.hit, given * wa);
      if (wb > 0.0) raise(tb.hit, given * wb);
    }
  });
}

void CollisionPipeline::findDue(std::span<const BodyTravel> travel, WorkTeam& team) {
  constexpr std::size_t kJudged = 2048;  // pairs a thread takes at a time
  verdicts_.resize(clocks_.size());
  team.forRange(clocks_.size(), kJudged, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      verdicts_[i] = judge(static_cast<std::uint32_t>(i), travel);
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
  has_moved_.resize(step.bodies.size());
  for (const std::uint32_t id : moved_) has_moved_[colliders_[id].body] = 1;
  spreadHits(step, team);
  findDue(step.travel, team);
  for (const std::uint32_t id : moved_) has_moved_[colliders_[id].body] = 0;
  sortDue(step.pushable);
  for (std::size_t first = 0; first < due_.size(); first += kWave) {
    testWave(std::span{due_}.subspan(first, std::min(kWave, due_.size() - first)), step, team);
  }
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
// a share of its sliding, since normals lean, by what turns and loads can add, and by hits.
void CollisionPipeline::dropIdle(const Collider& a, const Collider& b, const CollisionStep& step,
                                 Found& found) const {
  const BodyTravel& ta = step.travel[a.body];
  const BodyTravel& tb = step.travel[b.body];
  const SolverBodies& bodies = step.bodies;
  const Vector3D path = vectorOf(tb.path) - vectorOf(ta.path);
  const Vector3D turnA = step.dt * vectorOf(bodies.motion[a.body].w);
  const Vector3D turnB = step.dt * vectorOf(bodies.motion[b.body].w);
  const Vector3D xa = vectorOf(bodies.pose[a.body].x), xb = vectorOf(bodies.pose[b.body].x);
  const double always = kAlwaysActive * std::min(a.shape.size, b.shape.size);
  const double other = ta.fall + tb.fall + ta.hit + tb.hit + always;
  std::size_t kept = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < found.count; ++i) {
    const ContactManifold& m = found.manifolds[i];
    bool acts = false;
    for (int k = 0; k < m.count; ++k) {
      const ManifoldPoint& p = m.points[static_cast<std::size_t>(k)];
      const Vector3D u = path + turnB.cross(p.pointB - xb) - turnA.cross(p.pointA - xa);
      const double closing = -u.dot(m.normal);
      const double sliding = (u + closing * m.normal).norm();
      least = std::min(least, p.gap);
      acts = acts || p.gap <= std::max(closing, 0.0) + kLeaningShare * sliding + other;
    }
    if (!acts) continue;
    if (kept != i) found.manifolds[kept] = m;
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
  const double coming = relativeComing(ta, tb);
  const double sums = ta.sum + tb.sum;
  const Pose poseA = colliderPose(a, bodies), poseB = colliderPose(b, bodies);
  const RelativePlace now{a.shape, poseA, b.shape, poseB};
  PairClock& clock = clocks_[index];
  if (pair.rest.allowed > 0.0f) {
    const double left = wayLeft(pair.rest, now);
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
  if (found.count > 0 && coming > kAlwaysActive * size) dropIdle(a, b, step, found);
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
  for (int c = 0; c < 3; ++c) clock.normal[c] = static_cast<float>(first.normal[c]);
  clock.gap =
      static_cast<float>(touches ? leastGap(first) : std::min(first.separation, kFarApart * size));
  clock.place =
      static_cast<float>(placeAlong(clock.normal, bodies.pose[a.body], bodies.pose[b.body]));
  const double allowed = touches ? kept : std::min(first.separation, kFarApart * size);
  pair.rest = allowed > 0.0 ? restOf(now, allowed) : PairRest{};
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
      left * relativeComing(step.travel[a.body], step.travel[b.body]) + kSpareMargin * size;
  const Pose poseA = colliderPose(a, bodies), poseB = colliderPose(b, bodies);
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
      const double cosine = contacts_.normal(c, bodies).dot(m.normal);
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
    contacts_.renew(best, m, describeRounding(a, poseA, b, poseB, m).rounding, bodies);
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
                                             const SolverBodies& bodies) const {
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
        takeNearest(contacts_, std::span{old}.first(count), found.manifolds[i].normal, bodies);
  }
  return count;
}

void CollisionPipeline::applyInPlace(std::uint32_t index, const Found& found,
                                     const SolverBodies& bodies, BlockFinds& left) {
  Pair& pair = pairs_[index];
  std::array<std::uint32_t, kMostManifolds> matched;
  bool stays = matchContacts(pair, found, matched, bodies) == found.count;
  for (std::size_t i = 0; i < found.count && stays; ++i) {
    stays = matched[i] != ContactCache::kNone &&
            ContactCache::kindOf(matched[i]) == ContactCache::kindFor(found.manifolds[i].count);
  }
  if (stays) {
    std::uint32_t following = ContactCache::kNone;
    for (std::size_t i = found.count; i-- > 0;) {
      const CarriedPoints carried = contacts_.carriedBy(matched[i], bodies);
      contacts_.write(matched[i], {found.manifolds[i], found.roundings[i], carried}, bodies, false);
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
    left.targets.push_back({.contact = matched[i], .isNew = false, .carried = {}});
    if (matched[i] != ContactCache::kNone)
      left.targets.back().carried = contacts_.carriedBy(matched[i], bodies);
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
    contacts_.contact(target.contact).order = static_cast<std::uint8_t>(i);
    contacts_.contact(target.contact).next = pair.firstContact;
    pair.firstContact = target.contact;
  }
}

void CollisionPipeline::writePoints(const BlockFinds& left, const SolverBodies& bodies) {
  for (std::size_t i = 0; i < left.targets.size(); ++i) {
    const BlockFinds::Target& target = left.targets[i];
    contacts_.write(target.contact, {left.manifolds[i], left.roundings[i], target.carried}, bodies,
                    target.isNew);
  }
}

}  // namespace msd_sim
