#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "msd-sim/src/DataTypes/Pose.hpp"
#include "msd-sim/src/Environment/Settings.hpp"

/// Numbers between Python and the engine. Whatever numpy makes an array of is taken; what comes back is a
/// new array. Wrong sizes throw ValueError with the name, what was found and what was expected.
namespace msd_python {

namespace py = pybind11;

using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;

[[nodiscard]] msd_sim::Vector3D toVector(const py::handle& value, const char* name, const char* unit);
/// w, x, y, z.
[[nodiscard]] msd_sim::Quaternion toQuaternion(const py::handle& value, const char* name);
[[nodiscard]] msd_sim::Matrix3D toMatrix(const py::handle& value, const char* name, const char* unit);
/// Doubles in rows of `columns`; `rows` < 0: any number of them.
[[nodiscard]] Array toTable(const py::handle& value, const char* name, py::ssize_t rows,
                            py::ssize_t columns);
[[nodiscard]] std::vector<msd_sim::Vector3D> toPoints(const py::handle& value, const char* name);
[[nodiscard]] inline std::span<const double> numbers(const Array& array) {
  return {array.data(), static_cast<std::size_t>(array.size())};
}

[[nodiscard]] py::array_t<double> fromVector(const msd_sim::Vector3D& value);
[[nodiscard]] py::array_t<double> fromQuaternion(const msd_sim::Quaternion& value);
[[nodiscard]] py::array_t<double> fromMatrix(const msd_sim::Matrix3D& value);
/// A copy of numbers in rows of `columns`.
[[nodiscard]] py::array_t<double> fromTable(std::span<const double> values, py::ssize_t columns);
[[nodiscard]] py::array_t<double> fromSpan(std::span<const double> values);

/// "fast", "exact", ...: throws ValueError that lists those that exist.
[[nodiscard]] msd_sim::Method toMethod(const std::string& name);
[[nodiscard]] std::string fromMethod(msd_sim::Method method);

/// "(1, 2.5, 3)", for messages and repr.
[[nodiscard]] std::string describe(const msd_sim::Vector3D& value);
[[nodiscard]] std::string describe(const msd_sim::Quaternion& value);

/// Makes an array read-only, for it shows what is not the caller's to write.
void makeReadOnly(py::array& array);

/// Calls Python's signal handlers while the engine runs without Python's lock: true when one of them raised
/// (Ctrl-C), the exception then waits to be thrown by `throwIfRaised`.
[[nodiscard]] bool signalRaised();
void throwIfRaised();

// One function a file; Module.cpp calls them in this order.
void bindErrors(py::module_& module);
void bindShapes(py::module_& module);
void bindSettings(py::module_& module);
void bindDescriptions(py::module_& module);
void bindReport(py::module_& module);
void declareWorld(py::module_& module);  // its methods come after the classes that they name
void bindBody(py::module_& module);
void bindJoint(py::module_& module);
void bindWorld(py::module_& module);
void bindMechanism(py::module_& module);
void bindQueries(py::module_& module);
void bindScene(py::module_& module);
void bindRecording(py::module_& module);
void bindProblem(py::module_& module);
void bindBatch(py::module_& module);
void bindView(py::module_& module);

}  // namespace msd_python
