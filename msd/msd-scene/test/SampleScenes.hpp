#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace msd_scene::test {

/// A scene that uses every field of the format.
[[nodiscard]] std::string_view fullScene();

inline std::span<const std::byte> bytesOf(std::string_view text) {
  return std::as_bytes(std::span{text.data(), text.size()});
}

/// `text` with the first `from` replaced by `to`; throws when `from` does not occur.
[[nodiscard]] std::string replaced(std::string_view text, std::string_view from,
                                   std::string_view to);

}  // namespace msd_scene::test
