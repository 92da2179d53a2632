#include "msd-sim/src/DataTypes/LargePages.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#if defined(__linux__) && defined(__GLIBC__)
#include <malloc.h>
#include <sys/mman.h>
#endif

namespace msd_sim {

#if defined(__linux__) && defined(__GLIBC__)

bool useLargePages() {
  constexpr std::size_t kStretch = std::size_t{1} << 30;
  constexpr std::uintptr_t kPage = std::uintptr_t{1} << 21;
  // All from the heap, which grows in one piece and never shrinks.
  if (mallopt(M_MMAP_MAX, 0) == 0 || mallopt(M_TRIM_THRESHOLD, -1) == 0) return false;
  void* stretch = std::malloc(kStretch);
  if (stretch == nullptr) return false;
  const auto start = reinterpret_cast<std::uintptr_t>(stretch);
  const std::uintptr_t first = (start + kPage - 1) / kPage * kPage;
  const std::uintptr_t last = (start + kStretch) / kPage * kPage;
  const bool agreed = madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE) == 0;
  std::free(stretch);
  return agreed;
}

#else

bool useLargePages() {
  return false;
}

#endif

}  // namespace msd_sim
