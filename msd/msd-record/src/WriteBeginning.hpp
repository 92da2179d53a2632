#pragma once

#include "msd-record/src/RecordingFile.hpp"
#include "msd-record/src/Sqlite.hpp"
#include "msd-scene/src/BuildScene.hpp"

namespace msd_record {

/// Large, since rows are long and come in order.
inline constexpr int kPageBytes = 16384;

/// Makes the tables and fills in what does not change while a recording runs, in one transaction: a
/// run killed here leaves a file that is empty, or one that can be resumed from the scene's start.
void writeBeginning(Database& database, const msd_scene::SceneDocument& document,
                    const msd_scene::SceneWorld& scene, const RecordOptions& options);

}  // namespace msd_record
