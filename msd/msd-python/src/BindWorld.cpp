#include <fmt/format.h>
#include <pybind11/stl.h>

#include <algorithm>

#include "Handles.hpp"
#include "Rows.hpp"
#include "Settings.hpp"
#include "Snapshot.hpp"
#include "msd-sim/src/Physics/PotentialEnergy/Potentials.hpp"

namespace msd_python {

using namespace msd_sim;

namespace {

using WorldPointer = std::shared_ptr<World>;
using WorldClass = py::class_<World, WorldPointer>;

WorldPointer makeWorld(const std::optional<Settings>& settings, double dt,
                       const py::kwargs& fields) {
  Settings chosen = settings.value_or(Settings{});
  applySettings(chosen, fields);
  return std::make_shared<World>(chosen, dt);
}

StepReport step(World& world, std::int64_t count, std::optional<double> dt) {
  if (count < 0)
    throw py::value_error(fmt::format("n is {}; expected a number of steps >= 0", count));
  const double length = dt.value_or(world.dt());
  const World::Use use{world};
  StepReport report;
  {
    const py::gil_scoped_release unlocked;
    report = use.step(static_cast<std::uint64_t>(count), length, &signalRaised);
  }
  throwIfRaised();
  return report;
}

py::array run(World& world, std::int64_t count, std::optional<double> dt) {
  if (count < 0)
    throw py::value_error(fmt::format("n is {}; expected a number of steps >= 0", count));
  const double length = dt.value_or(world.dt());
  std::vector<ReportRow> rows;
  rows.reserve(static_cast<std::size_t>(std::min<std::int64_t>(count, 1 << 20)));
  {
    const World::Use use{world};
    const py::gil_scoped_release unlocked;
    use.step(static_cast<std::uint64_t>(count), length, &signalRaised,
             [&](const StepReport& report) { rows.push_back(makeRow(report)); });
  }
  throwIfRaised();
  return fromRows(rows);
}

void setStates(World& world, const py::object& positions, const py::object& orientations,
               const py::object& velocities, const py::object& angularVelocities) {
  const auto rows = static_cast<py::ssize_t>(world.rows());
  const auto table = [&](const py::object& value, const char* name, py::ssize_t columns) {
    return value.is_none() ? Array{} : toTable(value, name, rows, columns);
  };
  const Array p = table(positions, "positions", 3);
  const Array q = table(orientations, "orientations", 4);
  const Array v = table(velocities, "velocities", 3);
  const Array w = table(angularVelocities, "angular_velocities", 3);
  world.write({numbers(p), numbers(q), numbers(v), numbers(w)});
}

void setColumn(World& world, const std::string& column, const py::object& value) {
  const py::none none;
  if (column == "positions") return setStates(world, value, none, none, none);
  if (column == "orientations") return setStates(world, none, value, none, none);
  if (column == "velocities") return setStates(world, none, none, value, none);
  if (column == "angular_velocities") return setStates(world, none, none, none, value);
  const Array table = toTable(value, column.c_str(), static_cast<py::ssize_t>(world.rows()), 3);
  const std::shared_ptr<double> memory = column == "forces" ? world.forces() : world.torques();
  std::ranges::copy(numbers(table), memory.get());
}

template <const char* Name>
void bindColumn(WorldClass& type, const char* text) {
  type.def_property(
      Name, [](const WorldPointer& world) { return makeView(world, Name); },
      [](World& world, const py::object& value) { setColumn(world, Name, value); }, text);
}

constexpr char kPositions[] = "positions";
constexpr char kOrientations[] = "orientations";
constexpr char kVelocities[] = "velocities";
constexpr char kAngularVelocities[] = "angular_velocities";
constexpr char kForces[] = "forces";
constexpr char kTorques[] = "torques";

void bindColumns(WorldClass& type) {
  bindColumn<kPositions>(type,
                         "Centres of mass of all bodies, (rows, 3) [m]: the engine's own memory, "
                         "without a copy. Valid until "
                         "a body is added or removed; StaleViewError after that. Assigning writes "
                         "all bodies at once.");
  bindColumn<kOrientations>(type,
                            "Orientations of all bodies, (rows, 4): w, x, y, z. As positions.");
  bindColumn<kVelocities>(type,
                          "Velocities of the centres of mass, (rows, 3) [m/s]. As positions.");
  bindColumn<kAngularVelocities>(
      type, "Angular velocities, world axes, (rows, 3) [rad/s]. As positions.");
  bindColumn<kForces>(type,
                      "Forces at the centres of mass that act in every step until they are set "
                      "otherwise, (rows, 3) [N]; "
                      "may be written to.");
  bindColumn<kTorques>(type,
                       "Torques that act in every step until they are set otherwise, (rows, 3) [N "
                       "m]; may be written to.");
  type.def("set_states", &setStates, py::kw_only(), py::arg("positions") = py::none(),
           py::arg("orientations") = py::none(), py::arg("velocities") = py::none(),
           py::arg("angular_velocities") = py::none(),
           "Writes the states of all bodies at once, (rows, 3) [m], (rows, 4), (rows, 3) [m/s] and "
           "[rad/s]; what is None stays, and so does every body whose row is as it is. "
           "All or nothing: ValueError names the first row that is wrong.");
  type.def_property_readonly(
      "rows",
      [](const World& world) {
        py::array_t<std::int64_t> rows{static_cast<py::ssize_t>(world.model().bodies().size())};
        std::ranges::transform(world.model().bodies(), rows.mutable_data(),
                               [](BodyId id) { return static_cast<std::int64_t>(bodyRow(id)); });
        return rows;
      },
      "Rows of World.bodies in the arrays: 0, 1, 2, ... unless bodies were removed.");
}

py::array_t<double> contactForces(const World& world) {
  std::vector<double> sums(3 * world.rows(), 0.0);
  for (const ContactRecord& c : world.model().contacts()) {
    Eigen::Map<Vector3D>(sums.data() + 3 * bodyRow(c.bodyA)) -= c.forceOnB;
    Eigen::Map<Vector3D>(sums.data() + 3 * bodyRow(c.bodyB)) += c.forceOnB;
  }
  return fromTable(sums, 3);
}

void bindWhatHappened(WorldClass& type) {
  type.def_property_readonly(
      "report", [](const World& world) { return world.model().lastReport(); },
      "Report of the last step.");
  type.def_property_readonly(
      "contacts",
      [](const World& world) {
        std::vector<ContactLine> lines;
        for (const ContactRecord& c : world.model().contacts()) lines.push_back(makeLine(c));
        return fromRows(lines);
      },
      "Contact points after the last step, a structured array: body_a, body_b (rows), point [m], "
      "normal (from A to B), gap "
      "[m], force (on B) [N], slip [m/s], friction, state (\"open\", \"stick\", \"slip\"), "
      "feature.");
  type.def_property_readonly(
      "events",
      [](const World& world) {
        std::vector<EventLine> lines;
        for (const ContactEvent& e : world.model().events())
          lines.push_back(makeLine(e, world.model().stepCount()));
        return fromRows(lines);
      },
      "What began, ended or hit in the last step, a structured array: kind, step, body_a, body_b "
      "(rows), point [m], normal, "
      "approach_speed [m/s].");
  type.def("contact_forces", &contactForces,
           "Sum of the contact forces on each body in the last step, (rows, 3) [N].");
}

void bindBodies(WorldClass& type) {
  type.def(
      "spawn",
      [](const WorldPointer& world, const InertialDescription& d) {
        return Body{world, world->spawn(d)};
      },
      py::arg("description"), "Adds a body.");
  type.def(
      "spawn",
      [](const WorldPointer& world, const EnvironmentDescription& d) {
        return Body{world, world->spawn(d)};
      },
      py::arg("description"));
  type.def_property_readonly(
      "bodies",
      [](const WorldPointer& world) {
        py::list bodies;
        for (const BodyId id : world->model().bodies()) bodies.append(Body{world, id});
        return bodies;
      },
      "All bodies in the order in which they were made.");
  type.def_property_readonly(
      "joints",
      [](const WorldPointer& world) {
        py::list joints;
        for (const JointId id : world->model().joints()) joints.append(Joint{world, id});
        return joints;
      },
      "All joints in the order in which they were made.");
  type.def(
      "body",
      [](const WorldPointer& world, const py::object& key) {
        return Body{world, toBody(*world, key)};
      },
      py::arg("key"), "The body of this name (KeyError) or row (IndexError).");
  type.def(
      "joint",
      [](const WorldPointer& world, const py::object& key) {
        return Joint{world, toJoint(*world, key)};
      },
      py::arg("name"), "The joint of this name (KeyError).");
  type.def("__len__", [](const World& world) { return world.model().bodies().size(); });
}

void bindPotentials(WorldClass& type) {
  type.def(
      "add_point_gravity",
      [](World& world, const py::object& centre, double mu, double radius) {
        world.refuseIfFrozen();
        world.noteEdit();
        world.model().addPotential(
            std::make_unique<PointGravityPotential>(toVector(centre, "centre", "m"), mu, radius));
      },
      py::arg("centre"), py::arg("mu"), py::arg("radius"),
      "Attraction by a point mass: mu = G M [m^3/s^2], softened below the radius [m].");
  type.def(
      "add_anchor_spring",
      [](World& world, const py::object& anchor, const py::object& point, double stiffness,
         double length) {
        world.refuseIfFrozen();
        world.noteEdit();
        world.model().addPotential(std::make_unique<AnchorSpringPotential>(
            toVector(anchor, "anchor", "m"), toVector(point, "local_point", "m"), stiffness,
            length));
      },
      py::arg("anchor"), py::arg("local_point"), py::arg("stiffness"), py::arg("length"),
      "A spring from a point of the world [m] to a point of every body, from its centre of mass in "
      "body axes [m]; stiffness "
      "[N/m], length [m].");
}

void bindState(WorldClass& type) {
  type.def(
      "snapshot", [](const World& world) { return Snapshot{world.model().snapshot()}; },
      "Everything that decides the future, to be restored bit for bit. Can be pickled.");
  type.def(
      "restore",
      [](World& world, const Snapshot& snapshot) { world.model().restore(snapshot.bytes); },
      py::arg("snapshot"),
      "Brings the world back to a snapshot of a world with the same bodies, joints and "
      "potentials.");
  type.def_property_readonly(
      "state_hash", [](const World& world) { return world.model().stateHash().toString(); },
      "Fingerprint of all states and the time: the same for every run and number of threads.");
  type.def(
      "__deepcopy__", [](const World& world, const py::dict&) { return world.copy(); },
      py::arg("memo"));
  type.def("__copy__", &World::copy);
  type.def("copy", &World::copy,
           "Another world in the same state, which goes on with the same bits.");
  type.def("__reduce__", [](const World&) -> py::object {
    throw py::type_error(
        "a world cannot be pickled; pickle its snapshot() and restore it in a world made likewise");
  });
}

}  // namespace

py::object makeView(const std::shared_ptr<World>& world, const char* column) {
  // The class is in Python; found once, kept for good.
  static PyObject* const type =
      py::object{py::module_::import("msd._views").attr("View")}.release().ptr();
  static PyObject* const ndarrayView = py::str("view").release().ptr();
  const std::string_view name = column;
  const BodyArrays arrays = msd_sim::bodyArrays(world->model());
  const auto rows = static_cast<py::ssize_t>(arrays.rows);
  const py::object lease = py::cast(world->lease());
  BodyColumn source{nullptr, 3};
  py::ssize_t columns = 3;
  bool writable = false;
  if (name == kPositions) source = arrays.position;
  if (name == kOrientations) source = arrays.orientation, columns = 4;
  if (name == kVelocities) source = arrays.velocity;
  if (name == kAngularVelocities) source = arrays.angularVelocity;
  if (source.data == nullptr) {
    source.data = name == kForces ? world->forces().get() : world->torques().get();
    writable = true;
  }
  py::array array{py::dtype::of<double>(),
                  {rows, columns},
                  {static_cast<py::ssize_t>(source.stride * sizeof(double)),
                   static_cast<py::ssize_t>(sizeof(double))},
                  source.data,
                  lease};
  if (!writable) makeReadOnly(array);
  auto view =
      py::reinterpret_steal<py::object>(PyObject_CallMethodOneArg(array.ptr(), ndarrayView, type));
  if (!view) throw py::error_already_set();
  py::setattr(view, "_lease", lease);
  py::setattr(view, "_column", py::str(column));
  return view;
}

void declareWorld(py::module_& module) {
  WorldClass(
      module, "World",
      "A world of rigid bodies, and the step that advances it. SI units, radians; quaternions "
      "are w, x, y, z. Settings may be given as keyword arguments: "
      "msd.World(gravity=(0, 0, -9.81), method=\"exact\").");
}

void bindWorld(py::module_& module) {
  py::class_<Lease, std::shared_ptr<Lease>>(module, "Lease",
                                            "What an array on a world's memory holds on to.")
      .def("check", &Lease::check, "Throws StaleViewError once bodies were added or removed.")
      .def(
          "write",
          [](const Lease& lease, const std::string& column, const py::object& value) {
            lease.check();
            setColumn(*lease.world, column, value);
          },
          py::arg("column"), py::arg("value"), "Writes a column of all bodies.");
  bindSnapshot(module);

  auto type = module.attr("World").cast<WorldClass>();
  type.def(py::init(&makeWorld), py::arg("settings") = py::none(), py::kw_only(),
           py::arg("dt") = 1.0 / 60.0);
  type.def("step", &step, py::arg("n") = 1, py::arg("dt") = py::none(),
           "Advances by n steps of dt [s] (None: World.dt) without touching Python, other threads "
           "run meanwhile, and returns "
           "the report of the last one. Ctrl-C ends it between two steps.");
  type.def(
      "run", &run, py::arg("n"), py::arg("dt") = py::none(),
      "The same, returning the reports of all steps as a structured array: time [s], kinetic [J], "
      "potential [J], contacts, ...");
  type.def_property("dt", &World::dt, &World::setDt, "Length of a step where none is given [s].");
  type.def_property_readonly(
      "time", [](const World& world) { return world.model().time(); }, "Simulated so far [s].");
  type.def_property_readonly(
      "step_count", [](const World& world) { return world.model().stepCount(); }, "Steps so far.");
  type.def_property(
      "settings", [](const World& world) { return world.model().settings(); },
      [](World& world, const Settings& settings) { world.model().setSettings(settings); },
      "The settings, as a copy; assign to change them.");
  bindColumns(type);
  bindWhatHappened(type);
  bindBodies(type);
  bindPotentials(type);
  bindState(type);
  type.def("__repr__", [](const World& world) {
    const WorldModel& model = world.model();
    return fmt::format("<msd.World: {} bodies, {} joints, t = {:g} s after {} steps, {}>",
                       model.bodies().size(), model.joints().size(), model.time(),
                       model.stepCount(), fromMethod(model.settings().method));
  });
}

}  // namespace msd_python
