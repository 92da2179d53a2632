// The problem of a step, solved by an independent code (Debian's python3-siconos): the same
// velocities, hence the same motion. Left out by name where it is not installed.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "ExactWorlds.hpp"
#include "msd-sim/src/Physics/Constraints/Exact/ExactSolver.hpp"
#include "msd-sim/src/Physics/Constraints/Exact/ProblemFile.hpp"

namespace msd_sim {
namespace {

using namespace exact_worlds;

constexpr const char* kPython = "/usr/bin/python3";

/// Boxes that fall into a heap, some sliding.
WorldModel heap() {
  Settings settings = exactSettings();
  settings.exactIterations = 5000;  // one landing of the heap is hard
  WorldModel world{settings};
  addFloor(world, 0.4);
  for (int i = 0; i < 6; ++i) {
    addBlock(world, {.half = {0.3, 0.25, 0.2},
                     .at = {0.1 * (i % 3), 0.07 * (i % 2), 0.2 + 0.41 * i},
                     .friction = 0.4,
                     .velocity = {0.5 * (i % 2), 0.2, 0.0}});
  }
  return world;
}

TEST(ExactAudit, stepsProblemHasTheStepsSolution) {
  WorldModel world = heap();
  for (int i = 0; i < 40; ++i) {
    const StepReport r = world.update(kDt);
    ASSERT_EQ(r.status, StepStatus::kOk);
  }
  const FrictionProblem problem = world.frictionProblem();
  EXPECT_GT(problem.contactCount(), 10);
  ExactSolver solver;
  const ExactResult result =
      solver.solve(parseProblem(writeProblem(problem)), {.tolerance = 1e-10});
  EXPECT_TRUE(result.converged());
}

TEST(ExactAudit, siconosAgreesOnTheVelocitiesOfAStep) {
  const std::string probe = fmt::format("{} -c 'import siconos.numerics' 2>/dev/null", kPython);
  if (std::system(probe.c_str()) != 0) {
    GTEST_SKIP() << "left out: audit of a step by python3-siconos (not installed)";
  }
  const auto folder = std::filesystem::temp_directory_path() / "msd_siconos_step";
  std::filesystem::create_directories(folder);
  std::ofstream{folder / "solve.py"} << R"(import sys
import numpy as np
import siconos.numerics as sn
problem = sn.frictionContact_new_from_filename(sys.argv[1])
n = 3 * problem.numberOfContacts
best = None
for kind in (sn.SICONOS_FRICTION_3D_NSGS, sn.SICONOS_FRICTION_3D_ADMM):
    options = sn.SolverOptions(kind)
    options.dparam[sn.SICONOS_DPARAM_TOL] = 1e-12
    options.iparam[sn.SICONOS_IPARAM_MAX_ITER] = 50000
    r, u = np.zeros(n), np.zeros(n)
    info = sn.fc3d_driver(problem, r, u, options)
    error = options.dparam[sn.SICONOS_DPARAM_RESIDU]
    if best is None or error < best[0]:
        best = (error, u)
np.savetxt(sys.argv[2], np.concatenate([[best[0]], best[1]]), fmt='%.17e')
)";
  WorldModel world = heap();
  for (int i = 0; i < 12; ++i) world.update(kDt);
  const FrictionProblem problem = world.frictionProblem();
  std::ofstream{folder / "problem.dat"} << writeProblem(problem);
  const std::string call = fmt::format(
      "{0} {1}/solve.py {1}/problem.dat {1}/u.txt > /dev/null 2>&1", kPython, folder.string());
  ASSERT_EQ(std::system(call.c_str()), 0);
  ExactSolver solver;
  const ExactResult ours = solver.solve(problem, {.tolerance = 1e-12});
  std::ifstream answer{folder / "u.txt"};
  double error = 0.0;
  ASSERT_TRUE(answer >> error);
  double worst = 0.0;
  for (const double u : ours.velocity) {
    double theirs = 0.0;
    ASSERT_TRUE(answer >> theirs);
    worst = std::max(worst, std::abs(u - theirs));
  }
  fmt::print(
      "audit of a step: {} contacts, Siconos' residual {:.2g}, ours {:.2g}, velocities differ "
      "by {:.2g} m/s\n",
      problem.contactCount(), error, ours.certificate.naturalMap, worst);
  EXPECT_LT(worst, 1e-6 + 1e4 * error);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace msd_sim
