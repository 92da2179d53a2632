#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "msd-view/src/FrameSource.hpp"

/// What a page may ask for: one JSON object a message, with the wish in the field "c".
namespace msd_view {

struct Play {};
struct Pause {};
struct Restart {};
struct Step {
  std::int64_t count{1};  ///< moments forwards or, negative, backwards
};
struct Seek {
  std::uint64_t index{0};
};
struct SetSpeed {
  double speed{1.0};  ///< simulated seconds per second; 0: as fast as it goes
};
struct SetMethod {
  msd_sim::Method method{msd_sim::Method::kFast};
};
struct Drag {
  std::optional<DragTarget> target{};  ///< none: let go
};
/// A motor's target, or where a joint without a motor is to be held.
struct Drive {
  std::uint32_t joint{0};
  std::optional<double> target{};  ///< none: as the scene says again
};
/// What this viewer wants to see; answered without the player.
struct Select {
  std::int64_t body{-1};
};
struct Subscribe {
  bool contacts{false};
  bool bounds{false};
  bool joints{false};
};

using Control = std::variant<Play, Pause, Restart, Step, Seek, SetSpeed, SetMethod, Drag, Drive,
                             Select, Subscribe>;

inline constexpr double kMinSpeed = 0.01;
inline constexpr double kMaxSpeed = 64.0;
inline constexpr std::int64_t kMaxStepCount = 100'000;

/// Reads a message. Throws std::invalid_argument with the field, what was found and what was
/// expected.
[[nodiscard]] Control parseControl(std::string_view message);

}  // namespace msd_view
