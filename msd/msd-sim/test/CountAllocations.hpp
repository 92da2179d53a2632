#pragma once

// Counts what a test program takes from the heap, and refuses it when told to: replaces operator new and delete. One
// source file of a program says MSD_COUNT_ALLOCATIONS before it includes this, the others see the counters.

#include <malloc.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

inline std::atomic<long> allocations{0};
inline std::atomic<long> heldBytes{0};
inline std::atomic<long> mostHeldBytes{0};    ///< so far
inline std::atomic<long> allocationsLeft{-1};  ///< the one that brings it to zero fails; negative: none does

/// For tests of steps that take nothing from the heap: what assertions look at between the stages does.
#ifdef MSD_CHECKED
#define MSD_SKIP_WHERE_ASSERTIONS_ALLOCATE() GTEST_SKIP() << "assertions between the stages take memory"
#else
#define MSD_SKIP_WHERE_ASSERTIONS_ALLOCATE() static_cast<void>(0)
#endif

#ifdef MSD_COUNT_ALLOCATIONS
namespace {
void* take(std::size_t size, std::size_t alignment) {
  ++allocations;
  if (allocationsLeft.load(std::memory_order_relaxed) > 0 && --allocationsLeft == 0) throw std::bad_alloc{};
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, rounded);
  if (memory == nullptr) throw std::bad_alloc{};
  const auto bytes = static_cast<long>(::malloc_usable_size(memory));
  const long held = heldBytes += bytes;
  long most = mostHeldBytes.load();
  while (held > most && !mostHeldBytes.compare_exchange_weak(most, held)) {
  }
  return memory;
}

void giveBack(void* memory) {
  if (memory != nullptr) heldBytes -= static_cast<long>(::malloc_usable_size(memory));
  std::free(memory);
}
}  // namespace

void* operator new(std::size_t size) {
  return take(size, alignof(std::max_align_t));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return take(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return take(size, alignof(std::max_align_t));
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* memory) noexcept {
  giveBack(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  giveBack(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  giveBack(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  giveBack(memory);
}
#endif
