// Contact creates no energy: over random scenes of all shapes, joints, motors, driven bodies, surfaces, restitutions,
// frictions, resistances, step lengths and both methods, every joule of every step is accounted for by entries that
// are computed one by one (docs/theory/energy.md, L-9), and contacts and the guard add none.
//
//   |closure| ≤ 1e-9 S,     S = Σ m (g·1 m + ½ v²)
//   where nothing is driven or jointed:
//     ΔE ≤ max(positionWork, 0) + 1e-9 S,   normalWork + frictionWork + guardWork ≤ 1e-9 S
//     Σ positionWork ≤ 1e-4 m g·(1 m) per body and second: what neither motion (P-6) nor contacts (P-10) paid
//   else, where contacts may give in a phase what they take in another (T-15) and joints give back what they took (J-23):
//     normalWork + frictionWork + guardWork ≤ 1e-4 S,   Σ positionWork ≤ 1e-2 m g·(1 m) per body and second
//
// MSD_ENERGY_SCENES sets the number of scenes (target `energy_scenes_full`: 1,000), MSD_ENERGY_FIRST the first.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "../Environment/Scenes.hpp"

namespace msd_sim::test {
namespace {

constexpr double kGravity = 9.81;     // [m/s²]
constexpr double kRounding = 1e-9;  // of the scene's scale; 2.0e-14 closure and 3.1e-12 gain in 1,000 scenes
// What may differ where something is driven or jointed.
struct Limits {
  double contact;     // work of contacts and guard, of the scene's scale
  double correction;  // of m g·(1 m) per body and second
};
constexpr Limits kPlain{kRounding, 1e-4};  // 3.1e-12 and 8.2e-5 in 1,000 scenes
constexpr Limits kMoved{1e-4, 1e-2};        // 1.8e-5 and 2.8e-3 in 1,000 scenes

int fromEnvironment(const char* name, int usual) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::atoi(text) : usual;
}

/// A convex shape within a ball of radius `size`.
Shape convexShape(Random& random, double size) {
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

/// The same, or two of them joined.
Shape randomShape(Random& random, double size) {
  if (random.next() > 0.2) return convexShape(random, size);
  const Shape a = convexShape(random, 0.6 * size), b = convexShape(random, 0.6 * size);
  return Compound{{{.shape = a, .position = {0.4 * size, 0.0, 0.0}},
                   {.shape = b, .position = {-0.4 * size, 0.0, 0.0}, .orientation = random.turn()}}};
}

struct RandomScene {
  WorldModel world;
  double dt;  ///< [s]
  int steps{0};
  int bodies{0};
  double scale{0.0};  ///< [J]
  double lift{0.0};   ///< Σ m g·(1 m) [J]
  bool moved{false};  ///< joints hold bodies, or something is driven: energy may come in
  std::vector<BodyId> ids{};
};

enum class Surroundings { kFloor, kMesh, kBin, kFree, kTerrain };
constexpr std::uint64_t kSurroundings = 5;

/// Hills of a tenth of `size`, twenty cells wide.
Shape hills(Random& random, double size) {
  constexpr std::uint32_t kSide = 21;
  std::vector<double> heights;
  for (std::uint32_t i = 0; i < kSide * kSide; ++i) heights.push_back(random.between(0.0, 0.1 * size));
  return Terrain{std::make_shared<const msd_assets::HeightField>(kSide, kSide, size, size, std::move(heights))};
}

void addSurroundings(WorldModel& world, Random& random, Surroundings kind, double size, double reach) {
  const double friction = random.between(0.0, 1.5), restitution = random.next();
  const auto add = [&](const Shape& shape, const Coordinate& at = Coordinate::Zero()) {
    world.spawn(EnvironmentDescription{
        .shape = shape, .position = at, .friction = friction, .restitution = restitution});
  };
  switch (kind) {
    case Surroundings::kFloor: add(Plane{{0.0, 0.0, 1.0}, 0.0}); break;
    case Surroundings::kMesh: add(flatMesh(40, 0.5)); break;
    case Surroundings::kTerrain: add(hills(random, size), {-10.0 * size, -10.0 * size, 0.0}); break;
    case Surroundings::kBin:
      add(Plane{{0.0, 0.0, 1.0}, 0.0});
      for (const double side : {-1.0, 1.0}) {
        add(Plane{{side, 0.0, 0.0}, -reach});
        add(Plane{{0.0, side, 0.0}, -reach});
      }
      break;
    case Surroundings::kFree: break;
  }
}

/// Joins some neighbours, some of them by a motor.
void addJoints(RandomScene& scene, Random& random) {
  constexpr std::array<JointKind, 5> kKinds{JointKind::kBall, JointKind::kHinge, JointKind::kUniversal,
                                            JointKind::kDistance, JointKind::kSpring};
  for (std::size_t i = 1; i < scene.ids.size(); ++i) {
    if (random.next() < 0.5) continue;
    const Coordinate a = stateOf(scene.world, scene.ids[i - 1]).position, b = stateOf(scene.world, scene.ids[i]).position;
    JointDescription joint{.kind = kKinds[static_cast<std::size_t>(random.between(0.0, 4.999))],
                           .bodyA = scene.ids[i - 1],
                           .bodyB = scene.ids[i],
                           .anchor = 0.5 * (a + b)};
    const double mass = scene.world.inertial(scene.ids[i]).getMass();
    if (joint.kind == JointKind::kDistance || joint.kind == JointKind::kSpring) {
      joint.anchor = a;
      joint.anchorB = b;
    }
    if (joint.kind == JointKind::kSpring) joint.stiffness = 200.0 * mass;
    if (joint.kind == JointKind::kHinge && random.next() < 0.5) {
      joint.motor = JointMotor{.target = random.between(-3.0, 3.0), .maxForce = 2.0 * mass};
    }
    scene.world.spawn(joint);
    scene.moved = true;
  }
}

/// A plate that sweeps through the scene just above the ground, turning.
void addDriven(RandomScene& scene, Random& random, double size) {
  scene.world.spawn(InertialDescription{.shape = Box{size * Vector3D{0.2, 1.0, 1.2}},
                                        .position = {-6.0 * size, 0.0, 1.35 * size},
                                        .linearVelocity = size * Vector3D{random.between(1.0, 3.0), 0.0, 0.0},
                                        .angularVelocity = {0.0, 0.0, random.between(-2.0, 2.0)},
                                        .kinematic = true});
  scene.moved = true;
}

void addBodies(RandomScene& scene, Random& random, Surroundings kind, double size, int side, bool exact) {
  const double speed = std::sqrt(kGravity * size) * random.between(0.0, 6.0);
  const double cell = 2.2 * size;
  const bool resists = !exact && random.next() < 0.25;
  for (int i = 0; i < side * side * std::min(side, 2); ++i) {
    const double own = size * random.between(0.3, 1.0);
    const Coordinate at{cell * (i % side - 0.5 * (side - 1)), cell * (i / side % side - 0.5 * (side - 1)),
                        size * 1.3 + cell * (i / (side * side))};
    // In free space the bodies fly towards the middle.
    const Vector3D towards = kind == Surroundings::kFree ? Vector3D{-at.normalized()} : Vector3D{0, 0, -0.5};
    scene.ids.push_back(scene.world.spawn(InertialDescription{
        .shape = randomShape(random, own),
        .density = std::exp(random.between(std::log(100.0), std::log(5000.0))),
        .position = at,
        .orientation = random.turn(),
        .linearVelocity = speed * (towards + random.vector(0.7)),
        .angularVelocity = speed / size * random.vector(1.0),
        .friction = random.between(0.0, 1.5),
        .restitution = random.next(),
        .rollingResistance = resists ? 0.02 * own : 0.0,
        .torsionalResistance = resists ? 0.02 * own : 0.0}));
    const AssetInertial& body = scene.world.inertial(scene.ids.back());
    scene.lift += body.getMass() * kGravity;
    scene.scale += body.getMass() * kGravity + body.kineticEnergy();
    ++scene.bodies;
  }
}

/// Bodies thrown at each other and at what is around them, none of which overlap at the start.
RandomScene makeScene(std::uint64_t seed) {
  Random random{seed};
  const auto kind = static_cast<Surroundings>(seed % kSurroundings);
  const bool exact = seed % 4 == 3;
  Settings settings;
  settings.method = exact ? Method::kExact : Method::kFast;
  settings.gravity = {0.0, 0.0, kind == Surroundings::kFree ? 0.0 : -kGravity};
  settings.sleeping = false;
  if (random.next() < 0.3) settings.restitutionThreshold = 0.0;
  const double dt = std::exp(random.between(std::log(1.0 / 240.0), std::log(1.0 / 30.0)));
  RandomScene scene{WorldModel{settings}, dt};
  const double size = std::exp(random.between(std::log(0.05), std::log(1.0)));
  const int side = 1 + static_cast<int>(random.between(0.0, exact ? 1.999 : 2.999));
  addSurroundings(scene.world, random, kind, size, 2.2 * size * side);
  addBodies(scene, random, kind, size, side, exact);
  if (random.next() < 0.4) addJoints(scene, random);
  if (kind != Surroundings::kBin && random.next() < 0.2) addDriven(scene, random, size);
  const double seconds = std::min(2.0, 40.0 * std::sqrt(size / kGravity));
  scene.steps = static_cast<int>(seconds / dt);
  return scene;
}

/// The largest value of something, and the scene that had it.
struct Most {
  double value{0.0};
  std::uint64_t seed{0};
  void add(double v, std::uint64_t s) {
    if (v > value) value = v, seed = s;
  }
};

struct Worst {
  Most gain, closure, contact, movedContact, alone, integrator;  ///< of the scene's scale
  Most correction, movedCorrection;  ///< of m g·(1 m) per body and second
  long steps{0}, impacts{0}, degraded{0}, guarded{0}, positive{0};
};

void runScene(std::uint64_t seed, Worst& worst) {
  RandomScene scene = makeScene(seed);
  const Limits& limits = scene.moved ? kMoved : kPlain;
  double corrected = 0.0;
  for (int i = 0; i < scene.steps; ++i) {
    const StepReport r = scene.world.update(scene.dt);
    ASSERT_NE(r.status, StepStatus::kFailed) << "scene " << seed << ", step " << i;
    const EnergyLedger& e = r.energy;
    const double gain = (e.change - std::max(e.positionWork, 0.0)) / scene.scale;
    // A motor or a bat may have brought more than there was.
    const double scale = std::max(scene.scale, e.scale);
    const double closure = std::abs(e.closure()) / scale;
    const double contact = (e.normalWork + e.frictionWork + e.guardWork) / scale;
    const double alone = std::max(e.normalWork, e.frictionWork) / scale;
    corrected += std::max(e.positionWork, 0.0);
    worst.closure.add(closure, seed);
    (scene.moved ? worst.movedContact : worst.contact).add(contact, seed);
    worst.alone.add(alone, seed);
    worst.positive += alone > kRounding ? 1 : 0;
    worst.integrator.add(std::abs(e.integratorError) / scale, seed);
    worst.impacts += e.normalWork < -1e-3 * scene.scale ? 1 : 0;
    worst.degraded += r.status == StepStatus::kOk ? 0 : 1;
    worst.guarded += r.guardedIslands > 0 ? 1 : 0;
    EXPECT_LE(closure, kRounding) << "scene " << seed << ", step " << i;
    EXPECT_LE(contact, limits.contact) << "scene " << seed << ", step " << i << (scene.moved ? " moved" : "");
    if (scene.moved) continue;
    worst.gain.add(gain, seed);
    EXPECT_LE(gain, kRounding) << "scene " << seed << ", step " << i << " of " << scene.steps;
  }
  worst.steps += scene.steps;
  const double rate = corrected / (scene.lift * scene.steps * scene.dt);
  (scene.moved ? worst.movedCorrection : worst.correction).add(rate, seed);
  EXPECT_LE(rate, limits.correction) << "scene " << seed << " with " << scene.bodies << " bodies, dt "
                               << scene.dt << (scene.moved ? " moved" : "");
}

TEST(NoEnergyFromContact, inNoStepOfRandomScenes) {
  const int count = fromEnvironment("MSD_ENERGY_SCENES", 100);
  const int first = fromEnvironment("MSD_ENERGY_FIRST", 0);
  Worst worst;
  for (int i = first; i < first + count; ++i) runScene(static_cast<std::uint64_t>(i), worst);
  const auto say = [](const char* what, const Most& most) {
    std::printf("  %-28s %8.1e in scene %ld\n", what, most.value, static_cast<long>(most.seed));
  };
  std::printf("%d scenes, %ld steps, %ld with an impact, %ld guarded, %ld where contact alone adds, %ld degraded\n", count,
              worst.steps, worst.impacts, worst.guarded, worst.positive, worst.degraded);
  say("closure", worst.closure);
  say("work of contact and guard", worst.contact);
  say("  where something is driven", worst.movedContact);
  say("impacts or friction alone", worst.alone);
  say("gain where nothing drives", worst.gain);
  say("integrator error", worst.integrator);
  say("position work [m g (1 m)/s]", worst.correction);
  say("  where something is driven", worst.movedCorrection);
  EXPECT_GT(worst.impacts, count / 2);
}

}  // namespace
}  // namespace msd_sim::test
