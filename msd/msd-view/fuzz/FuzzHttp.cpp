// Any bytes are a request that is refused, or one whose path and names are harmless. Read with the
// parser and the limits of the server, in two pieces as a socket may bring them.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "msd-view/src/HttpRequest.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

/// Reads a header; false where the bytes are none.
bool readHeader(msd_view::RequestParser& parser, const std::uint8_t* data, std::size_t size) {
  std::string bytes{reinterpret_cast<const char*>(data), size};
  msd_view::beast::error_code error;
  std::size_t used = 0;
  std::size_t given = size / 2;
  while (!parser.is_header_done()) {
    used += parser.put(msd_view::net::buffer(bytes.data() + used, given - used), error);
    if (error && error != msd_view::http::error::need_more) return false;
    if (!parser.is_header_done() && given == size) return false;
    given = size;
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const msd_view::Access access{8765, "0123456789abcdefghijklmn"};
  msd_view::RequestParser parser;
  msd_view::limit(parser);
  parser.eager(false);
  if (!readHeader(parser, data, size)) return 0;
  const auto& request = parser.get();
  const bool isRefused = msd_view::refusalOf(request, access).has_value();
  const std::string_view path = access.pathBelowToken(msd_view::view(request.target()));
  if (!isRefused && path.empty()) std::abort();
  static_cast<void>(msd_view::queryValue(path, "scene"));
  const std::string name = msd_view::shownName(msd_view::queryValue(path, "name"));
  if (name.empty() || name.size() > 255) std::abort();
  for (const char c : name) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) std::abort();
  }
  return 0;
}
