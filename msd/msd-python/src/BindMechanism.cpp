#include <fmt/format.h>
#include <pybind11/stl.h>

#include <vector>

#include "Handles.hpp"
#include "msd-sim/src/Environment/Mechanism.hpp"

namespace msd_python {

using namespace msd_sim;

namespace {

/// A mechanism, with the world whose bodies it speaks of.
struct BoundMechanism {
  std::shared_ptr<World> world;
  Mechanism values;
};

py::array_t<double> fromEigen(const Eigen::VectorXd& v) {
  return fromSpan({v.data(), static_cast<std::size_t>(v.size())});
}

template <class Matrix>
py::array_t<double> fromEigenMatrix(const Matrix& m) {
  py::array_t<double> table{
      {static_cast<py::ssize_t>(m.rows()), static_cast<py::ssize_t>(m.cols())}};
  for (Eigen::Index r = 0; r < m.rows(); ++r) {
    for (Eigen::Index c = 0; c < m.cols(); ++c) table.mutable_at(r, c) = m(r, c);
  }
  return table;
}

Eigen::VectorXd toEigen(const py::object& value, const char* name, Eigen::Index size) {
  const Array array = Array::ensure(value);
  if (!array) throw py::error_already_set();
  if (array.ndim() != 1 || array.size() != size) {
    throw py::value_error(fmt::format("{} has {} numbers; expected {}, one for each coordinate",
                                      name, array.size(), size));
  }
  return Eigen::Map<const Eigen::VectorXd>(array.data(), size);
}

BoundMechanism makeMechanism(const std::shared_ptr<World>& world, const py::iterable& joints) {
  std::vector<JointId> ids;
  for (const py::handle& joint : joints) ids.push_back(toJoint(*world, joint));
  return {world, world->model().mechanism(ids)};
}

py::array_t<double> jacobianOf(const BoundMechanism& m, const py::object& body,
                               const py::object& point) {
  const BodyId id = toBody(*m.world, body);
  const Coordinate at = point.is_none()
                            ? Coordinate{m.world->model().inertial(id).getInertialState().position}
                            : Coordinate{toVector(point, "point", "m")};
  return fromEigenMatrix(m.values.jacobian(id, at));
}

}  // namespace

void bindMechanism(py::module_& module) {
  using M = BoundMechanism;
  py::class_<M>(module, "Mechanism",
                "The free coordinates q of some joints as they stood when it was made, for "
                "control: H a + h = f, with the "
                "mass matrix H, the bias h of gravity, loads, springs and motion, accelerations a "
                "and motor forces f.")
      .def("__len__", [](const M& m) { return m.values.size(); })
      .def_property_readonly(
          "positions", [](const M& m) { return fromEigen(m.values.position()); },
          "Of the coordinates [rad] or [m].")
      .def_property_readonly(
          "velocities", [](const M& m) { return fromEigen(m.values.velocity()); },
          "Their rates [rad/s] or [m/s].")
      .def_property_readonly(
          "mass_matrix", [](const M& m) { return fromEigenMatrix(m.values.massMatrix()); },
          "H, symmetric [kg m^2], [kg m] or [kg].")
      .def_property_readonly(
          "bias", [](const M& m) { return fromEigen(m.values.bias()); },
          "h: forces that keep the coordinates from accelerating [N m] or [N].")
      .def(
          "inverse_dynamics",
          [](const M& m, const py::object& acceleration) {
            return fromEigen(
                m.values.inverseDynamics(toEigen(acceleration, "acceleration", m.values.size())));
          },
          py::arg("acceleration"),
          "Forces [N m] or [N] for given accelerations [rad/s^2] or [m/s^2].")
      .def(
          "forward_dynamics",
          [](const M& m, const py::object& force) {
            return fromEigen(m.values.forwardDynamics(toEigen(force, "force", m.values.size())));
          },
          py::arg("force"), "Accelerations [rad/s^2] or [m/s^2] for given forces [N m] or [N].")
      .def("jacobian", &jacobianOf, py::arg("body"), py::arg("point") = py::none(),
           "(6, n): velocity of a point of the body, world axes [m/s], then its angular velocity "
           "[rad/s], for unit rates of "
           "the coordinates. The point is in world coordinates [m]; None: the centre of mass.")
      .def("__repr__", [](const M& m) {
        return fmt::format("<msd.Mechanism: {} coordinates>", m.values.size());
      });

  auto world = module.attr("World").cast<py::class_<World, std::shared_ptr<World>>>();
  world.def("mechanism", &makeMechanism, py::arg("joints"),
            "Mass matrix, bias and Jacobians of the free coordinates of some joints (handles or "
            "names), as they stand. "
            "ValueError for a joint without one, or given twice.");
}

}  // namespace msd_python
