#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace msd_exe {

/// Validators for option values, with messages of the same kind as those for scene files:
///   --steps: found "many", expected a whole number from 0 to 1000000000
[[nodiscard]] CLI::Validator wholeNumber(std::uint64_t low, std::uint64_t high);
[[nodiscard]] CLI::Validator number(double low, double high, std::string unit);
/// A number, or a quotient of two such as 1/240, which it turns into its value: for
/// CLI::Option::transform.
[[nodiscard]] CLI::Validator quotient(double low, double high, std::string unit);
[[nodiscard]] CLI::Validator oneOf(std::vector<std::string> words);

}  // namespace msd_exe
