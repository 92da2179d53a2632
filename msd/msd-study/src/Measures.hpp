#pragma once

#include <optional>
#include <string>
#include <vector>

#include "msd-scene/src/BuildScene.hpp"
#include "msd-scene/src/QuantityProbe.hpp"
#include "msd-study/src/StudyDocument.hpp"

namespace msd_study {

/// Unit of a measure's result, without brackets: "m"; "-" for numbers without one.
[[nodiscard]] std::string measureUnit(const StudyMeasure& measure);

/// Throws msd_scene::SceneError when a measure speaks of what the scene does not have.
void checkMeasures(const StudyDocument& study, const msd_scene::SceneDocument& scene);

/// Follows one run and takes from it what a study wants to know.
class Measures {
 public:
  Measures(const StudyDocument& study, const msd_scene::SceneWorld& scene);

  /// After every step.
  void observe(const msd_scene::SceneWorld& scene);
  /// After the last step: the results, NaN for what never came.
  [[nodiscard]] std::vector<double> finish(const msd_scene::SceneWorld& scene);

 private:
  struct Follower {
    const StudyMeasure* measure{nullptr};
    std::optional<msd_scene::QuantityProbe> probe{};  ///< none: an event
    msd_sim::BodyId body{};
    std::optional<msd_sim::BodyId> other{};
    msd_sim::ContactEventKind kind{};
    double value{};   ///< the result so far
    double extreme{};  ///< largest or least value so far
    double sum{0.0};
    std::uint64_t count{0};
    bool isDone{false};
  };
  static void follow(Follower& f, const msd_scene::SceneWorld& scene);
  static void followEvents(Follower& f, const msd_sim::WorldModel& world);

  std::vector<Follower> followers_;
};

/// Whether the results meet the study's conditions of success.
[[nodiscard]] bool isSuccess(const StudyDocument& study, const std::vector<double>& results);

}  // namespace msd_study
