#pragma once

#include <filesystem>

namespace msd_record {

/// Keeps a second process from recording into the same file. Independent of SQLite's own locks, so
/// that readers are never shut out; held from before SQLite opens the file until after it closes
/// it.
class FileLock {
 public:
  enum class Mode { kNew, kExisting };
  /// kNew makes the file, which must not exist. Throws RecordError.
  FileLock(const std::filesystem::path& path, Mode mode);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int descriptor_{-1};
};

}  // namespace msd_record
