#include "msd-view/src/HttpRequest.hpp"

#include <algorithm>

namespace msd_view {

namespace {

constexpr std::size_t kNameBytes = 255;

/// Undoes %XX; an empty text when it is not well-formed.
std::string decoded(std::string_view text) {
  const auto digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
  };
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      result += text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? digit(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? digit(text[i + 2]) : -1;
    if (high < 0 || low < 0) return {};
    result += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return result;
}

}  // namespace

void limit(RequestParser& parser) {
  parser.header_limit(kHeaderBytes);
  parser.body_limit(kUploadBytes);  // this parser reads no body, but refuses what it announces
}

std::optional<std::pair<http::status, std::string_view>> refusalOf(const RequestHeader& request,
                                                                   const Access& access) {
  using Refusal = std::pair<http::status, std::string_view>;
  if (request.count(http::field::host) != 1 ||
      !access.isOurHost(view(request[http::field::host]))) {
    return Refusal{http::status::misdirected_request,
                   "this server answers only to 127.0.0.1 and localhost, by its own port"};
  }
  // Browsers name the origin of every WebSocket and POST; a page of another site has another one.
  const bool isChange = request.method() == http::verb::post || websocket::is_upgrade(request);
  const bool hasOrigin = request.count(http::field::origin) != 0;
  if ((isChange || hasOrigin) && !access.isOurOrigin(view(request[http::field::origin]))) {
    return Refusal{http::status::forbidden, "requests of other pages are refused"};
  }
  if (access.pathBelowToken(view(request.target())).empty()) {
    return Refusal{http::status::forbidden, "the address needs the token that msd view printed"};
  }
  return std::nullopt;
}

std::string queryValue(std::string_view path, std::string_view key) {
  const std::size_t mark = path.find('?');
  if (mark == std::string_view::npos) return {};
  std::string_view query = path.substr(mark + 1);
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    if (pair.starts_with(key) && pair.size() > key.size() && pair[key.size()] == '=') {
      return decoded(pair.substr(key.size() + 1));
    }
    query.remove_prefix(std::min(query.size(), pair.size() + 1));
  }
  return {};
}

std::string shownName(std::string name) {
  std::erase_if(name, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  if (name.size() > kNameBytes) name.resize(kNameBytes);
  return name.empty() ? "dropped file" : name;
}

}  // namespace msd_view
