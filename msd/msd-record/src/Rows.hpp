#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "msd-sim/src/DataTypes/Pose.hpp"
#include "msd-sim/src/Environment/ContactRecord.hpp"

/// The rows a frame consists of, as plain numbers without gaps: captured, compared, summed and
/// written as they are. Columns and units: docs/recording.md.
namespace msd_record {

using msd_sim::Vector3D;

/// A body that can move.
struct BodyState {
  static constexpr std::uint32_t kNoIsland = 0xFFFFFFFFu;

  std::array<double, 13> numbers{};  ///< position 3, orientation w x y z, velocity 3, spin 3
  std::uint32_t body{0};
  std::uint32_t island{kNoIsland};
  std::uint32_t awake{0};
  std::uint32_t unused{0};

  [[nodiscard]] Vector3D position() const { return {numbers[0], numbers[1], numbers[2]}; }
  [[nodiscard]] msd_sim::Quaternion orientation() const {
    return {numbers[3], numbers[4], numbers[5], numbers[6]};
  }
  [[nodiscard]] msd_sim::Pose pose() const { return {position(), orientation()}; }
  [[nodiscard]] Vector3D velocity() const { return {numbers[7], numbers[8], numbers[9]}; }
  [[nodiscard]] Vector3D angularVelocity() const { return {numbers[10], numbers[11], numbers[12]}; }
};

/// A contact point that carries a force.
struct ContactRow {
  std::array<double, 14> numbers{};  ///< point 3, normal 3, gap, force 3, slip 3, friction
  std::uint32_t bodyA{0};
  std::uint32_t bodyB{0};
  std::uint32_t state{0};
  std::uint32_t feature{0};

  [[nodiscard]] Vector3D point() const { return {numbers[0], numbers[1], numbers[2]}; }
  [[nodiscard]] Vector3D normal() const { return {numbers[3], numbers[4], numbers[5]}; }
  [[nodiscard]] double gap() const { return numbers[6]; }
  [[nodiscard]] Vector3D forceOnB() const { return {numbers[7], numbers[8], numbers[9]}; }
  [[nodiscard]] Vector3D slip() const { return {numbers[10], numbers[11], numbers[12]}; }
  [[nodiscard]] double friction() const { return numbers[13]; }
  [[nodiscard]] bool isSlipping() const {
    return state == static_cast<std::uint32_t>(msd_sim::ContactState::kSlip);
  }
};

/// What a joint did.
struct ReactionRow {
  std::array<double, 7> numbers{};  ///< force 3, torque 3, coordinate (NaN: none)
  std::uint32_t joint{0};
  std::uint32_t broken{0};

  [[nodiscard]] Vector3D force() const { return {numbers[0], numbers[1], numbers[2]}; }
  [[nodiscard]] Vector3D torque() const { return {numbers[3], numbers[4], numbers[5]}; }
  [[nodiscard]] double coordinate() const { return numbers[6]; }
};

static_assert(sizeof(BodyState) == 13 * 8 + 16);
static_assert(sizeof(ContactRow) == 14 * 8 + 16);
static_assert(sizeof(ReactionRow) == 7 * 8 + 8);

/// The rows of a frame, in order, as one number: msd_sim::Hasher over the bits of every double and
/// then the whole numbers of every row, low half. Every NaN counts alike.
[[nodiscard]] std::int64_t checksum(std::span<const BodyState> states,
                                    std::span<const ContactRow> active,
                                    std::span<const ContactRow> resting,
                                    std::span<const ReactionRow> reactions);

/// Of any bytes, eight at a time, zeros after the end.
[[nodiscard]] std::int64_t checksum(std::span<const std::byte> bytes);

}  // namespace msd_record
