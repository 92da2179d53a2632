#include "msd-view/src/Access.hpp"

#include <fmt/format.h>
#include <sys/random.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace msd_view {

std::string makeToken() {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  static_assert(kAlphabet.size() == 64);
  std::array<unsigned char, 24> bytes{};
  std::size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t got = getrandom(bytes.data() + filled, bytes.size() - filled, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw std::system_error{errno, std::generic_category(), "no random numbers"};
    filled += static_cast<std::size_t>(got);
  }
  std::string token;
  for (const unsigned char byte : bytes) token += kAlphabet[byte % 64];
  return token;
}

std::string Access::url() const {
  return fmt::format("http://127.0.0.1:{}/{}/", port_, token_);
}

bool Access::isOurHost(std::string_view host) const {
  return host == fmt::format("127.0.0.1:{}", port_) || host == fmt::format("localhost:{}", port_);
}

bool Access::isOurOrigin(std::string_view origin) const {
  constexpr std::string_view kScheme = "http://";
  return origin.starts_with(kScheme) && isOurHost(origin.substr(kScheme.size()));
}

std::string_view Access::pathBelowToken(std::string_view target) const {
  const std::size_t end = token_.size() + 1;
  if (target.size() <= end || target[0] != '/' || target[end] != '/') return {};
  unsigned difference = 0;
  for (std::size_t i = 0; i < token_.size(); ++i) {
    difference |= static_cast<unsigned char>(token_[i]) ^ static_cast<unsigned char>(target[i + 1]);
  }
  return difference == 0 ? target.substr(end) : std::string_view{};
}

}  // namespace msd_view
