#pragma once

#include "msd-import/src/FileFinder.hpp"
#include "msd-import/src/RobotModel.hpp"

namespace msd_import {

/// The surface in a mesh file (STL, OBJ or glTF, by its name), each coordinate times `scale`.
/// Throws std::exception with the reason.
[[nodiscard]] RobotMesh readRobotMesh(const FoundFile& file, const Vector3D& scale);

}  // namespace msd_import
