#include "msd-view/src/Access.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace msd_view {

namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
static_assert(kAlphabet.size() == 64);

bool isInAlphabet(char c) {
  return kAlphabet.find(c) != std::string_view::npos;
}

}  // namespace

std::string makeToken() {
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

namespace {

constexpr std::size_t kTokenLength = 24;

/// The user's own folder for such things; empty where there is none.
std::filesystem::path stateFolder() {
  if (const char* run = std::getenv("XDG_RUNTIME_DIR"); run != nullptr && *run != '\0') {
    return std::filesystem::path{run} / "msd-view";
  }
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache != '\0') {
    return std::filesystem::path{cache} / "msd-view";
  }
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') return {};
  return std::filesystem::path{home} / ".cache/msd-view";
}

/// Ours, a plain file, and closed to everyone else.
bool isPrivate(int file) {
  struct stat status {};
  return fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
         (status.st_mode & 077) == 0;
}

}  // namespace

std::string keptToken(std::uint16_t port) {
  const std::filesystem::path folder = stateFolder();
  if (folder.empty()) return makeToken();
  std::error_code error;
  std::filesystem::create_directories(folder.parent_path(), error);
  mkdir(folder.c_str(), 0700);
  const std::string path = folder / fmt::format("token-{}", port);
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) return makeToken();
  std::string token(kTokenLength, '\0');
  const bool isKept =
      isPrivate(file) &&
      read(file, token.data(), kTokenLength) == static_cast<ssize_t>(kTokenLength) &&
      std::ranges::all_of(token, [](char c) { return isInAlphabet(c); });
  if (!isKept) {
    token = makeToken();
    if (!isPrivate(file) ||
        pwrite(file, token.data(), kTokenLength, 0) != static_cast<ssize_t>(kTokenLength)) {
      unlink(path.c_str());  // or the next one would trust what is there
    }
  }
  close(file);
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
