#pragma once

#include <cstdint>
#include <string>

#include "msd-view/src/Frame.hpp"
#include "msd-view/src/SceneInfo.hpp"

namespace msd_view {

/// The forces that hold a body at one moment, at its centre of mass, world axes [N].
struct ForceBalance {
  msd_sim::Force contacts{msd_sim::Force::Zero()};
  msd_sim::Force joints{msd_sim::Force::Zero()};
  msd_sim::Force applied{msd_sim::Force::Zero()};  ///< of the scene and of the mouse
  msd_sim::Force weight{msd_sim::Force::Zero()};
  [[nodiscard]] msd_sim::Force sum() const { return contacts + joints + applied + weight; }
};

[[nodiscard]] ForceBalance balanceOf(const Frame& frame, const SceneInfo& scene,
                                     std::uint32_t body);

/// All that is known of a body at one moment, as the JSON message that the page shows.
[[nodiscard]] std::string bodyReport(const Frame& frame, const SceneInfo& scene,
                                     std::uint32_t body);

}  // namespace msd_view
