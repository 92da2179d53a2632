// The reference solver: closed forms of impacts, the velocity bias, friction's disc, mixed systems.
#include "msd-sim/src/Physics/Constraints/ConstraintSolver.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <memory>
#include <sstream>

#include "RandomStates.hpp"
#include "msd-sim/src/Physics/Constraints/ContactConstraint.hpp"
#include "msd-sim/src/Physics/Constraints/ContactConstraintFactory.hpp"
#include "msd-sim/src/Physics/Constraints/DistanceConstraint.hpp"
#include "msd-sim/src/Physics/Constraints/FrictionConstraint.hpp"
#include "msd-sim/src/Physics/Constraints/UnitQuaternionConstraint.hpp"

namespace msd_sim {
namespace {

constexpr double kDt = 1.0 / 60.0;

/// Bodies and constraints for one solve.
struct Scene {
  std::vector<InertialState> bodies;
  std::vector<double> inverseMasses;
  std::vector<Eigen::Matrix3d> inverseInertias;
  std::vector<std::unique_ptr<Constraint>> constraints;
  std::vector<SpatialVector> bias;
  ConstraintSolver solver;

  Scene() {
    solver.setMaxIterations(10000);
    solver.setConvergenceTolerance(1e-14);
  }
  std::size_t add(const Coordinate& x, const CoordinateRate& v, double mass = 1.0,
                  double inertia = 0.4) {
    InertialState s{};
    s.position = x;
    s.velocity = v;
    bodies.push_back(s);
    inverseMasses.push_back(mass > 0.0 ? 1.0 / mass : 0.0);
    inverseInertias.push_back((mass > 0.0 ? 1.0 / inertia : 0.0) * Eigen::Matrix3d::Identity());
    return bodies.size() - 1;
  }
  /// Contact of b on a at a point, and friction where mu > 0.
  void touch(std::size_t a, std::size_t b, const Vector3D& n, const Coordinate& p, double e,
             double mu = -1.0, double depth = 0.0) {
    constraints.push_back(std::make_unique<ContactConstraint>(
        a, b, n, p + depth * n, p, depth, bodies[a].position, bodies[b].position, e, 0.0));
    if (mu < 0.0) return;
    constraints.push_back(std::make_unique<FrictionConstraint>(a, b, n, p, p, bodies[a].position,
                                                               bodies[b].position, mu));
  }
  ConstraintSolver::SolveResult solve(const std::optional<Eigen::VectorXd>& warm = std::nullopt) {
    std::vector<Constraint*> list;
    for (const auto& c : constraints) list.push_back(c.get());
    const std::vector<std::reference_wrapper<const InertialState>> states(bodies.begin(),
                                                                          bodies.end());
    return solver.solve(list, states, inverseMasses, inverseInertias, bodies.size(), kDt, warm,
                        bias);
  }
  /// Velocity after the solve.
  Vector3D velocity(const ConstraintSolver::SolveResult& r, std::size_t i) const {
    return bodies[i].velocity + inverseMasses[i] * kDt * r.bodyForces[i].linearForce +
           (bias.empty() ? Vector3D::Zero().eval() : bias[i].linear);
  }
  Vector3D spin(const ConstraintSolver::SolveResult& r, std::size_t i) const {
    return bodies[i].angularVelocity + inverseInertias[i] * r.bodyForces[i].angularTorque * kDt;
  }
};

TEST(ConstraintSolver, solve_head_on_equal_mass) {
  // λ = (1 + e) m v for masses m at ± v: μ = m/2, u = -2v.
  Scene s;
  s.add({0, 0, 0}, {0, 0, 1});
  s.add({0, 0, 2}, {0, 0, -1});
  s.touch(0, 1, {0, 0, 1}, {0, 0, 1}, 1.0);
  const auto r = s.solve();
  EXPECT_NEAR(r.lambdas(0), 2.0, 1e-7);  // 1e-8: the regularisation
  EXPECT_NEAR(s.velocity(r, 0).z(), -1.0, 1e-7);
  EXPECT_NEAR(s.velocity(r, 1).z(), 1.0, 1e-7);
}

TEST(ConstraintSolver, solve_PGS_convergence) {
  Scene s;
  s.solver = ConstraintSolver{};  // the defaults: 10 sweeps, 1e-4
  EXPECT_EQ(s.solver.getMaxIterations(), 10);
  EXPECT_EQ(s.solver.getConvergenceTolerance(), 1e-4);
  s.add({0, 0, -1}, {0, 0, 0}, 0.0);
  s.add({0, 0, 1}, {0, 0, -3});
  for (const double x : {-0.5, 0.5}) s.touch(0, 1, {0, 0, 1}, {x, 0, 0}, 0.3);
  const auto r = s.solve();
  EXPECT_TRUE(r.converged);
  EXPECT_LE(r.iterations, 10);
  EXPECT_LT(r.residual, 1e-3);
}

TEST(ConstraintSolver, solve_lambda_non_negative) {
  test_states::Source source{6};
  for (int k = 0; k < 50; ++k) {
    Scene s;
    for (int i = 0; i < 4; ++i) s.add(source.vector(), source.vector());
    for (std::size_t i = 0; i < 3; ++i) {
      for (int c = 0; c < 3; ++c) {
        s.touch(i, i + 1, source.direction(), source.vector(), source.number(0.0, 1.0), -1.0, 0.0);
      }
    }
    const auto r = s.solve();
    EXPECT_GE(r.lambdas.minCoeff(), 0.0);
    // Signorini: every contact leaves with u + e u⁻ >= 0, and where λ > 0 it is zero.
    EXPECT_LT(r.residual, 1e-9);
  }
}

TEST(ConstraintSolver, solve_separating_contact) {
  Scene s;
  s.add({0, 0, 0}, {0, 0, -1});
  s.add({0, 0, 2}, {0, 0, 1});
  s.touch(0, 1, {0, 0, 1}, {0, 0, 1}, 1.0);
  EXPECT_EQ(s.solve().lambdas(0), 0.0);
}

TEST(ConstraintSolver, solve_static_dynamic) {
  Scene s;
  s.add({0, 0, -1}, {0, 0, 0}, 0.0);
  s.add({0, 0, 1}, {0, 0, -2}, 3.0);
  s.touch(0, 1, {0, 0, 1}, {0, 0, 0}, 0.5);
  const auto r = s.solve();
  EXPECT_NEAR(s.velocity(r, 1).z(), 1.0, 1e-7);
  EXPECT_EQ(s.velocity(r, 0).norm(), 0.0);
}

TEST(ConstraintSolver, solve_multiple_contacts) {
  // A box lands flat on four corners: all share the load, and it does not turn.
  Scene s;
  s.add({0, 0, -1}, {0, 0, 0}, 0.0);
  s.add({0, 0, 0.5}, {0, 0, -2}, 4.0, 0.6);
  for (const double x : {-0.5, 0.5}) {
    for (const double y : {-0.5, 0.5}) s.touch(0, 1, {0, 0, 1}, {x, y, 0}, 0.0);
  }
  const auto r = s.solve();
  EXPECT_NEAR(r.lambdas.sum(), 8.0, 1e-6);
  EXPECT_NEAR(s.velocity(r, 1).z(), 0.0, 1e-6);
  EXPECT_LT(s.spin(r, 1).norm(), 1e-6);
}

TEST(ConstraintSolver, RHSWithBias) {
  // b = -(1 + e) J v - J v_bias: with v = -1, e = 1 and a bias of -0.1 the body leaves with
  // +1 exactly, not with 1 + e·0.1.
  Scene s;
  s.add({0, 0, -1}, {0, 0, 0}, 0.0);
  s.add({0, 0, 1}, {0, 0, -1});
  s.bias = {{}, {{0, 0, -0.1}, {0, 0, 0}}};
  s.touch(0, 1, {0, 0, 1}, {0, 0, 0}, 1.0);
  const auto r = s.solve();
  EXPECT_NEAR(r.lambdas(0), 2.1, 1e-7);
  EXPECT_NEAR(s.velocity(r, 1).z(), 1.0, 1e-7);
}

TEST(ConstraintSolver, restingContactIsHeldUpAndDoesNotBounce) {
  Scene s;
  s.add({0, 0, -1}, {0, 0, 0}, 0.0);
  s.add({0, 0, 1}, {0, 0, 0}, 2.0);
  s.bias = {{}, {{0, 0, -9.81 * kDt}, {0, 0, 0}}};
  s.touch(0, 1, {0, 0, 1}, {0, 0, 0}, 1.0);
  const auto r = s.solve();
  EXPECT_NEAR(s.velocity(r, 1).z(), 0.0, 1e-8);
  EXPECT_NEAR(r.bodyForces[1].linearForce.z(), 2.0 * 9.81, 1e-6);
}

TEST(ConstraintSolver, velocityTargetFormAgreesWithTheRightHandSide) {
  // v_target = -e v⁻: leaving speed over approach speed is e, not 1 + e.
  for (const double e : {0.0, 0.3, 1.0}) {
    Scene s;
    s.add({0, 0, -1}, {0, 0, 0}, 0.0);
    s.add({0, 0, 1}, {0, 0, -2});
    s.touch(0, 1, {0, 0, 1}, {0, 0, 0}, e);
    EXPECT_NEAR(s.velocity(s.solve(), 1).z(), 2.0 * e, 1e-7);
  }
}

TEST(ConstraintSolver, penetrationIsPushedOutWithErp) {
  Scene s;
  s.add({0, 0, -1}, {0, 0, 0}, 0.0);
  s.add({0, 0, 1}, {0, 0, 0});
  s.touch(0, 1, {0, 0, 1}, {0, 0, 0}, 0.0, -1.0, 0.01);
  EXPECT_NEAR(s.velocity(s.solve(), 1).z(), 0.2 / kDt * 0.01, 1e-8);
  s.solver.setErp(0.0);
  EXPECT_EQ(s.velocity(s.solve(), 1).z(), 0.0);
}

TEST(ConstraintSolver, frictionIsIsotropicAndStopsWhatItCan) {
  // A point mass presses with impulse 1 and slides with speed u: it loses min(u, μ) whatever the
  // direction.
  for (int k = 0; k < 36; ++k) {
    const double angle = 0.1745329 * k;
    for (const double speed : {0.2, 3.0}) {
      Scene s;
      s.add({0, 0, -1}, {0, 0, 0}, 0.0);
      s.add({0, 0, 0}, {speed * std::cos(angle), speed * std::sin(angle), -1.0}, 1.0, 1e9);
      s.touch(0, 1, {0, 0, 1}, {0, 0, 0}, 0.0, 0.5);
      const Vector3D v = s.velocity(s.solve(), 1);
      EXPECT_NEAR(v.norm(), std::max(speed - 0.5, 0.0), 1e-6);
      if (speed > 1.0) {
        EXPECT_NEAR(std::atan2(std::sin(angle) * v.x() - std::cos(angle) * v.y(), v.norm()), 0.0,
                    1e-7);
      }
    }
  }
}

TEST(ConstraintSolver, obliqueImpactOfASphereHasItsClosedForm) {
  // Solid sphere, stick if v_t <= (7/2) μ (1+e) v_n: then v_t' = 5/7 v_t, ω = 5/7 v_t/R.
  for (const double mu : {0.1, 1.0}) {
    const double vt = 2.0, vn = 1.0, e = 0.5, radius = 0.5;
    Scene s;
    s.add({0, 0, -1}, {0, 0, 0}, 0.0);
    s.add({0, 0, radius}, {vt, 0, -vn}, 1.0, 0.4 * radius * radius);
    s.touch(0, 1, {0, 0, 1}, {0, 0, 0}, e, mu);
    const auto r = s.solve();
    const bool sticks = vt <= 3.5 * mu * (1 + e) * vn;
    EXPECT_NEAR(s.velocity(r, 1).x(), sticks ? 5.0 / 7.0 * vt : vt - mu * (1 + e) * vn, 1e-6);
    EXPECT_NEAR(s.spin(r, 1).y(),
                sticks ? 5.0 / 7.0 * vt / radius : 2.5 * mu * (1 + e) * vn / radius, 1e-6);
    EXPECT_NEAR(s.velocity(r, 1).z(), e * vn, 1e-7);
  }
}

TEST(ConstraintSolver, momentumIsConserved) {
  test_states::Source source{7};
  for (int k = 0; k < 50; ++k) {
    Scene s;
    for (int i = 0; i < 3; ++i) s.add(source.vector(), 3.0 * source.vector(), 1.0 + i);
    for (std::size_t i = 0; i < 2; ++i) {
      s.touch(i, i + 1, source.direction(), source.vector(), 0.5, 0.7);
    }
    const auto r = s.solve();
    Vector3D linear = Vector3D::Zero(), angular = Vector3D::Zero();
    for (std::size_t i = 0; i < 3; ++i) {
      linear += r.bodyForces[i].linearForce;
      angular +=
          r.bodyForces[i].angularTorque + s.bodies[i].position.cross(r.bodyForces[i].linearForce);
    }
    EXPECT_LT(linear.norm(), 1e-10);
    EXPECT_LT(angular.norm(), 1e-10);
  }
}

TEST(ConstraintSolver, warmStartFromTheSolutionHasNothingLeftToDo) {
  Scene s;
  s.add({0, 0, -1}, {0, 0, 0}, 0.0);
  s.add({0, 0, 1}, {0, 0, -3});
  for (const double x : {-0.3, 0.4}) s.touch(0, 1, {0, 0, 1}, {x, 0, 0}, 0.3, 0.5);
  const auto cold = s.solve();
  s.solver.setConvergenceTolerance(1e-10);
  const auto warm = s.solve(cold.lambdas);
  EXPECT_LE(warm.iterations, 1);
  EXPECT_LT((warm.lambdas - cold.lambdas).norm(), 1e-7);  // the cone solver's 1e-8 of the velocities
  EXPECT_THROW((void)s.solve(Eigen::VectorXd::Zero(99)), std::invalid_argument);
}

TEST(ConstraintSolver, bilateralSystemsAreSolvedDirectly) {
  // A mass on a rod of length 1, hanging: the rod carries the weight.
  Scene s;
  s.add({0, 0, -1}, {0, 0, 0}, 2.0);
  s.constraints.push_back(std::make_unique<DistanceConstraint>(1.0, 0));
  s.constraints.push_back(std::make_unique<UnitQuaternionConstraint>(0));
  s.bias = {{{0, 0, -9.81 * kDt}, {0, 0, 0}}};
  const auto r = s.solve();
  EXPECT_TRUE(r.converged);
  EXPECT_EQ(r.iterations, 0);
  EXPECT_NEAR(r.bodyForces[0].linearForce.z(), 2.0 * 9.81, 1e-6);
  EXPECT_LT(r.residual, 1e-8);
}

TEST(ConstraintSolver, solver_handles_mixed_constraint_types) {
  // A mass on a rod of length 1 about the origin rests on a frictional slope at 45°: rod and
  // contact share the load, friction is in its disc, and nothing moves along either.
  Scene s;
  const Vector3D n = Vector3D{1, 0, 1}.normalized();
  s.add({0, 0, -5}, {0, 0, 0}, 0.0);
  s.add({0, 0, -1}, {0, 0, 0}, 2.0);
  s.bias = {{}, {{0.05, 0.02, -0.2}, {0, 0, 0}}};
  s.constraints.push_back(std::make_unique<DistanceConstraint>(1.0, 1));
  s.touch(0, 1, n, {0, 0, -1}, 0.0, 0.3);
  const auto r = s.solve();
  EXPECT_TRUE(r.converged);
  const Vector3D v = s.velocity(r, 1);
  EXPECT_NEAR(v.z(), 0.0, 1e-7);  // the rod
  EXPECT_GE(v.dot(n), -1e-7);     // the slope
  EXPECT_GE(r.lambdas(1), 0.0);
  EXPECT_LE(r.lambdas.tail<2>().norm(), 0.3 * r.lambdas(1) + 1e-12);
}

/// Holds a body's x at 0, as strongly as its bounds allow [N].
class Holder : public Constraint {
 public:
  explicit Holder(const LambdaBounds& bounds) : Constraint{0, 0, 0.0, 0.0}, bounds_{bounds} {}
  using Constraint::evaluate;
  using Constraint::jacobian;
  [[nodiscard]] int dimension() const override { return 1; }
  [[nodiscard]] Eigen::VectorXd evaluate(const InertialState& a, const InertialState&,
                                         double) const override {
    return Eigen::VectorXd::Constant(1, a.position.x());
  }
  [[nodiscard]] Eigen::MatrixXd jacobian(const InertialState&, const InertialState&,
                                         double) const override {
    Eigen::MatrixXd row = Eigen::MatrixXd::Zero(1, kOneBodyColumns);
    row(0, 0) = 1.0;
    return row;
  }
  [[nodiscard]] LambdaBounds lambdaBounds() const override { return bounds_; }
  [[nodiscard]] int bodyCount() const override { return 1; }
  [[nodiscard]] std::string typeName() const override { return "Holder"; }

 private:
  LambdaBounds bounds_;
};

TEST(ConstraintSolver, boundsAreForces) {
  // 10 N pull at 2 kg; the holder may use 3 N one way and 12 N the other.
  for (const double pull : {10.0, -10.0}) {
    Scene s;
    s.add({0, 0, 0}, {0, 0, 0}, 2.0);
    s.constraints.push_back(std::make_unique<Holder>(LambdaBounds::boxConstrained(-3.0, 12.0)));
    s.bias = {{{pull / 2.0 * kDt, 0, 0}, {0, 0, 0}}};
    const auto r = s.solve();
    EXPECT_TRUE(r.converged);
    const double force = pull > 0.0 ? -3.0 : 10.0;
    EXPECT_NEAR(r.bodyForces[0].linearForce.x(), force, 1e-6);
    EXPECT_NEAR(s.velocity(r, 0).x(), (pull + force) / 2.0 * kDt, 1e-8);
  }
}

TEST(ConstraintSolver, bilateralErrorsArePulledBackWithAlphaAndBeta) {
  // C = |x|² - 1 = 0.21 and J v = 2·1.1 v: J v = -(ERP/dt) C with ERP = α dt/(α dt + β) pulls towards
  // the sphere.
  Scene s;
  s.add({1.1, 0, 0}, {0, 0, 0}, 2.0);
  s.constraints.push_back(std::make_unique<DistanceConstraint>(1.0, 0, 100.0));
  const auto r = s.solve();
  const double erp = 100.0 * kDt / (100.0 * kDt + 10.0);
  EXPECT_NEAR(s.velocity(r, 0).x(), -erp / kDt * 0.21 / 2.2, 1e-7);  // 1e-8: the regularisation
}

TEST(ConstraintSolver, badArraysAreRefused) {
  Scene s;
  s.add({0, 0, 0}, {0, 0, 0});
  s.constraints.push_back(std::make_unique<DistanceConstraint>(1.0, 5));
  EXPECT_THROW((void)s.solve(), std::invalid_argument);
  s.constraints.clear();
  s.inverseMasses.push_back(1.0);
  EXPECT_THROW((void)s.solve(), std::invalid_argument);
  EXPECT_THROW(s.solver.setMaxIterations(0), std::invalid_argument);
  EXPECT_THROW(s.solver.setConvergenceTolerance(0.0), std::invalid_argument);
}

TEST(ConstraintSolver, usesAtMostTwoDynamicCasts) {
  const char* source = std::getenv("MSD_SOURCE_DIR");
  if (source == nullptr) GTEST_SKIP() << "left out: MSD_SOURCE_DIR is not set";
  std::ifstream in{std::string{source} +
                   "/msd/msd-sim/src/Physics/Constraints/ConstraintSolver.cpp"};
  std::stringstream text;
  text << in.rdbuf();
  const std::string code = text.str();
  ASSERT_FALSE(code.empty());
  int count = 0;
  for (std::size_t at = code.find("dynamic_cast<"); at != std::string::npos;
       at = code.find("dynamic_cast<", at + 1)) {
    ++count;
  }
  EXPECT_LE(count, 2);
}

}  // namespace
}  // namespace msd_sim
