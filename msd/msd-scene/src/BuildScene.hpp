#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "msd-scene/src/JointFollowing.hpp"
#include "msd-scene/src/SceneDocument.hpp"
#include "msd-scene/src/TargetTracking.hpp"
#include "msd-sim/src/Environment/Sensors.hpp"
#include "msd-sim/src/Environment/WorldModel.hpp"

namespace msd_scene {

struct LoadedScene;

/// What a caller (the command line, a test) wants other than the scene says.
struct SettingsOverrides {
  std::optional<double> dt{};  ///< [s]
  std::optional<msd_sim::Method> method{};
  std::optional<int> substeps{};
  std::optional<int> iterations{};
  std::optional<int> threads{};
  std::optional<bool> sleeping{};
  std::optional<bool> hashEveryStep{};
};

/// A scene that runs: the world, and how the scene's names lead to what is in it.
struct SceneWorld {
  /// A force and torque that act on a body in every step.
  struct ConstantForce {
    msd_sim::BodyId body;
    Force force;    ///< [N]
    Torque torque;  ///< [N·m]
  };

  /// Forces and torques that change over time.
  struct TimedForce {
    msd_sim::BodyId body;
    std::vector<TimedVector> forces;   ///< [N]
    std::vector<TimedVector> torques;  ///< [N·m]
  };
  /// A motor whose target changes over time.
  struct TimedMotor {
    msd_sim::JointId joint;
    std::vector<TimedNumber> targets;
  };

  msd_sim::WorldModel world;
  msd_sim::Sensors sensors{};              ///< in the document's order, measured after every step
  double dt{0.0};                          ///< [s]
  std::vector<msd_sim::BodyId> bodies{};   ///< in the document's order
  std::vector<msd_sim::JointId> joints{};  ///< in the document's order
  std::map<std::string, msd_sim::BodyId, std::less<>> bodyByName{};
  std::map<std::string, msd_sim::JointId, std::less<>> jointByName{};  ///< those with a name
  std::vector<ConstantForce> forces{};
  std::vector<TimedForce> timedForces{};
  std::vector<TimedMotor> motors{};
  TargetTracking tracking{};
  JointFollowing following{};

  /// Applies the scene's forces and targets of this moment, and advances the world by dt.
  msd_sim::StepReport advance();
};

/// The engine's settings for a document: its defaults, the scene's `solver`, the overrides.
[[nodiscard]] msd_sim::Settings makeSettings(const SceneDocument& document,
                                             const SettingsOverrides& overrides = {});

/// Validates a document and makes a world of it, bodies in the document's order. Throws SceneError,
/// which names the path, for the first error.
[[nodiscard]] SceneWorld buildWorld(const SceneDocument& document,
                                    const SettingsOverrides& overrides = {});

/// The same from a scene that was read and validated before.
[[nodiscard]] SceneWorld buildWorld(const LoadedScene& loaded,
                                    const SettingsOverrides& overrides = {});

/// Two bodies that overlap, and by how much.
struct Overlap {
  std::size_t bodyA;  ///< place in the document
  std::size_t bodyB;
  double depth;  ///< [m]
};

/// Pairs of bodies that overlap by more than `share` of the smaller one's size, deepest first. Call
/// before the first step; runs collision once with dt = 0.
[[nodiscard]] std::vector<Overlap> findOverlaps(SceneWorld& scene, double share);

}  // namespace msd_scene
