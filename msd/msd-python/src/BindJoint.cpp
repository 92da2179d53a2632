#include <fmt/format.h>
#include <pybind11/stl.h>

#include <cmath>

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

double orUnset(const std::optional<double>& value) {
  return value.value_or(JointMotor::kUnset);
}

std::optional<double> whereSet(double value) {
  return std::isnan(value) ? std::nullopt : std::optional{value};
}

JointMotor makeMotor(const std::string& mode, double target, std::optional<double> maxForce, double frequency,
                     double dampingRatio, std::optional<double> stiffness, std::optional<double> damping,
                     double targetVelocity, double feedForward, std::optional<bool> carriesLoad, double gear,
                     double rotorInertia) {
  return {.mode = toMotorMode(mode),
          .target = target,
          .maxForce = orInfinity(maxForce),
          .frequency = frequency,
          .dampingRatio = dampingRatio,
          .stiffness = orUnset(stiffness),
          .damping = orUnset(damping),
          .targetVelocity = targetVelocity,
          .feedForward = feedForward,
          .carriesLoad = carriesLoad,
          .gear = gear,
          .rotorInertia = rotorInertia};
}

void bindMotor(py::module_& module) {
  using M = JointMotor;
  const auto gain = [](double M::*member) {
    return std::pair{[member](const M& m) { return whereSet(m.*member); },
                     [member](M& m, std::optional<double> v) { m.*member = orUnset(v); }};
  };
  const auto [stiffness, setStiffness] = gain(&M::stiffness);
  const auto [damping, setDamping] = gain(&M::damping);
  py::class_<M>(module, "JointMotor",
                "Drives a joint's free coordinate: reaches a speed (\"velocity\"), pulls to a place (\"position\") or pushes "
                "(\"force\"). Values are those on the motor's side of its gear.")
      .def(py::init(&makeMotor), py::arg("mode") = "velocity", py::arg("target") = 0.0, py::arg("max_force") = py::none(),
           py::arg("frequency") = 4.0, py::arg("damping_ratio") = 1.0, py::kw_only(), py::arg("stiffness") = py::none(),
           py::arg("damping") = py::none(), py::arg("target_velocity") = 0.0, py::arg("feed_forward") = 0.0,
           py::arg("carries_load") = py::none(), py::arg("gear") = 1.0, py::arg("rotor_inertia") = 0.0)
      .def_property(
          "mode", [](const M& m) { return fromMotorMode(m.mode); },
          [](M& m, const std::string& name) { m.mode = toMotorMode(name); }, "\"velocity\", \"position\" or \"force\".")
      .def_readwrite("target", &M::target, "[rad/s] or [m/s]; position mode [rad] or [m]; force mode [N m] or [N].")
      .def_readwrite("max_force", &M::maxForce, "[N m] or [N].")
      .def_readwrite("frequency", &M::frequency, "Position mode without stiffness: natural frequency [Hz].")
      .def_readwrite("damping_ratio", &M::dampingRatio, "Position mode without stiffness [-].")
      .def_property("stiffness", stiffness, setStiffness, "kp, position mode [N m/rad] or [N/m]; None: from frequency.")
      .def_property("damping", damping, setDamping, "kd [N m s/rad] or [N s/m]; None: not set.")
      .def_readwrite("target_velocity", &M::targetVelocity, "Position mode: speed at which the target moves [rad/s] or [m/s].")
      .def_readwrite("feed_forward", &M::feedForward, "Force added [N m] or [N].")
      .def_readwrite("carries_load", &M::carriesLoad, "Position mode: carries what gravity asks of it; None: where tuned.")
      .def_readwrite("gear", &M::gear, "Turns of the motor per turn of the joint [-].")
      .def_readwrite("rotor_inertia", &M::rotorInertia, "On the motor's side [kg m^2] or [kg].")
      .def("__repr__", [](const M& m) {
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

const JointMotor& motorOf(const Joint& joint) {
  const JointDescription& d = joint.world->model().joint(joint.id);
  if (d.motor) return *d.motor;
  throw std::invalid_argument(fmt::format("joint \"{}\" has no motor; expected one with", d.name));
}

template <class Edit>
void change(const Joint& joint, const Edit& edit) {
  JointDescription d = joint.world->model().joint(joint.id);
  edit(d);
  joint.world->model().change(joint.id, d);
}

void changeSome(const Joint& joint, std::optional<double> stiffness, std::optional<double> damping,
                std::optional<double> rest, std::optional<double> friction, std::optional<double> armature,
                std::optional<double> length, std::optional<double> breakingForce, std::optional<double> breakingTorque) {
  change(joint, [&](JointDescription& d) {
    if (stiffness) d.stiffness = *stiffness;
    if (damping) d.damping = *damping;
    if (rest) d.rest = *rest;
    if (friction) d.friction = *friction;
    if (armature) d.armature = *armature;
    if (length) d.length = *length;
    if (breakingForce) d.breakingForce = *breakingForce;
    if (breakingTorque) d.breakingTorque = *breakingTorque;
  });
}

void bindDrive(py::class_<Joint>& type) {
  type.def_property_readonly(
      "velocity", [](const Joint& j) { return j.world->model().jointVelocity(j.id); },
      "Rate of the free coordinate [rad/s] or [m/s].");
  type.def_property_readonly(
      "motor_force", [](const Joint& j) { return j.world->model().motorForce(j.id); },
      "What the motor pushed with in the last step, on the joint's side of the gear [N m] or [N].");
  type.def_property(
      "target", [](const Joint& j) { return motorOf(j).target; },
      [](const Joint& j, double target) { j.world->model().setMotorTarget(j.id, target, motorOf(j).targetVelocity); },
      "Target of the motor: velocity mode [rad/s] or [m/s], position mode [rad] or [m] (the speed at which it moves stays), "
      "force mode [N m] or [N].");
  type.def(
      "set_target",
      [](const Joint& j, double target, double velocity) { j.world->model().setMotorTarget(j.id, target, velocity); },
      py::arg("target"), py::arg("velocity") = 0.0,
      "The target, and in position mode the speed at which it moves [rad/s] or [m/s].");
  type.def_property(
      "motor", [](const Joint& j) { return j.world->model().joint(j.id).motor; },
      [](const Joint& j, const std::optional<JointMotor>& motor) {
        change(j, [&](JointDescription& d) { d.motor = motor; });
      },
      "Its motor, as a copy, or None; assign to change it.");
  type.def_property(
      "limit", [](const Joint& j) { return j.world->model().joint(j.id).limit; },
      [](const Joint& j, const std::optional<JointLimit>& limit) {
        change(j, [&](JointDescription& d) { d.limit = limit; });
      },
      "Its limit, as a copy, or None; assign to change it.");
  type.def("change", &changeSome, py::kw_only(), py::arg("stiffness") = py::none(), py::arg("damping") = py::none(),
           py::arg("rest") = py::none(), py::arg("friction") = py::none(), py::arg("armature") = py::none(),
           py::arg("length") = py::none(), py::arg("breaking_force") = py::none(), py::arg("breaking_torque") = py::none(),
           "Changes what is given, between steps: stiffness [N m/rad] or [N/m], damping [N m s/rad] or [N s/m], rest [rad] or [m], "
           "dry friction [N m] or [N], armature [kg m^2] or [kg], length [m], breaking_force [N], breaking_torque [N m].");
}

JointDescription makeDescription(World& world, const std::string& kind, const py::object& bodyB,
                                 const py::object& bodyA) {
  return {.kind = toJointKind(kind), .bodyA = toBodyOrNone(world, bodyA), .bodyB = toBody(world, bodyB)};
}

Joint addJoint(const std::shared_ptr<World>& world, const std::string& kind, const py::object& bodyB,
               const py::object& bodyA, const py::object& anchor, const py::object& anchorB, const py::object& axis,
               const py::object& axisB, const std::string& name, std::optional<double> length,
               std::optional<double> stiffness, double damping, std::optional<JointLimit> limit,
               std::optional<JointMotor> motor, double friction, double armature, double rest,
               std::optional<double> breakingForce, std::optional<double> breakingTorque, bool collideConnected) {
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
  d.armature = armature;
  d.rest = rest;
  d.breakingForce = orInfinity(breakingForce);
  d.breakingTorque = orInfinity(breakingTorque);
  d.collideConnected = collideConnected;
  const JointId id = world->model().spawn(d);
  world->noteEdit();
  return {world, id};
}

template <class Get>
py::array_t<double> perJoint(const World& world, const Get& get) {
  std::vector<double> values;
  for (const JointId id : world.model().joints()) {
    values.push_back(hasCoordinate(world.model().joint(id).kind) ? get(id) : std::numeric_limits<double>::quiet_NaN());
  }
  return fromSpan(values);
}

py::array_t<double> motorTargets(const World& world) {
  std::vector<double> values;
  for (const JointId id : world.model().joints()) {
    const std::optional<JointMotor>& motor = world.model().joint(id).motor;
    values.push_back(motor ? motor->target : std::numeric_limits<double>::quiet_NaN());
  }
  return fromSpan(values);
}

void setMotorTargets(World& world, const py::object& value) {
  const Array targets = Array::ensure(value);
  if (!targets) throw py::error_already_set();
  WorldModel& model = world.model();
  const std::vector<JointId> joints{model.joints().begin(), model.joints().end()};
  if (static_cast<std::size_t>(targets.size()) != joints.size()) {
    throw py::value_error(
        fmt::format("motor_targets has {} numbers; expected {}, one for each joint", targets.size(), joints.size()));
  }
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const std::optional<JointMotor>& motor = model.joint(joints[i]).motor;
    if (motor) model.setMotorTarget(joints[i], targets.data()[i], motor->targetVelocity);
  }
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
  py::class_<Joint> type(module, "Joint", "A joint of a world.");
  bindDrive(type);
  type
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
      .def("__repr__", [](const Joint& joint) { return reprOf(joint); });

  auto world = module.attr("World").cast<py::class_<World, std::shared_ptr<World>>>();
  world.def("add_joint", &addJoint, py::arg("kind"), py::arg("body_b"), py::arg("body_a") = py::none(), py::kw_only(),
            py::arg("anchor") = py::make_tuple(0.0, 0.0, 0.0), py::arg("anchor_b") = py::none(),
            py::arg("axis") = py::make_tuple(0.0, 0.0, 1.0), py::arg("axis_b") = py::make_tuple(1.0, 0.0, 0.0),
            py::arg("name") = "", py::arg("length") = py::none(), py::arg("stiffness") = py::none(),
            py::arg("damping") = 0.0, py::arg("limit") = py::none(), py::arg("motor") = py::none(),
            py::arg("friction") = 0.0, py::arg("armature") = 0.0, py::arg("rest") = 0.0, py::arg("breaking_force") = py::none(), py::arg("breaking_torque") = py::none(),
            py::arg("collide_connected") = false,
            "Joins body B to body A (None: the world), as they stand. Kinds: ball, hinge, slider, cylindrical, "
            "universal, fixed, distance, rope, spring. Anchors and axes in world coordinates [m]; length [m]; stiffness, "
            "damping and rest of a spring, or of the free coordinate [N/m], [N s/m], [m] or [N m/rad], [N m s/rad], [rad]; "
            "friction [N] or [N m], armature [kg] or [kg m^2], breaking force [N] and torque [N m].");
  world.def_property_readonly(
      "joint_positions",
      [](const World& w) { return perJoint(w, [&](JointId id) { return w.model().jointCoordinate(id); }); },
      "Angle [rad] or travel [m] of every joint, in the order of World.joints; NaN for those without a free coordinate.");
  world.def_property_readonly(
      "joint_velocities",
      [](const World& w) { return perJoint(w, [&](JointId id) { return w.model().jointVelocity(id); }); },
      "Rates of the same [rad/s] or [m/s].");
  world.def_property("motor_targets", &motorTargets, &setMotorTargets,
                     "Targets of all motors, in the order of World.joints, in the units of their modes: [rad/s] or [m/s], [rad] or [m], "
                     "[N m] or [N]; NaN for joints without one. Assign to drive them.");
}

}  // namespace msd_python
