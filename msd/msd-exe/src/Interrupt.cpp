#include "msd-exe/src/Interrupt.hpp"

#include <csignal>

namespace msd_exe {

namespace {

volatile std::sig_atomic_t requested = 0;

extern "C" void onSignal(int signal) {
  requested = 1;
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

}  // namespace msd_exe
