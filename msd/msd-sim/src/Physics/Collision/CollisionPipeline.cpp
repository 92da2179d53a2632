#include "msd-sim/src/Physics/Collision/CollisionPipeline.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "msd-sim/src/DataTypes/Arrays.hpp"
#include "msd-sim/src/Physics/Collision/CollisionTolerances.hpp"
#include "msd-sim/src/Physics/RigidBody/Restitution.hpp"

namespace msd_sim {

namespace {

constexpr std::size_t kQueryGrain = 16;
constexpr std::size_t kBoxGrain = 256;

// A collider with more neighbours than this is looked at more closely: it may lie within others.
constexpr std::size_t kManyNeighbours = 64;
// Of the colliders whose centres lie within the ball in a collider's middle, so many are tested at
// least.
constexpr std::size_t kMostWithin = 16;

// Fewer colliders than this find the tree in the cache in any order.
constexpr std::size_t kSortFrom = 512;

// A tree is built anew where so many of its boxes are new, and so large a share of them (one in
// ...).
constexpr std::size_t kLeastRebuild = 256;
constexpr std::size_t kRebuildShare = 8;

ContactMaterial geometricMeans(const ContactMaterial& a, const ContactMaterial& b) {
  return {std::sqrt(a.friction * b.friction), pairRestitution(a.restitution, b.restitution),
          std::sqrt(a.rollingResistance * b.rollingResistance),
          std::sqrt(a.torsionalResistance * b.torsionalResistance), a.special || b.special};
}

bool hasSurface(const Collider& collider) {
  return collider.shape.triangles != nullptr;
}

/// Radius of a ball about a shape's centre that lies within it; 0 for surfaces.
double innerRadius(const CollisionShape& shape) {
  switch (shape.kind) {
    case ShapeKind::kSphere:
    case ShapeKind::kCapsule:
      return shape.radius;
    case ShapeKind::kCylinder:
      return std::min(shape.radius, shape.halfHeight);
    case ShapeKind::kBox:
      return shape.halfExtents.minCoeff();
    case ShapeKind::kHull: {
      double least = std::numeric_limits<double>::infinity();
      for (const auto& face : shape.polyhedron->faces()) {
        least = std::min(least, face.offset - face.normal.dot(shape.centre));
      }
      return std::max(least, 0.0);
    }
    default:
      return 0.0;
  }
}

/// Coefficients a contact can have.
bool isInRange(const ContactMaterial& m) {
  constexpr double kMostFriction = 1000.0;
  constexpr double kLargest = std::numeric_limits<double>::max();
  return m.friction >= 0.0 && m.friction <= kMostFriction && m.restitution >= 0.0 &&
         m.restitution <= 1.0 && m.rollingResistance >= 0.0 && m.rollingResistance <= kLargest &&
         m.torsionalResistance >= 0.0 && m.torsionalResistance <= kLargest;
}

}  // namespace

ContactMaterial CollisionPipeline::combine(const ContactMaterial& a, const ContactMaterial& b) {
  if (!combination_) return geometricMeans(a, b);
  ContactMaterial result = combination_(a, b);
  result.special = a.special || b.special;
  if (isInRange(result)) return result;
  if (!bad_combination_) bad_combination_ = BadCombination{a, b, result};
  return geometricMeans(a, b);
}

Pose CollisionPipeline::colliderPose(const Collider& collider, const SolverBodies& bodies) const {
  const BodyPose& p = bodies.pose[collider.body];
  const Pose pose{vectorOf(p.x), quaternionOf(p.q)};
  return collider.isCentred ? pose : pose * collider.local;
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
  colliders_[id].inner = innerRadius(collider.shape);
  colliders_[id].isCentred = collider.local.position.isZero(0.0) &&
                             collider.local.orientation.coeffs() == Quaternion::Identity().coeffs();
  colliders_[id].firstPair = kNone;
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

void CollisionPipeline::refreshBody(std::uint32_t firstCollider) {
  removePairsOf(firstCollider, [](std::uint32_t) {});
  for (std::uint32_t c = firstCollider; c != Collider::kNone; c = colliders_[c].nextOfBody) {
    colliders_[c].travelLimit = -std::numeric_limits<double>::infinity();
  }
}

namespace {

/// Room that a fat box leaves on every side: for what loads, turns and pushes from the side can add
/// in the coming step, and for its turning in the steps after that.
double fatMargin(const Collider& collider, const BodyTravel& travel) {
  return collider.spareWidth + travel.fall + kFatSteps * travel.turn;
}

/// Distance of a box from the nearest side of one that holds it; negative where it sticks out.
double roomWithin(const Aabb& outer, const Aabb& inner) {
  return std::min((inner.lower - outer.lower).minCoeff(), (outer.upper - inner.upper).minCoeff());
}

/// The box and all places it passes when it moves by `path`.
Aabb swept(const Aabb& box, const Vector3D& path) {
  return {box.lower + path.cwiseMin(0.0), box.upper + path.cwiseMax(0.0)};
}

}  // namespace

// The travel says at once that a box still holds its collider whichever way the body went. Where it
// does not, the body has mostly gone where its box is long, and a look at where the collider comes
// in the step tells. A body that has become slow gets a smaller box.
bool CollisionPipeline::needsBox(Collider& collider, const BodyTravel& travel) const {
  constexpr double kAnew = -std::numeric_limits<double>::infinity();  // its pairs are to be found
  if (collider.travelLimit == kAnew) return true;
  if (!collider.moves) return false;
  const double coming = travel.coming();
  if (travel.sum + coming > collider.travelLimit) {
    const Aabb& fat = moving_.box(collider.leaf);
    Placement room;
    const Aabb now = worldBounds(collider.shape, placeOf(collider, room));
    const Aabb then = swept(now.expanded(travel.turn + travel.fall), vectorOf(travel.path));
    if (roomWithin(fat, then) < 0.0) return true;
    collider.travelLimit = travel.sum + roomWithin(fat, now);
  }
  const double ahead = (kFatSteps - 1.0) * vectorOf(travel.path).norm();
  return collider.travelLimit - travel.sum > kLooseBox * (fatMargin(collider, travel) + ahead);
}

// A fat box holds the collider until its body has travelled its margin farther, and longer where it
// goes on as it moves now.
Aabb CollisionPipeline::fatBox(Collider& collider, const BodyTravel& travel) const {
  Placement room;
  Aabb box = worldBounds(collider.shape, placeOf(collider, room));
  collider.travelLimit = std::numeric_limits<double>::infinity();
  if (collider.moves) {
    const double margin = fatMargin(collider, travel);
    box = swept(box.expanded(margin), kFatSteps * vectorOf(travel.path));
    collider.travelLimit = travel.sum + margin;
  }
  return box;
}

// The trees decide nothing but the time that queries take. Where few boxes are new they are moved
// one by one; where many are, the tree is built anew, by all threads, which costs less and gives a
// better one.
void CollisionPipeline::placeBoxes(WorkTeam& team) {
  std::size_t moving = 0;
  for (const std::uint32_t id : moved_) moving += colliders_[id].moves ? 1 : 0;
  const bool anew = moving >= kLeastRebuild && moving * kRebuildShare >= moving_.leafCount();
  const auto staysLoose = [&](const Collider& c) {
    return anew && c.moves && c.leaf != DynamicTree::kNull;
  };
  if (anew) {
    team.forRange(moved_.size(), kBoxGrain, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        const Collider& collider = colliders_[moved_[i]];
        if (staysLoose(collider)) moving_.setBox(collider.leaf, boxes_[i]);
      }
    });
  }
  for (std::size_t i = 0; i < moved_.size(); ++i) {
    Collider& collider = colliders_[moved_[i]];
    if (staysLoose(collider)) continue;
    DynamicTree& tree = collider.moves ? moving_ : static_;
    if (anew && collider.moves) {
      collider.leaf = tree.addLoose(boxes_[i], moved_[i]);
    } else if (collider.leaf != DynamicTree::kNull) {
      tree.move(collider.leaf, boxes_[i]);
    } else {
      collider.leaf = tree.insert(boxes_[i], moved_[i]);
    }
  }
  if (!anew) return;
  moving_.rebuild(team, [&](std::uint32_t id, std::int32_t leaf) { colliders_[id].leaf = leaf; });
}

bool CollisionPipeline::mayCollide(std::uint32_t a, std::uint32_t b, const PairRule& rule) const {
  const Collider& ca = colliders_[a];
  const Collider& cb = colliders_[b];
  return ca.body != cb.body && (ca.layer & cb.mask) != 0 && (cb.layer & ca.mask) != 0 &&
         (ca.shape.isConvex() || cb.shape.isConvex()) && rule.allows(ca.body, cb.body);
}

void CollisionPipeline::placeBodies(const SolverBodies& bodies, WorkTeam& team) {
  standing_.resize(bodies.size());
  team.forRange(bodies.size(), kBoxGrain, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      standing_[i] = Pose{vectorOf(bodies.pose[i].x), quaternionOf(bodies.pose[i].q)};
    }
  });
}

void CollisionPipeline::findPairs(const SolverBodies& bodies, std::span<const BodyTravel> travel,
                                  const PairRule& rule, WorkTeam& team) {
  placeBodies(bodies, team);
  moved_.clear();
  team.forRange(colliders_.size(), kBoxGrain, [&](std::size_t first, std::size_t last) {
    for (std::size_t id = first; id < last; ++id) {
      Collider& collider = colliders_[id];
      is_moved_[id] = collider.exists && needsBox(collider, travel[collider.body]) ? 1 : 0;
    }
  });
  for (std::uint32_t id = 0; id < colliders_.size(); ++id) {
    if (is_moved_[id] != 0) moved_.push_back(id);
  }
  if (moved_.empty()) return;
  boxes_.resize(moved_.size());
  team.forRange(moved_.size(), kBoxGrain, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      Collider& collider = colliders_[moved_[i]];
      boxes_[i] = fatBox(collider, travel[collider.body]);
    }
  });
  placeBoxes(team);
  sortMoved(bodies, team);
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
// afterwards: the order decides nothing but the time it takes.
void CollisionPipeline::sortMoved(const SolverBodies& bodies, WorkTeam& team) {
  if (moved_.size() < kSortFrom) return;
  const auto place = [&](std::uint32_t id) { return vectorOf(bodies.pose[colliders_[id].body].x); };
  Coordinate lower = place(moved_[0]), upper = lower;
  for (const std::uint32_t id : moved_) {
    lower = lower.cwiseMin(place(id));
    upper = upper.cwiseMax(place(id));
  }
  const double width = (upper - lower).maxCoeff();
  const double cells = width > 0.0 ? 1023.0 / width : 0.0;
  places_.resize(moved_.size());
  team.forRange(moved_.size(), kBoxGrain, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const Vector3D x = cells * (place(moved_[i]) - lower);
      const std::uint64_t code = spread(static_cast<std::uint32_t>(x.x())) |
                                 (spread(static_cast<std::uint32_t>(x.y())) << 1) |
                                 (spread(static_cast<std::uint32_t>(x.z())) << 2);
      places_[i] = (code << 32) | moved_[i];
    }
  });
  sortByCode();
  for (std::size_t i = 0; i < moved_.size(); ++i) {
    moved_[i] = static_cast<std::uint32_t>(places_[i]);
  }
}

// By the code's three digits of ten bits, the lowest first.
void CollisionPipeline::sortByCode() {
  constexpr int kDigit = 10;
  constexpr std::uint64_t kMask = (1u << kDigit) - 1;
  sorted_places_.resize(places_.size());
  for (int shift = 32; shift < 32 + 3 * kDigit; shift += kDigit) {
    std::array<std::uint32_t, kMask + 2> start{};
    for (const std::uint64_t x : places_) ++start[((x >> shift) & kMask) + 1];
    std::partial_sum(start.begin(), start.end(), start.begin());
    for (const std::uint64_t x : places_) sorted_places_[start[(x >> shift) & kMask]++] = x;
    places_.swap(sorted_places_);
  }
}

template <class Visit>
void CollisionPipeline::visitNeighbours(std::uint32_t id, const PairRule& rule,
                                        const Visit& visit) const {
  const Collider& collider = colliders_[id];
  const auto look = [&](std::uint32_t other, std::int32_t) {
    // Of two that moved, the one with the smaller number reports the pair.
    if (other == id || (is_moved_[other] != 0 && other < id)) return;
    const PairTable::Key key{std::min(id, other), std::max(id, other)};
    if (mayCollide(key.a, key.b, rule)) visit(key);
  };
  const Aabb& box = (collider.moves ? moving_ : static_).box(collider.leaf);
  moving_.query(box, look);
  if (collider.moves) static_.query(box, look);
}

void CollisionPipeline::queryPairs(const PairRule& rule, WorkTeam& team) {
  const std::size_t blocks = (moved_.size() + kQueryGrain - 1) / kQueryGrain;
  if (found_.size() < blocks) found_.resize(blocks);
  team.forBlocks(blocks, [&](std::size_t block) {
    std::vector<PairTable::Key>& found = found_[block];
    found.clear();
    const std::size_t last = std::min(moved_.size(), (block + 1) * kQueryGrain);
    for (std::size_t i = block * kQueryGrain; i < last; ++i) {
      const std::size_t before = found.size();
      std::size_t seen = 0;
      visitNeighbours(moved_[i], rule, [&](const PairTable::Key& key) {
        if (++seen <= kManyNeighbours && table_.find(key) == PairTable::kNone) found.push_back(key);
      });
      if (seen <= kManyNeighbours) continue;
      found.resize(before);
      queryMany(moved_[i], rule, found);
    }
  });
  fresh_.clear();
  for (std::size_t block = 0; block < blocks; ++block) {
    fresh_.insert(fresh_.end(), found_[block].begin(), found_[block].end());
  }
  sortFresh();
  for (const PairTable::Key& key : fresh_) addPair(key);
}

// By the first collider by counting, and among the few of one collider by the second.
void CollisionPipeline::sortFresh() {
  const auto before = [](const PairTable::Key& x, const PairTable::Key& y) {
    return x.a != y.a ? x.a < y.a : x.b < y.b;
  };
  if (fresh_.size() < kSortFrom) {
    std::sort(fresh_.begin(), fresh_.end(), before);
    return;
  }
  fresh_start_.assign(colliders_.size() + 1, 0);
  for (const PairTable::Key& key : fresh_) ++fresh_start_[key.a + 1];
  std::partial_sum(fresh_start_.begin(), fresh_start_.end(), fresh_start_.begin());
  sorted_fresh_.resize(fresh_.size());
  for (const PairTable::Key& key : fresh_) sorted_fresh_[fresh_start_[key.a]++] = key;
  for (std::size_t first = 0, last = 0; first < sorted_fresh_.size(); first = last) {
    while (last < sorted_fresh_.size() && sorted_fresh_[last].a == sorted_fresh_[first].a) ++last;
    std::sort(sorted_fresh_.begin() + static_cast<std::ptrdiff_t>(first),
              sorted_fresh_.begin() + static_cast<std::ptrdiff_t>(last), before);
  }
  fresh_.swap(sorted_fresh_);
}

// Where bodies lie within each other, n of them make n² pairs of which hardly one means anything.
// Those nearest by number are kept, so that each has about as many as any other; once they have
// parted, the next look finds others.
void CollisionPipeline::queryMany(std::uint32_t id, const PairRule& rule,
                                  std::vector<PairTable::Key>& found) {
  const auto centre = [&](const Collider& c) -> Coordinate {
    Placement room;
    return placeOf(c, room).toWorld(c.shape.centre);
  };
  Collider& self = colliders_[id];
  const Coordinate here = centre(self);
  std::vector<std::uint32_t> within;
  visitNeighbours(id, rule, [&](const PairTable::Key& key) {
    const std::uint32_t other = key.a == id ? key.b : key.a;
    const Collider& c = colliders_[other];
    const double reach = std::min(self.inner, c.inner);
    if (self.moves && c.moves && (centre(c) - here).squaredNorm() < reach * reach) {
      within.push_back(other);
    } else if (table_.find(key) == PairTable::kNone) {
      found.push_back(key);
    }
  });
  const auto distance = [id](std::uint32_t other) { return other > id ? other - id : id - other; };
  std::sort(within.begin(), within.end(), [&](std::uint32_t x, std::uint32_t y) {
    return distance(x) != distance(y) ? distance(x) < distance(y) : x < y;
  });
  if (within.size() > kMostWithin) {
    within.resize(kMostWithin);
    self.travelLimit = -std::numeric_limits<double>::infinity();  // looks again in the next step
  }
  for (const std::uint32_t other : within) {
    const PairTable::Key key{std::min(id, other), std::max(id, other)};
    if (table_.find(key) == PairTable::kNone) found.push_back(key);
  }
}

void CollisionPipeline::linkPair(std::uint32_t pair) {
  const std::uint32_t sides[2] = {pairs_[pair].colliderA, pairs_[pair].colliderB};
  for (std::uint32_t side = 0; side < 2; ++side) {
    std::uint32_t& first = colliders_[sides[side]].firstPair;
    links_[pair].next[side] = first;
    links_[pair].previous[side] = kNone;
    if (first != kNone) links_[first / 2].previous[first % 2] = 2 * pair + side;
    first = 2 * pair + side;
  }
}

void CollisionPipeline::unlinkPair(std::uint32_t pair) {
  const std::uint32_t sides[2] = {pairs_[pair].colliderA, pairs_[pair].colliderB};
  for (std::uint32_t side = 0; side < 2; ++side) {
    const std::uint32_t next = links_[pair].next[side], previous = links_[pair].previous[side];
    if (next != kNone) links_[next / 2].previous[next % 2] = previous;
    if (previous != kNone) {
      links_[previous / 2].next[previous % 2] = next;
    } else {
      colliders_[sides[side]].firstPair = next;
    }
  }
}

std::vector<std::uint32_t> CollisionPipeline::pairsOf(std::uint32_t firstCollider) const {
  std::vector<std::uint32_t> pairs;
  for (std::uint32_t c = firstCollider; c != Collider::kNone; c = colliders_[c].nextOfBody) {
    for (std::uint32_t link = colliders_[c].firstPair; link != kNone;
         link = links_[link / 2].next[link % 2]) {
      pairs.push_back(link / 2);
    }
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

void CollisionPipeline::addPair(const PairTable::Key& key) {
  table_.insert(key);
  pairs_.push_back(Pair{.colliderA = key.a, .colliderB = key.b});
  clocks_.push_back(PairClock{.bodyA = colliders_[key.a].body, .bodyB = colliders_[key.b].body});
  links_.emplace_back();
  linkPair(static_cast<std::uint32_t>(pairs_.size() - 1));
  if (!hasSurface(colliders_[key.a]) && !hasSurface(colliders_[key.b])) return;
  if (free_memories_.empty()) {
    free_memories_.push_back(static_cast<std::uint32_t>(memories_.size()));
    memories_.emplace_back();
  }
  pairs_.back().memory = free_memories_.back();
  free_memories_.pop_back();
  memories_[pairs_.back().memory].clear();
}

void CollisionPipeline::removePair(std::uint32_t index) {
  if (pairs_[index].touching) {
    ended_.push_back(
        {colliders_[pairs_[index].colliderA].body, colliders_[pairs_[index].colliderB].body});
  }
  for (std::uint32_t c = pairs_[index].firstContact; c != ContactCache::kNone;) {
    const std::uint32_t next = contacts_.contact(c).next;
    contacts_.remove(c);
    c = next;
  }
  if (pairs_[index].memory != kNone) free_memories_.push_back(pairs_[index].memory);
  table_.removeSwap(index);
  const auto last = static_cast<std::uint32_t>(pairs_.size() - 1);
  unlinkPair(index);
  if (last != index) unlinkPair(last);
  pairs_[index] = pairs_.back();
  pairs_.pop_back();
  links_.pop_back();
  clocks_[index] = clocks_.back();
  clocks_.pop_back();
  tested_pairs_ = std::min(tested_pairs_, pairs_.size());
  if (index < pairs_.size()) {
    linkPair(index);
    for (std::uint32_t c = pairs_[index].firstContact; c != ContactCache::kNone;
         c = contacts_.contact(c).next) {
      contacts_.contact(c).pair = index;
    }
  }
}

}  // namespace msd_sim
