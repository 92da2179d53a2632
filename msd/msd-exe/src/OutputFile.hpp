#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace msd_exe {

/// A file that appears whole or not at all: written under a temporary name beside its place, and
/// renamed by commit(). What exists under the name stays untouched until then. A device or pipe
/// (such as /dev/stdout) is written directly.
class OutputFile {
 public:
  /// Throws UsageError when the file could not be written: so before a run starts, not after.
  explicit OutputFile(const std::filesystem::path& path);
  OutputFile(OutputFile&&) noexcept = default;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  /// Throws std::runtime_error when the disk is full or the device fails.
  void write(const void* data, std::size_t bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }
  /// Overwrites bytes near the start; the end of the file stays the place to write.
  void rewrite(std::uint64_t offset, const void* data, std::size_t bytes);
  void commit();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  [[noreturn]] void fail() const;

  std::filesystem::path path_;       ///< as the user gave it
  std::filesystem::path target_;     ///< with links resolved
  std::filesystem::path temporary_;  ///< empty: the target is written directly
  std::unique_ptr<std::FILE, Close> file_;
  std::uint64_t bytes_{0};
};

}  // namespace msd_exe
