#pragma once

#include <chrono>

#include "msd-study/src/Sweep.hpp"

namespace msd_exe {

/// How far a sweep is, on stderr: a line that is drawn anew on a terminal, a line a minute elsewhere.
///   [######........]  42 %  4200 of 10000 cases, 812 cases/s, 3 not ok, 7 s to go
class SweepProgressLine {
 public:
  explicit SweepProgressLine(bool isWanted);
  void show(const msd_study::SweepProgress& progress);
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  bool is_wanted_;
  bool is_terminal_;
  bool is_drawn_{false};
  Clock::time_point next_;
};

}  // namespace msd_exe
