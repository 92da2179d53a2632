#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "msd-view/src/FrameSource.hpp"
#include "msd-view/src/LiveSource.hpp"

namespace msd_view {

/// A file that is removed with the last who holds it.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::filesystem::path path) : path_{std::move(path)} {}
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Whether a file is a recording (an SQLite database) rather than a scene.
[[nodiscard]] bool isRecording(const std::filesystem::path& path);

/// Opens a scene or a recording. Throws std::runtime_error (msd_scene::SceneError for scenes) that
/// says what is wrong with it.
[[nodiscard]] std::unique_ptr<FrameSource> openFile(const std::filesystem::path& path,
                                                    const LiveOptions& options);

/// The same for a file that came through the browser under this name: it has no folder, so a scene
/// may not refer to mesh files.
[[nodiscard]] std::unique_ptr<FrameSource> openDropped(std::shared_ptr<const TemporaryFile> file,
                                                       const std::string& name,
                                                       const LiveOptions& options);

}  // namespace msd_view
