#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "msd-view/src/Access.hpp"
#include "msd-view/src/Hub.hpp"
#include "msd-view/src/Net.hpp"
#include "msd-view/src/OpenFile.hpp"
#include "msd-view/src/SceneCatalog.hpp"
#include "msd-view/src/ScratchFolder.hpp"
#include "msd-view/src/ViewServer.hpp"

namespace msd_view {

/// A folder for files that come through the browser.
class UploadFolder {
 public:
  [[nodiscard]] std::filesystem::path next() {
    return folder_.path() / std::to_string(++count_);
  }

 private:
  ScratchFolder folder_{"msd-view"};
  unsigned count_{0};
};

/// What the server is made of; connections hold a reference to it. All but the player runs in the
/// server's thread.
struct ViewServer::Parts {
  Parts(std::unique_ptr<FrameSource> source, const ServerOptions& options);
  ~Parts();

  void acceptNext();
  void watchViewers();
  void take(Update update);
  void fetch();

  ServerOptions options;
  UploadFolder uploads;
  SceneCatalog catalog;
  // Before the context: connections that are still open end with it, and count themselves out.
  std::atomic<std::size_t> connections{0};
  std::atomic<bool> isUploading{false};
  std::atomic<std::size_t> viewers{0};

  net::io_context context{1};
  tcp::acceptor acceptor;
  Access access;
  Hub hub;
  net::steady_timer watch;
  net::steady_timer pause;  ///< before the next connection is accepted, after an error
  std::mutex mutex;  ///< guards `waiting`
  std::optional<Update> waiting{};

  std::unique_ptr<Player> player{};
  std::jthread thread{};
};

}  // namespace msd_view
