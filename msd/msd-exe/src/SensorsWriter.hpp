#pragma once

#include <filesystem>

#include "msd-exe/src/OutputFile.hpp"
#include "msd-exe/src/StepObserver.hpp"

namespace msd_exe {

/// Writes a scene's sensors as CSV: the time, then every value of every sensor; a row for the state
/// before the first step and one per step.
class SensorsWriter final : public StepObserver {
 public:
  explicit SensorsWriter(const std::filesystem::path& path) : file_{path} {}

  void begin(const msd_scene::SceneWorld& scene) override;
  void step(const msd_scene::SceneWorld& scene, const msd_sim::StepReport& report,
            double seconds) override;
  void finish(const msd_scene::SceneWorld& scene) override;

  [[nodiscard]] const OutputFile& file() const { return file_; }

 private:
  void writeRow(const msd_scene::SceneWorld& scene);
  OutputFile file_;
};

}  // namespace msd_exe
