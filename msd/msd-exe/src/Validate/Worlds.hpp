#pragma once

#include <cmath>
#include <numbers>
#include <string>

#include "msd-record/src/SvgChart.hpp"
#include "msd-sim/src/Environment/WorldModel.hpp"

/// Small worlds that the phenomena share.
namespace msd_exe {

using msd_sim::BodyId;
using msd_sim::Coordinate;
using msd_sim::EnvironmentDescription;
using msd_sim::InertialDescription;
using msd_sim::InertialState;
using msd_sim::Settings;
using msd_sim::Vector3D;
using msd_sim::WorldModel;

inline constexpr double kStep = 1.0 / 60.0;  ///< [s]
inline constexpr double kGravity = 9.81;     ///< [m/s²]
inline const Vector3D kWeightless{0.0, 0.0, 0.0};

/// The method that the phenomena are measured with, and their settings with it.
inline msd_sim::Method& methodUnderTest() {
  static msd_sim::Method method = msd_sim::Method::kFast;
  return method;
}
[[nodiscard]] inline Settings underTest(Settings settings) {
  settings.method = methodUnderTest();
  return settings;
}

/// Floor with its top at z = 0.
inline BodyId addFloor(WorldModel& world, double friction, double restitution) {
  return world.spawn(EnvironmentDescription{.name = "floor",
                                            .shape = msd_sim::Box{{50.0, 50.0, 1.0}},
                                            .position = {0.0, 0.0, -1.0},
                                            .friction = friction,
                                            .restitution = restitution});
}

[[nodiscard]] inline const InertialState& stateOf(const WorldModel& world, BodyId body) {
  return world.inertial(body).getInertialState();
}

inline void run(WorldModel& world, int steps, double dt = kStep) {
  for (int i = 0; i < steps; ++i) world.update(dt);
}

/// About the world's origin [kg·m²/s].
[[nodiscard]] inline Vector3D angularMomentum(const WorldModel& world, BodyId body) {
  const auto& asset = world.inertial(body);
  const InertialState& s = asset.getInertialState();
  const msd_sim::Matrix3D r = s.orientation.toRotationMatrix();
  const msd_sim::Matrix3D inertia = r * asset.getInertiaTensor() * r.transpose();
  return asset.getMass() * s.position.cross(s.velocity) + inertia * s.angularVelocity;
}

/// What was simulated beside the closed form, over time.
class Comparison {
 public:
  Comparison(std::string title, std::string quantity, std::string unit)
      : chart_{.title = std::move(title),
               .quantity = std::move(quantity),
               .unit = std::move(unit),
               .series = {{.name = "simulated"}, {.name = "closed form"}}} {}
  void add(double x, double simulated, double expected) {
    chart_.series[0].x.push_back(x);
    chart_.series[0].y.push_back(simulated);
    chart_.series[1].x.push_back(x);
    chart_.series[1].y.push_back(expected);
  }
  void setAbscissa(std::string quantity, std::string unit) {
    chart_.xQuantity = std::move(quantity);
    chart_.xUnit = std::move(unit);
  }
  [[nodiscard]] std::string draw() const { return msd_record::toSvg(chart_); }

 private:
  msd_record::Chart chart_;
};

[[nodiscard]] inline double degrees(double angle) {
  return angle * std::numbers::pi / 180.0;
}

}  // namespace msd_exe
