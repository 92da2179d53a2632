#pragma once

// Counts what a test program takes from the heap: replaces operator new and delete, and so is included in
// one source file of a program only.

#include <malloc.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {
std::atomic<long> allocations{0};
std::atomic<long> heldBytes{0};
std::atomic<long> mostHeldBytes{0};  ///< so far

void* take(std::size_t size, std::size_t alignment) {
  ++allocations;
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
