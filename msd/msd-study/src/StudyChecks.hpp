#pragma once

#include <span>
#include <string>
#include <vector>

#include "msd-study/src/StudyDocument.hpp"
#include "msd-study/src/StudyTable.hpp"

namespace msd_study {

/// A check of a study and what its results said.
struct StudyCheckResult {
  double measured{0.0};
  std::uint64_t cases{0};  ///< that counted
  bool holds{false};
  std::string line{};  ///< ok     mean of success where friction >= 0.5: 1 (20 cases), expected >= 0.99
};

[[nodiscard]] std::vector<StudyCheckResult> evaluateChecks(const StudyDocument& study,
                                                           const StudyTable& table);

/// Pearson's test: the chance that as many equally likely outcomes as there are counts deviate from
/// equal counts at least as much as these do.
[[nodiscard]] double chiSquareChance(std::span<const double> counts);

/// Q(a, x), the upper incomplete gamma function over Γ(a), a > 0, x >= 0.
[[nodiscard]] double upperGammaShare(double a, double x);

}  // namespace msd_study
