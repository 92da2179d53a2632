#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace msd_import {

/// A file that a robot file names.
struct FoundFile {
  std::string name{};  ///< for messages, and what its own references are relative to
  std::string bytes{};
  bool elsewhere{false};  ///< found in a folder above the one that was written
};

/// Gives the file that `written` names in a file called `from`; throws std::runtime_error with the
/// reason when it cannot.
using FileFinder = std::function<FoundFile(const std::string& written, const std::string& from)>;

/// Files beside the one that names them, below the folders of `searchPaths`, or absolute.
/// `package://NAME/PATH` and `model://NAME/PATH` are looked for as NAME/PATH, and as PATH in a
/// folder called NAME, in every search path and in every folder above the file; `file://` is a
/// plain path. A file that is not where it should be is looked for in the folders above that place.
[[nodiscard]] FileFinder filesOnDisk(std::vector<std::filesystem::path> searchPaths);

/// Finds nothing: for robots that come from nowhere in particular.
[[nodiscard]] FileFinder noFiles();

}  // namespace msd_import
