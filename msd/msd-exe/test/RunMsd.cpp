#include "msd-exe/test/RunMsd.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>

namespace msd_exe::test {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void execute(const std::vector<std::string>& arguments, const fs::path& out,
                          const fs::path& err) {
  const auto redirect = [](const fs::path& path, int descriptor) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || ::dup2(file, descriptor) < 0) ::_exit(126);
  };
  redirect(out, STDOUT_FILENO);
  redirect(err, STDERR_FILENO);
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  ::execv(argv[0], argv.data());
  ::_exit(127);
}

/// Until the process has a handler of its own for SIGINT: on a busy machine that can take longer
/// than any fixed time.
void waitUntilItListens(pid_t child) {
  const std::string status = "/proc/" + std::to_string(child) + "/status";
  constexpr unsigned long kInterruptBit = 1UL << (SIGINT - 1);
  for (int i = 0; i < 6000; ++i) {
    std::ifstream file{status};
    for (std::string line; std::getline(file, line);) {
      if (!line.starts_with("SigCgt:")) continue;
      if ((std::stoul(line.substr(7), nullptr, 16) & kInterruptBit) != 0) return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }
}

}  // namespace

Outcome runMsd(const std::vector<std::string>& arguments, double interruptAfter, int signal) {
  const char* build = std::getenv("MSD_BINARY_DIR");
  if (build == nullptr) throw std::runtime_error{"MSD_BINARY_DIR is not set: run through ctest"};
  std::vector<std::string> command{std::string{build} + "/bin/msd"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return runProgram(command, interruptAfter, signal);
}

Outcome runProgram(const std::vector<std::string>& command, double interruptAfter, int signal) {
  const TemporaryFolder folder;
  const fs::path out = folder / "out";
  const fs::path err = folder / "err";
  const pid_t child = ::fork();
  if (child == 0) execute(command, out, err);
  if (interruptAfter > 0.0) {
    waitUntilItListens(child);
    std::this_thread::sleep_for(std::chrono::duration<double>(interruptAfter));
    ::kill(child, signal == 0 ? SIGINT : signal);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return {.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          .out = readAll(out),
          .err = readAll(err)};
}

std::string readAll(const fs::path& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

void writeAll(const fs::path& path, const std::string& text) {
  std::ofstream{path, std::ios::binary} << text;
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (fs::temp_directory_path() / "msd tool XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error{"cannot make " + name};
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::vector<std::string> TemporaryFolder::list() const {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator{path_}) names.push_back(entry.path().filename());
  std::ranges::sort(names);
  return names;
}

}  // namespace msd_exe::test
