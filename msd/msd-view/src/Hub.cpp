#include "msd-view/src/Hub.hpp"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "msd-view/src/Viewer.hpp"

namespace msd_view {

namespace {

/// Steps whose figures are kept for plots: 10 minutes at 120 steps a second; 23 MB.
constexpr std::size_t kRowsKept = 72'000;

Message makeMessage(std::string text) {
  return std::make_shared<const std::string>(std::move(text));
}

}  // namespace

Hub::Hub(std::function<void(Control)> forward, std::function<void(bool)> boundsWanted)
    : forward_{std::move(forward)}, bounds_wanted_{std::move(boundsWanted)} {}

void Hub::accept(Update update) {
  const bool isOtherScene = update.sceneNumber != update_.sceneNumber;
  if (isOtherScene) {
    rows_.clear();
    dropped_rows_ = 0;
    scene_.reset();
  }
  rows_.insert(rows_.end(), update.newRows.begin(), update.newRows.end());
  update.newRows.clear();
  if (rows_.size() > 2 * kRowsKept) {
    const std::size_t surplus = rows_.size() - kRowsKept;
    rows_.erase(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(surplus));
    dropped_rows_ += surplus;
  }
  update_ = std::move(update);
  ++sequence_;
  poses_.reset();
  contacts_.reset();
  bounds_.reset();
  joints_.reset();
  // A viewer may leave while it is told.
  const std::vector<Viewer*> viewers{viewers_.begin(), viewers_.end()};
  for (Viewer* viewer : viewers) {
    if (viewers_.contains(viewer)) viewer->pump();
  }
}

void Hub::add(Viewer& viewer) {
  viewers_.insert(&viewer);
}

void Hub::remove(Viewer& viewer) {
  viewers_.erase(&viewer);
  wishesChanged();
}

void Hub::wishesChanged() {
  const bool wanted = std::any_of(viewers_.begin(), viewers_.end(),
                                  [](const Viewer* viewer) { return viewer->wantsBounds(); });
  if (wanted == are_bounds_wanted_) return;
  are_bounds_wanted_ = wanted;
  bounds_wanted_(wanted);
}

void Hub::dropStalled() {
  const std::vector<Viewer*> viewers{viewers_.begin(), viewers_.end()};
  for (Viewer* viewer : viewers) viewer->dropIfStalled();
}

Message Hub::poses() {
  if (!poses_) poses_ = makeMessage(encodePoses(*update_.frame, *update_.scene, update_.state));
  return poses_;
}

Message Hub::contacts() {
  if (!contacts_) contacts_ = makeMessage(encodeContacts(*update_.frame, *update_.scene));
  return contacts_;
}

Message Hub::joints() {
  if (!joints_) joints_ = makeMessage(encodeJoints(*update_.frame));
  return joints_;
}

Message Hub::bounds() {
  if (!bounds_) bounds_ = makeMessage(encodeBounds(*update_.frame, *update_.scene));
  return bounds_;
}

Message Hub::scene() {
  if (!scene_) scene_ = makeMessage(encodeScene(*update_.scene));
  return scene_;
}

std::string Hub::stateText() const {
  const PlayState& state = update_.state;
  const nlohmann::json message{
      {"t", "state"},
      {"playing", state.isPlaying},
      {"live", state.isLive},
      {"ended", state.isEnded},
      {"speed", state.speed},
      {"method", msd_sim::methodName(state.method)},
      {"failure", state.failure}};
  return message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Message Hub::rowsSince(std::uint64_t& from) const {
  const std::uint64_t start = std::max(from, dropped_rows_);
  const auto skip = static_cast<std::size_t>(start - dropped_rows_);
  if (skip >= rows_.size()) return nullptr;
  const bool isFirst = from == 0;
  const std::span<const SeriesRow> rows{rows_.data() + skip, rows_.size() - skip};
  from = dropped_rows_ + rows_.size();
  return makeMessage(encodeSeries(rows, isFirst));
}

}  // namespace msd_view
