#include <fmt/format.h>
#include <pybind11/stl.h>

#include "Handles.hpp"
#include "JointWords.hpp"

namespace msd_python {

using namespace msd_sim;

namespace {

double orInfinity(const std::optional<double>& value) {
  return value.value_or(std::numeric_limits<double>::infinity());
}

void bindLimit(py::module_& module) {
  py::class_<JointLimit>(module, "JointLimit",
                         "Range of a joint's free coordinate: angle [rad] or travel [m], 0 where the joint was made.")
      .def(py::init([](double lower, double upper) {
             return JointLimit{lower, upper};
           }),
           py::arg("lower") = -std::numeric_limits<double>::infinity(),
           py::arg("upper") = std::numeric_limits<double>::infinity())
      .def_readwrite("lower", &JointLimit::lower, "[rad] or [m]")
      .def_readwrite("upper", &JointLimit::upper, "[rad] or [m]")
      .def("__repr__", [](const JointLimit& l) { return fmt::format("msd.JointLimit({:g}, {:g})", l.lower, l.upper); });
}

void bindMotor(py::module_& module) {
  py::class_<JointMotor>(module, "JointMotor", "Drives a joint's free coordinate.")
      .def(py::init([](const std::string& mode, double target, std::optional<double> maxForce, double frequency,
                       double dampingRatio) {
             return JointMotor{.mode = toMotorMode(mode),
                               .target = target,
                               .maxForce = orInfinity(maxForce),
                               .frequency = frequency,
                               .dampingRatio = dampingRatio};
           }),
           py::arg("mode") = "velocity", py::arg("target") = 0.0, py::arg("max_force") = py::none(),
           py::arg("frequency") = 4.0, py::arg("damping_ratio") = 1.0)
      .def_property(
          "mode", [](const JointMotor& m) { return fromMotorMode(m.mode); },
          [](JointMotor& m, const std::string& name) { m.mode = toMotorMode(name); }, "\"velocity\" or \"position\".")
      .def_readwrite("target", &JointMotor::target, "[rad/s] or [m/s]; in position mode [rad] or [m].")
      .def_readwrite("max_force", &JointMotor::maxForce, "[N m] or [N].")
      .def_readwrite("frequency", &JointMotor::frequency, "Position mode: natural frequency of the pull [Hz].")
      .def_readwrite("damping_ratio", &JointMotor::dampingRatio, "Position mode [-].")
      .def("__repr__", [](const JointMotor& m) {
        return fmt::format("<msd.JointMotor: {} {:g}, at most {:g}>", fromMotorMode(m.mode), m.target, m.maxForce);
      });
}

std::string reprOf(const Joint& joint) {
  const WorldModel& world = joint.world->model();
  if (!world.contains(joint.id)) return "<msd.Joint that was removed>";
  const JointDescription& d = world.joint(joint.id);
  const auto nameOf = [&](BodyId body) { return body.isNull() ? std::string{"the world"} : "\"" + world.name(body) + "\""; };
  std::string text = fmt::format("<msd.Joint \"{}\": {} between {} and {}", d.name, fromJointKind(d.kind),
                                 nameOf(d.bodyA), nameOf(d.bodyB));
  if (hasCoordinate(d.kind)) text += fmt::format(", at {:g}", world.jointCoordinate(joint.id));
  return text + (world.isBroken(joint.id) ? ", broken>" : ">");
}

py::object bodyOrNone(const Joint& joint, BodyId id) {
  if (id.isNull()) return py::none();
  return py::cast(Body{joint.world, id});
}

JointDescription makeDescription(World& world, const std::string& kind, const py::object& bodyB,
                                 const py::object& bodyA) {
  return {.kind = toJointKind(kind), .bodyA = toBodyOrNone(world, bodyA), .bodyB = toBody(world, bodyB)};
}

Joint addJoint(const std::shared_ptr<World>& world, const std::string& kind, const py::object& bodyB,
               const py::object& bodyA, const py::object& anchor, const py::object& anchorB, const py::object& axis,
               const py::object& axisB, const std::string& name, std::optional<double> length,
               std::optional<double> stiffness, double damping, std::optional<JointLimit> limit,
               std::optional<JointMotor> motor, double friction, std::optional<double> breakingForce,
               std::optional<double> breakingTorque, bool collideConnected) {
  world->refuseIfFrozen();
  JointDescription d = makeDescription(*world, kind, bodyB, bodyA);
  d.name = name;
  d.anchor = toVector(anchor, "anchor", "m");
  if (!anchorB.is_none()) d.anchorB = toVector(anchorB, "anchor_b", "m");
  d.axis = toVector(axis, "axis", "-");
  d.axisB = toVector(axisB, "axis_b", "-");
  d.length = length.value_or(kUnset);
  d.stiffness = stiffness.value_or(kUnset);
  d.damping = damping;
  d.limit = limit;
  d.motor = motor;
  d.friction = friction;
  d.breakingForce = orInfinity(breakingForce);
  d.breakingTorque = orInfinity(breakingTorque);
  d.collideConnected = collideConnected;
  const JointId id = world->model().spawn(d);
  world->noteEdit();
  return {world, id};
}

}  // namespace

JointId toJoint(const World& world, const py::handle& value) {
  if (py::isinstance<Joint>(value)) {
    const auto joint = value.cast<Joint>();
    if (joint.world.get() != &world) {
      throw std::invalid_argument("the joint is of another world; expected one of this");
    }
    return joint.id;
  }
  if (py::isinstance<py::str>(value)) {
    const auto name = value.cast<std::string>();
    for (const JointId id : world.model().joints()) {
      if (world.model().joint(id).name == name) return id;
    }
    throw py::key_error(fmt::format("there is no joint \"{}\"", name));
  }
  throw py::type_error(fmt::format("joint is {}; expected a msd.Joint or a name", py::repr(value).cast<std::string>()));
}

void bindJoint(py::module_& module) {
  bindLimit(module);
  bindMotor(module);
  py::class_<Joint>(module, "Joint", "A joint of a world.")
      .def_property_readonly("name", [](const Joint& j) { return j.world->model().joint(j.id).name; }, "Name.")
      .def_property_readonly(
          "kind", [](const Joint& j) { return fromJointKind(j.world->model().joint(j.id).kind); },
          "\"ball\", \"hinge\", \"slider\", ...")
      .def_property_readonly(
          "body_a", [](const Joint& j) { return bodyOrNone(j, j.world->model().joint(j.id).bodyA); },
          "First body; None: the world.")
      .def_property_readonly(
          "body_b", [](const Joint& j) { return bodyOrNone(j, j.world->model().joint(j.id).bodyB); }, "Second body.")
      .def_property_readonly("exists", [](const Joint& j) { return j.world->model().contains(j.id); },
                             "False once it was removed.")
      .def_property_readonly("broken", [](const Joint& j) { return j.world->model().isBroken(j.id); },
                             "It has broken.")
      .def_property_readonly(
          "position", [](const Joint& j) { return j.world->model().jointCoordinate(j.id); },
          "Angle [rad] or travel [m] of the free coordinate; 0 where the joint was made.")
      .def_property_readonly(
          "force", [](const Joint& j) { return fromVector(j.world->model().jointReaction(j.id).force); },
          "What it exerted on body B in the last step [N], world axes.")
      .def_property_readonly(
          "torque", [](const Joint& j) { return fromVector(j.world->model().jointReaction(j.id).torque); },
          "The same about B's anchor [N m].")
      .def_property_readonly("motor", [](const Joint& j) { return j.world->model().joint(j.id).motor; },
                             "Its motor as it was made, or None.")
      .def_property_readonly("limit", [](const Joint& j) { return j.world->model().joint(j.id).limit; },
                             "Its limit, or None.")
      .def(
          "remove",
          [](const Joint& j) {
            j.world->refuseIfFrozen();
            j.world->model().remove(j.id);
            j.world->noteEdit();
          },
          "Removes the joint; wakes its bodies.")
      .def("__eq__", [](const Joint& a, const py::object& b) { return py::isinstance<Joint>(b) && a == b.cast<Joint>(); })
      .def("__hash__", [](const Joint& j) { return py::hash(py::make_tuple(j.id.index, j.id.generation)); })
      .def("__repr__", &reprOf);

  auto world = module.attr("World").cast<py::class_<World, std::shared_ptr<World>>>();
  world.def("add_joint", &addJoint, py::arg("kind"), py::arg("body_b"), py::arg("body_a") = py::none(), py::kw_only(),
            py::arg("anchor") = py::make_tuple(0.0, 0.0, 0.0), py::arg("anchor_b") = py::none(),
            py::arg("axis") = py::make_tuple(0.0, 0.0, 1.0), py::arg("axis_b") = py::make_tuple(1.0, 0.0, 0.0),
            py::arg("name") = "", py::arg("length") = py::none(), py::arg("stiffness") = py::none(),
            py::arg("damping") = 0.0, py::arg("limit") = py::none(), py::arg("motor") = py::none(),
            py::arg("friction") = 0.0, py::arg("breaking_force") = py::none(), py::arg("breaking_torque") = py::none(),
            py::arg("collide_connected") = false,
            "Joins body B to body A (None: the world), as they stand. Kinds: ball, hinge, slider, cylindrical, "
            "universal, fixed, distance, rope, spring. Anchors and axes in world coordinates [m]; length [m], stiffness "
            "[N/m], damping [N s/m], friction [N] or [N m], breaking force [N] and torque [N m].");
}

}  // namespace msd_python
