#pragma once

/// Shapes as values (spheres, boxes, capsules, cylinders, hulls, meshes, terrains, planes,
/// compounds), their mass properties, and mesh files.

#include "msd-assets/src/MassProperties.hpp"
#include "msd-assets/src/MeshIo.hpp"
#include "msd-assets/src/Shape.hpp"
