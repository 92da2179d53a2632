// A solver that has seen a scene of this shape takes no more memory from the system.

#include <gtest/gtest.h>

#include <vector>

#include "ProblemFamilies.hpp"
#include "msd-sim/src/Physics/Constraints/Exact/ExactSolver.hpp"
#define MSD_COUNT_ALLOCATIONS
#include "msd-sim/test/CountAllocations.hpp"

namespace msd_sim {
namespace {

TEST(ExactSolverMemory, secondSolveOfAFactoredProblemAllocatesNothing) {
  const FrictionProblem problem = families::makePyramid(8, 0.5);
  ExactSolver solver;
  std::vector<double> warm;
  {
    const ExactResult result = solver.solve(problem);
    ASSERT_TRUE(result.converged());
    warm.assign(result.impulse.begin(), result.impulse.end());
  }
  for (double& value : warm) value *= 0.9;
  const long before = allocations;
  const ExactResult cold = solver.solve(problem);
  const bool converged = cold.converged() && solver.solve(problem, {}, warm).converged();
  const long after = allocations;
  EXPECT_TRUE(converged);
  EXPECT_EQ(after - before, 0);
}

}  // namespace
}  // namespace msd_sim
