#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "msd-sim/src/Environment/Settings.hpp"

namespace CLI {
class App;
}

namespace msd_exe {

/// One measured frame of a tossed cube. Lengths in half-widths of the cube.
struct TossFrame {
  double position[3];
  double orientation[4];      ///< w x y z
  double velocity[3];         ///< [half-widths/s]
  double angularVelocity[3];  ///< world axes [rad/s]
};

/// The measured tosses and the cube they were made with, as published (ContactNets).
struct TossData {
  double dt{0.0};           ///< between frames [s]
  double gravity{0.0};      ///< [half-widths/s²]
  double mass{0.0};         ///< [kg]
  double inertia{0.0};      ///< about any axis [kg·half-width²]
  double friction{0.0};     ///< cube on table [-]
  double restitution{0.0};  ///< [-]
  std::vector<std::vector<TossFrame>> tosses;
};

/// Reads `experiment.json` and `tosses.csv` from a folder. Throws UsageError with the file, the
/// line and what was expected.
[[nodiscard]] TossData readTosses(const std::filesystem::path& folder);

/// How far a simulated toss ends from the measured one.
struct TossError {
  double position{0.0};  ///< centres, at the last frame [half-widths]
  double rotation{0.0};  ///< angle between the orientations [rad]
  double mean{0.0};      ///< of the centres' distance over all frames [half-widths]
};

/// Simulates a toss from its first measured frame, `substeps` world steps a frame.
[[nodiscard]] TossError simulateToss(const TossData& data, std::size_t toss, msd_sim::Method method,
                                     int substeps);

/// What share of the values lies below each of them: the curve of a distribution.
struct TossCurve {
  std::string name;
  std::vector<double> position;  ///< sorted [half-widths]
  std::vector<double> rotation;  ///< sorted [degrees]
};

/// Two panels, position and rotation, one curve a method.
[[nodiscard]] std::string drawTosses(const std::vector<TossCurve>& curves);

/// `msd validate tosses`.
void addValidateTosses(CLI::App& parser, std::function<int()>& action);

}  // namespace msd_exe
