#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "msd-view/src/Access.hpp"
#include "msd-view/src/Net.hpp"

/// What a request may be and what it asks for; knows no connection, so that any bytes can be tried.
namespace msd_view {

using RequestHeader = http::request_header<>;
using RequestParser = http::request_parser<http::empty_body>;

inline constexpr std::uint32_t kHeaderBytes = 8 << 10;
inline constexpr std::uint64_t kUploadBytes = std::uint64_t{2} << 30;  ///< 2 GiB

/// Sets the limits of a request that is to be read.
void limit(RequestParser& parser);

/// Why a request is refused, whatever it asks for: it came by another name, from another page, or
/// without the token.
[[nodiscard]] std::optional<std::pair<http::status, std::string_view>> refusalOf(
    const RequestHeader& request, const Access& access);

/// The value of "key=value" after the question mark, %XX undone; empty where there is none or it is
/// not well-formed.
[[nodiscard]] std::string queryValue(std::string_view path, std::string_view key);

/// The name of a dropped file, which is only shown: without control characters, and not too long.
[[nodiscard]] std::string shownName(std::string name);

[[nodiscard]] inline std::string_view view(beast::string_view text) {
  return {text.data(), text.size()};
}

}  // namespace msd_view
