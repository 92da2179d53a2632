#include "msd-exe/src/Console.hpp"

#include <cstdint>
#include <cstdio>

#include "msd-scene/src/JsonText.hpp"

namespace msd_exe {

namespace {

/// The code point of a valid UTF-8 sequence.
std::uint32_t codePoint(std::string_view sequence) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(sequence[i]));
  };
  switch (sequence.size()) {
    case 1:
      return byte(0);
    case 2:
      return (byte(0) & 0x1Fu) << 6 | (byte(1) & 0x3Fu);
    case 3:
      return (byte(0) & 0x0Fu) << 12 | (byte(1) & 0x3Fu) << 6 | (byte(2) & 0x3Fu);
    default:
      return (byte(0) & 0x07u) << 18 | (byte(1) & 0x3Fu) << 12 | (byte(2) & 0x3Fu) << 6 |
             (byte(3) & 0x3Fu);
  }
}

/// C0, DEL and C1 steer terminals; these others change the direction of writing, or end lines
/// unseen.
bool steers(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code <= 0x9F) || code == 0x61C ||
         (code >= 0x200E && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF;
}

}  // namespace

std::string shownText(std::string_view text, bool keepLines) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = msd_scene::utf8SequenceLength(text);
    if (length == 0) {
      shown += fmt::format("\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(text[0])));
      text.remove_prefix(1);
      continue;
    }
    const std::string_view sequence = text.substr(0, length);
    const std::uint32_t code = codePoint(sequence);
    const bool isLayout = keepLines && (code == '\n' || code == '\t');
    if (!steers(code) || isLayout) {
      shown += sequence;
    } else if (code == '\n') {
      shown += "\\n";
    } else {
      shown += code < 0x100 ? fmt::format("\\x{:02x}", code) : fmt::format("\\u{:04x}", code);
    }
    text.remove_prefix(length);
  }
  return shown;
}

void tellText(std::string_view text) {
  const std::string shown = shownText(text);
  // A failure stays noted in the stream.
  static_cast<void>(std::fwrite(shown.data(), 1, shown.size(), stdout));
}

void complainText(std::string_view text) noexcept {
  try {
    const std::string line = "msd: " + shownText(text, false) + "\n";
    static_cast<void>(std::fwrite(line.data(), 1, line.size(), stderr));
  } catch (...) {
    // No memory for the words.
    static_cast<void>(std::fputs("msd: out of memory\n", stderr));
  }
}

void drawText(std::string_view text) noexcept {
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
  static_cast<void>(std::fflush(stderr));
}

}  // namespace msd_exe
