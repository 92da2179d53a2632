#include "msd-view/src/Control.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace msd_view {

namespace {

using nlohmann::json;

[[noreturn]] void refuse(std::string_view field, const json& found, std::string_view expected) {
  std::string text = found.dump(-1, ' ', true, json::error_handler_t::replace);
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  throw std::invalid_argument{fmt::format("{}: found {}, expected {}", field, text, expected)};
}

const json& fieldOf(const json& message, const char* field) {
  const auto at = message.find(field);
  if (at == message.end()) refuse(field, nullptr, "a value");
  return *at;
}

double numberOf(const json& message, const char* field, double low, double high) {
  const json& value = fieldOf(message, field);
  if (!value.is_number() || !(value.get<double>() >= low && value.get<double>() <= high)) {
    refuse(field, value, fmt::format("a number from {} to {}", low, high));
  }
  return value.get<double>();
}

std::int64_t wholeOf(const json& message, const char* field, std::int64_t low, std::int64_t high) {
  const json& value = fieldOf(message, field);
  if (!value.is_number_integer() || value.get<std::int64_t>() < low ||
      value.get<std::int64_t>() > high) {
    refuse(field, value, fmt::format("a whole number from {} to {}", low, high));
  }
  return value.get<std::int64_t>();
}

bool truthOf(const json& message, const char* field) {
  const json& value = fieldOf(message, field);
  if (!value.is_boolean()) refuse(field, value, "true or false");
  return value.get<bool>();
}

msd_sim::Coordinate pointOf(const json& message, const char* field) {
  constexpr double kFarthest = 1e9;  // [m], as for positions in scene files
  const json& value = fieldOf(message, field);
  msd_sim::Coordinate point;
  const bool isTriple = value.is_array() && value.size() == 3;
  for (std::size_t i = 0; i < 3; ++i) {
    if (!isTriple || !value[i].is_number() || !(std::abs(value[i].get<double>()) <= kFarthest)) {
      refuse(field, value, "three numbers [m]");
    }
    point[static_cast<Eigen::Index>(i)] = value[i].get<double>();
  }
  return point;
}

std::string wordOf(const json& message, const char* field, std::size_t longest) {
  const json& value = fieldOf(message, field);
  if (!value.is_string() || value.get_ref<const std::string&>().size() > longest) {
    refuse(field, value, fmt::format("a text of at most {} bytes", longest));
  }
  return value.get<std::string>();
}

SetMethod methodOf(const json& message) {
  const std::string word = wordOf(message, "method", 16);
  if (const auto method = msd_sim::methodFromName(word)) return {*method};
  refuse("method", word, "\"fast\", \"exact\" or \"reference\"");
}

SetSpeed speedOf(const json& message) {
  const double speed = numberOf(message, "speed", 0.0, kMaxSpeed);
  if (speed != 0.0 && speed < kMinSpeed) {
    refuse("speed", speed, fmt::format("0 (as fast as it goes) or {} to {}", kMinSpeed, kMaxSpeed));
  }
  return {speed};
}

Drag dragOf(const json& message) {
  constexpr std::int64_t kMost = 0xFFFFFFFE;
  return {DragTarget{.body = static_cast<std::uint32_t>(wholeOf(message, "body", 0, kMost)),
                     .local = pointOf(message, "local"),
                     .target = pointOf(message, "target")}};
}

Drive driveOf(const json& message) {
  constexpr std::int64_t kMost = 0xFFFFFFFE;
  constexpr double kFarthest = 1e9;  // as for targets in scene files
  Drive drive{.joint = static_cast<std::uint32_t>(wholeOf(message, "joint", 0, kMost))};
  if (!fieldOf(message, "target").is_null()) {
    drive.target = numberOf(message, "target", -kFarthest, kFarthest);
  }
  return drive;
}

}  // namespace

Control parseControl(std::string_view text) {
  constexpr std::int64_t kMostFrames = std::int64_t{1} << 52;
  const json message = json::parse(text, nullptr, false);
  if (!message.is_object()) throw std::invalid_argument{"a message must be a JSON object"};
  const std::string wish = wordOf(message, "c", 16);
  if (wish == "play") return Play{};
  if (wish == "pause") return Pause{};
  if (wish == "restart") return Restart{};
  if (wish == "step") return Step{wholeOf(message, "count", -kMaxStepCount, kMaxStepCount)};
  if (wish == "seek") {
    return Seek{static_cast<std::uint64_t>(wholeOf(message, "index", 0, kMostFrames))};
  }
  if (wish == "speed") return speedOf(message);
  if (wish == "method") return methodOf(message);
  if (wish == "drag") return dragOf(message);
  if (wish == "release") return Drag{};
  if (wish == "drive") return driveOf(message);
  if (wish == "select") return Select{wholeOf(message, "body", -1, 0xFFFFFFFE)};
  if (wish == "subscribe") {
    return Subscribe{.contacts = truthOf(message, "contacts"),
                     .bounds = truthOf(message, "bounds"),
                     .joints = message.contains("joints") && truthOf(message, "joints")};
  }
  refuse("c", wish,
         "play, pause, restart, step, seek, speed, method, drag, release, drive, select "
         "or subscribe");
}

}  // namespace msd_view
