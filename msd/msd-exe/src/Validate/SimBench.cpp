// The set-ups and measures of SimBenchmark's contact tests.
#include "msd-exe/src/Validate/SimBench.hpp"

#include <cmath>
#include <vector>

#include "msd-exe/src/Validate/Worlds.hpp"

namespace msd_exe {

namespace {

using msd_sim::Method;

/// Reproducible numbers in [0, 1).
class Uniform {
 public:
  explicit Uniform(std::uint64_t seed) : state_{seed * 2862933555777941757ull + 3037000493ull} {}
  double next() {
    state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<double>(state_ >> 11) * 0x1p-53;
  }

 private:
  std::uint64_t state_;
};

Settings settingsFor(Method method) {
  Settings settings;
  settings.method = method;
  settings.sleeping = false;
  return settings;
}

void addPlane(WorldModel& world, double friction, double restitution) {
  world.spawn(EnvironmentDescription{
      .shape = msd_sim::Plane{}, .friction = friction, .restitution = restitution});
}

BodyId addBall(WorldModel& world, double radius, double mass, const Coordinate& at, double friction,
               double restitution) {
  return world.spawn(InertialDescription{.shape = msd_sim::Sphere{radius},
                                         .mass = mass,
                                         .position = at,
                                         .friction = friction,
                                         .restitution = restitution});
}

/// Mechanical energy of balls, heights from z = 0 [J].
double energyOf(const WorldModel& world, const std::vector<BodyId>& balls) {
  double energy = 0.0;
  for (const BodyId id : balls) {
    const auto& body = world.inertial(id);
    energy += body.kineticEnergy() + body.getMass() * kGravity * stateOf(world, id).position.z();
  }
  return energy;
}

/// Mean over the steps of the squared error of the energy, sampled before each.
double energyError(WorldModel& world, const std::vector<BodyId>& balls, double expected, double dt,
                   double seconds) {
  const int steps = static_cast<int>(std::lround(seconds / dt));
  double sum = 0.0;
  for (int i = 0; i < steps; ++i) {
    const double error = energyOf(world, balls) - expected;
    sum += error * error;
    world.update(dt);
  }
  return sum / steps;
}

constexpr double kSmall = 0.1;      // radius of the balls of 666 [m]
constexpr double kBallMass = 10.0;  // [kg]

std::vector<BodyId> add666(WorldModel& world, double height, double restitution,
                           std::uint64_t seed) {
  Uniform random{seed};
  std::vector<BodyId> balls;
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) {
      for (int k = 0; k < 6; ++k) {
        Coordinate at{0.21 * i, 0.21 * j, 0.21 * k + height};
        for (int c = 0; c < 3; ++c) at[c] += 0.001 * random.next();
        balls.push_back(addBall(world, kSmall, kBallMass, at, 0.0, restitution));
      }
    }
  }
  return balls;
}

/// Sum of the squared penetrations of balls with each other and with the floor [m²].
double overlapOf(const std::vector<Coordinate>& at) {
  double sum = 0.0;
  for (std::size_t i = 0; i < at.size(); ++i) {
    const double below = std::max(0.0, kSmall - at[i].z());
    sum += below * below;
    for (std::size_t j = i + 1; j < at.size(); ++j) {
      const double d2 = (at[i] - at[j]).squaredNorm();
      if (d2 >= 4.0 * kSmall * kSmall) continue;
      const double deep = 2.0 * kSmall - std::sqrt(d2);
      sum += deep * deep;
    }
  }
  return sum;
}

}  // namespace

// Friction of plate and ground 0.4, of balls and plate 0.8, as geometric means. Closed form, with
// the plate's mass M, n balls of mass m and f1 = 0.4 (M + n m) g: each ball is driven by f2 = (F −
// f1)/(M (7/(2 m) + n/M)); the plate has a = (F − f1 − n f2)/M, the balls f2/m.
double simbenchRolling(Method method, double angle, double dt, double seconds) {
  constexpr double kPlate = 10.0, kBall = 1.0, kForce = 150.0, kDepth = 2e-5;
  constexpr int kBalls = 25;
  WorldModel world{settingsFor(method)};
  addPlane(world, 0.2, 0.0);
  const BodyId plate = world.spawn(InertialDescription{.shape = msd_sim::Box{{10.0, 10.0, 0.5}},
                                                       .mass = kPlate,
                                                       .position = {0.0, 0.0, 0.5 - kDepth},
                                                       .friction = 0.8,
                                                       .restitution = 0.0});
  BodyId first{};
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j < 5; ++j) {
      const BodyId ball =
          addBall(world, 0.5, kBall, {2.0 * i - 4.0, 2.0 * j - 4.0, 1.5 - 3.0 * kDepth}, 0.8, 0.0);
      if (i == 0 && j == 0) first = ball;
    }
  }
  const Vector3D direction{std::cos(angle), std::sin(angle), 0.0};
  const double slide = 0.4 * (kPlate + kBalls * kBall) * kGravity;
  const double drive = (kForce - slide) / (kPlate * (3.5 / kBall + kBalls / kPlate));
  const double plateRate = (kForce - slide - kBalls * drive) / kPlate, ballRate = drive / kBall;
  const int steps = static_cast<int>(std::lround(seconds / dt));
  double sum = 0.0;
  for (int i = 0; i < steps; ++i) {
    const double t = i * dt;
    sum += (stateOf(world, first).velocity - ballRate * t * direction).squaredNorm() +
           (stateOf(world, plate).velocity - plateRate * t * direction).squaredNorm();
    world.applyForce(plate, kForce * direction);
    world.update(dt);
  }
  return sum / steps;
}

double simbenchBouncing(double dt, double seconds) {
  Settings settings = settingsFor(Method::kFast);
  settings.restitutionThreshold = 0.0;
  WorldModel world{settings};
  addPlane(world, 0.0, 1.0);
  std::vector<BodyId> balls;
  for (int i = 0; i < 7; ++i) {
    for (int j = 0; j < 7; ++j) {
      balls.push_back(addBall(world, 0.1, kBallMass, {2.0 * i, 2.0 * j, 5.0}, 0.0, 1.0));
    }
  }
  return energyError(world, balls, 49.0 * kBallMass * kGravity * 5.0, dt, seconds);
}

double simbench666(double dt, double seconds, std::uint64_t seed) {
  Settings settings = settingsFor(Method::kFast);
  settings.restitutionThreshold = 0.01;
  WorldModel world{settings};
  addPlane(world, 0.0, 0.0);
  const std::vector<BodyId> balls = add666(world, 0.101, 0.0, seed);
  const int steps = static_cast<int>(std::lround(seconds / dt));
  std::vector<Coordinate> at(balls.size());
  double sum = 0.0;
  for (int i = 0; i < steps; ++i) {
    for (std::size_t k = 0; k < balls.size(); ++k) at[k] = stateOf(world, balls[k]).position;
    sum += overlapOf(at);
    world.update(dt);
  }
  return sum / steps;
}

double simbenchElastic666(double dt, double seconds, std::uint64_t seed) {
  Settings settings = settingsFor(Method::kFast);
  settings.restitutionThreshold = 0.0;
  WorldModel world{settings};
  addPlane(world, 0.0, 1.0);
  const std::vector<BodyId> balls = add666(world, 1.101, 1.0, seed);
  return energyError(world, balls, energyOf(world, balls), dt, seconds);
}

}  // namespace msd_exe
