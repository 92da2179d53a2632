#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "msd-scene/src/BuildScene.hpp"
#include "msd-scene/src/SceneDocument.hpp"

namespace msd_scene {

/// Names of the quantities that a check may look at: those of a body, of a joint, or of the world,
/// by what the check names. docs/scene-format.md lists them with their units.
[[nodiscard]] std::vector<std::string_view> quantityNames(const SceneExpectation& expectation);
/// Unit of a quantity, "[m]"; empty for an unknown one.
[[nodiscard]] std::string_view quantityUnit(const SceneExpectation& expectation);

/// What a check with `minus` subtracts, as a check of its own.
[[nodiscard]] SceneExpectation subtracted(const SceneExpectation& expectation);

/// A check and what the world said.
struct ExpectationResult {
  std::size_t index{0};  ///< in SceneDocument::expect
  double time{0.0};      ///< when it was measured [s]
  double measured{0.0};
  bool holds{false};
  msd_sim::Method method{msd_sim::Method::kFast};  ///< that was measured
};

/// One line: `ok    top.position.z at 10 s: 9.4998 [m], expected 9.5 ± 0.01`.
[[nodiscard]] std::string describe(const SceneExpectation& expectation,
                                   const ExpectationResult& result);

/// Measures a scene's checks while it runs.
class ExpectationChecker {
 public:
  explicit ExpectationChecker(const SceneDocument& document);

  /// Call after every step (and once before the first): measures the checks whose time has come.
  void observe(const SceneWorld& scene);
  /// Call after the last step: measures the checks for the end.
  void finish(const SceneWorld& scene);

  [[nodiscard]] const std::vector<ExpectationResult>& results() const { return results_; }
  [[nodiscard]] bool allHold() const;

 private:
  /// The smallest and the largest value so far, and the first one, of a check that needs them.
  struct Span {
    double low, high, start;
    double time;  ///< of the extreme that is looked at [s]
  };
  void measure(std::size_t index, const SceneWorld& scene);
  void widen(const SceneWorld& scene);
  const SceneDocument& document_;
  std::vector<std::size_t> timed_;     ///< checks with a time, latest first
  std::vector<std::size_t> spanning_;  ///< checks that look at the whole run or at its start
  std::vector<std::optional<Span>> spans_;
  std::vector<ExpectationResult> results_;
};

}  // namespace msd_scene
