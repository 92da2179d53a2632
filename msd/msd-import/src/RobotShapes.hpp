#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "msd-import/src/ImportNotes.hpp"
#include "msd-import/src/RobotDocument.hpp"
#include "msd-import/src/RobotModel.hpp"

namespace msd_import {

/// A geom in the frame of the body it belongs to.
struct PlacedGeom {
  const RobotGeom* geom{nullptr};
  Pose pose{};
};

/// A rotation as a document writes it.
[[nodiscard]] inline msd_scene::WrittenRotation written(const msd_sim::Quaternion& q) {
  return {q.w(), q.x(), q.y(), q.z()};
}

/// Turns geoms into shapes of a document.
class ShapeMaker {
 public:
  ShapeMaker(RobotDocument& result, NoteList& notes) : result_{result}, notes_{notes} {}

  /// The shape of a body that moves: its geoms, each convex, as one shape; empty where none can
  /// touch anything.
  [[nodiscard]] std::string movingShape(const std::string& body, std::span<const PlacedGeom> geoms);
  /// The shape of one geom of a body that stands still, and how the shape stands in the geom's
  /// frame; an empty name, with a note, where there is none.
  [[nodiscard]] std::pair<std::string, Pose> staticShape(const std::string& body,
                                                         const RobotGeom& geom, bool concave);
  /// The shape of a geom that is only looked at: a mesh stays as it is.
  [[nodiscard]] std::string visualShape(const std::string& name, const RobotGeom& geom);
  /// A ball for a body that touches nothing.
  [[nodiscard]] std::string marker(double radius);

 private:
  [[nodiscard]] std::string convexShape(const std::string& name, const RobotGeom& geom);
  [[nodiscard]] std::string add(const std::string& name, msd_scene::SceneShape::Variant shape,
                                const Place& place);
  RobotDocument& result_;
  NoteList& notes_;
  std::set<std::string> names_{};
  std::map<const RobotMesh*, std::string> hulls_{};
  std::map<const RobotMesh*, std::string> surfaces_{};
};

}  // namespace msd_import
