#include "msd-view/src/HttpConnection.hpp"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "msd-view/src/Bundle.hpp"
#include "msd-view/src/Viewer.hpp"

namespace msd_view {

namespace {

using namespace std::chrono_literals;

constexpr auto kRequestTime = 30s;
constexpr auto kUploadTime = 600s;
constexpr std::uint32_t kHeaderBytes = 8 << 10;
constexpr std::uint64_t kUploadBytes = std::uint64_t{2} << 30;  ///< 2 GiB
constexpr std::size_t kMostViewers = 32;
constexpr std::size_t kNameBytes = 255;
constexpr std::string_view kPlainText = "text/plain; charset=utf-8";

std::string_view view(beast::string_view text) {
  return {text.data(), text.size()};
}

/// Undoes %XX; an empty text when it is not well-formed.
std::string decoded(std::string_view text) {
  const auto digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
  };
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      result += text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? digit(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? digit(text[i + 2]) : -1;
    if (high < 0 || low < 0) return {};
    result += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return result;
}

/// The value of "key=value" after the question mark.
std::string queryValue(std::string_view path, std::string_view key) {
  const std::size_t mark = path.find('?');
  if (mark == std::string_view::npos) return {};
  std::string_view query = path.substr(mark + 1);
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    if (pair.starts_with(key) && pair.size() > key.size() && pair[key.size()] == '=') {
      return decoded(pair.substr(key.size() + 1));
    }
    query.remove_prefix(std::min(query.size(), pair.size() + 1));
  }
  return {};
}

/// A dropped file's name is only shown; control characters would spoil that.
std::string shownName(std::string name) {
  std::erase_if(name, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  if (name.size() > kNameBytes) name.resize(kNameBytes);
  return name.empty() ? "dropped file" : name;
}

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
  request_->header_limit(kHeaderBytes);
  stream_.expires_after(kRequestTime);
  http::async_read_header(stream_, buffer_, *request_,
                          [self = shared_from_this()](beast::error_code error, std::size_t) {
                            if (error == http::error::header_limit) {
                              self->keeps_alive_ = false;
                              return self->sendText(http::status::request_header_fields_too_large,
                                                    "the request's header is too long");
                            }
                            if (!error) self->answer();
                          });
}

std::optional<std::pair<http::status, std::string_view>> HttpConnection::refusal() const {
  const auto& request = request_->get();
  using Refusal = std::pair<http::status, std::string_view>;
  if (request.count(http::field::host) != 1 ||
      !server_.access.isOurHost(view(request[http::field::host]))) {
    return Refusal{http::status::misdirected_request,
                   "this server answers only to 127.0.0.1 and localhost, by its own port"};
  }
  // Browsers name the origin of every WebSocket and POST; a page of another site has another one.
  const bool isChange = request.method() == http::verb::post || websocket::is_upgrade(request);
  const bool hasOrigin = request.count(http::field::origin) != 0;
  if ((isChange || hasOrigin) && !server_.access.isOurOrigin(view(request[http::field::origin]))) {
    return Refusal{http::status::forbidden, "requests of other pages are refused"};
  }
  if (server_.access.pathBelowToken(view(request.target())).empty()) {
    return Refusal{http::status::forbidden, "the address needs the token that msd view printed"};
  }
  return std::nullopt;
}

void HttpConnection::answer() {
  const auto& request = request_->get();
  keeps_alive_ = request.keep_alive() && !request.has_content_length() && !request.chunked();
  if (const auto refused = refusal()) {
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
                     if (problem == http::error::body_limit) {
                       return self->sendText(http::status::payload_too_large,
                                             "files of more than 2 GiB cannot be dropped; open "
                                             "them with msd view FILE");
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
                    });
}

}  // namespace msd_view
