#include "msd-exe/src/OutputFile.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>

#include "msd-exe/src/Command.hpp"

namespace msd_exe {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& path, const std::string& reason) {
  throw UsageError{fmt::format("cannot write {}: {}", path.string(), reason)};
}

}  // namespace

OutputFile::OutputFile(const fs::path& path) : path_{path}, target_{path} {
  std::error_code error;
  if (fs::is_symlink(path)) target_ = fs::canonical(path, error);
  if (error) refuse(path, error.message());
  const fs::file_status status = fs::status(target_, error);
  if (fs::is_directory(status)) refuse(path, "it is a directory");
  const bool exists = fs::exists(status);
  if (exists && ::access(target_.c_str(), W_OK) != 0) refuse(path, std::strerror(errno));
  if (exists && !fs::is_regular_file(status)) {
    file_.reset(std::fopen(target_.c_str(), "wb"));
    if (!file_) refuse(path, std::strerror(errno));
    return;
  }
  temporary_ = target_;
  temporary_ += fmt::format(".part-{}", ::getpid());
  const int descriptor = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0) {
    const std::string reason = std::strerror(errno);
    temporary_.clear();
    refuse(path, reason);
  }
  file_.reset(::fdopen(descriptor, "wb"));
  if (!file_) fail();
}

OutputFile::~OutputFile() {
  if (!file_ || temporary_.empty()) return;
  file_.reset();
  std::error_code ignored;
  fs::remove(temporary_, ignored);
}

void OutputFile::fail() const {
  throw std::runtime_error{
      fmt::format("cannot write {}: {}", path_.string(), std::strerror(errno))};
}

void OutputFile::write(const void* data, std::size_t bytes) {
  if (std::fwrite(data, 1, bytes, file_.get()) != bytes) fail();
  bytes_ += bytes;
}

void OutputFile::rewrite(std::uint64_t offset, const void* data, std::size_t bytes) {
  if (std::fseek(file_.get(), static_cast<long>(offset), SEEK_SET) != 0) fail();
  if (std::fwrite(data, 1, bytes, file_.get()) != bytes) fail();
  if (std::fseek(file_.get(), 0, SEEK_END) != 0) fail();
}

void OutputFile::commit() {
  if (std::fflush(file_.get()) != 0) fail();
  if (!temporary_.empty() && std::rename(temporary_.c_str(), target_.c_str()) != 0) fail();
  temporary_.clear();
  if (std::fclose(file_.release()) != 0) fail();
}

}  // namespace msd_exe
