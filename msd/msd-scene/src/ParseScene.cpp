#include "msd-scene/src/ParseScene.hpp"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "msd-scene/src/FieldTable.hpp"
#include "msd-scene/src/JsonValues.hpp"

namespace msd_scene {

namespace {

using R = JsonReader;
using D = SceneDocument;
using msd_sim::Method;

constexpr std::uint64_t kMostInt = 1'000'000'000;

int readInt(JsonReader& reader, std::uint64_t low) {
  return static_cast<int>(readWhole(reader, low, kMostInt));
}

constexpr std::array<Field<SceneMaterial>, 7> kMaterialFields{{
    {"friction", [](R& r, SceneMaterial& m) { m.friction = readNumber(r, "[-]"); }},
    {"restitution", [](R& r, SceneMaterial& m) { m.restitution = readNumber(r, "[-]"); }},
    {"density", [](R& r, SceneMaterial& m) { m.density = readNumber(r, "[kg/m³]"); }},
    {"rollingResistance",
     [](R& r, SceneMaterial& m) { m.rollingResistance = readNumber(r, "[m]"); }},
    {"torsionalResistance",
     [](R& r, SceneMaterial& m) { m.torsionalResistance = readNumber(r, "[m]"); }},
    {"stiffness", [](R& r, SceneMaterial& m) { m.stiffness = readNumber(r, "[N/m]"); }},
    {"damping", [](R& r, SceneMaterial& m) { m.damping = readNumber(r, "[N·s/m]"); }},
}};

/// Names that stand in an array of two.
std::array<std::string, 2> readTwoNames(JsonReader& reader, std::string_view what) {
  std::array<std::string, 2> names;
  const std::size_t start = reader.offset();
  const std::size_t count =
      reader.readArray(fmt::format("an array of two: each {}", what), [&](std::size_t i) {
        std::string name = readName(reader, what);
        if (i < 2) names[i] = std::move(name);
      });
  if (count != 2) {
    reader.failAt(start, reader.path(), fmt::format("an array of {}", count),
                  fmt::format("an array of two: each {}", what));
  }
  return names;
}

using P = ScenePair;
constexpr std::array<Field<P>, 5> kPairFields{{
    {"materials",
     [](R& r, P& p) {
       auto names = readTwoNames(r, "the name of a material");
       p.materialA = std::move(names[0]);
       p.materialB = std::move(names[1]);
     },
     "the names of two materials"},
    {"friction", [](R& r, P& p) { p.friction = readNumber(r, "[-]"); }},
    {"restitution", [](R& r, P& p) { p.restitution = readNumber(r, "[-]"); }},
    {"rollingResistance", [](R& r, P& p) { p.rollingResistance = readNumber(r, "[m]"); }},
    {"torsionalResistance", [](R& r, P& p) { p.torsionalResistance = readNumber(r, "[m]"); }},
}};

constexpr std::array<Field<SceneSolver>, 13> kSolverFields{{
    {"method",
     [](R& r, SceneSolver& s) { s.method = static_cast<Method>(readChoice(r, msd_sim::kMethodNames)); }},
    {"substeps", [](R& r, SceneSolver& s) { s.substeps = readInt(r, 0); }},
    {"iterations", [](R& r, SceneSolver& s) { s.iterations = readInt(r, 1); }},
    {"exactTolerance", [](R& r, SceneSolver& s) { s.exactTolerance = readNumber(r, "[-]"); }},
    {"exactIterations", [](R& r, SceneSolver& s) { s.exactIterations = readInt(r, 1); }},
    {"restitutionThreshold",
     [](R& r, SceneSolver& s) { s.restitutionThreshold = readNumber(r, "[m/s]"); }},
    {"positionCorrection",
     [](R& r, SceneSolver& s) { s.positionCorrection = readNumber(r, "[-]"); }},
    {"baumgarte", [](R& r, SceneSolver& s) { s.baumgarte = readNumber(r, "[-]"); }},
    {"correctionSpeed", [](R& r, SceneSolver& s) { s.correctionSpeed = readNumber(r, "[1/s]"); }},
    {"sleeping", [](R& r, SceneSolver& s) { s.sleeping = r.readBoolean("true or false"); }},
    {"sleepSpeed", [](R& r, SceneSolver& s) { s.sleepSpeed = readNumber(r, "[m/s]"); }},
    {"sleepTime", [](R& r, SceneSolver& s) { s.sleepTime = readNumber(r, "[s]"); }},
    {"sequentialImpacts",
     [](R& r, SceneSolver& s) { s.sequentialImpacts = r.readBoolean("true or false"); }},
}};

constexpr std::array<Field<SceneCamera>, 2> kCameraFields{{
    {"position", [](R& r, SceneCamera& c) { c.position = readVector3(r, "[m]"); },
     "where the camera stands [m]"},
    {"target", [](R& r, SceneCamera& c) { c.target = readVector3(r, "[m]"); },
     "the point it looks at [m]"},
}};

using N = SceneSensor;
constexpr std::array<Field<N>, 9> kSensorFields{{
    {"type",
     [](R& r, N& n) {
       n.kind = static_cast<msd_sim::SensorKind>(readChoice(r, msd_sim::kSensorTypes));
     },
     "what it measures, such as \"gyro\""},
    {"name", [](R& r, N& n) { n.name = readName(r, "a sensor's name"); }, "a sensor's name"},
    {"body", [](R& r, N& n) { n.body = readName(r, "the name of a body or \"world\""); }},
    {"joint", [](R& r, N& n) { n.joint = readName(r, "the name of a joint"); }},
    {"position", [](R& r, N& n) { n.position = readVector3(r, "[m]"); }},
    {"orientation", [](R& r, N& n) { n.orientation = readRotation(r); }},
    {"halfExtents", [](R& r, N& n) { n.halfExtents = readVector3(r, "[m]"); }},
    {"range", [](R& r, N& n) { n.range = readNumber(r, "[m]"); }},
    {"offset", [](R& r, N& n) { n.offset = readNumber(r, "[rad] or [m]"); }},
}};

using C = SceneReferenceCheck;
constexpr std::array<Field<C>, 5> kReferenceFields{{
    {"applies", [](R& r, C& c) { c.applies = r.readBoolean("true or false"); }},
    {"value", [](R& r, C& c) { c.value = readNumber(r, "(in the quantity's unit)"); }},
    {"tolerance", [](R& r, C& c) { c.tolerance = readNumber(r, "(in the quantity's unit)"); }},
    {"min", [](R& r, C& c) { c.min = readNumber(r, "(in the quantity's unit)"); }},
    {"max", [](R& r, C& c) { c.max = readNumber(r, "(in the quantity's unit)"); }},
}};

using E = SceneExpectation;

/// "end", a time in seconds, or the largest, the smallest or the span of all values of the run.
void readMoment(JsonReader& reader, E& e) {
  if (reader.peek() == JsonKind::kNumber) {
    e.time = readNumber(reader, "[s]");
    return;
  }
  if (reader.peek() != JsonKind::kString) {
    reader.failValue("\"end\", \"max\", \"min\", \"range\" or a time [s]");
  }
  constexpr std::array<std::string_view, 4> kMoments{"end", "max", "min", "range"};
  e.over = static_cast<RunValue>(readChoice(reader, kMoments));
}

using Q = SceneQuantity;
constexpr std::array<Field<Q>, 4> kMinusFields{{
    {"body", [](R& r, Q& q) { q.body = readName(r, "the name of a body"); }},
    {"joint", [](R& r, Q& q) { q.joint = readName(r, "the name of a joint"); }},
    {"sensor", [](R& r, Q& q) { q.sensor = readName(r, "the name of a sensor"); }},
    {"quantity", [](R& r, Q& q) { q.quantity = readName(r, "the name of a quantity"); }},
}};

/// "start", or another quantity.
void readMinus(JsonReader& reader, E& e) {
  if (reader.peek() == JsonKind::kString) {
    constexpr std::array<std::string_view, 1> kStart{"start"};
    (void)readChoice(reader, kStart);
    e.minusStart = true;
    return;
  }
  readFields(reader, "what is subtracted", kMinusFields, e.minus.emplace());
}

constexpr std::array<Field<E>, 11> kExpectFields{{
    {"body", [](R& r, E& e) { e.body = readName(r, "the name of a body"); }},
    {"joint", [](R& r, E& e) { e.joint = readName(r, "the name of a joint"); }},
    {"quantity", [](R& r, E& e) { e.quantity = readName(r, "the name of a quantity"); },
     "what to look at, such as \"position.z\""},
    {"value", [](R& r, E& e) { e.value = readNumber(r, "(in the quantity's unit)"); }},
    {"tolerance", [](R& r, E& e) { e.tolerance = readNumber(r, "(in the quantity's unit)"); }},
    {"min", [](R& r, E& e) { e.min = readNumber(r, "(in the quantity's unit)"); }},
    {"max", [](R& r, E& e) { e.max = readNumber(r, "(in the quantity's unit)"); }},
    {"at", readMoment},
    {"sensor", [](R& r, E& e) { e.sensor = readName(r, "the name of a sensor"); }},
    {"minus", readMinus},
    {"reference",
     [](R& r, E& e) {
       readFields(r, "what a check asks of the reference method", kReferenceFields,
                  e.reference.emplace());
     }},
}};

/// Reads an object whose keys are names of things. Each name may occur once.
template <class OnEntry>
void readNamed(JsonReader& reader, std::string_view what, OnEntry&& onEntry) {
  std::set<std::string, std::less<>> names;
  reader.readObject(fmt::format("an object: {} by name", what), [&](std::string_view key) {
    checkName(reader, key, "a name");
    if (!names.emplace(key).second) {
      reader.fail(fmt::format("the name {} a second time", jsonString(key)), "each name once");
    }
    onEntry(std::string{key});
  });
}

void readMaterials(JsonReader& reader, D& document) {
  readNamed(reader, "materials", [&](std::string name) {
    SceneMaterial& material = document.materials.emplace_back(parseMaterial(reader));
    material.name = std::move(name);
  });
}

void readShapes(JsonReader& reader, D& document) {
  readNamed(reader, "shapes", [&](std::string name) {
    document.shapes.push_back({std::move(name), parseShape(reader)});
  });
}

void readBodies(JsonReader& reader, D& document) {
  reader.readArray("an array of bodies",
                   [&](std::size_t) { document.bodies.push_back(parseBody(reader)); });
}

void readJoints(JsonReader& reader, D& document) {
  reader.readArray("an array of joints",
                   [&](std::size_t) { document.joints.push_back(parseJoint(reader)); });
}

void readPotentials(JsonReader& reader, D& document) {
  reader.readArray("an array of potentials",
                   [&](std::size_t) { document.potentials.push_back(parsePotential(reader)); });
}

void readPairs(JsonReader& reader, D& document) {
  reader.readArray("an array of pairs of materials", [&](std::size_t) {
    readFields(reader, "a pair of materials", kPairFields, document.pairs.emplace_back());
  });
}

void readExclude(JsonReader& reader, D& document) {
  reader.readArray("an array of pairs of bodies", [&](std::size_t) {
    document.exclude.push_back(readTwoNames(reader, "the name of a body"));
  });
}

void readSensors(JsonReader& reader, D& document) {
  reader.readArray("an array of sensors", [&](std::size_t) {
    SceneSensor& sensor = document.sensors.emplace_back();
    readFields(reader, "a sensor", kSensorFields, sensor);
    if (sensor.body == "world") sensor.body.clear();
  });
}

void readExpect(JsonReader& reader, D& document) {
  reader.readArray("an array of checks", [&](std::size_t) {
    readFields(reader, "a check", kExpectFields, document.expect.emplace_back());
  });
}

constexpr std::array<Field<D>, 17> kSceneFields{{
    {"version", [](R& r, D&) { (void)readWhole(r, 1, 2); }, "the version of the format: 1 or 2"},
    {"name", [](R& r, D& d) { d.name = readName(r, "the scene's name"); }},
    {"description", [](R& r, D& d) { d.description = r.readString("a text"); }},
    {"gravity", [](R& r, D& d) { d.gravity = readVector3(r, "[m/s²]"); }},
    {"dt", [](R& r, D& d) { d.dt = readNumber(r, "[s]"); }},
    {"steps",
     [](R& r, D& d) { d.steps = readWhole(r, 0, static_cast<std::uint64_t>(Limits::kMaxSteps)); }},
    {"solver", [](R& r, D& d) { d.solver = parseSolver(r); }},
    {"camera", [](R& r, D& d) { readFields(r, "the camera", kCameraFields, d.camera.emplace()); }},
    {"materials", readMaterials},
    {"pairs", readPairs},
    {"shapes", readShapes, "the shapes of the scene by name"},
    {"bodies", readBodies, "an array of bodies"},
    {"joints", readJoints},
    {"potentials", readPotentials},
    {"exclude", readExclude},
    {"sensors", readSensors},
    {"expect", readExpect},
}};

}  // namespace

SceneDocument parseScene(std::string_view text, std::string_view source) {
  JsonReader reader{text, source};
  SceneDocument document;
  reader.readAll([&] { readFields(reader, "a scene", kSceneFields, document); });
  return document;
}

SceneMaterial parseMaterial(JsonReader& reader) {
  SceneMaterial material;
  readFields(reader, "a material", kMaterialFields, material);
  return material;
}

SceneSolver parseSolver(JsonReader& reader) {
  SceneSolver solver;
  readFields(reader, "the solver settings", kSolverFields, solver);
  return solver;
}

std::vector<FieldGroup> sceneFields() {
  std::vector<FieldGroup> groups{{"a scene", fieldNames(kSceneFields)},
                                 {"a material", fieldNames(kMaterialFields)},
                                 {"a pair of materials", fieldNames(kPairFields)}};
  for (const auto& more : {shapeFields(), bodyFields(), jointFields(), potentialFields()}) {
    groups.insert(groups.end(), more.begin(), more.end());
  }
  groups.push_back({"the solver settings", fieldNames(kSolverFields)});
  groups.push_back({"the camera", fieldNames(kCameraFields)});
  groups.push_back({"a sensor", fieldNames(kSensorFields)});
  groups.push_back({"a check", fieldNames(kExpectFields)});
  groups.push_back({"what is subtracted", fieldNames(kMinusFields)});
  groups.push_back({"what a check asks of the reference method", fieldNames(kReferenceFields)});
  return groups;
}

}  // namespace msd_scene
