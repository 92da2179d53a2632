// Makes the file of a recording and fills in what does not change while it runs.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <map>
#include <system_error>
#include <tuple>

#include "msd-record/src/FileLock.hpp"
#include "msd-record/src/OpenRecording.hpp"
#include "msd-record/src/RecordError.hpp"
#include "msd-record/src/RecordingFile.hpp"
#include "msd-record/src/Schema.hpp"
#include "msd-scene/src/SceneShapes.hpp"
#include "msd-scene/src/WriteScene.hpp"

namespace msd_record {

namespace {

namespace fs = std::filesystem;
using msd_scene::SceneDocument;
using msd_scene::SceneWorld;
using msd_sim::WorldModel;

constexpr std::uint64_t kBodiesPerStep = 1000;

/// Pages are large since rows are long and come in order; the log is folded into the file every
/// 64 MiB.
constexpr int kPageBytes = 16384;
constexpr int kCheckpointPages = (64 << 20) / kPageBytes;

std::vector<fs::path> filesOf(const fs::path& path) {
  std::vector<fs::path> files{path};
  for (const char* suffix : {"-wal", "-shm", "-journal"}) files.push_back(path.string() + suffix);
  return files;
}

/// What stands in the way is refused, or removed where the user said so.
void makeRoom(const fs::path& path, bool force) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  const std::string name = path.string();
  if (fs::is_directory(fs::status(path, error))) {
    throw RecordError{fmt::format("cannot write {}: it is a directory", name)};
  }
  const bool exists = fs::exists(status);
  if (!exists && !force && fs::exists(name + "-wal", error)) {
    throw RecordError{
        fmt::format("cannot write {}: {}-wal is left of a recording whose main file is gone; "
                    "--force removes it",
                    name, name)};
  }
  if (exists && !force) {
    throw RecordError{fmt::format("cannot write {}: it exists; --force replaces it", name)};
  }
  if (exists && fs::is_regular_file(fs::status(path, error)) && fs::file_size(path, error) > 0) {
    try {
      const Database probe = openRecording(path, OpenMode::kRead);
    } catch (const RecordError&) {
      throw RecordError{fmt::format(
          "cannot write {}: it exists and is no recording that --force may replace", name)};
    }
    const FileLock lock{path, FileLock::Mode::kExisting};
  } else if (exists && !fs::is_regular_file(status)) {
    throw RecordError{fmt::format("cannot write {}: it is no regular file", name)};
  }
  for (const fs::path& file : filesOf(path)) {
    if (fs::remove(file, error); error) {
      throw RecordError{fmt::format("cannot write {}: {}", file.string(), error.message())};
    }
  }
}

void setUp(Database& database, bool durable) {
  database.execute(
      fmt::format("PRAGMA synchronous = {}; PRAGMA secure_delete = OFF; PRAGMA cache_size = -65536;"
                  "PRAGMA wal_autocheckpoint = {}; PRAGMA journal_size_limit = {}",
                  durable ? "FULL" : "NORMAL", kCheckpointPages, 64 << 20));
}

void switchToLog(Database& database, const fs::path& path) {
  Statement mode = database.prepare("PRAGMA journal_mode = WAL");
  if (!mode.step() || mode.text(0) != "wal") {
    throw RecordError{
        fmt::format("cannot write {}: its file system does not support SQLite's write-ahead log",
                    path.string())};
  }
}

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

/// The whole beginning in one transaction: a run killed here leaves a file that is empty, or one
/// that can be resumed from the scene's start.
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

}  // namespace

std::uint64_t framesEvery(const WorldModel& world) {
  std::uint64_t moving = 0;
  for (const msd_sim::BodyId body : world.bodies()) moving += world.isEnvironment(body) ? 0 : 1;
  return std::max<std::uint64_t>(1, (moving + kBodiesPerStep - 1) / kBodiesPerStep);
}

std::unique_ptr<RecordingFile> RecordingFile::create(const fs::path& path,
                                                     const SceneDocument& document,
                                                     const SceneWorld& scene,
                                                     const RecordOptions& options) {
  makeRoom(path, options.force);
  auto lock = std::make_unique<FileLock>(path, FileLock::Mode::kNew);
  try {
    Database database{fs::absolute(path).string(), OpenMode::kWrite, options.vfs};
    setUp(database, options.durable);
    writeBeginning(database, document, scene, options);
    switchToLog(database, path);
    return std::unique_ptr<RecordingFile>{
        new RecordingFile{path, std::move(lock), std::move(database), scene}};
  } catch (const std::exception& reason) {
    std::error_code ignored;
    for (const fs::path& file : filesOf(path)) fs::remove(file, ignored);
    if (dynamic_cast<const RecordError*>(&reason) != nullptr) throw;
    throw RecordError{fmt::format("cannot write {}: {}", path.string(), reason.what())};
  }
}

std::unique_ptr<RecordingFile> RecordingFile::append(const fs::path& path, const SceneWorld& scene,
                                                     const RecordOptions& options) {
  auto lock = std::make_unique<FileLock>(path, FileLock::Mode::kExisting);
  try {
    Database database = openRecording(path, OpenMode::kWrite, options.vfs);
    setUp(database, options.durable);
    switchToLog(database, path);
    Statement update = database.prepare("UPDATE about SET value = ?2 WHERE key = ?1");
    update.bind(1, std::string_view{"status"}).bind(2, std::string_view{"recording"}).run();
    update.bind(1, std::string_view{"steps_asked"});
    update.bind(2, static_cast<std::int64_t>(options.stepsAsked)).run();
    return std::unique_ptr<RecordingFile>{
        new RecordingFile{path, std::move(lock), std::move(database), scene}};
  } catch (const SqliteError& reason) {
    throw RecordError{fmt::format("cannot write {}: {}", path.string(), reason.what())};
  }
}

}  // namespace msd_record
