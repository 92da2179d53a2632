#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace msd_import {

/// What a caller may ask of an importer.
struct ImportOptions {
  std::vector<std::filesystem::path> searchPaths{};  ///< for mesh files and packages
  /// URDF: the root stands still. Without it, it does so where it is called "world" or it and what
  /// is fixed to it have no mass.
  bool fixedBase{false};
  std::string keyframe{};  ///< MJCF: start from this one; empty: as the file writes the robot
  bool strict{false};      ///< what cannot be carried over is an error, not a note
};

}  // namespace msd_import
