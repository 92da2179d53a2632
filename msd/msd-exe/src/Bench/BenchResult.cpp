#include "msd-exe/src/Bench/BenchResult.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <limits>
#include <thread>

#include "msd-exe/src/Wording.hpp"

namespace msd_exe {

namespace {

/// The value of the first line "key<separator>value" of a file, or nothing.
std::string findValue(const char* path, std::string_view key, char separator) {
  std::ifstream file{path};
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t at = line.find(separator);
    if (at == std::string::npos) continue;
    std::string value = line.substr(at + 1);
    std::erase(value, '"');
    const std::size_t first = value.find_first_not_of(" \t");
    return first == std::string::npos ? std::string{} : value.substr(first);
  }
  return {};
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 != 0 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
}

std::string EngineResult::label() const {
  return threads == 1 ? engine
                      : fmt::format("{}, {}", engine,
                                    plural(static_cast<std::size_t>(threads), "thread", "threads"));
}

double SceneResult::ratio(const EngineResult& engine,
                          std::vector<double> BenchTimes::* times) const {
  return median(engine.times.*times) / median(engines.front().times.*times);
}

std::string SceneResult::title(std::uint64_t firstSeed) const {
  return seed && *seed != firstSeed ? fmt::format("{}, seed {}", name, *seed) : name;
}

Machine describeMachine() {
  Machine machine;
  machine.processor = findValue("/proc/cpuinfo", "model name", ':');
  if (machine.processor.empty()) machine.processor = "unknown processor";
  machine.cores = std::max(1u, std::thread::hardware_concurrency());
  const std::string memory = findValue("/proc/meminfo", "MemTotal", ':');
  if (!memory.empty()) machine.memory = std::stod(memory) / (1024.0 * 1024.0);
  machine.system = findValue("/etc/os-release", "PRETTY_NAME", '=');
  return machine;
}

std::string today() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  return fmt::format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

}  // namespace msd_exe
