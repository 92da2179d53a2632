#include "msd-record/src/Charts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace msd_record {

namespace {

using msd_sim::EnergyLedger;
using msd_sim::Stage;
using msd_sim::StepReport;

/// The columns that are plotted, one value a step.
struct StepTable {
  std::vector<double> time;
  std::vector<double> kinetic, potential, mechanical;
  std::array<std::vector<double>, 8> works;  ///< added up from the start
  std::vector<double> penetration, jointError;
  std::vector<double> contacts, awake, islands;
  std::vector<double> wall, collision, solve;
};

struct Work {
  std::string_view name;
  double EnergyLedger::* value;
};

constexpr std::array<Work, 8> kWorks{{{"external forces", &EnergyLedger::externalWork},
                                      {"joints and motors", &EnergyLedger::jointWork},
                                      {"impacts", &EnergyLedger::normalWork},
                                      {"friction", &EnergyLedger::frictionWork},
                                      {"position correction", &EnergyLedger::positionWork},
                                      {"damping", &EnergyLedger::dampingWork},
                                      {"energy guard", &EnergyLedger::guardWork},
                                      {"integration error", &EnergyLedger::integratorError}}};

static_assert(kWorks.size() == std::tuple_size_v<decltype(StepTable::works)>);

double stage(const StepReport& report, Stage which) {
  return report.stageSeconds[static_cast<std::size_t>(which)];
}

StepTable readTable(Reader& reader) {
  StepTable t;
  std::array<double, kWorks.size()> sums{};
  double start = 0.0;  // potential energy of the first step: the zero of the plot
  reader.forEachStep(1, [&](const RecordedStep& step) {
    const StepReport& r = step.report;
    if (t.time.empty()) start = r.energy.potential;
    t.time.push_back(r.time);
    t.kinetic.push_back(r.energy.kinetic);
    t.potential.push_back(r.energy.potential - start);
    t.mechanical.push_back(r.energy.kinetic + r.energy.potential - start);
    for (std::size_t i = 0; i < kWorks.size(); ++i) {
      t.works[i].push_back(sums[i] += r.energy.*kWorks[i].value);
    }
    t.penetration.push_back(r.deepestPenetration);
    t.jointError.push_back(r.jointError);
    t.contacts.push_back(r.contacts);
    t.awake.push_back(r.awakeBodies);
    t.islands.push_back(r.islands);
    t.wall.push_back(step.wall);
    t.collision.push_back(stage(r, Stage::kBroadphase) + stage(r, Stage::kNarrowphase));
    t.solve.push_back(stage(r, Stage::kRows) + stage(r, Stage::kIslands) + stage(r, Stage::kSolve) +
                      stage(r, Stage::kCorrect));
    return true;
  });
  return t;
}

bool isAllZero(const std::vector<double>& values) {
  return std::ranges::all_of(values, [](double v) { return v == 0.0; });
}

Chart ledgerChart(const StepTable& t) {
  Chart chart{
      .title = "Where the energy went: work since the start", .quantity = "work", .unit = "J"};
  for (std::size_t i = 0; i < kWorks.size(); ++i) {
    if (isAllZero(t.works[i])) continue;
    chart.series.push_back({std::string{kWorks[i].name}, t.time, t.works[i]});
  }
  return chart;
}

Chart penetrationChart(const StepTable& t) {
  Chart chart{.title = "Deepest penetration",
              .quantity = "length",
              .unit = "m",
              .series = {{"deepest penetration", t.time, t.penetration}},
              .fromZero = true};
  if (!isAllZero(t.jointError)) {
    chart.title = "Deepest penetration and joint error";
    chart.series.push_back({"joint error", t.time, t.jointError});
  }
  return chart;
}

}  // namespace

std::vector<NamedChart> runCharts(Reader& reader) {
  const StepTable t = readTable(reader);
  return {
      {"energy",
       {.title = "Mechanical energy",
        .quantity = "energy",
        .unit = "J",
        .series = {{"kinetic", t.time, t.kinetic},
                   {"potential, from the first step on", t.time, t.potential},
                   {"sum", t.time, t.mechanical}}}},
      {"ledger", ledgerChart(t)},
      {"penetration", penetrationChart(t)},
      {"contacts",
       {.title = "Contacts and bodies awake",
        .quantity = "count",
        .series = {{"contact points", t.time, t.contacts},
                   {"bodies awake", t.time, t.awake},
                   {"islands", t.time, t.islands}},
        .fromZero = true}},
      {"step_time",
       {.title = "Time a step takes",
        .quantity = "wall-clock time",
        .unit = "s",
        .series = {{"whole step", t.time, t.wall},
                   {"collision", t.time, t.collision},
                   {"solver", t.time, t.solve}},
        .fromZero = true}},
  };
}

std::vector<NamedChart> bodyCharts(Reader& reader, std::string_view body) {
  const std::vector<TrajectoryPoint> points = reader.trajectory(body);
  std::array<Series, 3> position{{{"x", {}, {}}, {"y", {}, {}}, {"z", {}, {}}}};
  Series speed{"speed [m/s]", {}, {}};
  Series spin{"angular speed [rad/s]", {}, {}};
  for (const TrajectoryPoint& point : points) {
    const Vector3D p = point.state.position();
    for (std::size_t k = 0; k < 3; ++k) {
      position[k].x.push_back(point.time);
      position[k].y.push_back(p[static_cast<int>(k)]);
    }
    speed.x.push_back(point.time);
    speed.y.push_back(point.state.velocity().norm());
    spin.x.push_back(point.time);
    spin.y.push_back(point.state.angularVelocity().norm());
  }
  std::string file = "body_";
  for (const char c : body) {
    const bool isPlain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                         (c >= '0' && c <= '9') || c == '-' || c == '_';
    file += isPlain ? c : '_';
  }
  return {{file + "_position",
           {.title = fmt::format("Position of {}", body),
            .quantity = "position",
            .unit = "m",
            .series = {position.begin(), position.end()}}},
          {file + "_speed",
           {.title = fmt::format("Speed of {}", body),
            .quantity = "speed [m/s], angular speed [rad/s]",
            .series = {speed, spin},
            .fromZero = true}}};
}

}  // namespace msd_record
