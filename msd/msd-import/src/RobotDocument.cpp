#include "msd-import/src/RobotDocument.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <set>

#include "msd-import/src/RobotInertia.hpp"
#include "msd-import/src/RobotKinematics.hpp"
#include "msd-import/src/RobotShapes.hpp"
#include "msd-import/src/RobotSurfaces.hpp"
#include "msd-import/src/XmlValues.hpp"
#include "msd-scene/src/JsonText.hpp"
#include "msd-scene/src/Limits.hpp"

namespace msd_import {

namespace {

using namespace msd_scene;

constexpr std::size_t kWorld = RobotLink::kWorld;
/// Simulated by `msd run` unless told otherwise [s].
constexpr double kRunTime = 5.0;

[[noreturn]] void failPlace(const Place& place, std::string found, std::string expected) {
  throw SceneError{{.source = place.file ? *place.file : std::string{},
                    .position = {static_cast<std::size_t>(std::max(place.line, 0)), 0},
                    .found = std::move(found),
                    .expected = std::move(expected)}};
}

class DocumentMaker {
 public:
  DocumentMaker(const RobotModel& robot, const ImportOptions& options)
      : robot_{robot},
        options_{options},
        shapes_{result_, notes_},
        surfaces_{result_.document, notes_, robot.largerFrictionCounts} {}

  RobotDocument make() {
    findStart();
    joinFixedLinks();
    completeInertias();
    addTop();
    addStatics();
    for (std::size_t i = 0; i < robot_.links.size(); ++i) {
      if (owner_[i] == i) addLink(i);
    }
    surfaces_.finish();
    addExcludes();
    addWelds();
    addStrings();
    addCouplings();
    addActuators();
    addSensors();
    result_.notes = robot_.notes;
    for (ImportNote& note : notes_.take()) result_.notes.push_back(std::move(note));
    return std::move(result_);
  }

 private:
  // --- preparation ---

  void findStart() {
    start_ = referencePositions(robot_);
    if (!options_.keyframe.empty()) {
      const auto key = std::ranges::find(robot_.keyframes, options_.keyframe, &RobotKeyframe::name);
      if (key == robot_.keyframes.end()) {
        std::string known;
        for (const RobotKeyframe& k : robot_.keyframes) {
          known += fmt::format("{}\"{}\"", known.empty() ? "" : ", ", k.name);
        }
        throw SceneError{{.found = fmt::format("the keyframe {}", jsonString(options_.keyframe)),
                          .expected = known.empty() ? "none: the file has no keyframes" : known}};
      }
      useKeyframe(*key);
    } else {
      closeCouplings();
    }
    placed_ = placeRobot(robot_, start_);
  }

  /// Place of a joint's first coordinate in start_, and its reference.
  struct Freedom {
    std::size_t place;
    double reference;
  };
  std::optional<Freedom> coordinateOf(const std::string& name) const {
    std::size_t at = 0;
    for (const RobotLink& link : robot_.links) {
      for (const RobotJoint& joint : link.joints) {
        if (joint.name == name && joint.freedoms() == 1) return Freedom{at, joint.reference};
        at += joint.positions();
      }
    }
    return std::nullopt;
  }

  /// Followers stand where their leaders have them; chains of them take several rounds.
  void closeCouplings() {
    for (std::size_t round = 0; round < std::min<std::size_t>(robot_.couplings.size(), 16);
         ++round) {
      for (const RobotCoupling& coupling : robot_.couplings) {
        if (!coupling.startsClosed) continue;
        const auto follower = coordinateOf(coupling.follower);
        const auto leader = coordinateOf(coupling.leader);
        if (!follower || !leader) continue;
        start_[follower->place] = follower->reference + coupling.offset +
                                  coupling.ratio * (start_[leader->place] - leader->reference);
      }
    }
  }

  void useKeyframe(const RobotKeyframe& key) {
    controls_ = key.controls;
    if (!key.velocities.empty()) {
      notes_.add(key.place, "<key> qvel", "the robot starts at rest");
    }
    if (key.positions.empty()) return;
    if (key.positions.size() != start_.size()) {
      failPlace(key.place, fmt::format("{} numbers in qpos", key.positions.size()),
                fmt::format("{}, the positions of all joints", start_.size()));
    }
    start_ = key.positions;
  }

  /// owner_: the link that a link is part of; within_: its pose in the owner's frame.
  void joinFixedLinks() {
    const std::size_t count = robot_.links.size();
    owner_.assign(count, kWorld);
    within_.assign(count, Pose{});
    inertia_.assign(count, RobotInertia{});
    geoms_.assign(count, {});
    looks_.assign(count, {});
    for (std::size_t i = 0; i < count; ++i) {
      const RobotLink& link = robot_.links[i];
      if (!link.joints.empty()) {
        owner_[i] = i;
      } else if (link.parent != kWorld) {
        owner_[i] = owner_[link.parent];
        within_[i] = owner_[i] == kWorld ? Pose{} : within_[link.parent] * link.pose;
      }
      if (owner_[i] == kWorld) continue;
      const std::size_t o = owner_[i];
      if (link.inertia.mass > 0.0) {
        inertia_[o] = inertia_[o] + transformed(link.inertia, within_[i]);
      }
      for (const RobotGeom& geom : link.geoms) {
        (geom.collides ? geoms_ : looks_)[o].push_back({&geom, within_[i] * geom.pose});
      }
    }
  }

  /// Every moving link gets an inertia a body can have; one without mass a share of what it
  /// carries.
  void completeInertias() {
    carried_ = inertia_;
    for (std::size_t i = robot_.links.size(); i-- > 0;) {
      if (owner_[i] != i) continue;
      const RobotLink& link = robot_.links[i];
      if (!(inertia_[i].mass > 0.0)) fillMassless(i);
      makeSound(i);
      if (link.parent == kWorld || owner_[link.parent] == kWorld) continue;
      const std::size_t o = owner_[link.parent];
      const Pose inOwner = placed_.links[o].inverse() * placed_.links[i];
      carried_[o] = carried_[o] + transformed(carried_[i], inOwner);
    }
  }

  void fillMassless(std::size_t i) {
    if (carried_[i].mass > 0.0) {
      inertia_[i] = ghostInertia(carried_[i], Vector3D::Zero());
      carried_[i] = carried_[i] + inertia_[i];
      return;
    }
    RobotInertia solid;
    for (const PlacedGeom& placed : geoms_[i]) {
      try {
        solid = solid + inertiaOf(placed.geom->geometry, placed.pose, 1000.0, false);
      } catch (const std::exception&) {
        // An open mesh has no mass; the others may.
      }
    }
    const bool fromGeoms = solid.mass > 0.0;
    if (!fromGeoms) solid = {.mass = 1e-3, .inertia = 1e-6 * Matrix3D::Identity()};
    notes_.add(robot_.links[i].place, "a link without mass that moves and carries nothing",
               fromGeoms ? "it is as heavy as water" : "it weighs a gram");
    inertia_[i] = carried_[i] = solid;
  }

  /// Principal moments must be positive, none larger than the sum of the others.
  void makeSound(std::size_t i) {
    RobotInertia& inertia = inertia_[i];
    if (inertia.mass < Limits::kMinMass) inertia.mass = Limits::kMinMass;
    const Eigen::SelfAdjointEigenSolver<Matrix3D> solver{inertia.inertia};
    Vector3D m = solver.eigenvalues();
    const double largest = m.cwiseAbs().maxCoeff();
    if (m[0] > 1e-12 * largest && m[2] <= m[0] + m[1] + 0.5e-9 * m[2]) return;
    double mean = m.sum() / 3.0;
    if (!(mean > 0.0)) {
      RobotInertia solid;
      for (const PlacedGeom& placed : geoms_[i]) {
        solid = solid + inertiaOf(placed.geom->geometry, placed.pose, 1.0, false);
      }
      const double perMass = solid.mass > 0.0 ? solid.inertia.trace() / 3.0 / solid.mass : 1e-4;
      mean = inertia.mass * perMass;
    }
    notes_.add(robot_.links[i].place, "an inertia that no body can have",
               "its moments are made equal, with the same sum");
    inertia.inertia = mean * Matrix3D::Identity();
  }

  /// A body between two joints of one link.
  static RobotInertia ghostInertia(const RobotInertia& carried, const Vector3D& anchor) {
    const Eigen::SelfAdjointEigenSolver<Matrix3D> solver{carried.inertia, Eigen::EigenvaluesOnly};
    const double own = solver.eigenvalues()[2];
    const double swing = carried.mass * (carried.centre - anchor).squaredNorm();
    return {.mass = std::max(kGhostShare * carried.mass, Limits::kMinMass),
            .centre = anchor,
            .inertia = kGhostShare * std::max(own + swing, 1e-9) * Matrix3D::Identity()};
  }

  // --- bodies ---

  void addTop() {
    SceneDocument& d = result_.document;
    d.name = robot_.name;
    d.gravity = robot_.gravity;
    d.dt = robot_.dt;
    d.steps = static_cast<std::uint64_t>(std::ceil(kRunTime / robot_.dt - 1e-9));
  }

  std::string uniqueName(std::string name) {
    if (name.empty() || name == "world") name = "body";
    std::string unique = name;
    for (int i = 2; !names_.insert(unique).second; ++i) unique = fmt::format("{}_{}", name, i);
    return unique;
  }

  void push(SceneBody body, const Place& place) {
    result_.document.bodies.push_back(std::move(body));
    result_.bodyPlaces.push_back(place);
  }

  void addStatics() {
    for (std::size_t i = 0; i < robot_.links.size(); ++i) {
      if (owner_[i] == i) names_.insert(robot_.links[i].name);
    }
    staticBodies_.assign(robot_.links.size(), {});
    for (const RobotGeom& geom : robot_.worldGeoms) {
      addStatic(geom, Pose{}, "geom", anyVisible(robot_.worldGeoms), worldBodies_);
    }
    for (std::size_t i = 0; i < robot_.links.size(); ++i) {
      if (owner_[i] != kWorld) continue;
      for (const RobotGeom& geom : robot_.links[i].geoms) {
        addStatic(geom, placed_.links[i], robot_.links[i].name, anyVisible(robot_.links[i].geoms),
                  staticBodies_[i]);
      }
    }
  }

  static bool anyVisible(const std::vector<RobotGeom>& geoms) {
    return std::ranges::any_of(geoms, &RobotGeom::visible);
  }

  void addStatic(const RobotGeom& geom, const Pose& frame, const std::string& link, bool hasVisible,
                 std::vector<std::string>& into) {
    if (!geom.collides && !geom.visible) return;
    const std::string name = uniqueName(geom.name.empty() ? link : geom.name);
    const auto [shape, offset] =
        shapes_.staticShape(name, geom, robot_.staticMeshesAreConcave || !geom.collides);
    if (shape.empty()) return;
    const Pose pose = frame * geom.pose * offset;
    SceneBody body{.name = name, .shape = shape, .isStatic = true, .position = pose.position};
    body.orientation = written(pose.orientation);
    body.collides = geom.collides;
    body.colour = geom.colour;
    const PlacedGeom placed{&geom, pose};
    surfaces_.apply({&placed, 1}, body);
    if (!geom.collides) body.layer = SceneBody{}.layer;
    if (!geom.visible && hasVisible) body.visual.emplace();
    into.push_back(name);
    push(std::move(body), geom.place);
  }

  void addLink(std::size_t i) {
    const RobotLink& link = robot_.links[i];
    SceneBody body{.name = link.name};
    if (link.name == "world") body.name = uniqueName("body");
    bodyNames_[i] = body.name;
    body.shape = shapes_.movingShape(body.name, geoms_[i]);
    body.collides = !body.shape.empty();
    if (body.collides) {
      surfaces_.apply(geoms_[i], body);
    } else {
      body.shape = shapes_.marker(markerRadius(inertia_[i]));
    }
    for (const auto* list : {&looks_[i], &geoms_[i]}) {
      for (const PlacedGeom& placed : *list) {
        if (!body.colour) body.colour = placed.geom->colour;
      }
    }
    addVisuals(i, body);
    place(body, placed_.links[i], inertia_[i]);
    const std::string parent = parentOf(i);
    push(std::move(body), link.place);
    addJoints(i, parent);
  }

  /// What is seen of a body, where that is not just what touches.
  void addVisuals(std::size_t i, SceneBody& body) {
    const auto isSeen = [](const PlacedGeom& p) { return p.geom->visible; };
    const bool seesAll = std::ranges::all_of(geoms_[i], isSeen);
    const bool seesMore = std::ranges::any_of(looks_[i], isSeen);
    const bool seesNone = !seesMore && std::ranges::none_of(geoms_[i], isSeen);
    const bool isSame = seesAll && !seesMore && !hasColours(geoms_[i]);
    if (isSame || seesNone) return;
    auto& visuals = body.visual.emplace();
    for (const auto* list : {&looks_[i], &geoms_[i]}) {
      for (const PlacedGeom& placed : *list) {
        if (!isSeen(placed)) continue;
        const std::string shape = shapes_.visualShape(body.name + "_visual", *placed.geom);
        if (shape.empty()) continue;
        visuals.push_back({.shape = shape,
                           .position = placed.pose.position,
                           .orientation = written(placed.pose.orientation),
                           .colour = placed.geom->colour});
      }
    }
    if (visuals.empty()) body.visual.reset();
  }

  static bool hasColours(const std::vector<PlacedGeom>& geoms) {
    return std::ranges::any_of(
        geoms, [&](const PlacedGeom& p) { return p.geom->colour != geoms.front().geom->colour; });
  }

  static double markerRadius(const RobotInertia& inertia) {
    const double gyration = std::sqrt(inertia.inertia.trace() / 3.0 / inertia.mass);
    return std::clamp(gyration, 1e-3, 1.0);
  }

  static void place(SceneBody& body, const Pose& pose, const RobotInertia& inertia) {
    body.position = pose.position;
    body.orientation = written(pose.orientation);
    body.mass = inertia.mass;
    body.inertia = inertia.inertia;
    body.centreOfMass = inertia.centre;
  }

  /// Name of the body above a link; empty for the world.
  std::string parentOf(std::size_t i) const {
    const std::size_t parent = robot_.links[i].parent;
    return parent == kWorld || owner_[parent] == kWorld ? std::string{}
                                                        : bodyNames_.at(owner_[parent]);
  }

  // --- joints ---

  void addJoints(std::size_t i, const std::string& parent) {
    const RobotLink& link = robot_.links[i];
    if (link.joints.front().kind == RobotJointKind::kFree) return;
    std::string above = parent;
    for (std::size_t k = 0; k < link.joints.size(); ++k) {
      const bool last = k + 1 == link.joints.size();
      const std::string below = last ? bodyNames_[i] : addGhost(i, k);
      addJoint(link.joints[k], placed_.joints[i][k], above, below);
      above = below;
    }
    const bool hasGhosts = link.joints.size() > 1;
    if (hasGhosts && !parent.empty()) exclude(parent, bodyNames_[i]);
    if (robot_.staticMeshesAreConcave && parent.empty() && link.parent != kWorld) {
      // A robot's neighbours are made to overlap: no contact with the base either.
      for (std::size_t j = 0; j < robot_.links.size(); ++j) {
        if (owner_[j] != kWorld) continue;
        for (const std::string& name : staticBodies_[j]) exclude(name, bodyNames_[i]);
      }
    }
  }

  std::string addGhost(std::size_t i, std::size_t k) {
    const RobotLink& link = robot_.links[i];
    const std::string name = uniqueName(fmt::format("{}_at_{}", link.name, link.joints[k].name));
    const Pose pose = placed_.joints[i][k].after;
    // The carried mass in the frame between the joints.
    const RobotInertia carried = transformed(carried_[i], pose.inverse() * placed_.links[i]);
    const RobotInertia inertia = ghostInertia(carried, link.joints[k].anchor);
    SceneBody body{.name = name, .shape = ghostShape()};
    body.collides = false;
    place(body, pose, inertia);
    push(std::move(body), link.joints[k].place);
    return name;
  }

  std::string ghostShape() {
    if (ghostShape_.empty()) ghostShape_ = shapes_.marker(1e-3);
    return ghostShape_;
  }

  void addJoint(const RobotJoint& joint, const PlacedJoint& placed, const std::string& above,
                const std::string& below) {
    SceneJoint result{.name = joint.name, .bodyA = above, .bodyB = below, .anchor = placed.anchor};
    using msd_sim::JointKind;
    if (joint.kind == RobotJointKind::kBall) {
      result.kind = JointKind::kBall;
      if (joint.damping > 0.0 || joint.stiffness > 0.0 || joint.friction > 0.0 ||
          joint.armature > 0.0) {
        notes_.add(joint.place, "damping, stiffness, friction or armature of a ball joint",
                   "left out");
      }
    } else {
      result.kind = joint.kind == RobotJointKind::kSlide ? JointKind::kSlider : JointKind::kHinge;
      result.axis = placed.axis;
      starts_[joint.name] = startOf(joint);
      fillCoordinate(joint, result);
    }
    jointIndex_[joint.name] = result_.document.joints.size();
    result_.document.joints.push_back(std::move(result));
    result_.jointPlaces.push_back(joint.place);
  }

  /// The joint's coordinate where the robot starts.
  double startOf(const RobotJoint& joint) const {
    std::size_t at = 0;
    for (const RobotLink& link : robot_.links) {
      for (const RobotJoint& other : link.joints) {
        if (&other == &joint) return start_[at];
        at += other.positions();
      }
    }
    return 0.0;
  }

  /// Limits, springs and losses; the scene counts coordinates from where the robot starts.
  void fillCoordinate(const RobotJoint& joint, SceneJoint& result) {
    const double start = starts_[joint.name];
    if (joint.lower || joint.upper) {
      SceneLimit limit;
      if (joint.lower) limit.lower = *joint.lower - start;
      if (joint.upper) limit.upper = *joint.upper - start;
      result.limit = limit;
      constexpr double kSlack = 1e-9;  // [rad] or [m]
      if (limit.lower.value_or(0.0) > kSlack || limit.upper.value_or(0.0) < -kSlack) {
        notes_.add(joint.place, "a joint that starts outside its limits",
                   "it is pushed back at once");
      }
    }
    result.friction = joint.friction;
    result.damping = joint.damping;
    result.armature = joint.armature;
    if (joint.stiffness > 0.0) {
      result.stiffness = joint.stiffness;
      result.rest = joint.springReference - start;
    }
  }

  void exclude(const std::string& a, const std::string& b) {
    if (a == b) return;
    if (excluded_.insert({std::min(a, b), std::max(a, b)}).second) {
      result_.document.exclude.push_back({a, b});
    }
  }

  void addExcludes() {
    const auto bodiesOf = [&](std::size_t link) -> std::vector<std::string> {
      if (link == kWorld) return worldBodies_;
      if (owner_[link] == kWorld) return staticBodies_[link];
      return {bodyNames_.at(owner_[link])};
    };
    for (const auto& [a, b] : robot_.excludes) {
      for (const std::string& nameA : bodiesOf(a)) {
        for (const std::string& nameB : bodiesOf(b)) exclude(nameA, nameB);
      }
    }
  }

  // --- what ties bodies besides joints ---

  /// The body of a link (empty for the world) and a point of the link in the world.
  std::pair<std::string, Vector3D> bodyAt(std::size_t link, const Vector3D& point) const {
    if (link == kWorld) return {{}, point};
    return {owner_[link] == kWorld ? std::string{} : bodyNames_.at(owner_[link]),
            placed_.links[link].toWorld(point)};
  }

  void addWelds() {
    for (const RobotWeld& weld : robot_.welds) {
      auto [a, point] = bodyAt(weld.linkA, weld.anchor);
      auto b = bodyAt(weld.linkB, Vector3D::Zero()).first;
      if (b.empty()) std::swap(a, b);
      if (b.empty() || a == b) {
        notes_.add(weld.place, "<equality> between bodies that cannot move against each other",
                   "left out");
        continue;
      }
      result_.document.joints.push_back(
          {.name = weld.name,
           .kind = weld.keepsOrientation ? msd_sim::JointKind::kFixed : msd_sim::JointKind::kBall,
           .bodyA = a,
           .bodyB = b,
           .anchor = point,
           .collideConnected = true});
      result_.jointPlaces.push_back(weld.place);
    }
  }

  void addStrings() {
    for (const RobotString& string : robot_.strings) {
      auto [a, pointA] = bodyAt(string.linkA, string.pointA);
      auto [b, pointB] = bodyAt(string.linkB, string.pointB);
      if (b.empty()) {
        std::swap(a, b);
        std::swap(pointA, pointB);
      }
      if (b.empty() || a == b) {
        notes_.add(string.place, "a string between bodies that cannot move against each other",
                   "left out");
        continue;
      }
      result_.document.joints.push_back({.name = string.name,
                                         .kind = msd_sim::JointKind::kRope,
                                         .bodyA = a,
                                         .bodyB = b,
                                         .anchor = pointA,
                                         .anchorB = pointB,
                                         .length = string.length,
                                         .collideConnected = true});
      result_.jointPlaces.push_back(string.place);
    }
  }

  /// In the scene, too, coordinates count from the start.
  void addCouplings() {
    for (const RobotCoupling& coupling : robot_.couplings) {
      const auto follower = coordinateOf(coupling.follower);
      const auto leader = coordinateOf(coupling.leader);
      const auto known = jointIndex_.find(coupling.follower);
      const bool isHeld = coupling.leader.empty();
      if (!follower || known == jointIndex_.end() || (!isHeld && !leader)) {
        notes_.add(coupling.place,
                   "a joint that follows another, one of them fixed, floating or planar",
                   "left out");
        continue;
      }
      SceneJoint& joint = result_.document.joints[known->second];
      if (joint.follows) {
        notes_.add(coupling.place, "a joint that follows two others", "it follows the first");
        continue;
      }
      SceneFollow follows{.joint = coupling.leader, .ratio = isHeld ? 0.0 : coupling.ratio};
      follows.offset = follower->reference + coupling.offset - start_[follower->place];
      if (!isHeld) {
        follows.offset += coupling.ratio * (start_[leader->place] - leader->reference);
      }
      if (isHeld) follows.ratio = SceneFollow{}.ratio;
      joint.follows = follows;
    }
    refuseCircles();
  }

  void refuseCircles() {
    const auto leaderOf = [&](const std::string& name) -> std::string {
      const auto known = jointIndex_.find(name);
      if (known == jointIndex_.end()) return {};
      const auto& follows = result_.document.joints[known->second].follows;
      return follows ? follows->joint : std::string{};
    };
    for (const RobotCoupling& coupling : robot_.couplings) {
      std::string next = leaderOf(coupling.follower);
      for (std::size_t n = 0; n <= robot_.couplings.size() && !next.empty(); ++n) {
        if (next == coupling.follower) {
          failPlace(coupling.place, "joints that follow each other in a circle",
                    "a leader that follows nobody");
        }
        next = leaderOf(next);
      }
    }
  }

  // --- motors ---

  void addActuators() {
    for (std::size_t k = 0; k < robot_.actuators.size(); ++k) {
      const RobotActuator& actuator = robot_.actuators[k];
      const double control = k < controls_.size() ? controls_[k] : actuator.control;
      if (!actuator.sum.empty()) {
        addShares(actuator, control);
        continue;
      }
      const auto known = jointIndex_.find(actuator.joint);
      if (known == jointIndex_.end()) continue;
      SceneJoint& joint = result_.document.joints[known->second];
      if (joint.motor) {
        notes_.add(actuator.place, "a second actuator of one joint", "left out");
        continue;
      }
      if (actuator.gear == 0.0) {
        notes_.add(actuator.place, "an actuator with a gear of zero", "left out");
        continue;
      }
      joint.motor = motorOf(actuator, control);
    }
  }

  /// Each joint of a sum gets its share of the force; the forces of several sums add up.
  void addShares(const RobotActuator& actuator, double control) {
    const auto sum = std::ranges::find(robot_.sums, actuator.sum, &RobotSum::name);
    for (const RobotSum::Term& term : sum->terms) {
      const auto known = jointIndex_.find(term.joint);
      if (known == jointIndex_.end()) continue;
      SceneJoint& joint = result_.document.joints[known->second];
      if (joint.motor && !shared_.contains(term.joint)) {
        notes_.add(actuator.place, "a second actuator of one joint", "left out");
        continue;
      }
      if (!joint.motor)
        joint.motor = SceneMotor{.mode = msd_sim::MotorMode::kForce, .maxForce = 0.0};
      shared_.insert(term.joint);
      joint.motor->target += control * actuator.gear * term.coefficient;
      const double most = actuator.maxForce * std::abs(term.coefficient);
      if (!std::isfinite(most)) joint.motor->maxForce.reset();
      if (joint.motor->maxForce) *joint.motor->maxForce += most;
    }
  }

  /// Gains and targets on the joint's side of the gear.
  SceneMotor motorOf(const RobotActuator& actuator, double control) {
    using Kind = RobotActuator::Kind;
    using msd_sim::MotorMode;
    const double gear = actuator.gear;
    SceneMotor motor;
    if (std::isfinite(actuator.maxForce)) motor.maxForce = actuator.maxForce;
    switch (actuator.kind) {
      case Kind::kForce:
        motor.mode = MotorMode::kForce;
        motor.target = control * gear;
        break;
      case Kind::kVelocity:
        motor.mode = MotorMode::kVelocity;
        motor.target = control / gear;
        motor.damping = actuator.kd * gear * gear;
        break;
      case Kind::kPosition:
        motor.mode = MotorMode::kPosition;
        motor.target = control / gear - starts_[actuator.joint];
        motor.stiffness = actuator.kp * gear * gear;
        motor.damping = actuator.kd * gear * gear;
        if (actuator.dampingRatio > 0.0) {
          // The damping of a mass on a spring, the mass being all that the joint carries.
          motor.damping = 2.0 * actuator.dampingRatio *
                          std::sqrt(*motor.stiffness * inertiaAlong(actuator.joint));
        }
        break;
    }
    return motor;
  }

  /// What the joint moves, as it stands: the diagonal of the mass matrix [kg·m²] or [kg].
  double inertiaAlong(const std::string& name) const {
    for (std::size_t i = 0; i < robot_.links.size(); ++i) {
      for (std::size_t k = 0; k < robot_.links[i].joints.size(); ++k) {
        const RobotJoint& joint = robot_.links[i].joints[k];
        if (joint.name != name) continue;
        const RobotInertia all = transformed(carried_[i], placed_.links[i]);
        if (joint.kind == RobotJointKind::kSlide) return all.mass + joint.armature;
        const Vector3D& axis = placed_.joints[i][k].axis;
        const Vector3D arm = axis.cross(all.centre - placed_.joints[i][k].anchor);
        return axis.dot(all.inertia * axis) + all.mass * arm.squaredNorm() + joint.armature;
      }
    }
    return 0.0;
  }

  // --- sensors ---

  void addSensors() {
    for (const RobotSensor& sensor : robot_.sensors) {
      SceneSensor result{.name = uniqueSensor(sensor)};
      result.kind = static_cast<msd_sim::SensorKind>(
          std::ranges::find(msd_sim::kSensorTypes, sensor.type) - msd_sim::kSensorTypes.begin());
      if (!attach(sensor, result)) {
        notes_.add(sensor.place, "a sensor of something that is not in the scene", "left out");
        continue;
      }
      result_.document.sensors.push_back(std::move(result));
    }
  }

  std::string uniqueSensor(const RobotSensor& sensor) {
    const std::string name = sensor.name.empty() ? sensor.type + "_" + sensor.object : sensor.name;
    std::string unique = name;
    for (int i = 2; !sensorNames_.insert(unique).second; ++i)
      unique = fmt::format("{}_{}", name, i);
    return unique;
  }

  bool attach(const RobotSensor& sensor, SceneSensor& result) const {
    if (sensor.of == RobotSensor::Of::kJoint) {
      result.joint = sensor.object;
      const auto start = starts_.find(sensor.object);
      if (start == starts_.end()) return false;
      if (result.kind == msd_sim::SensorKind::kJointPosition) result.offset = start->second;
      return true;
    }
    for (std::size_t i = 0; i <= robot_.links.size(); ++i) {
      const bool world = i == robot_.links.size();
      const std::size_t link = world ? kWorld : i;
      const auto& sites = world ? robot_.worldSites : robot_.links[i].sites;
      const auto& geoms = world ? robot_.worldGeoms : robot_.links[i].geoms;
      if (sensor.of == RobotSensor::Of::kLink && !world && robot_.links[i].name == sensor.object) {
        const Vector3D centre = robot_.links[i].inertia.centre;
        return attachTo(link, {sensor.ofCentre ? centre : Vector3D::Zero(), Quaternion::Identity()},
                        nullptr, result);
      }
      for (const RobotSite& site : sites) {
        if (sensor.of == RobotSensor::Of::kSite && site.name == sensor.object) {
          return attachTo(link, site.pose, &site.geometry, result);
        }
      }
      for (const RobotGeom& geom : geoms) {
        if (sensor.of == RobotSensor::Of::kGeom && geom.name == sensor.object) {
          return attachTo(link, geom.pose, nullptr, result);
        }
      }
    }
    return false;
  }

  bool attachTo(std::size_t link, const Pose& pose, const RobotGeometry* volume,
                SceneSensor& result) const {
    Pose frame = pose;
    if (link == kWorld || owner_[link] == kWorld) {
      if (link != kWorld) frame = placed_.links[link] * pose;
    } else {
      result.body = bodyNames_.at(owner_[link]);
      frame = within_[link] * pose;
    }
    result.position = frame.position;
    result.orientation = written(frame.orientation);
    if (result.kind != msd_sim::SensorKind::kTouch) return true;
    if (result.body.empty()) return false;
    if (volume != nullptr) result.halfExtents = boundsOf(*volume);
    return true;
  }

  /// Half extents of the box around a site.
  static Vector3D boundsOf(const RobotGeometry& g) {
    switch (g.kind) {
      case GeometryKind::kSphere:
        return Vector3D::Constant(g.size.x());
      case GeometryKind::kCapsule:
        return {g.size.x(), g.size.x(), g.size.x() + g.size.y()};
      case GeometryKind::kCylinder:
        return {g.size.x(), g.size.x(), g.size.y()};
      default:
        return g.size;
    }
  }

  const RobotModel& robot_;
  const ImportOptions& options_;
  RobotDocument result_{};
  NoteList notes_{};
  ShapeMaker shapes_;
  SurfaceMaker surfaces_;

  std::vector<double> start_{};     ///< positions of all joints
  std::vector<double> controls_{};  ///< of the keyframe
  PlacedRobot placed_{};
  std::vector<std::size_t> owner_{};
  std::vector<Pose> within_{};
  std::vector<RobotInertia> inertia_{};  ///< per owner, in its frame
  std::vector<RobotInertia> carried_{};  ///< per owner, with all that hangs on it
  std::vector<std::vector<PlacedGeom>> geoms_{};
  std::vector<std::vector<PlacedGeom>> looks_{};
  std::set<std::string> names_{};
  std::map<std::size_t, std::string> bodyNames_{};
  std::vector<std::string> worldBodies_{};
  std::vector<std::vector<std::string>> staticBodies_{};
  std::map<std::string, double> starts_{};
  std::map<std::string, std::size_t> jointIndex_{};
  std::set<std::pair<std::string, std::string>> excluded_{};
  std::string ghostShape_{};
  std::set<std::string> sensorNames_{};
  std::set<std::string> shared_{};  ///< joints that sums push
};

}  // namespace

RobotDocument makeDocument(const RobotModel& robot, const ImportOptions& options) {
  return DocumentMaker{robot, options}.make();
}

}  // namespace msd_import
