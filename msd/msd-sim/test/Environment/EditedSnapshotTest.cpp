// Snapshots are untrusted: bytes that were edited by somebody who redid the check sum are refused, or make a world
// that steps; nothing crashes, hangs, or changes the world that refused them.

#include <gtest/gtest.h>

#include <cstdio>

#include "EditedSnapshots.hpp"

namespace msd_sim::test {
namespace {

constexpr double kDt = 1.0 / 60.0;

TEST(EditedSnapshot, isRefusedOrStepsOn) {
  WorldModel world;
  addEverything(world);
  std::vector<std::vector<std::byte>> good;
  for (const int steps : {2, 60, 200}) {  // in flight, in contact, partly asleep
    for (int i = 0; i < steps; ++i) world.update(kDt);
    world.applyForce(world.bodies().back(), {1.0, 0.0, 0.0});
    good.push_back(world.snapshot());
  }
  const std::vector<std::byte> before = world.snapshot();
  Random random{2024};
  int refused = 0, taken = 0;
  for (int i = 0; i < 3000; ++i) {
    std::vector<std::byte> bad = good[static_cast<std::size_t>(i) % good.size()];
    const int edits = 1 + i % 3;
    for (int e = 0; e < edits; ++e) {
      const auto at = kPayloadAt + static_cast<std::size_t>(random.next() * static_cast<double>(bad.size() - kPayloadAt));
      switch (i % 4) {
        case 0: bad[at] ^= static_cast<std::byte>(1u << (i / 4 % 8)); break;
        case 1: bad[at] = static_cast<std::byte>(random.next() * 256.0); break;
        case 2: bad[at] = std::byte{0xFF}; break;
        default: {  // a number of 32 bits: small, large, or one off
          const std::size_t word = std::min(at, bad.size() - 4);
          std::uint32_t value = 0;
          std::memcpy(&value, bad.data() + word, 4);
          const std::uint32_t values[] = {0, 1, value + 1, value - 1, 0x7FFFFFFF, 0xFFFFFFFE, 40, 0x00FFFFFF};
          std::memcpy(bad.data() + word, &values[static_cast<std::size_t>(random.next() * 8.0)], 4);
        }
      }
    }
    redoSum(bad);
    try {
      world.restore(bad);
      ++taken;
      for (int k = 0; k < 2; ++k) (void)world.update(kDt);
      (void)world.contacts();
      (void)world.snapshot();
      world.restore(before);
    } catch (const std::invalid_argument&) {
      ++refused;
      ASSERT_EQ(world.snapshot(), before) << "edit " << i;
    }
  }
  std::printf("%d edited snapshots refused, %d taken and stepped\n", refused, taken);
  EXPECT_GT(refused, 100);
}

TEST(EditedSnapshot, ofAnyLengthIsRefused) {
  WorldModel world;
  addEverything(world);
  for (int i = 0; i < 60; ++i) world.update(kDt);
  const std::vector<std::byte> good = world.snapshot();
  for (std::size_t length = kPayloadAt; length < good.size(); length += 1 + good.size() / 400) {
    std::vector<std::byte> bad{good.begin(), good.begin() + static_cast<std::ptrdiff_t>(length)};
    redoSum(bad);
    EXPECT_THROW(world.restore(bad), std::invalid_argument) << length;
  }
  std::vector<std::byte> longer = good;
  longer.resize(longer.size() + 100);
  redoSum(longer);
  EXPECT_THROW(world.restore(longer), std::invalid_argument);
  EXPECT_EQ(world.snapshot(), good);
}

// Every seventh word of a small world: whatever the field is, nothing goes wrong.
TEST(EditedSnapshot, anyFieldMayBeWrong) {
  for (const Method method : {Method::kFast, Method::kReference}) {
    WorldModel world{Settings{.method = method}};
    addWall(world, 2, 2);
    for (int i = 0; i < 30; ++i) world.update(kDt);
    const std::vector<std::byte> good = world.snapshot();
    int refused = 0, taken = 0;
    for (std::size_t at = kPayloadAt; at < good.size(); at += 28) {
      std::vector<std::byte> bad = good;
      bad[at] ^= std::byte{0x55};
      redoSum(bad);
      try {
        world.restore(bad);
        (void)world.update(kDt);
        ++taken;
        world.restore(good);
      } catch (const std::invalid_argument&) {
        ++refused;
      }
    }
    std::printf("%d of %d fields are refused when wrong\n", refused, refused + taken);
    EXPECT_EQ(world.snapshot(), good);
  }
}

}  // namespace
}  // namespace msd_sim::test
