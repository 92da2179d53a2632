#pragma once

/// Everything that users of msd-sim include. The names are in the namespaces msd_sim (worlds),
/// msd_assets (shapes), msd_scene (scene files), msd_import (robots) and msd_record
/// (recordings).

#include "msd/constraint.hpp"
#include "msd/joints.hpp"
#include "msd/queries.hpp"
#include "msd/record.hpp"
#include "msd/report.hpp"
#include "msd/robots.hpp"
#include "msd/scene.hpp"
#include "msd/sensors.hpp"
#include "msd/shapes.hpp"
#include "msd/world.hpp"
