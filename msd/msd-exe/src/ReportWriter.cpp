#include "msd-exe/src/ReportWriter.hpp"

#include <fmt/format.h>

#include <array>

#include "msd-scene/src/JsonText.hpp"
#include "msd-sim/src/Diagnostics/FaultText.hpp"

namespace msd_exe {

namespace {

using msd_sim::StepReport;

struct Column {
  std::string_view name;
  std::string_view unit;
  double (*value)(const StepReport&);
  std::string (*text)(const StepReport&){nullptr};  ///< instead of a number
};

using R = StepReport;
constexpr std::array<Column, 44> kColumns{{
    {"step", "-", [](const R& r) { return static_cast<double>(r.step); }},
    {"time", "s", [](const R& r) { return r.time; }},
    {"status", "-", nullptr, [](const R& r) { return std::string{msd_sim::statusName(r.status)}; }},
    {"faults", "-", nullptr, [](const R& r) { return msd_sim::faultText(r.faults); }},
    {"awake_bodies", "-", [](const R& r) { return static_cast<double>(r.awakeBodies); }},
    {"pairs", "-", [](const R& r) { return static_cast<double>(r.pairs); }},
    {"manifolds", "-", [](const R& r) { return static_cast<double>(r.manifolds); }},
    {"contacts", "-", [](const R& r) { return static_cast<double>(r.contacts); }},
    {"islands", "-", [](const R& r) { return static_cast<double>(r.islands); }},
    {"colours", "-", [](const R& r) { return static_cast<double>(r.colours); }},
    {"iterations", "-", [](const R& r) { return static_cast<double>(r.iterations); }},
    {"shape_tests", "-", [](const R& r) { return static_cast<double>(r.shapeTests); }},
    {"visits", "-", [](const R& r) { return static_cast<double>(r.visits); }},
    {"visits_allowed", "-", [](const R& r) { return static_cast<double>(r.visitsAllowed); }},
    {"unsettled", "-", [](const R& r) { return static_cast<double>(r.unsettled); }},
    {"local_residual", "-", [](const R& r) { return r.localResidual; }},
    {"last_change", "m/s", [](const R& r) { return r.lastChange; }},
    {"residual", "m/s", [](const R& r) { return r.residual; }},
    {"natural_map", "-", [](const R& r) { return r.certificate.naturalMap; }},
    {"velocity_error", "-", [](const R& r) { return r.certificate.velocityError; }},
    {"complementarity", "J", [](const R& r) { return r.certificate.complementarity; }},
    {"cone_violation", "N*s", [](const R& r) { return r.certificate.coneViolation; }},
    {"normal_violation", "m/s", [](const R& r) { return r.certificate.normalViolation; }},
    {"bilateral_violation", "m/s", [](const R& r) { return r.certificate.bilateralViolation; }},
    {"unsolved_islands", "-", [](const R& r) { return static_cast<double>(r.unsolvedIslands); }},
    {"torn_joints", "-", [](const R& r) { return static_cast<double>(r.tornJoints); }},
    {"guarded_islands", "-", [](const R& r) { return static_cast<double>(r.guardedIslands); }},
    {"guard_factor", "-", [](const R& r) { return r.guardFactor; }},
    {"guard_energy", "J", [](const R& r) { return r.guardEnergy; }},
    {"deepest_penetration", "m", [](const R& r) { return r.deepestPenetration; }},
    {"joint_error", "m", [](const R& r) { return r.jointError; }},
    {"kinetic", "J", [](const R& r) { return r.energy.kinetic; }},
    {"potential", "J", [](const R& r) { return r.energy.potential; }},
    {"change", "J", [](const R& r) { return r.energy.change; }},
    {"external_work", "J", [](const R& r) { return r.energy.externalWork; }},
    {"joint_work", "J", [](const R& r) { return r.energy.jointWork; }},
    {"normal_work", "J", [](const R& r) { return r.energy.normalWork; }},
    {"friction_work", "J", [](const R& r) { return r.energy.frictionWork; }},
    {"position_work", "J", [](const R& r) { return r.energy.positionWork; }},
    {"damping_work", "J", [](const R& r) { return r.energy.dampingWork; }},
    {"guard_work", "J", [](const R& r) { return r.energy.guardWork; }},
    {"integrator_error", "J", [](const R& r) { return r.energy.integratorError; }},
    {"closure", "J", [](const R& r) { return r.energy.closure(); }},
    {"step_ms", "ms", [](const R& r) { return 1e3 * r.seconds(); }},
}};

/// Of each SolveGroup, after the columns above: as "still_islands".
struct GroupColumn {
  std::string_view name;
  double (*value)(const msd_sim::GroupReport&);
};
using G = msd_sim::GroupReport;
constexpr std::array<GroupColumn, 8> kGroupColumns{{
    {"islands", [](const G& g) { return static_cast<double>(g.islands); }},
    {"bodies", [](const G& g) { return static_cast<double>(g.bodies); }},
    {"manifolds", [](const G& g) { return static_cast<double>(g.manifolds); }},
    {"substeps", [](const G& g) { return static_cast<double>(g.substeps); }},
    {"sweeps", [](const G& g) { return static_cast<double>(g.sweeps); }},
    {"visits", [](const G& g) { return static_cast<double>(g.visits); }},
    {"visits_allowed", [](const G& g) { return static_cast<double>(g.visitsAllowed); }},
    {"unsettled", [](const G& g) { return static_cast<double>(g.unsettled); }},
}};

/// Calls visit(group, column) for all columns of the groups, in their order.
template <class Visit>
void forGroupColumns(const Visit& visit) {
  for (std::size_t i = 0; i < msd_sim::kSolveGroups; ++i) {
    for (const GroupColumn& column : kGroupColumns) visit(static_cast<msd_sim::SolveGroup>(i), column);
  }
}

std::string joined(std::string_view Column::* part) {
  std::string text;
  for (const Column& column : kColumns) {
    if (!text.empty()) text += ", ";
    text += msd_scene::jsonString(column.*part);
  }
  const bool names = part == &Column::name;
  forGroupColumns([&](msd_sim::SolveGroup group, const GroupColumn& column) {
    text += names ? fmt::format(", \"{}_{}\"", msd_sim::solveGroupName(group), column.name)
                  : std::string{", \"-\""};
  });
  return text;
}

}  // namespace

void ReportWriter::begin(const msd_scene::SceneWorld&) {
  file_.write(fmt::format("{{\"columns\": [{}],\n \"units\": [{}],\n \"rows\": [",
                          joined(&Column::name), joined(&Column::unit)));
}

void ReportWriter::step(const msd_scene::SceneWorld&, const StepReport& report, double) {
  row_ = first_ ? "\n  [" : ",\n  [";
  first_ = false;
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    if (i > 0) row_ += ", ";
    row_ += kColumns[i].text != nullptr ? msd_scene::jsonString(kColumns[i].text(report))
                                        : msd_scene::numberText(kColumns[i].value(report));
  }
  forGroupColumns([&](msd_sim::SolveGroup group, const GroupColumn& column) {
    row_ += ", " + msd_scene::numberText(column.value(report.group(group)));
  });
  row_ += ']';
  file_.write(row_);
}

void ReportWriter::finish(const msd_scene::SceneWorld&) {
  file_.write("\n ]");
}

void ReportWriter::close(std::string_view summary) {
  file_.write(fmt::format(",\n \"summary\": {}}}\n", summary));
  file_.commit();
}

}  // namespace msd_exe
