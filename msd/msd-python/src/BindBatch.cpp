#include <fmt/format.h>
#include <pybind11/stl.h>

#include "Batch.hpp"
#include "Handles.hpp"
#include "Rows.hpp"

namespace msd_python {

namespace {

using BatchPointer = std::shared_ptr<Batch>;
using BatchClass = py::class_<Batch, BatchPointer>;

/// An array on a batch's memory, which lives as long as the array does.
py::array stacked(const BatchPointer& batch, std::vector<double>& values, py::ssize_t columns,
                  bool writable) {
  const auto worlds = static_cast<py::ssize_t>(batch->size());
  const auto inner = static_cast<py::ssize_t>(columns > 0 ? batch->rows() : batch->jointCount());
  std::vector<py::ssize_t> shape{worlds, inner};
  if (columns > 0) shape.push_back(columns);
  const py::capsule owner{new std::shared_ptr<Batch::Arrays>{batch->sharedArrays()},
                          [](void* p) { delete static_cast<std::shared_ptr<Batch::Arrays>*>(p); }};
  py::array array{py::dtype::of<double>(), shape, values.data(), owner};
  if (!writable) makeReadOnly(array);
  return array;
}

Array toStack(const Batch& batch, const py::object& value, const char* name, py::ssize_t columns) {
  if (value.is_none()) return {};
  Array array = Array::ensure(value);
  if (!array) throw py::error_already_set();
  const auto worlds = static_cast<py::ssize_t>(batch.size());
  const auto rows = static_cast<py::ssize_t>(batch.rows());
  if (array.ndim() != 3 || array.shape(0) != worlds || array.shape(1) != rows ||
      array.shape(2) != columns) {
    throw py::value_error(fmt::format("{} has shape {}; expected ({}, {}, {})", name,
                                      py::repr(array.attr("shape")).cast<std::string>(), worlds,
                                      rows, columns));
  }
  return array;
}

void setStates(Batch& batch, const py::object& positions, const py::object& orientations,
               const py::object& velocities, const py::object& angularVelocities) {
  const Array p = toStack(batch, positions, "positions", 3);
  const Array q = toStack(batch, orientations, "orientations", 4);
  const Array v = toStack(batch, velocities, "velocities", 3);
  const Array w = toStack(batch, angularVelocities, "angular_velocities", 3);
  batch.write({numbers(p), numbers(q), numbers(v), numbers(w)});
}

void reset(Batch& batch, const py::object& mask) {
  std::unique_ptr<bool[]> chosen{new bool[batch.size()]};
  std::fill_n(chosen.get(), batch.size(), mask.is_none());
  if (!mask.is_none()) {
    const auto given = py::array_t<bool, py::array::c_style | py::array::forcecast>::ensure(mask);
    if (!given || static_cast<std::size_t>(given.size()) != batch.size()) {
      PyErr_Clear();
      throw py::value_error(
          fmt::format("mask: expected {} booleans, one for each world", batch.size()));
    }
    std::copy_n(given.data(), batch.size(), chosen.get());
  }
  const Batch::Use use = batch.use();
  const py::gil_scoped_release unlocked;
  batch.reset(use, {chosen.get(), batch.size()});
}

void step(Batch& batch, std::int64_t count, std::optional<double> dt) {
  if (count < 0)
    throw py::value_error(fmt::format("n is {}; expected a number of steps >= 0", count));
  const double length = dt.value_or(batch.world(0)->dt());
  const Batch::Use use = batch.use();
  {
    const py::gil_scoped_release unlocked;
    batch.step(use, static_cast<std::uint64_t>(count), length, &signalRaised);
  }
  throwIfRaised();
}

std::shared_ptr<World> at(const Batch& batch, py::ssize_t index) {
  const auto size = static_cast<py::ssize_t>(batch.size());
  if (index < -size || index >= size) {
    throw py::index_error(fmt::format("there is no world {} in a batch of {}", index, size));
  }
  return batch.world(static_cast<std::size_t>(index < 0 ? index + size : index));
}

void bindArrays(BatchClass& type) {
  using Arrays = Batch::Arrays;
  const auto column = [&](const char* name, std::vector<double> Arrays::*member,
                          py::ssize_t columns, bool writable, const char* text) {
    type.def_property_readonly(
        name,
        [=](const BatchPointer& b) { return stacked(b, b->arrays().*member, columns, writable); },
        text);
  };
  column("positions", &Arrays::position, 3, false,
         "Centres of mass, (worlds, rows, 3) [m], as the last step left them.");
  column("orientations", &Arrays::orientation, 4, false, "(worlds, rows, 4): w, x, y, z.");
  column("velocities", &Arrays::velocity, 3, false, "(worlds, rows, 3) [m/s].");
  column("angular_velocities", &Arrays::angularVelocity, 3, false,
         "World axes, (worlds, rows, 3) [rad/s].");
  column("forces", &Arrays::force, 3, true,
         "Forces that act in every step until they are set otherwise, (worlds, rows, 3) [N]; to be "
         "written to.");
  column("torques", &Arrays::torque, 3, true,
         "Torques likewise, (worlds, rows, 3) [N m]; to be written to.");
  column("joint_positions", &Arrays::jointPosition, 0, false,
         "Angle [rad] or travel [m] of every joint, (worlds, joints); NaN for those without a free "
         "coordinate.");
  column("joint_velocities", &Arrays::jointVelocity, 0, false,
         "Rates of the same, (worlds, joints) [rad/s] or [m/s].");
  column("motor_targets", &Arrays::motorTarget, 0, true,
         "Targets of the motors, (worlds, joints), in the units of their modes: [rad/s] or [m/s], "
         "[rad] or [m], [N m] or [N]; NaN for joints without one. To be written to.");
}

}  // namespace

void bindBatch(py::module_& module) {
  BatchClass type(module, "Batch",
                  "Many independent worlds of the same bodies, stepped together on all cores; each "
                  "goes through the same bits "
                  "as it would alone. Made from a world (copies of it, in its state) by "
                  "msd.Batch(world_or_scene, n).");
  type.def(py::init([](const World& world, std::int64_t count, int threads) {
             if (count < 1)
               throw py::value_error(fmt::format("n is {}; expected at least one world", count));
             return std::make_shared<Batch>(world, static_cast<std::size_t>(count), threads);
           }),
           py::arg("world"), py::arg("n"), py::kw_only(), py::arg("threads") = 0);
  type.def("step", &step, py::arg("n") = 1, py::arg("dt") = py::none(),
           "Advances every world by n steps of dt [s] without touching Python. Ctrl-C ends it, all "
           "worlds after the same step.");
  bindArrays(type);
  type.def("set_states", &setStates, py::kw_only(), py::arg("positions") = py::none(),
           py::arg("orientations") = py::none(), py::arg("velocities") = py::none(),
           py::arg("angular_velocities") = py::none(),
           "Writes the states of all bodies of all worlds; what is None stays, and so does every "
           "row that is as it is. All or "
           "nothing: ValueError names the first world and row that are wrong.");
  type.def("reset", &reset, py::arg("mask") = py::none(),
           "Brings the worlds whose entry in mask is True (None: all) back to the state in which "
           "the batch was made. forces, "
           "torques and motor_targets are the caller's: they stay.");
  type.def(
      "gather",
      [](Batch& batch) {
        const Batch::Use use = batch.use();
        batch.gather();
      },
      "Reads the worlds into the arrays again, after single worlds were changed.");
  type.def("__len__", &Batch::size);
  type.def("__getitem__", &at, py::arg("index"));
  type.def_property_readonly("threads", &Batch::threads, "Threads that share the worlds.");
  type.def_property_readonly(
      "reports",
      [](const Batch& batch) {
        std::vector<ReportRow> rows;
        rows.reserve(batch.size());
        for (std::size_t i = 0; i < batch.size(); ++i)
          rows.push_back(makeRow(batch.world(i)->model().lastReport()));
        return fromRows(rows);
      },
      "Reports of the last step of every world, as World.run has them.");
  type.def(
      "state_hashes",
      [](const Batch& batch) {
        std::vector<std::string> hashes;
        hashes.reserve(batch.size());
        for (std::size_t i = 0; i < batch.size(); ++i)
          hashes.push_back(batch.world(i)->model().stateHash().toString());
        return hashes;
      },
      "Fingerprints of the states of every world.");
  type.def("__repr__", [](const Batch& b) {
    return fmt::format("<msd.Batch: {} worlds of {} rows, {} threads>", b.size(), b.rows(),
                       b.threads());
  });
}

}  // namespace msd_python
