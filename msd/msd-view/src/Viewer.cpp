#include "msd-view/src/Viewer.hpp"

#include <exception>
#include <nlohmann/json.hpp>
#include <utility>

#include "msd-view/src/BodyReport.hpp"

namespace msd_view {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t kMessageBytes = 16 << 10;  ///< a wish is a few hundred bytes
constexpr double kMessagesPerSecond = 240.0;     ///< a drag sends 60
constexpr double kMessageBurst = 480.0;
constexpr std::size_t kTextsWaiting = 64;
constexpr auto kStall = 20s;

}  // namespace

Viewer::Viewer(tcp::socket&& socket, Hub& hub)
    : stream_{std::move(socket)}, hub_{hub}, rate_{kMessagesPerSecond, kMessageBurst} {}

Viewer::~Viewer() = default;

void Viewer::accept(http::request<http::empty_body> request) {
  request_ = std::move(request);
  stream_.set_option(websocket::stream_base::timeout{
      .handshake_timeout = 10s, .idle_timeout = 60s, .keep_alive_pings = true});
  stream_.read_message_max(kMessageBytes);
  stream_.async_accept(request_, [self = shared_from_this()](beast::error_code error) {
    if (error) return;
    self->is_open_ = true;
    self->hub_.add(*self);
    self->read();
    self->pump();
  });
}

void Viewer::read() {
  stream_.async_read(buffer_, [self = shared_from_this()](beast::error_code error, std::size_t) {
    if (error || !self->is_open_) return self->leave();
    if (!self->rate_.allow()) {
      self->say(R"({"t":"error","message":"too many messages a second"})");
      return self->leave();
    }
    const std::string text = beast::buffers_to_string(self->buffer_.data());
    self->buffer_.consume(self->buffer_.size());
    try {
      self->handle(parseControl(text));
    } catch (const std::exception& problem) {
      self->say(nlohmann::json{{"t", "error"}, {"message", problem.what()}}.dump(
          -1, ' ', false, nlohmann::json::error_handler_t::replace));
    }
    self->read();
  });
}

void Viewer::handle(const Control& control) {
  if (const auto* subscribe = std::get_if<Subscribe>(&control)) {
    wants_ = *subscribe;
    hub_.wishesChanged();
    return pump();
  }
  if (const auto* select = std::get_if<Select>(&control)) {
    selected_ = select->body;
    body_sent_ = 0;
    return pump();
  }
  if (const auto* drag = std::get_if<Drag>(&control)) is_dragging_ = drag->target.has_value();
  hub_.forward(control);
}

void Viewer::say(std::string text) {
  if (texts_.size() >= kTextsWaiting) return;
  texts_.push_back(std::make_shared<const std::string>(std::move(text)));
  pump();
}

void Viewer::pump() {
  if (!is_open_ || is_writing_ || !hub_.isReady()) return;
  if (sendQueued() || sendScene() || sendPicture() || sendBody()) return;
}

bool Viewer::sendQueued() {
  if (texts_.empty()) return false;
  Message text = std::move(texts_.front());
  texts_.pop_front();
  send(std::move(text), true);
  return true;
}

bool Viewer::sendScene() {
  const Update& present = hub_.present();
  if (scene_sent_ != present.sceneNumber) {
    scene_sent_ = present.sceneNumber;
    was_state_sent_ = false;
    rows_sent_ = poses_sent_ = contacts_sent_ = bounds_sent_ = joints_sent_ = body_sent_ = 0;
    send(hub_.scene(), false);
    return true;
  }
  PlayState state = present.state;
  state.first = state.last = 0;  // these go with the poses
  if (!was_state_sent_ || !(state == state_sent_)) {
    was_state_sent_ = true;
    state_sent_ = std::move(state);
    send(std::make_shared<const std::string>(hub_.stateText()), true);
    return true;
  }
  return false;
}

bool Viewer::sendPicture() {
  if (Message rows = hub_.rowsSince(rows_sent_)) {
    send(std::move(rows), false);
  } else if (poses_sent_ != hub_.sequence()) {
    poses_sent_ = hub_.sequence();
    send(hub_.poses(), false);
  } else if (wants_.contacts && contacts_sent_ != hub_.sequence()) {
    contacts_sent_ = hub_.sequence();
    send(hub_.contacts(), false);
  } else if (wants_.bounds && bounds_sent_ != hub_.sequence()) {
    bounds_sent_ = hub_.sequence();
    send(hub_.bounds(), false);
  } else if (wants_.joints && joints_sent_ != hub_.sequence()) {
    joints_sent_ = hub_.sequence();
    send(hub_.joints(), false);
  } else {
    return false;
  }
  return true;
}

bool Viewer::sendBody() {
  if (body_sent_ == hub_.sequence() || selected_ < 0) return false;
  body_sent_ = hub_.sequence();
  const Update& present = hub_.present();
  const auto body = static_cast<std::uint64_t>(selected_);
  if (body >= present.frame->bodies.size() || body >= present.scene->bodies.size()) return false;
  send(std::make_shared<const std::string>(
           bodyReport(*present.frame, *present.scene, static_cast<std::uint32_t>(body))),
       true);
  return true;
}

void Viewer::send(Message message, bool isText) {
  in_flight_ = std::move(message);
  is_writing_ = true;
  write_start_ = Clock::now();
  stream_.text(isText);
  stream_.async_write(net::buffer(*in_flight_),
                      [self = shared_from_this()](beast::error_code error, std::size_t) {
                        self->is_writing_ = false;
                        self->in_flight_.reset();
                        if (error) return self->leave();
                        self->pump();
                      });
}

void Viewer::dropIfStalled() {
  if (is_writing_ && Clock::now() - write_start_ > kStall) abort();
}

void Viewer::abort() {
  beast::error_code ignored;
  beast::get_lowest_layer(stream_).socket().close(ignored);
  leave();
}

void Viewer::leave() {
  if (!is_open_) return;
  is_open_ = false;
  if (is_dragging_) hub_.forward(Drag{});
  beast::error_code ignored;
  beast::get_lowest_layer(stream_).socket().close(ignored);
  hub_.remove(*this);
}

}  // namespace msd_view
