#include "msd-exe/src/RunStatistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace msd_exe {

StepTimes summarize(std::vector<double> milliseconds) {
  if (milliseconds.empty()) return {};
  const std::size_t n = milliseconds.size();
  std::ranges::sort(milliseconds);
  const double sum = std::accumulate(milliseconds.begin(), milliseconds.end(), 0.0);
  // The p-th percentile is the smallest time that at least p % of the steps did not exceed.
  const std::size_t rank99 = (99 * n + 99) / 100 - 1;
  return {.mean = sum / static_cast<double>(n),
          .median = 0.5 * (milliseconds[(n - 1) / 2] + milliseconds[n / 2]),
          .p99 = milliseconds[rank99]};
}

void RunStatistics::begin(const msd_scene::SceneWorld&) {}

void RunStatistics::step(const msd_scene::SceneWorld& scene, const msd_sim::StepReport& report,
                         double seconds) {
  milliseconds_.push_back(1e3 * seconds);
  if (report.deepestPenetration > deepest_) {
    deepest_ = report.deepestPenetration;
    deepest_time_ = report.time;
  }
  residual_ = std::max(residual_, report.residual);
  joint_error_ = std::max(joint_error_, report.jointError);
  status_ = std::max(status_, report.status);
  if (report.status == msd_sim::StepStatus::kDegraded) ++degraded_;
  for (std::size_t i = 0; i < faults_.size(); ++i) {
    if (report.faults.has(static_cast<msd_sim::StepFault>(i))) ++faults_[i];
  }
  for (std::size_t i = 0; i < stage_seconds_.size(); ++i) {
    stage_seconds_[i] += report.stageSeconds[i];
  }
  addThreads(msd_sim::threadTimes(scene.world));
  addEnergy(report.energy);
  guard_.add(report);
  solved_.add(report);
  giving_.add(report);
  addCertificate(report.certificate);
  last_ = report;
}

void RunStatistics::addThreads(const msd_sim::ThreadTimes& times) {
  thread_times_.busy.resize(std::max(thread_times_.busy.size(), times.busy.size()));
  for (std::size_t i = 0; i < msd_sim::kStageCount; ++i) {
    thread_times_.shared[i] += times.shared[i];
    thread_times_.loops[i] += times.loops[i];
    for (std::size_t t = 0; t < times.busy.size(); ++t)
      thread_times_.busy[t][i] += times.busy[t][i];
  }
}

double RunStatistics::waitingShare(std::size_t first, std::size_t last) const {
  double all = 0.0, worked = 0.0;
  for (std::size_t i = first; i < last; ++i) {
    all += static_cast<double>(thread_times_.busy.size()) * stage_seconds_[i];
    worked += stage_seconds_[i] - thread_times_.shared[i];
    for (const msd_sim::ThreadTimes::Stages& busy : thread_times_.busy) worked += busy[i];
  }
  return all > 0.0 ? std::max(0.0, 1.0 - worked / all) : 0.0;
}

void RunStatistics::addEnergy(const msd_sim::EnergyLedger& ledger) {
  energy_.kinetic = ledger.kinetic;
  energy_.potential = ledger.potential;
  energy_.scale = ledger.scale;
  energy_.change += ledger.change;
  energy_.externalWork += ledger.externalWork;
  energy_.jointWork += ledger.jointWork;
  energy_.normalWork += ledger.normalWork;
  energy_.frictionWork += ledger.frictionWork;
  energy_.positionWork += ledger.positionWork;
  energy_.dampingWork += ledger.dampingWork;
  energy_.guardWork += ledger.guardWork;
  energy_.integratorError += ledger.integratorError;
  closure_ = std::max(closure_, std::abs(ledger.closure()));
}

void GuardedRun::add(const msd_sim::StepReport& report) {
  if (report.guardedIslands == 0) return;
  ++steps;
  islands += report.guardedIslands;
  leastFactor = std::min(leastFactor, report.guardFactor);
  mostEnergy = std::max(mostEnergy, report.guardEnergy);
}

void SolvedRun::add(const msd_sim::StepReport& report) {
  bodySteps += report.bodies;
  awakeSteps += report.awakeBodies;
  pairs += report.pairs;
  shapeTests += report.shapeTests;
  visits += report.visits;
  visitsAllowed += report.visitsAllowed;
  unsettledSteps += report.unsettled > 0 ? 1 : 0;
  mostUnsettled = std::max(mostUnsettled, report.unsettled);
  localResidual = std::max(localResidual, report.localResidual);
  lastChange = std::max(lastChange, report.lastChange);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const msd_sim::GroupReport& part = report.groups[i];
    if (part.bodies == 0) continue;
    Group& group = groups[i];
    group.islands += part.islands;
    group.bodies += part.bodies;
    group.manifolds += part.manifolds;
    group.sweeps += part.sweeps;
    group.unsettled += part.unsettled;
    group.visits += part.visits;
    group.visitsAllowed += part.visitsAllowed;
    group.steps += 1;
    group.substeps = part.substeps;
  }
}

void GivingContacts::add(const msd_sim::StepReport& report) {
  const msd_sim::EnergyLedger& e = report.energy;
  const double given = e.normalWork + e.frictionWork + e.guardWork;
  if (!(given > most)) return;
  most = given;
  time = report.time;
}

void RunStatistics::addCertificate(const msd_sim::Certificate& c) {
  // fmax passes over a NaN: fast steps have no certificate.
  certificate_.naturalMap = std::fmax(certificate_.naturalMap, c.naturalMap);
  certificate_.velocityError = std::fmax(certificate_.velocityError, c.velocityError);
  certificate_.complementarity = std::fmax(certificate_.complementarity, c.complementarity);
  certificate_.coneViolation = std::fmax(certificate_.coneViolation, c.coneViolation);
  certificate_.normalViolation = std::fmax(certificate_.normalViolation, c.normalViolation);
  certificate_.bilateralViolation =
      std::fmax(certificate_.bilateralViolation, c.bilateralViolation);
}

void RunStatistics::finish(const msd_scene::SceneWorld&) {}

double RunStatistics::totalMilliseconds() const {
  return std::accumulate(milliseconds_.begin(), milliseconds_.end(), 0.0);
}

StepTimes RunStatistics::lastHalfTimes() const {
  const auto half = static_cast<std::ptrdiff_t>(milliseconds_.size() / 2);
  return summarize({milliseconds_.begin() + half, milliseconds_.end()});
}

}  // namespace msd_exe
