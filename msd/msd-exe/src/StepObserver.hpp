#pragma once

#include "msd-scene/src/BuildScene.hpp"

namespace msd_exe {

/// Something that follows a run: a file being written, a progress bar, statistics.
class StepObserver {
 public:
  virtual ~StepObserver() = default;

  /// Before the first step.
  virtual void begin(const msd_scene::SceneWorld& scene) = 0;
  /// After every step that advanced the world; `seconds` is its wall-clock time.
  virtual void step(const msd_scene::SceneWorld& scene, const msd_sim::StepReport& report,
                    double seconds) = 0;
  /// After the last step, also when the run ended early.
  virtual void finish(const msd_scene::SceneWorld& scene) = 0;
  /// Whether the run should end after this step.
  [[nodiscard]] virtual bool wantsStop() const { return false; }
};

}  // namespace msd_exe
