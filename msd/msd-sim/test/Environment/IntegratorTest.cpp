// Integrators of single bodies, and the engine's packed kernels beside them.

#include <gtest/gtest.h>

#include "Scenes.hpp"
#include "msd-sim/src/DataTypes/Rotation.hpp"
#include "msd-sim/src/Physics/Integration/MomentumIntegrator.hpp"
#include "msd-sim/src/Physics/Integration/SemiImplicitEulerIntegrator.hpp"

namespace msd_sim::test {
namespace {

IntegratedBody bodyOf(const AssetInertial& body) {
  return {body.getMass(), body.getInertiaTensor()};
}

TEST(MomentumIntegrator, agreesWithTheKernelsOnFreeBodies) {
  Random random{21};
  const MomentumIntegrator integrator;
  for (int i = 0; i < 50; ++i) {
    Settings settings;
    settings.substeps = 1;
    settings.sleeping = false;
    settings.gravity = random.vector(5.0);
    WorldModel world{settings};
    const BodyId id =
        world.spawn(InertialDescription{.shape = lump(random, 12, 0.5),
                                        .position = random.vector(3.0),
                                        .orientation = random.turn(),
                                        .linearVelocity = random.vector(4.0),
                                        .angularVelocity = random.vector(i < 40 ? 5.0 : 80.0)});
    const AssetInertial& body = world.inertial(id);
    InertialState state = body.getInertialState();
    for (int k = 0; k < 20; ++k) {
      const Torque torque = random.vector(3.0);
      world.applyTorque(id, torque);
      world.update(1.0 / 60.0);
      state = integrator.step(state, bodyOf(body), {body.getMass() * settings.gravity, torque},
                              1.0 / 60.0);
      const InertialState& kernel = body.getInertialState();
      ASSERT_LT((kernel.position - state.position).norm(), 1e-12) << i << " " << k;
      ASSERT_LT((kernel.velocity - state.velocity).norm(), 1e-12) << i << " " << k;
      ASSERT_LT(rotationVector(kernel.orientation * state.orientation.conjugate()).norm(), 1e-10)
          << i << " " << k;
      ASSERT_LT((kernel.angularVelocity - state.angularVelocity).norm(),
                1e-11 * (1.0 + state.angularVelocity.norm()))
          << i << " " << k;
    }
  }
}

/// ω after two seconds of the top I = (1, 2, 3) under a torque.
AngularRate turnTop(const Integrator& integrator, int steps, const Torque& torque) {
  const IntegratedBody body{1.0, Vector3D{1.0, 2.0, 3.0}.asDiagonal()};
  InertialState s;
  s.angularVelocity = {0.5, 2.0, -0.3};
  for (int i = 0; i < steps; ++i)
    s = integrator.step(s, body, {Force::Zero(), torque}, 2.0 / steps);
  return s.angularVelocity;
}

TEST(Integrators, haveTheirOrders) {
  const SemiImplicitEulerIntegrator euler;
  const MomentumIntegrator momentum;
  const Torque none = Torque::Zero(), pushed{0.4, -0.3, 0.8};
  const auto error = [&](const Integrator& integrator, int steps, const Torque& torque) {
    return (turnTop(integrator, steps, torque) - turnTop(momentum, 40000, torque)).norm();
  };
  EXPECT_NEAR(error(euler, 200, pushed) / error(euler, 400, pushed), 2.0, 0.3);
  EXPECT_NEAR(error(momentum, 200, pushed) / error(momentum, 400, pushed), 4.0, 0.3);
  EXPECT_LT(error(momentum, 200, pushed), 0.05 * error(euler, 200, pushed));
  // Free spin is of second order with both: its middle is found, not guessed.
  EXPECT_NEAR(error(euler, 200, none) / error(euler, 400, none), 4.0, 0.3);
  EXPECT_NEAR(error(momentum, 200, none) / error(momentum, 400, none), 4.0, 0.3);
}

TEST(SemiImplicitEuler, fallIsOffByHalfAStepOfSpeed) {
  const SemiImplicitEulerIntegrator euler;
  InertialState s;
  const double dt = 1e-3;
  for (int i = 0; i < 1000; ++i) s = euler.step(s, {}, {{0.0, 0.0, -9.81}, {0.0, 0.0, 0.0}}, dt);
  EXPECT_NEAR(s.position.z(), -0.5 * 9.81 - 0.5 * 9.81 * dt, 1e-12);
}

TEST(Integrators, refuseBadInput) {
  const MomentumIntegrator integrator;
  EXPECT_THROW((void)integrator.step({}, {}, {}, 0.0), std::invalid_argument);
  EXPECT_THROW((void)integrator.step({}, {-1.0, Matrix3D::Identity()}, {}, 0.1),
               std::invalid_argument);
  EXPECT_THROW((void)integrator.step({}, {1.0, Matrix3D::Zero()}, {}, 0.1), std::invalid_argument);
}

}  // namespace
}  // namespace msd_sim::test
