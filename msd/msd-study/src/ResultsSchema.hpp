#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "msd-study/src/Study.hpp"

namespace msd_study {

/// In the head of the file, "mstu"; a recording has another.
inline constexpr std::uint32_t kResultsApplicationId = 0x6D737475;
inline constexpr std::int64_t kResultsVersion = 1;

/// A name as SQL quotes it.
[[nodiscard]] std::string sqlName(std::string_view name);

/// The tables of a study's results.
[[nodiscard]] std::string createTables(const Study& study);
[[nodiscard]] std::string insertCase(const Study& study);
[[nodiscard]] std::string insertResult(const Study& study);

/// A choice as people read it: a word without its quotes.
[[nodiscard]] std::string choiceText(std::string_view json);

}  // namespace msd_study
