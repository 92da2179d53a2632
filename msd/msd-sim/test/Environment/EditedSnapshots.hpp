#pragma once

#include <cstring>
#include <vector>

#include "msd-sim/test/Environment/Scenes.hpp"
#include "msd-sim/src/Environment/WorldBytes.hpp"

/// Snapshots as somebody might make them who knows the format: with the right check sum.
namespace msd_sim::test {

// Name, version, fingerprint of the world; then the check sum, the length, and what is summed.
inline constexpr std::size_t kSumAt = 8 + 4 + 16;
inline constexpr std::size_t kLengthAt = kSumAt + 16;
inline constexpr std::size_t kPayloadAt = kLengthAt + 8;

inline void redoSum(std::vector<std::byte>& snapshot) {
  const std::uint64_t length = snapshot.size() - kPayloadAt;
  const Hash128 sum = checkSumOf(std::span{snapshot}.subspan(kPayloadAt));
  std::memcpy(snapshot.data() + kSumAt, &sum.low, 8);
  std::memcpy(snapshot.data() + kSumAt + 8, &sum.high, 8);
  std::memcpy(snapshot.data() + kLengthAt, &length, 8);
}

/// Meshes, terrain-like floors, sleepers, joints, kinematic, forced and continuous bodies.
inline void addEverything(WorldModel& world) {
  addHeap(world, 12);
  BodyId above{};
  for (int i = 0; i < 3; ++i) {
    const BodyId link = world.spawn(
        InertialDescription{.shape = Capsule{0.05, 0.15}, .position = {4.0, 0.0, 3.0 - 0.4 * i}, .continuous = i == 2});
    world.spawn(JointDescription{
        .kind = JointKind::kHinge, .bodyA = above, .bodyB = link, .anchor = {4.0, 0.0, 3.2 - 0.4 * i}, .axis = {0, 1, 0}});
    above = link;
  }
  const BodyId gone = world.spawn(InertialDescription{.shape = Sphere{0.1}, .position = {-4.0, 0.0, 0.1}});
  world.spawn(InertialDescription{
      .shape = Box{{0.5, 0.5, 0.1}}, .position = {-3.0, 0.0, 0.2}, .angularVelocity = {0, 0, 0.3}, .kinematic = true});
  for (int i = 0; i < 3; ++i) {
    world.spawn(InertialDescription{
        .shape = Box{{0.2, 0.2, 0.2}}, .position = {0.0, 4.0, 0.2 + 0.4 * i}, .restitution = 0.0, .rollingResistance = 0.01});
  }
  world.remove(gone);
}

}  // namespace msd_sim::test
