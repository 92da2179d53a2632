#pragma once

namespace msd_sim {

/// Most memory that this program has held at a time [MiB]. What was its parent's before it started does
/// not count, as it would in getrusage.
[[nodiscard]] double peakMemory();

}  // namespace msd_sim
