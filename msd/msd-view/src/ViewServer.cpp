#include "msd-view/src/ViewServer.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <chrono>
#include <utility>

#include "msd-view/src/HttpConnection.hpp"
#include "msd-view/src/ServerParts.hpp"

namespace msd_view {

namespace {

using namespace std::chrono_literals;

/// Connections at once; a browser opens up to six a page.
constexpr std::size_t kMostConnections = 256;
constexpr auto kWatchTime = 5s;
constexpr auto kAcceptPause = 100ms;

tcp::acceptor listenOn(net::io_context& context, std::uint16_t port) {
  tcp::acceptor acceptor{context};
  const tcp::endpoint endpoint{net::ip::address_v4::loopback(), port};
  beast::error_code error;
  acceptor.open(endpoint.protocol(), error);
  // A server that has just ended leaves its port waiting; another that runs still holds it.
  if (!error) acceptor.set_option(net::socket_base::reuse_address{true}, error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(net::socket_base::max_listen_connections, error);
  if (error == net::error::address_in_use) {
    throw ServerError{fmt::format(
        "port {} on 127.0.0.1 is in use by another program; choose another with --port, or let "
        "--port 0 find a free one",
        port)};
  }
  if (error) {
    throw ServerError{
        fmt::format("cannot listen on port {} of 127.0.0.1: {}", port, error.message())};
  }
  return acceptor;
}

}  // namespace

/// No exception ends the server's thread: what a handler throws ends its connection.
void serve(net::io_context& context) noexcept {
  while (!context.stopped()) {
    try {
      context.run();
    } catch (...) {
      // The handler is gone, and what only it held is closed.
    }
  }
}

ViewServer::Parts::Parts(std::unique_ptr<FrameSource> source, const ServerOptions& serverOptions)
    : options{serverOptions},
      catalog{serverOptions.scenes},
      acceptor{listenOn(context, serverOptions.port)},
      access{acceptor.local_endpoint().port(),
             options.keepsToken ? keptToken(acceptor.local_endpoint().port()) : makeToken()},
      hub{[this](Control control) { player->post(std::move(control)); },
          [this](bool wanted) { player->setBoundsWanted(wanted); }},
      watch{context},
      pause{context} {
  player = std::make_unique<Player>(std::move(source), options.startIndex, options.startPlaying,
                                    [this](Update update) { take(std::move(update)); });
  acceptNext();
  watchViewers();
  thread = std::jthread{[this] { serve(context); }};
  pthread_setname_np(thread.native_handle(), "msd-server");
}

// The server's thread hands wishes to the player until its last handler has returned; the player may
// go on publishing into a context that has stopped.
ViewServer::Parts::~Parts() {
  context.stop();
  if (thread.joinable()) thread.join();
  player.reset();
}

/// Called by the player's thread: leaves the update where the server's thread finds it. Updates
/// that come faster than they are fetched merge.
void ViewServer::Parts::take(Update update) {
  bool isFirst = false;
  {
    const std::scoped_lock lock{mutex};
    isFirst = !waiting;
    if (waiting && waiting->sceneNumber == update.sceneNumber) {
      waiting->newRows.insert(waiting->newRows.end(), update.newRows.begin(), update.newRows.end());
      update.newRows = std::move(waiting->newRows);
    }
    waiting = std::move(update);
  }
  if (!isFirst) return;
  try {
    net::post(context, [this] { fetch(); });
  } catch (...) {
    const std::scoped_lock lock{mutex};
    waiting.reset();  // or the next one would be taken for fetched soon
    throw;
  }
}

void ViewServer::Parts::fetch() {
  std::optional<Update> fetched;
  {
    const std::scoped_lock lock{mutex};
    fetched.swap(waiting);
  }
  if (fetched) hub.accept(std::move(*fetched));
  viewers = hub.viewerCount();
}

void ViewServer::Parts::acceptNext() {
  acceptor.async_accept([this](beast::error_code error, tcp::socket socket) {
    if (!acceptor.is_open()) return;
    if (error) {
      // No more files may be open, say: others close theirs.
      pause.expires_after(kAcceptPause);
      pause.async_wait([this](beast::error_code stopped) {
        if (!stopped) acceptNext();
      });
      return;
    }
    acceptNext();
    if (connections < kMostConnections) {
      std::make_shared<HttpConnection>(std::move(socket), *this)->start();
    }
  });
}

void ViewServer::Parts::watchViewers() {
  watch.expires_after(kWatchTime);
  watch.async_wait([this](beast::error_code error) {
    if (error) return;
    hub.dropStalled();
    watchViewers();
  });
}

ViewServer::ViewServer(std::unique_ptr<FrameSource> source, const ServerOptions& options)
    : parts_{std::make_unique<Parts>(std::move(source), options)} {}

ViewServer::~ViewServer() = default;

std::string ViewServer::url() const {
  return parts_->access.url();
}

std::uint16_t ViewServer::port() const {
  return parts_->acceptor.local_endpoint().port();
}

std::size_t ViewServer::viewerCount() const {
  return parts_->viewers;
}

}  // namespace msd_view
