// A problem written by this library is read and solved by an independent code (Debian's
// python3-siconos), which finds the same velocities. Left out by name where it is not installed.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "ProblemFamilies.hpp"
#include "msd-sim/src/Physics/Constraints/Exact/ExactSolver.hpp"
#include "msd-sim/src/Physics/Constraints/Exact/ProblemFile.hpp"

namespace msd_sim {
namespace {

constexpr const char* kPython = "/usr/bin/python3";

TEST(SiconosAudit, findsTheSameVelocitiesInOurFiles) {
  const std::string probe = fmt::format("{} -c 'import siconos.numerics' 2>/dev/null", kPython);
  if (std::system(probe.c_str()) != 0) {
    GTEST_SKIP() << "left out: audit by python3-siconos (not installed)";
  }
  const auto folder = std::filesystem::temp_directory_path() / "msd_siconos_audit";
  std::filesystem::create_directories(folder);
  const auto problemPath = folder / "problem.dat";
  const auto answerPath = folder / "velocity.txt";
  const auto scriptPath = folder / "solve.py";
  std::ofstream{scriptPath} << R"(import sys
import numpy as np
import siconos.numerics as sn
problem = sn.frictionContact_new_from_filename(sys.argv[1])
n = 3 * problem.numberOfContacts
options = sn.SolverOptions(sn.SICONOS_FRICTION_3D_NSGS)
options.dparam[sn.SICONOS_DPARAM_TOL] = 1e-13
options.iparam[sn.SICONOS_IPARAM_MAX_ITER] = 100000
r, u = np.zeros(n), np.zeros(n)
sn.fc3d_driver(problem, r, u, options)
np.savetxt(sys.argv[2], u, fmt='%.17e')
)";
  for (std::uint32_t seed = 1; seed <= 3; ++seed) {
    const FrictionProblem problem = families::makeRandomPile(6, 2, 0.3, seed);
    std::ofstream{problemPath} << writeProblem(problem);
    const std::string call =
        fmt::format("{} {} {} {} > /dev/null 2>&1", kPython, scriptPath.string(),
                    problemPath.string(), answerPath.string());
    ASSERT_EQ(std::system(call.c_str()), 0);
    ExactSolver solver;
    const ExactResult result = solver.solve(problem, {.tolerance = 1e-13});
    std::ifstream answer{answerPath};
    for (std::size_t i = 0; i < result.velocity.size(); ++i) {
      double expected = 0.0;
      ASSERT_TRUE(answer >> expected);
      EXPECT_NEAR(result.velocity[i], expected, 1e-9) << "seed " << seed;
    }
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace msd_sim
