#pragma once

#include "msd-scene/src/JsonTree.hpp"
#include "msd-sim/src/DataTypes/Pose.hpp"

/// Positions and directions of a scene that is being expanded.
namespace msd_scene {

/// Makes `orientation` of `euler` or `axisAngle`, in this object and all below it.
void writeOrientations(JsonValue& value);

/// Pose from `position` and `orientation`, zero where they are not given.
[[nodiscard]] msd_sim::Pose poseOf(const JsonValue& object);
void setPose(JsonValue& object, const msd_sim::Pose& pose);

/// Moves a body or a joint by a pose: positions, orientation and velocities, anchors and axes.
void moveBody(JsonValue& body, const msd_sim::Pose& pose);
void moveJoint(JsonValue& joint, const msd_sim::Pose& pose);

/// Brings bodies, joints and sensors that are given in the `frame` of a body to the world.
void resolveFrames(JsonValue& scene);

}  // namespace msd_scene
