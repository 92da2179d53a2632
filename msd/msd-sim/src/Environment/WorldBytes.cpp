#include "msd-sim/src/Environment/WorldBytes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <type_traits>

#include "msd-sim/src/Environment/Reference/ReferenceBytes.hpp"

namespace msd_sim {

namespace {

/// Settings that decide what happens; the number of threads does not.
template <class Values, class Visit>
void forSettings(Values& s, const Visit& visit) {
  visit(s.gravity.x());
  visit(s.gravity.y());
  visit(s.gravity.z());
  visit(s.method);
  visit(s.substeps);
  visit(s.iterations);
  visit(s.exactTolerance);
  visit(s.exactIterations);
  visit(s.restitutionThreshold);
  visit(s.positionCorrection);
  visit(s.baumgarte);
  visit(s.correctionSpeed);
  visit(s.sleeping);
  visit(s.sleepSpeed);
  visit(s.sleepTime);
  visit(s.hashEveryStep);
  visit(s.sequentialImpacts);
}

/// What a snapshot holds of one body slot beside the solver's arrays.
struct SlotState {
  bool forced{false};
  Force force{Force::Zero()};
  Torque torque{Torque::Zero()};
  std::optional<Pose> target{};
  bool stopsAfterward{false};
  SurfaceMaterial material{};
  Vector3D surfaceVelocity{Vector3D::Zero()};
};

/// Calls visit(number) for all coefficients of a material.
template <class Material, class Visit>
void forMaterial(Material& m, const Visit& visit) {
  for (auto* number : {&m.friction, &m.restitution, &m.rollingResistance, &m.torsionalResistance,
                       &m.stiffness, &m.damping}) {
    visit(*number);
  }
}

void putSlot(ByteWriter& out, const BodySlot& slot) {
  out.put(slot.forced);
  out.put(slot.stopsAfterward);
  out.put(slot.target.has_value());
  const SurfaceMaterial none{};
  const SurfaceMaterial& material = slot.inertial      ? slot.inertial->material()
                                    : slot.environment ? slot.environment->material()
                                                       : none;
  forMaterial(material, [&](const double& number) { out.put(number); });
  out.putVector(slot.surfaceVelocity);
  if (slot.forced) {
    out.putVector(slot.inertial->accumulatedForce());
    out.putVector(slot.inertial->accumulatedTorque());
  }
  if (slot.target) {
    out.putVector(slot.target->position);
    out.put(slot.target->orientation.w());
    out.putVector(slot.target->orientation.vec());
  }
}

SlotState takeSlot(ByteReader& in) {
  SlotState state;
  state.forced = in.takeBool();
  state.stopsAfterward = in.takeBool();
  const bool targeted = in.takeBool();
  forMaterial(state.material, [&](double& number) { in.take(number); });
  state.surfaceVelocity = in.takeVector();
  if (state.forced) {
    state.force = in.takeVector();
    state.torque = in.takeVector();
  }
  if (targeted) {
    Pose pose;
    pose.position = in.takeVector();
    const double w = in.take<double>();
    const Vector3D v = in.takeVector();
    pose.orientation = Quaternion{w, v.x(), v.y(), v.z()};
    state.target = pose;
  }
  return state;
}

constexpr StepStatus kLastStatus = StepStatus::kNonFinite;

/// A world's arrays under a world's names, to try bytes on.
struct WorldDraft {
  Settings settings;
  double time{0.0};
  std::uint64_t step{0};
  SettledStep settled;
  PendingWork pendingWork;
  struct {
    AlignedVector<BodyMotion> motion;
    AlignedVector<BodyPose> pose;
    AlignedVector<BodyStart> start;
  } solver;
  std::vector<BodyTravel> travel;
  std::vector<std::uint8_t> pushable;
  std::vector<std::uint8_t> moving;
  std::vector<RowTurn> rowTurns;
  Sleepers sleepers;
};

/// Everything but slots, collision and joints, in the order of the bytes.
template <class World, class Visit>
void forValues(World& w, const Visit& visit) {
  forSettings(w.settings, visit);
  visit(w.time);
  visit(w.step);
  visit(w.settled.dt);
  visit(w.settled.status);
  visit(w.settled.energyScale);
  visit(w.pendingWork.external);
  visit(w.pendingWork.damping);
  visit(w.solver.motion);
  visit(w.solver.pose);
  visit(w.solver.start);
  visit(w.travel);
  visit(w.pushable);
  visit(w.moving);
  visit(w.rowTurns);
  visit(w.sleepers.asleep);
  visit(w.sleepers.slowTime);
  visit(w.sleepers.next);
  visit(w.sleepers.toWake);
  visit(w.sleepers.calls);
  visit(w.sleepers.count);
}

struct Writer {
  ByteWriter& out;
  template <class T>
  void operator()(const T& value) const {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      out.put(value);
    } else {
      out.putRun(value);
    }
  }
  void operator()(const std::vector<BodyTravel>& travel) const {
    out.put(static_cast<std::uint64_t>(travel.size()));
    for (const BodyTravel& t : travel) {
      out.put(t.sum);
      out.put(t.turned);
    }
  }
};

struct Reader {
  ByteReader& in;
  template <class T>
  void operator()(T& value) const {
    if constexpr (std::is_same_v<T, bool>) {
      value = in.takeBool();
    } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      in.take(value);
    } else {
      in.takeRun(value);
    }
  }
  void operator()(std::vector<BodyTravel>& travel) const {
    const auto count = in.take<std::uint64_t>();
    in.requireRoom(count, 2 * sizeof(double));
    travel.resize(count);
    for (BodyTravel& t : travel) {
      t = BodyTravel{};
      in.take(t.sum);
      in.take(t.turned);
    }
  }
};

template <class Values>
void requireSize(const Values& values, std::size_t size) {
  if (values.size() != size) throw std::invalid_argument("snapshot is of a world of another size");
}

void checkSizes(const WorldDraft& draft, const Simulation& sim) {
  const std::size_t size = sim.solver.size();
  requireSize(draft.solver.motion, size);
  requireSize(draft.solver.pose, size);
  requireSize(draft.solver.start, size);
  requireSize(draft.travel, sim.travel.size());
  requireSize(draft.pushable, sim.pushable.size());
  requireSize(draft.moving, sim.moving.size());
  requireSize(draft.sleepers.asleep, sim.sleepers.asleep.size());
  requireSize(draft.sleepers.slowTime, sim.sleepers.slowTime.size());
  requireSize(draft.sleepers.next, sim.sleepers.next.size());
  requireSize(draft.sleepers.toWake, sim.sleepers.toWake.size());
}

[[noreturn]] void refuse(const char* what) {
  throw std::invalid_argument(fmt::format("snapshot is not of a world: {}", what));
}

template <std::size_t kCount>
bool areFinite(const double (&values)[kCount]) {
  return std::all_of(std::begin(values), std::end(values), [](double v) { return std::isfinite(v); });
}

bool isUnit(const double (&q)[4]) {
  constexpr double kOfUnit = 1e-6;  // what rounding may do to a length, far exceeded
  return std::abs(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1.0) < kOfUnit;
}

/// Numbers of the world as a whole.
void checkNumbers(const WorldDraft& w) {
  const SettledStep& s = w.settled;
  if (w.settings.method > Method::kReference) refuse("its method is unknown");
  if (s.status > kLastStatus) refuse("its last step ended in no known way");
  if (!(w.time >= 0.0 && std::isfinite(w.time))) refuse("its time is no number");
  const auto isLength = [](double length) { return length >= 0.0 && length <= kLongestStep; };
  if (!isLength(s.dt)) refuse("its last step was too long");
  if (!(s.energyScale >= 0.0 && std::isfinite(s.energyScale)) || !std::isfinite(w.pendingWork.external) ||
      !std::isfinite(w.pendingWork.damping)) {
    refuse("its energy is no number");
  }
  for (const RowTurn& r : w.rowTurns) {
    if (!isUnit(r.turn0) || !isUnit(r.turn1)) refuse("a contact has turned by no angle");
  }
}

/// Numbers and flags of one body slot.
void checkBody(const WorldDraft& w, const Simulation& sim, std::size_t i) {
  const BodyPose& pose = w.solver.pose[i];
  const BodyMotion& motion = w.solver.motion[i];
  const BodyStart& start = w.solver.start[i];
  const bool there = i < sim.slots.size();
  const bool pushed = there && sim.slots[i].inertial && !sim.slots[i].kinematic;
  const bool driven = there && sim.slots[i].inertial && sim.slots[i].kinematic;
  const bool asleep = w.sleepers.asleep[i] != 0, pushable = w.pushable[i] != 0;
  if ((asleep && (!pushed || pushable)) || (pushable && !pushed) || (pushed && !asleep && !pushable) ||
      (w.moving[i] != 0) != (pushable || driven)) {
    refuse("a body moves that cannot, or does not that can");
  }
  if (!areFinite(pose.x) || !isUnit(pose.q) || pose.size != sim.solver.pose[i].size) refuse("a body is nowhere");
  if (!areFinite(start.x) || !areFinite(start.q) || !areFinite(start.v) || !areFinite(start.w)) {
    refuse("a body came from nowhere");
  }
  if (!areFinite(motion.v) || !areFinite(motion.w) || !areFinite(motion.dx) ||
      !std::isfinite(motion.inverseXX + motion.inverseYY + motion.inverseZZ + motion.inverseXY + motion.inverseXZ +
                     motion.inverseYZ)) {
    refuse("a body moves by no number");
  }
  if (motion.inverseMass != (pushable ? sim.slots[i].inertial->getInverseMass() : 0.0)) refuse("a body has another mass");
  for (const double way : {w.travel[i].sum, w.travel[i].turned}) {
    if (!(way >= 0.0 && std::isfinite(way))) refuse("a body has travelled no number");
  }
  if (!(w.sleepers.slowTime[i] >= 0.0 && std::isfinite(w.sleepers.slowTime[i]))) refuse("a body is slow for no number");
}

/// Sleepers lie in rings, each of which wakes as a whole, by one request.
void checkSleepers(const Sleepers& s) {
  std::vector<std::uint8_t> seen(s.asleep.size(), 0);
  std::size_t asleep = 0, rings = 0;
  for (std::uint32_t first = 0; first < s.asleep.size(); ++first) {
    if (s.toWake[first] != 0 && s.asleep[first] == 0) refuse("a body is to wake that is awake");
    if (s.asleep[first] == 0 || seen[first] != 0) continue;
    std::uint32_t i = first;
    do {
      if (i >= s.asleep.size() || s.asleep[i] == 0 || seen[i] != 0 || s.toWake[i] != s.toWake[first]) {
        refuse("sleepers that lie in no ring");
      }
      seen[i] = 1;
      ++asleep;
      i = s.next[i];
    } while (i != first);
    rings += s.toWake[first] != 0 ? 1 : 0;
  }
  std::vector<std::uint8_t> toWake(s.asleep.size(), 0);
  for (const std::uint32_t call : s.calls) {
    if (call >= s.asleep.size() || s.toWake[call] == 0 || toWake[call] != 0) refuse("a call for nobody");
    std::uint32_t i = call;
    do {
      toWake[i] = 1;
      i = s.next[i];
    } while (i != call);
  }
  if (s.calls.size() != rings || s.count != asleep) refuse("sleepers are counted wrong");
}

void checkSlot(const SlotState& state, const BodySlot& slot, bool moves) {
  if (!slot.inertial && (state.forced || state.target || moves)) {
    refuse("it moves a body that does not move in this world");
  }
  if (!state.force.allFinite() || !state.torque.allFinite()) refuse("a force is no number");
  const SurfaceMaterial& m = state.material;
  if (!state.surfaceVelocity.allFinite() || !(m.friction >= 0.0 && m.restitution >= 0.0 && m.restitution <= 1.0 &&
                                              m.rollingResistance >= 0.0 && m.torsionalResistance >= 0.0)) {
    refuse("a surface is out of range");
  }
  if (!state.target) return;
  const Quaternion& q = state.target->orientation;
  const double turn[4] = {q.w(), q.x(), q.y(), q.z()};
  if (!slot.kinematic || !state.target->position.allFinite() || !isUnit(turn)) refuse("a body goes nowhere");
}

void applySlot(Simulation& sim, std::uint32_t i, const SlotState& state) {
  BodySlot& slot = sim.slots[i];
  slot.forced = state.forced;
  slot.target = state.target;
  slot.stopsAfterward = state.stopsAfterward;
  if (slot.isUsed()) restoreSurface(sim, i, state.material, state.surfaceVelocity);
  if (!slot.inertial) return;
  const BodyPose& pose = sim.solver.pose[i];
  InertialState& body = slot.inertial->getInertialState();
  body.position = {pose.x[0], pose.x[1], pose.x[2]};
  body.orientation = Quaternion{pose.q[0], pose.q[1], pose.q[2], pose.q[3]};
  writeVelocityToAsset(sim, i);
  slot.inertial->synchronizeFrame();
  slot.inertial->clearForces();
  slot.inertial->applyForce(state.force);
  slot.inertial->applyTorque(state.torque);
  sim.solver.mass[i].dynamic = sim.pushable[i] != 0 ? 1.0 : 0.0;
  sim.solver.load[i] = BodyLoad{};
  sim.solver.turn[i] = BodyTurn{};
  sim.solver.warmStart[i] = BodyWarmStart{};
  sim.solver.shift[i] = BodyShift{};
}

}  // namespace

void saveWorld(ByteWriter& out, const Simulation& sim) {
  forValues(sim, Writer{out});
  for (const BodySlot& slot : sim.slots) putSlot(out, slot);
  sim.collision.save(out);
  sim.joints.save(out);
  saveReference(out, sim);
}

void loadWorld(std::span<const std::byte> bytes, Simulation& sim) {
  ByteReader in{bytes};
  forValues(sim, Reader{in});
  for (std::uint32_t i = 0; i < sim.slots.size(); ++i) applySlot(sim, i, takeSlot(in));
  sim.collision.load(in);
  sim.joints.load(in);
  loadReference(in, sim);
  describeJointsAnew(sim);
  listJoinedPairs(sim);
  sim.report = StepReport{};
  sim.report.dt = sim.settled.dt;
  sim.report.status = sim.settled.status;
  sim.report.step = sim.step;
  sim.report.time = sim.time;
  sim.report.energy.scale = sim.settled.energyScale;
  sim.islands.version = ~std::uint64_t{0};
  sim.table.clear();
  sim.exact.start.clear();
  sim.events.clear();
  sim.eventScratch.changes.clear();
  sim.eventScratch.hits.clear();
  sim.eventScratch.removed.clear();
  sim.recordsValid = false;
  sim.looseValid = false;
}

void checkWorld(std::span<const std::byte> bytes, const Simulation& sim) {
  ByteReader in{bytes};
  WorldDraft draft;
  draft.settings = sim.settings;
  forValues(draft, Reader{in});
  draft.settings.validate();
  checkSizes(draft, sim);
  checkNumbers(draft);
  for (std::size_t i = 0; i < draft.pushable.size(); ++i) checkBody(draft, sim, i);
  checkSleepers(draft.sleepers);
  for (std::size_t i = 0; i < sim.slots.size(); ++i) checkSlot(takeSlot(in), sim.slots[i], draft.moving[i] != 0);
  CollisionPipeline collision = sim.collision;
  collision.load(in);
  if (const char* fault = collision.findFault(sim.solver.size())) refuse(fault);
  JointSolver joints = sim.joints;
  joints.load(in);
  if (const char* fault = joints.findFault()) refuse(fault);
  checkReference(in, sim);
  if (!in.isAtEnd()) refuse("there is more than a world");
}

}  // namespace msd_sim
