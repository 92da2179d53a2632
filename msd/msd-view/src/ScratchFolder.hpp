#pragma once

#include <filesystem>
#include <string>

namespace msd_view {

/// A folder of its own below the temporary one, removed at the end. While it is there it is locked:
/// the folder of a process that died is not, and the next one of its kind removes it.
class ScratchFolder {
 public:
  /// `kind` begins its name. Throws std::runtime_error.
  explicit ScratchFolder(const std::string& kind);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  int lock_{-1};
};

/// Removes what dead processes of this user left behind; returns how many folders.
int removeAbandoned(const std::string& kind);

}  // namespace msd_view
