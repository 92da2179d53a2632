#pragma once

#include <cstdint>

#include "msd-sim/src/DataTypes/AlignedVector.hpp"

namespace msd_sim {

/// Set of pairs of colliders, with a dense index for each pair. Look-up is by hash; nothing ever
/// depends on the order inside the hash table.
class PairTable {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;

  struct Key {
    std::uint32_t a;  ///< the smaller collider number
    std::uint32_t b;
    bool operator==(const Key&) const = default;
  };

  /// Index of a pair, or kNone.
  [[nodiscard]] std::uint32_t find(Key key) const;
  /// Adds a pair that is not there yet; its index is size() before the call.
  void insert(Key key);
  /// Removes pair `index`; the last pair takes its place.
  void removeSwap(std::uint32_t index);

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(keys_.size()); }
  [[nodiscard]] Key key(std::uint32_t index) const { return keys_[index]; }
  void clear();

 private:
  [[nodiscard]] std::size_t slotOf(Key key) const;
  void place(std::uint32_t index);
  void grow();

  AlignedVector<Key> keys_;
  AlignedVector<std::uint32_t> slots_;  ///< open addressing: index + 1, or 0 when free
};

}  // namespace msd_sim
