#pragma once

#include "msd-sim/src/Diagnostics/StepReport.hpp"
#include "msd-sim/src/Environment/Settings.hpp"
#include "msd-view/src/Frame.hpp"

namespace msd_view {

/// Turns the reports of successive steps into rows for the plots, adding up the works.
class RowMaker {
 public:
  /// The row of a step; what only events tell (hits, begins, ends) is left at zero.
  [[nodiscard]] SeriesRow make(const msd_sim::StepReport& report, std::uint64_t index,
                               msd_sim::Method method);

 private:
  SeriesRow totals_{};
};

}  // namespace msd_view
