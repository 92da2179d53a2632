// The n-th allocation fails, for every n: loading a scene, reading a recording and recording a run
// say so, and neither crash nor hang. In a program of its own, since it replaces operator new.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "msd-assets/src/MeshIo.hpp"
#include "msd-record/src/Reader.hpp"
#include "msd-record/src/RecordError.hpp"
#include "msd-record/src/Recorder.hpp"
#include "msd-record/test/ReadEverything.hpp"
#include "msd-record/test/RecordedRuns.hpp"
#include "msd-scene/src/SceneError.hpp"

namespace {

std::atomic<long> left{-1};  ///< allocations until one fails; negative: none does
std::atomic<long> failed{0};

void* allocate(std::size_t bytes, std::size_t alignment) {
  long before = left.load();
  while (before > 0 && !left.compare_exchange_weak(before, before - 1)) {
  }
  if (before == 1) {
    ++failed;
    left = -1;
    throw std::bad_alloc{};
  }
  void* memory = alignment <= alignof(std::max_align_t)
                     ? std::malloc(bytes)
                     : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc{};
  return memory;
}

// Not inlined: the compiler would take what it frees for something that its own operator new had made.
[[gnu::noinline]] void giveBack(void* memory) noexcept {
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t bytes) {
  return allocate(bytes, 0);
}
void* operator new[](std::size_t bytes) {
  return allocate(bytes, 0);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  try {
    return allocate(bytes, 0);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* memory) noexcept {
  giveBack(memory);
}
void operator delete[](void* memory) noexcept {
  giveBack(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  giveBack(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  giveBack(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  giveBack(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
  giveBack(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  giveBack(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  giveBack(memory);
}

namespace msd_record::test {
namespace {

namespace fs = std::filesystem;

/// Runs `work` with the n-th allocation failing, n = 1, 1 + stride, ..., until none fails any more.
/// `work` returns whether it came through. Returns how often one failed.
template <class Work>
int failEverywhere(long stride, const Work& work) {
  int failures = 0;
  for (long n = 1;; n += stride) {
    failed = 0;
    left = n;
    bool cameThrough = false;
    try {
      cameThrough = work();
    } catch (const std::bad_alloc&) {
      // said so
    }
    left = -1;
    if (failed == 0) {
      EXPECT_TRUE(cameThrough);
      return failures;
    }
    ++failures;
    if (testing::Test::HasFailure()) {
      ADD_FAILURE() << "at allocation " << n;
      return failures;
    }
  }
}

TEST(NoMemory, whileASceneIsReadAndBuiltIsToldAsSuch) {
  const std::string json = kYard;
  const int failures = failEverywhere(1, [&] {
    // A scene is never called wrong for want of memory.
    const SceneRun run{json};
    return run.scene.bodies.size() == 4;
  });
  EXPECT_GT(failures, 100);
}

TEST(NoMemory, whileAMeshIsReadIsToldAsSuch) {
  const std::string obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
  const TemporaryFolder folder;
  const fs::path path = folder / "t.obj";
  if (std::FILE* file = std::fopen(path.c_str(), "wb")) {
    std::fwrite(obj.data(), 1, obj.size(), file);
    std::fclose(file);
  }
  const int failures = failEverywhere(
      1, [&] { return msd_assets::readMeshFile(path).triangles().size() == 4; });
  EXPECT_GT(failures, 3);
}

TEST(NoMemory, whileARecordingIsReadIsToldAsSuch) {
  const TemporaryFolder folder;
  record(folder / "a.db", kYard, 3);
  const int failures = failEverywhere(7, [&] { return readEverything(folder / "a.db"); });
  EXPECT_GT(failures, 50);
}

/// Recording ends, with what was committed in the file; the simulation's own steps are let be.
TEST(NoMemory, whileARunIsRecordedEndsTheRecordingAtMost) {
  const TemporaryFolder folder;
  const fs::path path = folder / "a.db";
  int ended = 0;
  const int failures = failEverywhere(11, [&] {
    const long wait = left.exchange(-1);
    fs::remove(path);
    fs::remove(path.string() + "-wal");
    fs::remove(path.string() + "-shm");
    SceneRun run{kYard};
    left = wait;
    bool isGood = false;
    std::uint64_t committed = 0;
    try {
      Recorder recorder{path, run.loaded.document, run.scene, eager(4)};
      isGood = recorder.begin(run.scene.world);
      for (int i = 0; i < 4; ++i) {
        const long pause = left.exchange(-1);
        const msd_sim::StepReport report = run.scene.advance();
        left = pause;
        isGood = recorder.step(run.scene.world, report, 1e-3) && isGood;
      }
      isGood = recorder.finish(run.scene.world, "ok") && isGood;
      left = -1;
      committed = recorder.progress().committedStep;
      if (!isGood) {
        ++ended;
        EXPECT_FALSE(recorder.progress().error.empty());
      }
    } catch (const std::bad_alloc&) {
      return false;
    } catch (const RecordError& error) {  // the file could not be made
      left = -1;
      EXPECT_THAT(error.what(), testing::HasSubstr("out of memory"));
      return false;
    }
    EXPECT_GE(Reader{path}.lastStep(), committed);
    return isGood;
  });
  EXPECT_GT(failures, 20);
  EXPECT_GT(ended, 0);
}

}  // namespace
}  // namespace msd_record::test
