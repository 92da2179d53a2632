#include "msd-view/src/OpenFile.hpp"

#include <array>
#include <fstream>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "msd-import/src/ImportRobot.hpp"
#include "msd-view/src/RecordingSource.hpp"

namespace msd_view {

TemporaryFile::~TemporaryFile() {
  // SQLite may have left its side files.
  for (const char* suffix : {"", "-wal", "-shm"}) {
    std::error_code ignored;
    std::filesystem::remove(path_.string() + suffix, ignored);
  }
}

bool isRecording(const std::filesystem::path& path) {
  using namespace std::string_view_literals;
  constexpr std::string_view kMagic = "SQLite format 3\0"sv;
  std::array<char, kMagic.size()> head{};
  std::ifstream file{path, std::ios::binary};
  file.read(head.data(), head.size());
  return file && std::string_view{head.data(), head.size()} == kMagic;
}

std::unique_ptr<FrameSource> openFile(const std::filesystem::path& path,
                                      const LiveOptions& options) {
  if (isRecording(path)) return openRecording(path, path.string(), nullptr);
  LiveOptions live = options;
  // Standard input can be read but once.
  if (path != "-") live.reload = [path] { return msd_import::loadAnyFile(path); };
  return std::make_unique<LiveSource>(msd_import::loadAnyFile(path), path.string(), live);
}

std::unique_ptr<FrameSource> openDropped(std::shared_ptr<const TemporaryFile> file,
                                         const std::string& name, const LiveOptions& options) {
  if (isRecording(file->path())) {
    return openRecording(file->path(), name, file);
  }
  const std::string text = msd_scene::readTextFile(file->path());
  return std::make_unique<LiveSource>(
      msd_scene::loadScene(std::as_bytes(std::span{text}), name, msd_scene::noMeshes()), name,
      options);
}

}  // namespace msd_view
