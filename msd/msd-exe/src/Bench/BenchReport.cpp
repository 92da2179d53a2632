// The same figures as a table, as JSON, as CSV and as the page docs/benchmarks.md.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "msd-exe/src/Bench/BenchResult.hpp"
#include "msd-exe/src/Wording.hpp"

namespace msd_exe {

namespace {

using Json = nlohmann::ordered_json;

constexpr double kMillimetres = 1e3;

/// "12.3", "0.0241": three digits that matter.
std::string digits(double value) {
  if (!std::isfinite(value)) return "–";
  if (value != 0.0 && std::abs(value) < 0.0995) return fmt::format("{:.2g}", value);
  return std::abs(value) >= 999.5 ? fmt::format("{:.0f}", value) : fmt::format("{:#.3g}", value);
}

/// What the table says of one engine, in the order of kColumns.
struct Column {
  std::string_view title;
  std::string_view unit;
  std::string (*text)(const SceneResult& scene, const EngineResult& engine);
};

std::string ofQuality(const EngineResult& engine, double Quality::* member, double factor) {
  return engine.quality ? digits(factor * (*engine.quality).*member) : "–";
}

constexpr std::array<Column, 10> kColumns{{
    {"ms/step", "ms", [](const SceneResult&, const EngineResult& e) { return digits(e.time()); }},
    {"ratio", "-", [](const SceneResult& s, const EngineResult& e) { return digits(s.ratio(e)); }},
    {"memory", "MiB",
     [](const SceneResult&, const EngineResult& e) { return fmt::format("{:.0f}", e.memory); }},
    {"deepest", "mm",
     [](const SceneResult&, const EngineResult& e) {
       return ofQuality(e, &Quality::worstDeepest, kMillimetres);
     }},
    {"mean", "mm",
     [](const SceneResult&, const EngineResult& e) {
       return ofQuality(e, &Quality::lastMean, kMillimetres);
     }},
    {"kinetic", "J",
     [](const SceneResult&, const EngineResult& e) {
       return ofQuality(e, &Quality::kineticEnd, 1.0);
     }},
    {"sank", "mm",
     [](const SceneResult&, const EngineResult& e) {
       return ofQuality(e, &Quality::topSank, kMillimetres);
     }},
    {"drifted", "mm",
     [](const SceneResult&, const EngineResult& e) {
       return ofQuality(e, &Quality::topDrifted, kMillimetres);
     }},
    {"anchors", "mm",
     [](const SceneResult&, const EngineResult& e) {
       return e.quality && e.quality->worstAnchorError
                  ? digits(kMillimetres * *e.quality->worstAnchorError)
                  : std::string{"–"};
     }},
    {"lost", "-",
     [](const SceneResult&, const EngineResult& e) {
       return e.quality ? fmt::format("{}", e.quality->escaped) : std::string{"–"};
     }},
}};

/// Sinking and drifting of the top say something of what is built to stand.
bool showsTop(const SceneResult& scene) {
  return scene.name.find("pyramid") != std::string::npos ||
         scene.name.find("stack") != std::string::npos;
}

bool isShown(const SceneResult& scene, const Column& column) {
  if (column.title == "sank" || column.title == "drifted") return showsTop(scene);
  if (column.title == "anchors") return scene.joints > 0;
  return true;
}

std::string describeScene(const SceneResult& scene) {
  std::string text = plural(scene.bodies, "body", "bodies");
  if (scene.joints > 0) text += ", " + plural(scene.joints, "joint", "joints");
  return text + fmt::format(", {} steps", scene.steps);
}

/// Width as a terminal shows it: the dash is one column but three bytes.
std::string padded(const std::string& text, std::size_t width) {
  std::size_t shown = 0;
  for (const char c : text) shown += (static_cast<unsigned char>(c) & 0xC0u) != 0x80u ? 1 : 0;
  return std::string(width > shown ? width - shown : 0, ' ') + text;
}

Json qualityJson(const Quality& q) {
  Json json{{"last_max_penetration", q.lastDeepest},
            {"last_mean_penetration", q.lastMean},
            {"last_penetrating_pairs", q.lastPairs},
            {"worst_max_penetration", q.worstDeepest},
            {"worst_mean_penetration", q.worstMean},
            {"kinetic_end", q.kineticEnd},
            {"energy_start", q.energyStart},
            {"energy_end", q.energyEnd},
            {"largest_energy_rise", q.largestRise},
            {"escaped", q.escaped},
            {"top_sank", q.topSank},
            {"top_drifted", q.topDrifted}};
  if (q.worstAnchorError) json["max_anchor_error"] = *q.worstAnchorError;
  if (q.lastAnchorError) json["last_anchor_error"] = *q.lastAnchorError;
  return json;
}

Json engineJson(const SceneResult& scene, const EngineResult& e) {
  if (!e.ran()) return {{"engine", e.engine}, {"threads", e.threads}, {"failure", e.failure}};
  Json json{
      {"engine", e.engine},      {"version", e.version},    {"precision", e.precision},
      {"settings", e.settings},  {"threads", e.threads},    {"steps", e.steps},
      {"status", e.status},      {"ms_per_step", e.time()}, {"ms_per_step_runs", e.milliseconds},
      {"ratio", scene.ratio(e)}, {"peak_rss_mb", e.memory}, {"contacts", e.contacts}};
  if (e.quality) json["quality"] = qualityJson(*e.quality);
  return json;
}

void addMarkdownTable(std::string& text, const SceneResult& scene) {
  text += fmt::format("\n## {}\n\n{}.\n\n| engine |", scene.name, describeScene(scene));
  std::string rule = "|---|";
  for (const Column& column : kColumns) {
    if (!isShown(scene, column)) continue;
    text += column.unit == "-" ? fmt::format(" {} |", column.title)
                               : fmt::format(" {} [{}] |", column.title, column.unit);
    rule += "---|";
  }
  text += "\n" + rule + "\n";
  for (const EngineResult& e : scene.engines) {
    if (!e.ran()) continue;
    text += fmt::format("| {} |", e.label());
    for (const Column& column : kColumns) {
      if (isShown(scene, column)) text += fmt::format(" {} |", column.text(scene, e));
    }
    text += "\n";
  }
  for (const EngineResult& e : scene.engines) {
    if (!e.failure.empty()) text += fmt::format("\n{}: {}.\n", e.label(), e.failure);
    if (e.ran() && e.status != "ok")
      text += fmt::format("\n{}: {} after {} steps.\n", e.label(), e.status, e.steps);
  }
}

/// Name, version, precision and settings of each engine that ran, once.
std::string engineList(const BenchResult& result) {
  std::string text = "| engine | version | precision | settings |\n|---|---|---|---|\n";
  std::vector<std::string> seen;
  for (const SceneResult& scene : result.scenes) {
    for (const EngineResult& e : scene.engines) {
      if (!e.ran() || std::ranges::find(seen, e.engine) != seen.end()) continue;
      seen.push_back(e.engine);
      text += fmt::format("| {} | {} | {} | {} |\n", e.engine, e.version, e.precision, e.settings);
    }
  }
  return text;
}

}  // namespace

std::string benchText(const SceneResult& scene) {
  std::string text = fmt::format("{}: {}\n", scene.name, describeScene(scene));
  constexpr std::size_t kNameWidth = 20;
  constexpr std::size_t kWidth = 10;
  std::string units(kNameWidth, ' ');
  text += std::string(kNameWidth, ' ');
  for (const Column& column : kColumns) {
    if (!isShown(scene, column)) continue;
    text += padded(std::string{column.title}, kWidth);
    units += padded(fmt::format("[{}]", column.unit), kWidth);
  }
  text += "\n" + units + "\n";
  for (const EngineResult& e : scene.engines) {
    text += e.label() +
            std::string(kNameWidth > e.label().size() ? kNameWidth - e.label().size() : 1, ' ');
    if (!e.ran()) {
      text += fmt::format("  {}\n", e.failure);
      continue;
    }
    for (const Column& column : kColumns) {
      if (isShown(scene, column)) text += padded(column.text(scene, e), kWidth);
    }
    text += e.status == "ok" ? "\n" : fmt::format("  {} after {} steps\n", e.status, e.steps);
  }
  return text;
}

std::string benchJson(const BenchResult& result) {
  Json scenes = Json::array();
  for (const SceneResult& scene : result.scenes) {
    Json engines = Json::array();
    for (const EngineResult& e : scene.engines) engines.push_back(engineJson(scene, e));
    scenes.push_back({{"scene", scene.name},
                      {"bodies", scene.bodies},
                      {"joints", scene.joints},
                      {"steps", scene.steps},
                      {"engines", engines}});
  }
  const Json json{{"machine",
                   {{"processor", result.machine.processor},
                    {"cores", result.machine.cores},
                    {"memory_gb", result.machine.memory},
                    {"system", result.machine.system}}},
                  {"date", result.date},
                  {"version", result.version},
                  {"repeat", result.repeat},
                  {"seed", result.seed},
                  {"scenes", scenes}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string benchCsv(const BenchResult& result) {
  std::string text =
      "scene,bodies,joints,engine,version,precision,threads,steps,ms_per_step,ratio,peak_rss_mb,"
      "contacts,"
      "last_max_penetration_m,last_mean_penetration_m,worst_max_penetration_m,kinetic_end_J,"
      "largest_energy_rise_J,"
      "top_sank_m,top_drifted_m,max_anchor_error_m,escaped,failure\n";
  const auto quoted = [](std::string value) {
    std::ranges::replace(value, '"', '\'');
    return '"' + value + '"';
  };
  for (const SceneResult& scene : result.scenes) {
    for (const EngineResult& e : scene.engines) {
      text += fmt::format("{},{},{},{},{},{},{},{},", quoted(scene.name), scene.bodies,
                          scene.joints, e.engine, e.version, e.precision, e.threads, e.steps);
      if (!e.ran()) {
        text += fmt::format(",,,,,,,,,,,,,{}\n", quoted(e.failure));
        continue;
      }
      text +=
          fmt::format("{:.6g},{:.4g},{:.1f},{},", e.time(), scene.ratio(e), e.memory, e.contacts);
      const Quality q = e.quality.value_or(Quality{});
      if (e.quality) {
        text += fmt::format("{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},", q.lastDeepest,
                            q.lastMean, q.worstDeepest, q.kineticEnd, q.largestRise, q.topSank,
                            q.topDrifted);
        text += q.worstAnchorError ? fmt::format("{:.6g},{},", *q.worstAnchorError, q.escaped)
                                   : fmt::format(",{},", q.escaped);
      } else {
        text += ",,,,,,,,,";
      }
      text += "\n";
    }
  }
  return text;
}

std::string benchMarkdown(const BenchResult& result) {
  std::string text = fmt::format(
      "# Benchmarks\n\nMeasured by `msd bench` (version {}) on {}, {}, {:.0f} GiB, {}, on {}. Each "
      "figure is the median of {} "
      "runs, engines taking turns; sleeping is off. To measure on your own machine, and to write "
      "this page:\n\n"
      "<!-- page-test: help -->\n```sh\nmsd bench --against bullet,ode,mujoco --repeat {} --markdown "
      "docs/benchmarks.md\n```\n\n"
      "The scenes are made from seed {}; `msd bench --list` says what is in them, `msd bench "
      "--write FOLDER` writes them. "
      "The other engines run with their documented defaults through small adapters in "
      "`bench/adapters`.\n\n",
      result.version, result.machine.processor, plural(result.machine.cores, "core", "cores"),
      result.machine.memory, result.machine.system, result.date, result.repeat, result.repeat,
      result.seed);
  text += engineList(result);
  text +=
      "\nHow to read the tables. *ms/step*: mean over the last half of the run. *ratio*: time over "
      "that of `msd` in the first "
      "row, so above 1 is slower than msd-sim. *memory*: peak of the process. The rest is measured "
      "from the poses alone, the "
      "same way for every engine. *deepest*: deepest penetration in the second half of the run. "
      "*mean*: over the penetrating "
      "pairs of the last frame. *kinetic*: energy at the end, where everything should rest. "
      "*sank*, *drifted*: the topmost "
      "bodies. *anchors*: worst distance of joint anchors. *lost*: bodies that fell out of the "
      "scene.\n";
  for (const SceneResult& scene : result.scenes) addMarkdownTable(text, scene);
  return text;
}

}  // namespace msd_exe
