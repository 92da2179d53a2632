#include "msd-import/src/RobotKinematics.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "msd-import/src/XmlValues.hpp"

namespace msd_import {

namespace {

Quaternion quaternionOf(std::span<const double> q) {
  const Quaternion written{q[0], q[1], q[2], q[3]};
  return written.norm() > 0.0 ? written.normalized() : Quaternion::Identity();
}

/// Moves a link's frame by one joint at q.
PlacedJoint moveBy(const RobotJoint& joint, std::span<const double> q, Pose& frame) {
  PlacedJoint placed{.anchor = frame.toWorld(joint.anchor), .axis = frame.orientation * joint.axis};
  switch (joint.kind) {
    case RobotJointKind::kFree:
      frame = {{q[0], q[1], q[2]}, quaternionOf(q.subspan(3))};
      placed.anchor = frame.position;
      break;
    case RobotJointKind::kSlide:
      frame.position += placed.axis * (q[0] - joint.reference);
      placed.anchor = frame.toWorld(joint.anchor);
      break;
    case RobotJointKind::kHinge:
      frame.orientation =
          (frame.orientation * rotationAbout(joint.axis, q[0] - joint.reference)).normalized();
      frame.position = placed.anchor - frame.orientation * joint.anchor;
      break;
    case RobotJointKind::kBall:
      frame.orientation = (frame.orientation * quaternionOf(q)).normalized();
      frame.position = placed.anchor - frame.orientation * joint.anchor;
      break;
  }
  placed.after = frame;
  return placed;
}

}  // namespace

std::size_t positionCount(const RobotModel& robot) {
  std::size_t count = 0;
  for (const RobotLink& link : robot.links) {
    for (const RobotJoint& joint : link.joints) count += joint.positions();
  }
  return count;
}

std::size_t freedomCount(const RobotModel& robot) {
  std::size_t count = 0;
  for (const RobotLink& link : robot.links) {
    for (const RobotJoint& joint : link.joints) count += joint.freedoms();
  }
  return count;
}

std::vector<double> referencePositions(const RobotModel& robot) {
  std::vector<double> q;
  std::vector<Pose> poses;
  for (const RobotLink& link : robot.links) {
    const Pose pose = (link.parent == RobotLink::kWorld ? Pose{} : poses[link.parent]) * link.pose;
    poses.push_back(pose);
    for (const RobotJoint& joint : link.joints) {
      if (joint.kind == RobotJointKind::kFree) {
        q.insert(q.end(), {pose.position.x(), pose.position.y(), pose.position.z()});
        const Quaternion& r = pose.orientation;
        q.insert(q.end(), {r.w(), r.x(), r.y(), r.z()});
      } else if (joint.kind == RobotJointKind::kBall) {
        q.insert(q.end(), {1.0, 0.0, 0.0, 0.0});
      } else {
        q.push_back(joint.reference);
      }
    }
  }
  return q;
}

PlacedRobot placeRobot(const RobotModel& robot, std::span<const double> positions) {
  if (positions.size() != positionCount(robot)) {
    throw std::invalid_argument{fmt::format("{} joint positions; this robot has {}",
                                            positions.size(), positionCount(robot))};
  }
  PlacedRobot placed;
  std::size_t at = 0;
  for (const RobotLink& link : robot.links) {
    Pose frame =
        (link.parent == RobotLink::kWorld ? Pose{} : placed.links[link.parent]) * link.pose;
    std::vector<PlacedJoint>& joints = placed.joints.emplace_back();
    for (const RobotJoint& joint : link.joints) {
      joints.push_back(moveBy(joint, positions.subspan(at, joint.positions()), frame));
      at += joint.positions();
    }
    placed.links.push_back(frame);
  }
  return placed;
}

}  // namespace msd_import
