// Whether what collision keeps from step to step hangs together: asked of snapshots, whoever made them, before
// they are used, and between stages by builds with assertions.
#include <algorithm>
#include <cmath>

#include "msd-sim/src/Physics/Collision/CollisionPipeline.hpp"

namespace msd_sim {

namespace {

template <std::size_t kCount>
bool areFinite(const double (&values)[kCount]) {
  return std::all_of(std::begin(values), std::end(values), [](double v) { return std::isfinite(v); });
}

template <class Rows, std::size_t kCount>
bool areFinite(const Rows (&rows)[kCount]) {
  return std::all_of(std::begin(rows), std::end(rows), [](const auto& row) { return areFinite(row); });
}

template <int kPoints>
bool areFinite(const ContactBundle<kPoints>& b) {
  return areFinite(b.normal) && areFinite(b.tangent) && areFinite(b.friction) && areFinite(b.restitution) &&
         areFinite(b.size) && areFinite(b.rounding0) && areFinite(b.rounding1) && areFinite(b.balls) &&
         areFinite(b.anchor0) && areFinite(b.anchor1) && areFinite(b.active) && areFinite(b.impulse);
}

template <int kPoints>
bool areFinite(const ContactFollow<kPoints>& f) {
  return areFinite(f.mode) && areFinite(f.core0) && areFinite(f.core1) && areFinite(f.slide0) &&
         areFinite(f.slide1);
}

bool isFlag(double value) { return value == 0.0 || value == 1.0; }

/// Coefficients, sizes and flags of a lane.
template <int kPoints>
bool isSensible(const ContactBundle<kPoints>& b, const ContactFollow<kPoints>& f, std::size_t l) {
  bool active = true;
  for (const auto& point : b.active) active = active && isFlag(point[l]);
  const double mode = f.mode[l];
  return active && b.friction[l] >= 0.0 && b.restitution[l] >= 0.0 && b.restitution[l] <= 1.0 &&
         b.size[l] > 0.0 && b.rounding0[l] >= 0.0 && b.rounding1[l] >= 0.0 && isFlag(b.balls[l]) &&
         (mode == 0.0 || mode == 1.0 || (mode == 2.0 && kPoints == 1));
}

}  // namespace

template <int kPoints>
const char* ContactCache::findLaneFault(int c, std::size_t bodies, std::vector<std::uint8_t>& seen) const {
  const Colour<kPoints>& colour = colours<kPoints>()[static_cast<std::size_t>(c)];
  const std::size_t bundles = bundleCount<kPoints>(c);
  if (bundles > colour.bundles.size() || bundles > colour.follow.size() || bundles > colour.sums.size() ||
      bundles > colour.rows.size() || bundles * kBundleLanes > colour.meta.size()) {
    return "contacts do not fit their bundles";
  }
  for (std::size_t i = 0; i < bundles; ++i) {
    const ContactBundle<kPoints>& b = colour.bundles[i];
    if (!areFinite(b) || !areFinite(colour.follow[i])) return "a contact is not made of numbers";
    for (std::size_t l = 0; l < kBundleLanes; ++l) {
      const auto slot = static_cast<std::uint32_t>(isOverflow(c) ? i : i * kBundleLanes + l);
      const bool used = (!isOverflow(c) || l == 0) && slot < colour.count;
      const std::uint32_t id = colour.meta[i * kBundleLanes + l].contact;
      if (!used) {
        if (id != kNone || b.body0[l] != 0 || b.body1[l] != 0) return "an empty lane is not empty";
        continue;
      }
      if (id >= contacts_.size() || seen[id] != 0) return "a lane without its contact";
      seen[id] = 1;
      const Contact& contact = contacts_[id];
      const ContactBodies& who = bodies_[id];
      if (contact.colour != c || kindFor(kPoints) != contact.kind || contact.slot != slot || contact.pair == kNone) {
        return "a contact that is not in its lane";
      }
      if (who.a >= bodies || who.b >= bodies || who.a == who.b) return "a contact of no two bodies";
      const std::uint32_t first = contact.flipped ? who.b : who.a, second = contact.flipped ? who.a : who.b;
      if (b.body0[l] != static_cast<std::int32_t>(first) || b.body1[l] != static_cast<std::int32_t>(second)) {
        return "a lane with the bodies of another contact";
      }
      if (!isSensible(b, colour.follow[i], l)) return "a contact with numbers out of their ranges";
    }
  }
  return nullptr;
}

/// Counts, the list of free entries, and which colours each body has.
const char* ContactCache::findBookFault(std::size_t bodies) const {
  if (bodies_.size() != contacts_.size() || resistances_.size() > contacts_.size()) {
    return "contacts without bodies";
  }
  if (contacts_.size() != live_count_ + free_.size()) return "contacts that are neither there nor free";
  std::vector<std::uint8_t> freed(contacts_.size(), 0);
  for (const std::uint32_t id : free_) {
    if (id >= contacts_.size() || freed[id] != 0 || contacts_[id].pair != kNone) return "a free contact that is not";
    freed[id] = 1;
  }
  std::vector<std::uint64_t> colours(body_colours_.size(), 0);
  std::uint32_t bouncing = 0, resisting = 0;
  for (std::uint32_t id = 0; id < contacts_.size(); ++id) {
    const ContactResistance r = resistance(id);
    if (!(r.rolling >= 0.0 && r.torsional >= 0.0) || !std::isfinite(r.rolling + r.torsional) ||
        !areFinite(r.impulse)) {
      return "a resistance that is no number";
    }
    if (freed[id] != 0) continue;
    bouncing += contacts_[id].bounces ? 1 : 0;
    resisting += r.isThere() ? 1 : 0;
    const int colour = contacts_[id].colour;
    const ContactBodies& who = bodies_[id];
    if (who.a >= colours.size() || who.b >= colours.size()) return "a contact of no two bodies";
    if (colour == kParked ? who.aMoves || who.bMoves : !who.aMoves && !who.bMoves) {
      return "a contact that waits for no reason, or does not";
    }
    if (colour == kParked || isOverflow(colour)) continue;
    const std::uint64_t bit = std::uint64_t{1} << (colour % kColours);
    for (const auto& [body, moves] : {std::pair{who.a, who.aMoves}, {who.b, who.bMoves}}) {
      if (!moves) continue;
      if ((colours[body] & bit) != 0) return "two contacts of one colour with the same body";
      colours[body] |= bit;
    }
  }
  if (colours != body_colours_) return "bodies with colours that are not theirs";
  if (bouncing != bouncing_count_ || resisting != resisting_count_) return "contacts are counted wrong";
  for (const ContactBodies& lost : lost_) {
    if (lost.a >= bodies || lost.b >= bodies) return "a lost contact of no two bodies";
  }
  return nullptr;
}

const char* ContactCache::findFault(std::size_t bodies) const {
  if (body_colours_.size() > bodies || body_groups_.size() != body_colours_.size()) {
    return "colours of more bodies than there are";
  }
  if (const char* fault = findBookFault(bodies)) return fault;
  if (!impulses_.isValid()) return "a remembered impulse that is none";
  std::vector<std::uint8_t> seen(contacts_.size(), 0);
  for (int c = 0; c < static_cast<int>(points_.size()); ++c) {
    if (const char* fault = findLaneFault<1>(c, bodies, seen)) return fault;
    if (const char* fault = findLaneFault<2>(c, bodies, seen)) return fault;
    if (const char* fault = findLaneFault<4>(c, bodies, seen)) return fault;
  }
  const auto found = static_cast<std::uint32_t>(std::count(seen.begin(), seen.end(), 1));
  return found == live_count_ ? nullptr : "a contact without its lane";
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
      const ContactBodies& who = contacts_.bodies(c);
      if (who.a != clocks_[i].bodyA || who.b != clocks_[i].bodyB) return "a contact of other bodies than its pair's";
    }
  }
  if (listed != contacts_.count()) return "a contact of no pair";
  for (const EndedPair& ended : ended_) {
    if (ended.bodyA >= bodies || ended.bodyB >= bodies) return "a pair that ended of no two bodies";
  }
  return nullptr;
}

}  // namespace msd_sim
