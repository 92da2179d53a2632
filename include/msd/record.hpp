#pragma once

/// Recordings of runs: write them while a world is stepped (Recorder) and read them again (Reader).
/// Link msd::record.

#include "msd-record/src/Reader.hpp"
#include "msd-record/src/Recorder.hpp"
