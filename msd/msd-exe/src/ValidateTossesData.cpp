#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "msd-exe/src/Command.hpp"
#include "msd-exe/src/ValidateTosses.hpp"

namespace msd_exe {

namespace {

namespace fs = std::filesystem;

/// Numbers of one line of the table: toss, frame, then those of TossFrame.
constexpr std::size_t kColumns = 15;

double numberField(const nlohmann::json& json, const char* name, const fs::path& file) {
  const auto found = json.find(name);
  if (found == json.end() || !found->is_number()) {
    throw UsageError{fmt::format("{}: /{}: expected a number", file.string(), name)};
  }
  return found->get<double>();
}

/// A file of the collection, open; `what` says what it should hold.
std::ifstream opened(const fs::path& file, std::string_view what) {
  if (!fs::exists(file)) {
    throw UsageError{
        fmt::format("{}: found no file of this name, expected {}", file.string(), what)};
  }
  std::ifstream stream{file};
  if (!stream) throw UsageError{fmt::format("{}: cannot be opened for reading", file.string())};
  return stream;
}

void readExperiment(const fs::path& file, TossData& data) {
  std::ifstream stream = opened(file, "the experiment's constants (JSON)");
  const nlohmann::json json = nlohmann::json::parse(stream, nullptr, false);
  if (!json.is_object()) throw UsageError{fmt::format("{}: expected a JSON object", file.string())};
  data.dt = numberField(json, "dt", file);
  data.gravity = numberField(json, "g", file);
  data.mass = numberField(json, "mass", file);
  data.inertia = numberField(json, "inertia", file);
  data.friction = numberField(json, "mu", file);
  data.restitution = numberField(json, "restitution", file);
}

std::array<double, kColumns> readLine(std::string_view line, const fs::path& file,
                                      std::size_t number) {
  std::array<double, kColumns> values{};
  const char* at = line.data();
  const char* const end = line.data() + line.size();
  for (std::size_t c = 0; c < kColumns; ++c) {
    const auto [next, error] = std::from_chars(at, end, values[c]);
    const bool last = c + 1 == kColumns;
    const bool ends = last ? next == end : next != end && *next == ',';
    if (error != std::errc{} || !ends || !std::isfinite(values[c])) {
      throw UsageError{fmt::format("{}:{}: column {}: expected {} numbers separated by commas",
                                   file.string(), number, c + 1, kColumns)};
    }
    at = last ? next : next + 1;
  }
  return values;
}

}  // namespace

TossData readTosses(const fs::path& folder) {
  TossData data;
  readExperiment(folder / "experiment.json", data);
  const fs::path file = folder / "tosses.csv";
  std::ifstream stream = opened(file, "the table of the tosses (CSV)");
  std::string line;
  double toss = std::nan("");
  for (std::size_t number = 1; std::getline(stream, line); ++number) {
    if (line.empty() || line.front() == '#') continue;
    if (line.back() == '\r') line.pop_back();
    const auto v = readLine(line, file, number);
    if (v[0] != toss) {
      toss = v[0];
      data.tosses.emplace_back();
    }
    TossFrame frame{};
    for (std::size_t c = 0; c < 3; ++c) {
      frame.position[c] = v[2 + c];
      frame.velocity[c] = v[9 + c];
      frame.angularVelocity[c] = v[12 + c];
    }
    for (std::size_t c = 0; c < 4; ++c) frame.orientation[c] = v[5 + c];
    data.tosses.back().push_back(frame);
  }
  if (data.tosses.empty()) throw UsageError{fmt::format("{}: holds no toss", file.string())};
  return data;
}

}  // namespace msd_exe
