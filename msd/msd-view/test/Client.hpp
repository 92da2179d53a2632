#pragma once

#include <chrono>
#include <string>
#include <utility>

#include "msd-view/src/Net.hpp"

namespace msd_view::test {

/// What a request says about itself; a test changes one thing at a time.
struct Request {
  std::string target{"/"};
  std::string host{};    ///< empty: no such header
  std::string origin{};  ///< empty: no such header
  http::verb method{http::verb::get};
  std::string body{};
};

struct Reply {
  unsigned status{0};
  std::string body{};
  std::string security{};  ///< Content-Security-Policy
};

inline tcp::socket connectTo(net::io_context& context, std::uint16_t port) {
  tcp::socket socket{context};
  socket.connect({net::ip::address_v4::loopback(), port});
  return socket;
}

inline Reply ask(std::uint16_t port, const Request& asked) {
  net::io_context context;
  tcp::socket socket = connectTo(context, port);
  http::request<http::string_body> request{asked.method, asked.target, 11};
  if (!asked.host.empty()) request.set(http::field::host, asked.host);
  if (!asked.origin.empty()) request.set(http::field::origin, asked.origin);
  request.body() = asked.body;
  request.prepare_payload();
  http::write(socket, request);
  beast::flat_buffer buffer;
  http::response_parser<http::string_body> parser;
  parser.body_limit(64 << 20);
  http::read(socket, buffer, parser);
  const auto& response = parser.get();
  return {response.result_int(), response.body(), std::string{response["Content-Security-Policy"]}};
}

/// A page without a browser.
class SocketClient {
 public:
  SocketClient(std::uint16_t port, const std::string& target, const std::string& host,
               const std::string& origin)
      : stream_{connectTo(context_, port)} {
    stream_.set_option(
        websocket::stream_base::decorator([origin](websocket::request_type& request) {
          if (!origin.empty()) request.set(http::field::origin, origin);
        }));
    stream_.handshake(response_, host, target, error_);
  }

  [[nodiscard]] bool isOpen() const { return !error_; }
  [[nodiscard]] unsigned status() const { return response_.result_int(); }

  void send(const std::string& text) {
    stream_.text(true);
    stream_.write(net::buffer(text), error_);
  }
  /// The next message; empty when the connection is gone.
  std::string read() {
    beast::flat_buffer buffer;
    stream_.read(buffer, error_);
    return error_ ? std::string{} : beast::buffers_to_string(buffer.data());
  }
  /// The next text message that holds a piece of text; empty when the connection ends before.
  std::string readText(const std::string& piece) {
    while (isOpen()) {
      const std::string message = read();
      if (stream_.got_text() && message.find(piece) != std::string::npos) return message;
    }
    return {};
  }

 private:
  net::io_context context_;
  websocket::stream<tcp::socket> stream_;
  websocket::response_type response_;
  beast::error_code error_;
};

}  // namespace msd_view::test
