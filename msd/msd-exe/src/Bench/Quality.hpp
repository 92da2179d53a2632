#pragma once

#include <filesystem>
#include <optional>

#include "msd-scene/src/ReadScene.hpp"

namespace msd_exe {

/// How well a run kept to the laws it should obey, measured from its poses alone: the same figures
/// for every engine.
struct Quality {
  double lastDeepest{0.0};   ///< deepest penetration in the last frame [m]
  double lastMean{0.0};      ///< mean over its penetrating pairs [m]
  std::size_t lastPairs{0};  ///< pairs deeper than 1 µm in the last frame
  double worstDeepest{0.0};  ///< over the second half of the run [m]
  double worstMean{0.0};     ///< [m]
  double kineticEnd{0.0};    ///< [J]
  double energyStart{0.0};   ///< kinetic and potential [J]
  double energyEnd{0.0};     ///< [J]
  double largestRise{0.0};   ///< of the total energy between two recorded frames [J]
  std::size_t escaped{0};    ///< bodies below z = -5 m, or not finite
  /// Of what a joint holds together: its anchor in both bodies, for sliders beside their axis; over
  /// the run [m].
  std::optional<double> worstAnchorError{};
  std::optional<double> lastAnchorError{};   ///< [m]
  double topSank{0.0};     ///< of the bodies that start highest: largest change of height [m]
  double topDrifted{0.0};  ///< their largest horizontal move [m]
};

/// Measures a poses file. Of the second half, every `every`-th recorded frame is searched for
/// penetrations. Throws UsageError when the poses are of another scene.
[[nodiscard]] Quality measureQuality(const msd_scene::LoadedScene& scene,
                                     const std::filesystem::path& poses, std::size_t every);

}  // namespace msd_exe
