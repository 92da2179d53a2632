#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "msd-exe/src/StepObserver.hpp"
#include "msd-record/src/Recorder.hpp"

namespace CLI {
class App;
}

namespace msd_exe {

/// The options of `msd run` and `msd resume` that say how to record.
struct RecordChoices {
  std::uint64_t every{0};  ///< 0: by the number of bodies
  bool force{false};
  bool durable{false};
  std::string onError{"continue"};  ///< or "stop"
};

void addRecordChoices(CLI::App& parser, RecordChoices& choices);

/// The scene as it is simulated: with the command line's wishes worked in, and a name.
[[nodiscard]] msd_scene::SceneDocument asSimulated(msd_scene::SceneDocument document,
                                                   const msd_scene::SettingsOverrides& overrides,
                                                   std::uint64_t steps, const std::string& name);

/// The options of the recorder that the choices come to.
[[nodiscard]] msd_record::RecordOptions recordOptions(const RecordChoices& choices,
                                                      std::uint64_t stepsAsked);

/// Follows a run with a recorder. A write error is told once, on stderr.
class RecordOutput final : public StepObserver {
 public:
  RecordOutput(std::unique_ptr<msd_record::Recorder> recorder, bool stopOnError, bool isResumed)
      : recorder_{std::move(recorder)}, stop_on_error_{stopOnError}, is_resumed_{isResumed} {}

  void begin(const msd_scene::SceneWorld& scene) override;
  void step(const msd_scene::SceneWorld& scene, const msd_sim::StepReport& report,
            double seconds) override;
  void finish(const msd_scene::SceneWorld& scene) override;
  [[nodiscard]] bool wantsStop() const override { return failed_ && stop_on_error_; }

  /// Writes the rest; `status` says how good the run was, `end` how it ended.
  void close(const msd_scene::SceneWorld& scene, std::string_view status, std::string_view end);

  [[nodiscard]] bool isFailed() const { return failed_; }
  /// "wrote  out.db (301 frames, 12 MB; 1.3 % of the step time)"; empty where recording failed.
  [[nodiscard]] std::string line(double stepSeconds) const;

 private:
  void check(bool isGood);

  std::unique_ptr<msd_record::Recorder> recorder_;
  bool stop_on_error_;
  bool is_resumed_;
  bool failed_{false};
};

}  // namespace msd_exe
