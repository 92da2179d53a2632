#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

#include "msd-view/src/FrameSource.hpp"
#include "msd-view/src/LiveSource.hpp"

namespace msd_view {

/// The server cannot start, and why: a port in use, or one that only root may have.
class ServerError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct ServerOptions {
  static constexpr std::uint16_t kDefaultPort = 8765;
  std::uint16_t port{kDefaultPort};  ///< 0: any free one
  bool startPlaying{true};
  std::uint64_t startIndex{0};     ///< the moment shown first, brought into the source's range
  std::filesystem::path scenes{};  ///< folder of the scenes offered; empty: none
  LiveOptions live{};              ///< for scenes opened from the page
  bool keepsToken{false};          ///< the address stays the same from run to run, by port
};

/// The browser view: serves its page on 127.0.0.1 and shows a source to all who open it.
///
/// Two threads work: the player's, which simulates, and the server's. The constructor starts both;
/// the destructor ends them.
class ViewServer {
 public:
  /// Throws ServerError.
  ViewServer(std::unique_ptr<FrameSource> source, const ServerOptions& options);
  ~ViewServer();
  ViewServer(const ViewServer&) = delete;
  ViewServer& operator=(const ViewServer&) = delete;

  /// "http://127.0.0.1:8765/TOKEN/"
  [[nodiscard]] std::string url() const;
  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] std::size_t viewerCount() const;

  struct Parts;

 private:
  std::unique_ptr<Parts> parts_;
};

}  // namespace msd_view
