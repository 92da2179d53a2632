#include "msd-record/src/StepColumns.hpp"

#include <vector>

namespace msd_record {

namespace {

using msd_sim::Stage;
using R = msd_sim::StepReport;

constexpr ColumnType kInteger = ColumnType::kInteger;
constexpr ColumnType kNumber = ColumnType::kReal;
constexpr ColumnType kText = ColumnType::kText;

StepColumn real(const Column& column, double& (*value)(R&)) {
  return {.column = column, .value = StepValue::kReal, .real = value};
}

StepColumn count(const Column& column, std::uint32_t& (*value)(R&)) {
  return {.column = column, .value = StepValue::kCount, .count = value};
}

template <Stage stage>
StepColumn seconds(const Column& column) {
  StepColumn result = real(column, [](R& r) -> double& {
    return r.stageSeconds[static_cast<std::size_t>(stage)];
  });
  result.isTime = true;
  return result;
}

/// Schema 1 had one word for both.
constexpr std::string_view kOldStatus =
    "CASE status WHEN 'not converged' THEN 'degraded' WHEN 'non-finite' THEN 'failed' "
    "ELSE status END";
constexpr std::string_view kOldFaults =
    "CASE WHEN status IN ('not converged', 'non-finite') THEN status ELSE '' END";

void addCounts(std::vector<StepColumn>& all) {
  const auto add = [&](std::string_view name, std::string_view meaning, std::uint32_t& (*value)(R&)) {
    all.push_back(count({name, kInteger, "-", meaning}, value));
  };
  using C = std::uint32_t;
  add("bodies", "bodies that can move", [](R& r) -> C& { return r.bodies; });
  add("awake_bodies", "of these, those that were simulated",
      [](R& r) -> C& { return r.awakeBodies; });
  add("pairs", "pairs of shapes whose bounds overlap", [](R& r) -> C& { return r.pairs; });
  add("manifolds", "pairs that touch or are about to", [](R& r) -> C& { return r.manifolds; });
  add("contacts", "contact points of these", [](R& r) -> C& { return r.contacts; });
  add("islands", "groups of bodies that push each other", [](R& r) -> C& { return r.islands; });
  add("colours", "groups of rows that share no body", [](R& r) -> C& { return r.colours; });
  add("substeps", "parts the step was cut into", [](R& r) -> C& { return r.substeps; });
  add("iterations", "solver sweeps", [](R& r) -> C& { return r.iterations; });
  const auto since2 = [&](std::string_view name, std::string_view meaning,
                          std::uint32_t& (*value)(R&)) {
    all.push_back(count({name, kInteger, "-", meaning, 2, "0"}, value));
  };
  since2("unsolved_islands", "exact method: islands above the tolerance",
         [](R& r) -> C& { return r.unsolvedIslands; });
  since2("torn_joints", "joints open by more than a hundredth of the body they hold",
         [](R& r) -> C& { return r.tornJoints; });
  since2("guarded_islands", "islands the energy guard held back, once per substep",
         [](R& r) -> C& { return r.guardedIslands; });
}

/// What the solve cost, and what it left.
void addSolve(std::vector<StepColumn>& all) {
  using C = std::uint32_t;
  using L = std::uint64_t;
  using D = double;
  const auto add = [&](std::string_view name, std::string_view meaning, C& (*value)(R&)) {
    all.push_back(count({name, kInteger, "-", meaning, 4, "0"}, value));
  };
  const auto addLarge = [&](std::string_view name, std::string_view meaning, L& (*value)(R&)) {
    all.push_back({.column = {name, kInteger, "-", meaning, 4, "0"},
                   .value = StepValue::kLargeCount,
                   .largeCount = value});
  };
  add("shape_tests", "pairs whose shapes were tested, each time", [](R& r) -> C& { return r.shapeTests; });
  add("unsettled", "fast method: contacts and joints whose last change was above what counts as settled",
      [](R& r) -> C& { return r.unsettled; });
  all.push_back(real({"local_residual", kNumber, "-",
                      "fast method: largest last change, against what counts as settled", 4, "0.0"},
                     [](R& r) -> D& { return r.localResidual; }));
  all.push_back(real({"last_change", kNumber, "m/s", "the same as a velocity", 4, "0.0"},
                     [](R& r) -> D& { return r.lastChange; }));
  addLarge("visits", "fast method: visits of manifolds in sweeps", [](R& r) -> L& { return r.visits; });
  addLarge("visits_allowed", "most that the plans of the islands allowed",
           [](R& r) -> L& { return r.visitsAllowed; });
}

void addErrors(std::vector<StepColumn>& all) {
  using D = double;
  const auto add = [&](const Column& column, double& (*value)(R&)) {
    all.push_back(real(column, value));
  };
  add({"guard_factor", kNumber, "-", "least by which the energy guard scaled a motion; 1: none", 3, "1.0"},
      [](R& r) -> D& { return r.guardFactor; });
  add({"guard_energy", kNumber, "J", "most that it took out of an island at a time", 3, "0.0"},
      [](R& r) -> D& { return r.guardEnergy; });
  add({"residual", kNumber, "m/s", "largest violation of a velocity constraint"},
      [](R& r) -> D& { return r.residual; });
  add({"deepest_penetration", kNumber, "m", "at the end of the step"},
      [](R& r) -> D& { return r.deepestPenetration; });
  add({"joint_error", kNumber, "m", "worst separation of two joint anchors"},
      [](R& r) -> D& { return r.jointError; });
  add({"natural_map", kNumber, "-", "exact method: relative residual; else NULL"},
      [](R& r) -> D& { return r.certificate.naturalMap; });
  add({"velocity_error", kNumber, "-", "exact method: worst relative velocity error; else NULL", 2,
       "NULL"},
      [](R& r) -> D& { return r.certificate.velocityError; });
  add({"complementarity", kNumber, "J", "exact method: largest product r_N u_N; else NULL"},
      [](R& r) -> D& { return r.certificate.complementarity; });
  add({"cone_violation", kNumber, "N*s", "exact method: largest r_T beyond mu r_N; else NULL"},
      [](R& r) -> D& { return r.certificate.coneViolation; });
  add({"normal_violation", kNumber, "m/s", "exact method: largest approach left; else NULL"},
      [](R& r) -> D& { return r.certificate.normalViolation; });
  add({"bilateral_violation", kNumber, "m/s", "exact method: worst joint row; else NULL", 2,
       "NULL"},
      [](R& r) -> D& { return r.certificate.bilateralViolation; });
}

void addEnergies(std::vector<StepColumn>& all) {
  using D = double;
  const auto add = [&](std::string_view name, std::string_view meaning, double& (*value)(R&)) {
    all.push_back(real({name, kNumber, "J", meaning}, value));
  };
  add("kinetic", "kinetic energy at the end of the step",
      [](R& r) -> D& { return r.energy.kinetic; });
  add("potential", "potential energy at the end of the step",
      [](R& r) -> D& { return r.energy.potential; });
  add("change", "of kinetic + potential over the step", [](R& r) -> D& { return r.energy.change; });
  add("external_work", "of user forces and kinematic bodies",
      [](R& r) -> D& { return r.energy.externalWork; });
  add("joint_work", "of joints, motors, springs and limits",
      [](R& r) -> D& { return r.energy.jointWork; });
  add("normal_work", "of contact along the normals: loss in impacts",
      [](R& r) -> D& { return r.energy.normalWork; });
  add("friction_work", "of contact along the tangents: loss in sliding",
      [](R& r) -> D& { return r.energy.frictionWork; });
  add("position_work", "of moving bodies out of penetration",
      [](R& r) -> D& { return r.energy.positionWork; });
  add("damping_work", "of linear and angular damping",
      [](R& r) -> D& { return r.energy.dampingWork; });
  all.push_back(real({"guard_work", kNumber, "J", "of the energy guard: what it took out", 3, "0.0"},
                     [](R& r) -> D& { return r.energy.guardWork; }));
  add("integrator_error", "of the discretisation of time",
      [](R& r) -> D& { return r.energy.integratorError; });
  add("scale", "energy against which rounding is small", [](R& r) -> D& { return r.energy.scale; });
}

void addTimes(std::vector<StepColumn>& all) {
  all.push_back({.column = {"wall", kNumber, "s", "wall-clock time of the step"},
                 .value = StepValue::kWall,
                 .isTime = true});
  all.push_back(seconds<Stage::kGather>({"wall_gather", kNumber, "s", "of this, per stage"}));
  all.push_back(seconds<Stage::kBroadphase>({"wall_broadphase", kNumber, "s", "likewise"}));
  all.push_back(seconds<Stage::kNarrowphase>({"wall_narrowphase", kNumber, "s", "likewise"}));
  // Schema 1 had these two under each other's name.
  all.push_back(
      seconds<Stage::kIslands>({"wall_islands", kNumber, "s", "likewise", 2, "wall_rows"}));
  all.push_back(seconds<Stage::kRows>({"wall_rows", kNumber, "s", "likewise", 2, "wall_islands"}));
  all.push_back(seconds<Stage::kSolve>({"wall_solve", kNumber, "s", "likewise"}));
  all.push_back(seconds<Stage::kCorrect>({"wall_correct", kNumber, "s", "likewise"}));
  all.push_back(seconds<Stage::kScatter>({"wall_scatter", kNumber, "s", "likewise"}));
  all.push_back(seconds<Stage::kAudit>({"wall_audit", kNumber, "s", "likewise"}));
}

std::vector<StepColumn> makeColumns() {
  std::vector<StepColumn> all;
  all.push_back(
      {.column = {"step", ColumnType::kKey, "-", "number, from 1"}, .value = StepValue::kStep});
  all.push_back(real({"time", kNumber, "s", "simulated, at the end of the step"},
                     [](R& r) -> double& { return r.time; }));
  all.push_back(
      real({"dt", kNumber, "s", "length of the step"}, [](R& r) -> double& { return r.dt; }));
  all.push_back({.column = {"status", kText, "-", "ok, degraded or failed", 2, kOldStatus},
                 .value = StepValue::kStatus});
  all.push_back({.column = {"faults", kText, "-", "why it is not ok, names with commas", 2,
                            kOldFaults},
                 .value = StepValue::kFaults});
  addCounts(all);
  addSolve(all);
  addErrors(all);
  addEnergies(all);
  all.push_back(
      {.column = {"hash", kText, "-", "fingerprint of the state, 32 hexadecimal digits"},
       .value = StepValue::kHash});
  addTimes(all);
  return all;
}

}  // namespace

std::span<const StepColumn> stepColumns() {
  static const std::vector<StepColumn> kColumns = makeColumns();
  return kColumns;
}

}  // namespace msd_record
