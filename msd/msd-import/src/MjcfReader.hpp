#pragma once

#include "msd-import/src/RobotFiles.hpp"
#include "msd-import/src/RobotModel.hpp"
#include "msd-import/src/XmlTree.hpp"

namespace msd_import {

/// The robot of an MJCF file whose root element is `root`. Throws msd_scene::SceneError.
[[nodiscard]] RobotModel readMjcf(const XmlNode& root, const FileFinder& files);

}  // namespace msd_import
