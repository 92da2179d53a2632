#pragma once

#include "msd-import/src/ImportNotes.hpp"
#include "msd-import/src/ImportOptions.hpp"
#include "msd-import/src/RobotFiles.hpp"
#include "msd-import/src/RobotModel.hpp"
#include "msd-import/src/XmlTree.hpp"

namespace msd_import {

/// The robot of a URDF file whose root element is `root`. Throws msd_scene::SceneError.
[[nodiscard]] RobotModel readUrdf(const XmlNode& root, const FileFinder& files,
                                  const ImportOptions& options);

}  // namespace msd_import
