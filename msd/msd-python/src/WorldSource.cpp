#include "WorldSource.hpp"

#include <algorithm>
#include <utility>

namespace msd_python {

namespace {

using namespace msd_view;
using msd_sim::Coordinate;

/// Moments that wait for a view that does not take them (nobody looks): the oldest go first.
constexpr std::size_t kMostWaiting = 4096;
/// Memory for the moments that the scrub bar reaches back to [bytes].
constexpr std::size_t kHistoryBytes = std::size_t{256} << 20;

/// How long the view's thread waits for a step, before it looks what its pages want.
constexpr std::chrono::milliseconds kPatience{10};

SceneInfo::Body describeBody(const WorldModel& world, BodyId id, std::uint32_t shape) {
  SceneInfo::Body body{.name = world.name(id),
                       .shape = shape,
                       .isStatic = world.isEnvironment(id),
                       .isKinematic = msd_sim::isKinematic(world, id)};
  if (body.isStatic) return body;
  const msd_sim::AssetInertial& asset = world.inertial(id);
  body.mass = asset.getMass();
  body.centre = asset.localCentreOfMass();
  body.inertia = asset.getInertiaTensor();
  return body;
}

/// Joints as the bodies stand now. Anchors are described in the world of when the joint was made,
/// so that only those of a world that has not moved are exact; pictures need no more.
SceneInfo::Joint describeJoint(const WorldModel& world, JointId id,
                               const std::vector<std::uint32_t>& place) {
  const msd_sim::JointDescription& d = world.joint(id);
  SceneInfo::Joint joint{.name = d.name, .kind = d.kind};
  const auto poseOf = [&](BodyId body) { return world.asset(body).pose(); };
  joint.axis = d.axis.normalized();
  joint.anchorA = d.anchor;
  joint.bodyB = place[d.bodyB.index];
  joint.anchorB = poseOf(d.bodyB).toLocal(d.anchorB.value_or(d.anchor));
  if (!d.bodyA.isNull()) {
    joint.bodyA = place[d.bodyA.index];
    joint.anchorA = poseOf(d.bodyA).toLocal(d.anchor);
    joint.axis = poseOf(d.bodyA).orientation.conjugate() * joint.axis;
  }
  return joint;
}

class WorldSource final : public FrameSource {
 public:
  explicit WorldSource(std::shared_ptr<WorldFeed> feed) : feed_{std::move(feed)} { restart(); }

  std::shared_ptr<const SceneInfo> scene() const override { return info_; }
  std::uint64_t firstIndex() const override { return history_.front()->index; }
  std::uint64_t lastIndex() const override { return history_.back()->index; }
  FramePointer frame(std::uint64_t index) override {
    return history_[std::clamp(index, firstIndex(), lastIndex()) - firstIndex()];
  }
  double timeOf(std::uint64_t index) const override {
    return history_[std::clamp(index, firstIndex(), lastIndex()) - firstIndex()]->time;
  }
  /// Where nothing is new, the last moment stays: the player shows it again and goes on waiting.
  bool extend() override {
    FramePointer next = feed_->take(kPatience);
    if (!next) return canExtend();
    if (next->index != lastIndex() + 1)
      history_.clear(), bytes_ = 0;  // some were dropped on the way
    bytes_ += next->bytes();
    history_.push_back(std::move(next));
    while (bytes_ > kHistoryBytes && history_.size() > 1) {
      bytes_ -= history_.front()->bytes();
      history_.pop_front();
    }
    return true;
  }
  bool canExtend() const override { return !feed_->isOutdated(); }
  void restart() override {
    if (feed_->isOutdated()) feed_->renew();
    info_ = feed_->scene();
    FramePointer latest = feed_->first();
    while (FramePointer next = feed_->take({})) latest = std::move(next);
    history_.assign(1, latest);
    bytes_ = latest->bytes();
  }
  std::vector<SeriesRow> takeRows() override { return feed_->takeRows(); }
  msd_sim::Method method() const override { return feed_->method(); }
  void setMethod(msd_sim::Method method) override { feed_->askMethod(method); }
  void setDrag(const std::optional<DragTarget>&) override {}
  void setBoundsWanted(bool wanted) override { feed_->wantBounds(wanted); }
  std::string failure() const override {
    return feed_->isOutdated()
               ? "bodies were added or removed: restart shows the world as it is now"
               : "";
  }

 private:
  std::shared_ptr<WorldFeed> feed_;
  std::shared_ptr<const SceneInfo> info_;
  std::deque<FramePointer> history_;
  std::size_t bytes_{0};
};

}  // namespace

WorldFeed::WorldFeed(const World& world, std::string title)
    : title_{std::move(title)}, dt_{world.dt()}, method_{world.model().settings().method} {
  describe(world.model());
  keep(world.model());
}

void WorldFeed::describe(const WorldModel& world) {
  bodies_.assign(world.bodies().begin(), world.bodies().end());
  joints_.assign(world.joints().begin(), world.joints().end());
  place_.clear();
  SceneInfo info{.name = title_, .file = title_, .gravity = world.settings().gravity, .dt = dt_};
  Coordinate sum = Coordinate::Zero();
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const BodyId id = bodies_[i];
    if (id.index >= place_.size()) place_.resize(id.index + 1, 0);
    place_[id.index] = static_cast<std::uint32_t>(i);
    const msd_sim::AssetPhysical& asset = world.asset(id);
    info.shapes.push_back(asset.getShape());
    info.shapeNames.push_back(std::string{msd_assets::shapeKindName(asset.getShape().kind())});
    info.bodies.push_back(describeBody(world, id, static_cast<std::uint32_t>(i)));
    sum += asset.pose().position;
  }
  for (const JointId id : joints_) info.joints.push_back(describeJoint(world, id, place_));
  if (!bodies_.empty()) info.origin = (sum / static_cast<double>(bodies_.size())).array().round();
  info_ = std::make_shared<const SceneInfo>(std::move(info));
  first_ = nullptr;
  waiting_.clear();
  rows_.clear();
  row_maker_ = {};
}

std::shared_ptr<Frame> WorldFeed::capture(const WorldModel& world) const {
  auto frame = std::make_shared<Frame>();
  frame->index = next_index_;
  frame->step = world.stepCount();
  frame->time = world.time();
  frame->bodies.resize(bodies_.size());
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    BodyFrame& body = frame->bodies[i];
    body.pose = world.asset(bodies_[i]).pose();
    if (world.isEnvironment(bodies_[i])) continue;
    const msd_sim::InertialState& state = world.inertial(bodies_[i]).getInertialState();
    body.velocity = state.velocity;
    body.angularVelocity = state.angularVelocity;
    body.isAwake = world.isAwake(bodies_[i]);
    body.island = std::min(world.island(bodies_[i]), BodyFrame::kNoIsland);
  }
  if (world.stepCount() == 0) return frame;
  for (const msd_sim::ContactRecord& contact : world.contacts()) {
    frame->contacts.push_back({.bodyA = place_[contact.bodyA.index],
                               .bodyB = place_[contact.bodyB.index],
                               .point = contact.point,
                               .normal = contact.normal.cast<float>(),
                               .forceOnB = contact.forceOnB.cast<float>(),
                               .slip = contact.slip.cast<float>(),
                               .gap = static_cast<float>(contact.gap),
                               .friction = static_cast<float>(contact.friction),
                               .state = contact.state});
  }
  for (const JointId id : joints_) {
    const msd_sim::JointReaction reaction = world.jointReaction(id);
    frame->joints.push_back({reaction.force, reaction.torque, world.isBroken(id)});
  }
  if (bounds_wanted_) {
    for (const BodyId id : bodies_) frame->bounds.push_back(world.bounds(id));
  }
  return frame;
}

void WorldFeed::keep(const WorldModel& world) {
  FramePointer frame = capture(world);
  ++next_index_;
  if (!first_) {
    first_ = std::move(frame);
    return;
  }
  waiting_.push_back(std::move(frame));
  arrived_.notify_one();
  if (waiting_.size() > kMostWaiting) waiting_.pop_front();
}

void WorldFeed::stepping(WorldModel& world) {
  std::optional<msd_sim::Method> asked;
  {
    const std::scoped_lock lock{mutex_};
    asked = std::exchange(asked_, std::nullopt);
  }
  if (!asked) return;
  msd_sim::Settings settings = world.settings();
  settings.method = *asked;
  world.setSettings(settings);
}

void WorldFeed::stepped(const WorldModel& world, const StepReport& report, double) {
  const std::scoped_lock lock{mutex_};
  method_ = world.settings().method;
  const bool same =
      std::ranges::equal(world.bodies(), bodies_) && std::ranges::equal(world.joints(), joints_);
  if (!same) {
    describe(world);
    outdated_ = true;
  }
  rows_.push_back(row_maker_.make(report, next_index_, method_));
  keep(world);
}

void WorldFeed::show(const WorldModel& world) {
  const std::scoped_lock lock{mutex_};
  const bool same =
      std::ranges::equal(world.bodies(), bodies_) && std::ranges::equal(world.joints(), joints_);
  if (!same) {
    describe(world);
    outdated_ = true;
  }
  keep(world);
}

std::shared_ptr<const SceneInfo> WorldFeed::scene() const {
  const std::scoped_lock lock{mutex_};
  return info_;
}
FramePointer WorldFeed::first() const {
  const std::scoped_lock lock{mutex_};
  return first_;
}
FramePointer WorldFeed::take(std::chrono::milliseconds patience) {
  std::unique_lock lock{mutex_};
  arrived_.wait_for(lock, patience, [&] { return !waiting_.empty() || outdated_; });
  if (waiting_.empty() || outdated_) return nullptr;
  FramePointer next = std::move(waiting_.front());
  waiting_.pop_front();
  return next;
}
std::vector<SeriesRow> WorldFeed::takeRows() {
  const std::scoped_lock lock{mutex_};
  return outdated_ ? std::vector<SeriesRow>{} : std::exchange(rows_, {});
}
msd_sim::Method WorldFeed::method() const {
  const std::scoped_lock lock{mutex_};
  return method_;
}
void WorldFeed::askMethod(msd_sim::Method method) {
  const std::scoped_lock lock{mutex_};
  asked_ = method;
}
void WorldFeed::wantBounds(bool wanted) {
  const std::scoped_lock lock{mutex_};
  bounds_wanted_ = wanted;
}
bool WorldFeed::isOutdated() const {
  const std::scoped_lock lock{mutex_};
  return outdated_;
}
void WorldFeed::renew() {
  const std::scoped_lock lock{mutex_};
  outdated_ = false;
}

std::unique_ptr<FrameSource> makeSource(std::shared_ptr<WorldFeed> feed) {
  return std::make_unique<WorldSource>(std::move(feed));
}

}  // namespace msd_python
