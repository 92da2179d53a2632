#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "msd-exe/src/RunResult.hpp"
#include "msd-exe/src/Wording.hpp"

namespace msd_exe {

namespace {

// What contacts may give in a step, against the energy of the scene, before it counts as more than
// rounding.
constexpr double kRounding = 1e-9;

/// A line of the summary: a word on the left, what it is on the right.
template <class... Args>
void addLine(std::string& out, std::string_view label, fmt::format_string<Args...> format,
          Args&&... args) {
  fmt::format_to(std::back_inserter(out), "{:<10} ", label);
  fmt::format_to(std::back_inserter(out), format, std::forward<Args>(args)...);
  out += '\n';
}

/// A length in the unit in which it reads best.
std::string lengthText(double metres) {
  const double size = std::abs(metres);
  if (size < 1e-12) return "0 m";
  if (size < 1e-6) return fmt::format("{:.3g} nm", 1e9 * metres);
  if (size < 1e-3) return fmt::format("{:.3g} um", 1e6 * metres);
  if (size < 1.0) return fmt::format("{:.3g} mm", 1e3 * metres);
  return fmt::format("{:.4g} m", metres);
}

void addScene(std::string& out, const RunResult& result) {
  const auto& bodies = result.document.bodies;
  const auto moving =
      std::ranges::count_if(bodies, [](const auto& b) { return !b.isStatic && !b.kinematic; });
  addLine(out, "scene", "{}: {} ({} moving), {}", result.sceneName,
       plural(bodies.size(), "body", "bodies"), moving,
       plural(result.document.joints.size(), "joint", "joints"));
}

/// How many threads there are, and whether the system gave fewer than were asked for.
std::string threadsText(const msd_sim::WorldModel& world) {
  const std::string has = plural(static_cast<std::size_t>(world.threads()), "thread", "threads");
  const int asked = world.settings().threads;
  if (asked <= world.threads()) return has;
  return fmt::format("{} (the system gave no more of {} asked for)", has, asked);
}

void addRun(std::string& out, const RunResult& result) {
  const RunStatistics& s = result.statistics;
  const double simulated = result.scene.world.time();
  const double seconds = 1e-3 * s.totalMilliseconds();
  addLine(out, "run", "{} of {:.4g} ms: {:.4g} s simulated in {:.3g} s{}",
       plural(s.steps(), "step", "steps"), 1e3 * result.scene.dt, simulated, seconds,
       seconds > 0.0 ? fmt::format(" ({:.3g} x real time)", simulated / seconds) : "");
  const msd_sim::Settings& settings = result.scene.world.settings();
  const bool fast = settings.method == msd_sim::Method::kFast;
  addLine(out, "method", "{}, {}{}, {}, sleeping {}", msd_sim::methodName(settings.method),
       plural(s.last().substeps, "substep", "substeps"),
       fast
           ? ", " + plural(static_cast<std::size_t>(settings.iterations), "iteration", "iterations")
           : "",
       threadsText(result.scene.world),
       settings.sleeping && settings.method != msd_sim::Method::kReference ? "on" : "off");
  if (s.steps() == 0) return;
  const StepTimes times = s.allTimes();
  addLine(out, "speed", "{:.0f} steps/s; a step takes {:.3g} ms (median), {:.3g} ms (99 %)",
       static_cast<double>(s.steps()) / std::max(seconds, 1e-12), times.median, times.p99);
}

/// What the steps cost, and what they left unsettled (docs/command-line.md).
void addSolve(std::string& out, const RunStatistics& statistics) {
  const SolvedRun& solved = statistics.solved();
  std::string left = "nothing left unsettled";
  if (solved.unsettledSteps > 0) {
    left = fmt::format("unsettled in {} of {}: {} at most, by up to {:.2g} times the limit ({:.2g} m/s)",
                       solved.unsettledSteps, plural(statistics.steps(), "step", "steps"), solved.mostUnsettled,
                       solved.localResidual, solved.lastChange);
  }
  addLine(out, "solve", "{:.2g} pairs a body; {:.2g} shape tests and {:.2g} visits a step and awake body, {:.0f} % of those allowed; {}",
          solved.pairsPerBody(), solved.testsPerBody(), solved.visitsPerBody(), 100.0 * solved.usedShare(), left);
}

void addContacts(std::string& out, const RunResult& result) {
  const RunStatistics& s = result.statistics;
  addLine(out, "contacts", "{} at the end, in {}; {} of {} bodies awake", s.last().contacts,
       plural(s.last().islands, "island", "islands"), s.last().awakeBodies, s.last().bodies);
  addLine(out, "deepest", "penetration {} at {:.3g} s, {} at the end",
       lengthText(s.deepestPenetration()), s.deepestPenetrationTime(),
       lengthText(s.last().deepestPenetration));
  addLine(out, "residual", "{:.3g} m/s at the end, {:.3g} m/s at most", s.last().residual,
       s.largestResidual());
  if (result.scene.world.settings().method == msd_sim::Method::kFast) addSolve(out, s);
  if (!std::isnan(s.worstCertificate().naturalMap)) {
    const msd_sim::Certificate& c = s.worstCertificate();
    addLine(out, "certified",
         "natural map {:.2g}, velocity error {:.2g}, complementarity {:.2g} J, cone {:.2g} N s, in "
         "the worst step",
         c.naturalMap, c.velocityError, c.complementarity, c.coneViolation);
  }
  if (!result.document.joints.empty()) {
    addLine(out, "joints", "{} apart at the end, {} at most", lengthText(s.last().jointError),
         lengthText(s.largestJointError()));
  }
}

/// A share of the largest energy of the scene, where that is known.
std::string shareText(double joules, double scale) {
  return scale > 0.0
             ? fmt::format("{:.1g} of the scene's {:.3g} J", std::abs(joules) / scale, scale)
             : "0 J";
}

/// The books: where the energy went, what that leaves unexplained, and whether contact ever gave
/// any.
void addEnergy(std::string& out, const RunStatistics& statistics) {
  const msd_sim::EnergyLedger& e = statistics.energy();
  const auto row = [&](std::string_view label, double joules, std::string_view note = {}) {
    fmt::format_to(std::back_inserter(out), "  {:<28} {:>14.6g} J{}{}\n", label, joules,
                   note.empty() ? "" : "   ", note);
  };
  out += "\nenergy     where it went, each entry computed from what acted\n";
  row("kinetic, at the end", e.kinetic);
  row("potential, at the end", e.potential);
  row("change of both over the run", e.change);
  row("  external forces", e.externalWork);
  row("  joints and motors", e.jointWork);
  row("  impacts", e.normalWork);
  row("  friction", e.frictionWork);
  row("  position correction", e.positionWork);
  row("  damping", e.dampingWork);
  const GuardedRun& guard = statistics.guard();
  row("  energy guard", e.guardWork,
      guard.steps > 0 ? fmt::format("(in {} of {}, {:.2g} J at most)", guard.steps,
                                    plural(statistics.steps(), "step", "steps"), guard.mostEnergy)
                      : std::string{});
  row("  integration error", e.integratorError);
  row("unexplained", e.closure());
  addLine(out, "proof", "the entries add up to the change, but for {}; {:.1g} J in the worst step",
       shareText(e.closure(), e.scale), statistics.largestClosure());
  const GivingContacts& giving = statistics.giving();
  const double took = -(e.normalWork + e.frictionWork + e.guardWork);
  if (giving.most <= kRounding * e.scale) {
    addLine(out, "", "contact took {:.6g} J, and gave none in any step ({:.1g} J of rounding at most)",
         took, giving.most);
  } else {
    addLine(out, "",
         "contact took {:.6g} J; most it ever gave is {:.2g} J, {:.1g} of the same, in the step at "
         "{:.4g} s",
         took, giving.most, giving.most / e.scale, giving.time);
  }
}

void addChecks(std::string& out, const RunResult& result) {
  const auto& results = result.expectations;
  if (results.empty()) return;
  const auto held = std::ranges::count_if(results, &msd_scene::ExpectationResult::holds);
  addLine(out, "checks", "{} of {} hold", held, results.size());
  for (const msd_scene::ExpectationResult& r : results) {
    out += fmt::format("  {}\n", msd_scene::describe(result.document.expect[r.index], r));
  }
}

}  // namespace

std::string_view endName(RunEnd end) {
  static constexpr std::array<std::string_view, 4> kNames{"completed", "failed", "interrupted",
                                                          "recording failed"};
  return kNames[static_cast<std::size_t>(end)];
}

msd_sim::StepStatus RunResult::status() const {
  return end == RunEnd::kFailed ? msd_sim::StepStatus::kFailed : statistics.status();
}

std::string faultCounts(const RunStatistics& statistics) {
  std::string text;
  for (std::size_t i = 0; i < msd_sim::kFaultCount; ++i) {
    const auto fault = static_cast<msd_sim::StepFault>(i);
    const std::uint64_t steps = statistics.count(fault);
    if (steps == 0) continue;
    text += fmt::format("{}{} in {}", text.empty() ? "" : ", ", msd_sim::faultName(fault), steps);
  }
  return text;
}

std::string summaryText(const RunResult& result) {
  std::string out;
  addScene(out, result);
  addRun(out, result);
  if (result.statistics.steps() > 0) {
    addContacts(out, result);
    addEnergy(out, result.statistics);
  }
  out += '\n';
  addChecks(out, result);
  const RunStatistics& s = result.statistics;
  addLine(out, "status", "{}{}{}", result.statusName(),
       result.end == RunEnd::kCompleted ? std::string{} : fmt::format(", {}", endName(result.end)),
       s.degraded() > 0 ? fmt::format("; {} of {} degraded: {}", s.degraded(),
                                      plural(s.steps(), "step", "steps"), faultCounts(s))
                        : std::string{});
  return out;
}

namespace {

/// How each group of islands was solved, as means over the steps that had it (docs/theory/plan.md).
std::string solveTable(const SolvedRun& solved) {
  std::string out = fmt::format("\n{:<12} {:>8} {:>9} {:>9} {:>10} {:>9} {:>9} {:>11} {:>8} {:>10}\n", "group", "steps",
                                "islands", "bodies", "manifolds", "substeps", "sweeps", "visits", "used", "unsettled");
  for (std::size_t i = 0; i < solved.groups.size(); ++i) {
    const SolvedRun::Group& group = solved.groups[i];
    if (group.steps == 0) continue;
    const auto mean = [&](std::uint64_t sum) { return static_cast<double>(sum) / static_cast<double>(group.steps); };
    const double used = group.visitsAllowed > 0
                            ? 100.0 * static_cast<double>(group.visits) / static_cast<double>(group.visitsAllowed)
                            : 0.0;
    fmt::format_to(std::back_inserter(out), "{:<12} {:>8} {:>9.1f} {:>9.1f} {:>10.1f} {:>9} {:>9.1f} {:>11.1f} {:>6.1f} % {:>10.2f}\n",
                   msd_sim::solveGroupName(static_cast<msd_sim::SolveGroup>(i)), group.steps, mean(group.islands),
                   mean(group.bodies), mean(group.manifolds), group.substeps, mean(group.sweeps), mean(group.visits),
                   used, mean(group.unsettled));
  }
  return out;
}

/// Per stage: loops that threads share, time that one thread works alone, share of all threads' time that they wait.
std::string threadTable(const RunStatistics& statistics) {
  const msd_sim::ThreadTimes& times = statistics.threadTimes();
  if (times.busy.size() < 2) return {};
  const double steps = std::max<double>(1.0, static_cast<double>(statistics.steps()));
  std::string out = fmt::format("\n{:<12} {:>12} {:>12} {:>8}\n", fmt::format("{} threads", times.busy.size()),
                                "loops a step", "alone [us]", "waiting");
  const auto row = [&](std::string_view name, double loops, double alone, double waiting) {
    fmt::format_to(std::back_inserter(out), "{:<12} {:>12.1f} {:>12.2f} {:>6.1f} %\n", name, loops / steps,
                   1e6 * alone / steps, 100.0 * waiting);
  };
  double loops = 0.0, alone = 0.0;
  for (std::size_t i = 0; i < msd_sim::kStageCount; ++i) {
    const double own = statistics.stageSeconds()[i] - times.shared[i];
    row(msd_sim::stageName(static_cast<msd_sim::Stage>(i)), static_cast<double>(times.loops[i]), own,
        statistics.waitingShare(i));
    loops += static_cast<double>(times.loops[i]);
    alone += own;
  }
  row("all stages", loops, alone, statistics.waitingShare());
  return out;
}

}  // namespace

std::string profileTable(const RunResult& result) {
  const RunStatistics& statistics = result.statistics;
  const bool fast = result.scene.world.settings().method == msd_sim::Method::kFast;
  // In the order of msd_sim::Stage; a test compares them with the page and the code.
  const std::array<std::string_view, msd_sim::kStageCount> functions{
      "gatherBodies",     "findPairs",     "findContacts",
      "buildIslands",     "prepareRows",   fast ? "solveSubsteps" : "solveExact",
      "correctPositions", "scatterBodies", "closeStep"};
  std::string out = fmt::format("{:<12} {:>12} {:>12} {:>8}  {}\n", "stage", "total [ms]",
                                "a step [us]", "share", "function");
  const auto& seconds = statistics.stageSeconds();
  double sum = 0.0;
  for (const double s : seconds) sum += s;
  const double steps = std::max<double>(1.0, static_cast<double>(statistics.steps()));
  const auto row = [&](std::string_view name, double s, std::string_view function) {
    fmt::format_to(std::back_inserter(out), "{:<12} {:>12.3f} {:>12.2f} {:>6.1f} %{}{}\n", name,
                   1e3 * s, 1e6 * s / steps, sum > 0.0 ? 100.0 * s / sum : 0.0,
                   function.empty() ? "" : "  ", function);
  };
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    row(msd_sim::stageName(static_cast<msd_sim::Stage>(i)), seconds[i], functions[i]);
  }
  row("all stages", sum, "");
  return out + (fast ? solveTable(statistics.solved()) : std::string{}) + threadTable(statistics);
}

}  // namespace msd_exe
