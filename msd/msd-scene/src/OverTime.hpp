#pragma once

#include <vector>

#include "msd-scene/src/SceneDocument.hpp"

namespace msd_scene {

/// A number that changes over time, and its rate.
struct NumberAt {
  double value{0.0};
  double rate{0.0};
};
/// Even change between entries; before the first and after the last it stays. At a jump the later
/// entry counts.
[[nodiscard]] NumberAt valueAt(const std::vector<TimedNumber>& entries, double time);
/// Zero where there are none.
[[nodiscard]] Vector3D vectorAt(const std::vector<TimedVector>& entries, double time);

}  // namespace msd_scene
