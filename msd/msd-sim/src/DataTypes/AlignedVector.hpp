#pragma once

#include <cstddef>
#include <vector>

namespace msd_sim {

/// Memory on 128-byte boundaries: two cache lines, which the prefetcher takes as a pair. Large blocks ask the
/// system for large pages, where it has them, so that a walk through a large world does not wait for
/// addresses; they still grow page by page as they are used.
[[nodiscard]] void* takeLines(std::size_t bytes);
void returnLines(void* memory, std::size_t bytes);

template <class T>
struct LineAllocator {
  using value_type = T;

  LineAllocator() = default;
  template <class U>
  LineAllocator(const LineAllocator<U>&) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] T* allocate(std::size_t count) {
    return static_cast<T*>(takeLines(count * sizeof(T)));
  }
  void deallocate(T* pointer, std::size_t count) { returnLines(pointer, count * sizeof(T)); }
  template <class U>
  bool operator==(const LineAllocator<U>&) const {
    return true;
  }
};

template <class T>
using AlignedVector = std::vector<T, LineAllocator<T>>;

}  // namespace msd_sim
