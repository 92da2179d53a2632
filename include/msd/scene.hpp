#pragma once

/// Scene files: read, check and write them, and build worlds from them. Link msd::scene.

#include "msd-scene/src/BuildScene.hpp"
#include "msd-scene/src/ReadScene.hpp"
#include "msd-scene/src/SceneDocument.hpp"
#include "msd-scene/src/WriteScene.hpp"
