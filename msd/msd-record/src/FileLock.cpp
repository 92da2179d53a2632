#include "msd-record/src/FileLock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "msd-record/src/RecordError.hpp"

namespace msd_record {

FileLock::FileLock(const std::filesystem::path& path, Mode mode) {
  const int flags = O_RDWR | O_CLOEXEC | (mode == Mode::kNew ? O_CREAT | O_EXCL : 0);
  descriptor_ = ::open(path.c_str(), flags, 0666);
  if (descriptor_ < 0) {
    throw RecordError{fmt::format("cannot write {}: {}", path.string(), std::strerror(errno))};
  }
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    ::close(descriptor_);
    throw RecordError{
        fmt::format("cannot write {}: another process is recording into it", path.string())};
  }
}

FileLock::~FileLock() {
  ::close(descriptor_);
}

}  // namespace msd_record
