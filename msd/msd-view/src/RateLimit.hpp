#pragma once

#include <algorithm>
#include <chrono>

namespace msd_view {

/// Lets through `perSecond` things a second on average and `burst` at once.
class RateLimit {
 public:
  using Clock = std::chrono::steady_clock;
  RateLimit(double perSecond, double burst) : per_second_{perSecond}, burst_{burst}, left_{burst} {}

  [[nodiscard]] bool allow(Clock::time_point now = Clock::now()) {
    const double elapsed = std::chrono::duration<double>(now - last_).count();
    left_ = std::min(burst_, left_ + std::max(elapsed, 0.0) * per_second_);
    last_ = now;
    if (left_ < 1.0) return false;
    left_ -= 1.0;
    return true;
  }

 private:
  double per_second_;
  double burst_;
  double left_;
  Clock::time_point last_{Clock::now()};
};

}  // namespace msd_view
