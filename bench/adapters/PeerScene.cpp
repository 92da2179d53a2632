#include <fmt/format.h>

#include <Eigen/Eigenvalues>

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
  if (body.mass || body.inertia) refuse(body, "a mass of its own");
}

void setMass(PeerBody& body, double density) {
  const msd_assets::MassProperties m = msd_assets::computeMassProperties(*body.shape);
  body.mass = density * m.volume;
  body.centreOfMass = m.centreOfMass;
  const bool diagonal = body.shape->kind() != ShapeKind::kHull;
  if (diagonal) {
    body.principalInertia = density * m.inertia.diagonal();
    return;
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> axes{m.inertia};
  Eigen::Matrix3d rotation = axes.eigenvectors();
  if (rotation.determinant() < 0.0) rotation.col(0) = -rotation.col(0);
  body.principalInertia = density * axes.eigenvalues();
  body.principalAxes = msd_sim::Quaternion{rotation};
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
                  .frame = {body.position, msd_scene::toQuaternion(body.orientation)}};
    checkBody(body, *peer.shape);
    if (!body.isStatic) setMass(peer, material.density);
    scene.bodies.push_back(peer);
  }
  for (const msd_scene::SceneJoint& joint : document.joints) {
    if (joint.kind != msd_sim::JointKind::kBall || joint.bodyA.empty() || joint.breakingForce) {
      throw NotServed{
          "a joint other than a ball between two bodies, which the adapters do not translate"};
    }
    scene.joints.push_back({bodies.find(joint.bodyA), bodies.find(joint.bodyB), joint.anchor});
  }
  return scene;
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
