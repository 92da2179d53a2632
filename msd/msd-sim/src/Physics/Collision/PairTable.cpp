#include "msd-sim/src/Physics/Collision/PairTable.hpp"

#include <algorithm>

namespace msd_sim {

namespace {

std::uint64_t mix(PairTable::Key key) {
  std::uint64_t x = (static_cast<std::uint64_t>(key.a) << 32) | key.b;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

}  // namespace

std::size_t PairTable::slotOf(Key key) const { return mix(key) & (slots_.size() - 1); }

std::uint32_t PairTable::find(Key key) const {
  if (slots_.empty()) return kNone;
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t s = slotOf(key); slots_[s] != 0; s = (s + 1) & mask) {
    if (keys_[slots_[s] - 1] == key) return slots_[s] - 1;
  }
  return kNone;
}

void PairTable::place(std::uint32_t index) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t s = slotOf(keys_[index]);
  while (slots_[s] != 0) s = (s + 1) & mask;
  slots_[s] = index + 1;
}

void PairTable::grow() {
  const std::size_t wanted = std::max<std::size_t>(64, 2 * slots_.size());
  slots_.assign(wanted, 0);
  for (std::uint32_t i = 0; i < size(); ++i) place(i);
}

void PairTable::insert(Key key) {
  if (2 * (keys_.size() + 1) > slots_.size()) grow();
  keys_.push_back(key);
  place(size() - 1);
}

void PairTable::removeSwap(std::uint32_t index) {
  const std::size_t mask = slots_.size() - 1;
  const auto slotHolding = [&](std::uint32_t i) {
    std::size_t s = slotOf(keys_[i]);
    while (slots_[s] != i + 1) s = (s + 1) & mask;
    return s;
  };
  std::size_t hole = slotHolding(index);
  // Close the gap in the probe sequence by moving back later entries that may use the hole.
  slots_[hole] = 0;
  for (std::size_t s = (hole + 1) & mask; slots_[s] != 0; s = (s + 1) & mask) {
    const std::size_t home = slotOf(keys_[slots_[s] - 1]);
    if (((s - home) & mask) >= ((s - hole) & mask)) {
      slots_[hole] = slots_[s];
      slots_[s] = 0;
      hole = s;
    }
  }
  const std::uint32_t last = size() - 1;
  if (index != last) {
    const std::size_t s = slotHolding(last);
    slots_[s] = index + 1;
    keys_[index] = keys_[last];
  }
  keys_.pop_back();
}

void PairTable::clear() {
  keys_.clear();
  slots_.assign(slots_.size(), 0);
}

}  // namespace msd_sim
