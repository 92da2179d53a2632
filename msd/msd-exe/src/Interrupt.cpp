#include "msd-exe/src/Interrupt.hpp"

#include <atomic>
#include <csignal>

namespace msd_exe {

namespace {

// Any thread may be the one that the signal interrupts.
std::atomic<int> requested{0};  ///< the signal that did
static_assert(std::atomic<int>::is_always_lock_free);

extern "C" void onSignal(int signal) {
  requested = signal;
  std::signal(signal, SIG_DFL);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  requested = 0;
  std::signal(SIGINT, onSignal);
  std::signal(SIGTERM, onSignal);
}

InterruptGuard::~InterruptGuard() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

bool InterruptGuard::isRequested() {
  return requested != 0;
}

int InterruptGuard::exitCode() {
  return 128 + requested;
}

}  // namespace msd_exe
