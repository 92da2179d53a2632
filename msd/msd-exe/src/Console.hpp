#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

/// What the tool says to people. Names and texts come from files that may be hostile: what would
/// steer a terminal is shown, not sent.
namespace msd_exe {

/// Control characters, escape sequences, what turns the direction of writing, and bytes that are no
/// UTF-8, as `\x1b` or `\u202e`; all else as it is. Ends of lines and tabs stay where `keepLines`.
[[nodiscard]] std::string shownText(std::string_view text, bool keepLines = true);

/// To standard output. A failure shows at the end of the command (Tool.cpp).
void tellText(std::string_view text);

template <class... Args>
void tell(fmt::format_string<Args...> format, Args&&... args) {
  tellText(fmt::format(format, std::forward<Args>(args)...));
}

/// To standard error as one line that starts with "msd: ". Never fails: with nobody to listen it
/// says nothing.
void complainText(std::string_view text) noexcept;

template <class... Args>
void complain(fmt::format_string<Args...> format, Args&&... args) {
  complainText(fmt::format(format, std::forward<Args>(args)...));
}

/// To standard error as it is, for bars that draw themselves anew. Never fails.
void drawText(std::string_view text) noexcept;

}  // namespace msd_exe
