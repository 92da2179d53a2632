// Measured tosses of a cube on a table, simulated from their first frame. No simulator can be exact
// here: a toss is chaotic, and the first frame is measured with errors. The distribution of the
// errors at rest is what can be compared.

#include "msd-exe/src/ValidateTosses.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <numbers>

#include "msd-exe/src/Command.hpp"
#include "msd-exe/src/Console.hpp"
#include "msd-exe/src/OptionChecks.hpp"
#include "msd-exe/src/OutputFile.hpp"
#include "msd-sim/src/Environment/WorldModel.hpp"

namespace msd_exe {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using msd_sim::Method;

struct TossOptions {
  std::string folder{};
  std::string method{"both"};
  std::string plot{};
  int substeps{1};
  std::size_t most{0};
  bool json{false};
};

/// The measured quaternion, brought to unit length.
msd_sim::Quaternion orientationOf(const TossFrame& f) {
  return msd_sim::Quaternion{f.orientation[0], f.orientation[1], f.orientation[2], f.orientation[3]}
      .normalized();
}

msd_sim::Vector3D vectorOf(const double (&a)[3]) {
  return {a[0], a[1], a[2]};
}

double quantile(const std::vector<double>& sorted, double share) {
  if (sorted.empty()) return std::nan("");
  const auto last = static_cast<double>(sorted.size() - 1);
  return sorted[static_cast<std::size_t>(std::lround(share * last))];
}

struct MethodResult {
  TossCurve curve;
  std::vector<double> mean;  ///< sorted [half-widths]
  double seconds{0.0};
};

MethodResult runMethod(const TossData& data, Method method, const TossOptions& options) {
  MethodResult result;
  result.curve.name = fmt::format("msd-sim {}", msd_sim::methodName(method));
  const std::size_t count =
      options.most > 0 ? std::min(options.most, data.tosses.size()) : data.tosses.size();
  const Clock::time_point start = Clock::now();
  for (std::size_t t = 0; t < count; ++t) {
    const TossError error = simulateToss(data, t, method, options.substeps);
    result.curve.position.push_back(error.position);
    result.curve.rotation.push_back(error.rotation * 180.0 / std::numbers::pi);
    result.mean.push_back(error.mean);
  }
  result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  std::ranges::sort(result.curve.position);
  std::ranges::sort(result.curve.rotation);
  std::ranges::sort(result.mean);
  return result;
}

nlohmann::ordered_json resultJson(const MethodResult& r) {
  const auto spread = [](const std::vector<double>& v) {
    return nlohmann::ordered_json{{"p25", quantile(v, 0.25)},
                                  {"median", quantile(v, 0.5)},
                                  {"p75", quantile(v, 0.75)},
                                  {"p95", quantile(v, 0.95)}};
  };
  return {{"method", r.curve.name},
          {"tosses", r.curve.position.size()},
          {"position_half_widths", spread(r.curve.position)},
          {"rotation_degrees", spread(r.curve.rotation)},
          {"mean_position_half_widths", spread(r.mean)},
          {"seconds", r.seconds}};
}

void printResult(const MethodResult& r) {
  const auto row = [](const char* name, const std::vector<double>& v, const char* unit) {
    tell("  {:<34} {:>8.3f} {:>8.3f} {:>8.3f} {:>8.3f}  {}\n", name, quantile(v, 0.25),
               quantile(v, 0.5), quantile(v, 0.75), quantile(v, 0.95), unit);
  };
  tell("{}: {} tosses in {:.2g} s\n", r.curve.name, r.curve.position.size(), r.seconds);
  tell("  {:<34} {:>8} {:>8} {:>8} {:>8}\n", "", "25 %", "median", "75 %", "95 %");
  row("distance of the centres at rest", r.curve.position, "half-widths");
  row("angle of the orientations at rest", r.curve.rotation, "degrees");
  row("distance, mean over the toss", r.mean, "half-widths");
}

fs::path folderOf(const TossOptions& options) {
  if (!options.folder.empty()) return options.folder;
  const char* data = std::getenv("MSD_EXTERNAL_DATA");
  const fs::path folder = fs::path{data != nullptr ? data : "../shared/data"} / "cube-tosses";
  if (!fs::exists(folder)) {
    throw UsageError{fmt::format(
        "{}: found no folder of this name, expected the measured tosses; name theirs, or set "
        "MSD_EXTERNAL_DATA to the folder that holds cube-tosses",
        folder.string())};
  }
  return folder;
}

int validate(const TossOptions& options) {
  const TossData data = readTosses(folderOf(options));
  std::unique_ptr<OutputFile> plot;
  if (!options.plot.empty()) plot = std::make_unique<OutputFile>(options.plot);
  std::vector<MethodResult> results;
  for (const Method method : {Method::kFast, Method::kExact, Method::kReference}) {
    const bool asked = options.method == "both" ? method != Method::kReference
                                                : options.method == msd_sim::methodName(method);
    if (asked) results.push_back(runMethod(data, method, options));
  }
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  std::vector<TossCurve> curves;
  for (const MethodResult& r : results) {
    if (options.json) {
      json.push_back(resultJson(r));
    } else {
      printResult(r);
    }
    curves.push_back(r.curve);
  }
  if (options.json) tell("{}\n", json.dump());
  if (plot) {
    plot->write(drawTosses(curves));
    plot->commit();
    if (!options.json) tell("wrote {}\n", options.plot);
  }
  return kOk;
}

}  // namespace

TossError simulateToss(const TossData& data, std::size_t toss, Method method, int substeps) {
  const std::vector<TossFrame>& frames = data.tosses.at(toss);
  msd_sim::Settings settings;
  settings.method = method;
  settings.gravity = {0.0, 0.0, -data.gravity};
  settings.sleeping = false;
  // The default threshold of 0.5 m/s in half-widths of 0.0524 m.
  settings.restitutionThreshold = 0.5 / 0.0524;
  msd_sim::WorldModel world{settings};
  world.spawn(msd_sim::EnvironmentDescription{.name = "table",
                                              .shape = msd_sim::Plane{},
                                              .friction = data.friction,
                                              .restitution = data.restitution});
  const TossFrame& first = frames.front();
  const msd_sim::BodyId cube = world.spawn(
      msd_sim::InertialDescription{.name = "cube",
                                   .shape = msd_sim::Box{{1.0, 1.0, 1.0}},
                                   .mass = data.mass,
                                   .inertia = data.inertia * msd_sim::Matrix3D::Identity(),
                                   .centreOfMass = msd_sim::Coordinate{0.0, 0.0, 0.0},
                                   .position = vectorOf(first.position),
                                   .orientation = orientationOf(first),
                                   .linearVelocity = vectorOf(first.velocity),
                                   .angularVelocity = vectorOf(first.angularVelocity),
                                   .friction = data.friction,
                                   .restitution = data.restitution});
  TossError error;
  for (std::size_t i = 1; i < frames.size(); ++i) {
    for (int k = 0; k < substeps; ++k) world.update(data.dt / substeps);
    const msd_sim::InertialState& s = world.inertial(cube).getInertialState();
    error.position = (s.position - vectorOf(frames[i].position)).norm();
    error.mean += error.position / static_cast<double>(frames.size() - 1);
    error.rotation = s.orientation.angularDistance(orientationOf(frames[i]));
  }
  return error;
}

void addValidateTosses(CLI::App& parser, Action& action) {
  const auto options = std::make_shared<TossOptions>();
  parser.add_option("FOLDER", options->folder,
                    "folder with tosses.csv and experiment.json (default: cube-tosses in "
                    "$MSD_EXTERNAL_DATA)");
  parser.add_option("--method", options->method, "fast, exact, reference, or both of the first")
      ->check(oneOf({"fast", "exact", "reference", "both"}))
      ->type_name("NAME");
  parser.add_option("--steps-per-frame", options->substeps, "steps between two frames (default 1)")
      ->check(wholeNumber(1, 1000))
      ->type_name("N");
  parser.add_option("--most", options->most, "only the first tosses; 0: all")
      ->check(wholeNumber(0, 1000000))
      ->type_name("N");
  parser.add_option("--plot", options->plot, "draw the distributions")->type_name("OUT.svg");
  parser.add_flag("--json", options->json, "print one line of JSON");
  parser.callback([options, &action] { action = [options] { return validate(*options); }; });
}

}  // namespace msd_exe
