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
}

ContactBodies takeBodies(ByteReader& in) {
  ContactBodies b;
  in.take(b.a);
  in.take(b.b);
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

namespace {

void put(ByteWriter& out, const ContactCache::Contact& c) {
  out.put(c.pair);
  out.put(c.next);
  put(out, c.bodies);
  out.put(c.resistance);
  for (const std::uint32_t feature : c.feature) out.put(feature);
  out.put(c.born);
  out.put(c.order);
  out.put(c.bounces);
  out.put(c.flipped);
  out.put(c.touching);
}

ContactCache::Contact takeContact(ByteReader& in) {
  ContactCache::Contact c;
  in.take(c.pair);
  in.take(c.next);
  c.bodies = takeBodies(in);
  in.take(c.resistance);
  for (std::uint32_t& feature : c.feature) in.take(feature);
  in.take(c.born);
  in.take(c.order);
  c.bounces = in.takeBool();
  c.flipped = in.takeBool();
  c.touching = in.takeBool();
  return c;
}

}  // namespace

void ContactCache::save(ByteWriter& out) const {
  const auto saveKind = [&]<int kPoints>(std::size_t kind) {
    const auto& pool = std::get<AlignedVector<StoredContact<kPoints>>>(numbers_);
    out.put(static_cast<std::uint64_t>(pool.size()));
    for (std::size_t i = 0; i < pool.size(); ++i) {
      put(out, records_[kind][i]);
      if (records_[kind][i].pair == kNone) continue;
      for (std::size_t n = 0; n < StoredContact<kPoints>::kNumbers; ++n) out.put(pool[i].numbers()[n]);
    }
    out.putRun(free_[kind]);
  };
  saveKind.operator()<1>(0);
  saveKind.operator()<2>(1);
  saveKind.operator()<4>(2);
  out.put(static_cast<std::uint64_t>(resistances_.size()));
  for (const ContactResistance& r : resistances_) {
    out.put(r.rolling);
    out.put(r.torsional);
    for (const double value : r.moment) out.put(value);
    out.put(r.special);
  }
  out.putRun(free_resistances_);
  out.put(static_cast<std::uint64_t>(lost_.size()));
  for (const ContactBodies& lost : lost_) put(out, lost);
  out.put(live_count_);
  out.put(bouncing_count_);
  out.put(resisting_count_);
  out.put(version_);
  out.put(frame_);
  impulses_.save(out);
}

void ContactCache::load(ByteReader& in) {
  const auto loadKind = [&]<int kPoints>(std::size_t kind) {
    auto& pool = std::get<AlignedVector<StoredContact<kPoints>>>(numbers_);
    const auto count = in.take<std::uint64_t>();
    in.requireRoom(count, sizeof(std::uint32_t));
    pool.clear();
    records_[kind].clear();
    for (std::uint64_t i = 0; i < count; ++i) {
      records_[kind].push_back(takeContact(in));
      pool.emplace_back();
      if (records_[kind].back().pair == kNone) continue;
      for (std::size_t n = 0; n < StoredContact<kPoints>::kNumbers; ++n) in.take(pool.back().numbers()[n]);
    }
    in.takeRun(free_[kind]);
  };
  loadKind.operator()<1>(0);
  loadKind.operator()<2>(1);
  loadKind.operator()<4>(2);
  const auto resistances = in.take<std::uint64_t>();
  in.requireRoom(resistances, sizeof(double));
  resistances_.clear();
  for (std::uint64_t i = 0; i < resistances; ++i) {
    ContactResistance r;
    in.take(r.rolling);
    in.take(r.torsional);
    for (double& value : r.moment) in.take(value);
    r.special = in.takeBool();
    resistances_.push_back(r);
  }
  in.takeRun(free_resistances_);
  const auto lost = in.take<std::uint64_t>();
  in.requireRoom(lost, sizeof(std::uint32_t));
  lost_.clear();
  for (std::uint64_t i = 0; i < lost; ++i) lost_.push_back(takeBodies(in));
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
    out.put(clocks_[i].gap);
    out.put(clocks_[i].place);
    out.put(clocks_[i].restitution);
    out.put(clocks_[i].turned);
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
    in.take(clock.gap);
    in.take(clock.place);
    in.take(clock.restitution);
    in.take(clock.turned);
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
    clocks_.back().gap = clock.gap;
    clocks_.back().place = clock.place;
    clocks_.back().restitution = clock.restitution;
    clocks_.back().turned = clock.turned;
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
  tested_pairs_ = pairs_.size();
  const auto ended = in.take<std::uint64_t>();
  ended_.clear();
  for (std::uint64_t i = 0; i < ended; ++i) {
    const auto a = in.take<std::uint32_t>();
    ended_.push_back({a, in.take<std::uint32_t>()});
  }
  contacts_.load(in);
}

}  // namespace msd_sim
