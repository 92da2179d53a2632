#include "Convert.hpp"

#include <fmt/format.h>

#include <array>
#include <stdexcept>

namespace msd_python {

namespace {

Array toArray(const py::handle& value, const char* name) {
  Array array = Array::ensure(value);
  if (array) return array;
  PyErr_Clear();
  throw py::value_error(fmt::format("{} is {}; expected numbers", name,
                                    py::repr(value).cast<std::string>()));
}

std::string shapeOf(const py::array& array) {
  return py::repr(array.attr("shape")).cast<std::string>();
}

[[noreturn]] void refuse(const char* name, const py::handle& value, const std::string& expected) {
  throw py::value_error(
      fmt::format("{} is {}; expected {}", name, py::repr(value).cast<std::string>(), expected));
}

}  // namespace

msd_sim::Vector3D toVector(const py::handle& value, const char* name, const char* unit) {
  const Array array = toArray(value, name);
  if (array.size() != 3 || array.ndim() != 1) {
    refuse(name, value, fmt::format("three numbers [{}]", unit));
  }
  return {array.data()[0], array.data()[1], array.data()[2]};
}

msd_sim::Quaternion toQuaternion(const py::handle& value, const char* name) {
  const Array array = toArray(value, name);
  if (array.size() != 4 || array.ndim() != 1) refuse(name, value, "four numbers: w, x, y, z");
  const double* q = array.data();
  return {q[0], q[1], q[2], q[3]};
}

msd_sim::Matrix3D toMatrix(const py::handle& value, const char* name, const char* unit) {
  const Array array = toArray(value, name);
  if (array.ndim() != 2 || array.shape(0) != 3 || array.shape(1) != 3) {
    refuse(name, value, fmt::format("3 x 3 numbers [{}]", unit));
  }
  return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(array.data());
}

Array toTable(const py::handle& value, const char* name, py::ssize_t rows, py::ssize_t columns) {
  Array array = toArray(value, name);
  const bool fits = array.ndim() == 2 && array.shape(1) == columns &&
                    (rows < 0 || array.shape(0) == rows);
  if (!fits) {
    throw py::value_error(fmt::format("{} has shape {}; expected ({}, {})", name, shapeOf(array),
                                      rows < 0 ? "n" : std::to_string(rows), columns));
  }
  return array;
}

std::vector<msd_sim::Vector3D> toPoints(const py::handle& value, const char* name) {
  const Array array = toTable(value, name, -1, 3);
  std::vector<msd_sim::Vector3D> points;
  points.reserve(static_cast<std::size_t>(array.shape(0)));
  for (py::ssize_t i = 0; i < array.shape(0); ++i) {
    const double* p = array.data() + 3 * i;
    points.push_back({p[0], p[1], p[2]});
  }
  return points;
}

py::array_t<double> fromSpan(std::span<const double> values) {
  return py::array_t<double>{static_cast<py::ssize_t>(values.size()), values.data()};
}

py::array_t<double> fromVector(const msd_sim::Vector3D& value) {
  return fromSpan({value.data(), 3});
}

py::array_t<double> fromQuaternion(const msd_sim::Quaternion& value) {
  const std::array<double, 4> q{value.w(), value.x(), value.y(), value.z()};
  return fromSpan(q);
}

py::array_t<double> fromMatrix(const msd_sim::Matrix3D& value) {
  const Eigen::Matrix<double, 3, 3, Eigen::RowMajor> rows = value;
  return fromTable({rows.data(), 9}, 3);
}

py::array_t<double> fromTable(std::span<const double> values, py::ssize_t columns) {
  const auto rows = static_cast<py::ssize_t>(values.size()) / columns;
  return py::array_t<double>{std::vector<py::ssize_t>{rows, columns}, values.data()};
}

msd_sim::Method toMethod(const std::string& name) {
  if (const auto method = msd_sim::methodFromName(name)) return *method;
  throw py::value_error(
      fmt::format("method is \"{}\"; expected \"fast\", \"exact\" or \"reference\"", name));
}

std::string fromMethod(msd_sim::Method method) {
  return std::string{msd_sim::methodName(method)};
}

std::string describe(const msd_sim::Vector3D& v) {
  return fmt::format("({:g}, {:g}, {:g})", v.x(), v.y(), v.z());
}

std::string describe(const msd_sim::Quaternion& q) {
  return fmt::format("({:g}, {:g}, {:g}, {:g})", q.w(), q.x(), q.y(), q.z());
}

void makeReadOnly(py::array& array) {
  py::detail::array_proxy(array.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
}

bool signalRaised() {
  const py::gil_scoped_acquire lock;
  return PyErr_CheckSignals() != 0;
}

void throwIfRaised() {
  if (PyErr_Occurred() != nullptr) throw py::error_already_set();
}

}  // namespace msd_python
