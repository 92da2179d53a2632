#include "msd-record/src/WriteBeginning.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <map>

#include "msd-record/src/Schema.hpp"
#include "msd-scene/src/SceneShapes.hpp"
#include "msd-scene/src/WriteScene.hpp"

namespace msd_record {

namespace {

using msd_scene::SceneDocument;
using msd_scene::SceneWorld;

void writeAbout(Database& database, const SceneDocument& document, const SceneWorld& scene,
                const RecordOptions& options) {
  const auto now =
      std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
  Statement insert = database.prepare(insertStatement(table("about")));
  const auto fact = [&](std::string_view key, const auto& value, std::string_view unit = "-") {
    insert.bind(1, key).bind(2, value).bind(3, unit).run();
  };
  const auto whole = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  fact("format", std::string_view{"msd recording"});
  fact("engine", std::string_view{"msd-sim"});
  fact("version", std::string_view{options.version});
  fact("build", std::string_view{options.build});
  fact("scene", std::string_view{document.name});
  fact("created", std::string_view{fmt::format("{:%Y-%m-%dT%H:%M:%S}Z", fmt::gmtime(now))});
  fact("status", std::string_view{"recording"});
  fact("end", std::string_view{});
  fact("dt", scene.dt, "s");
  fact("steps_asked", whole(options.stepsAsked));
  fact("record_every", whole(options.every));
  fact("bodies", whole(scene.bodies.size()));
  fact("joints", whole(scene.joints.size()));
}

void writeSettings(Database& database, const msd_sim::Settings& s) {
  Statement insert = database.prepare(insertStatement(table("settings")));
  const auto setting = [&](std::string_view name, const auto& value, std::string_view unit = "-") {
    insert.bind(1, name).bind(2, value).bind(3, unit).run();
  };
  const auto whole = [](auto value) { return static_cast<std::int64_t>(value); };
  setting("gravity.x", s.gravity.x(), "m/s^2");
  setting("gravity.y", s.gravity.y(), "m/s^2");
  setting("gravity.z", s.gravity.z(), "m/s^2");
  setting("method", msd_sim::methodName(s.method));
  setting("substeps", whole(s.substeps));
  setting("iterations", whole(s.iterations));
  setting("exactTolerance", s.exactTolerance);
  setting("exactIterations", whole(s.exactIterations));
  setting("restitutionThreshold", s.restitutionThreshold, "m/s");
  setting("positionCorrection", s.positionCorrection);
  setting("correctionSpeed", s.correctionSpeed, "1/s");
  setting("sleeping", whole(s.sleeping));
  setting("sleepSpeed", s.sleepSpeed, "m/s");
  setting("sleepTime", s.sleepTime, "s");
  setting("threads", whole(s.threads));
  setting("sequentialImpacts", whole(s.sequentialImpacts));
}

/// NaN where the shape encloses no volume.
double volumeOf(const msd_assets::Shape& shape) {
  try {
    return msd_assets::computeMassProperties(shape).volume;
  } catch (const std::invalid_argument&) {
    return msd_sim::kUnset;
  }
}

void writeShapes(Database& database, const SceneDocument& document, const SceneWorld& scene) {
  std::map<std::string_view, const msd_assets::Shape*> built;
  for (std::size_t i = 0; i < document.bodies.size(); ++i) {
    built.emplace(document.bodies[i].shape, &scene.world.asset(scene.bodies[i]).getShape());
  }
  Statement insert = database.prepare(insertStatement(table("shapes")));
  for (std::size_t i = 0; i < document.shapes.size(); ++i) {
    const msd_scene::SceneShape& shape = document.shapes[i];
    insert.bind(1, static_cast<std::int64_t>(i)).bind(2, std::string_view{shape.name});
    insert.bind(3, msd_scene::typeName(shape));
    for (int column = 4; column <= 7; ++column) insert.bindNull(column);
    if (const auto found = built.find(shape.name); found != built.end()) {
      const Eigen::Vector3d size = msd_assets::localBounds(*found->second).sizes();
      for (int k = 0; k < 3; ++k) insert.bind(4 + k, size[k]);
      insert.bind(7, volumeOf(*found->second));
    }
    insert.run();
  }
}

void bindMass(Statement& insert, int column, const msd_sim::AssetInertial& body) {
  const msd_sim::Coordinate& centre = body.localCentreOfMass();
  const msd_sim::Matrix3D& inertia = body.getInertiaTensor();
  for (const double value :
       {body.getMass(), centre.x(), centre.y(), centre.z(), inertia(0, 0), inertia(1, 1),
        inertia(2, 2), inertia(0, 1), inertia(0, 2), inertia(1, 2)}) {
    insert.bind(column++, value);
  }
}

void writeBodies(Database& database, const SceneDocument& document, const SceneWorld& scene) {
  const msd_scene::NameTable shapes{document.shapes};
  Statement insert = database.prepare(insertStatement(table("bodies")));
  std::int64_t place = 0;
  for (std::size_t i = 0; i < document.bodies.size(); ++i) {
    const msd_scene::SceneBody& body = document.bodies[i];
    const msd_sim::AssetPhysical& asset = scene.world.asset(scene.bodies[i]);
    insert.bind(1, static_cast<std::int64_t>(i)).bind(2, std::string_view{body.name});
    insert.bind(3, std::string_view{body.isStatic    ? "static"
                                    : body.kinematic ? "kinematic"
                                                     : "moving"});
    insert.bind(4, static_cast<std::int64_t>(shapes.find(body.shape)));
    for (int column = 5; column <= 15; ++column) insert.bindNull(column);
    if (!body.isStatic) {
      insert.bind(5, place++);
      bindMass(insert, 6, scene.world.inertial(scene.bodies[i]));
    }
    const msd_sim::Pose& pose = asset.pose();
    const Eigen::Vector3d v = pose.orientation.vec();
    int column = 16;
    for (const double value :
         {asset.getFrictionCoefficient(), asset.getCoefficientOfRestitution(), pose.position.x(),
          pose.position.y(), pose.position.z(), pose.orientation.w(), v.x(), v.y(), v.z()}) {
      insert.bind(column++, value);
    }
    insert.run();
  }
}

void writeJoints(Database& database, const SceneDocument& document) {
  const msd_scene::NameTable bodies{document.bodies};
  Statement insert = database.prepare(insertStatement(table("joints")));
  for (std::size_t i = 0; i < document.joints.size(); ++i) {
    const msd_scene::SceneJoint& joint = document.joints[i];
    insert.bind(1, static_cast<std::int64_t>(i));
    joint.name.empty() ? insert.bindNull(2) : insert.bind(2, std::string_view{joint.name});
    insert.bind(3, msd_scene::kJointTypes[static_cast<std::size_t>(joint.kind)]);
    joint.bodyA.empty() ? insert.bindNull(4)
                        : insert.bind(4, static_cast<std::int64_t>(bodies.find(joint.bodyA)));
    insert.bind(5, static_cast<std::int64_t>(bodies.find(joint.bodyB))).run();
  }
}

}  // namespace

void writeBeginning(Database& database, const SceneDocument& document, const SceneWorld& scene,
                    const RecordOptions& options) {
  database.execute(
      fmt::format("PRAGMA page_size = {}; BEGIN IMMEDIATE; PRAGMA application_id = {};"
                  "PRAGMA user_version = {}",
                  kPageBytes, kApplicationId, kSchemaVersion));
  for (const Table& table : tables()) database.execute(createStatement(table));
  for (const View& view : views()) database.execute(std::string{view.sql});
  writeAbout(database, document, scene, options);
  writeSettings(database, scene.world.settings());
  const std::string json = msd_scene::writeScene(document, {.embedMeshes = true});
  database.prepare(insertStatement(table("scene"))).bind(1, std::string_view{json}).run();
  writeShapes(database, document, scene);
  writeBodies(database, document, scene);
  writeJoints(database, document);
  database.execute("COMMIT");
}

}  // namespace msd_record
