#include "msd-scene/src/FieldTable.hpp"
#include "msd-scene/src/JsonValues.hpp"
#include "msd-scene/src/ParseScene.hpp"

namespace msd_scene {

namespace {

using R = JsonReader;
using B = SceneBody;

std::uint32_t readBits(JsonReader& reader) {
  return static_cast<std::uint32_t>(readWhole(reader, 0, 0xFFFFFFFFu));
}

using V = SceneVisual;
constexpr std::array<Field<V>, 4> kVisualFields{{
    {"shape", [](R& r, V& v) { v.shape = readName(r, "the name of a shape"); },
     "the name of a shape"},
    {"position", [](R& r, V& v) { v.position = readVector3(r, "[m]"); }},
    {"orientation", [](R& r, V& v) { v.orientation = readRotation(r); }},
    {"colour", [](R& r, V& v) { v.colour = readColour(r); }},
}};

void readVisuals(JsonReader& reader, B& body) {
  auto& visuals = body.visual.emplace();
  reader.readArray("an array of what is to be seen", [&](std::size_t) {
    readFields(reader, "a visual of a body", kVisualFields, visuals.emplace_back());
  });
}

constexpr std::array<Field<B>, 26> kBodyFields{{
    {"name", [](R& r, B& b) { b.name = readName(r, "a body's name"); }, "a body's name"},
    {"shape", [](R& r, B& b) { b.shape = readName(r, "the name of a shape"); },
     "the name of a shape"},
    {"material", [](R& r, B& b) { b.material = readName(r, "the name of a material"); }},
    {"static", [](R& r, B& b) { b.isStatic = r.readBoolean("true or false"); }},
    {"kinematic", [](R& r, B& b) { b.kinematic = r.readBoolean("true or false"); }},
    {"position", [](R& r, B& b) { b.position = readVector3(r, "[m]"); }},
    {"orientation", [](R& r, B& b) { b.orientation = readRotation(r); }},
    {"linearVelocity", [](R& r, B& b) { b.linearVelocity = readVector3(r, "[m/s]"); }},
    {"angularVelocity", [](R& r, B& b) { b.angularVelocity = readVector3(r, "[rad/s]"); }},
    {"collides", [](R& r, B& b) { b.collides = r.readBoolean("true or false"); }},
    {"mass", [](R& r, B& b) { b.mass = readNumber(r, "[kg]"); }},
    {"inertia", [](R& r, B& b) { b.inertia = readInertia(r); }},
    {"centreOfMass", [](R& r, B& b) { b.centreOfMass = readVector3(r, "[m]"); }},
    {"force", [](R& r, B& b) { b.force = readVector3(r, "[N]"); }},
    {"torque", [](R& r, B& b) { b.torque = readVector3(r, "[N·m]"); }},
    {"forces", [](R& r, B& b) { b.forces = readTimedVectors(r); }},
    {"torques", [](R& r, B& b) { b.torques = readTimedVectors(r); }},
    {"linearDamping", [](R& r, B& b) { b.linearDamping = readNumber(r, "[1/s]"); }},
    {"angularDamping", [](R& r, B& b) { b.angularDamping = readNumber(r, "[1/s]"); }},
    {"surfaceVelocity", [](R& r, B& b) { b.surfaceVelocity = readVector3(r, "[m/s]"); }},
    {"layer", [](R& r, B& b) { b.layer = readBits(r); }},
    {"mask", [](R& r, B& b) { b.mask = readBits(r); }},
    {"continuous", [](R& r, B& b) { b.continuous = r.readBoolean("true or false"); }},
    {"maySleep", [](R& r, B& b) { b.maySleep = r.readBoolean("true or false"); }},
    {"colour", [](R& r, B& b) { b.colour = readColour(r); }},
    {"visual", readVisuals},
}};

}  // namespace

SceneBody parseBody(JsonReader& reader) {
  SceneBody body;
  readFields(reader, "a body", kBodyFields, body);
  return body;
}

std::vector<FieldGroup> bodyFields() {
  return {{"a body", fieldNames(kBodyFields)},
          {"a visual of a body", fieldNames(kVisualFields)},
          {"a value over time", timedFields()}};
}

}  // namespace msd_scene
