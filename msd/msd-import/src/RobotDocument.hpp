#pragma once

#include <map>
#include <string>
#include <vector>

#include "msd-import/src/RobotModel.hpp"
#include "msd-import/src/UrdfReader.hpp"
#include "msd-scene/src/SceneDocument.hpp"

namespace msd_import {

/// A robot as a scene, and what of it the scene does not have.
struct RobotDocument {
  msd_scene::SceneDocument document{};
  std::vector<ImportNote> notes{};  ///< the model's, and those of the conversion
  std::vector<Place>
      bodyPlaces{};  ///< where each body, joint and shape of the document was written
  std::vector<Place> jointPlaces{};
  std::map<std::string, Place> shapePlaces{};
};

/// Links without joints become part of their parent. A link on several joints hangs on bodies
/// without shape between them, whose mass is kGhostShare of what they carry. Throws
/// msd_scene::SceneError.
[[nodiscard]] RobotDocument makeDocument(const RobotModel& robot, const ImportOptions& options);

inline constexpr double kGhostShare = 1e-6;

}  // namespace msd_import
