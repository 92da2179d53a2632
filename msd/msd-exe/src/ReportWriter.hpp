#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "msd-exe/src/OutputFile.hpp"
#include "msd-exe/src/StepObserver.hpp"

namespace msd_exe {

/// Writes a JSON file with a row of figures for every step:
///   {"columns": ["step", "time", ...], "units": ["-", "s", ...], "rows": [[1, 0.0166, ...], ...],
///    "summary": {the line of --json}}
/// Rows are written as they come, so that a long run needs no more memory than a short one.
class ReportWriter final : public StepObserver {
 public:
  explicit ReportWriter(const std::filesystem::path& path) : file_{path} {}

  void begin(const msd_scene::SceneWorld& scene) override;
  void step(const msd_scene::SceneWorld& scene, const msd_sim::StepReport& report,
            double seconds) override;
  void finish(const msd_scene::SceneWorld& scene) override;
  /// Adds the summary, a JSON object, and puts the file in its place.
  void close(std::string_view summary);

  [[nodiscard]] const OutputFile& file() const { return file_; }

 private:
  OutputFile file_;
  bool first_{true};
  std::string row_;
};

}  // namespace msd_exe
