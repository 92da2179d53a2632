#pragma once

#include <string>
#include <vector>

namespace msd_exe {

/// What another program left behind.
struct ProcessOutcome {
  int exitCode{-1};  ///< 128 + signal when a signal ended it
  std::string out{};
  std::string err{};
};

/// Runs a program with its arguments as they are (no shell) and waits for it. Throws
/// std::runtime_error when it cannot be started.
[[nodiscard]] ProcessOutcome runProcess(const std::vector<std::string>& command);

}  // namespace msd_exe
