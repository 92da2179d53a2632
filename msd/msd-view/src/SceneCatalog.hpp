#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace msd_view {

/// The scenes that come with the program.
class SceneCatalog {
 public:
  struct Entry {
    std::string file{};  ///< "demo.json"
    std::string name{};
    std::string description{};
    std::size_t bodies{0};
  };

  /// The scenes of a folder, by file name; files that are no scenes are left out.
  explicit SceneCatalog(std::filesystem::path folder);

  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  /// The path of a listed scene; nothing for any other name.
  [[nodiscard]] std::optional<std::filesystem::path> find(std::string_view file) const;
  [[nodiscard]] std::string toJson() const;

 private:
  std::filesystem::path folder_;
  std::vector<Entry> entries_;
};

/// Where the shipped scenes are: the environment variable MSD_SCENES, beside the program (in a
/// checkout or an installation), or where it was built. Empty when nowhere.
[[nodiscard]] std::filesystem::path findShippedScenes();

}  // namespace msd_view
