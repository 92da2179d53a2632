#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "msd-record/src/Recorder.hpp"
#include "msd-scene/src/ReadScene.hpp"

namespace msd_record::test {

/// A floor, a box sent sliding over it, a ball that falls on it and a door on a hinge: everything a
/// recording can hold. Steps of 10 ms.
extern const char* const kYard;
/// `count` boxes that fall on a floor, in layers.
[[nodiscard]] std::string pileScene(int count);

/// A folder of its own, removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const {
    return path_ / name;
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// A scene and its world, ready to run.
struct SceneRun {
  explicit SceneRun(const std::string& json);
  msd_scene::LoadedScene loaded;
  msd_scene::SceneWorld scene;

  /// Steps and records; returns false when recording failed.
  bool advance(Recorder& recorder, int steps);
  /// Steps without recording.
  void advance(int steps);
};

/// Options for tests: commits as often as can be.
[[nodiscard]] RecordOptions eager(std::uint64_t steps, std::uint64_t every = 1);

/// Records a whole run of a scene. Returns the hash of its last state.
std::string record(const std::filesystem::path& path, const std::string& json, int steps,
                   std::uint64_t every = 1);

/// The hash after `steps` steps of a run that nobody records.
[[nodiscard]] std::string hashAfter(const std::string& json, int steps);

/// Brings a recording back to its last committed step and goes on until `steps`, as msd resume
/// does. Returns the hash of the last state.
std::string resumeUntil(const std::filesystem::path& path, std::uint64_t steps);

}  // namespace msd_record::test
