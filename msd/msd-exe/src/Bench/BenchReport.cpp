// The figures as a table for the terminal, as JSON and as CSV.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "msd-exe/src/Bench/BenchColumns.hpp"

namespace msd_exe {

namespace {

using Json = nlohmann::ordered_json;

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

Json timesJson(const SceneResult& scene, const EngineResult& e,
               std::vector<double> BenchTimes::* times) {
  return {{"ms", median(e.times.*times)},
          {"ratio", scene.ratio(e, times)},
          {"runs", e.times.*times}};
}

Json engineJson(const SceneResult& scene, const EngineResult& e) {
  if (!e.ran()) return {{"engine", e.engine}, {"threads", e.threads}, {"failure", e.failure}};
  Json json{{"engine", e.engine},
            {"version", e.version},
            {"precision", e.precision},
            {"settings", e.settings},
            {"threads", e.threads},
            {"steps", e.steps},
            {"status", e.status},
            {"all_steps", timesJson(scene, e, &BenchTimes::all)},
            {"p99", timesJson(scene, e, &BenchTimes::slowest)},
            {"last_half", timesJson(scene, e, &BenchTimes::half)},
            {"peak_rss_mb", e.memory}};
  if (e.contacts) json["contacts"] = *e.contacts;
  if (e.quality) json["quality"] = qualityJson(*e.quality);
  return json;
}

std::string quoted(std::string value) {
  std::ranges::replace(value, '"', '\'');
  return '"' + value + '"';
}

constexpr std::string_view kCsvHead =
    "scene,seed,bodies,joints,engine,version,precision,threads,steps,failure,"
    "all_steps_ms,all_steps_ratio,p99_ms,p99_ratio,last_half_ms,last_half_ratio,peak_rss_mb,"
    "contacts,last_max_penetration_m,last_mean_penetration_m,worst_max_penetration_m,kinetic_end_J,"
    "largest_energy_rise_J,top_sank_m,top_drifted_m,escaped,max_anchor_error_m\n";

/// The columns from "all_steps_ms" on; empty where there is nothing to say.
std::string csvFigures(const SceneResult& scene, const EngineResult& e) {
  const auto last = std::ranges::count(kCsvHead, ',') - std::ranges::count(
      kCsvHead.substr(0, kCsvHead.find("all_steps_ms")), ',');
  if (!e.ran()) return std::string(static_cast<std::size_t>(last), ',');
  std::string text;
  for (const auto times : {&BenchTimes::all, &BenchTimes::slowest, &BenchTimes::half})
    text += fmt::format("{:.6g},{:.4g},", median(e.times.*times), scene.ratio(e, times));
  text += fmt::format("{:.1f},{},", e.memory,
                      e.contacts ? std::to_string(*e.contacts) : std::string{});
  if (!e.quality) return text + std::string(8, ',');
  const Quality& q = *e.quality;
  text += fmt::format("{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{},", q.lastDeepest,
                      q.lastMean, q.worstDeepest, q.kineticEnd, q.largestRise, q.topSank,
                      q.topDrifted, q.escaped);
  return q.worstAnchorError ? text + fmt::format("{:.6g}", *q.worstAnchorError) : text;
}

}  // namespace

std::string benchText(const SceneResult& scene, std::uint64_t firstSeed) {
  std::string text = fmt::format("{}: {}\n", scene.title(firstSeed), describeScene(scene));
  constexpr std::size_t kNameWidth = 18;
  constexpr std::size_t kWidth = 10;
  std::string units(kNameWidth, ' ');
  text += std::string(kNameWidth, ' ');
  for (const BenchColumn& column : benchColumns()) {
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
    for (const BenchColumn& column : benchColumns()) {
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
    Json json{{"scene", scene.name}};
    if (scene.seed) json["seed"] = *scene.seed;
    json.update({{"bodies", scene.bodies}, {"joints", scene.joints}, {"steps", scene.steps}});
    json["engines"] = std::move(engines);
    scenes.push_back(std::move(json));
  }
  const Json json{{"machine",
                   {{"processor", result.machine.processor},
                    {"cores", result.machine.cores},
                    {"memory_gb", result.machine.memory},
                    {"system", result.machine.system}}},
                  {"date", result.date},
                  {"version", result.version},
                  {"repeat", result.repeat},
                  {"seeds", result.seeds},
                  {"scenes", scenes}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string benchCsv(const BenchResult& result) {
  std::string text{kCsvHead};
  for (const SceneResult& scene : result.scenes) {
    for (const EngineResult& e : scene.engines) {
      text += fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", quoted(scene.name),
                          scene.seed ? std::to_string(*scene.seed) : std::string{}, scene.bodies,
                          scene.joints, e.engine, e.version, e.precision, e.threads, e.steps,
                          e.failure.empty() ? std::string{} : quoted(e.failure),
                          csvFigures(scene, e));
    }
  }
  return text;
}

}  // namespace msd_exe
