#pragma once

#include <pybind11/numpy.h>

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "Convert.hpp"
#include "msd-sim/src/Diagnostics/StepReport.hpp"
#include "msd-sim/src/Environment/ContactRecord.hpp"

/// Records as numpy has them: rows of a structured array.
namespace msd_python {

/// A short word, as numpy keeps it ('U16').
using Word = std::array<char32_t, 16>;
[[nodiscard]] Word makeWord(std::string_view text);

struct ReportRow {
  std::uint64_t step;
  double time, dt;
  Word status;
  std::int64_t bodies, awake, pairs, manifolds, contacts, islands, colours, substeps, iterations;
  std::int64_t shapeTests, unsettled, visits, visitsAllowed;
  double localResidual, lastChange;
  std::int64_t unsolvedIslands, tornJoints, guardedIslands;
  double residual, penetration, jointError;
  double kinetic, potential, change;
  double externalWork, jointWork, normalWork, frictionWork, positionWork, dampingWork, guardWork,
      integratorError;
  double closure, scale;
  double naturalMap, seconds;
};
[[nodiscard]] ReportRow makeRow(const msd_sim::StepReport& report);
[[nodiscard]] py::array fromRows(std::span<const ReportRow> rows);

struct ContactLine {
  std::int64_t bodyA, bodyB;  ///< rows of the bodies
  std::array<double, 3> point, normal;
  double gap;
  std::array<double, 3> force, slip;
  double friction;
  Word state;
  std::uint32_t feature;
};
[[nodiscard]] ContactLine makeLine(const msd_sim::ContactRecord& contact);
[[nodiscard]] py::array fromRows(std::span<const ContactLine> rows);

struct EventLine {
  Word kind;
  std::uint64_t step;
  std::int64_t bodyA, bodyB;  ///< rows; -1 for one that is gone
  std::array<double, 3> point, normal;
  double approachSpeed;
};
[[nodiscard]] EventLine makeLine(const msd_sim::ContactEvent& event, std::uint64_t step);
[[nodiscard]] py::array fromRows(std::span<const EventLine> rows);

struct StateLine {
  std::int64_t body;
  std::array<double, 3> position;
  std::array<double, 4> orientation;
  std::array<double, 3> velocity, angularVelocity;
  std::int64_t island;  ///< -1: none
  bool awake;
};
[[nodiscard]] py::array fromRows(std::span<const StateLine> rows);

struct ReactionLine {
  std::int64_t joint;
  std::array<double, 3> force, torque;
  double coordinate;
  bool broken;
};
[[nodiscard]] py::array fromRows(std::span<const ReactionLine> rows);

struct HitLine {
  std::int64_t body;  ///< row; -1: nothing was hit
  double distance;
  std::array<double, 3> point, normal;
};
[[nodiscard]] py::array fromRows(std::span<const HitLine> rows);

/// One column of a row type.
struct ColumnType {
  const char* name;
  const char* format;  ///< as numpy writes it: "f8", "(3,)f8", "U16"
  std::size_t offset;
};
/// Rows of any type as a structured array (a copy).
[[nodiscard]] py::array structured(const void* data, std::size_t count, std::size_t size,
                                   std::span<const ColumnType> columns);

}  // namespace msd_python
