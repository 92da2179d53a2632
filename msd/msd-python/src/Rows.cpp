#include "Rows.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "msd-sim/src/Environment/WorldCopy.hpp"

namespace msd_python {

namespace {

constexpr std::array<std::string_view, 3> kStates{"open", "stick", "slip"};
constexpr std::array<std::string_view, 3> kKinds{"begin", "end", "hit"};

std::array<double, 3> three(const msd_sim::Vector3D& v) {
  return {v.x(), v.y(), v.z()};
}

#define MSD_COLUMN(Row, member, name, format) \
  ColumnType {                                \
    name, format, offsetof(Row, member)       \
  }

constexpr ColumnType kReport[] = {
    MSD_COLUMN(ReportRow, step, "step", "u8"),
    MSD_COLUMN(ReportRow, time, "time", "f8"),
    MSD_COLUMN(ReportRow, dt, "dt", "f8"),
    MSD_COLUMN(ReportRow, status, "status", "U16"),
    MSD_COLUMN(ReportRow, bodies, "bodies", "i8"),
    MSD_COLUMN(ReportRow, awake, "awake_bodies", "i8"),
    MSD_COLUMN(ReportRow, pairs, "pairs", "i8"),
    MSD_COLUMN(ReportRow, manifolds, "manifolds", "i8"),
    MSD_COLUMN(ReportRow, contacts, "contacts", "i8"),
    MSD_COLUMN(ReportRow, islands, "islands", "i8"),
    MSD_COLUMN(ReportRow, colours, "colours", "i8"),
    MSD_COLUMN(ReportRow, substeps, "substeps", "i8"),
    MSD_COLUMN(ReportRow, iterations, "iterations", "i8"),
    MSD_COLUMN(ReportRow, shapeTests, "shape_tests", "i8"),
    MSD_COLUMN(ReportRow, unsettled, "unsettled", "i8"),
    MSD_COLUMN(ReportRow, visits, "visits", "i8"),
    MSD_COLUMN(ReportRow, visitsAllowed, "visits_allowed", "i8"),
    MSD_COLUMN(ReportRow, localResidual, "local_residual", "f8"),
    MSD_COLUMN(ReportRow, lastChange, "last_change", "f8"),
    MSD_COLUMN(ReportRow, unsolvedIslands, "unsolved_islands", "i8"),
    MSD_COLUMN(ReportRow, tornJoints, "torn_joints", "i8"),
    MSD_COLUMN(ReportRow, guardedIslands, "guarded_islands", "i8"),
    MSD_COLUMN(ReportRow, residual, "residual", "f8"),
    MSD_COLUMN(ReportRow, penetration, "deepest_penetration", "f8"),
    MSD_COLUMN(ReportRow, jointError, "joint_error", "f8"),
    MSD_COLUMN(ReportRow, kinetic, "kinetic", "f8"),
    MSD_COLUMN(ReportRow, potential, "potential", "f8"),
    MSD_COLUMN(ReportRow, change, "change", "f8"),
    MSD_COLUMN(ReportRow, externalWork, "external_work", "f8"),
    MSD_COLUMN(ReportRow, jointWork, "joint_work", "f8"),
    MSD_COLUMN(ReportRow, normalWork, "normal_work", "f8"),
    MSD_COLUMN(ReportRow, frictionWork, "friction_work", "f8"),
    MSD_COLUMN(ReportRow, positionWork, "position_work", "f8"),
    MSD_COLUMN(ReportRow, dampingWork, "damping_work", "f8"),
    MSD_COLUMN(ReportRow, guardWork, "guard_work", "f8"),
    MSD_COLUMN(ReportRow, integratorError, "integrator_error", "f8"),
    MSD_COLUMN(ReportRow, closure, "closure", "f8"),
    MSD_COLUMN(ReportRow, scale, "scale", "f8"),
    MSD_COLUMN(ReportRow, naturalMap, "natural_map", "f8"),
    MSD_COLUMN(ReportRow, seconds, "seconds", "f8"),
};

constexpr ColumnType kContact[] = {
    MSD_COLUMN(ContactLine, bodyA, "body_a", "i8"),
    MSD_COLUMN(ContactLine, bodyB, "body_b", "i8"),
    MSD_COLUMN(ContactLine, point, "point", "(3,)f8"),
    MSD_COLUMN(ContactLine, normal, "normal", "(3,)f8"),
    MSD_COLUMN(ContactLine, gap, "gap", "f8"),
    MSD_COLUMN(ContactLine, force, "force", "(3,)f8"),
    MSD_COLUMN(ContactLine, slip, "slip", "(3,)f8"),
    MSD_COLUMN(ContactLine, friction, "friction", "f8"),
    MSD_COLUMN(ContactLine, state, "state", "U16"),
    MSD_COLUMN(ContactLine, feature, "feature", "u4"),
};

constexpr ColumnType kEvent[] = {
    MSD_COLUMN(EventLine, kind, "kind", "U16"),
    MSD_COLUMN(EventLine, step, "step", "u8"),
    MSD_COLUMN(EventLine, bodyA, "body_a", "i8"),
    MSD_COLUMN(EventLine, bodyB, "body_b", "i8"),
    MSD_COLUMN(EventLine, point, "point", "(3,)f8"),
    MSD_COLUMN(EventLine, normal, "normal", "(3,)f8"),
    MSD_COLUMN(EventLine, approachSpeed, "approach_speed", "f8"),
};

constexpr ColumnType kState[] = {
    MSD_COLUMN(StateLine, body, "body", "i8"),
    MSD_COLUMN(StateLine, position, "position", "(3,)f8"),
    MSD_COLUMN(StateLine, orientation, "orientation", "(4,)f8"),
    MSD_COLUMN(StateLine, velocity, "velocity", "(3,)f8"),
    MSD_COLUMN(StateLine, angularVelocity, "angular_velocity", "(3,)f8"),
    MSD_COLUMN(StateLine, island, "island", "i8"),
    MSD_COLUMN(StateLine, awake, "awake", "?"),
};

constexpr ColumnType kReaction[] = {
    MSD_COLUMN(ReactionLine, joint, "joint", "i8"),
    MSD_COLUMN(ReactionLine, force, "force", "(3,)f8"),
    MSD_COLUMN(ReactionLine, torque, "torque", "(3,)f8"),
    MSD_COLUMN(ReactionLine, coordinate, "coordinate", "f8"),
    MSD_COLUMN(ReactionLine, broken, "broken", "?"),
};

constexpr ColumnType kHit[] = {
    MSD_COLUMN(HitLine, body, "body", "i8"),
    MSD_COLUMN(HitLine, distance, "distance", "f8"),
    MSD_COLUMN(HitLine, point, "point", "(3,)f8"),
    MSD_COLUMN(HitLine, normal, "normal", "(3,)f8"),
};

#undef MSD_COLUMN

template <class Row>
py::array make(std::span<const Row> rows, std::span<const ColumnType> columns) {
  return structured(rows.data(), rows.size(), sizeof(Row), columns);
}

}  // namespace

Word makeWord(std::string_view text) {
  Word word{};
  std::copy_n(text.begin(), std::min(text.size(), word.size()), word.begin());
  return word;
}

py::array structured(const void* data, std::size_t count, std::size_t size,
                     std::span<const ColumnType> columns) {
  py::list names, formats, offsets;
  for (const ColumnType& column : columns) {
    names.append(column.name);
    formats.append(column.format);
    offsets.append(column.offset);
  }
  const py::dtype type{names, formats, offsets, static_cast<py::ssize_t>(size)};
  py::array array{type, static_cast<py::ssize_t>(count)};
  if (count > 0) std::memcpy(array.mutable_data(), data, count * size);
  return array;
}

ReportRow makeRow(const msd_sim::StepReport& r) {
  const msd_sim::EnergyLedger& e = r.energy;
  return {.step = r.step,
          .time = r.time,
          .dt = r.dt,
          .status = makeWord(msd_sim::statusName(r.status)),
          .bodies = r.bodies,
          .awake = r.awakeBodies,
          .pairs = r.pairs,
          .manifolds = r.manifolds,
          .contacts = r.contacts,
          .islands = r.islands,
          .colours = r.colours,
          .substeps = r.substeps,
          .iterations = r.iterations,
          .shapeTests = r.shapeTests,
          .unsettled = r.unsettled,
          .visits = static_cast<std::int64_t>(r.visits),
          .visitsAllowed = static_cast<std::int64_t>(r.visitsAllowed),
          .localResidual = r.localResidual,
          .lastChange = r.lastChange,
          .unsolvedIslands = r.unsolvedIslands,
          .tornJoints = r.tornJoints,
          .guardedIslands = r.guardedIslands,
          .residual = r.residual,
          .penetration = r.deepestPenetration,
          .jointError = r.jointError,
          .kinetic = e.kinetic,
          .potential = e.potential,
          .change = e.change,
          .externalWork = e.externalWork,
          .jointWork = e.jointWork,
          .normalWork = e.normalWork,
          .frictionWork = e.frictionWork,
          .positionWork = e.positionWork,
          .dampingWork = e.dampingWork,
          .guardWork = e.guardWork,
          .integratorError = e.integratorError,
          .closure = e.closure(),
          .scale = e.scale,
          .naturalMap = r.certificate.naturalMap,
          .seconds = r.seconds()};
}

ContactLine makeLine(const msd_sim::ContactRecord& c) {
  return {.bodyA = static_cast<std::int64_t>(msd_sim::bodyRow(c.bodyA)),
          .bodyB = static_cast<std::int64_t>(msd_sim::bodyRow(c.bodyB)),
          .point = three(c.point),
          .normal = three(c.normal),
          .gap = c.gap,
          .force = three(c.forceOnB),
          .slip = three(c.slip),
          .friction = c.friction,
          .state = makeWord(kStates[static_cast<std::size_t>(c.state)]),
          .feature = c.feature};
}

EventLine makeLine(const msd_sim::ContactEvent& e, std::uint64_t step) {
  return {.kind = makeWord(kKinds[static_cast<std::size_t>(e.kind)]),
          .step = step,
          .bodyA = static_cast<std::int64_t>(msd_sim::bodyRow(e.bodyA)),
          .bodyB = static_cast<std::int64_t>(msd_sim::bodyRow(e.bodyB)),
          .point = three(e.point),
          .normal = three(e.normal),
          .approachSpeed = e.approachSpeed};
}

py::array fromRows(std::span<const ReportRow> rows) {
  return make(rows, kReport);
}
py::array fromRows(std::span<const ContactLine> rows) {
  return make(rows, kContact);
}
py::array fromRows(std::span<const EventLine> rows) {
  return make(rows, kEvent);
}
py::array fromRows(std::span<const StateLine> rows) {
  return make(rows, kState);
}
py::array fromRows(std::span<const ReactionLine> rows) {
  return make(rows, kReaction);
}
py::array fromRows(std::span<const HitLine> rows) {
  return make(rows, kHit);
}

}  // namespace msd_python
