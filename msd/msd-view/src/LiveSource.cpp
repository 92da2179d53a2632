#include "msd-view/src/LiveSource.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <numbers>
#include <utility>

namespace msd_view {

namespace {

using msd_sim::BodyId;
using msd_sim::Matrix3D;
using msd_sim::Vector3D;

/// The mouse holds a body by a critically damped spring of this frequency [Hz], softer where the
/// step is too long for it: ω·dt stays below kDragStepLimit.
constexpr double kDragFrequency = 2.5;
constexpr double kDragStepLimit = 0.5;
/// It pulls no harder than this many times the body's weight (or, without gravity, of its weight on
/// the ground).
constexpr double kDragWeights = 20.0;
constexpr double kStandardGravity = 9.81;  ///< [m/s²]

/// How a point at r from the centre of mass answers a force: W = 1/m + [r]× I⁻¹ [r]×ᵀ [1/kg].
Matrix3D pointMobility(const msd_sim::AssetInertial& body, const Vector3D& r) {
  Matrix3D cross;
  cross << 0.0, -r.z(), r.y(), r.z(), 0.0, -r.x(), -r.y(), r.x(), 0.0;
  return Matrix3D::Identity() * body.getInverseMass() +
         cross * body.getInverseInertiaTensor() * cross.transpose();
}

}  // namespace

LiveSource::LiveSource(msd_scene::LoadedScene loaded, std::string file, LiveOptions options)
    : loaded_{std::move(loaded)}, options_{options}, file_{std::move(file)} {
  build();
}

/// What fails leaves everything as it was: a world without a moment to show is none.
void LiveSource::build() {
  auto scene =
      std::make_unique<msd_scene::SceneWorld>(msd_scene::buildWorld(loaded_, options_.overrides));
  auto info = std::make_shared<const SceneInfo>(describeScene(loaded_, *scene, file_));
  std::vector<std::uint32_t> place;
  for (std::size_t i = 0; i < scene->bodies.size(); ++i) {
    const std::uint32_t slot = scene->bodies[i].index;
    if (slot >= place.size()) place.resize(slot + 1, 0);
    place[slot] = static_cast<std::uint32_t>(i);
  }
  const auto exchange = [&]() noexcept {
    scene_.swap(scene);
    info_.swap(info);
    place_.swap(place);
  };
  exchange();
  applied_.reset();
  try {
    history_ = std::deque<FramePointer>{capture()};
  } catch (...) {
    exchange();
    throw;
  }
  history_bytes_ = history_.front()->bytes();
  new_rows_.clear();
  row_maker_ = {};
  script_ = {scene_->motors, scene_->tracking};
  driven_.clear();
  drag_.reset();
  failure_.clear();
}

void LiveSource::restart() {
  if (!options_.reload) return build();
  msd_scene::LoadedScene before = std::exchange(loaded_, options_.reload());
  try {
    build();
  } catch (...) {
    loaded_ = std::move(before);
    throw;
  }
}

/// Joints that are driven by hand do not follow the scene; inverse dynamics is for all or none.
void LiveSource::followScript() {
  scene_->motors = script_.motors;
  std::erase_if(scene_->motors, [&](const msd_scene::SceneWorld::TimedMotor& motor) {
    const auto at = std::ranges::find(scene_->joints, motor.joint) - scene_->joints.begin();
    return driven_.contains(static_cast<std::uint32_t>(at));
  });
  scene_->tracking = driven_.empty() ? script_.tracking : msd_scene::TargetTracking{};
}

void LiveSource::setDrive(std::uint32_t joint, std::optional<double> target) {
  if (joint >= scene_->joints.size() || !info_->joints[joint].hasCoordinate()) return;
  const msd_sim::JointId id = scene_->joints[joint];
  msd_sim::WorldModel& world = scene_->world;
  if (world.isBroken(id)) return;
  if (!target) {
    if (const auto before = driven_.find(joint); before != driven_.end()) {
      world.change(id, before->second);
      driven_.erase(before);
      followScript();
    }
    return;
  }
  const auto [before, isNew] = driven_.try_emplace(joint, world.joint(id));
  if (isNew) followScript();
  msd_sim::JointDescription description = before->second;
  if (!description.motor) {
    description.motor = msd_sim::JointMotor{.mode = msd_sim::MotorMode::kPosition};
  }
  description.motor->target = *target;
  description.motor->targetVelocity = 0.0;
  world.change(id, description);
}

FramePointer LiveSource::frame(std::uint64_t index) {
  const std::uint64_t shown = std::clamp(index, firstIndex(), lastIndex());
  return history_[shown - firstIndex()];
}

double LiveSource::timeOf(std::uint64_t index) const {
  const std::uint64_t shown = std::clamp(index, firstIndex(), lastIndex());
  return history_[shown - firstIndex()]->time;
}

bool LiveSource::extend() {
  if (!failure_.empty()) return false;
  applied_ = pull();
  const msd_sim::StepReport report = scene_->advance();
  if (report.status == msd_sim::StepStatus::kFailed) {
    fail(report);
    return false;
  }
  try {
    addRow(report);
    remember();
  } catch (...) {
    failure_ = "out of memory";  // moments are numbered without gaps: this one is lost
    throw;
  }
  return true;
}

void LiveSource::fail(const msd_sim::StepReport& report) {
  const bool isKnown = scene_->world.contains(report.failedBody);
  failure_ = fmt::format(
      "step {} failed: {} became non-finite in the stage \"{}\"; the world stays as it was before "
      "the step",
      scene_->world.stepCount() + 1,
      isKnown ? fmt::format("body \"{}\"", scene_->world.name(report.failedBody)) : "a body",
      msd_sim::stageName(report.failedStage));
}

std::optional<DragForce> LiveSource::pull() {
  if (!drag_ || drag_->body >= scene_->bodies.size()) return std::nullopt;
  const BodyId id = scene_->bodies[drag_->body];
  const SceneInfo::Body& info = info_->bodies[drag_->body];
  if (info.isStatic || info.isKinematic) return std::nullopt;
  const msd_sim::AssetInertial& body = scene_->world.inertial(id);
  const msd_sim::InertialState& state = body.getInertialState();
  const msd_sim::Coordinate point = body.pose().toWorld(drag_->local);
  const Vector3D r = point - state.position;
  const Vector3D velocity = state.velocity + state.angularVelocity.cross(r);

  // F = m_p ω² (target - p) - 2 m_p ω v, with m_p the least mass the point shows in any direction.
  const Eigen::SelfAdjointEigenSolver<Matrix3D> mobility{pointMobility(body, r),
                                                         Eigen::EigenvaluesOnly};
  const double pointMass = 1.0 / mobility.eigenvalues().maxCoeff();
  const double omega =
      std::min(2.0 * std::numbers::pi * kDragFrequency, kDragStepLimit / scene_->dt);
  Vector3D force = pointMass * omega * (omega * (drag_->target - point) - 2.0 * velocity);
  const double gravity = std::max(info_->gravity.norm(), kStandardGravity);
  const double limit = kDragWeights * body.getMass() * gravity;
  if (force.norm() > limit) force *= limit / force.norm();

  scene_->world.wake(id);
  scene_->world.applyForceAt(id, force, point);
  return DragForce{.body = drag_->body, .point = point, .target = drag_->target, .force = force};
}

void LiveSource::captureContacts(Frame& frame) const {
  const auto contacts = scene_->world.contacts();
  frame.contacts.reserve(contacts.size());
  for (const msd_sim::ContactRecord& contact : contacts) {
    frame.contacts.push_back({.bodyA = place_[contact.bodyA.index],
                              .bodyB = place_[contact.bodyB.index],
                              .point = contact.point,
                              .normal = contact.normal.cast<float>(),
                              .forceOnB = contact.forceOnB.cast<float>(),
                              .slip = contact.slip.cast<float>(),
                              .gap = static_cast<float>(contact.gap),
                              .friction = static_cast<float>(contact.friction),
                              .state = contact.state});
  }
}

void LiveSource::captureJoints(Frame& frame) const {
  const msd_sim::WorldModel& world = scene_->world;
  frame.joints.resize(scene_->joints.size());
  for (std::size_t i = 0; i < scene_->joints.size(); ++i) {
    const msd_sim::JointId id = scene_->joints[i];
    JointFrame& joint = frame.joints[i];
    joint.isBroken = world.isBroken(id);
    if (world.stepCount() > 0) {
      const msd_sim::JointReaction reaction = world.jointReaction(id);
      joint.force = reaction.force;
      joint.torque = reaction.torque;
    }
    if (!info_->joints[i].hasCoordinate() || joint.isBroken) continue;
    joint.coordinate = static_cast<float>(world.jointCoordinate(id));
    joint.velocity = static_cast<float>(world.jointVelocity(id));
    joint.motorForce = static_cast<float>(world.motorForce(id));
    const auto& motor = world.joint(id).motor;
    if (motor) joint.target = static_cast<float>(motor->target);
  }
}

std::shared_ptr<Frame> LiveSource::capture() const {
  const msd_sim::WorldModel& world = scene_->world;
  auto frame = std::make_shared<Frame>();
  frame->index = world.stepCount();
  frame->step = world.stepCount();
  frame->time = world.time();
  frame->bodies.resize(scene_->bodies.size());
  for (std::size_t i = 0; i < scene_->bodies.size(); ++i) {
    const BodyId id = scene_->bodies[i];
    BodyFrame& body = frame->bodies[i];
    body.pose = world.asset(id).pose();
    if (info_->bodies[i].isStatic) continue;
    const msd_sim::InertialState& state = world.inertial(id).getInertialState();
    body.velocity = state.velocity;
    body.angularVelocity = state.angularVelocity;
    body.isAwake = world.isAwake(id);
    body.island = std::min(world.island(id), BodyFrame::kNoIsland);
  }
  if (world.stepCount() > 0) {
    captureContacts(*frame);
    if (bounds_wanted_) {
      frame->bounds.reserve(scene_->bodies.size());
      for (const BodyId id : scene_->bodies) frame->bounds.push_back(world.bounds(id));
    }
  }
  captureJoints(*frame);
  frame->drag = applied_;
  return frame;
}

void LiveSource::remember() {
  const std::shared_ptr<Frame> frame = capture();
  history_bytes_ += frame->bytes();
  history_.push_back(frame);
  while (history_bytes_ > options_.historyBytes && history_.size() > 1) {
    history_bytes_ -= history_.front()->bytes();
    history_.pop_front();
  }
}

void LiveSource::addRow(const msd_sim::StepReport& report) {
  SeriesRow row = row_maker_.make(report, report.step, method());
  for (const msd_sim::ContactEvent& event : scene_->world.events()) {
    switch (event.kind) {
      case msd_sim::ContactEventKind::kBegin:
        row[Column::kBegins] += 1.0;
        break;
      case msd_sim::ContactEventKind::kEnd:
        row[Column::kEnds] += 1.0;
        break;
      case msd_sim::ContactEventKind::kHit:
        row[Column::kHits] += 1.0;
        row[Column::kHitSpeed] = std::max(row[Column::kHitSpeed], event.approachSpeed);
        break;
    }
  }
  new_rows_.push_back(row);
}

std::vector<SeriesRow> LiveSource::takeRows() {
  return std::exchange(new_rows_, {});
}

msd_sim::Method LiveSource::method() const {
  return scene_->world.settings().method;
}

void LiveSource::setMethod(msd_sim::Method method) {
  msd_sim::Settings settings = scene_->world.settings();
  settings.method = method;
  scene_->world.setSettings(settings);
  options_.overrides.method = method;
}

}  // namespace msd_view
