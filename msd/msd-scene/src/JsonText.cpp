#include "msd-scene/src/JsonText.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>

namespace msd_scene {

namespace {

constexpr std::size_t kMessageBytes = 60;

/// Bytes of the UTF-8 sequence that starts at `at`, or 0 where none does. Refuses overlong forms,
/// surrogates and code points beyond U+10FFFF.
std::size_t sequenceLength(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0u;
  };
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0u) == 0x80u; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first < 0xC2) return 0;
  if (first < 0xE0) return continues(1) ? 2 : 0;
  if (first < 0xF0) {
    const bool overlong = first == 0xE0 && byte(1) < 0xA0;
    const bool surrogate = first == 0xED && byte(1) >= 0xA0;
    return continues(1) && continues(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first > 0xF4) return 0;
  const bool overlong = first == 0xF0 && byte(1) < 0x90;
  const bool beyond = first == 0xF4 && byte(1) >= 0x90;
  return continues(1) && continues(2) && continues(3) && !overlong && !beyond ? 4 : 0;
}

}  // namespace

std::size_t utf8SequenceLength(std::string_view text) {
  return text.empty() ? 0 : sequenceLength(text, 0);
}

std::size_t validUtf8Length(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t length = sequenceLength(text, at);
    if (length == 0) break;
    at += length;
  }
  return at;
}

std::string jsonString(std::string_view text) {
  std::string result{"\""};
  for (const char c : text) {
    switch (c) {
      case '"':
        result += "\\\"";
        break;
      case '\\':
        result += "\\\\";
        break;
      case '\n':
        result += "\\n";
        break;
      case '\t':
        result += "\\t";
        break;
      case '\r':
        result += "\\r";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
          result += fmt::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
        } else {
          result += c;
        }
    }
  }
  return result += '"';
}

std::string numberText(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "null";
}

std::string shortened(std::string_view text) {
  if (text.size() <= kMessageBytes) return std::string{text};
  std::size_t end = kMessageBytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0u) == 0x80u) --end;
  return std::string{text.substr(0, end)} + "…";
}

}  // namespace msd_scene
