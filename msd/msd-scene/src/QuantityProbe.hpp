#pragma once

#include <cstddef>
#include <optional>

#include "msd-scene/src/BuildScene.hpp"
#include "msd-scene/src/SceneDocument.hpp"

namespace msd_scene {

/// A quantity of one world, looked up once and measured as often as wanted. The names must be those
/// of things of the scene.
class QuantityProbe {
 public:
  QuantityProbe(const SceneExpectation& expectation, const SceneWorld& scene);
  /// NaN for a quantity that there is not.
  [[nodiscard]] double measure(const SceneWorld& scene) const;

 private:
  double (*of_body_)(const msd_sim::WorldModel&, msd_sim::BodyId){nullptr};
  double (*of_joint_)(const msd_sim::WorldModel&, msd_sim::JointId){nullptr};
  double (*of_world_)(const msd_sim::WorldModel&){nullptr};
  msd_sim::BodyId body_{};
  msd_sim::JointId joint_{};
  std::size_t sensor_{0};
  std::optional<std::size_t> place_{};  ///< of the number among the sensor's
};

/// The quantity of a check less what it subtracts at the same moment.
[[nodiscard]] double measureDifference(const SceneExpectation& expectation,
                                       const SceneWorld& scene);

}  // namespace msd_scene
