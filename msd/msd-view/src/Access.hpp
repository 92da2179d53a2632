#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace msd_view {

/// 24 characters from a set of 64, from the system's random source: 144 bits.
[[nodiscard]] std::string makeToken();

/// The token that this user's last server on this port had, so that a page finds a server that was
/// started again; a new one where there is none, kept for the next in a file that only the user can
/// read. Without a folder for it, a new one.
[[nodiscard]] std::string keptToken(std::uint16_t port);

/// Who may talk to the server: those who know the token in the URL, from a page that the server
/// itself sent. The names in Host and Origin keep other sites, which a browser would let connect to
/// 127.0.0.1 (directly, or by pointing a name of theirs at it), from doing so.
class Access {
 public:
  explicit Access(std::uint16_t port) : Access{port, makeToken()} {}
  Access(std::uint16_t port, std::string token) : port_{port}, token_{std::move(token)} {}

  /// "http://127.0.0.1:8765/k3V.../"
  [[nodiscard]] std::string url() const;
  [[nodiscard]] const std::string& token() const { return token_; }

  [[nodiscard]] bool isOurHost(std::string_view host) const;
  [[nodiscard]] bool isOurOrigin(std::string_view origin) const;

  /// The path below "/TOKEN", with its leading slash; empty when the token is wrong. Takes the same
  /// time for every wrong token of the right length.
  [[nodiscard]] std::string_view pathBelowToken(std::string_view target) const;

 private:
  std::uint16_t port_;
  std::string token_;
};

}  // namespace msd_view
