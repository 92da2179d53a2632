#pragma once

#include "msd-study/src/CaseResult.hpp"
#include "msd-study/src/CaseWorld.hpp"
#include "msd-study/src/Study.hpp"

namespace msd_study {

/// Runs cases of a study one after the other. What comes out depends on the case alone.
class CaseRunner {
 public:
  explicit CaseRunner(const Study& study) : study_{study}, world_{study} {}

  [[nodiscard]] CaseResult run(const CaseOrder& order);

 private:
  void simulate(msd_scene::SceneWorld& scene, CaseResult& result);

  const Study& study_;
  CaseWorld world_;
};

}  // namespace msd_study
