#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace msd_exe::test {

/// What a process left behind.
struct Outcome {
  int exitCode{-1};
  std::string out{};
  std::string err{};
};

/// Runs a program by its path, with its arguments as they are, and waits for it. `interruptAfter` >
/// 0 sends it a signal so many seconds after it began to listen to SIGINT; SIGINT where none is
/// given.
[[nodiscard]] Outcome runProgram(const std::vector<std::string>& command,
                                 double interruptAfter = 0.0, int signal = 0);

/// Runs the real tool, with the arguments as they are; otherwise as runProgram.
[[nodiscard]] Outcome runMsd(const std::vector<std::string>& arguments, double interruptAfter = 0.0,
                             int signal = 0);

[[nodiscard]] std::string readAll(const std::filesystem::path& path);
void writeAll(const std::filesystem::path& path, const std::string& text);

/// A folder of its own (with a space in its name), removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const {
    return path_ / name;
  }
  /// Names of everything in it, sorted.
  [[nodiscard]] std::vector<std::string> list() const;

 private:
  std::filesystem::path path_;
};

}  // namespace msd_exe::test
