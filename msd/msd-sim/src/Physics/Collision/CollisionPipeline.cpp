#include "msd-sim/src/Physics/Collision/CollisionPipeline.hpp"

#include <algorithm>
#include <cmath>

#include "msd-sim/src/Physics/Collision/CollisionTolerances.hpp"
#include "msd-sim/src/Physics/Collision/ConvexTriangles.hpp"
#include "msd-sim/src/Physics/Collision/PairManifolds.hpp"

namespace msd_sim {

namespace {

Coordinate positionOf(const BodyPose& p) { return {p.x[0], p.x[1], p.x[2]}; }
Quaternion orientationOf(const BodyPose& p) { return {p.q[0], p.q[1], p.q[2], p.q[3]}; }

constexpr std::size_t kQueryGrain = 64;
constexpr std::size_t kTestGrain = 64;

// Fewer colliders than this find the tree in the cache in any order.
constexpr std::size_t kSortFrom = 512;

// Cosine of the angle up to which a surface's manifold continues an old contact.
constexpr double kSameNormal = 0.9;

ContactMaterial geometricMeans(const ContactMaterial& a, const ContactMaterial& b) {
  return {std::sqrt(a.friction * b.friction), std::sqrt(a.restitution * b.restitution),
          std::sqrt(a.rollingResistance * b.rollingResistance),
          std::sqrt(a.torsionalResistance * b.torsionalResistance)};
}

/// Coefficients a contact can have.
bool isInRange(const ContactMaterial& m) {
  constexpr double kMostFriction = 1000.0;
  constexpr double kLargest = std::numeric_limits<double>::max();
  return m.friction >= 0.0 && m.friction <= kMostFriction && m.restitution >= 0.0 &&
         m.restitution <= 1.0 && m.rollingResistance >= 0.0 && m.rollingResistance <= kLargest &&
         m.torsionalResistance >= 0.0 && m.torsionalResistance <= kLargest;
}

/// A cylinder touches with its side, not with a cap, when the normal is at least this much across
/// its axis.
constexpr double kSideways = 0.7;

/// Distance of the surface from the core that turns with the body, along the normal (G-1). About
/// its axis a cylinder's core is the axis itself: the radius reaches it where the normal is across,
/// and farther where it leans.
double roundingOf(const Collider& collider, const Vector3D& normal, const SolverBodies& bodies) {
  const CollisionShape& shape = collider.shape;
  if (shape.kind == ShapeKind::kSphere || shape.kind == ShapeKind::kCapsule) return shape.radius;
  if (shape.kind != ShapeKind::kCylinder) return 0.0;
  const Quaternion turned = orientationOf(bodies.pose[collider.body]) * collider.local.orientation;
  const double across = normal.cross(turned * Vector3D{0.0, 0.0, 1.0}).norm();
  return across > kSideways ? shape.radius / across : 0.0;
}

bool canRoll(const Collider& collider) {
  const ShapeKind kind = collider.shape.kind;
  return kind == ShapeKind::kSphere || kind == ShapeKind::kCapsule || kind == ShapeKind::kCylinder;
}

bool isBall(const Collider& collider) {
  return collider.shape.kind == ShapeKind::kSphere && collider.local.position.isZero(0.0);
}

}  // namespace

ContactMaterial CollisionPipeline::combine(const ContactMaterial& a, const ContactMaterial& b) {
  if (!combination_) return geometricMeans(a, b);
  const ContactMaterial result = combination_(a, b);
  if (isInRange(result)) return result;
  if (!bad_combination_) bad_combination_ = BadCombination{a, b, result};
  return geometricMeans(a, b);
}

Pose CollisionPipeline::colliderPose(const Collider& collider, const SolverBodies& bodies) const {
  const BodyPose& p = bodies.pose[collider.body];
  return Pose{positionOf(p), orientationOf(p)} * collider.local;
}

std::uint32_t CollisionPipeline::addCollider(const Collider& collider) {
  std::uint32_t id;
  if (free_colliders_.empty()) {
    id = static_cast<std::uint32_t>(colliders_.size());
    colliders_.emplace_back();
    is_moved_.push_back(0);
  } else {
    id = free_colliders_.back();
    free_colliders_.pop_back();
  }
  colliders_[id] = collider;
  colliders_[id].exists = true;
  colliders_[id].leaf = DynamicTree::kNull;
  colliders_[id].travelLimit = -std::numeric_limits<double>::infinity();
  colliders_[id].spareWidth = kFatMargin * collider.shape.size;
  return id;
}

void CollisionPipeline::removeCollider(std::uint32_t id) {
  Collider& collider = colliders_[id];
  if (collider.leaf != DynamicTree::kNull) {
    (collider.moves ? moving_ : static_).remove(collider.leaf);
  }
  collider = Collider{};
  is_moved_[id] = 0;
  free_colliders_.push_back(id);
}

void CollisionPipeline::refreshBody(std::uint32_t body, std::uint32_t firstCollider) {
  removePairsOf(body, [](std::uint32_t) {});
  for (std::uint32_t c = firstCollider; c != Collider::kNone; c = colliders_[c].nextOfBody) {
    colliders_[c].travelLimit = -std::numeric_limits<double>::infinity();
  }
}

namespace {

double fatMargin(const Collider& collider, const BodyTravel& travel) {
  return collider.spareWidth + kFatSteps * (travel.reach - travel.sum);
}

/// The body may leave its box in this step, or has become so slow that the box is far too large.
bool needsBox(const Collider& collider, const BodyTravel& travel) {
  if (travel.reach > collider.travelLimit) return true;
  return collider.moves &&
         collider.travelLimit - travel.sum > kLooseBox * fatMargin(collider, travel);
}

}  // namespace

// A fat box holds the collider until its body has travelled `margin` farther.
void CollisionPipeline::enlargeBox(std::uint32_t id, const SolverBodies& bodies,
                                   const BodyTravel& travel) {
  Collider& collider = colliders_[id];
  const double margin = collider.moves ? fatMargin(collider, travel) : 0.0;
  const Aabb box = worldBounds(collider.shape, colliderPose(collider, bodies)).expanded(margin);
  DynamicTree& tree = collider.moves ? moving_ : static_;
  if (collider.leaf == DynamicTree::kNull) {
    collider.leaf = tree.insert(box, id);
  } else {
    tree.move(collider.leaf, box);
  }
  collider.travelLimit =
      collider.moves ? travel.sum + margin : std::numeric_limits<double>::infinity();
}

bool CollisionPipeline::mayCollide(std::uint32_t a, std::uint32_t b, const PairRule& rule) const {
  const Collider& ca = colliders_[a];
  const Collider& cb = colliders_[b];
  return ca.body != cb.body && (ca.layer & cb.mask) != 0 && (cb.layer & ca.mask) != 0 &&
         (ca.shape.isConvex() || cb.shape.isConvex()) && rule.allows(ca.body, cb.body);
}

void CollisionPipeline::findPairs(const SolverBodies& bodies, std::span<const BodyTravel> travel,
                                  std::span<const std::uint8_t> pushable, const PairRule& rule,
                                  WorkTeam& team) {
  (void)pushable;
  for (const std::uint32_t id : moved_) is_moved_[id] = 0;
  moved_.clear();
  for (std::uint32_t id = 0; id < colliders_.size(); ++id) {
    const Collider& collider = colliders_[id];
    if (!collider.exists || !needsBox(collider, travel[collider.body])) continue;
    enlargeBox(id, bodies, travel[collider.body]);
    is_moved_[id] = 1;
    moved_.push_back(id);
  }
  if (moved_.empty()) return;
  sortMoved(bodies);
  queryPairs(rule, team);
}

namespace {

/// Spreads the lower ten bits so that two others fit between each.
std::uint64_t spread(std::uint32_t x) {
  x &= 0x3FFu;
  x = (x | (x << 16)) & 0x030000FFu;
  x = (x | (x << 8)) & 0x0300F00Fu;
  x = (x | (x << 4)) & 0x030C30C3u;
  return (x | (x << 2)) & 0x09249249u;
}

}  // namespace

// Along Morton's curve one query finds in the cache what the last one left there. Pairs are sorted
// afterwards: the order decides nothing but the time it takes. (Boxes are moved before, in the order of
// their numbers: leaves that come sorted make a worse tree.)
void CollisionPipeline::sortMoved(const SolverBodies& bodies) {
  if (moved_.size() < kSortFrom) return;
  const auto place = [&](std::uint32_t id) {
    return positionOf(bodies.pose[colliders_[id].body]);
  };
  Coordinate lower = place(moved_[0]), upper = lower;
  for (const std::uint32_t id : moved_) {
    lower = lower.cwiseMin(place(id));
    upper = upper.cwiseMax(place(id));
  }
  const double width = (upper - lower).maxCoeff();
  const double cells = width > 0.0 ? 1023.0 / width : 0.0;
  places_.clear();
  for (const std::uint32_t id : moved_) {
    const Vector3D x = cells * (place(id) - lower);
    const std::uint64_t code = spread(static_cast<std::uint32_t>(x.x())) |
                               (spread(static_cast<std::uint32_t>(x.y())) << 1) |
                               (spread(static_cast<std::uint32_t>(x.z())) << 2);
    places_.push_back((code << 32) | id);
  }
  std::sort(places_.begin(), places_.end());
  for (std::size_t i = 0; i < moved_.size(); ++i) {
    moved_[i] = static_cast<std::uint32_t>(places_[i]);
  }
}

void CollisionPipeline::queryPairs(const PairRule& rule, WorkTeam& team) {
  const std::size_t blocks = (moved_.size() + kQueryGrain - 1) / kQueryGrain;
  if (found_.size() < blocks) found_.resize(blocks);
  team.forBlocks(blocks, [&](std::size_t block) {
    std::vector<PairTable::Key>& found = found_[block];
    found.clear();
    const std::size_t last = std::min(moved_.size(), (block + 1) * kQueryGrain);
    for (std::size_t i = block * kQueryGrain; i < last; ++i) {
      const std::uint32_t id = moved_[i];
      const Collider& collider = colliders_[id];
      const auto visit = [&](std::uint32_t other, std::int32_t) {
        // Of two that moved, the one with the smaller number reports the pair.
        if (other == id || (is_moved_[other] != 0 && other < id)) return;
        const PairTable::Key key{std::min(id, other), std::max(id, other)};
        if (!mayCollide(key.a, key.b, rule)) return;
        if (table_.find(key) == PairTable::kNone) found.push_back(key);
      };
      const Aabb& box = (collider.moves ? moving_ : static_).box(collider.leaf);
      moving_.query(box, visit);
      if (collider.moves) static_.query(box, visit);
    }
  });
  fresh_.clear();
  for (std::size_t block = 0; block < blocks; ++block) {
    fresh_.insert(fresh_.end(), found_[block].begin(), found_[block].end());
  }
  std::sort(fresh_.begin(), fresh_.end(), [](const PairTable::Key& x, const PairTable::Key& y) {
    return x.a != y.a ? x.a < y.a : x.b < y.b;
  });
  for (const PairTable::Key& key : fresh_) addPair(key);
}

void CollisionPipeline::addPair(const PairTable::Key& key) {
  table_.insert(key);
  pairs_.push_back(Pair{.colliderA = key.a, .colliderB = key.b});
  clocks_.push_back(PairClock{.bodyA = colliders_[key.a].body,
                              .bodyB = colliders_[key.b].body,
                              .colliderA = key.a,
                              .colliderB = key.b});
}

void CollisionPipeline::removePair(std::uint32_t index) {
  if (pairs_[index].touching) {
    ended_.push_back({colliders_[pairs_[index].colliderA].body,
                      colliders_[pairs_[index].colliderB].body});
  }
  for (std::uint32_t c = pairs_[index].firstContact; c != ContactCache::kNone;) {
    const std::uint32_t next = contacts_.contact(c).next;
    contacts_.remove(c);
    c = next;
  }
  table_.removeSwap(index);
  pairs_[index] = pairs_.back();
  pairs_.pop_back();
  clocks_[index] = clocks_.back();
  clocks_.pop_back();
  if (index < pairs_.size()) {
    for (std::uint32_t c = pairs_[index].firstContact; c != ContactCache::kNone;
         c = contacts_.contact(c).next) {
      contacts_.contact(c).pair = index;
    }
  }
}

void CollisionPipeline::testPairs(const SolverBodies& bodies, std::span<const BodyTravel> travel,
                                  std::span<const std::uint8_t> pushable, WorkTeam& team) {
  contacts_.resizeBodies(bodies.size());
  due_.clear();
  for (std::uint32_t i = 0; i < clocks_.size();) {
    const PairClock& clock = clocks_[i];
    const BodyTravel& ta = travel[clock.bodyA];
    const BodyTravel& tb = travel[clock.bodyB];
    const bool due = ta.reach + tb.reach > clock.limit || ta.sum + tb.sum > clock.movedLimit;
    if (due || is_moved_[clock.colliderA] != 0 || is_moved_[clock.colliderB] != 0) {
      if (!box(clock.colliderA).overlaps(box(clock.colliderB))) {
        removePair(i);
        continue;
      }
    }
    if (due) due_.push_back(i);
    ++i;
  }
  // Surfaces may give several manifolds per pair: their places in the scratch list are known first.
  std::uint32_t room = 0;
  first_manifold_.clear();
  for (const std::uint32_t i : due_) {
    first_manifold_.push_back(room);
    room += manifoldRoom(pairs_[i]);
  }
  manifolds_.resize(std::max<std::size_t>(manifolds_.size(), room));
  manifold_count_.resize(std::max(manifold_count_.size(), due_.size()));
  team.forRange(due_.size(), kTestGrain, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      manifold_count_[i] =
          testPair(due_[i], bodies, travel,
                   std::span{manifolds_}.subspan(first_manifold_[i], manifoldRoom(pairs_[due_[i]])));
    }
  });
  for (std::size_t i = 0; i < due_.size(); ++i) {
    const auto count = static_cast<std::size_t>(manifold_count_[i]);
    applyManifolds(due_[i], std::span{manifolds_}.subspan(first_manifold_[i], count), bodies,
                   pushable);
  }
}

std::uint32_t CollisionPipeline::manifoldRoom(const Pair& pair) const {
  const CollisionShape& a = colliders_[pair.colliderA].shape;
  const CollisionShape& b = colliders_[pair.colliderB].shape;
  if (a.triangles != nullptr || b.triangles != nullptr) return kMaxTriangleManifolds;
  return a.polyhedron != nullptr && b.polyhedron != nullptr ? kMaxPolyhedronManifolds : 1;
}

int CollisionPipeline::contactCount(const Pair& pair) const {
  int count = 0;
  for (std::uint32_t c = pair.firstContact; c != ContactCache::kNone;
       c = contacts_.contact(c).next) {
    ++count;
  }
  return count;
}

// Margin: what both bodies may move in this step, and a share of their size so that a pair at rest
// need not be tested again soon. docs/theory/collision.md derives both bounds.
int CollisionPipeline::testPair(std::uint32_t index, const SolverBodies& bodies,
                                std::span<const BodyTravel> travel,
                                std::span<ContactManifold> out) {
  Pair& pair = pairs_[index];
  const Collider& a = colliders_[pair.colliderA];
  const Collider& b = colliders_[pair.colliderB];
  const BodyTravel& ta = travel[a.body];
  const BodyTravel& tb = travel[b.body];
  const double size = std::min(a.shape.size, b.shape.size);
  const double coming = (ta.reach - ta.sum) + (tb.reach - tb.sum);
  const double margin = coming + kSpareMargin * size;
  out[0].count = 0;
  out[0].separation = -std::numeric_limits<double>::infinity();
  const Pose poseA = colliderPose(a, bodies), poseB = colliderPose(b, bodies);
  const bool polyhedra = a.shape.polyhedron != nullptr && b.shape.polyhedron != nullptr;
  const int count =
      polyhedra ? collidePolyhedra(a.shape, poseA, b.shape, poseB, margin, pair.cache, out)
                : collideShapes(a.shape, poseA, b.shape, poseB, margin, pair.cache, out);
  const double sums = ta.sum + tb.sum;
  // No contact: nothing can touch before the separation is used up. Contact: the points follow the
  // bodies exactly, and no other point can be missed, for motions up to kReuseTravel.
  // What rolls leaves its points behind; two balls' rows follow them (G-2).
  const bool rolls = (canRoll(a) || canRoll(b)) && !(isBall(a) && isBall(b));
  const double kept = (rolls ? kRollTravel : kReuseTravel) * size;
  PairClock& clock = clocks_[index];
  clock.limit = sums + (count == 0 ? out[0].separation : coming + kept);
  clock.movedLimit = count == 0 ? std::numeric_limits<double>::infinity() : sums + kept;
  return count;
}

// A surface's manifolds come in no lasting order: each continues the old contact whose normal is
// nearest to its own, if that is near enough.
std::uint32_t CollisionPipeline::takeContact(std::uint32_t& old, const Vector3D& normal,
                                             const SolverBodies& bodies) {
  std::uint32_t best = ContactCache::kNone, beforeBest = ContactCache::kNone;
  double nearest = kSameNormal;
  std::uint32_t before = ContactCache::kNone;
  for (std::uint32_t c = old; c != ContactCache::kNone; c = contacts_.contact(c).next) {
    const double cosine = contacts_.normal(c, bodies).dot(normal);
    if (cosine > nearest) {
      nearest = cosine;
      best = c;
      beforeBest = before;
    }
    before = c;
  }
  if (best == ContactCache::kNone) return best;
  std::uint32_t& link =
      beforeBest == ContactCache::kNone ? old : contacts_.contact(beforeBest).next;
  link = contacts_.contact(best).next;
  return best;
}

void CollisionPipeline::applyManifolds(std::uint32_t index,
                                       std::span<const ContactManifold> manifolds,
                                       const SolverBodies& bodies,
                                       std::span<const std::uint8_t> pushable) {
  Pair& pair = pairs_[index];
  const Collider& a = colliders_[pair.colliderA];
  const Collider& b = colliders_[pair.colliderB];
  const ContactBodies who{a.body, b.body, pushable[a.body] != 0, pushable[b.body] != 0};
  // One manifold after one: the same contact goes on whatever its normal does.
  const bool single = manifolds.size() <= 1 && contactCount(pair) <= 1;
  std::uint32_t old = pair.firstContact;
  pair.firstContact = ContactCache::kNone;
  for (std::size_t i = manifolds.size(); i-- > 0;) {
    const ContactManifold& manifold = manifolds[i];
    std::uint32_t contact = old;
    if (single) {
      old = ContactCache::kNone;
    } else {
      contact = takeContact(old, manifold.normal, bodies);
    }
    if (contact == ContactCache::kNone) {
      contact = contacts_.add(index, who,
                              combine(a.material, b.material));
    }
    contacts_.update(contact, manifold, who,
                     {roundingOf(a, manifold.normal, bodies), roundingOf(b, manifold.normal, bodies),
                      isBall(a) && isBall(b)},
                     bodies);
    contacts_.contact(contact).next = pair.firstContact;
    pair.firstContact = contact;
  }
  while (old != ContactCache::kNone) {
    const std::uint32_t next = contacts_.contact(old).next;
    contacts_.remove(old);
    old = next;
  }
}

}  // namespace msd_sim
