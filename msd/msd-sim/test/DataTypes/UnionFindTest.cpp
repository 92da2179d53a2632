// Groups that several threads unite and name side by side: the same roots whoever comes first.
#include "msd-sim/src/DataTypes/UnionFind.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "msd-sim/src/DataTypes/WorkTeam.hpp"

namespace msd_sim {
namespace {

using Parents = std::vector<std::uint32_t>;

void nameAll(WorkTeam& team, Parents& parent, std::size_t grain) {
  team.forRange(parent.size(), grain, [&](std::size_t first, std::size_t last) {
    nameRoots(parent, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last));
  });
}

// Every thread walks ways that others shorten at the same time. With ways that are halved while
// roots are named, on two cores in 5 of 5 runs of this test some entry ended without its root.
TEST(UnionFind, namesTheRootOfEveryEntryOfLongWays) {
  constexpr std::uint32_t kCount = 4096;
  WorkTeam team{8};
  const WorkTeam::Session session{team};
  for (int round = 0; round < 300; ++round) {
    Parents parent(kCount);
    for (std::uint32_t i = 1; i < kCount; ++i) parent[i] = i - 1;
    nameAll(team, parent, 16);
    ASSERT_EQ(parent, Parents(kCount, 0)) << "round " << round;
  }
}

TEST(UnionFind, groupsAreTheSameWhoeverComesFirst) {
  constexpr std::uint32_t kCount = 3000;
  std::mt19937 random{7};
  const auto any = [&] { return static_cast<std::uint32_t>(random() % kCount); };
  WorkTeam team{8};
  const WorkTeam::Session session{team};
  for (int round = 0; round < 100; ++round) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs(1000 + random() % 2000);
    for (auto& pair : pairs) pair = {any(), any()};
    Parents alone(kCount), together(kCount);
    std::iota(alone.begin(), alone.end(), 0u);
    together = alone;
    for (const auto& [a, b] : pairs) unite(alone, a, b);
    for (std::uint32_t& root : alone) root = findRoot(alone, root);
    team.forRange(pairs.size(), 16, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) unite(together, pairs[i].first, pairs[i].second);
    });
    nameAll(team, together, 16);
    ASSERT_EQ(together, alone) << "round " << round;
  }
}

}  // namespace
}  // namespace msd_sim
