#pragma once

#include <filesystem>
#include <string>

#include "msd-study/src/StudyTable.hpp"

namespace msd_study {

/// One page, complete in itself: what was studied, how it ended, success and measures over parameters,
/// histograms, and the worst cases with the commands that replay them.
[[nodiscard]] std::string htmlReport(const StudyTable& table, const Study& study,
                                     const std::filesystem::path& results);

}  // namespace msd_study
