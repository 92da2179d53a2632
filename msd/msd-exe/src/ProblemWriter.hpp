#pragma once

#include <cstdint>
#include <filesystem>

#include "msd-exe/src/OutputFile.hpp"
#include "msd-exe/src/StepObserver.hpp"

namespace msd_exe {

/// Writes the friction problem of one step of an exact run (msd run --dump-problem).
class ProblemWriter final : public StepObserver {
 public:
  /// Throws UsageError when the file could not be written.
  ProblemWriter(const std::filesystem::path& path, std::uint64_t step) : file_{path}, step_{step} {}

  void begin(const msd_scene::SceneWorld& scene) override;
  void step(const msd_scene::SceneWorld& scene, const msd_sim::StepReport& report,
            double seconds) override;
  void finish(const msd_scene::SceneWorld& scene) override;

  [[nodiscard]] const OutputFile& file() const { return file_; }
  [[nodiscard]] int contacts() const { return contacts_; }
  [[nodiscard]] bool isWritten() const { return written_; }

 private:
  OutputFile file_;
  std::uint64_t step_;
  int contacts_{0};
  bool written_{false};
};

}  // namespace msd_exe
