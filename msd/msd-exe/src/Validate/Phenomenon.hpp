#pragma once

#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "msd-sim/src/Environment/Settings.hpp"

namespace msd_exe {

/// What a phenomenon came to.
struct Measurement {
  double expected{0.0};
  double measured{0.0};
  double error{0.0};      ///< in the sense of the formula: absolute or relative
  double tolerance{0.0};  ///< the error must not exceed this
  std::string drawing{};  ///< an SVG image for the page, or empty

  [[nodiscard]] bool holds() const { return error <= tolerance; }
};

/// What one method is held to where that differs from the phenomenon's own.
struct MethodTerms {
  std::string_view leftOut{};  ///< why it does not apply, or empty
  double tolerance{std::numeric_limits<double>::quiet_NaN()};  ///< in place of the phenomenon's own
  std::string_view why{};      ///< of that tolerance
};

/// One law of mechanics with a known answer. `measure(fast)` simulates it with the method under test
/// (Worlds.hpp); fast runs are shorter, and test the same thing.
struct Phenomenon {
  std::string_view group;
  std::string_view name;
  std::string_view formula;  ///< what is expected, and what the error is
  std::string_view unit;     ///< of expected and measured
  std::function<Measurement(bool fast)> measure;
  std::string leftOut{};  ///< why it cannot be measured here (data that is not there), or empty
};

/// The terms of a phenomenon under a method (MethodTerms.cpp).
[[nodiscard]] MethodTerms termsOf(const Phenomenon& phenomenon, msd_sim::Method method);

/// What came of one, with one method.
struct Finding {
  Phenomenon phenomenon{};
  msd_sim::Method method{msd_sim::Method::kFast};
  std::string leftOut{};  ///< why it was not measured, or empty
  Measurement measurement{};
  double seconds{0.0};
  std::string failure{};  ///< what went wrong, when nothing was measured

  [[nodiscard]] bool isLeftOut() const { return !leftOut.empty(); }
  [[nodiscard]] bool holds() const { return failure.empty() && measurement.holds(); }
};

/// One table: phenomena down, methods across, errors in the cells.
[[nodiscard]] std::string methodTable(const std::vector<Finding>& findings);

/// "29 of 30 hold; 1 misses: NAME; 2 left out: NAME, NAME"
[[nodiscard]] std::string summaryOf(const std::vector<Finding>& findings);

/// The page docs/validation.md is.
[[nodiscard]] std::string validationMarkdown(const std::vector<Finding>& findings, bool fast);
/// The same as one HTML file with plots, complete in itself.
[[nodiscard]] std::string validationHtml(const std::vector<Finding>& findings, bool fast);

// One list per chapter of mechanics.
[[nodiscard]] std::vector<Phenomenon> motionPhenomena();
[[nodiscard]] std::vector<Phenomenon> impactPhenomena();
[[nodiscard]] std::vector<Phenomenon> frictionPhenomena();
[[nodiscard]] std::vector<Phenomenon> restPhenomena();
[[nodiscard]] std::vector<Phenomenon> structurePhenomena();
[[nodiscard]] std::vector<Phenomenon> prototypePhenomena();
/// Problems and measurements from elsewhere, where they are present (MSD_EXTERNAL_DATA).
[[nodiscard]] std::vector<Phenomenon> externalPhenomena();

/// All of them, in the order of the page.
[[nodiscard]] std::vector<Phenomenon> phenomena();

}  // namespace msd_exe
