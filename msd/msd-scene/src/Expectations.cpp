#include "msd-scene/src/Expectations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "msd-scene/src/QuantityProbe.hpp"

namespace msd_scene {

namespace {

using msd_sim::BodyId;
using msd_sim::JointId;
using msd_sim::WorldModel;

template <class Of>
struct Quantity {
  std::string_view name;
  std::string_view unit;
  double (*measure)(const WorldModel&, Of);
};

struct WorldQuantity {
  std::string_view name;
  std::string_view unit;
  double (*measure)(const WorldModel&);
};

using W = WorldModel;

const msd_sim::Pose& pose(const W& w, BodyId b) {
  return w.asset(b).getReferenceFrame().pose();
}

AngularRate spin(const W& w, BodyId b) {
  return w.isEnvironment(b) ? AngularRate{0.0, 0.0, 0.0}
                            : w.inertial(b).getInertialState().angularVelocity;
}

/// Sum of the contact forces on a body, world axes [N].
Force contactForce(const W& w, BodyId b) {
  Force sum{0.0, 0.0, 0.0};
  for (const msd_sim::ContactRecord& c : w.contacts(b)) {
    sum += c.bodyB == b ? c.forceOnB : Force{-c.forceOnB};
  }
  return sum;
}

/// Which of the body's axes points most nearly against gravity: 1 for +x, 2 for +y, 3 for +z, 4, 5
/// and 6 for their opposites, so that two opposite faces add up to seven as on a die. Without
/// gravity, up is z.
double faceUp(const W& w, BodyId b) {
  const Vector3D& gravity = w.settings().gravity;
  const Vector3D up = gravity.isZero(0.0) ? Vector3D{0.0, 0.0, 1.0} : Vector3D{-gravity};
  const Vector3D along = pose(w, b).orientation.conjugate() * up;
  int axis = 0;
  for (int k = 1; k < 3; ++k) {
    if (std::abs(along[k]) > std::abs(along[axis])) axis = k;
  }
  return along[axis] > 0.0 ? 1.0 + axis : 6.0 - axis;
}

constexpr std::array<Quantity<BodyId>, 21> kBodyQuantities{{
    {"position.x", "[m]", [](const W& w, BodyId b) { return pose(w, b).position.x(); }},
    {"position.y", "[m]", [](const W& w, BodyId b) { return pose(w, b).position.y(); }},
    {"position.z", "[m]", [](const W& w, BodyId b) { return pose(w, b).position.z(); }},
    {"orientation.w", "[-]", [](const W& w, BodyId b) { return pose(w, b).orientation.w(); }},
    {"orientation.x", "[-]", [](const W& w, BodyId b) { return pose(w, b).orientation.x(); }},
    {"orientation.y", "[-]", [](const W& w, BodyId b) { return pose(w, b).orientation.y(); }},
    {"orientation.z", "[-]", [](const W& w, BodyId b) { return pose(w, b).orientation.z(); }},
    {"linearVelocity.x", "[m/s]", [](const W& w, BodyId b) { return w.frameVelocity(b).x(); }},
    {"linearVelocity.y", "[m/s]", [](const W& w, BodyId b) { return w.frameVelocity(b).y(); }},
    {"linearVelocity.z", "[m/s]", [](const W& w, BodyId b) { return w.frameVelocity(b).z(); }},
    {"angularVelocity.x", "[rad/s]", [](const W& w, BodyId b) { return spin(w, b).x(); }},
    {"angularVelocity.y", "[rad/s]", [](const W& w, BodyId b) { return spin(w, b).y(); }},
    {"angularVelocity.z", "[rad/s]", [](const W& w, BodyId b) { return spin(w, b).z(); }},
    {"speed", "[m/s]", [](const W& w, BodyId b) { return w.frameVelocity(b).norm(); }},
    {"angularSpeed", "[rad/s]", [](const W& w, BodyId b) { return spin(w, b).norm(); }},
    {"awake", "[-]", [](const W& w, BodyId b) { return w.isAwake(b) ? 1.0 : 0.0; }},
    {"faceUp", "[-]", faceUp},
    {"contacts", "[-]",
     [](const W& w, BodyId b) { return static_cast<double>(w.contacts(b).size()); }},
    {"contactForce.x", "[N]", [](const W& w, BodyId b) { return contactForce(w, b).x(); }},
    {"contactForce.y", "[N]", [](const W& w, BodyId b) { return contactForce(w, b).y(); }},
    {"contactForce.z", "[N]", [](const W& w, BodyId b) { return contactForce(w, b).z(); }},
}};

constexpr std::array<Quantity<JointId>, 6> kJointQuantities{{
    {"coordinate", "[rad] or [m]", [](const W& w, JointId j) { return w.jointCoordinate(j); }},
    {"velocity", "[rad/s] or [m/s]", [](const W& w, JointId j) { return w.jointVelocity(j); }},
    {"motorForce", "[N·m] or [N]", [](const W& w, JointId j) { return w.motorForce(j); }},
    {"force", "[N]", [](const W& w, JointId j) { return w.jointReaction(j).force.norm(); }},
    {"torque", "[N·m]", [](const W& w, JointId j) { return w.jointReaction(j).torque.norm(); }},
    {"broken", "[-]", [](const W& w, JointId j) { return w.isBroken(j) ? 1.0 : 0.0; }},
}};

/// Quantities of a sensor; those it has no number for are NaN.
constexpr std::array<std::string_view, 5> kSensorQuantities{"value", "x", "y", "z", "w"};

/// Which of a sensor's numbers a quantity is; none where it has no such number.
std::optional<std::size_t> placeOf(std::string_view quantity, std::size_t numbers) {
  if (numbers == 1) return quantity == "value" ? std::optional<std::size_t>{0} : std::nullopt;
  if (numbers == 4 && quantity == "w") return 0;
  const auto at = static_cast<std::size_t>(
      std::ranges::find(kSensorQuantities, quantity) - kSensorQuantities.begin());
  if (at < 1 || at > 3) return std::nullopt;
  return numbers == 4 ? at : at - 1;
}

constexpr std::array<WorldQuantity, 10> kWorldQuantities{{
    {"time", "[s]", [](const W& w) { return w.time(); }},
    {"kineticEnergy", "[J]", [](const W& w) { return w.lastReport().energy.kinetic; }},
    {"potentialEnergy", "[J]", [](const W& w) { return w.lastReport().energy.potential; }},
    {"mechanicalEnergy", "[J]",
     [](const W& w) {
       return w.lastReport().energy.kinetic + w.lastReport().energy.potential;
     }},
    {"deepestPenetration", "[m]",
     [](const W& w) { return w.lastReport().deepestPenetration; }},
    {"residual", "[m/s]", [](const W& w) { return w.lastReport().residual; }},
    {"jointError", "[m]", [](const W& w) { return w.lastReport().jointError; }},
    {"contacts", "[-]",
     [](const W& w) { return static_cast<double>(w.lastReport().contacts); }},
    {"islands", "[-]",
     [](const W& w) { return static_cast<double>(w.lastReport().islands); }},
    {"awakeBodies", "[-]",
     [](const W& w) { return static_cast<double>(w.lastReport().awakeBodies); }},
}};

/// Calls onTable with the table of quantities that an expectation draws on.
template <class OnTable>
auto withTable(const SceneExpectation& e, OnTable&& onTable) {
  if (!e.body.empty()) return onTable(kBodyQuantities);
  if (!e.joint.empty()) return onTable(kJointQuantities);
  return onTable(kWorldQuantities);
}

/// How a table measures a quantity; null where it does not know it.
template <class Table>
auto findMeasure(const Table& table, std::string_view quantity) {
  const auto found = std::ranges::find_if(table, [&](const auto& q) { return q.name == quantity; });
  return found == table.end() ? nullptr : found->measure;
}

/// What a check asks of the method that runs.
SceneExpectation forMethod(const SceneExpectation& check, msd_sim::Method method) {
  SceneExpectation e = check;
  if (method != msd_sim::Method::kReference || !check.reference) return e;
  const SceneReferenceCheck& own = *check.reference;
  if (own.value) e.value = own.value;
  if (own.tolerance) e.tolerance = *own.tolerance;
  if (own.min) e.min = own.min;
  if (own.max) e.max = own.max;
  return e;
}

bool holds(const SceneExpectation& e, double measured) {
  if (!std::isfinite(measured)) return false;
  if (e.value) return std::abs(measured - *e.value) <= e.tolerance;
  return (!e.min || measured >= *e.min) && (!e.max || measured <= *e.max);
}

}  // namespace

SceneExpectation subtracted(const SceneExpectation& e) {
  SceneExpectation other;
  if (!e.minus) return other;
  other.body = e.minus->body;
  other.joint = e.minus->joint;
  other.sensor = e.minus->sensor;
  other.quantity = e.minus->quantity.empty() ? e.quantity : e.minus->quantity;
  return other;
}

std::vector<std::string_view> quantityNames(const SceneExpectation& expectation) {
  if (!expectation.sensor.empty()) return {kSensorQuantities.begin(), kSensorQuantities.end()};
  return withTable(expectation, [](const auto& table) {
    std::vector<std::string_view> names;
    for (const auto& quantity : table) names.push_back(quantity.name);
    return names;
  });
}

std::string_view quantityUnit(const SceneExpectation& expectation) {
  if (!expectation.sensor.empty()) return {};
  return withTable(expectation, [&](const auto& table) -> std::string_view {
    for (const auto& quantity : table) {
      if (quantity.name == expectation.quantity) return quantity.unit;
    }
    return {};
  });
}

QuantityProbe::QuantityProbe(const SceneExpectation& e, const SceneWorld& scene) {
  if (!e.sensor.empty()) {
    sensor_ = scene.sensors.find(e.sensor).value();
    place_ = placeOf(e.quantity, scene.sensors.values(sensor_).size());
  } else if (!e.body.empty()) {
    of_body_ = findMeasure(kBodyQuantities, e.quantity);
    body_ = scene.bodyByName.at(e.body);
  } else if (!e.joint.empty()) {
    of_joint_ = findMeasure(kJointQuantities, e.quantity);
    joint_ = scene.jointByName.at(e.joint);
  } else {
    of_world_ = findMeasure(kWorldQuantities, e.quantity);
  }
}

double QuantityProbe::measure(const SceneWorld& scene) const {
  if (of_body_ != nullptr) return of_body_(scene.world, body_);
  if (of_joint_ != nullptr) return of_joint_(scene.world, joint_);
  if (of_world_ != nullptr) return of_world_(scene.world);
  if (place_) return scene.sensors.values(sensor_)[*place_];
  return std::numeric_limits<double>::quiet_NaN();
}

double measureDifference(const SceneExpectation& e, const SceneWorld& scene) {
  const double measured = QuantityProbe{e, scene}.measure(scene);
  return e.minus ? measured - QuantityProbe{subtracted(e), scene}.measure(scene) : measured;
}

std::string describe(const SceneExpectation& check, const ExpectationResult& result) {
  const SceneExpectation e = forMethod(check, result.method);
  const std::string& of = !e.body.empty() ? e.body : !e.joint.empty() ? e.joint : e.sensor;
  constexpr std::array<std::string_view, 4> kWhich{"", "largest ", "smallest ", "span of "};
  std::string minus = e.minusStart ? " less its start" : "";
  if (e.minus) {
    const SceneExpectation other = subtracted(e);
    const std::string& whose = !other.body.empty()    ? other.body
                               : !other.joint.empty() ? other.joint
                                                      : other.sensor;
    minus = fmt::format(" less {}{}{}", whose, whose.empty() ? "" : ".", other.quantity);
  }
  std::string wanted;
  if (e.value) {
    wanted = fmt::format("{} ± {}", *e.value, e.tolerance);
  } else if (e.min && e.max) {
    wanted = fmt::format("{} to {}", *e.min, *e.max);
  } else {
    wanted = e.min ? fmt::format(">= {}", *e.min) : fmt::format("<= {}", e.max.value_or(0.0));
  }
  return fmt::format("{} {}{}{}{}{} at {:.6g} s: {:.9g} {}, expected {}",
                     result.holds ? "ok    " : "FAILED", kWhich[static_cast<std::size_t>(e.over)],
                     of, of.empty() ? "" : ".", e.quantity, minus, result.time, result.measured,
                     quantityUnit(e), wanted);
}

ExpectationChecker::ExpectationChecker(const SceneDocument& document) : document_{document} {
  spans_.resize(document.expect.size());
  for (std::size_t i = 0; i < document.expect.size(); ++i) {
    const SceneExpectation& e = document.expect[i];
    if (e.time) timed_.push_back(i);
    if (e.over != RunValue::kAtTime || e.minusStart) spanning_.push_back(i);
  }
  std::ranges::sort(timed_, std::greater<>{},
                    [&](std::size_t i) { return std::pair{*document.expect[i].time, i}; });
}

void ExpectationChecker::widen(const SceneWorld& scene) {
  for (const std::size_t i : spanning_) {
    const SceneExpectation& e = document_.expect[i];
    const bool isOfWorld = e.body.empty() && e.joint.empty() && e.sensor.empty();
    if (isOfWorld && scene.world.stepCount() == 0) continue;  // nothing has been reported yet
    double measured = measureDifference(e, scene);
    const double time = scene.world.time();
    if (!spans_[i]) {
      const double start = measured;
      if (e.minusStart) measured = 0.0;
      spans_[i] = Span{measured, measured, start, time};
      continue;
    }
    Span& span = *spans_[i];
    if (e.minusStart) measured -= span.start;
    // A number that is none stays: the check fails.
    if (!(measured >= span.low)) {
      span.low = measured;
      if (e.over == RunValue::kMin) span.time = time;
    }
    if (!(measured <= span.high)) {
      span.high = measured;
      if (e.over == RunValue::kMax) span.time = time;
    }
  }
}

void ExpectationChecker::observe(const SceneWorld& scene) {
  widen(scene);
  // The step that ends nearest to the time: times of steps are sums and carry rounding.
  const double now = scene.world.time() + 0.5 * scene.dt;
  while (!timed_.empty() && *document_.expect[timed_.back()].time <= now) {
    measure(timed_.back(), scene);
    timed_.pop_back();
  }
}

void ExpectationChecker::finish(const SceneWorld& scene) {
  for (; !timed_.empty(); timed_.pop_back()) measure(timed_.back(), scene);
  for (std::size_t i = 0; i < document_.expect.size(); ++i) {
    if (!document_.expect[i].time) measure(i, scene);
  }
  std::ranges::sort(results_, {}, &ExpectationResult::index);
}

void ExpectationChecker::measure(std::size_t index, const SceneWorld& scene) {
  const msd_sim::Method method = scene.world.settings().method;
  const SceneExpectation& check = document_.expect[index];
  if (method == msd_sim::Method::kReference && check.reference && !check.reference->applies) return;
  const SceneExpectation e = forMethod(check, method);
  double measured = measureDifference(e, scene);
  double time = scene.world.time();
  if (const auto& span = spans_[index]) {
    if (e.minusStart) measured -= span->start;
    if (e.over == RunValue::kMax) measured = span->high;
    if (e.over == RunValue::kMin) measured = span->low;
    if (e.over == RunValue::kRange) measured = span->high - span->low;
    if (e.over == RunValue::kMax || e.over == RunValue::kMin) time = span->time;
  }
  results_.push_back({index, time, measured, holds(e, measured), method});
}

bool ExpectationChecker::allHold() const {
  return std::ranges::all_of(results_, &ExpectationResult::holds);
}

}  // namespace msd_scene
