#pragma once

#include "msd-sim/src/DataTypes/Bytes.hpp"

namespace msd_sim {

struct Simulation;

/// What the reference method keeps from step to step and tells of the last one, into bytes and
/// back: part of a snapshot (WorldBytes.hpp).
void saveReference(ByteWriter& out, const Simulation& sim);
void loadReference(ByteReader& in, Simulation& sim);
/// Throws std::invalid_argument on bytes that are not of this world.
void checkReference(ByteReader& in, const Simulation& sim);

}  // namespace msd_sim
