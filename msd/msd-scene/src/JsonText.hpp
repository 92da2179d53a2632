#pragma once

#include <string>
#include <string_view>

namespace msd_scene {

/// A string as JSON writes it, quotes included. Control characters are escaped, the rest is copied.
[[nodiscard]] std::string jsonString(std::string_view text);

/// The shortest decimal that reads back as the same double; "null" for NaN and infinities, which
/// JSON cannot hold.
[[nodiscard]] std::string numberText(double value);

/// Text cut to what fits in a message, with an ellipsis, never inside a UTF-8 sequence.
[[nodiscard]] std::string shortened(std::string_view text);

/// Bytes of the UTF-8 sequence that a text begins with; 0 where it begins with none.
[[nodiscard]] std::size_t utf8SequenceLength(std::string_view text);

/// The end of the longest prefix of `text` that is valid UTF-8.
[[nodiscard]] std::size_t validUtf8Length(std::string_view text);

}  // namespace msd_scene
