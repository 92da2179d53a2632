// The seeds' limits for the reference solver: 1, 10, 50 contacts in 10 µs, 100 µs, 2 ms.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "RandomStates.hpp"
#include "msd-sim/src/Physics/Constraints/ConstraintSolver.hpp"
#include "msd-sim/src/Physics/Constraints/ContactConstraint.hpp"

namespace msd_sim {
namespace {

#ifdef NDEBUG
constexpr bool kIsOptimised = true;
#else
constexpr bool kIsOptimised = false;
#endif

/// Shortest of many solves [s]: the machine may be busy.
double solveTime(int contacts) {
  test_states::Source source{8};
  const std::size_t bodies = static_cast<std::size_t>(contacts) + 1;
  std::vector<InertialState> states;
  for (std::size_t i = 0; i < bodies; ++i) states.push_back(source.state());
  std::vector<std::unique_ptr<Constraint>> made;
  std::vector<Constraint*> list;
  for (std::size_t i = 0; i + 1 < bodies; ++i) {
    // Bodies pushed together from below, on the floor (body 0).
    made.push_back(std::make_unique<ContactConstraint>(
        i, i + 1, Vector3D{0, 0, 1}, Vector3D{0, 0, static_cast<double>(i)},
        Vector3D{0, 0, static_cast<double>(i)}, 0.0, Vector3D{0, 0, static_cast<double>(i) - 0.5},
        Vector3D{0, 0, static_cast<double>(i) + 0.5}, 0.3, -1.0));
    list.push_back(made.back().get());
  }
  for (std::size_t i = 0; i < bodies; ++i) {
    states[i].position = {0, 0, static_cast<double>(i) - 0.5};
    states[i].velocity = {0, 0, -static_cast<double>(i)};
  }
  const std::vector<std::reference_wrapper<const InertialState>> refs(states.begin(), states.end());
  std::vector<double> masses(bodies, 1.0);
  masses[0] = 0.0;
  std::vector<Eigen::Matrix3d> inertias(bodies, Eigen::Matrix3d::Identity());
  inertias[0].setZero();
  const ConstraintSolver solver{};
  double best = 1e9;
  for (int i = 0; i < 200; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const auto r = solver.solve(list, refs, masses, inertias, bodies, 1.0 / 60.0);
    const auto end = std::chrono::steady_clock::now();
    EXPECT_GT(r.lambdas.sum(), 0.0);
    best = std::min(best, std::chrono::duration<double>(end - start).count());
  }
  return best;
}

TEST(ConstraintSolverTiming, staysWithinTheLimitsForOneTenAndFiftyContacts) {
  if (!kIsOptimised) {
    GTEST_SKIP() << "left out: timing of the reference solver (not an optimised build)";
  }
  EXPECT_LT(solveTime(1), 10e-6);
  EXPECT_LT(solveTime(10), 100e-6);
  EXPECT_LT(solveTime(50), 2e-3);
}

}  // namespace
}  // namespace msd_sim
