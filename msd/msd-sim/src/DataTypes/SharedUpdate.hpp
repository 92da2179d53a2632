#pragma once

#include <atomic>
#include <type_traits>

namespace msd_sim {

/// Updates of plain numbers that several threads may make at a time. What they leave does not
/// depend on who comes first: sums of whole numbers, maxima, and entries that all set to the same.
/// A loop of the team orders them against what follows it, so that they themselves need no order.

/// Adds to a count; where it is not `shared`, without the cost of an atomic. Returns what it was.
template <class Count>
[[nodiscard]] Count addTo(Count& count, std::type_identity_t<Count> more, bool shared) {
  if (shared) return std::atomic_ref{count}.fetch_add(more, std::memory_order_relaxed);
  const Count before = count;
  count += more;
  return before;
}

/// The larger of a number and a value becomes the number. Looked at before it is written: the line
/// stays with all threads.
template <class Number>
void raise(Number& number, std::type_identity_t<Number> value) {
  const std::atomic_ref shared{number};
  Number seen = shared.load(std::memory_order_relaxed);
  while (value > seen && !shared.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
  }
}

/// Sets an entry that others set to the same or not at all, if it is not so yet.
template <class Entry>
void setShared(Entry& entry, std::type_identity_t<Entry> value) {
  const std::atomic_ref shared{entry};
  if (shared.load(std::memory_order_relaxed) != value)
    shared.store(value, std::memory_order_relaxed);
}

/// Sets bits beside those that others set.
template <class Bits>
void setBits(Bits& bits, std::type_identity_t<Bits> more) {
  std::atomic_ref{bits}.fetch_or(more, std::memory_order_relaxed);
}

/// A maximum that starts at 0.
class SharedMaximum {
 public:
  void add(double value) { raise(largest_, value); }
  [[nodiscard]] double get() const { return largest_; }  ///< once all have added

 private:
  double largest_{0.0};
};

}  // namespace msd_sim
