// Saving and loading of what collision keeps from step to step.
#include <algorithm>

#include "msd-sim/src/Physics/Collision/CollisionPipeline.hpp"
#include "msd-sim/src/Physics/Collision/TriangleBvh.hpp"

namespace msd_sim {

namespace {

[[noreturn]] void refuse(const char* what) {
  throw std::invalid_argument(std::string{"snapshot is not of this world: "} + what);
}

void put(ByteWriter& out, const ContactBodies& b) {
  out.put(b.a);
  out.put(b.b);
  out.put(b.aMoves);
  out.put(b.bMoves);
}

ContactBodies takeBodies(ByteReader& in) {
  ContactBodies b;
  in.take(b.a);
  in.take(b.b);
  b.aMoves = in.take<std::uint8_t>() != 0;
  b.bMoves = in.take<std::uint8_t>() != 0;
  return b;
}

void put(ByteWriter& out, const TriangleMemory& memory) {
  out.put(memory.reach);
  out.put(memory.count);
  for (const TriangleMemory::Entry& entry : std::span{memory.entries}.first(memory.count)) {
    out.put(entry.bound);
    out.put(entry.triangle);
    for (const std::uint16_t corner : entry.start.corners) out.put(corner);
    out.put(entry.start.onTriangle);
    out.put(entry.start.count);
  }
}

void take(ByteReader& in, std::uint32_t triangles, TriangleMemory& memory) {
  in.take(memory.reach);
  memory.count = in.takeBelow(TriangleMemory::kMost + 1);
  for (TriangleMemory::Entry& entry : std::span{memory.entries}.first(memory.count)) {
    in.take(entry.bound);
    entry.triangle = in.takeBelow(triangles);
    for (std::uint16_t& corner : entry.start.corners) in.take(corner);
    in.take(entry.start.onTriangle);
    in.take(entry.start.count);
    for (int i = 0; i < entry.start.count; ++i) {
      if (i > 2 || (entry.start.onTriangle >> (2 * i) & 3) > 2) refuse("a triangle without that corner");
    }
  }
}

/// What contact records need of the rows; everything else is made anew by the next step.
template <int kPoints, class Rows, class Visit>
void forKeptRows(Rows& rows, const Visit& visit) {
  for (auto& column : rows.normal) visit(column);
  for (auto& column : rows.tangent) visit(column);
  for (auto& point : rows.points) {
    for (auto& column : point.total) visit(column);
  }
}

}  // namespace

void DynamicTree::save(ByteWriter& out) const {
  out.put(root_);
  out.put(free_);
  out.put(static_cast<std::uint64_t>(leaf_count_));
  out.put(static_cast<std::uint64_t>(nodes_.size()));
  for (const Node& node : nodes_) {
    out.putVector(node.box.lower);
    out.putVector(node.box.upper);
    out.put(node.parent);
    out.put(node.left);
    out.put(node.right);
    out.put(node.userData);
  }
}

void DynamicTree::load(ByteReader& in) {
  in.take(root_);
  in.take(free_);
  leaf_count_ = in.take<std::uint64_t>();
  const auto count = in.take<std::uint64_t>();
  in.requireRoom(count, 6 * sizeof(double));
  nodes_.clear();
  const auto takeLink = [&] {
    const auto link = in.take<std::int32_t>();
    if (link < kNull || link >= static_cast<std::int64_t>(count)) refuse("a box out of range");
    return link;
  };
  for (std::uint64_t i = 0; i < count; ++i) {
    Node node;
    node.box.lower = in.takeVector();
    node.box.upper = in.takeVector();
    node.parent = takeLink();
    node.left = takeLink();
    node.right = takeLink();
    in.take(node.userData);
    nodes_.push_back(node);
  }
  if (root_ < kNull || root_ >= static_cast<std::int64_t>(count)) refuse("no root");
  if (free_ < kNull || free_ >= static_cast<std::int64_t>(count)) refuse("no free box");
}

template <int kPoints>
void ContactCache::saveColour(int c, ByteWriter& out) const {
  const Colour<kPoints>& colour = colours<kPoints>()[static_cast<std::size_t>(c)];
  const std::size_t bundles = bundleCount<kPoints>(c);
  out.put(colour.count);
  out.putRun(std::span{colour.bundles}.first(bundles));
  out.putRun(std::span{colour.follow}.first(bundles));
  out.putRun(std::span{colour.sums}.first(bundles));
  out.putRun(std::span{colour.meta}.first(bundles * kBundleLanes));
  for (std::size_t i = 0; i < bundles; ++i) {
    forKeptRows<kPoints>(colour.rows[i], [&](const double(&column)[kBundleLanes]) {
      for (const double value : column) out.put(value);
    });
  }
}

template <int kPoints>
void ContactCache::loadColour(int c, ByteReader& in) {
  Colour<kPoints>& colour = colours<kPoints>()[static_cast<std::size_t>(c)];
  in.take(colour.count);
  const std::size_t bundles = bundleCount<kPoints>(c);
  in.requireRoom(bundles, sizeof(ContactBundle<kPoints>));
  in.takeRun(colour.bundles);
  in.takeRun(colour.follow);
  in.takeRun(colour.sums);
  in.takeRun(colour.meta);
  if (colour.bundles.size() != bundles || colour.follow.size() != bundles || colour.sums.size() != bundles ||
      colour.meta.size() != bundles * kBundleLanes) {
    refuse("contacts do not fill their bundles");
  }
  colour.bounce.assign(bundles, {});
  colour.busy.assign(bundles, 0);
  colour.rows.assign(bundles, {});
  colour.who.assign(bundles, {});
  for (std::size_t i = 0; i < bundles; ++i) {
    forKeptRows<kPoints>(colour.rows[i], [&](double(&column)[kBundleLanes]) {
      for (double& value : column) in.take(value);
    });
  }
}

void ContactCache::save(ByteWriter& out) const {
  for (int c = 0; c <= kParked; ++c) {
    saveColour<1>(c, out);
    saveColour<2>(c, out);
    saveColour<4>(c, out);
  }
  out.put(static_cast<std::uint64_t>(contacts_.size()));
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const Contact& c = contacts_[i];
    out.put(c.pair);
    out.put(c.next);
    out.put(c.slot);
    out.put(c.kind);
    out.put(c.colour);
    out.put(c.bounces);
    out.put(c.flipped);
    out.put(c.touching);
    put(out, bodies_[i]);
    const ContactResistance r = resistance(static_cast<std::uint32_t>(i));
    out.put(r.rolling);
    out.put(r.torsional);
    for (const double value : r.impulse) out.put(value);
    out.put(r.special);
  }
  out.putRun(free_);
  out.put(static_cast<std::uint64_t>(lost_.size()));
  for (const ContactBodies& lost : lost_) put(out, lost);
  out.putRun(body_colours_);
  out.putRun(body_groups_);
  out.put(live_count_);
  out.put(bouncing_count_);
  out.put(resisting_count_);
  out.put(version_);
  out.put(frame_);
  impulses_.save(out);
}

void ContactCache::load(ByteReader& in) {
  for (int c = 0; c <= kParked; ++c) {
    loadColour<1>(c, in);
    loadColour<2>(c, in);
    loadColour<4>(c, in);
  }
  const auto count = in.take<std::uint64_t>();
  if (count >= kNone) refuse("too many contacts");
  contacts_.clear();
  bodies_.clear();
  resistances_.clear();
  for (std::uint64_t i = 0; i < count; ++i) {
    Contact c;
    in.take(c.pair);
    in.take(c.next);
    in.take(c.slot);
    const auto kind = in.take<std::uint8_t>();
    if (kind > static_cast<std::uint8_t>(Kind::kPatch)) refuse("a contact of no known kind");
    c.kind = static_cast<Kind>(kind);
    in.take(c.colour);
    c.bounces = in.take<std::uint8_t>() != 0;
    c.flipped = in.take<std::uint8_t>() != 0;
    c.touching = in.take<std::uint8_t>() != 0;
    if (c.colour > kParked || (c.next != kNone && c.next >= count))
      refuse("a contact out of range");
    contacts_.push_back(c);
    bodies_.push_back(takeBodies(in));
    ContactResistance r;
    in.take(r.rolling);
    in.take(r.torsional);
    for (double& value : r.impulse) in.take(value);
    r.special = in.takeBool();
    if (!r.isThere()) continue;
    resistances_.resize(i + 1);
    resistances_[i] = r;
  }
  in.takeRun(free_);
  const auto lost = in.take<std::uint64_t>();
  lost_.clear();
  for (std::uint64_t i = 0; i < lost; ++i) lost_.push_back(takeBodies(in));
  in.takeRun(body_colours_);
  in.takeRun(body_groups_);
  if (body_groups_.size() != body_colours_.size() ||
      std::any_of(body_groups_.begin(), body_groups_.end(), [](auto group) { return group >= kGroups; })) {
    refuse("bodies do not fit their groups");
  }
  used_colours_.fill(kOverflow);
  (void)countColours();
  in.take(live_count_);
  in.take(bouncing_count_);
  in.take(resisting_count_);
  in.take(version_);
  in.take(frame_);
  impulses_.load(in);
}

void CollisionPipeline::save(ByteWriter& out) const {
  out.put(static_cast<std::uint64_t>(colliders_.size()));
  for (const Collider& c : colliders_) {
    out.put(c.exists);
    out.put(c.body);
    out.put(c.leaf);
    out.put(c.travelLimit);
  }
  moving_.save(out);
  static_.save(out);
  out.put(static_cast<std::uint64_t>(pairs_.size()));
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    const Pair& pair = pairs_[i];
    out.put(clocks_[i].limit);
    out.put(clocks_[i].movedLimit);
    for (const float n : clocks_[i].normal) out.put(n);
    out.put(clocks_[i].restitution);
    out.put(pair.colliderA);
    out.put(pair.colliderB);
    out.put(pair.firstContact);
    out.put(pair.touching);
    out.putVector(pair.cache.axis);
    for (const std::uint16_t corner : pair.cache.cornersA) out.put(corner);
    for (const std::uint16_t corner : pair.cache.cornersB) out.put(corner);
    out.put(pair.cache.kind);
    out.put(pair.cache.cornerCount);
    for (const float x : pair.rest.x) out.put(x);
    for (const float q : pair.rest.q) out.put(q);
    out.put(pair.rest.allowed);
    if (pair.memory != kNone) put(out, memories_[pair.memory]);
  }
  out.put(static_cast<std::uint64_t>(ended_.size()));
  for (const EndedPair& ended : ended_) {
    out.put(ended.bodyA);
    out.put(ended.bodyB);
  }
  contacts_.save(out);
}

void CollisionPipeline::load(ByteReader& in) {
  if (in.take<std::uint64_t>() != colliders_.size()) refuse("another number of shapes");
  for (Collider& c : colliders_) {
    const bool exists = in.take<std::uint8_t>() != 0;
    if (exists != c.exists || in.take<std::uint32_t>() != c.body) refuse("other shapes");
    in.take(c.leaf);
    in.take(c.travelLimit);
  }
  moving_.load(in);
  static_.load(in);
  for (std::uint32_t i = 0; i < colliders_.size(); ++i) {
    const Collider& c = colliders_[i];
    if (c.leaf != DynamicTree::kNull && !(c.moves ? moving_ : static_).holds(c.leaf, i)) {
      refuse("a shape without its box");
    }
  }
  const auto count = in.take<std::uint64_t>();
  pairs_.clear();
  clocks_.clear();
  table_.clear();
  links_.clear();
  for (Collider& c : colliders_) c.firstPair = kNone;
  memories_.clear();
  free_memories_.clear();
  for (std::uint64_t i = 0; i < count; ++i) {
    PairClock clock;
    in.take(clock.limit);
    in.take(clock.movedLimit);
    for (float& n : clock.normal) in.take(n);
    in.take(clock.restitution);
    const std::uint32_t colliderA = in.takeBelow(colliders_.size());
    const std::uint32_t colliderB = in.takeBelow(colliders_.size());
    if (!colliders_[colliderA].exists || !colliders_[colliderB].exists || colliderA == colliderB ||
        table_.find({colliderA, colliderB}) != PairTable::kNone) {
      refuse("a pair of shapes that is none, or is there twice");
    }
    addPair({colliderA, colliderB});
    clocks_.back().limit = clock.limit;
    clocks_.back().movedLimit = clock.movedLimit;
    std::copy_n(clock.normal, 3, clocks_.back().normal);
    clocks_.back().restitution = clock.restitution;
    Pair& pair = pairs_.back();
    in.take(pair.firstContact);
    pair.touching = in.take<std::uint8_t>() != 0;
    pair.cache.axis = in.takeVector();
    for (std::uint16_t& corner : pair.cache.cornersA) in.take(corner);
    for (std::uint16_t& corner : pair.cache.cornersB) in.take(corner);
    pair.cache.kind = in.take<ManifoldCache::Kind>();
    in.take(pair.cache.cornerCount);
    for (float& x : pair.rest.x) in.take(x);
    for (float& q : pair.rest.q) in.take(q);
    in.take(pair.rest.allowed);
    if (pair.memory != kNone) {
      const auto& surface = colliders_[colliderA].shape.triangles != nullptr
                                ? colliders_[colliderA].shape.triangles
                                : colliders_[colliderB].shape.triangles;
      if (surface == nullptr) refuse("a pair without its surface");
      take(in, surface->triangleCount(), memories_[pair.memory]);
    }
  }
  const auto ended = in.take<std::uint64_t>();
  ended_.clear();
  for (std::uint64_t i = 0; i < ended; ++i) {
    const auto a = in.take<std::uint32_t>();
    ended_.push_back({a, in.take<std::uint32_t>()});
  }
  contacts_.load(in);
}

}  // namespace msd_sim
