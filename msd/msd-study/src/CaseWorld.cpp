#include "msd-study/src/CaseWorld.hpp"

#include "msd-scene/src/SceneError.hpp"
#include "msd-scene/src/ValidateScene.hpp"

namespace msd_study {

namespace {

using msd_scene::SceneBody;
using msd_scene::SceneDocument;
using msd_scene::SceneWorld;

/// Cases share the machine, not the step.
constexpr msd_scene::SettingsOverrides kOneThread{.threads = 1};

/// The state that WorldModel::spawn gives the body, to the bit.
msd_sim::InertialState startOf(const SceneBody& body, const msd_sim::AssetInertial& asset) {
  const msd_sim::Quaternion written = msd_scene::toQuaternion(body.orientation);
  const msd_sim::Pose frame{body.position, written.normalized()};
  const msd_sim::Coordinate& centre = asset.localCentreOfMass();
  return {.position = frame.toWorld(centre),
          .orientation = written,
          .velocity =
              body.linearVelocity + body.angularVelocity.cross(frame.orientation * centre),
          .angularVelocity = body.angularVelocity};
}

}  // namespace

CaseWorld::CaseWorld(const Study& study)
    : study_{study}, patch_{study.makePatch()}, scene_{study.scene()} {
  // The scene's own checks speak of the scene as it was written.
  scene_.document.expect.clear();
}

SceneWorld& CaseWorld::prepare(std::span<const double> values) {
  if (study_.variesParameters()) {
    scene_ = study_.expandedFor(values);
    scene_.document.expect.clear();
    patch_.emplace(study_.makePatch(scene_.document));
  }
  patch_->apply(values, scene_.document);
  msd_scene::Validation checked =
      msd_scene::validate(scene_.document, {scene_.shapes, patch_->changedShapes()});
  if (const msd_scene::SceneIssue* error = checked.firstError()) {
    throw msd_scene::SceneError{
        {.path = error->path, .found = error->found, .expected = error->expected}};
  }
  scene_.shapes = std::move(checked.shapes);
  if (world_ && patch_->changesStartOnly()) {
    reset();
  } else {
    world_.emplace(msd_scene::buildWorld(scene_, kOneThread));
    if (patch_->changesStartOnly()) {
      snapshot_ = world_->world.snapshot();
      sensors_ = world_->sensors;
    }
  }
  return *world_;
}

void CaseWorld::reset() {
  const SceneDocument& document = scene_.document;
  msd_sim::WorldModel& world = world_->world;
  world.restore(snapshot_);
  world_->sensors = sensors_;
  world_->dt = document.dt;
  if (world.settings().gravity != document.gravity) {
    world.setSettings(msd_scene::makeSettings(document, kOneThread));
  }
  for (const std::size_t place : patch_->movedBodies()) {
    const msd_sim::BodyId body = world_->bodies[place];
    world.setState(body, startOf(document.bodies[place], world.inertial(body)));
  }
  world_->forces.clear();
  for (std::size_t i = 0; i < document.bodies.size(); ++i) {
    const SceneBody& body = document.bodies[i];
    if (body.force.isZero(0.0) && body.torque.isZero(0.0)) continue;
    world_->forces.push_back({world_->bodies[i], body.force, body.torque});
  }
}

}  // namespace msd_study
