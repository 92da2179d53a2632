#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <exception>

#include "msd-scene/src/JsonText.hpp"
#include "msd-scene/src/Limits.hpp"
#include "msd-scene/src/SceneValidator.hpp"

namespace msd_scene {

namespace {

JsonPath bodyPath(std::size_t i) {
  return JsonPath{} / "bodies" / i;
}

}  // namespace

void SceneValidator::checkBodies() {
  for (std::size_t i = 0; i < document_.bodies.size(); ++i) checkBody(i);
}

void SceneValidator::checkBody(std::size_t i) {
  const SceneBody& body = document_.bodies[i];
  if (body.name.empty() || body.name == "world") {
    issues_.error(bodyPath(i) / "name", jsonString(body.name),
                  "a name that is neither empty nor \"world\" (that is the world itself)");
  }
  if (const std::size_t first = bodies_.find(body.name); first != i) {
    issues_.error(bodyPath(i) / "name", shortened(jsonString(body.name)),
                  fmt::format("a name of its own (bodies[{}] has this one)", first));
  }
  const std::size_t shape = shapes_.find(body.shape);
  if (shape == NameTable::npos) missing(bodyPath(i) / "shape", body.shape, shapes_, "a shape");
  const std::size_t material = materials_.find(body.material);
  // The material "default" exists even where the scene does not describe it.
  if (material == NameTable::npos && body.material != "default") {
    missing(bodyPath(i) / "material", body.material, materials_, "a material");
  }
  if (body.isStatic && body.kinematic) {
    issues_.error(bodyPath(i) / "kinematic", "true in a static body", "one of the two");
  }
  if (body.colour) {
    for (std::size_t k = 0; k < body.colour->size(); ++k) {
      issues_.demand((*body.colour)[k], {0.0, 1.0, "[-]"},
                     [&] { return bodyPath(i) / "colour" / k; });
    }
  }
  if (body.visual) checkVisuals(i);
  checkPlacement(i);
  if (body.isStatic) {
    checkStatic(i);
  } else {
    checkMoving(i);
    if (shape != NameTable::npos) checkMass(i, shape, material);
  }
}

void SceneValidator::checkVisuals(std::size_t i) {
  const std::vector<SceneVisual>& visuals = *document_.bodies[i].visual;
  for (std::size_t k = 0; k < visuals.size(); ++k) {
    const SceneVisual& visual = visuals[k];
    const JsonPath path = bodyPath(i) / "visual" / k;
    if (shapes_.find(visual.shape) == NameTable::npos) {
      missing(path / "shape", visual.shape, shapes_, "a shape");
    }
    issues_.demandVector(visual.position, Limits::kMaxSize, "[m]",
                         [&] { return path / "position"; });
    const WrittenRotation& q = visual.orientation;
    issues_.demandUnit(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3],
                       [&] { return path / "orientation"; });
    for (std::size_t c = 0; visual.colour && c < visual.colour->size(); ++c) {
      issues_.demand((*visual.colour)[c], {0.0, 1.0, "[-]"}, [&] { return path / "colour" / c; });
    }
  }
}

void SceneValidator::checkPlacement(std::size_t i) {
  const SceneBody& body = document_.bodies[i];
  const bool near = issues_.demandVector(body.position, Limits::kMaxPosition, "[m]",
                                         [&] { return bodyPath(i) / "position"; });
  if (near && body.position.cwiseAbs().maxCoeff() > Limits::kFarPosition) {
    issues_.warning(
        bodyPath(i) / "position",
        fmt::format("a distance of {} m from the origin", body.position.cwiseAbs().maxCoeff()),
        "less than 1e7 m: positions lose precision farther out");
  }
  const WrittenRotation& q = body.orientation;
  issues_.demandUnit(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3],
                     [&] { return bodyPath(i) / "orientation"; });
  issues_.demandVector(body.linearVelocity, Limits::kMaxSpeed, "[m/s]",
                       [&] { return bodyPath(i) / "linearVelocity"; });
  issues_.demandVector(body.angularVelocity, Limits::kMaxSpeed, "[rad/s]",
                       [&] { return bodyPath(i) / "angularVelocity"; });
  issues_.demandVector(body.surfaceVelocity, Limits::kMaxSpeed, "[m/s]",
                       [&] { return bodyPath(i) / "surfaceVelocity"; });
  issues_.demandVector(body.force, Limits::kMaxForce, "[N]", [&] { return bodyPath(i) / "force"; });
  issues_.demandVector(body.torque, Limits::kMaxForce, "[N·m]",
                       [&] { return bodyPath(i) / "torque"; });
  const auto checkLoads = [&](const std::vector<TimedVector>& loads, std::string_view field,
                              std::string_view unit) {
    checkTimes(bodyPath(i) / field, loads);
    for (std::size_t k = 0; k < loads.size(); ++k) {
      const auto& v = loads[k].value;
      issues_.demandVector({v[0], v[1], v[2]}, Limits::kMaxForce, unit,
                           [&] { return bodyPath(i) / field / k / "value"; });
    }
  };
  checkLoads(body.forces, "forces", "[N]");
  checkLoads(body.torques, "torques", "[N·m]");
}

/// A static body that is given a motion is a contradiction, not something to overlook.
void SceneValidator::checkStatic(std::size_t i) {
  const SceneBody& body = document_.bodies[i];
  const auto refuse = [&](bool given, std::string_view field) {
    if (given) {
      issues_.error(bodyPath(i) / field, fmt::format("a {} in a static body", field),
                    "none: a static body never moves");
    }
  };
  refuse(!body.linearVelocity.isZero(0.0), "linearVelocity");
  refuse(!body.angularVelocity.isZero(0.0), "angularVelocity");
  refuse(body.mass.has_value(), "mass");
  refuse(body.inertia.has_value(), "inertia");
  refuse(body.centreOfMass.has_value(), "centreOfMass");
  refuse(!body.force.isZero(0.0), "force");
  refuse(!body.torque.isZero(0.0), "torque");
  refuse(!body.forces.empty(), "forces");
  refuse(!body.torques.empty(), "torques");
}

void SceneValidator::checkMoving(std::size_t i) {
  const SceneBody& body = document_.bodies[i];
  constexpr Range kDamping{0.0, Limits::kMaxDamping, "[1/s]"};
  issues_.demand(body.linearDamping, kDamping, [&] { return bodyPath(i) / "linearDamping"; });
  issues_.demand(body.angularDamping, kDamping, [&] { return bodyPath(i) / "angularDamping"; });
  const bool pushed = !body.force.isZero(0.0) || !body.torque.isZero(0.0);
  if (body.kinematic && pushed) {
    issues_.error(bodyPath(i) / (body.force.isZero(0.0) ? "torque" : "force"),
                  "a force on a kinematic body", "none: a kinematic body moves as told");
  }
}

void SceneValidator::checkMass(std::size_t i, std::size_t shape, std::size_t material) {
  const SceneBody& body = document_.bodies[i];
  constexpr Range kMass{Limits::kMinMass, Limits::kMaxMass, "[kg]"};
  if (!shape_is_good_[shape]) return;
  if (result_.shapes[shape].isStaticOnly()) {
    issues_.error(bodyPath(i) / "shape",
                  fmt::format("{}, a {}, on a body that moves", shortened(jsonString(body.shape)),
                              typeName(document_.shapes[shape])),
                  "\"static\": true, or a sphere, box, capsule, cylinder, hull or compound");
    return;
  }
  if (body.mass) {
    issues_.demand(*body.mass, kMass, [&] { return bodyPath(i) / "mass"; });
  } else {
    if (!mass_[shape]) mass_[shape] = msd_assets::computeMassProperties(result_.shapes[shape]);
    const double density = material == NameTable::npos ? SceneMaterial{}.density
                                                       : document_.materials[material].density;
    const double mass = density * mass_[shape]->volume;
    if (std::isfinite(density) && density > 0.0 && !kMass.contains(mass)) {
      issues_.error(bodyPath(i), fmt::format("a mass of {} kg from shape and density", mass),
                    kMass.describe());
    }
  }
  checkInertia(i);
}

void SceneValidator::checkInertia(std::size_t i) {
  const SceneBody& body = document_.bodies[i];
  if (body.centreOfMass) {
    issues_.demandVector(*body.centreOfMass, Limits::kMaxSize, "[m]",
                         [&] { return bodyPath(i) / "centreOfMass"; });
  }
  const bool overrides = body.inertia || body.centreOfMass;
  if (overrides && !body.mass) {
    issues_.error(bodyPath(i),
                  fmt::format("\"{}\" without \"mass\"", body.inertia ? "inertia" : "centreOfMass"),
                  "a mass with it [kg]");
  }
  if (!body.inertia) return;
  const JsonPath path = bodyPath(i) / "inertia";
  if (!body.inertia->allFinite()) {
    issues_.error(path, "a number that is not finite", "finite numbers [kg·m²]");
    return;
  }
  // Principal moments I0 <= I1 <= I2 of any distribution of mass satisfy I0 > 0, I2 <= I0 + I1.
  const Eigen::SelfAdjointEigenSolver<Matrix3D> solver{*body.inertia, Eigen::EigenvaluesOnly};
  const Vector3D& moments = solver.eigenvalues();
  const double slack = Limits::kInertiaTolerance * moments[2];
  if (!(moments[0] > 0.0) || moments[2] > moments[0] + moments[1] + slack) {
    issues_.error(path,
                  fmt::format("principal moments {}, {}, {}", moments[0], moments[1], moments[2]),
                  "positive moments, none larger than the sum of the others [kg·m²]");
  }
}

}  // namespace msd_scene
