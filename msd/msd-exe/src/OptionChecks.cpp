#include "msd-exe/src/OptionChecks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "msd-scene/src/JsonText.hpp"
#include "msd-scene/src/Suggestion.hpp"

namespace msd_exe {

namespace {

template <class T>
bool parses(const std::string& text, T& value) {
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  return result.ec == std::errc{} && result.ptr == text.data() + text.size();
}

std::string complaint(const std::string& text, const std::string& expected) {
  return fmt::format("found {}, expected {}", msd_scene::shortened(msd_scene::jsonString(text)),
                     expected);
}

}  // namespace

CLI::Validator wholeNumber(std::uint64_t low, std::uint64_t high) {
  return CLI::Validator{[low, high](std::string& text) -> std::string {
                          std::uint64_t value = 0;
                          if (parses(text, value) && value >= low && value <= high) return {};
                          return complaint(text,
                                           fmt::format("a whole number from {} to {}", low, high));
                        },
                        ""};
}

CLI::Validator number(double low, double high, std::string unit) {
  return CLI::Validator{[low, high, unit = std::move(unit)](std::string& text) -> std::string {
                          double value = 0.0;
                          if (parses(text, value) && value >= low && value <= high) return {};
                          return complaint(text, fmt::format("a number from {} to {}{}{}", low,
                                                             high, unit.empty() ? "" : " ", unit));
                        },
                        ""};
}

CLI::Validator quotient(double low, double high, std::string unit) {
  return CLI::Validator{
      [low, high, unit = std::move(unit)](std::string& text) -> std::string {
        const std::size_t slash = text.find('/');
        double above = 0.0;
        double below = 1.0;
        const bool isNumber = parses(text.substr(0, slash), above) &&
                              (slash == std::string::npos || parses(text.substr(slash + 1), below));
        const double value = above / below;
        if (!isNumber || !(value >= low && value <= high)) {
          return complaint(
              text, fmt::format("a number from {} to {}{}{}, or a quotient such as 1/240", low,
                                high, unit.empty() ? "" : " ", unit));
        }
        text = fmt::format("{:.17g}", value);
        return {};
      },
      ""};
}

CLI::Validator oneOf(std::vector<std::string> words) {
  return CLI::Validator{[words = std::move(words)](std::string& text) -> std::string {
                          if (std::ranges::find(words, text) != words.end()) return {};
                          const std::vector<std::string_view> known{words.begin(), words.end()};
                          return complaint(text, fmt::format("{}{}", fmt::join(words, " or "),
                                                             msd_scene::suggestion(text, known)));
                        },
                        ""};
}

}  // namespace msd_exe
