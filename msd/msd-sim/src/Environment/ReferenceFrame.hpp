#pragma once

#include "msd-sim/src/DataTypes/Pose.hpp"

namespace msd_sim {

/// Where an asset's own axes stand in the world. `InertialState` is the truth during a step; the
/// frame follows it at the end (stage "scatter").
class ReferenceFrame {
 public:
  ReferenceFrame() = default;
  explicit ReferenceFrame(const Coordinate& origin) : pose_{.position = origin} {}
  ReferenceFrame(const Coordinate& origin, const Quaternion& orientation)
      : pose_{origin, orientation} {}
  explicit ReferenceFrame(const Pose& pose) : pose_{pose} {}

  [[nodiscard]] const Coordinate& getOrigin() const { return pose_.position; }
  [[nodiscard]] const Quaternion& getOrientation() const { return pose_.orientation; }
  [[nodiscard]] Matrix3D getRotation() const { return pose_.orientation.toRotationMatrix(); }
  [[nodiscard]] const Pose& pose() const { return pose_; }

  void setOrigin(const Coordinate& origin) { pose_.position = origin; }
  void setOrientation(const Quaternion& orientation) { pose_.orientation = orientation; }

  [[nodiscard]] Coordinate localToGlobal(const Coordinate& p) const { return pose_.toWorld(p); }
  [[nodiscard]] Coordinate globalToLocal(const Coordinate& p) const { return pose_.toLocal(p); }

 private:
  Pose pose_{};
};

}  // namespace msd_sim
