#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace msd_assets {

/// Open-addressing set of indices, found again by a key of three 64-bit words that keyOf(index)
/// gives back; four to eight bytes an entry. Its order is never looked at, so that results depend
/// on the order of insertion alone.
template <class KeyOf>
class IndexTable {
 public:
  using Key = std::array<std::uint64_t, 3>;
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;

  IndexTable(std::size_t expected, KeyOf keyOf) : key_of_{std::move(keyOf)} {
    slots_.resize(std::bit_ceil(expected + expected / 2 + 16), kNone);
  }

  /// The index stored for the key, or kNone.
  [[nodiscard]] std::uint32_t find(const Key& key) const { return slots_[position(key)]; }

  /// Adds an index whose key is not in the table yet.
  void insert(std::uint32_t index) {
    if (4 * (count_ + 1) > 3 * slots_.size()) grow();
    slots_[position(key_of_(index))] = index;
    ++count_;
  }

 private:
  [[nodiscard]] std::size_t position(const Key& key) const {
    std::uint64_t mixed = 0x9E3779B97F4A7C15ull;
    for (const std::uint64_t word : key) {
      mixed = (mixed ^ word) * 0xD6E8FEB86659FD93ull;
      mixed ^= mixed >> 32;
    }
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = mixed & mask;
    while (slots_[at] != kNone && key_of_(slots_[at]) != key) at = (at + 1) & mask;
    return at;
  }

  void grow() {
    std::vector<std::uint32_t> old(2 * slots_.size(), kNone);
    old.swap(slots_);
    for (const std::uint32_t index : old) {
      if (index != kNone) slots_[position(key_of_(index))] = index;
    }
  }

  KeyOf key_of_;
  std::vector<std::uint32_t> slots_;
  std::size_t count_{0};
};

}  // namespace msd_assets
