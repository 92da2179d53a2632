// Damaged files: the reader answers or says that the recording is damaged. It never crashes or
// hangs.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "msd-record/test/ReadEverything.hpp"
#include "msd-record/test/RecordedRuns.hpp"

namespace msd_record::test {
namespace {

namespace fs = std::filesystem;

std::string bytesOf(const fs::path& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

void write(const fs::path& path, std::string_view bytes) {
  std::ofstream{path, std::ios::binary} << bytes;
}

TEST(DamagedRecording, cutAnywhereIsAnsweredOrRefused) {
  const TemporaryFolder folder;
  record(folder / "a.db", kYard, 10);
  const std::string whole = bytesOf(folder / "a.db");
  EXPECT_TRUE(readEverything(folder / "a.db"));
  for (std::size_t size = 0; size < whole.size(); size += 997) {
    write(folder / "b.db", std::string_view{whole}.substr(0, size));
    static_cast<void>(readEverything(folder / "b.db"));
  }
}

TEST(DamagedRecording, withRandomBytesIsAnsweredOrRefused) {
  const TemporaryFolder folder;
  record(folder / "a.db", kYard, 10);
  const std::string whole = bytesOf(folder / "a.db");
  std::mt19937_64 random{7};
  int refused = 0;
  constexpr int kTrials = 300;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::string damaged = whole;
    const int count = 1 << (trial % 8);
    for (int i = 0; i < count; ++i) {
      // Half of the damage near the start of pages, where the structure is.
      std::size_t at = random() % damaged.size();
      if (i % 2 == 0) at = at / 16384 * 16384 + random() % 128;
      damaged[std::min(at, damaged.size() - 1)] = static_cast<char>(random());
    }
    write(folder / "b.db", damaged);
    refused += readEverything(folder / "b.db") ? 0 : 1;
  }
  EXPECT_GT(refused, kTrials / 4);
}

}  // namespace
}  // namespace msd_record::test
