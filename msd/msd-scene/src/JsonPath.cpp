#include "msd-scene/src/JsonPath.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "msd-scene/src/JsonText.hpp"

namespace msd_scene {

namespace {

bool isPlainWord(std::string_view key) {
  return !key.empty() && std::ranges::all_of(key, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
}

}  // namespace

JsonPath JsonPath::operator/(std::string_view key) const {
  JsonPath longer{*this};
  longer.segments_.emplace_back(std::string{key});
  return longer;
}

JsonPath JsonPath::operator/(std::size_t index) const {
  JsonPath longer{*this};
  longer.segments_.emplace_back(index);
  return longer;
}

std::string JsonPath::toString() const {
  std::string text;
  for (const Segment& segment : segments_) {
    if (const auto* index = std::get_if<std::size_t>(&segment)) {
      text += fmt::format("[{}]", *index);
      continue;
    }
    const std::string& key = std::get<std::string>(segment);
    if (isPlainWord(key)) {
      text += text.empty() ? key : "." + key;
    } else {
      text += fmt::format("[{}]", shortened(jsonString(key)));
    }
  }
  return text;
}

}  // namespace msd_scene
