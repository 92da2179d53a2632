#include "msd-sim/src/DataTypes/AlignedVector.hpp"

#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace msd_sim {

namespace {

constexpr std::size_t kLines = 128;                       // [B]
constexpr std::size_t kLargePage = std::size_t{1} << 21;  // [B]

// What is smaller would waste much of its last page, and little time.
constexpr std::size_t kLargeFrom = 2 * kLargePage;

std::align_val_t alignmentOf(std::size_t bytes) {
  return std::align_val_t{bytes < kLargeFrom ? kLines : kLargePage};
}

}  // namespace

void* takeLines(std::size_t bytes) {
  void* memory = ::operator new(bytes, alignmentOf(bytes));
#ifdef __linux__
  // Whole pages only: what comes after the block is not ours. A system that refuses leaves all as
  // it was.
  if (bytes >= kLargeFrom) (void)::madvise(memory, bytes / kLargePage * kLargePage, MADV_HUGEPAGE);
#endif
  return memory;
}

void returnLines(void* memory, std::size_t bytes) {
  ::operator delete(memory, alignmentOf(bytes));
}

}  // namespace msd_sim
