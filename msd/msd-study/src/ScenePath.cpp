#include "msd-study/src/ScenePath.hpp"

#include <fmt/format.h>

#include <charconv>
#include <stdexcept>
#include <string>

namespace msd_study {

namespace {

using msd_scene::JsonPath;

[[noreturn]] void fail(std::string_view text, std::size_t at, std::string_view expected) {
  throw std::invalid_argument{
      fmt::format("the path {} (at character {}: expected {})", text, at + 1, expected)};
}

/// Reads what stands between brackets; `at` is the character after the first.
JsonPath readBracket(const JsonPath& path, std::string_view text, std::size_t& at) {
  if (at < text.size() && text[at] == '"') {
    std::string name;
    for (++at; at < text.size() && text[at] != '"'; ++at) {
      if (text[at] == '\\' && at + 1 < text.size()) ++at;
      name += text[at];
    }
    if (at >= text.size()) fail(text, at, "a closing quote");
    ++at;
    if (at >= text.size() || text[at] != ']') fail(text, at, "]");
    ++at;
    return path / name;
  }
  std::size_t index = 0;
  const char* start = text.data() + at;
  const auto [end, error] = std::from_chars(start, text.data() + text.size(), index);
  if (error != std::errc{}) fail(text, at, "a whole number or a name in quotes");
  at += static_cast<std::size_t>(end - start);
  if (at >= text.size() || text[at] != ']') fail(text, at, "]");
  ++at;
  return path / index;
}

}  // namespace

JsonPath parsePath(std::string_view text) {
  JsonPath path;
  std::size_t at = 0;
  if (text.empty()) fail(text, 0, "a name");
  while (at < text.size()) {
    if (text[at] == '[') {
      ++at;
      path = readBracket(path, text, at);
      continue;
    }
    if (text[at] == '.') {
      if (at == 0) fail(text, at, "a name");
      ++at;
    } else if (at > 0) {
      fail(text, at, ". or [");
    }
    const std::size_t end = std::min(text.find_first_of(".[", at), text.size());
    if (end == at) fail(text, at, "a name");
    path = path / text.substr(at, end - at);
    at = end;
  }
  return path;
}

}  // namespace msd_study
