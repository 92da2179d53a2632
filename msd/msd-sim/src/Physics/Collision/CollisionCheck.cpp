// Whether what collision keeps from step to step hangs together: asked of snapshots, whoever made them, before
// they are used, and between stages by builds with assertions.
#include <algorithm>
#include <cmath>

#include "msd-sim/src/Physics/Collision/CollisionPipeline.hpp"

namespace msd_sim {

namespace {

bool isFlag(double value) { return value == 0.0 || value == 1.0; }

/// Coefficients, sizes and flags of a contact.
template <int kPoints>
bool isSensible(const StoredContact<kPoints>& s) {
  if (!std::all_of(s.numbers(), s.numbers() + StoredContact<kPoints>::kNumbers,
                   [](double number) { return std::isfinite(number); })) {
    return false;
  }
  bool active = true;
  for (const StoredPoint& point : s.points) active = active && isFlag(point.active);
  return active && s.friction >= 0.0 && s.restitution >= 0.0 && s.restitution <= 1.0 && s.size > 0.0 &&
         s.rounding0 >= 0.0 && s.rounding1 >= 0.0 && isFlag(s.balls) &&
         (s.mode == 0.0 || s.mode == 1.0 || (s.mode == 2.0 && kPoints == 1));
}

}  // namespace

template <int kPoints>
const char* ContactCache::findNumberFault(std::size_t bodies) const {
  constexpr auto kKind = static_cast<std::size_t>(kPoints == 4 ? 2 : kPoints - 1);
  const auto& pool = std::get<AlignedVector<StoredContact<kPoints>>>(numbers_);
  const std::vector<Contact>& records = records_[kKind];
  if (pool.size() != records.size()) return "contacts without numbers";
  std::vector<std::uint8_t> freed(records.size(), 0);
  for (const std::uint32_t place : free_[kKind]) {
    if (place >= records.size() || freed[place] != 0 || records[place].pair != kNone) return "a free contact that is not";
    freed[place] = 1;
  }
  for (std::size_t i = 0; i < records.size(); ++i) {
    if ((records[i].pair == kNone) != (freed[i] != 0)) return "contacts that are neither there nor free";
    if (freed[i] != 0) continue;
    const ContactBodies& bodyPair = records[i].bodies;
    if (bodyPair.a >= bodies || bodyPair.b >= bodies || bodyPair.a == bodyPair.b) return "a contact of no two bodies";
    if (!isSensible(pool[i])) return "a contact is not made of numbers, or of such out of their ranges";
  }
  return nullptr;
}

/// Counts, and the list of those that resist.
const char* ContactCache::findBookFault(std::size_t bodies) const {
  std::vector<std::uint8_t> named(resistances_.size(), 0);
  const auto name = [&](std::uint32_t place) {
    if (place >= named.size() || named[place] != 0) return false;
    named[place] = 1;
    return true;
  };
  for (const std::uint32_t place : free_resistances_) {
    if (!name(place)) return "a free resistance that is not";
  }
  std::uint32_t live = 0, bouncing = 0, resisting = 0;
  for (const std::vector<Contact>& records : records_) {
    for (const Contact& contact : records) {
      if (contact.pair == kNone) continue;
      ++live;
      bouncing += contact.bounces ? 1 : 0;
      if (contact.resistance == kNone) continue;
      if (!name(contact.resistance)) return "a contact with the resistance of another";
      ++resisting;
    }
  }
  for (const ContactResistance& r : resistances_) {
    const double sum = r.rolling + r.torsional + r.moment[0] + r.moment[1] + r.moment[2];
    if (!(r.rolling >= 0.0 && r.torsional >= 0.0) || !std::isfinite(sum)) return "a resistance that is no number";
  }
  if (live != live_count_ || bouncing != bouncing_count_ || resisting != resisting_count_ ||
      resistances_.size() != resisting + free_resistances_.size()) {
    return "contacts are counted wrong";
  }
  for (const ContactBodies& lost : lost_) {
    if (lost.a >= bodies || lost.b >= bodies) return "a lost contact of no two bodies";
  }
  return nullptr;
}

const char* ContactCache::findFault(std::size_t bodies) const {
  if (const char* fault = findNumberFault<1>(bodies)) return fault;
  if (const char* fault = findNumberFault<2>(bodies)) return fault;
  if (const char* fault = findNumberFault<4>(bodies)) return fault;
  if (!impulses_.isValid()) return "a remembered impulse that is none";
  return findBookFault(bodies);
}

namespace {

/// May a test of these two start from what the pair remembers?
bool isUsable(const ManifoldCache& cache, const CollisionShape& a, const CollisionShape& b) {
  using Kind = ManifoldCache::Kind;
  constexpr std::uint8_t kMostCorners = 4;
  if (cache.kind > Kind::kEdges || cache.cornerCount > kMostCorners || !cache.axis.allFinite()) return false;
  if (cache.kind < Kind::kFaceA) return true;  // corners are compared with the shape's when they are read
  if (a.polyhedron == nullptr || b.polyhedron == nullptr) return false;
  // Two boxes remember the number of an axis.
  constexpr std::uint16_t kBoxAxes = 15;
  if (a.kind == ShapeKind::kBox && b.kind == ShapeKind::kBox) return cache.cornersA[0] < kBoxAxes;
  const std::size_t facesA = a.polyhedron->faces().size(), facesB = b.polyhedron->faces().size();
  if (cache.cornersA[1] >= facesA || cache.cornersB[1] >= facesB) return false;
  if (cache.kind == Kind::kFaceA) return cache.cornersA[0] < facesA;
  if (cache.kind == Kind::kFaceB) return cache.cornersB[0] < facesB;
  return cache.cornersA[0] < a.polyhedron->edges().size() && cache.cornersB[0] < b.polyhedron->edges().size();
}

}  // namespace

const char* CollisionPipeline::findPairFault(std::uint32_t index) const {
  const Pair& pair = pairs_[index];
  if (pair.colliderA >= pair.colliderB || pair.colliderB >= colliders_.size()) return "a pair of no two shapes";
  const Collider& a = colliders_[pair.colliderA];
  const Collider& b = colliders_[pair.colliderB];
  if (!a.exists || !b.exists || a.body == b.body || (!a.shape.isConvex() && !b.shape.isConvex()) ||
      a.leaf == DynamicTree::kNull || b.leaf == DynamicTree::kNull) {
    return "a pair of shapes that cannot touch";
  }
  const PairClock& clock = clocks_[index];
  if (clock.bodyA != a.body || clock.bodyB != b.body) return "a pair with the bodies of another";
  if (std::isnan(clock.limit) || std::isnan(clock.movedLimit)) return "a pair whose time is no number";
  if (!std::isfinite(clock.normal[0] + clock.normal[1] + clock.normal[2]) ||
      !(clock.restitution >= 0.0f && clock.restitution <= 1.0f)) {
    return "a pair with a normal or restitution out of its range";
  }
  for (const float value : pair.rest.x) {
    if (!std::isfinite(value)) return "a pair that rests nowhere";
  }
  for (const float value : pair.rest.q) {
    if (!std::isfinite(value)) return "a pair that rests nowhere";
  }
  if (!std::isfinite(pair.rest.allowed)) return "a pair that rests nowhere";
  if (!isUsable(pair.cache, a.shape, b.shape)) return "a pair that remembers what its shapes do not have";
  if (pair.memory == kNone) return nullptr;
  const TriangleMemory& memory = memories_[pair.memory];
  if (std::isnan(memory.reach)) return "a pair that remembers no number";
  for (const TriangleMemory::Entry& entry : std::span{memory.entries}.first(memory.count)) {
    if (std::isnan(entry.bound)) return "a pair that remembers no number";
  }
  return nullptr;
}

const char* CollisionPipeline::findFault(std::size_t bodies) const {
  if (!moving_.isConsistent() || !static_.isConsistent()) return "a tree of boxes that is none";
  std::size_t moving = 0, fixed = 0;
  for (std::uint32_t i = 0; i < colliders_.size(); ++i) {
    const Collider& c = colliders_[i];
    if (std::isnan(c.travelLimit)) return "a shape whose box holds for no number";
    if (c.leaf == DynamicTree::kNull) continue;
    if (!c.exists || !(c.moves ? moving_ : static_).holds(c.leaf, i)) return "a shape without its box";
    ++(c.moves ? moving : fixed);
  }
  if (moving != moving_.leafCount() || fixed != static_.leafCount()) return "a box without its shape";
  if (const char* fault = contacts_.findFault(bodies)) return fault;
  std::uint32_t listed = 0;
  for (std::uint32_t i = 0; i < pairs_.size(); ++i) {
    if (const char* fault = findPairFault(i)) return fault;
    for (std::uint32_t c = pairs_[i].firstContact; c != ContactCache::kNone; c = contacts_.contact(c).next) {
      // Each contact names its pair, so that a list which runs in circles becomes too long.
      if (!contacts_.exists(c) || contacts_.contact(c).pair != i || ++listed > contacts_.count()) {
        return "a pair with the contacts of another";
      }
      const ContactBodies& bodyPair = contacts_.contact(c).bodies;
      if (bodyPair.a != clocks_[i].bodyA || bodyPair.b != clocks_[i].bodyB) return "a contact of other bodies than its pair's";
    }
  }
  if (listed != contacts_.count()) return "a contact of no pair";
  for (const EndedPair& ended : ended_) {
    if (ended.bodyA >= bodies || ended.bodyB >= bodies) return "a pair that ended of no two bodies";
  }
  return nullptr;
}

}  // namespace msd_sim
