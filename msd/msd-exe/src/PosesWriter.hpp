#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "msd-exe/src/OutputFile.hpp"
#include "msd-exe/src/StepObserver.hpp"

namespace msd_exe {

/// Writes the poses of all bodies: the state before the first step, every Nth step and the last.
///
/// Little endian: int32 bodies, int32 frames; per frame one double, the time [s], and per body, in
/// the scene's order, 13 doubles: position of the body's frame [m], orientation w x y z, velocity
/// of the frame's origin [m/s], angular velocity [rad/s], all in the world's axes.
class PosesWriter final : public StepObserver {
 public:
  PosesWriter(const std::filesystem::path& path, std::uint64_t steps, std::uint64_t every);

  void begin(const msd_scene::SceneWorld& scene) override;
  void step(const msd_scene::SceneWorld& scene, const msd_sim::StepReport& report,
            double seconds) override;
  void finish(const msd_scene::SceneWorld& scene) override;

  [[nodiscard]] const OutputFile& file() const { return file_; }
  [[nodiscard]] std::uint64_t frames() const { return frames_; }

 private:
  void writeFrame(const msd_scene::SceneWorld& scene);

  OutputFile file_;
  std::uint64_t every_;
  std::uint64_t expected_frames_;
  std::uint64_t frames_{0};
  std::uint64_t steps_{0};
  bool last_is_written_{false};
  std::vector<double> frame_;
};

}  // namespace msd_exe
