#include "msd-view/src/ScratchFolder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <stdexcept>
#include <system_error>

namespace msd_view {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kRandomLetters = 6;
/// A folder this young may not have its lock yet.
constexpr auto kYoung = std::chrono::minutes{1};

int openFolder(const fs::path& path) {
  return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

bool isOurs(int folder) {
  struct stat status {};
  return ::fstat(folder, &status) == 0 && status.st_uid == ::geteuid();
}

/// The folder of a process that is no more; its lock is ours then, until `folder` is closed.
bool isAbandoned(const fs::path& path, int folder) {
  std::error_code error;
  const auto changed = fs::last_write_time(path, error);
  if (error || fs::file_time_type::clock::now() - changed < kYoung) return false;
  return isOurs(folder) && ::flock(folder, LOCK_EX | LOCK_NB) == 0;
}

}  // namespace

int removeAbandoned(const std::string& kind) {
  int removed = 0;
  std::error_code error;
  const std::string start = kind + '-';
  for (const fs::directory_entry& entry :
       fs::directory_iterator{fs::temp_directory_path(error), error}) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(start) || name.size() != start.size() + kRandomLetters) continue;
    const int folder = openFolder(entry.path());
    if (folder < 0) continue;
    if (isAbandoned(entry.path(), folder)) {
      std::error_code ignored;
      fs::remove_all(entry.path(), ignored);
      removed += ignored ? 0 : 1;
    }
    ::close(folder);
  }
  return removed;
}

ScratchFolder::ScratchFolder(const std::string& kind) {
  removeAbandoned(kind);
  std::string name = (fs::temp_directory_path() / (kind + "-XXXXXX")).string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw std::runtime_error{fmt::format("cannot create a temporary folder {}: {}", name,
                                         std::generic_category().message(errno))};
  }
  path_ = name;
  lock_ = openFolder(path_);
  if (lock_ >= 0) static_cast<void>(::flock(lock_, LOCK_EX | LOCK_NB));
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  if (lock_ >= 0) ::close(lock_);
}

}  // namespace msd_view
