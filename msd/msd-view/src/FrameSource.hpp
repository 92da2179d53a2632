#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "msd-sim/src/Environment/Settings.hpp"
#include "msd-view/src/Frame.hpp"
#include "msd-view/src/SceneInfo.hpp"

namespace msd_view {

using FramePointer = std::shared_ptr<const Frame>;

/// Where the mouse pulls a body.
struct DragTarget {
  std::uint32_t body{0};
  msd_sim::Coordinate local{
      msd_sim::Coordinate::Zero()};  ///< grabbed point, in the body's frame [m]
  msd_sim::Coordinate target{msd_sim::Coordinate::Zero()};  ///< where it should go, world [m]
};

/// A row of moments to look at: a live simulation, whose end moves on, or a recording.
///
/// Moments are numbered; those from firstIndex() to lastIndex() can be shown. All functions are
/// called by one thread, the player's.
class FrameSource {
 public:
  virtual ~FrameSource() = default;

  [[nodiscard]] virtual std::shared_ptr<const SceneInfo> scene() const = 0;
  [[nodiscard]] virtual std::uint64_t firstIndex() const = 0;
  [[nodiscard]] virtual std::uint64_t lastIndex() const = 0;
  /// The moment of this number, brought into the range.
  [[nodiscard]] virtual FramePointer frame(std::uint64_t index) = 0;
  /// When this moment is [s].
  [[nodiscard]] virtual double timeOf(std::uint64_t index) const = 0;

  /// Simulates one step beyond the last moment; false where there is no more to come.
  virtual bool extend() = 0;
  /// Whether extend() would add a moment.
  [[nodiscard]] virtual bool canExtend() const = 0;
  /// Back to the start; a live simulation forgets what it simulated, and reads its file again.
  virtual void restart() = 0;

  /// Figures of the steps made since the last call; all of a recording at the first.
  [[nodiscard]] virtual std::vector<SeriesRow> takeRows() = 0;

  [[nodiscard]] virtual msd_sim::Method method() const = 0;
  /// Live only: the method of the steps to come.
  virtual void setMethod(msd_sim::Method method) = 0;
  /// Live only: the target of a joint's motor, a place where a joint without one is held, or none:
  /// as the scene says.
  virtual void setDrive(std::uint32_t /*joint*/, std::optional<double> /*target*/) {}
  virtual void setDrag(const std::optional<DragTarget>& drag) = 0;
  /// Whether moments should hold the bounds of the broadphase.
  virtual void setBoundsWanted(bool wanted) = 0;
  /// Why the simulation cannot go on; empty while it can.
  [[nodiscard]] virtual std::string failure() const = 0;
};

}  // namespace msd_view
