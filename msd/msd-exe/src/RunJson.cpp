#include <algorithm>

#include <nlohmann/json.hpp>

#include "msd-exe/src/RunResult.hpp"
#include "msd-exe/src/Version.hpp"
#include "msd-sim/src/DataTypes/PeakMemory.hpp"

namespace msd_exe {

namespace {

using Json = nlohmann::ordered_json;

Json timesJson(const StepTimes& times) {
  return {{"mean_ms", times.mean}, {"median_ms", times.median}, {"p99_ms", times.p99}};
}

Json settingsJson(const RunResult& result) {
  const msd_sim::Settings& s = result.scene.world.settings();
  const bool exact = s.method == msd_sim::Method::kExact;
  const auto used = result.statistics.last().substeps;
  Json json{{"method", msd_sim::methodName(s.method)},
            {"dt", result.scene.dt},
            {"substeps", used > 0 ? static_cast<int>(used) : s.substeps},
            {"iterations", s.iterations},
            {"sleeping", s.sleeping}};
  if (exact) json["exact_tolerance"] = s.exactTolerance;
  return json;
}

/// Works over the whole run, energies at its end [J].
Json energyJson(const RunStatistics& statistics) {
  const msd_sim::EnergyLedger& e = statistics.energy();
  return {{"kinetic", e.kinetic},
          {"potential", e.potential},
          {"change", e.change},
          {"external_work", e.externalWork},
          {"joint_work", e.jointWork},
          {"normal_work", e.normalWork},
          {"friction_work", e.frictionWork},
          {"position_work", e.positionWork},
          {"damping_work", e.dampingWork},
          {"guard_work", e.guardWork},
          {"integrator_error", e.integratorError},
          {"closure", e.closure()},
          {"largest_step_closure", statistics.largestClosure()},
          {"largest_step_given", statistics.giving().most},
          {"scale", e.scale}};
}

/// What the energy guard did over the run.
Json guardJson(const RunStatistics& statistics) {
  const GuardedRun& guard = statistics.guard();
  return {{"steps", guard.steps},
          {"islands", guard.islands},
          {"least_factor", guard.leastFactor},
          {"most_energy", guard.mostEnergy}};
}

/// How the fast method solved, and what it left; sums over the run.
Json solveJson(const SolvedRun& solved) {
  Json groups;
  for (std::size_t i = 0; i < solved.groups.size(); ++i) {
    const SolvedRun::Group& group = solved.groups[i];
    groups[std::string{msd_sim::solveGroupName(static_cast<msd_sim::SolveGroup>(i))}] = {
        {"steps", group.steps},         {"substeps", group.substeps},
        {"islands", group.islands},     {"bodies", group.bodies},
        {"manifolds", group.manifolds}, {"sweeps", group.sweeps},
        {"visits", group.visits},       {"visits_allowed", group.visitsAllowed},
        {"unsettled", group.unsettled}};
  }
  return {{"body_steps", solved.bodySteps},
          {"awake_steps", solved.awakeSteps},
          {"pairs", solved.pairs},
          {"shape_tests", solved.shapeTests},
          {"visits", solved.visits},
          {"visits_allowed", solved.visitsAllowed},
          {"unsettled_steps", solved.unsettledSteps},
          {"most_unsettled", solved.mostUnsettled},
          {"worst_local_residual", solved.localResidual},
          {"worst_last_change", solved.lastChange},
          {"groups", groups}};
}

/// Worst of every step.
Json certificateJson(const msd_sim::Certificate& c) {
  return {{"natural_map", c.naturalMap},           {"velocity_error", c.velocityError},
          {"complementarity", c.complementarity},  {"cone_violation", c.coneViolation},
          {"normal_violation", c.normalViolation}, {"bilateral_violation", c.bilateralViolation}};
}

/// Steps that had each fault.
Json faultsJson(const RunStatistics& statistics) {
  Json json;
  for (std::size_t i = 0; i < msd_sim::kFaultCount; ++i) {
    const auto fault = static_cast<msd_sim::StepFault>(i);
    json[std::string{msd_sim::faultName(fault)}] = statistics.count(fault);
  }
  return json;
}

/// The scene's checks and what they measured.
Json checksJson(const RunResult& result) {
  Json checks = Json::array();
  for (const msd_scene::ExpectationResult& r : result.expectations) {
    const msd_scene::SceneExpectation& e = result.document.expect[r.index];
    Json check;
    if (!e.body.empty()) check["body"] = e.body;
    if (!e.joint.empty()) check["joint"] = e.joint;
    if (!e.sensor.empty()) check["sensor"] = e.sensor;
    check["quantity"] = e.quantity;
    check["time"] = r.time;
    check["measured"] = r.measured;
    if (e.value) check["value"] = *e.value;
    if (e.value) check["tolerance"] = e.tolerance;
    if (e.min) check["min"] = *e.min;
    if (e.max) check["max"] = *e.max;
    check["holds"] = r.holds;
    checks.push_back(std::move(check));
  }
  return checks;
}

/// Who waits where, where steps were watched: per stage and in all.
Json waitingJson(const RunStatistics& statistics) {
  const msd_sim::ThreadTimes& times = statistics.threadTimes();
  const double steps = std::max<double>(1.0, static_cast<double>(statistics.steps()));
  Json stages;
  double loops = 0.0, alone = 0.0;
  for (std::size_t i = 0; i < msd_sim::kStageCount; ++i) {
    const double own = statistics.stageSeconds()[i] - times.shared[i];
    stages[std::string{msd_sim::stageName(static_cast<msd_sim::Stage>(i))}] = {
        {"ms", 1e3 * statistics.stageSeconds()[i] / steps},
        {"loops", static_cast<double>(times.loops[i]) / steps},
        {"alone_ms", 1e3 * own / steps},
        {"waiting", statistics.waitingShare(i)}};
    loops += static_cast<double>(times.loops[i]);
    alone += own;
  }
  return {{"loops", loops / steps},
          {"alone_ms", 1e3 * alone / steps},
          {"waiting", statistics.waitingShare()},
          {"stages", stages}};
}

}  // namespace

std::string jsonLine(const RunResult& result) {
  const RunStatistics& statistics = result.statistics;
  Json line{{"engine", "msd-sim"},
            {"version", version()},
            {"precision", "double"},
            {"scene", result.sceneName},
            {"bodies", result.document.bodies.size()},
            {"joints", result.document.joints.size()},
            {"threads", result.scene.world.threads()},
            {"settings", settingsJson(result)},
            {"steps", statistics.steps()},
            {"build_ms", result.buildMilliseconds},
            {"total_ms", statistics.totalMilliseconds()},
            {"all", timesJson(statistics.allTimes())},
            {"last_half", timesJson(statistics.lastHalfTimes())},
            {"peak_rss_mb", msd_sim::peakMemory()},
            {"contacts", statistics.last().contacts},
            {"max_penetration", statistics.deepestPenetration()},
            {"residual", statistics.last().residual},
            {"joint_error", statistics.last().jointError},
            {"max_joint_error", statistics.largestJointError()},
            {"energy", energyJson(statistics)},
            {"guard", guardJson(statistics)},
            {"solve", solveJson(statistics.solved())},
            {"hash", result.scene.world.stateHash().toString()},
            {"status", result.statusName()},
            {"end", endName(result.end)},
            {"degraded_steps", statistics.degraded()},
            {"faults", faultsJson(statistics)},
            {"checks", checksJson(result)}};
  if (result.scene.world.settings().method == msd_sim::Method::kExact) {
    line["certificate"] = certificateJson(statistics.worstCertificate());
  }
  if (!statistics.threadTimes().busy.empty()) line["sharing"] = waitingJson(statistics);
  // Names come from a file: what is no ASCII is escaped, what is no UTF-8 replaced.
  return line.dump(-1, ' ', true, Json::error_handler_t::replace);
}

}  // namespace msd_exe
