#include "msd-scene/src/ExpandPoses.hpp"

#include <fmt/format.h>

#include <map>
#include <string>

#include "msd-scene/src/JsonText.hpp"
#include "msd-scene/src/Suggestion.hpp"
#include "msd-sim/src/DataTypes/Rotation.hpp"

namespace msd_scene {

namespace {

using msd_sim::Pose;
using msd_sim::Quaternion;
using msd_sim::Vector3D;

std::vector<double> numbersOf(const JsonValue& value, std::size_t count, std::string_view what) {
  std::vector<double> numbers;
  bool good = value.kind == JsonKind::kArray && value.items.size() == count;
  for (const JsonValue& item : value.items) {
    good &= item.kind == JsonKind::kNumber;
    numbers.push_back(item.number);
  }
  if (!good) failAt(value, "something else", fmt::format("{} numbers: {}", count, what));
  return numbers;
}

Vector3D vectorOf(const JsonValue& value, std::string_view what) {
  const std::vector<double> n = numbersOf(value, 3, what);
  return {n[0], n[1], n[2]};
}

void setVector(JsonValue& object, std::string_view key, const Vector3D& v) {
  JsonValue* known = object.find(key);
  const JsonOrigin* origin = known != nullptr ? known->origin : object.origin;
  object.set(key, jsonNumbers({v.x(), v.y(), v.z()}, origin));
}

/// `change` of the vector that a field holds, where it is given.
template <class Change>
void changeVector(JsonValue& object, std::string_view key, Change&& change) {
  if (const JsonValue* field = object.find(key)) {
    setVector(object, key, change(vectorOf(*field, "a vector")));
  }
}

Quaternion about(int axis, double angle) {
  return msd_sim::exponentialRotation(Vector3D{Vector3D::Unit(axis) * angle});
}

void setRotation(JsonValue& object, const Quaternion& q, const JsonOrigin* origin) {
  object.set("orientation", jsonNumbers({q.w(), q.x(), q.y(), q.z()}, origin));
}

void writeOrientation(JsonValue& object) {
  const JsonValue* euler = object.find("euler");
  const JsonValue* axisAngle = object.find("axisAngle");
  if (euler == nullptr && axisAngle == nullptr) return;
  const JsonValue& given = euler != nullptr ? *euler : *axisAngle;
  if (object.find("orientation") != nullptr || (euler != nullptr && axisAngle != nullptr)) {
    failAt(given, "an orientation a second time", "one of orientation, euler and axisAngle");
  }
  const JsonOrigin* origin = given.origin;
  Quaternion turn;
  if (euler != nullptr) {
    const Vector3D a = vectorOf(given, "angles about x, y and z [rad]");
    turn = about(2, a.z()) * about(1, a.y()) * about(0, a.x());
  } else {
    const std::vector<double> n = numbersOf(given, 4, "an axis and an angle [rad]");
    const Vector3D axis{n[0], n[1], n[2]};
    if (!(axis.norm() > 0.0)) failAt(given, "an axis of length zero", "a direction");
    turn = msd_sim::exponentialRotation(Vector3D{axis.normalized() * n[3]});
  }
  object.erase("euler");
  object.erase("axisAngle");
  setRotation(object, turn.normalized(), origin);
}

/// Poses of a scene's bodies in the world, each found when it is first asked for.
class FramePoses {
 public:
  explicit FramePoses(JsonValue& bodies) : bodies_{bodies} {
    for (std::size_t i = 0; i < bodies.items.size(); ++i) {
      const JsonValue* name = bodies.items[i].find("name");
      if (name != nullptr && name->kind == JsonKind::kString) places_.emplace(name->text, i);
    }
    state_.assign(bodies.items.size(), State::kUnknown);
  }

  void resolveAll() {
    for (std::size_t i = 0; i < bodies_.items.size(); ++i) resolve(i);
  }

  Pose frameOf(const JsonValue& name) {
    if (name.kind != JsonKind::kString) failAt(name, "something else", "the name of a body");
    if (name.text == "world") return {};
    const auto place = places_.find(name.text);
    if (place == places_.end()) {
      std::vector<std::string_view> names;
      for (const auto& [known, i] : places_) names.push_back(known);
      failAt(name, shortened(jsonString(name.text)),
             fmt::format("the name of a body of this scene{}", suggestion(name.text, names)));
    }
    if (state_[place->second] == State::kOpen) {
      failAt(name, shortened(jsonString(name.text)),
             "a body whose frame does not depend on this one");
    }
    resolve(place->second);
    return poseOf(bodies_.items[place->second]);
  }

 private:
  enum class State { kUnknown, kOpen, kDone };

  void resolve(std::size_t i) {
    if (state_[i] != State::kUnknown) return;
    state_[i] = State::kOpen;
    JsonValue& body = bodies_.items[i];
    if (const JsonValue* frame = body.find("frame")) {
      const Pose base = frameOf(*frame);
      setPose(body, base * poseOf(body));
      body.erase("frame");
    }
    state_[i] = State::kDone;
  }

  JsonValue& bodies_;
  std::map<std::string, std::size_t, std::less<>> places_{};
  std::vector<State> state_{};
};

}  // namespace

void writeOrientations(JsonValue& value) {
  if (value.kind == JsonKind::kObject) writeOrientation(value);
  for (JsonValue& item : value.items) {
    if (item.kind == JsonKind::kObject || item.kind == JsonKind::kArray) writeOrientations(item);
  }
}

Pose poseOf(const JsonValue& object) {
  Pose pose;
  if (const JsonValue* position = object.find("position")) {
    pose.position = vectorOf(*position, "a position [m]");
  }
  if (const JsonValue* orientation = object.find("orientation")) {
    const std::vector<double> n = numbersOf(*orientation, 4, "a quaternion w, x, y, z");
    const Quaternion q{n[0], n[1], n[2], n[3]};
    if (!(std::abs(q.norm() - 1.0) <= 1e-6)) {
      failAt(*orientation, fmt::format("a length of {}", q.norm()), "a quaternion of length 1");
    }
    pose.orientation = q.normalized();
  }
  return pose;
}

void setPose(JsonValue& object, const Pose& pose) {
  setVector(object, "position", pose.position);
  const JsonValue* known = object.find("orientation");
  setRotation(object, pose.orientation, known != nullptr ? known->origin : object.origin);
}

void moveBody(JsonValue& body, const Pose& pose) {
  if (body.find("frame") == nullptr) setPose(body, pose * poseOf(body));
  for (const std::string_view key : {"linearVelocity", "angularVelocity"}) {
    changeVector(body, key, [&](const Vector3D& v) { return Vector3D{pose.orientation * v}; });
  }
}

void moveJoint(JsonValue& joint, const Pose& pose) {
  for (const std::string_view key : {"anchor", "anchorB"}) {
    changeVector(joint, key, [&](const Vector3D& p) { return Vector3D{pose.toWorld(p)}; });
  }
  for (const std::string_view key : {"axis", "axisB"}) {
    changeVector(joint, key, [&](const Vector3D& v) { return Vector3D{pose.orientation * v}; });
  }
}

void resolveFrames(JsonValue& scene) {
  JsonValue* bodies = scene.find("bodies");
  if (bodies == nullptr) return;
  FramePoses frames{*bodies};
  frames.resolveAll();
  JsonValue* joints = scene.find("joints");
  if (joints == nullptr) return;
  for (JsonValue& joint : joints->items) {
    const JsonValue* frame = joint.find("frame");
    if (frame == nullptr) continue;
    moveJoint(joint, frames.frameOf(*frame));
    joint.erase("frame");
  }
}

}  // namespace msd_scene
