#include "msd-record/src/CapturedStep.hpp"

#include <limits>

namespace msd_record {

namespace {

using msd_sim::JointKind;
using msd_sim::WorldModel;

void store(double* out, const Vector3D& v) {
  out[0] = v.x();
  out[1] = v.y();
  out[2] = v.z();
}

bool hasCoordinate(JointKind kind) {
  return kind == JointKind::kHinge || kind == JointKind::kSlider || kind == JointKind::kCylindrical;
}

}  // namespace

void CapturedStep::clear() {
  hasReport = hasFrame = commits = false;
  events.clear();
  states.clear();
  contacts.clear();
  reactions.clear();
  snapshot.clear();
}

std::size_t CapturedStep::bytes() const {
  return sizeof *this + events.size() * sizeof(msd_sim::ContactEvent) +
         states.size() * sizeof(BodyState) + contacts.size() * sizeof(msd_sim::ContactRecord) +
         reactions.size() * sizeof(ReactionRow) + snapshot.size();
}

BodyNumbers::BodyNumbers(const WorldModel& world) {
  std::uint32_t number = 0;
  for (const msd_sim::BodyId body : world.bodies()) {
    if (numbers_.size() <= body.index) numbers_.resize(body.index + 1, 0);
    numbers_[body.index] = number++;
  }
  count_ = number;
}

std::uint32_t BodyNumbers::operator()(msd_sim::BodyId body) const {
  return numbers_.at(body.index);
}

void ContactRows::assign(std::span<const msd_sim::ContactRecord> contacts,
                         std::span<const BodyState> states, const BodyNumbers& numbers) {
  awake_.assign(numbers.count(), 0);
  for (const BodyState& state : states) awake_[state.body] = state.awake != 0 ? 1 : 0;
  active.clear();
  resting.clear();
  for (const msd_sim::ContactRecord& c : contacts) {
    if (c.state == msd_sim::ContactState::kOpen) continue;
    const std::uint32_t a = numbers(c.bodyA);
    const std::uint32_t b = numbers(c.bodyB);
    ContactRow& row = (awake_[a] != 0 || awake_[b] != 0 ? active : resting).emplace_back();
    store(row.numbers.data(), c.point);
    store(row.numbers.data() + 3, c.normal);
    row.numbers[6] = c.gap;
    store(row.numbers.data() + 7, c.forceOnB);
    store(row.numbers.data() + 10, c.slip);
    row.numbers[13] = c.friction;
    row.bodyA = a;
    row.bodyB = b;
    row.state = static_cast<std::uint32_t>(c.state);
    row.feature = c.feature;
  }
}

std::vector<ContactRow> ContactRows::all() const {
  std::vector<ContactRow> rows = active;
  rows.insert(rows.end(), resting.begin(), resting.end());
  return rows;
}

Capture::Capture(const WorldModel& world) : bodies_{world.bodies().size()} {
  std::uint32_t number = 0;
  for (const msd_sim::BodyId body : world.bodies()) {
    if (!world.isEnvironment(body)) moving_.push_back({body, number});
    ++number;
  }
  for (const msd_sim::JointId joint : world.joints()) {
    joints_.push_back({joint, hasCoordinate(world.joint(joint).kind)});
  }
}

bool Capture::isSameWorld(const WorldModel& world) const {
  if (world.bodies().size() != bodies_ || world.joints().size() != joints_.size()) return false;
  // A body that was replaced by another has lost its id.
  return moving_.empty() ||
         (world.contains(moving_.front().id) && world.contains(moving_.back().id));
}

void Capture::report(const WorldModel& world, const msd_sim::StepReport& report, double wall,
                     CapturedStep& out) const {
  out.hasReport = true;
  out.report = report;
  if (!world.settings().hashEveryStep) out.report.hash = world.stateHash();
  out.wall = wall;
  const auto events = world.events();
  out.events.assign(events.begin(), events.end());
}

void Capture::frame(const WorldModel& world, CapturedStep& out) const {
  out.hasFrame = true;
  out.step = world.stepCount();
  out.time = world.time();
  out.states.resize(moving_.size());
  for (std::size_t i = 0; i < moving_.size(); ++i) {
    const auto [id, number] = moving_[i];
    const msd_sim::AssetInertial& body = world.inertial(id);
    const msd_sim::Pose& pose = body.getReferenceFrame().pose();
    BodyState& row = out.states[i];
    store(row.numbers.data(), pose.position);
    row.numbers[3] = pose.orientation.w();
    store(row.numbers.data() + 4, pose.orientation.vec());
    store(row.numbers.data() + 7, world.frameVelocity(id));
    store(row.numbers.data() + 10, body.getInertialState().angularVelocity);
    row.body = number;
    row.island = world.island(id);
    row.awake = world.isAwake(id) ? 1 : 0;
  }
  const auto contacts = world.contacts();
  out.contacts.assign(contacts.begin(), contacts.end());
  out.reactions.resize(joints_.size());
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    const auto [id, free] = joints_[i];
    const msd_sim::JointReaction reaction = world.jointReaction(id);
    ReactionRow& row = out.reactions[i];
    store(row.numbers.data(), reaction.force);
    store(row.numbers.data() + 3, reaction.torque);
    row.numbers[6] = free ? world.jointCoordinate(id) : std::numeric_limits<double>::quiet_NaN();
    row.joint = static_cast<std::uint32_t>(i);
    row.broken = world.isBroken(id) ? 1 : 0;
  }
}

}  // namespace msd_record
