#pragma once

#include <compare>
#include <cstdint>

namespace msd_sim {

/// A stable name for a thing in a world: a slot and the slot's generation when the thing was made.
/// The default names nothing. A name outlives its thing safely: once the thing is removed, every
/// use of the name is an error, even after the slot is used again.
template <class Tag>
struct Id {
  static constexpr std::uint32_t kNull = 0xFFFFFFFFu;

  std::uint32_t index{kNull};
  std::uint32_t generation{0};

  [[nodiscard]] bool isNull() const { return index == kNull; }
  auto operator<=>(const Id&) const = default;
};

using BodyId = Id<struct BodyTag>;
using JointId = Id<struct JointTag>;

}  // namespace msd_sim
