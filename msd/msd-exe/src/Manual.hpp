#pragma once

#include <string>

namespace CLI {
class App;
}

namespace msd_exe {

/// The manual page (man 1) of the tool: its commands and options as the parser knows them, so that
/// the page is never behind.
[[nodiscard]] std::string manualPage(const CLI::App& tool);

}  // namespace msd_exe
