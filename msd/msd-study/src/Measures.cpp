#include "msd-study/src/Measures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "msd-scene/src/Expectations.hpp"
#include "msd-scene/src/JsonText.hpp"
#include "msd-scene/src/SceneError.hpp"
#include "msd-scene/src/SceneShapes.hpp"
#include "msd-scene/src/Suggestion.hpp"

namespace msd_study {

namespace {

using msd_scene::JsonPath;
using msd_scene::jsonString;
using msd_scene::NameTable;
using msd_scene::SceneError;
using msd_sim::ContactEvent;
using msd_sim::ContactEventKind;

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

ContactEventKind kindOf(std::string_view name) {
  return name == "begin" ? ContactEventKind::kBegin
         : name == "end" ? ContactEventKind::kEnd
                         : ContactEventKind::kHit;
}

void demandName(const JsonPath& path, const std::string& name, const NameTable& known,
                std::string_view what) {
  if (name.empty() || known.find(name) != NameTable::npos) return;
  throw SceneError{{.path = path,
                    .found = jsonString(name),
                    .expected = fmt::format("the name of a {} of the scene{}", what,
                                            msd_scene::suggestion(name, known.names()))}};
}

}  // namespace

std::string measureUnit(const StudyMeasure& measure) {
  switch (measure.take) {
    case Take::kTimeOfMax:
    case Take::kTimeOfMin:
    case Take::kFirstTime:
    case Take::kLastTime:
      return "s";
    case Take::kCount:
      return "-";
    case Take::kMaxSpeed:
      return "m/s";
    default:
      break;
  }
  std::string unit{msd_scene::quantityUnit(measure.of)};
  if (unit == "[rad] or [m]") return "rad or m";
  if (unit.size() >= 2) unit = unit.substr(1, unit.size() - 2);
  return unit;
}

void checkMeasures(const StudyDocument& study, const msd_scene::SceneDocument& scene) {
  const NameTable bodies{scene.bodies};
  const NameTable joints{scene.joints};
  const NameTable sensors{scene.sensors};
  for (const StudyMeasure& measure : study.measures) {
    const JsonPath path = JsonPath{} / "measure" / measure.name;
    demandName(path / "body", measure.of.body, bodies, "body");
    demandName(path / "with", measure.other, bodies, "body");
    demandName(path / "joint", measure.of.joint, joints, "joint");
    demandName(path / "sensor", measure.of.sensor, sensors, "sensor");
    if (!measure.event.empty()) continue;
    const auto known = msd_scene::quantityNames(measure.of);
    if (std::ranges::find(known, measure.of.quantity) == known.end()) {
      throw SceneError{{.path = path / "quantity",
                        .found = jsonString(measure.of.quantity),
                        .expected = fmt::format(
                            "a quantity of {}{}",
                            !measure.of.body.empty()    ? "a body"
                            : !measure.of.joint.empty() ? "a joint"
                            : !measure.of.sensor.empty() ? "a sensor"
                                                         : "the world",
                            msd_scene::suggestion(measure.of.quantity, known))}};
    }
  }
}

Measures::Measures(const StudyDocument& study, const msd_scene::SceneWorld& scene) {
  followers_.reserve(study.measures.size());
  for (const StudyMeasure& measure : study.measures) {
    Follower& f = followers_.emplace_back();
    f.measure = &measure;
    f.value = measure.take == Take::kCount ? 0.0 : kUnknown;
    f.extreme = kUnknown;
    if (measure.event.empty()) {
      f.probe.emplace(measure.of, scene);
      continue;
    }
    f.body = scene.bodyByName.at(measure.of.body);
    f.kind = kindOf(measure.event);
    if (!measure.other.empty()) f.other = scene.bodyByName.at(measure.other);
  }
}

void Measures::observe(const msd_scene::SceneWorld& scene) {
  for (Follower& f : followers_) {
    if (f.isDone) continue;
    f.probe ? follow(f, scene) : followEvents(f, scene.world);
  }
}

void Measures::follow(Follower& f, const msd_scene::SceneWorld& scene) {
  const StudyMeasure& m = *f.measure;
  const double time = scene.world.time();
  if (m.of.time && time + 0.5 * scene.dt < *m.of.time) return;
  if (m.take == Take::kFinal && !m.of.time) return;  // finish() takes it
  const double now = f.probe->measure(scene);
  switch (m.take) {
    case Take::kFinal:
      f.value = now;
      f.isDone = true;
      break;
    case Take::kMean:
      f.sum += now;
      f.value = f.sum / static_cast<double>(++f.count);
      break;
    case Take::kFirstTime:
      if ((m.above && now > *m.above) || (m.below && now < *m.below)) {
        f.value = time;
        f.isDone = true;
      }
      break;
    default: {
      const bool wantsMost = m.take == Take::kMax || m.take == Take::kTimeOfMax;
      if (std::isnan(now) || (wantsMost ? now <= f.extreme : now >= f.extreme)) break;
      f.extreme = now;
      f.value = m.take == Take::kMax || m.take == Take::kMin ? now : time;
    }
  }
}

void Measures::followEvents(Follower& f, const msd_sim::WorldModel& world) {
  for (const ContactEvent& event : world.events()) {
    if (event.kind != f.kind || (event.bodyA != f.body && event.bodyB != f.body)) continue;
    if (f.other && event.bodyA != *f.other && event.bodyB != *f.other) continue;
    switch (f.measure->take) {
      case Take::kCount:
        f.value += 1.0;
        break;
      case Take::kMaxSpeed:
        if (!(event.approachSpeed <= f.value)) f.value = event.approachSpeed;
        break;
      case Take::kFirstTime:
        f.value = world.time();
        f.isDone = true;
        return;
      default:
        f.value = world.time();
    }
  }
}

std::vector<double> Measures::finish(const msd_scene::SceneWorld& scene) {
  std::vector<double> values;
  values.reserve(followers_.size());
  for (Follower& f : followers_) {
    if (f.probe && f.measure->take == Take::kFinal && !f.isDone) {
      f.value = f.probe->measure(scene);
    }
    values.push_back(f.value);
  }
  return values;
}

bool isSuccess(const StudyDocument& study, const std::vector<double>& results) {
  return std::ranges::all_of(study.success, [&](const StudyBounds& bounds) {
    const auto at = std::ranges::find(study.measures, bounds.name, &StudyMeasure::name);
    const double value = results[static_cast<std::size_t>(at - study.measures.begin())];
    return std::isfinite(value) && (!bounds.min || value >= *bounds.min) &&
           (!bounds.max || value <= *bounds.max);
  });
}

}  // namespace msd_study
