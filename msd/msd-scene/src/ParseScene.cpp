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

/// "end", or a time in seconds.
std::optional<double> readMoment(JsonReader& reader) {
  if (reader.peek() == JsonKind::kNumber) return readNumber(reader, "[s]");
  if (reader.peek() != JsonKind::kString) reader.failValue("\"end\" or a time [s]");
  constexpr std::array<std::string_view, 1> kEnd{"end"};
  (void)readChoice(reader, kEnd);
  return std::nullopt;
}

using C = SceneReferenceCheck;
constexpr std::array<Field<C>, 5> kReferenceFields{{
    {"applies", [](R& r, C& c) { c.applies = r.readBoolean("true or false"); }},
    {"value", [](R& r, C& c) { c.value = readNumber(r, "(in the quantity's unit)"); }},
    {"tolerance", [](R& r, C& c) { c.tolerance = readNumber(r, "(in the quantity's unit)"); }},
    {"min", [](R& r, C& c) { c.min = readNumber(r, "(in the quantity's unit)"); }},
    {"max", [](R& r, C& c) { c.max = readNumber(r, "(in the quantity's unit)"); }},
}};

using E = SceneExpectation;
constexpr std::array<Field<E>, 9> kExpectFields{{
    {"body", [](R& r, E& e) { e.body = readName(r, "the name of a body"); }},
    {"joint", [](R& r, E& e) { e.joint = readName(r, "the name of a joint"); }},
    {"quantity", [](R& r, E& e) { e.quantity = readName(r, "the name of a quantity"); },
     "what to look at, such as \"position.z\""},
    {"value", [](R& r, E& e) { e.value = readNumber(r, "(in the quantity's unit)"); }},
    {"tolerance", [](R& r, E& e) { e.tolerance = readNumber(r, "(in the quantity's unit)"); }},
    {"min", [](R& r, E& e) { e.min = readNumber(r, "(in the quantity's unit)"); }},
    {"max", [](R& r, E& e) { e.max = readNumber(r, "(in the quantity's unit)"); }},
    {"at", [](R& r, E& e) { e.time = readMoment(r); }},
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

void readExpect(JsonReader& reader, D& document) {
  reader.readArray("an array of checks", [&](std::size_t) {
    readFields(reader, "a check", kExpectFields, document.expect.emplace_back());
  });
}

constexpr std::array<Field<D>, 14> kFields{{
    {"version", [](R& r, D&) { (void)readWhole(r, 1, 1); }, "the version of the format: 1"},
    {"name", [](R& r, D& d) { d.name = readName(r, "the scene's name"); }},
    {"description", [](R& r, D& d) { d.description = r.readString("a text"); }},
    {"gravity", [](R& r, D& d) { d.gravity = readVector3(r, "[m/s²]"); }},
    {"dt", [](R& r, D& d) { d.dt = readNumber(r, "[s]"); }},
    {"steps",
     [](R& r, D& d) { d.steps = readWhole(r, 0, static_cast<std::uint64_t>(Limits::kMaxSteps)); }},
    {"solver", [](R& r, D& d) { d.solver = parseSolver(r); }},
    {"camera", [](R& r, D& d) { readFields(r, "the camera", kCameraFields, d.camera.emplace()); }},
    {"materials", readMaterials},
    {"shapes", readShapes, "the shapes of the scene by name"},
    {"bodies", readBodies, "an array of bodies"},
    {"joints", readJoints},
    {"potentials", readPotentials},
    {"expect", readExpect},
}};

}  // namespace

SceneDocument parseScene(std::string_view text, std::string_view source) {
  JsonReader reader{text, source};
  SceneDocument document;
  reader.readAll([&] { readFields(reader, "a scene", kFields, document); });
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
  std::vector<FieldGroup> groups{{"a scene", fieldNames(kFields)},
                                 {"a material", fieldNames(kMaterialFields)}};
  for (const auto& more : {shapeFields(), bodyFields(), jointFields(), potentialFields()}) {
    groups.insert(groups.end(), more.begin(), more.end());
  }
  groups.push_back({"the solver settings", fieldNames(kSolverFields)});
  groups.push_back({"the camera", fieldNames(kCameraFields)});
  groups.push_back({"a check", fieldNames(kExpectFields)});
  groups.push_back({"what a check asks of the reference method", fieldNames(kReferenceFields)});
  return groups;
}

}  // namespace msd_scene
