#include "msd-view/src/SceneInfo.hpp"

#include <map>
#include <type_traits>
#include <utility>
#include <variant>

namespace msd_view {

namespace {

using msd_sim::Aabb;
using msd_sim::BodyId;
using msd_sim::Coordinate;
using msd_sim::Pose;
using msd_sim::Vector3D;

SceneInfo::Body describeBody(const msd_scene::SceneWorld& scene, BodyId id,
                             const msd_scene::SceneBody& body, std::uint32_t shape) {
  SceneInfo::Body result{.name = body.name,
                         .shape = shape,
                         .isStatic = body.isStatic,
                         .isKinematic = body.kinematic,
                         .constantForce = body.force,
                         .colour = body.colour};
  if (!scene.world.isEnvironment(id)) {
    const msd_sim::AssetInertial& asset = scene.world.inertial(id);
    result.mass = asset.getMass();
    result.centre = asset.localCentreOfMass();
    result.inertia = asset.getInertiaTensor();
  }
  return result;
}

std::vector<SceneInfo::Visual> describeVisuals(const std::vector<msd_scene::SceneVisual>& visuals,
                                               const msd_scene::NameTable& shapes) {
  std::vector<SceneInfo::Visual> result;
  for (const msd_scene::SceneVisual& visual : visuals) {
    result.push_back({.shape = static_cast<std::uint32_t>(shapes.find(visual.shape)),
                      .pose = {visual.position, msd_scene::toQuaternion(visual.orientation)},
                      .colour = visual.colour});
  }
  return result;
}

/// Joints are placed in the world as the bodies stand at the start; pictures need them on the
/// bodies.
SceneInfo::Joint describeJoint(const msd_scene::SceneDocument& document,
                               const msd_scene::SceneJoint& joint,
                               const std::map<std::string, std::uint32_t>& place) {
  const auto poseOf = [&](std::uint32_t body) {
    const msd_scene::SceneBody& at = document.bodies[body];
    return Pose{at.position, msd_scene::toQuaternion(at.orientation)};
  };
  SceneInfo::Joint result{
      .name = joint.name, .kind = joint.kind, .limit = joint.limit, .motor = joint.motor};
  if (joint.follows) result.follows = joint.follows->joint;
  result.anchorA = joint.anchor;
  result.axis = joint.axis.value_or(Vector3D::UnitZ()).normalized();
  result.bodyB = place.at(joint.bodyB);
  result.anchorB = poseOf(result.bodyB).toLocal(joint.anchorB.value_or(joint.anchor));
  if (!joint.bodyA.empty()) {
    result.bodyA = place.at(joint.bodyA);
    const Pose pose = poseOf(result.bodyA);
    result.anchorA = pose.toLocal(joint.anchor);
    result.axis = pose.orientation.conjugate() * result.axis;
  }
  return result;
}

Aabb boundsOfPoints(std::span<const Eigen::Vector3d> points, const Pose& pose) {
  Aabb bounds;
  for (const Eigen::Vector3d& point : points) {
    const Coordinate p = pose.toWorld(point);
    bounds.lower = bounds.lower.cwiseMin(p);
    bounds.upper = bounds.upper.cwiseMax(p);
  }
  return bounds;
}

Aabb about(const Coordinate& centre, const Vector3D& reach) {
  return {centre - reach, centre + reach};
}

/// Reach along the world axes of a disc of this radius whose axis is z: r·√(1 - z_i²).
Vector3D discReach(const Vector3D& z, double radius) {
  return radius * (1.0 - z.array().square()).max(0.0).sqrt().matrix();
}

}  // namespace

Aabb tightBounds(const msd_assets::Shape& shape, const Pose& pose) {
  const msd_sim::Matrix3D rotation = pose.orientation.toRotationMatrix();
  const Vector3D z = rotation.col(2);
  return std::visit(
      [&](const auto& value) -> Aabb {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, msd_assets::Sphere>) {
          return about(pose.position, Vector3D::Constant(value.radius));
        } else if constexpr (std::is_same_v<T, msd_assets::Box>) {
          return about(pose.position, rotation.cwiseAbs() * value.halfExtents);
        } else if constexpr (std::is_same_v<T, msd_assets::Capsule>) {
          const Vector3D ends = z.cwiseAbs() * value.halfHeight;
          return about(pose.position, ends + Vector3D::Constant(value.radius));
        } else if constexpr (std::is_same_v<T, msd_assets::Cylinder>) {
          return about(pose.position, z.cwiseAbs() * value.halfHeight + discReach(z, value.radius));
        } else if constexpr (std::is_same_v<T, msd_assets::Hull>) {
          return boundsOfPoints(value.polyhedron->vertices(), pose);
        } else if constexpr (std::is_same_v<T, msd_assets::Plane>) {
          return {};
        } else if constexpr (std::is_same_v<T, msd_assets::Compound>) {
          Aabb bounds;
          for (const msd_assets::CompoundPart& part : value.parts) {
            bounds = bounds.merged(
                tightBounds(part.shape, pose * Pose{part.position, part.orientation}));
          }
          return bounds;
        } else {
          const Eigen::AlignedBox3d local = msd_assets::localBounds(shape);
          return about(pose.toWorld(local.center()), rotation.cwiseAbs() * (0.5 * local.sizes()));
        }
      },
      shape.value());
}

SceneInfo describeScene(const msd_scene::LoadedScene& loaded, const msd_scene::SceneWorld& scene,
                        std::string file) {
  const msd_scene::SceneDocument& document = loaded.document;
  SceneInfo info{.name = document.name,
                 .description = document.description,
                 .file = std::move(file),
                 .gravity = document.gravity,
                 .dt = scene.dt,
                 .steps = document.steps,
                 .camera = document.camera,
                 .shapes = loaded.shapes};
  for (const msd_scene::SceneShape& shape : document.shapes) info.shapeNames.push_back(shape.name);
  for (const msd_scene::SceneProblem& warning : loaded.warnings) {
    info.warnings.push_back(msd_scene::describe(warning));
  }
  const msd_scene::NameTable shapeTable{document.shapes};
  std::map<std::string, std::uint32_t> place;
  Coordinate sum = Coordinate::Zero();
  for (std::size_t i = 0; i < document.bodies.size(); ++i) {
    const msd_scene::SceneBody& body = document.bodies[i];
    place.emplace(body.name, static_cast<std::uint32_t>(i));
    const auto shape = static_cast<std::uint32_t>(shapeTable.find(body.shape));
    info.bodies.push_back(describeBody(scene, scene.bodies[i], body, shape));
    if (body.visual) info.bodies.back().visual = describeVisuals(*body.visual, shapeTable);
    sum += body.position;
  }
  for (const msd_scene::SceneJoint& joint : document.joints) {
    info.joints.push_back(describeJoint(document, joint, place));
  }
  // Whole metres, so that the numbers on the way stay as readable as those of the scene.
  if (!document.bodies.empty()) {
    info.origin = (sum / static_cast<double>(document.bodies.size())).array().round();
  }
  return info;
}

}  // namespace msd_view
