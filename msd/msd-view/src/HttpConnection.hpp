#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "msd-view/src/HttpRequest.hpp"
#include "msd-view/src/Net.hpp"
#include "msd-view/src/ServerParts.hpp"

namespace msd_view {

/// One connection that speaks HTTP, until it is closed or becomes a viewer's.
class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  HttpConnection(tcp::socket&& socket, ViewServer::Parts& server);
  ~HttpConnection();
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  void start();

 private:
  using Request = RequestParser;
  using Upload = http::request_parser<http::file_body>;

  void readRequest();
  void answer();
  void answerGet(std::string_view path);
  void answerPost(std::string_view path);
  void becomeViewer();
  void receiveFile(const std::string& name);
  void openDroppedFile(std::shared_ptr<const TemporaryFile> file, const std::string& name);
  void openShipped(const std::string& file);
  /// Tells the page how opening went, from any thread.
  [[nodiscard]] Player::Opened reply();
  void send(http::status status, std::string_view type, std::string_view body);
  void sendText(http::status status, std::string_view text);
  void drain(std::size_t most);

  beast::tcp_stream stream_;
  ViewServer::Parts& server_;
  beast::flat_buffer buffer_;
  std::optional<Request> request_;
  std::unique_ptr<Upload> upload_;
  bool is_uploading_{false};
  bool keeps_alive_{false};
  std::shared_ptr<http::response<http::string_body>> response_;
};

}  // namespace msd_view
