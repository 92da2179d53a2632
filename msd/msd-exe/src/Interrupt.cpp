#include "msd-exe/src/Interrupt.hpp"

#include <atomic>
#include <csignal>

namespace msd_exe {

namespace {

// Any thread may be the one that the signal interrupts.
std::atomic<bool> requested{false};
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void onSignal(int signal) {
  requested = true;
  std::signal(signal, SIG_DFL);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  requested = false;
  std::signal(SIGINT, onSignal);
  std::signal(SIGTERM, onSignal);
}

InterruptGuard::~InterruptGuard() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

bool InterruptGuard::isRequested() {
  return requested;
}

}  // namespace msd_exe
