// The thread team: every block once, whoever computes it; what is thrown arrives; nothing hangs.
#include "msd-sim/src/DataTypes/WorkTeam.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace msd_sim {
namespace {

constexpr int kTeams[] = {1, 2, 3, 4, 8};

TEST(WorkTeam, callsEveryBlockOnce) {
  for (const int threads : kTeams) {
    WorkTeam team{threads};
    const WorkTeam::Session session{team};
    for (const std::size_t blocks : {0, 1, 2, 7, 100, 5000}) {
      std::vector<int> calls(blocks, 0);
      for (int loop = 1; loop <= 20; ++loop) {
        team.forBlocks(blocks, [&](std::size_t block) { ++calls[block]; });
      }
      EXPECT_EQ(calls, std::vector<int>(blocks, 20)) << threads << " threads";
    }
  }
}

TEST(WorkTeam, cutsARangeWithoutGapOrOverlap) {
  WorkTeam team{3};
  const WorkTeam::Session session{team};
  for (const std::size_t count : {0, 1, 63, 64, 65, 1000}) {
    std::vector<int> calls(count, 0);
    team.forRange(count, 64, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) ++calls[i];
    });
    EXPECT_EQ(calls, std::vector<int>(count, 1));
  }
}

TEST(WorkTeam, throwsWhatABlockThrewAndWorksOn) {
  for (const int threads : kTeams) {
    WorkTeam team{threads};
    const WorkTeam::Session session{team};
    for (std::size_t bad : {0, 1, 499, 998, 999}) {
      try {
        team.forBlocks(1000, [&](std::size_t block) {
          if (block == bad) throw std::runtime_error("block " + std::to_string(block));
        });
        FAIL() << "nothing was thrown";
      } catch (const std::runtime_error& error) {
        EXPECT_EQ(std::string{error.what()}, "block " + std::to_string(bad));
      }
      std::atomic<int> calls{0};
      team.forBlocks(1000, [&](std::size_t) { ++calls; });
      EXPECT_EQ(calls.load(), 1000);
    }
  }
}

TEST(WorkTeam, everyBlockMayThrow) {
  WorkTeam team{4};
  const WorkTeam::Session session{team};
  for (int loop = 0; loop < 200; ++loop) {
    EXPECT_THROW(team.forBlocks(64, [](std::size_t block) { throw block; }), std::size_t);
  }
}

// The rest of a loop is left out once a block has thrown: of 100000 blocks, those of the runs that the
// threads were in the middle of are called, an eighth of a thread's share each.
TEST(WorkTeam, stopsSoonAfterAThrow) {
  WorkTeam team{2};
  const WorkTeam::Session session{team};
  std::atomic<int> calls{0};
  EXPECT_THROW(team.forBlocks(100000,
                              [&](std::size_t) {
                                ++calls;
                                throw std::bad_alloc{};
                              }),
               std::bad_alloc);
  EXPECT_LE(calls.load(), 2);
}

TEST(WorkTeam, aLoopWithinABlockIsTheBlocksOwn) {
  for (const int threads : kTeams) {
    WorkTeam team{threads};
    const WorkTeam::Session session{team};
    std::vector<int> calls(50 * 40, 0);
    team.forBlocks(50, [&](std::size_t outer) {
      const WorkTeam::Session nested{team};
      const std::thread::id self = std::this_thread::get_id();
      team.forBlocks(40, [&](std::size_t inner) {
        EXPECT_EQ(std::this_thread::get_id(), self);
        ++calls[outer * 40 + inner];
      });
    });
    EXPECT_EQ(calls, std::vector<int>(50 * 40, 1));
    EXPECT_THROW(team.forBlocks(50,
                                [&](std::size_t) {
                                  team.forBlocks(40, [](std::size_t i) {
                                    if (i == 39) throw std::runtime_error("inner");
                                  });
                                }),
                 std::runtime_error);
  }
}

TEST(WorkTeam, severalThreadsMayAskAtOnce) {
  WorkTeam team{3};
  std::vector<std::thread> askers;
  std::atomic<int> wrong{0};
  for (int asker = 0; asker < 4; ++asker) {
    askers.emplace_back([&] {
      for (int loop = 0; loop < 500; ++loop) {
        const WorkTeam::Session session{team};
        std::vector<int> calls(100, 0);
        team.forBlocks(calls.size(), [&](std::size_t block) { ++calls[block]; });
        if (std::accumulate(calls.begin(), calls.end(), 0) != 100) ++wrong;
      }
    });
  }
  for (std::thread& asker : askers) asker.join();
  EXPECT_EQ(wrong.load(), 0);
}

TEST(WorkTeam, withoutASessionTheCallerWorksAlone) {
  WorkTeam team{4};
  const std::thread::id self = std::this_thread::get_id();
  team.forBlocks(1000, [&](std::size_t) { EXPECT_EQ(std::this_thread::get_id(), self); });
}

TEST(WorkTeam, comesAndGoesWithoutHanging) {
  for (int i = 0; i < 100; ++i) {
    WorkTeam team{4};
    if (i % 2 == 0) continue;
    const WorkTeam::Session session{team};
    team.forBlocks(10, [](std::size_t) {});
  }
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kCanLimitMemory = false;  // a sanitizer's own memory is beyond any limit
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
constexpr bool kCanLimitMemory = false;
#else
constexpr bool kCanLimitMemory = true;
#endif
#else
constexpr bool kCanLimitMemory = true;
#endif

/// In a process that may have 100 MB more than it has: stacks for about a dozen threads.
[[noreturn]] void askForMoreThreadsThanThereAre() {
  std::size_t pages = 0;
  std::ifstream{"/proc/self/statm"} >> pages;
  const rlimit limit{pages * 4096 + 100'000'000, RLIM_INFINITY};
  if (setrlimit(RLIMIT_AS, &limit) != 0) std::_Exit(3);
  {
    WorkTeam team{1024};
    const WorkTeam::Session session{team};
    std::atomic<int> calls{0};
    team.forBlocks(1000, [&](std::size_t) { ++calls; });
    std::fprintf(stderr, "%d blocks, %s threads\n", calls.load(),
                 team.threads() < 1024 && team.threads() >= 1 ? "fewer" : "all");
  }
  std::_Exit(0);
}

TEST(WorkTeamDeathTest, hasFewerThreadsWhereTheSystemGivesNoMore) {
  if (!kCanLimitMemory) GTEST_SKIP() << "memory cannot be limited under a sanitizer";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(askForMoreThreadsThanThereAre(), testing::ExitedWithCode(0), "1000 blocks, fewer threads");
}

}  // namespace
}  // namespace msd_sim
