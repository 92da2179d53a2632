#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace msd_study {

/// What the results of a study add up to, counted in the file: takes no memory however many there are.
struct StudySummary {
  struct StatusCount {
    std::string status{};
    std::uint64_t cases{0};
    std::uint64_t first{0};  ///< the first such case
    std::string reason{};    ///< of the first
  };
  std::uint64_t done{0};
  std::vector<StatusCount> statuses{};  ///< most frequent first
  std::uint64_t successes{0};
  std::uint64_t judged{0};  ///< cases that could succeed
};

/// Throws msd_record::RecordError.
[[nodiscard]] StudySummary readSummary(const std::filesystem::path& path);

}  // namespace msd_study
