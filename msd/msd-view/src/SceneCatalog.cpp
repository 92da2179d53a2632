#include "msd-view/src/SceneCatalog.hpp"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <nlohmann/json.hpp>
#include <utility>

#include "msd-scene/src/ReadScene.hpp"

namespace msd_view {

namespace {

namespace fs = std::filesystem;

std::optional<SceneCatalog::Entry> readEntry(const fs::path& path) {
  try {
    const std::string text = msd_scene::readTextFile(path);
    const msd_scene::SceneDocument document =
        msd_scene::readScene(std::as_bytes(std::span{text}), path.parent_path());
    return SceneCatalog::Entry{.file = path.filename().string(),
                               .name = document.name.empty() ? path.stem().string() : document.name,
                               .description = document.description,
                               .bodies = document.bodies.size()};
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace

SceneCatalog::SceneCatalog(fs::path folder) : folder_{std::move(folder)} {
  std::error_code error;
  std::vector<fs::path> files;
  for (fs::directory_iterator at{folder_, error}, end; !error && at != end; at.increment(error)) {
    if (at->path().extension() == ".json" && at->is_regular_file(error))
      files.push_back(at->path());
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    if (auto entry = readEntry(file)) entries_.push_back(std::move(*entry));
  }
}

std::optional<fs::path> SceneCatalog::find(std::string_view file) const {
  for (const Entry& entry : entries_) {
    if (entry.file == file) return folder_ / entry.file;
  }
  return std::nullopt;
}

std::string SceneCatalog::toJson() const {
  nlohmann::json list = nlohmann::json::array();
  for (const Entry& entry : entries_) {
    list.push_back({{"file", entry.file},
                    {"name", entry.name},
                    {"description", entry.description},
                    {"bodies", entry.bodies}});
  }
  return list.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

fs::path findShippedScenes() {
  std::vector<fs::path> places;
  if (const char* set = std::getenv("MSD_SCENES")) places.emplace_back(set);
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) {
    places.push_back(program.parent_path().parent_path() / "share/msd/scenes");
    places.push_back(program.parent_path() / "../../../scenes");
  }
  places.emplace_back(MSD_SOURCE_SCENES);
  for (const fs::path& place : places) {
    if (fs::is_directory(place, error)) return fs::weakly_canonical(place, error);
  }
  return {};
}

}  // namespace msd_view
