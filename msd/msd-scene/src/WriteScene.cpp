#include "msd-scene/src/WriteScene.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <stdexcept>
#include <string_view>

#include "msd-scene/src/JsonText.hpp"

namespace msd_scene {

namespace {

using msd_sim::Method;
using msd_sim::MotorMode;

/// One JSON object on one line, built field by field.
class ObjectText {
 public:
  explicit ObjectText(std::string& out) : out_{out} { out_ += '{'; }
  void close() { out_ += '}'; }

  template <class T>
  ObjectText& add(std::string_view name, const T& value) {
    if (!first_) out_ += ", ";
    first_ = false;
    out_ += jsonString(name);
    out_ += ": ";
    append(out_, value);
    return *this;
  }
  template <class T>
  ObjectText& addUnless(std::string_view name, const T& value, const T& usual) {
    return value == usual ? *this : add(name, value);
  }
  template <class T>
  ObjectText& add(std::string_view name, const std::optional<T>& value) {
    return value ? add(name, *value) : *this;
  }

  static void append(std::string& out, double value) {
    if (!std::isfinite(value)) {
      throw std::invalid_argument{fmt::format("a scene cannot hold the number {}", value)};
    }
    fmt::format_to(std::back_inserter(out), "{}", value);
  }
  static void append(std::string& out, bool value) { out += value ? "true" : "false"; }
  static void append(std::string& out, int value) { out += std::to_string(value); }
  static void append(std::string& out, std::uint32_t value) { out += std::to_string(value); }
  static void append(std::string& out, std::string_view value) { out += jsonString(value); }
  static void append(std::string& out, const std::string& value) { out += jsonString(value); }
  static void append(std::string& out, Method value) {
    out += jsonString(msd_sim::methodName(value));
  }
  static void append(std::string& out, const Vector3D& v) {
    append(out, std::array<double, 3>{v.x(), v.y(), v.z()});
  }
  template <class T, std::size_t N>
  static void append(std::string& out, const std::array<T, N>& values) {
    appendList(out, values);
  }
  template <class T>
  static void append(std::string& out, const std::vector<T>& values) {
    appendList(out, values);
  }
  static void append(std::string& out, const Matrix3D& m) {
    const bool diagonal = m(0, 1) == 0.0 && m(0, 2) == 0.0 && m(1, 2) == 0.0;
    const std::array<double, 6> six{m(0, 0), m(1, 1), m(2, 2), m(0, 1), m(0, 2), m(1, 2)};
    diagonal ? append(out, std::array<double, 3>{six[0], six[1], six[2]}) : append(out, six);
  }
  static void append(std::string& out, const SceneCompoundPart& part) {
    ObjectText text{out};
    text.add("shape", part.shape)
        .add("position", part.position)
        .addUnless("orientation", part.orientation, kNoRotation)
        .close();
  }
  template <class Value>
  static void append(std::string& out, const AtTime<Value>& entry) {
    ObjectText text{out};
    text.add("at", entry.at).add("value", entry.value).close();
  }
  static void append(std::string& out, const SceneReferenceCheck& check) {
    ObjectText text{out};
    text.addUnless("applies", check.applies, true)
        .add("value", check.value)
        .add("tolerance", check.tolerance)
        .add("min", check.min)
        .add("max", check.max)
        .close();
  }
  static void append(std::string& out, const SceneQuantity& q) {
    const SceneQuantity usual{};
    ObjectText text{out};
    text.addUnless("body", q.body, usual.body)
        .addUnless("joint", q.joint, usual.joint)
        .addUnless("sensor", q.sensor, usual.sensor)
        .addUnless("quantity", q.quantity, usual.quantity)
        .close();
  }
  static void append(std::string& out, const SceneVisual& visual) {
    const SceneVisual usual{};
    ObjectText text{out};
    text.add("shape", visual.shape)
        .addUnless("position", visual.position, usual.position)
        .addUnless("orientation", visual.orientation, usual.orientation)
        .add("colour", visual.colour)
        .close();
  }
  static void append(std::string& out, const SceneFollow& follow) {
    const SceneFollow usual{};
    ObjectText text{out};
    text.addUnless("joint", follow.joint, usual.joint)
        .addUnless("ratio", follow.ratio, usual.ratio)
        .addUnless("offset", follow.offset, usual.offset)
        .close();
  }
  static void append(std::string& out, const SceneLimit& limit) {
    ObjectText text{out};
    text.add("lower", limit.lower).add("upper", limit.upper).close();
  }
  static void append(std::string& out, const SceneMotor& motor) {
    const SceneMotor usual{};
    ObjectText text{out};
    constexpr std::array<std::string_view, 3> kModes{"velocity", "position", "force"};
    text.add("mode", kModes[static_cast<std::size_t>(motor.mode)]);
    if (motor.targets.empty()) {
      text.add("target", motor.target);
    } else {
      text.add("targets", motor.targets);
    }
    text.add("maxForce", motor.maxForce)
        .add("stiffness", motor.stiffness)
        .add("damping", motor.damping)
        .addUnless("feedForward", motor.feedForward, usual.feedForward)
        .add("carriesLoad", motor.carriesLoad)
        .addUnless("inverseDynamics", motor.inverseDynamics, usual.inverseDynamics)
        .addUnless("gear", motor.gear, usual.gear)
        .addUnless("rotorInertia", motor.rotorInertia, usual.rotorInertia)
        .addUnless("frequency", motor.frequency, usual.frequency)
        .addUnless("dampingRatio", motor.dampingRatio, usual.dampingRatio)
        .close();
  }

 private:
  template <class List>
  static void appendList(std::string& out, const List& values) {
    out += '[';
    bool first = true;
    for (const auto& value : values) {
      if (!first) out += ", ";
      first = false;
      append(out, value);
    }
    out += ']';
  }

  std::string& out_;
  bool first_{true};
};

struct ShapeWriter {
  ObjectText& text;
  bool embed;

  void operator()(const SphereShape& s) const { text.add("radius", s.radius); }
  void operator()(const BoxShape& s) const { text.add("halfExtents", s.halfExtents); }
  void operator()(const CapsuleShape& s) const {
    text.add("radius", s.radius).add("halfHeight", s.halfHeight);
  }
  void operator()(const CylinderShape& s) const {
    text.add("radius", s.radius).add("halfHeight", s.halfHeight);
  }
  void operator()(const HullShape& s) const {
    if (!embed && !s.file.empty()) {
      text.add("file", s.file).addUnless("scale", s.scale, Vector3D{1.0, 1.0, 1.0});
    } else {
      text.add("vertices", s.vertices);
    }
  }
  void operator()(const MeshShape& s) const {
    if (!embed && !s.file.empty()) {
      text.add("file", s.file).addUnless("scale", s.scale, Vector3D{1.0, 1.0, 1.0});
    } else {
      text.add("vertices", s.vertices).add("triangles", s.triangles);
    }
  }
  void operator()(const PlaneShape& s) const {
    text.add("normal", s.normal).add("offset", s.offset);
  }
  void operator()(const HeightFieldShape& s) const {
    text.add("columns", s.columns).add("rows", s.rows);
    if (s.cellSize[0] == s.cellSize[1]) {
      text.add("cellSize", s.cellSize[0]);
    } else {
      text.add("cellSize", s.cellSize);
    }
    text.add("heights", s.heights);
  }
  void operator()(const CompoundShape& s) const { text.add("parts", s.parts); }
};

void write(std::string& out, const SceneMaterial& m) {
  const SceneMaterial usual{};
  ObjectText{out}
      .add("friction", m.friction)
      .add("restitution", m.restitution)
      .add("density", m.density)
      .addUnless("rollingResistance", m.rollingResistance, usual.rollingResistance)
      .addUnless("torsionalResistance", m.torsionalResistance, usual.torsionalResistance)
      .add("stiffness", m.stiffness)
      .addUnless("damping", m.damping, usual.damping)
      .close();
}

void write(std::string& out, const ScenePair& p) {
  ObjectText{out}
      .add("materials", std::array<std::string, 2>{p.materialA, p.materialB})
      .add("friction", p.friction)
      .add("restitution", p.restitution)
      .add("rollingResistance", p.rollingResistance)
      .add("torsionalResistance", p.torsionalResistance)
      .close();
}

void write(std::string& out, const SceneBody& b) {
  const SceneBody usual{};
  // The first line's worth is written for every body, so that simpler readers find it.
  ObjectText{out}
      .add("name", b.name)
      .add("shape", b.shape)
      .add("material", b.material)
      .add("static", b.isStatic)
      .addUnless("kinematic", b.kinematic, usual.kinematic)
      .add("position", b.position)
      .add("orientation", b.orientation)
      .add("linearVelocity", b.linearVelocity)
      .add("angularVelocity", b.angularVelocity)
      .add("collides", b.collides)
      .add("mass", b.mass)
      .add("inertia", b.inertia)
      .add("centreOfMass", b.centreOfMass)
      .addUnless("force", b.force, usual.force)
      .addUnless("torque", b.torque, usual.torque)
      .addUnless("forces", b.forces, usual.forces)
      .addUnless("torques", b.torques, usual.torques)
      .addUnless("linearDamping", b.linearDamping, usual.linearDamping)
      .addUnless("angularDamping", b.angularDamping, usual.angularDamping)
      .addUnless("surfaceVelocity", b.surfaceVelocity, usual.surfaceVelocity)
      .addUnless("layer", b.layer, usual.layer)
      .addUnless("mask", b.mask, usual.mask)
      .addUnless("continuous", b.continuous, usual.continuous)
      .addUnless("maySleep", b.maySleep, usual.maySleep)
      .add("colour", b.colour)
      .add("visual", b.visual)
      .close();
}

void write(std::string& out, const SceneJoint& j) {
  const SceneJoint usual{};
  ObjectText{out}
      .add("type", kJointTypes[static_cast<std::size_t>(j.kind)])
      .addUnless("name", j.name, usual.name)
      .add("bodyA", j.bodyA.empty() ? std::string_view{"world"} : std::string_view{j.bodyA})
      .add("bodyB", j.bodyB)
      .add("anchor", j.anchor)
      .add("anchorB", j.anchorB)
      .add("axis", j.axis)
      .add("axisB", j.axisB)
      .add("length", j.length)
      .add("stiffness", j.stiffness)
      .addUnless("damping", j.damping, usual.damping)
      .addUnless("rest", j.rest, usual.rest)
      .add("limit", j.limit)
      .add("motor", j.motor)
      .add("follows", j.follows)
      .addUnless("friction", j.friction, usual.friction)
      .addUnless("armature", j.armature, usual.armature)
      .add("breakingForce", j.breakingForce)
      .add("breakingTorque", j.breakingTorque)
      .addUnless("collideConnected", j.collideConnected, usual.collideConnected)
      .close();
}

void write(std::string& out, const ScenePotential& p) {
  ObjectText text{out};
  text.add("type", kPotentialTypes[static_cast<std::size_t>(p.kind)])
      .addUnless("bodies", p.bodies, std::vector<std::string>{});
  const Coordinate here{0.0, 0.0, 0.0};
  switch (p.kind) {
    case PotentialKind::kUniform: text.add("force", p.force).addUnless("point", p.point, here); break;
    case PotentialKind::kCentral:
      text.add("centre", p.centre).add("strength", p.strength).add("radius", p.radius);
      break;
    case PotentialKind::kSpring:
      text.add("anchor", p.anchor)
          .addUnless("point", p.point, here)
          .add("stiffness", p.stiffness)
          .addUnless("length", p.length, 0.0);
      break;
  }
  text.close();
}

void write(std::string& out, const SceneSolver& s) {
  ObjectText{out}
      .add("method", s.method)
      .add("substeps", s.substeps)
      .add("iterations", s.iterations)
      .add("exactTolerance", s.exactTolerance)
      .add("exactIterations", s.exactIterations)
      .add("restitutionThreshold", s.restitutionThreshold)
      .add("positionCorrection", s.positionCorrection)
      .add("baumgarte", s.baumgarte)
      .add("correctionSpeed", s.correctionSpeed)
      .add("sleeping", s.sleeping)
      .add("sleepSpeed", s.sleepSpeed)
      .add("sleepTime", s.sleepTime)
      .add("sequentialImpacts", s.sequentialImpacts)
      .close();
}

void write(std::string& out, const SceneSensor& s) {
  const SceneSensor usual{};
  ObjectText text{out};
  text.add("type", msd_sim::kSensorTypes[static_cast<std::size_t>(s.kind)]).add("name", s.name);
  if (msd_sim::isJointSensor(s.kind)) {
    text.add("joint", s.joint);
  } else {
    text.add("body", s.body.empty() ? std::string_view{"world"} : std::string_view{s.body});
  }
  text.addUnless("position", s.position, usual.position)
      .addUnless("orientation", s.orientation, usual.orientation)
      .add("halfExtents", s.halfExtents)
      .addUnless("range", s.range, usual.range)
      .addUnless("offset", s.offset, usual.offset)
      .close();
}

void write(std::string& out, const SceneExpectation& e) {
  constexpr std::array<std::string_view, 4> kMoments{"end", "max", "min", "range"};
  const SceneExpectation usual{};
  ObjectText text{out};
  text.addUnless("body", e.body, usual.body)
      .addUnless("joint", e.joint, usual.joint)
      .addUnless("sensor", e.sensor, usual.sensor)
      .add("quantity", e.quantity)
      .add("value", e.value)
      .addUnless("tolerance", e.tolerance, usual.tolerance)
      .add("min", e.min)
      .add("max", e.max)
      .add("at", e.time)
      .add("reference", e.reference)
      .add("minus", e.minus);
  if (e.over != RunValue::kAtTime) text.add("at", kMoments[static_cast<std::size_t>(e.over)]);
  if (e.minusStart) text.add("minus", std::string_view{"start"});
  text.close();
}

/// `,\n  "name": ` of the top-level object.
void startField(std::string& out, std::string_view name) {
  out += fmt::format(",\n  {}: ", jsonString(name));
}

template <class Things, class WriteOne>
void writeEach(std::string& out, std::string_view name, std::string_view brackets,
               const Things& things, WriteOne&& writeOne) {
  startField(out, name);
  out += brackets[0];
  bool first = true;
  for (const auto& thing : things) {
    out += first ? "\n    " : ",\n    ";
    first = false;
    writeOne(thing);
  }
  if (!first) out += "\n  ";
  out += brackets[1];
}

void writeTop(std::string& out, const SceneDocument& document) {
  out += "{\n  \"version\": 1";
  if (!document.name.empty()) {
    startField(out, "name");
    out += jsonString(document.name);
  }
  if (!document.description.empty()) {
    startField(out, "description");
    out += jsonString(document.description);
  }
  startField(out, "gravity");
  ObjectText::append(out, document.gravity);
  startField(out, "dt");
  ObjectText::append(out, document.dt);
  startField(out, "steps");
  out += std::to_string(document.steps);
  if (document.solver != SceneSolver{}) {
    startField(out, "solver");
    write(out, document.solver);
  }
  if (document.camera) {
    startField(out, "camera");
    ObjectText{out}
        .add("position", document.camera->position)
        .add("target", document.camera->target)
        .close();
  }
}

}  // namespace

std::string writeScene(const SceneDocument& document, const WriteOptions& options) {
  std::string out;
  writeTop(out, document);
  writeEach(out, "materials", "{}", document.materials, [&](const SceneMaterial& material) {
    out += jsonString(material.name) + ": ";
    write(out, material);
  });
  if (!document.pairs.empty()) {
    writeEach(out, "pairs", "[]", document.pairs, [&](const ScenePair& p) { write(out, p); });
  }
  writeEach(out, "shapes", "{}", document.shapes, [&](const SceneShape& shape) {
    out += jsonString(shape.name) + ": ";
    ObjectText text{out};
    text.add("type", typeName(shape));
    std::visit(ShapeWriter{text, options.embedMeshes}, shape.geometry);
    text.close();
  });
  writeEach(out, "bodies", "[]", document.bodies, [&](const SceneBody& b) { write(out, b); });
  writeEach(out, "joints", "[]", document.joints, [&](const SceneJoint& j) { write(out, j); });
  if (!document.potentials.empty()) {
    writeEach(out, "potentials", "[]", document.potentials,
              [&](const ScenePotential& p) { write(out, p); });
  }
  if (!document.exclude.empty()) {
    writeEach(out, "exclude", "[]", document.exclude,
              [&](const auto& names) { ObjectText::append(out, names); });
  }
  if (!document.sensors.empty()) {
    writeEach(out, "sensors", "[]", document.sensors, [&](const SceneSensor& s) { write(out, s); });
  }
  if (!document.expect.empty()) {
    writeEach(out, "expect", "[]", document.expect,
              [&](const SceneExpectation& e) { write(out, e); });
  }
  return out += "\n}\n";
}

}  // namespace msd_scene
