#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "msd-record/src/Reader.hpp"

/// A recording's motion in the formats of other programs.
namespace msd_record {

/// One glTF binary (.glb): a node per body with its shape, and an animation of one channel for
/// place and one for orientation of each body that moved. Every `every`-th frame is a key; z is up
/// in the scene and y in glTF, which a node above them all turns.
[[nodiscard]] std::string toGlb(Reader& reader, std::int64_t every = 1);

/// Arrays over frames: time, positions, orientations (w, x, y, z), velocities, angular_velocities,
/// shaped (frames, bodies that move, 3 or 4), and the bodies' names.
[[nodiscard]] std::string toNpz(Reader& reader, std::int64_t every = 1);

/// Gives the content of one file of a series by name.
using FileSink = std::function<void(const std::string& name, std::string_view bytes)>;

/// For ParaView: frame_NNNNNN.vtp (surfaces of all bodies, with body, speed and whether it is awake
/// per triangle) per frame, and run.pvd, which says when each was. Returns the number of frames.
std::int64_t writeVtk(Reader& reader, std::int64_t every, const FileSink& sink);

}  // namespace msd_record
