#include "msd-view/src/HttpConnection.hpp"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "msd-view/src/Bundle.hpp"
#include "msd-view/src/HttpRequest.hpp"
#include "msd-view/src/Viewer.hpp"

namespace msd_view {

namespace {

using namespace std::chrono_literals;

constexpr auto kRequestTime = 30s;
constexpr auto kUploadTime = 600s;
constexpr std::size_t kMostViewers = 32;
constexpr std::string_view kTooLarge =
    "files of more than 2 GiB cannot be dropped; open them with msd view FILE";
/// What is read of a request that was refused, so that its sender hears why.
constexpr std::size_t kMostDrained = std::size_t{64} << 20;
constexpr auto kDrainTime = 10s;
constexpr std::size_t kDrainBytes = 65'536;
constexpr std::string_view kPlainText = "text/plain; charset=utf-8";

}  // namespace

HttpConnection::HttpConnection(tcp::socket&& socket, ViewServer::Parts& server)
    : stream_{std::move(socket)}, server_{server} {
  ++server_.connections;
}

HttpConnection::~HttpConnection() {
  --server_.connections;
  if (is_uploading_) server_.isUploading = false;
}

void HttpConnection::start() {
  readRequest();
}

void HttpConnection::readRequest() {
  request_.emplace();
  limit(*request_);
  stream_.expires_after(kRequestTime);
  http::async_read_header(stream_, buffer_, *request_,
                          [self = shared_from_this()](beast::error_code error, std::size_t) {
                            if (error == http::error::header_limit) {
                              self->keeps_alive_ = false;
                              return self->sendText(http::status::request_header_fields_too_large,
                                                    "the request's header is too long");
                            }
                            if (error == http::error::body_limit) {
                              self->keeps_alive_ = false;
                              return self->sendText(http::status::payload_too_large, kTooLarge);
                            }
                            if (!error) self->answer();
                          });
}

void HttpConnection::answer() {
  const auto& request = request_->get();
  keeps_alive_ = request.keep_alive() && !request.has_content_length() && !request.chunked();
  if (const auto refused = refusalOf(request, server_.access)) {
    keeps_alive_ = false;
    return sendText(refused->first, refused->second);
  }
  const std::string_view path = server_.access.pathBelowToken(view(request.target()));
  if (websocket::is_upgrade(request)) {
    if (path != "/socket") return sendText(http::status::not_found, "no such thing here");
    return becomeViewer();
  }
  if (request.method() == http::verb::get) return answerGet(path);
  if (request.method() == http::verb::post) return answerPost(path);
  sendText(http::status::method_not_allowed, "only GET and POST are understood");
}

void HttpConnection::becomeViewer() {
  if (server_.hub.viewerCount() >= kMostViewers) {
    return sendText(http::status::service_unavailable, "too many viewers");
  }
  stream_.expires_never();
  std::make_shared<Viewer>(stream_.release_socket(), server_.hub)->accept(request_->release());
}

void HttpConnection::answerGet(std::string_view path) {
  path = path.substr(0, path.find('?'));
  if (path == "/scenes") {
    return send(http::status::ok, "application/json", server_.catalog.toJson());
  }
  if (const BundleFile* file = findBundleFile(path == "/" ? "/index.html" : path)) {
    return send(http::status::ok, file->type, file->bytes);
  }
  sendText(http::status::not_found, "no such thing here");
}

void HttpConnection::answerPost(std::string_view path) {
  keeps_alive_ = false;
  const std::string_view route = path.substr(0, path.find('?'));
  if (route != "/open") return sendText(http::status::not_found, "no such thing here");
  const std::string shipped = queryValue(path, "scene");
  if (!shipped.empty()) return openShipped(shipped);
  receiveFile(shownName(queryValue(path, "name")));
}

void HttpConnection::openShipped(const std::string& file) {
  const auto path = server_.catalog.find(file);
  if (!path) return sendText(http::status::not_found, "no such scene");
  stream_.expires_never();
  server_.player->open([path = *path, live = server_.options.live] { return openFile(path, live); },
                       reply());
}

void HttpConnection::receiveFile(const std::string& name) {
  if (server_.isUploading.exchange(true)) {
    return sendText(http::status::too_many_requests, "another file is on its way");
  }
  is_uploading_ = true;
  auto file = std::make_shared<const TemporaryFile>(server_.uploads.next());
  upload_ = std::make_unique<Upload>(std::move(*request_));
  upload_->body_limit(kUploadBytes);
  beast::error_code error;
  upload_->get().body().open(file->path().c_str(), beast::file_mode::write, error);
  if (error) return sendText(http::status::insufficient_storage, "no room for the file");
  stream_.expires_after(kUploadTime);
  http::async_read(stream_, buffer_, *upload_,
                   [self = shared_from_this(), file, name](beast::error_code problem, std::size_t) {
                     self->is_uploading_ = false;
                     self->server_.isUploading = false;
                     if (problem == http::error::body_limit) {
                       return self->sendText(http::status::payload_too_large, kTooLarge);
                     }
                     if (problem.category() == beast::generic_category()) {  // of the file
                       return self->sendText(http::status::insufficient_storage,
                                             "no room for the file: " + problem.message());
                     }
                     if (problem) return;
                     self->upload_.reset();  // closes the file
                     self->openDroppedFile(file, name);
                   });
}

void HttpConnection::openDroppedFile(std::shared_ptr<const TemporaryFile> file,
                                     const std::string& name) {
  stream_.expires_never();
  server_.player->open([file = std::move(file), name,
                        live = server_.options.live] { return openDropped(file, name, live); },
                       reply());
}

Player::Opened HttpConnection::reply() {
  return [self = shared_from_this()](std::string problem) {
    net::post(self->stream_.get_executor(), [self, problem = std::move(problem)] {
      if (problem.empty()) {
        self->sendText(http::status::ok, "opened");
      } else {
        self->sendText(http::status::unprocessable_entity, problem);
      }
    });
  };
}

void HttpConnection::sendText(http::status status, std::string_view text) {
  send(status, kPlainText, text);
}

void HttpConnection::send(http::status status, std::string_view type, std::string_view body) {
  response_ = std::make_shared<http::response<http::string_body>>(status, 11);
  auto& response = *response_;
  response.set(http::field::content_type, beast::string_view{type.data(), type.size()});
  response.set(http::field::cache_control, "no-store");
  response.set("X-Content-Type-Options", "nosniff");
  response.set("X-Frame-Options", "DENY");
  response.set("Referrer-Policy", "no-referrer");
  response.set("Cross-Origin-Resource-Policy", "same-origin");
  response.set("Cross-Origin-Opener-Policy", "same-origin");
  response.set("Content-Security-Policy",
               "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
               "img-src 'self' blob: data:; media-src blob:; connect-src 'self'; "
               "form-action 'none'; frame-ancestors 'none'; base-uri 'none'");
  response.keep_alive(keeps_alive_);
  response.body().assign(body);
  response.prepare_payload();
  stream_.expires_after(kRequestTime);
  http::async_write(stream_, response,
                    [self = shared_from_this()](beast::error_code error, std::size_t) {
                      self->response_.reset();
                      if (error) return;
                      if (self->keeps_alive_) return self->readRequest();
                      beast::error_code ignored;
                      self->stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
                      self->stream_.expires_after(kDrainTime);
                      self->drain(kMostDrained);
                    });
}

/// Closing with unread bytes resets the connection, and the answer with it.
void HttpConnection::drain(std::size_t most) {
  buffer_.clear();
  stream_.async_read_some(buffer_.prepare(kDrainBytes), [self = shared_from_this(), most](
                                                            beast::error_code error,
                                                            std::size_t bytes) {
    if (!error && bytes <= most) self->drain(most - bytes);
  });
}

}  // namespace msd_view
