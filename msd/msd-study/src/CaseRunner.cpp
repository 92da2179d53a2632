#include "msd-study/src/CaseRunner.hpp"

#include <fmt/format.h>

#include <chrono>
#include <exception>

#include "msd-study/src/Measures.hpp"

namespace msd_study {

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// "not converged, torn joint"
std::string faultsOf(const msd_sim::StepReport& report) {
  std::string text;
  for (std::size_t i = 0; i < msd_sim::kFaultCount; ++i) {
    const auto fault = static_cast<msd_sim::StepFault>(i);
    if (!report.faults.has(fault)) continue;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", msd_sim::faultName(fault));
  }
  return text.empty() ? std::string{msd_sim::statusName(report.status)} : text;
}

std::string describeFailure(const msd_sim::WorldModel& world, const msd_sim::StepReport& report) {
  const std::string body = world.contains(report.failedBody)
                               ? fmt::format("body \"{}\" ", world.name(report.failedBody))
                               : std::string{};
  return fmt::format("step {}: {}{} in stage {}", report.step, body,
                     faultsOf(report), msd_sim::stageName(report.failedStage));
}

}  // namespace

CaseResult CaseRunner::run(const CaseOrder& order) {
  const Clock::time_point start = Clock::now();
  CaseResult result{.index = order.index};
  try {
    simulate(world_.prepare(order.values), result);
  } catch (const std::exception& reason) {
    result.status = CaseStatus::kInvalid;
    result.reason = reason.what();
  }
  result.totalSeconds = secondsSince(start);
  return result;
}

void CaseRunner::simulate(msd_scene::SceneWorld& scene, CaseResult& result) {
  const StudyDocument& study = study_.document();
  const std::uint64_t steps = world_.document().steps;
  Measures measures{study, scene};
  const Clock::time_point start = Clock::now();
  for (std::uint64_t i = 0; i < steps; ++i) {
    const msd_sim::StepReport report = scene.advance();
    if (report.status == msd_sim::StepStatus::kFailed) {
      result.status = CaseStatus::kFailed;
      result.reason = describeFailure(scene.world, report);
      break;
    }
    ++result.steps;
    if (report.status != msd_sim::StepStatus::kOk && result.status == CaseStatus::kOk) {
      result.status = CaseStatus::kDegraded;
      result.reason = fmt::format("step {}: {}", report.step, faultsOf(report));
    }
    measures.observe(scene);
    if (study.caseSeconds && secondsSince(start) > *study.caseSeconds && i + 1 < steps) {
      result.status = CaseStatus::kTimeLimit;
      result.reason = fmt::format("more than {} s", *study.caseSeconds);
      break;
    }
  }
  result.stepSeconds = secondsSince(start);
  result.time = scene.world.time();
  result.hash = scene.world.stateHash();
  if (result.isMeasured()) {
    result.values = measures.finish(scene);
    result.success = !study.success.empty() && isSuccess(study, result.values);
  }
}

}  // namespace msd_study
