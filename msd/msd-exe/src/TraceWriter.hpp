#pragma once

#include <filesystem>

#include "msd-exe/src/OutputFile.hpp"
#include "msd-exe/src/StepObserver.hpp"

namespace msd_exe {

/// Writes the time of every stage of every step as a trace that Perfetto and chrome://tracing open.
/// Steps follow one another without the time spent between them.
class TraceWriter final : public StepObserver {
 public:
  explicit TraceWriter(const std::filesystem::path& path) : file_{path} {}

  void begin(const msd_scene::SceneWorld& scene) override;
  void step(const msd_scene::SceneWorld& scene, const msd_sim::StepReport& report,
            double seconds) override;
  void finish(const msd_scene::SceneWorld& scene) override;

  [[nodiscard]] const OutputFile& file() const { return file_; }

 private:
  OutputFile file_;
  double microseconds_{0.0};
};

}  // namespace msd_exe
