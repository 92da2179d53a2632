#pragma once

namespace msd_exe {

/// While it lives, Ctrl-C (SIGINT) and SIGTERM ask for an orderly end instead of ending the
/// process. A second one ends it at once.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  [[nodiscard]] static bool isRequested();
  /// What a command that was asked to end returns: 128 and the number of the signal.
  [[nodiscard]] static int exitCode();
};

}  // namespace msd_exe
