#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "msd-sim/src/DataTypes/Pose.hpp"

namespace msd_exe {

/// State of a body's frame as a poses file holds it, world axes.
struct RecordedState {
  msd_sim::Pose pose{};
  msd_sim::CoordinateRate velocity{0.0, 0.0, 0.0};      ///< of the frame's origin [m/s]
  msd_sim::AngularRate angularVelocity{0.0, 0.0, 0.0};  ///< [rad/s]

  [[nodiscard]] bool isFinite() const;
};

struct RecordedFrame {
  double time{0.0};  ///< [s]
  std::vector<RecordedState> bodies{};
};

/// Reads what `msd run --poses` and the adapters of other engines write. Throws UsageError for a
/// file that cannot be read, is cut short, or holds another number of bodies.
[[nodiscard]] std::vector<RecordedFrame> readPoses(const std::filesystem::path& path,
                                                   std::size_t bodies);

}  // namespace msd_exe
