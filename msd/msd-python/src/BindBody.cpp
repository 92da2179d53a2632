#include <fmt/format.h>
#include <pybind11/stl.h>

#include "Handles.hpp"
#include "Rows.hpp"

namespace msd_python {

using namespace msd_sim;

namespace {

const InertialState& stateOf(const Body& b) {
  const WorldModel& world = b.world->model();
  return world.isEnvironment(b.id) ? world.environment(b.id).getInertialState()
                                   : world.inertial(b.id).getInertialState();
}

template <class Edit>
void change(const Body& b, const Edit& edit) {
  InertialState state = b.world->model().inertial(b.id).getInertialState();
  edit(state);
  b.world->model().setState(b.id, state);
}

void setState(const Body& b, const py::object& position, const py::object& orientation, const py::object& velocity,
              const py::object& angularVelocity) {
  change(b, [&](InertialState& s) {
    if (!position.is_none()) s.position = toVector(position, "position", "m");
    if (!orientation.is_none()) s.orientation = toQuaternion(orientation, "orientation");
    if (!velocity.is_none()) s.velocity = toVector(velocity, "velocity", "m/s");
    if (!angularVelocity.is_none()) s.angularVelocity = toVector(angularVelocity, "angular_velocity", "rad/s");
  });
}

std::string reprOf(const Body& b) {
  const WorldModel& world = b.world->model();
  if (!world.contains(b.id)) return "<msd.Body that was removed>";
  const char* kind = world.isEnvironment(b.id) ? "static" : isKinematic(world, b.id) ? "kinematic" : "moving";
  std::string text = fmt::format("<msd.Body \"{}\" (row {}): {} {} at {} m", world.name(b.id), bodyRow(b.id), kind,
                                 msd_assets::shapeKindName(world.asset(b.id).getShape().kind()),
                                 describe(stateOf(b).position));
  if (!world.isEnvironment(b.id)) {
    text += fmt::format(", {:g} kg, {:.3g} m/s{}", world.inertial(b.id).getMass(), stateOf(b).velocity.norm(),
                        world.isAwake(b.id) ? "" : ", asleep");
  }
  return text + ">";
}

void bindState(py::class_<Body>& type) {
  type.def_property(
      "position", [](const Body& b) { return fromVector(stateOf(b).position); },
      [](const Body& b, const py::object& v) { setState(b, v, py::none(), py::none(), py::none()); },
      "Centre of mass [m].");
  type.def_property(
      "orientation", [](const Body& b) { return fromQuaternion(stateOf(b).orientation); },
      [](const Body& b, const py::object& v) { setState(b, py::none(), v, py::none(), py::none()); },
      "Of the body's axes: w, x, y, z.");
  type.def_property(
      "velocity", [](const Body& b) { return fromVector(stateOf(b).velocity); },
      [](const Body& b, const py::object& v) {
        b.world->model().setVelocity(b.id, toVector(v, "velocity", "m/s"),
                                     b.world->model().inertial(b.id).getInertialState().angularVelocity);
      },
      "Of the centre of mass [m/s].");
  type.def_property(
      "angular_velocity", [](const Body& b) { return fromVector(stateOf(b).angularVelocity); },
      [](const Body& b, const py::object& v) {
        b.world->model().setVelocity(b.id, b.world->model().inertial(b.id).getInertialState().velocity,
                                     toVector(v, "angular_velocity", "rad/s"));
      },
      "World axes [rad/s].");
  type.def_property_readonly(
      "origin", [](const Body& b) { return fromVector(b.world->model().asset(b.id).pose().position); },
      "Origin of the shape's frame [m]; the centre of mass may lie elsewhere.");
  type.def_property_readonly(
      "origin_velocity", [](const Body& b) { return fromVector(b.world->model().frameVelocity(b.id)); },
      "Velocity of the shape frame's origin [m/s].");
  type.def("set_state", &setState, py::kw_only(), py::arg("position") = py::none(), py::arg("orientation") = py::none(),
           py::arg("velocity") = py::none(), py::arg("angular_velocity") = py::none(),
           "Places the body anew, at once: position [m], orientation, velocity [m/s], angular_velocity [rad/s]; what is None "
           "stays. Contacts are found afresh.");
  type.def(
      "move_to",
      [](const Body& b, const py::object& position, const py::object& orientation, std::optional<double> dt) {
        b.world->model().moveTo(b.id, {toVector(position, "position", "m"), toQuaternion(orientation, "orientation")},
                                dt.value_or(b.world->dt()));
      },
      py::arg("position"), py::arg("orientation") = py::make_tuple(1.0, 0.0, 0.0, 0.0), py::arg("dt") = py::none(),
      "Kinematic bodies: reach the pose of the shape's frame at the end of the next step (of dt [s]).");
}

void setMaterial(const Body& body, std::optional<double> friction, std::optional<double> restitution,
                 std::optional<double> rollingResistance, std::optional<double> torsionalResistance,
                 std::optional<double> stiffness, std::optional<double> damping) {
  SurfaceMaterial m = body.world->model().asset(body.id).material();
  m.friction = friction.value_or(m.friction);
  m.restitution = restitution.value_or(m.restitution);
  m.rollingResistance = rollingResistance.value_or(m.rollingResistance);
  m.torsionalResistance = torsionalResistance.value_or(m.torsionalResistance);
  m.stiffness = stiffness.value_or(m.stiffness);
  m.damping = damping.value_or(m.damping);
  body.world->model().setMaterial(body.id, m);
}

void bindForces(py::class_<Body>& type) {
  type.def(
      "apply_force",
      [](const Body& b, const py::object& force, const py::object& at) {
        const Force f = toVector(force, "force", "N");
        if (at.is_none()) return b.world->model().applyForce(b.id, f);
        b.world->model().applyForceAt(b.id, f, toVector(at, "at", "m"));
      },
      py::arg("force"), py::arg("at") = py::none(),
      "Adds a force [N] that acts throughout the next step, at the centre of mass or at a point of the world [m].");
  type.def(
      "apply_torque",
      [](const Body& b, const py::object& torque) {
        b.world->model().applyTorque(b.id, toVector(torque, "torque", "N·m"));
      },
      py::arg("torque"), "Adds a torque [N m] that acts throughout the next step.");
  type.def(
      "apply_impulse",
      [](const Body& b, const py::object& impulse, const py::object& at) {
        b.world->model().applyImpulseAt(b.id, toVector(impulse, "impulse", "N·s"),
                                        at.is_none() ? stateOf(b).position : Coordinate{toVector(at, "at", "m")});
      },
      py::arg("impulse"), py::arg("at") = py::none(),
      "Changes the velocities at once by an impulse [N s] at the centre of mass or at a point of the world [m].");
  type.def("set_material", &setMaterial, py::kw_only(), py::arg("friction") = py::none(),
           py::arg("restitution") = py::none(), py::arg("rolling_resistance") = py::none(),
           py::arg("torsional_resistance") = py::none(), py::arg("contact_stiffness") = py::none(),
           py::arg("contact_damping") = py::none(),
           "Changes what is given of its surface from now on: coefficients [-], resistances [m], stiffness [N/m], damping "
           "[N s/m].");
  type.def(
      "set_surface_velocity",
      [](const Body& b, const py::object& velocity) {
        b.world->model().setSurfaceVelocity(b.id, toVector(velocity, "velocity", "m/s"));
      },
      py::arg("velocity"), "Velocity of its surface along itself, body axes [m/s]: a conveyor belt's.");
  type.def("wake", [](const Body& b) { b.world->model().wake(b.id); }, "Wakes the body and its island.");
}

void bindFacts(py::class_<Body>& type) {
  const auto fact = [&](const char* name, auto get, const char* text) { type.def_property_readonly(name, get, text); };
  fact("name", [](const Body& b) { return b.world->model().name(b.id); }, "Name.");
  fact(
      "row",
      [](const Body& b) {
        (void)b.world->model().asset(b.id);
        return bodyRow(b.id);
      },
      "Row of the world's arrays that is this body's.");
  fact("exists", [](const Body& b) { return b.world->model().contains(b.id); }, "False once it was removed.");
  fact("shape", [](const Body& b) { return b.world->model().asset(b.id).getShape(); }, "Shape.");
  fact("is_static", [](const Body& b) { return b.world->model().isEnvironment(b.id); }, "Never moves.");
  fact("is_kinematic", [](const Body& b) { return isKinematic(b.world->model(), b.id); }, "Moves as told.");
  fact("is_awake", [](const Body& b) { return b.world->model().isAwake(b.id); }, "Is simulated in the next step.");
  fact("mass", [](const Body& b) { return b.world->model().inertial(b.id).getMass(); }, "[kg]; ValueError for a static body.");
  fact("inertia", [](const Body& b) { return fromMatrix(b.world->model().inertial(b.id).getInertiaTensor()); },
       "About the centre of mass, body axes [kg m^2].");
  fact("centre_of_mass", [](const Body& b) { return fromVector(b.world->model().inertial(b.id).localCentreOfMass()); },
       "In the shape's frame [m].");
  fact("kinetic_energy", [](const Body& b) { return b.world->model().inertial(b.id).kineticEnergy(); }, "[J]");
  fact("friction", [](const Body& b) { return b.world->model().asset(b.id).getFrictionCoefficient(); }, "Coulomb coefficient [-].");
  fact("restitution", [](const Body& b) { return b.world->model().asset(b.id).getCoefficientOfRestitution(); }, "0 to 1 [-].");
  fact(
      "island",
      [](const Body& b) -> py::object {
        const std::uint32_t island = b.world->model().island(b.id);
        return island == WorldModel::kNoIsland ? py::object{py::none()} : py::object{py::int_(island)};
      },
      "Number of the island it was solved in by the last step, or None.");
  fact(
      "bounds",
      [](const Body& b) {
        const Aabb box = b.world->model().bounds(b.id);
        return py::make_tuple(fromVector(box.lower), fromVector(box.upper));
      },
      "Lower and upper corner of the world bounds of its shape [m].");
  fact(
      "contacts",
      [](const Body& b) {
        std::vector<ContactLine> lines;
        for (const ContactRecord& c : b.world->model().contacts(b.id)) lines.push_back(makeLine(c));
        return fromRows(lines);
      },
      "Its contacts after the last step, as World.contacts has them.");
}

}  // namespace

BodyId toBody(const World& world, const py::handle& value) {
  if (py::isinstance<Body>(value)) {
    const auto body = value.cast<Body>();
    if (body.world.get() != &world) throw std::invalid_argument("the body is of another world; expected one of this");
    return body.id;
  }
  if (py::isinstance<py::str>(value)) {
    const auto name = value.cast<std::string>();
    if (const auto found = world.model().findBody(name)) return *found;
    throw py::key_error(fmt::format("there is no body \"{}\"", name));
  }
  if (PyIndex_Check(value.ptr()) != 0) {
    const auto row = value.cast<py::ssize_t>();
    const BodyId id = row < 0 ? BodyId{} : world.bodyOfRow(static_cast<std::size_t>(row));
    if (!id.isNull()) return id;
    throw py::index_error(fmt::format("there is no body in row {}", row));
  }
  throw py::type_error(fmt::format("body is {}; expected a msd.Body, a name or a row", py::repr(value).cast<std::string>()));
}

BodyId toBodyOrNone(const World& world, const py::handle& value) {
  return value.is_none() ? BodyId{} : toBody(world, value);
}

void bindBody(py::module_& module) {
  py::class_<Body> type(module, "Body",
                        "A body of a world. It does not keep the body alive: once that is removed, every use is an IndexError.");
  bindFacts(type);
  bindState(type);
  bindForces(type);
  type.def("remove", [](const Body& b) { b.world->remove(b.id); }, "Removes the body with its joints; wakes what touched it.");
  type.def("__eq__", [](const Body& a, const py::object& b) { return py::isinstance<Body>(b) && a == b.cast<Body>(); });
  type.def("__hash__", [](const Body& b) { return py::hash(py::make_tuple(b.id.index, b.id.generation)); });
  type.def("__repr__", [](const Body& b) { return reprOf(b); });
}

}  // namespace msd_python
