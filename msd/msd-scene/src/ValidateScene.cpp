#include "msd-scene/src/ValidateScene.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "msd-scene/src/Expectations.hpp"
#include "msd-scene/src/JsonText.hpp"
#include "msd-scene/src/Limits.hpp"
#include "msd-scene/src/SceneValidator.hpp"
#include "msd-scene/src/Suggestion.hpp"

namespace msd_scene {

namespace {

constexpr double kLargest = std::numeric_limits<double>::max();

}  // namespace

const SceneIssue* Validation::firstError() const {
  const auto found = std::ranges::find(issues, SceneIssue::Severity::kError, &SceneIssue::severity);
  return found == issues.end() ? nullptr : &*found;
}

Validation validate(const SceneDocument& document) {
  Validation result;
  SceneValidator{document, result}.run();
  return result;
}

Validation validate(const SceneDocument& document, const KnownShapes& known) {
  Validation result;
  SceneValidator{document, result, &known}.run();
  return result;
}

SceneValidator::SceneValidator(const SceneDocument& document, Validation& result,
                               const KnownShapes* known)
    : document_{document},
      result_{result},
      known_{known},
      issues_{result.issues},
      materials_{document.materials},
      shapes_{document.shapes},
      bodies_{document.bodies},
      joints_{document.joints},
      sensors_{document.sensors},
      shape_is_good_(document.shapes.size(), false),
      mass_(document.shapes.size()) {}

void SceneValidator::run() {
  checkTop();
  checkSolver();
  checkCamera();
  checkMaterials();
  checkPairs();
  checkShapes();
  checkBodies();
  checkJoints();
  checkPotentials();
  checkExclude();
  checkSensors();
  checkExpectations();
}

void SceneValidator::missing(const JsonPath& path, std::string_view name, const NameTable& known,
                             std::string_view what) {
  // A suggestion compares all names: only for errors that are kept.
  const std::string nearest = issues_.isFull() ? std::string{} : suggestion(name, known.names());
  issues_.error(path, shortened(jsonString(name)),
                fmt::format("the name of {} of this scene{}", what, nearest));
}

void SceneValidator::checkTop() {
  issues_.demand(document_.dt, {Limits::kMinDt, Limits::kMaxDt, "[s]"},
                 [] { return JsonPath{} / "dt"; });
  issues_.demand(static_cast<double>(document_.steps), {0.0, Limits::kMaxSteps, "[-]"},
                 [] { return JsonPath{} / "steps"; });
  issues_.demandVector(document_.gravity, Limits::kMaxAcceleration, "[m/s²]",
                       [] { return JsonPath{} / "gravity"; });
}

void SceneValidator::checkSolver() {
  const SceneSolver& s = document_.solver;
  const auto check = [&](const auto& value, const Range& range, std::string_view name) {
    if (!value) return;
    issues_.demand(static_cast<double>(*value), range,
                   [&] { return JsonPath{} / "solver" / name; });
  };
  // The ranges of msd_sim::Settings.
  check(s.substeps, {0.0, 64.0, "(0: the method's default)"}, "substeps");
  check(s.iterations, {1.0, 1000.0, "[-]"}, "iterations");
  check(s.exactTolerance, {1e-15, 1e-2, "[-]"}, "exactTolerance");
  check(s.exactIterations, {1.0, 1e9, "[-]"}, "exactIterations");
  check(s.restitutionThreshold, {0.0, Limits::kMaxSpeed, "[m/s]"}, "restitutionThreshold");
  check(s.positionCorrection, {0.0, 1.0, "[-]"}, "positionCorrection");
  check(s.baumgarte, {0.0, 1.0, "[-]"}, "baumgarte");
  check(s.correctionSpeed, {0.0, Limits::kMaxSpeed, "[1/s]", true}, "correctionSpeed");
  check(s.sleepSpeed, {0.0, Limits::kMaxSpeed, "[m/s]"}, "sleepSpeed");
  check(s.sleepTime, {0.0, kLargest, "[s]"}, "sleepTime");
}

void SceneValidator::checkCamera() {
  if (!document_.camera) return;
  const JsonPath path = JsonPath{} / "camera";
  const SceneCamera& camera = *document_.camera;
  const bool finite = issues_.demandVector(camera.position, Limits::kMaxPosition, "[m]", [&] {
    return path / "position";
  }) && issues_.demandVector(camera.target, Limits::kMaxPosition, "[m]", [&] {
    return path / "target";
  });
  if (finite && camera.position == camera.target) {
    issues_.error(path / "target", "the camera's own position", "another point to look at");
  }
}

void SceneValidator::checkMaterials() {
  for (const SceneMaterial& material : document_.materials) {
    const JsonPath path = JsonPath{} / "materials" / material.name;
    const auto check = [&](double value, const Range& range, std::string_view field) {
      issues_.demand(value, range, [&] { return path / field; });
    };
    check(material.friction, {0.0, Limits::kMaxFriction, "[-]"}, "friction");
    check(material.restitution, {0.0, 1.0, "[-]"}, "restitution");
    check(material.density, {0.0, Limits::kMaxDensity, "[kg/m³]", true}, "density");
    check(material.rollingResistance, {0.0, Limits::kMaxSize, "[m]"}, "rollingResistance");
    check(material.torsionalResistance, {0.0, Limits::kMaxSize, "[m]"}, "torsionalResistance");
    if (material.stiffness) {
      check(*material.stiffness, {0.0, Limits::kMaxStiffness, "[N/m]", true}, "stiffness");
    }
    check(material.damping, {0.0, Limits::kMaxStiffness, "[N·s/m]"}, "damping");
  }
}

void SceneValidator::checkPotentials() {
  for (std::size_t i = 0; i < document_.potentials.size(); ++i) {
    const ScenePotential& p = document_.potentials[i];
    const JsonPath path = JsonPath{} / "potentials" / i;
    for (std::size_t k = 0; k < p.bodies.size(); ++k) {
      const std::size_t body = bodies_.find(p.bodies[k]);
      if (body == NameTable::npos) {
        missing(path / "bodies" / k, p.bodies[k], bodies_, "a body");
      } else if (document_.bodies[body].isStatic || document_.bodies[body].kinematic) {
        issues_.error(path / "bodies" / k, shortened(jsonString(p.bodies[k])),
                      "a body that forces move");
      }
    }
    const auto vector = [&](const Vector3D& v, double most, std::string_view unit,
                            std::string_view name) {
      issues_.demandVector(v, most, unit, [&] { return path / name; });
    };
    vector(p.force, Limits::kMaxForce, "[N]", "force");
    vector(p.point, Limits::kMaxPosition, "[m]", "point");
    vector(p.centre, Limits::kMaxPosition, "[m]", "centre");
    vector(p.anchor, Limits::kMaxPosition, "[m]", "anchor");
    const auto number = [&](double value, const Range& range, std::string_view name) {
      issues_.demand(value, range, [&] { return path / name; });
    };
    if (p.kind == PotentialKind::kCentral) {
      number(p.strength, {0.0, kLargest, "[m³/s²]", true}, "strength");
      number(p.radius, {0.0, Limits::kMaxPosition, "[m]", true}, "radius");
    }
    if (p.kind == PotentialKind::kSpring) {
      number(p.stiffness, {0.0, Limits::kMaxStiffness, "[N/m]", true}, "stiffness");
      number(p.length, {0.0, Limits::kMaxPosition, "[m]"}, "length");
    }
  }
}

void SceneValidator::checkPairs() {
  std::set<std::pair<std::string_view, std::string_view>> known;
  for (std::size_t i = 0; i < document_.pairs.size(); ++i) {
    const ScenePair& pair = document_.pairs[i];
    const JsonPath path = JsonPath{} / "pairs" / i;
    const auto checkName = [&](const std::string& name, std::size_t place) {
      if (materials_.find(name) == NameTable::npos && name != "default") {
        missing(path / "materials" / place, name, materials_, "a material");
      }
    };
    checkName(pair.materialA, 0);
    checkName(pair.materialB, 1);
    const std::string_view a{pair.materialA};
    const std::string_view b{pair.materialB};
    if (!known.emplace(std::min(a, b), std::max(a, b)).second) {
      issues_.error(path / "materials", "a pair that was described before", "each pair once");
    }
    const auto check = [&](const std::optional<double>& value, const Range& range,
                           std::string_view field) {
      if (value) issues_.demand(*value, range, [&] { return path / field; });
    };
    check(pair.friction, {0.0, Limits::kMaxFriction, "[-]"}, "friction");
    check(pair.restitution, {0.0, 1.0, "[-]"}, "restitution");
    check(pair.rollingResistance, {0.0, Limits::kMaxSize, "[m]"}, "rollingResistance");
    check(pair.torsionalResistance, {0.0, Limits::kMaxSize, "[m]"}, "torsionalResistance");
  }
}

void SceneValidator::checkExclude() {
  for (std::size_t i = 0; i < document_.exclude.size(); ++i) {
    const auto& names = document_.exclude[i];
    const JsonPath path = JsonPath{} / "exclude" / i;
    for (std::size_t k = 0; k < 2; ++k) {
      if (bodies_.find(names[k]) == NameTable::npos) missing(path / k, names[k], bodies_, "a body");
    }
    if (names[0] == names[1]) issues_.error(path / 1, jsonString(names[1]), "another body");
  }
}

void SceneValidator::checkExpectations() {
  for (std::size_t i = 0; i < document_.expect.size(); ++i) checkExpectation(i);
}

/// That what a check looks at is there.
void SceneValidator::checkQuantity(const SceneExpectation& e, const JsonPath& path) {
  const int named = int{!e.body.empty()} + int{!e.joint.empty()} + int{!e.sensor.empty()};
  if (named > 1) {
    issues_.error(path, "two of \"body\", \"joint\" and \"sensor\"", "one, or none for the world");
  }
  const auto check = [&](const std::string& name, const NameTable& known, std::string_view field) {
    if (name.empty() || known.find(name) != NameTable::npos) return;
    missing(path / field, name, known, fmt::format("a {}", field));
  };
  check(e.body, bodies_, "body");
  check(e.joint, joints_, "joint");
  check(e.sensor, sensors_, "sensor");
  const auto known = quantityNames(e);
  if (std::ranges::find(known, e.quantity) != known.end()) return;
  issues_.error(path / "quantity", shortened(jsonString(e.quantity)),
                fmt::format("a quantity of {}{}",
                            !e.body.empty()     ? "a body"
                            : !e.joint.empty()  ? "a joint"
                            : !e.sensor.empty() ? "a sensor"
                                                : "the world",
                            suggestion(e.quantity, known)));
}

void SceneValidator::checkExpectation(std::size_t i) {
  const SceneExpectation& e = document_.expect[i];
  const JsonPath path = JsonPath{} / "expect" / i;
  checkQuantity(e, path);
  if (e.minus) checkQuantity(subtracted(e), path / "minus");
  if (e.minus && e.minusStart) issues_.error(path / "minus", "two differences", "one");
  const bool bounded = e.min || e.max;
  if (e.value.has_value() == bounded) {
    issues_.error(path, bounded ? "both \"value\" and a bound" : "neither \"value\" nor a bound",
                  "\"value\" with \"tolerance\", or \"min\" and \"max\"");
  }
  issues_.demand(e.tolerance, {0.0, kLargest, "(in the quantity's unit)"},
                 [&] { return path / "tolerance"; });
  if (e.reference) {
    const JsonPath own = path / "reference";
    if (e.reference->tolerance) {
      issues_.demand(*e.reference->tolerance, {0.0, kLargest, "(in the quantity's unit)"},
                     [&] { return own / "tolerance"; });
    }
    if (!bounded && (e.reference->min || e.reference->max)) {
      issues_.error(own, "a bound", "\"value\" or \"tolerance\", as in the check itself");
    }
    if (bounded && (e.reference->value || e.reference->tolerance)) {
      issues_.error(own, "a value or tolerance", "\"min\" or \"max\", as in the check itself");
    }
  }
  const double end = static_cast<double>(document_.steps) * document_.dt;
  if (e.time) issues_.demand(*e.time, {0.0, end, "[s]"}, [&] { return path / "at"; });
}

}  // namespace msd_scene
