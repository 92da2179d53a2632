// A solver that has seen a scene of this shape takes no more memory from the system.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <vector>

#include "ProblemFamilies.hpp"
#include "msd-sim/src/Physics/Constraints/Exact/ExactSolver.hpp"

namespace {
std::atomic<long> allocations{0};

void* take(std::size_t size, std::size_t alignment) {
  ++allocations;
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  if (void* memory = std::aligned_alloc(alignment, rounded)) return memory;
  throw std::bad_alloc{};
}
}  // namespace

void* operator new(std::size_t size) {
  return take(size, alignof(std::max_align_t));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return take(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

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
