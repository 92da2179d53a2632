#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "msd-view/src/Player.hpp"
#include "msd-view/src/Wire.hpp"

namespace msd_view {

class Viewer;

using Message = std::shared_ptr<const std::string>;

/// The present as the viewers see it: holds the latest update, turns it into messages once for all
/// of them, and keeps the figures of the steps for those who come later. Used by the server's
/// thread only.
class Hub {
 public:
  /// Wishes of viewers that concern everyone go to `forward`; changes of what is wanted, too.
  Hub(std::function<void(Control)> forward, std::function<void(bool)> boundsWanted);

  void accept(Update update);
  void add(Viewer& viewer);
  void remove(Viewer& viewer);
  void forward(Control control) { forward_(std::move(control)); }
  void wishesChanged();
  /// Closes the connections of viewers that have not taken a message for too long.
  void dropStalled();

  [[nodiscard]] bool isReady() const { return update_.frame != nullptr; }
  [[nodiscard]] std::size_t viewerCount() const { return viewers_.size(); }
  [[nodiscard]] const Update& present() const { return update_; }
  /// Grows with every update.
  [[nodiscard]] std::uint64_t sequence() const { return sequence_; }

  // Messages of the present, made when the first viewer asks.
  [[nodiscard]] Message poses();
  [[nodiscard]] Message contacts();
  [[nodiscard]] Message bounds();
  [[nodiscard]] Message joints();
  [[nodiscard]] Message scene();
  [[nodiscard]] std::string stateText() const;

  /// Figures from the step number `from` of this scene on (counted from its first), at most as many
  /// as are kept; `from` becomes the number to ask for next.
  [[nodiscard]] Message rowsSince(std::uint64_t& from) const;

 private:
  std::function<void(Control)> forward_;
  std::function<void(bool)> bounds_wanted_;
  bool are_bounds_wanted_{false};
  Update update_{};
  std::uint64_t sequence_{0};
  std::vector<SeriesRow> rows_;
  std::uint64_t dropped_rows_{0};
  std::set<Viewer*> viewers_;
  Message poses_, contacts_, bounds_, joints_, scene_;
};

}  // namespace msd_view
