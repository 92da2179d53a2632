#include "msd-scene/src/BuildScene.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <new>
#include <memory>
#include <tuple>
#include <utility>

#include "msd-scene/src/OverTime.hpp"
#include "msd-scene/src/ReadScene.hpp"
#include "msd-scene/src/SceneError.hpp"
#include "msd-scene/src/ScenePairs.hpp"
#include "msd-scene/src/ValidateScene.hpp"
#include "msd-sim/src/Environment/ContactExclusion.hpp"
#include "msd-sim/src/Physics/PotentialEnergy/Potentials.hpp"

namespace msd_scene {

namespace {

using msd_sim::BodyId;
using msd_sim::EnvironmentDescription;
using msd_sim::InertialDescription;
using msd_sim::JointDescription;
using msd_sim::Settings;
using msd_sim::WorldModel;

EnvironmentDescription describeStatic(const SceneBody& body, const SceneMaterial& material,
                                      const msd_assets::Shape& shape) {
  return {.name = body.name,
          .shape = shape,
          .position = body.position,
          .orientation = toQuaternion(body.orientation),
          .friction = material.friction,
          .restitution = material.restitution,
          .rollingResistance = material.rollingResistance,
          .torsionalResistance = material.torsionalResistance,
          .contactStiffness = material.stiffness.value_or(std::numeric_limits<double>::infinity()),
          .contactDamping = material.damping,
          .surfaceVelocity = body.surfaceVelocity,
          .filter = {.layer = body.layer, .mask = body.mask},
          .collides = body.collides};
}

InertialDescription describeMoving(const SceneBody& body, const SceneMaterial& material,
                                   const msd_assets::Shape& shape) {
  return {.name = body.name,
          .shape = shape,
          .density = material.density,
          .mass = body.mass.value_or(msd_sim::kUnset),
          .inertia = body.inertia,
          .centreOfMass = body.centreOfMass,
          .position = body.position,
          .orientation = toQuaternion(body.orientation),
          .linearVelocity = body.linearVelocity,
          .angularVelocity = body.angularVelocity,
          .friction = material.friction,
          .restitution = material.restitution,
          .rollingResistance = material.rollingResistance,
          .torsionalResistance = material.torsionalResistance,
          .contactStiffness = material.stiffness.value_or(std::numeric_limits<double>::infinity()),
          .contactDamping = material.damping,
          .surfaceVelocity = body.surfaceVelocity,
          .linearDamping = body.linearDamping,
          .angularDamping = body.angularDamping,
          .filter = {.layer = body.layer, .mask = body.mask},
          .collides = body.collides,
          .continuous = body.continuous,
          .kinematic = body.kinematic,
          .maySleep = body.maySleep};
}

JointDescription describeJoint(const SceneJoint& joint, BodyId bodyA, BodyId bodyB) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  JointDescription result{.name = joint.name,
                          .kind = joint.kind,
                          .bodyA = bodyA,
                          .bodyB = bodyB,
                          .anchor = joint.anchor,
                          .anchorB = joint.anchorB,
                          .length = joint.length.value_or(msd_sim::kUnset),
                          .stiffness = joint.stiffness.value_or(msd_sim::kUnset),
                          .damping = joint.damping,
                          .rest = joint.rest,
                          .friction = joint.friction,
                          .armature = joint.armature,
                          .breakingForce = joint.breakingForce.value_or(kInfinity),
                          .breakingTorque = joint.breakingTorque.value_or(kInfinity),
                          .collideConnected = joint.collideConnected};
  if (joint.axis) result.axis = joint.axis->normalized();
  if (joint.axisB) result.axisB = joint.axisB->normalized();
  if (joint.limit) {
    result.limit = {.lower = joint.limit->lower.value_or(-kInfinity),
                    .upper = joint.limit->upper.value_or(kInfinity)};
  }
  if (joint.motor) {
    const SceneMotor& motor = *joint.motor;
    result.motor = {.mode = motor.mode,
                    .target = motor.target,
                    .maxForce = motor.maxForce.value_or(kInfinity),
                    .frequency = motor.frequency,
                    .dampingRatio = motor.dampingRatio,
                    .stiffness = motor.stiffness.value_or(msd_sim::JointMotor::kUnset),
                    .damping = motor.damping.value_or(msd_sim::JointMotor::kUnset),
                    .feedForward = motor.feedForward,
                    .carriesLoad = motor.inverseDynamics ? false : motor.carriesLoad,
                    .gear = motor.gear,
                    .rotorInertia = motor.rotorInertia};
    if (!motor.targets.empty()) result.motor->target = motor.targets.front().value;
  }
  return result;
}

/// Runs `make`; what the engine refuses is reported at `path`.
template <class Make>
auto atPath(const JsonPath& path, Make&& make) {
  try {
    return make();
  } catch (const std::bad_alloc&) {
    throw;  // no fault of the scene
  } catch (const std::exception& reason) {
    throw SceneError{{.path = path,
                      .found = fmt::format("what the engine refuses: {}", reason.what()),
                      .expected = {}}};
  }
}

void spawnBodies(SceneWorld& scene, const SceneDocument& document, const SceneShapes& shapes) {
  const NameTable shapeTable{document.shapes};
  const std::vector<SceneMaterial> materials = surfaceMaterials(document);
  const NameTable materialTable{materials};
  scene.bodies.reserve(document.bodies.size());
  for (std::size_t i = 0; i < document.bodies.size(); ++i) {
    const SceneBody& body = document.bodies[i];
    const msd_assets::Shape& shape = shapes.at(shapeTable.find(body.shape));
    const SceneMaterial& material = materials[materialTable.find(body.material)];
    const BodyId id = atPath(JsonPath{} / "bodies" / i, [&] {
      return body.isStatic ? scene.world.spawn(describeStatic(body, material, shape))
                           : scene.world.spawn(describeMoving(body, material, shape));
    });
    scene.bodies.push_back(id);
    scene.bodyByName.emplace(body.name, id);
    if (!body.force.isZero(0.0) || !body.torque.isZero(0.0)) {
      scene.forces.push_back({id, body.force, body.torque});
    }
    if (!body.forces.empty() || !body.torques.empty()) {
      scene.timedForces.push_back({id, body.forces, body.torques});
    }
  }
}

std::unique_ptr<msd_sim::PotentialEnergy> makePotential(const ScenePotential& p) {
  switch (p.kind) {
    case PotentialKind::kUniform:
      return std::make_unique<msd_sim::UniformForcePotential>(p.force, p.point);
    case PotentialKind::kCentral:
      return std::make_unique<msd_sim::PointGravityPotential>(p.centre, p.strength, p.radius);
    case PotentialKind::kSpring:
      return std::make_unique<msd_sim::AnchorSpringPotential>(p.anchor, p.point, p.stiffness,
                                                              p.length);
  }
  return nullptr;
}

void addPotentials(SceneWorld& scene, const SceneDocument& document) {
  for (std::size_t i = 0; i < document.potentials.size(); ++i) {
    const ScenePotential& p = document.potentials[i];
    std::vector<BodyId> bodies;
    for (const std::string& name : p.bodies) bodies.push_back(scene.bodyByName.at(name));
    atPath(JsonPath{} / "potentials" / i,
           [&] { return scene.world.addPotential(makePotential(p), bodies); });
  }
}

void spawnJoints(SceneWorld& scene, const SceneDocument& document) {
  scene.joints.reserve(document.joints.size());
  for (std::size_t i = 0; i < document.joints.size(); ++i) {
    const SceneJoint& joint = document.joints[i];
    const BodyId bodyA = joint.bodyA.empty() ? BodyId{} : scene.bodyByName.at(joint.bodyA);
    const BodyId bodyB = scene.bodyByName.at(joint.bodyB);
    const auto id = atPath(JsonPath{} / "joints" / i,
                           [&] { return scene.world.spawn(describeJoint(joint, bodyA, bodyB)); });
    scene.joints.push_back(id);
    if (!joint.name.empty()) scene.jointByName.emplace(joint.name, id);
    if (joint.motor && !joint.motor->targets.empty()) {
      scene.motors.push_back({id, joint.motor->targets});
    }
    if (joint.motor && joint.motor->inverseDynamics) scene.tracking.add(id, joint);
  }
  for (std::size_t i = 0; i < document.joints.size(); ++i) {
    const auto& follows = document.joints[i].follows;
    if (!follows) continue;
    const auto leader = follows->joint.empty() ? std::nullopt
                                               : std::optional{scene.jointByName.at(follows->joint)};
    if (scene.following.empty()) {
      for (std::size_t b = 0; b < document.bodies.size(); ++b) {
        if (document.bodies[b].kinematic) scene.following.addKinematic(scene.bodies[b]);
      }
    }
    scene.following.add(scene.world, scene.joints[i], leader, follows->ratio, follows->offset);
  }
}

void addSensors(SceneWorld& scene, const SceneDocument& document) {
  for (std::size_t i = 0; i < document.sensors.size(); ++i) {
    const SceneSensor& sensor = document.sensors[i];
    msd_sim::SensorDescription description{
        .name = sensor.name,
        .kind = sensor.kind,
        .pose = {sensor.position, toQuaternion(sensor.orientation)},
        .volume = sensor.halfExtents,
        .range = sensor.range,
        .offset = sensor.offset};
    if (!sensor.body.empty()) description.body = scene.bodyByName.at(sensor.body);
    if (!sensor.joint.empty()) description.joint = scene.jointByName.at(sensor.joint);
    atPath(JsonPath{} / "sensors" / i,
           [&] { return scene.sensors.add(scene.world, std::move(description)); });
  }
}

SceneWorld build(const SceneDocument& document, const SceneShapes& shapes,
                 const SettingsOverrides& overrides) {
  SceneWorld scene{.world = WorldModel{makeSettings(document, overrides)},
                   .dt = overrides.dt.value_or(document.dt)};
  spawnBodies(scene, document, shapes);
  spawnJoints(scene, document);
  addPotentials(scene, document);
  for (const auto& [a, b] : document.exclude) {
    msd_sim::setPairCollides(scene.world, scene.bodyByName.at(a), scene.bodyByName.at(b), false);
  }
  addSensors(scene, document);
  return scene;
}

}  // namespace

msd_sim::StepReport SceneWorld::advance() {
  // The middle of the step: what changes evenly gets its mean.
  const double moment = world.time() + 0.5 * dt;
  if (!tracking.empty()) tracking.feedForward(world, dt);
  for (const TimedMotor& motor : motors) {
    const auto [target, rate] = valueAt(motor.targets, moment);
    world.setMotorTarget(motor.joint, target, rate);
  }
  if (!following.empty()) following.push(world, dt);
  for (const TimedForce& timed : timedForces) {
    const Vector3D force = vectorAt(timed.forces, moment), torque = vectorAt(timed.torques, moment);
    if (!force.isZero(0.0)) world.applyForce(timed.body, force);  // none lets it sleep
    if (!torque.isZero(0.0)) world.applyTorque(timed.body, torque);
  }
  for (const ConstantForce& constant : forces) {
    world.applyForce(constant.body, constant.force);
    world.applyTorque(constant.body, constant.torque);
  }
  msd_sim::StepReport report = world.update(dt);
  sensors.observe(world);
  return report;
}

Settings makeSettings(const SceneDocument& document, const SettingsOverrides& overrides) {
  Settings settings;
  const SceneSolver& s = document.solver;
  settings.gravity = document.gravity;
  settings.combine = combineByPairs(document);
  settings.method = overrides.method.value_or(s.method.value_or(settings.method));
  settings.substeps = overrides.substeps.value_or(s.substeps.value_or(settings.substeps));
  settings.iterations = overrides.iterations.value_or(s.iterations.value_or(settings.iterations));
  settings.exactTolerance = s.exactTolerance.value_or(settings.exactTolerance);
  settings.exactIterations = s.exactIterations.value_or(settings.exactIterations);
  settings.restitutionThreshold = s.restitutionThreshold.value_or(settings.restitutionThreshold);
  settings.positionCorrection = s.positionCorrection.value_or(settings.positionCorrection);
  settings.baumgarte = s.baumgarte.value_or(settings.baumgarte);
  settings.correctionSpeed = s.correctionSpeed.value_or(settings.correctionSpeed);
  settings.sleeping = overrides.sleeping.value_or(s.sleeping.value_or(settings.sleeping));
  settings.sleepSpeed = s.sleepSpeed.value_or(settings.sleepSpeed);
  settings.sleepTime = s.sleepTime.value_or(settings.sleepTime);
  settings.sequentialImpacts = s.sequentialImpacts.value_or(settings.sequentialImpacts);
  settings.threads = overrides.threads.value_or(settings.threads);
  settings.hashEveryStep = overrides.hashEveryStep.value_or(settings.hashEveryStep);
  return settings;
}

SceneWorld buildWorld(const SceneDocument& document, const SettingsOverrides& overrides) {
  const Validation validation = validate(document);
  if (const SceneIssue* error = validation.firstError()) {
    throw SceneError{{.path = error->path, .found = error->found, .expected = error->expected}};
  }
  return build(document, validation.shapes, overrides);
}

SceneWorld buildWorld(const LoadedScene& loaded, const SettingsOverrides& overrides) {
  return build(loaded.document, loaded.shapes, overrides);
}

std::vector<Overlap> findOverlaps(SceneWorld& scene, double share) {
  std::map<BodyId, std::size_t> place;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) place.emplace(scene.bodies[i], i);
  const auto size = [&](BodyId body) {
    const msd_sim::Aabb bounds = scene.world.bounds(body);
    return (bounds.upper - bounds.lower).maxCoeff();
  };
  scene.world.update(0.0);
  std::map<std::pair<std::size_t, std::size_t>, double> deepest;
  for (const msd_sim::ContactRecord& contact : scene.world.contacts()) {
    const double limit = share * std::min(size(contact.bodyA), size(contact.bodyB));
    if (-contact.gap <= limit) continue;
    double& depth = deepest[{place.at(contact.bodyA), place.at(contact.bodyB)}];
    depth = std::max(depth, -contact.gap);
  }
  std::vector<Overlap> overlaps;
  for (const auto& [pair, depth] : deepest) overlaps.push_back({pair.first, pair.second, depth});
  std::ranges::sort(overlaps, [](const Overlap& a, const Overlap& b) {
    return std::tuple{-a.depth, a.bodyA, a.bodyB} < std::tuple{-b.depth, b.bodyA, b.bodyB};
  });
  return overlaps;
}

}  // namespace msd_scene
