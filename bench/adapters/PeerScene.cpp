#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>

#include "bench/adapters/Peer.hpp"

namespace msd_bench {

namespace {

using msd_assets::ShapeKind;

void refuse(const msd_scene::SceneBody& body, const std::string& what) {
  throw NotServed{
      fmt::format("body \"{}\" has {}, which the adapters do not translate", body.name, what)};
}

void checkBody(const msd_scene::SceneBody& body, const msd_assets::Shape& shape) {
  if (shape.kind() == ShapeKind::kCompound) refuse(body, "a compound shape");
  if (shape.kind() == ShapeKind::kTerrain) refuse(body, "a height field");
  if (body.kinematic) refuse(body, "kinematic motion");
  if (!body.force.isZero() || !body.torque.isZero()) refuse(body, "a constant force");
  if (body.linearDamping != 0.0 || body.angularDamping != 0.0) refuse(body, "damping");
  if (!body.forces.empty() || !body.torques.empty()) refuse(body, "a force over time");
  if (!body.surfaceVelocity.isZero()) refuse(body, "a moving surface");
}

void setMass(PeerBody& body, double density) {
  const msd_scene::SceneBody& given = *body.scene;
  const msd_assets::MassProperties m = msd_assets::computeMassProperties(*body.shape);
  body.mass = given.mass.value_or(density * m.volume);
  body.centreOfMass = given.centreOfMass.value_or(m.centreOfMass);
  const msd_sim::Matrix3D inertia =
      given.inertia.value_or(msd_sim::Matrix3D{body.mass / m.volume * m.inertia});
  msd_sim::Matrix3D rest = inertia;
  rest.diagonal().setZero();
  if (rest.isZero(0.0) || (body.shape->kind() != ShapeKind::kHull && !given.inertia)) {
    body.principalInertia = inertia.diagonal();
    return;
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> axes{inertia};
  Eigen::Matrix3d rotation = axes.eigenvectors();
  if (rotation.determinant() < 0.0) rotation.col(0) = -rotation.col(0);
  body.principalInertia = axes.eigenvalues();
  body.principalAxes = msd_sim::Quaternion{rotation};
}

std::optional<PeerJointKind> peerKind(msd_sim::JointKind kind) {
  switch (kind) {
    case msd_sim::JointKind::kBall:
      return PeerJointKind::kBall;
    case msd_sim::JointKind::kHinge:
      return PeerJointKind::kHinge;
    case msd_sim::JointKind::kSlider:
      return PeerJointKind::kSlider;
    default:
      return std::nullopt;
  }
}

PeerJoint translate(const msd_scene::SceneJoint& joint, const msd_scene::NameTable& bodies) {
  const std::string_view type = msd_scene::kJointTypes[static_cast<std::size_t>(joint.kind)];
  const std::optional<PeerJointKind> kind = peerKind(joint.kind);
  if (!kind) {
    throw NotServed{fmt::format("a joint of type \"{}\", which the adapters do not translate", type)};
  }
  if (joint.limit || joint.motor || joint.stiffness || joint.damping != 0.0 ||
      joint.friction != 0.0 || joint.armature != 0.0 || joint.breakingForce ||
      joint.breakingTorque) {
    throw NotServed{
        fmt::format("a {} with a limit, motor, spring, friction or breaking load, which the "
                    "adapters do not translate",
                    type)};
  }
  PeerJoint made{.kind = *kind,
                 .bodyB = bodies.find(joint.bodyB),
                 .anchor = joint.anchor,
                 .axis = joint.axis.value_or(msd_sim::Vector3D{0.0, 0.0, 1.0}),
                 .collideConnected = joint.collideConnected};
  if (!joint.bodyA.empty()) made.bodyA = bodies.find(joint.bodyA);
  return made;
}

}  // namespace

PeerScene loadPeerScene(const std::string& path) {
  PeerScene scene;
  scene.loaded = msd_scene::loadSceneFile(path);
  const msd_scene::SceneDocument& document = scene.loaded.document;
  const msd_scene::NameTable shapes{document.shapes};
  const msd_scene::NameTable materials{document.materials};
  const msd_scene::NameTable bodies{document.bodies};
  for (const msd_scene::SceneBody& body : document.bodies) {
    const std::size_t place = materials.find(body.material);
    const msd_scene::SceneMaterial plain{};
    const msd_scene::SceneMaterial& material =
        place == msd_scene::NameTable::npos ? plain : document.materials[place];
    PeerBody peer{.scene = &body,
                  .shape = &scene.loaded.shapes.at(shapes.find(body.shape)),
                  .friction = material.friction,
                  .restitution = material.restitution,
                  .density = material.density,
                  .frame = {body.position, msd_scene::toQuaternion(body.orientation)}};
    checkBody(body, *peer.shape);
    if (!body.isStatic) setMass(peer, material.density);
    scene.bodies.push_back(peer);
  }
  for (const msd_scene::SceneJoint& joint : document.joints)
    scene.joints.push_back(translate(joint, bodies));
  return scene;
}

std::set<std::pair<std::size_t, std::size_t>> PeerScene::jointedPairs() const {
  std::set<std::pair<std::size_t, std::size_t>> pairs;
  for (const PeerJoint& joint : joints) {
    if (joint.bodyA && !joint.collideConnected)
      pairs.insert(std::minmax(*joint.bodyA, joint.bodyB));
  }
  return pairs;
}

FrameState frameState(const PeerBody& body, const msd_sim::Pose& principal,
                      const msd_sim::CoordinateRate& velocityOfCentre,
                      const msd_sim::AngularRate& angularVelocity) {
  FrameState state;
  state.pose = principal * body.principal().inverse();
  // v_frame = v_centre + ω × (origin - centre)
  const msd_sim::Vector3D arm = state.pose.position - principal.position;
  state.velocity = velocityOfCentre + angularVelocity.cross(arm);
  state.angularVelocity = angularVelocity;
  return state;
}

}  // namespace msd_bench
