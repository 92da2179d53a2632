#include "GoldenScenes.hpp"

#include <cmath>
#include <memory>

#include "msd-sim/src/Physics/PotentialEnergy/Potentials.hpp"
#include "msd-sim/test/Environment/Scenes.hpp"

namespace golden {

namespace {

using namespace msd_sim;
using msd_sim::test::addFloor;
using msd_sim::test::addHeap;
using msd_sim::test::addWall;
using msd_sim::test::awake;
using msd_sim::test::Random;

/// A row of links that hang together, the first from the world.
std::vector<BodyId> addChain(WorldModel& world, const Coordinate& from, int links, JointKind kind,
                             double breakingForce = std::numeric_limits<double>::infinity()) {
  std::vector<BodyId> chain;
  for (int i = 0; i < links; ++i) {
    const Coordinate top = from - Coordinate{0.0, 0.0, 0.4 * i};
    chain.push_back(world.spawn(InertialDescription{.shape = Capsule{0.05, 0.15},
                                                    .position = top - Coordinate{0.0, 0.0, 0.2},
                                                    .linearVelocity = {0.4 * i, 0.1 * i, 0.0}}));
    world.spawn(JointDescription{.kind = kind,
                                 .bodyA = i == 0 ? BodyId{} : chain[static_cast<std::size_t>(i) - 1],
                                 .bodyB = chain.back(),
                                 .anchor = top,
                                 .axis = {0.0, 1.0, 0.0},
                                 .breakingForce = i == links / 2 ? breakingForce
                                                                 : std::numeric_limits<double>::infinity()});
  }
  return chain;
}

void addEveryJoint(WorldModel& world) {
  addFloor(world);
  int place = 0;
  for (const JointKind kind : {JointKind::kBall, JointKind::kHinge, JointKind::kSlider, JointKind::kCylindrical,
                               JointKind::kUniversal, JointKind::kFixed, JointKind::kDistance, JointKind::kRope,
                               JointKind::kSpring}) {
    const Coordinate at{1.0 * place++, 0.0, 1.5};
    const BodyId body = world.spawn(InertialDescription{.shape = Box{{0.1, 0.15, 0.2}},
                                                        .position = at + Coordinate{0.3, 0.1, -0.2},
                                                        .linearVelocity = {0.2, 0.5, 0.1},
                                                        .angularVelocity = {0.5, 1.0, -0.5}});
    JointDescription joint{.kind = kind, .bodyB = body, .anchor = at, .axis = {0.0, 1.0, 0.0}};
    const bool ends = kind == JointKind::kDistance || kind == JointKind::kRope || kind == JointKind::kSpring;
    if (ends) joint.anchorB = at + Coordinate{0.3, 0.1, 0.0};
    if (kind == JointKind::kSpring) joint.stiffness = 400.0, joint.damping = 2.0;
    world.spawn(joint);
  }
}

void addMachines(WorldModel& world) {
  addFloor(world);
  for (int i = 0; i < 4; ++i) {
    const Coordinate at{1.5 * i, 0.0, 1.0};
    const BodyId arm = world.spawn(InertialDescription{.shape = Box{{0.4, 0.05, 0.05}}, .position = at});
    JointDescription joint{.kind = i < 2 ? JointKind::kHinge : JointKind::kSlider,
                           .bodyB = arm,
                           .anchor = at - Coordinate{0.4, 0.0, 0.0},
                           .axis = i < 2 ? Vector3D{0.0, 1.0, 0.0} : Vector3D{0.0, 0.0, 1.0}};
    joint.limit = JointLimit{-0.6, 0.4};
    joint.motor = i % 2 == 0 ? JointMotor{MotorMode::kVelocity, 2.0, 300.0}
                             : JointMotor{MotorMode::kPosition, 0.3, 500.0, 3.0, 0.8};
    joint.friction = 0.5;
    world.spawn(joint);
  }
}

/// Bars between the knots of a square, more of them than are solved at once.
void addNet(WorldModel& world, int side) {
  std::vector<BodyId> knots;
  for (int i = 0; i < side * side; ++i) {
    const Coordinate at{0.5 * (i % side), 0.5 * (i / side), 2.0};
    knots.push_back(world.spawn(InertialDescription{.shape = Sphere{0.1}, .position = at, .collides = false}));
    const auto join = [&](int other) {
      world.spawn(JointDescription{.kind = JointKind::kBall,
                                   .bodyA = knots[static_cast<std::size_t>(other)],
                                   .bodyB = knots.back(),
                                   .anchor = at});
    };
    if (i % side > 0) join(i - 1);
    if (i >= side) join(i - side);
  }
  world.spawn(JointDescription{.kind = JointKind::kBall, .bodyB = knots.front(), .anchor = {0.0, 0.0, 2.0}});
}

void addTerrain(WorldModel& world) {
  std::vector<double> heights;
  for (int j = 0; j < 24; ++j) {
    for (int i = 0; i < 24; ++i) heights.push_back(0.05 * ((i * 7 + j * 13) % 11));
  }
  world.spawn(EnvironmentDescription{
      .shape = Terrain{std::make_shared<const msd_assets::HeightField>(24, 24, 0.5, 0.5, std::move(heights))}});
  Random random{3};
  for (int i = 0; i < 24; ++i) {
    const Shape shapes[] = {Sphere{0.2}, Capsule{0.12, 0.2}, Cylinder{0.15, 0.2}, test::lump(random, 12, 0.25)};
    world.spawn(InertialDescription{.shape = shapes[i % 4],
                                    .position = {1.0 + 1.6 * (i % 6), 1.0 + 2.2 * (i / 6), 1.5},
                                    .orientation = random.turn(),
                                    .linearVelocity = random.vector(1.0)});
  }
}

void addCompounds(WorldModel& world) {
  addFloor(world);
  Random random{21};
  for (int i = 0; i < 12; ++i) {
    Compound shape;
    shape.parts.push_back({Box{{0.3, 0.05, 0.05}}, {0.0, 0.0, 0.0}, Quaternion::Identity()});
    shape.parts.push_back({Box{{0.05, 0.3, 0.05}}, {0.25, 0.0, 0.0}, Quaternion::Identity()});
    shape.parts.push_back({Sphere{0.1}, {-0.3, 0.0, 0.0}, Quaternion::Identity()});
    world.spawn(InertialDescription{
        .shape = shape, .position = random.vector(0.8) + Coordinate{0, 0, 1.5 + 0.4 * i}, .orientation = random.turn()});
  }
}

void addDrum(WorldModel& world, double restitution) {
  for (int i = 0; i < 6; ++i) {
    Vector3D n = Vector3D::Zero();
    n[i % 3] = i < 3 ? 1.0 : -1.0;
    world.spawn(EnvironmentDescription{.shape = Plane{n, -1.5}, .restitution = restitution});
  }
  Random random{5};
  for (int i = 0; i < 40; ++i) {
    const Shape shapes[] = {Sphere{0.15}, Box{{0.15, 0.1, 0.12}}, Capsule{0.1, 0.1}};
    world.spawn(InertialDescription{.shape = shapes[i % 3],
                                    .position = random.vector(1.2),
                                    .linearVelocity = random.vector(2.0),
                                    .restitution = restitution});
  }
}

void addRollers(WorldModel& world) {
  world.spawn(EnvironmentDescription{.shape = Plane{}, .rollingResistance = 0.01, .torsionalResistance = 0.02});
  for (int i = 0; i < 12; ++i) {
    world.spawn(InertialDescription{.shape = i % 2 == 0 ? Shape{Sphere{0.2}} : Shape{Cylinder{0.2, 0.15}},
                                    .position = {0.5 * i, 0.0, 0.21},
                                    .linearVelocity = {0.0, 1.0 + 0.1 * i, 0.0},
                                    .angularVelocity = {0.0, 0.0, 2.0},
                                    .rollingResistance = 0.01,
                                    .torsionalResistance = 0.02});
  }
}

void addBullets(WorldModel& world) {
  addWall(world, 6, 5);
  for (int i = 0; i < 10; ++i) {
    world.spawn(InertialDescription{.shape = Sphere{0.03},
                                    .density = 8000.0,
                                    .position = {0.3 * i, -6.0, 0.2 + 0.1 * i},
                                    .linearVelocity = {0.0, 300.0, 0.0},
                                    .continuous = true});
  }
}

void addPlatform(WorldModel& world) {
  addFloor(world);
  world.spawn(InertialDescription{.name = "platform",
                                  .shape = Box{{1.5, 1.5, 0.1}},
                                  .position = {0.0, 0.0, 0.3},
                                  .linearVelocity = {0.3, 0.0, 0.05},
                                  .angularVelocity = {0.0, 0.0, 0.5},
                                  .kinematic = true});
  for (int i = 0; i < 9; ++i) {
    world.spawn(InertialDescription{.shape = Box{{0.15, 0.15, 0.15}},
                                    .position = {0.5 * (i % 3) - 0.5, 0.5 * (i / 3) - 0.5, 0.6},
                                    .linearDamping = 0.1,
                                    .angularDamping = 0.3});
  }
}

void addFields(WorldModel& world) {
  Random random{31};
  for (int i = 0; i < 20; ++i) {
    world.spawn(InertialDescription{.shape = Box{{0.1, 0.15, 0.2}},
                                    .position = random.vector(2.0),
                                    .linearVelocity = random.vector(1.0),
                                    .angularVelocity = random.vector(3.0)});
  }
  world.addPotential(std::make_unique<GravityPotential>(Acceleration{0.5, -0.3, 0.2}));
}

/// Boxes side by side and on top of each other: more than 8192 contacts.
void addBlock(WorldModel& world) {
  addFloor(world);
  for (int i = 0; i < 18 * 18 * 10; ++i) {
    world.spawn(InertialDescription{.shape = Box{{0.1, 0.1, 0.1}},
                                    .position = {0.2001 * (i % 18), 0.2001 * (i / 18 % 18), 0.1 + 0.2 * (i / 324)},
                                    .restitution = 0.0});
  }
}

}  // namespace

std::vector<Scene> scenes() {
  Settings sleeping, exact = awake(Method::kExact), fine = awake();
  fine.substeps = 8;
  fine.iterations = 3;
  Settings sequential = exact;
  sequential.sequentialImpacts = true;
  const auto stack = [](WorldModel& w) { addWall(w, 1, 10); };
  return {
      {"stack", 120, awake(), stack},
      {"stack_fine", 120, fine, stack},
      {"wall", 120, awake(), [](WorldModel& w) { addWall(w, 10, 8); }},
      {"wall_that_sleeps", 160, sleeping, [](WorldModel& w) { addWall(w, 5, 4); },
       [](WorldModel& w, int step) {
         if (step == 120) w.setVelocity(w.bodies()[3], {0.5, 1.0, 0.0}, {0.0, 0.0, 1.0});
       }},
      {"heap_on_mesh", 120, awake(), [](WorldModel& w) { addHeap(w, 60); }},
      {"heap_that_sleeps", 240, sleeping, [](WorldModel& w) { addHeap(w, 15); }},
      {"terrain", 120, awake(), addTerrain},
      {"compounds", 150, awake(), addCompounds},
      {"drum", 150, awake(), [](WorldModel& w) { addDrum(w, 0.9); }},
      {"rollers", 120, awake(), addRollers},
      {"bullets", 60, awake(), addBullets},
      {"platform", 120, awake(), addPlatform},
      {"fields", 120, awake(), addFields},
      {"every_joint", 150, awake(), addEveryJoint},
      {"machines", 150, awake(), addMachines},
      {"chain", 150, awake(), [](WorldModel& w) { addChain(w, {0, 0, 9}, 20, JointKind::kBall); }},
      {"chain_that_breaks", 150, sleeping,
       [](WorldModel& w) {
         addFloor(w);
         addChain(w, {0, 0, 4}, 8, JointKind::kHinge, 120.0);
       }},
      {"net", 40, awake(), [](WorldModel& w) { addNet(w, 20); }},
      {"exact_wall", 40, exact, [](WorldModel& w) { addWall(w, 4, 3); }},
      {"exact_heap", 60, exact, [](WorldModel& w) { addHeap(w, 8); }},
      {"exact_chain", 60, exact, [](WorldModel& w) { addChain(w, {0, 0, 4}, 5, JointKind::kBall); }},
      {"exact_cradle", 60, sequential,
       [](WorldModel& w) {
         for (int i = 0; i < 5; ++i) {
           w.spawn(InertialDescription{.shape = Sphere{0.1},
                                       .position = {0.2 * i, 0.0, 0.0},
                                       .linearVelocity = {i == 0 ? 1.0 : 0.0, 0.0, 0.0},
                                       .restitution = 1.0});
         }
       }},
      {"block_of_3240", 10, awake(), addBlock},
  };
}

}  // namespace golden
