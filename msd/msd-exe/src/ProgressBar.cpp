#include "msd-exe/src/ProgressBar.hpp"
#include "msd-exe/src/Console.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace msd_exe {

namespace {

constexpr std::uint64_t kWidth = 24;
constexpr auto kInterval = std::chrono::milliseconds{100};
constexpr std::string_view kClearLine = "\r\x1b[K";

}  // namespace

bool ProgressBar::isPossible() {
  const char* terminal = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && terminal != nullptr &&
         std::string_view{terminal} != "dumb";
}

void ProgressBar::begin(const msd_scene::SceneWorld&) {
  start_ = Clock::now();
  next_ = start_ + kInterval;
}

void ProgressBar::step(const msd_scene::SceneWorld&, const msd_sim::StepReport& report, double) {
  ++done_;
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + kInterval;
  draw(report.time, now);
}

void ProgressBar::draw(double simulatedTime, Clock::time_point now) {
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const double rate = static_cast<double>(done_) / elapsed;
  const double left = static_cast<double>(steps_ - done_) / rate;
  const std::uint64_t filled = kWidth * done_ / steps_;
  drawText(fmt::format("{}[{}{}] {:3} %  {} of {} steps, {:.1f} s, {:.0f} steps/s, {:.0f} s to go",
             kClearLine, std::string(filled, '#'), std::string(kWidth - filled, '.'),
             100 * done_ / steps_, done_, steps_, simulatedTime, rate, left));
}

void ProgressBar::finish(const msd_scene::SceneWorld&) {
  drawText(kClearLine);
}

}  // namespace msd_exe
