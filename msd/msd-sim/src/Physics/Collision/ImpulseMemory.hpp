#pragma once

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>

#include "msd-sim/src/DataTypes/Bytes.hpp"
#include "msd-sim/src/DataTypes/Vector3D.hpp"

namespace msd_sim {

/// Impulses of contact points by name, for a solver that makes its contacts anew in every step and
/// starts from what they carried before. Entries that no step has refreshed for a while are dropped.
class ImpulseMemory {
 public:
  /// Names a contact point: whose bodies and which of their shapes touch, and with which features.
  struct Key {
    std::uint32_t bodyA{0}, bodyB{0};
    std::uint32_t partA{0}, partB{0};
    std::uint32_t feature{0};
    auto operator<=>(const Key&) const = default;
  };
  struct Impulse {
    double normal{0.0};                       ///< [N·s]
    Vector3D tangential{Vector3D::Zero()};    ///< on body B, world axes [N·s]
  };

  void remember(const Key& key, const Impulse& impulse, std::uint64_t frame) {
    entries_[key] = {impulse, frame};
  }
  [[nodiscard]] std::optional<Impulse> recall(const Key& key) const {
    const auto found = entries_.find(key);
    if (found == entries_.end()) return std::nullopt;
    return found->second.impulse;
  }
  /// Drops entries that were last remembered more than `age` frames before `frame`.
  void expire(std::uint64_t frame, std::uint64_t age) {
    std::erase_if(entries_, [&](const auto& e) { return e.second.frame + age < frame; });
  }
  /// Drops what a body took part in.
  void forgetBody(std::uint32_t body) {
    std::erase_if(entries_,
                  [&](const auto& e) { return e.first.bodyA == body || e.first.bodyB == body; });
  }
  /// Are all of them numbers?
  [[nodiscard]] bool isValid() const {
    return std::all_of(entries_.begin(), entries_.end(), [](const auto& e) {
      const Impulse& i = e.second.impulse;
      return std::isfinite(i.normal) && i.tangential.allFinite();
    });
  }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  void clear() { entries_.clear(); }

  void save(ByteWriter& out) const {
    out.put(static_cast<std::uint64_t>(entries_.size()));
    for (const auto& [key, entry] : entries_) {
      for (const std::uint32_t n : {key.bodyA, key.bodyB, key.partA, key.partB, key.feature}) out.put(n);
      out.put(entry.impulse.normal);
      out.putVector(entry.impulse.tangential);
      out.put(entry.frame);
    }
  }
  void load(ByteReader& in) {
    entries_.clear();
    const auto count = in.take<std::uint64_t>();
    for (std::uint64_t i = 0; i < count; ++i) {
      Key key;
      for (std::uint32_t* n : {&key.bodyA, &key.bodyB, &key.partA, &key.partB, &key.feature}) in.take(*n);
      Entry entry;
      in.take(entry.impulse.normal);
      entry.impulse.tangential = in.takeVector();
      in.take(entry.frame);
      entries_.emplace(key, entry);
    }
  }

 private:
  struct Entry {
    Impulse impulse;
    std::uint64_t frame{0};  ///< when it was remembered
  };
  std::map<Key, Entry> entries_;  ///< in the order of the keys: the same everywhere
};

}  // namespace msd_sim
