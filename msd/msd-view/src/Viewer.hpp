#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <string>

#include "msd-view/src/Hub.hpp"
#include "msd-view/src/Net.hpp"
#include "msd-view/src/RateLimit.hpp"

namespace msd_view {

/// One page that watches. Gets the latest there is whenever it has taken the message before; what
/// it is too slow for, it never sees, and nobody waits for it.
class Viewer : public std::enable_shared_from_this<Viewer> {
 public:
  Viewer(tcp::socket&& socket, Hub& hub);
  ~Viewer();
  Viewer(const Viewer&) = delete;
  Viewer& operator=(const Viewer&) = delete;

  /// Takes over a connection whose request asked for it.
  void accept(http::request<http::empty_body> request);
  /// Sends what is new, unless a message is under way.
  void pump();
  void dropIfStalled();
  void abort();
  [[nodiscard]] bool wantsBounds() const { return wants_.bounds; }

 private:
  using Clock = std::chrono::steady_clock;

  void read();
  void handle(const Control& control);
  void say(std::string text);
  [[nodiscard]] bool sendQueued();
  [[nodiscard]] bool sendScene();
  [[nodiscard]] bool sendPicture();
  [[nodiscard]] bool sendBody();
  void send(Message message, bool isText);
  void leave();

  websocket::stream<beast::tcp_stream> stream_;
  Hub& hub_;
  beast::flat_buffer buffer_;
  http::request<http::empty_body> request_;
  RateLimit rate_;
  bool is_open_{false};
  bool is_writing_{false};
  Clock::time_point write_start_{};
  Message in_flight_;
  std::deque<Message> texts_;

  std::uint64_t scene_sent_{0};
  PlayState state_sent_{};
  bool was_state_sent_{false};
  std::uint64_t rows_sent_{0};
  std::uint64_t poses_sent_{0};
  std::uint64_t contacts_sent_{0};
  std::uint64_t bounds_sent_{0};
  std::uint64_t joints_sent_{0};
  std::uint64_t body_sent_{0};
  Subscribe wants_{};
  std::int64_t selected_{-1};
  bool is_dragging_{false};
};

}  // namespace msd_view
