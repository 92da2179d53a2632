// libFuzzer target: any bytes give a problem or ProblemFileError; a problem survives writing and
// reading, and a small one a short solve.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "msd-sim/src/Physics/Constraints/Exact/ExactSolver.hpp"
#include "msd-sim/src/Physics/Constraints/Exact/ProblemFile.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace msd_sim;
  try {
    const FrictionProblem problem =
        parseProblem(std::string_view(reinterpret_cast<const char*>(data), size));
    const FrictionProblem again = parseProblem(writeProblem(problem));
    if (again.contactCount() != problem.contactCount()) std::abort();
    if (problem.contactCount() <= 8) {
      ExactSolver solver;
      const ExactResult result = solver.solve(problem, {.maxIterations = 20});
      for (const double value : result.impulse) {
        if (!std::isfinite(value)) std::abort();
      }
    }
  } catch (const ProblemFileError&) {
    return 0;
  }
  return 0;
}
