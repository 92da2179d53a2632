#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace msd_exe {

/// What a phenomenon came to.
struct Measurement {
  double expected{0.0};
  double measured{0.0};
  double error{0.0};      ///< in the sense of the formula: absolute or relative
  double tolerance{0.0};  ///< the error must not exceed this

  [[nodiscard]] bool holds() const { return error <= tolerance; }
};

/// One law of mechanics with a known answer. `measure(fast)` simulates it; fast runs are shorter,
/// and test the same thing.
struct Phenomenon {
  std::string_view group;
  std::string_view name;
  std::string_view formula;  ///< what is expected, and what the error is
  std::string_view unit;     ///< of expected and measured
  std::function<Measurement(bool fast)> measure;
};

// One list per chapter of mechanics.
[[nodiscard]] std::vector<Phenomenon> motionPhenomena();
[[nodiscard]] std::vector<Phenomenon> impactPhenomena();
[[nodiscard]] std::vector<Phenomenon> frictionPhenomena();
[[nodiscard]] std::vector<Phenomenon> restPhenomena();
[[nodiscard]] std::vector<Phenomenon> structurePhenomena();

/// All of them, in the order of the page.
[[nodiscard]] std::vector<Phenomenon> phenomena();

}  // namespace msd_exe
