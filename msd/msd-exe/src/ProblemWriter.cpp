#include "msd-exe/src/ProblemWriter.hpp"

#include "msd-sim/src/Physics/Constraints/Exact/ProblemFile.hpp"

namespace msd_exe {

void ProblemWriter::begin(const msd_scene::SceneWorld&) {}

void ProblemWriter::step(const msd_scene::SceneWorld& scene, const msd_sim::StepReport& report,
                         double) {
  if (report.step != step_) return;
  const msd_sim::FrictionProblem problem = scene.world.frictionProblem();
  contacts_ = problem.contactCount();
  file_.write(msd_sim::writeProblem(problem));
  file_.commit();
  written_ = true;
}

void ProblemWriter::finish(const msd_scene::SceneWorld&) {}

}  // namespace msd_exe
