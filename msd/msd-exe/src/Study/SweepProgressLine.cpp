#include "msd-exe/src/Study/SweepProgressLine.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <string>

#include "msd-exe/src/ProgressBar.hpp"

namespace msd_exe {

namespace {

constexpr std::uint64_t kWidth = 24;
constexpr auto kDrawInterval = std::chrono::milliseconds{200};
constexpr auto kLineInterval = std::chrono::seconds{60};
constexpr std::string_view kClearLine = "\r\x1b[K";

/// "45 s", "3 min", "2 h 5 min"
std::string duration(double seconds) {
  if (!std::isfinite(seconds)) return "an unknown time";
  if (seconds < 120.0) return fmt::format("{:.0f} s", seconds);
  const auto minutes = static_cast<std::uint64_t>(seconds / 60.0);
  if (minutes < 120) return fmt::format("{} min", minutes);
  return fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

}  // namespace

SweepProgressLine::SweepProgressLine(bool isWanted)
    : is_wanted_{isWanted},
      is_terminal_{ProgressBar::isPossible()},
      next_{Clock::now() + (is_terminal_ ? Clock::duration{kDrawInterval}
                                         : Clock::duration{kLineInterval})} {}

void SweepProgressLine::show(const msd_study::SweepProgress& p) {
  if (!is_wanted_) return;
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + (is_terminal_ ? Clock::duration{kDrawInterval} : Clock::duration{kLineInterval});
  const double rate = p.seconds > 0.0 ? static_cast<double>(p.done) / p.seconds : 0.0;
  const std::uint64_t finished = p.before + p.done;
  const std::string text = fmt::format(
      "{:3} %  {} of {} cases, {:.4g} cases/s, {} not ok, {} to go", 100 * finished / p.cases,
      finished, p.cases, rate, p.notOk, duration(static_cast<double>(p.left()) / rate));
  if (!is_terminal_) {
    fmt::print(stderr, "msd: {}\n", text);
    return;
  }
  const std::uint64_t filled = kWidth * finished / p.cases;
  fmt::print(stderr, "{}[{}{}] {}", kClearLine, std::string(filled, '#'),
             std::string(kWidth - filled, '.'), text);
  std::fflush(stderr);
  is_drawn_ = true;
}

void SweepProgressLine::clear() {
  if (!is_drawn_) return;
  fmt::print(stderr, "{}", kClearLine);
  std::fflush(stderr);
  is_drawn_ = false;
}

}  // namespace msd_exe
