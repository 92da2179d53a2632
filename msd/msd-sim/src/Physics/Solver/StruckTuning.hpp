#pragma once

namespace msd_sim {

/// Islands that a heavy body strikes (docs/theory/plan.md, G-14).
struct StruckTuning {
  double ratio{4.0};  ///< of the masses of two bodies from which on their island is struck, ...
  double way{0.2};    ///< ... if they come so far towards each other in a step, against the smaller
                      ///< one's size; ...
  unsigned manifolds{512};  ///< ... if it has no more than these; ...
  double visits{16384};     ///< ... then hits may cost so many visits in a phase, ...
  int mostSweeps{128};      ///< ... and so many sweeps
  double hit{10};           ///< local residual of a hit there (G-8)
};
inline constexpr StruckTuning kStruckTuning{};

}  // namespace msd_sim
