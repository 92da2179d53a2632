#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "msd-exe/src/StepObserver.hpp"
#include "msd-sim/src/Environment/ThreadTimes.hpp"

namespace msd_exe {

/// Times of a set of steps [ms].
struct StepTimes {
  double mean{0.0};
  double median{0.0};
  double p99{0.0};
};

[[nodiscard]] StepTimes summarize(std::vector<double> milliseconds);

/// How often the energy guard acted in a run (docs/theory/time-stepping.md, T-13).
struct GuardedRun {
  std::uint64_t steps{0};    ///< in which it acted
  std::uint64_t islands{0};  ///< that it held back, once per substep
  double leastFactor{1.0};   ///< by which it scaled a motion at a time [-]
  double mostEnergy{0.0};    ///< that it took out of an island at a time [J]

  void add(const msd_sim::StepReport& report);
};

/// What contacts gave in the worst step of a run, with what the guard took back of it [J]; 0 where
/// they never gave.
struct GivingContacts {
  double most{0.0};
  double time{0.0};  ///< [s]

  void add(const msd_sim::StepReport& report);
};

/// How the fast method solved the steps of a run, and what it left.
struct SolvedRun {
  std::uint64_t bodySteps{0};   ///< bodies that can move, step by step
  std::uint64_t awakeSteps{0};  ///< of these, those that were simulated
  std::uint64_t pairs{0};       ///< of shapes whose bounds overlap, step by step
  std::uint64_t shapeTests{0};
  std::uint64_t visits{0};  ///< of manifolds in sweeps
  std::uint64_t visitsAllowed{0};
  std::uint64_t unsettledSteps{0};  ///< that left something unsettled
  std::uint32_t mostUnsettled{0};   ///< in one step
  double localResidual{0.0};        ///< worst of all steps, against what counts as settled [-]
  double lastChange{0.0};           ///< the same as a velocity [m/s]

  /// Sums over the steps.
  struct Group {
    std::uint64_t islands{0}, bodies{0}, manifolds{0}, sweeps{0}, unsettled{0}, visits{0},
        visitsAllowed{0};
    std::uint64_t steps{0};     ///< in which it had bodies
    std::uint32_t substeps{0};  ///< of the last of them
  };
  std::array<Group, msd_sim::kSolveGroups> groups{};

  void add(const msd_sim::StepReport& report);
  /// Share of the visits that the plans allowed [-].
  [[nodiscard]] double usedShare() const { return ratio(visits, visitsAllowed); }
  /// Means per step: pairs of a body; shape tests and visits of a body that is awake.
  [[nodiscard]] double pairsPerBody() const { return ratio(pairs, bodySteps); }
  [[nodiscard]] double testsPerBody() const { return ratio(shapeTests, awakeSteps); }
  [[nodiscard]] double visitsPerBody() const { return ratio(visits, awakeSteps); }

 private:
  [[nodiscard]] static double ratio(std::uint64_t part, std::uint64_t whole) {
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
  }
};

/// What a run adds up to.
class RunStatistics final : public StepObserver {
 public:
  void begin(const msd_scene::SceneWorld& scene) override;
  void step(const msd_scene::SceneWorld& scene, const msd_sim::StepReport& report,
            double seconds) override;
  void finish(const msd_scene::SceneWorld& scene) override;

  [[nodiscard]] std::uint64_t steps() const { return milliseconds_.size(); }
  [[nodiscard]] double totalMilliseconds() const;  ///< of all steps
  [[nodiscard]] StepTimes allTimes() const { return summarize(milliseconds_); }
  [[nodiscard]] StepTimes lastHalfTimes() const;

  [[nodiscard]] const msd_sim::StepReport& last() const { return last_; }
  [[nodiscard]] double deepestPenetration() const { return deepest_; }           ///< [m]
  [[nodiscard]] double deepestPenetrationTime() const { return deepest_time_; }  ///< [s]
  [[nodiscard]] double largestResidual() const { return residual_; }             ///< [m/s]
  [[nodiscard]] double largestJointError() const { return joint_error_; }        ///< [m]
  /// Worst of every step, exact mode; NaN in fast mode.
  [[nodiscard]] const msd_sim::Certificate& worstCertificate() const { return certificate_; }
  /// Of the worst step.
  [[nodiscard]] msd_sim::StepStatus status() const { return status_; }
  [[nodiscard]] std::uint64_t degraded() const { return degraded_; }  ///< steps
  /// Steps with this fault.
  [[nodiscard]] std::uint64_t count(msd_sim::StepFault fault) const {
    return faults_[static_cast<std::size_t>(fault)];
  }

  /// The works of all steps added up; kinetic and potential energy and the scale as the last step
  /// left them [J].
  [[nodiscard]] const msd_sim::EnergyLedger& energy() const { return energy_; }
  [[nodiscard]] const GuardedRun& guard() const { return guard_; }
  [[nodiscard]] const SolvedRun& solved() const { return solved_; }
  [[nodiscard]] const GivingContacts& giving() const { return giving_; }
  [[nodiscard]] double largestClosure() const { return closure_; }  ///< of a single step [J]

  /// Wall-clock time per stage over the run [s].
  [[nodiscard]] const std::array<double, msd_sim::kStageCount>& stageSeconds() const {
    return stage_seconds_;
  }
  /// Who worked how long over the run; empty where it was not watched.
  [[nodiscard]] const msd_sim::ThreadTimes& threadTimes() const { return thread_times_; }
  /// Share of the time of all threads in which they waited: for the one that works alone, or for
  /// each other [-]. Of one stage, or of all.
  [[nodiscard]] double waitingShare(std::size_t stage) const {
    return waitingShare(stage, stage + 1);
  }
  [[nodiscard]] double waitingShare() const { return waitingShare(0, msd_sim::kStageCount); }

 private:
  void addEnergy(const msd_sim::EnergyLedger& ledger);
  void addThreads(const msd_sim::ThreadTimes& times);
  [[nodiscard]] double waitingShare(std::size_t first, std::size_t last) const;
  void addCertificate(const msd_sim::Certificate& certificate);

  std::vector<double> milliseconds_;
  msd_sim::StepReport last_{};
  double deepest_{0.0};
  double deepest_time_{0.0};
  double residual_{0.0};
  double joint_error_{0.0};
  msd_sim::Certificate certificate_{};
  msd_sim::StepStatus status_{msd_sim::StepStatus::kOk};
  std::uint64_t degraded_{0};
  std::array<std::uint64_t, msd_sim::kFaultCount> faults_{};
  msd_sim::EnergyLedger energy_{};
  double closure_{0.0};
  GuardedRun guard_{};
  SolvedRun solved_{};
  GivingContacts giving_{};
  std::array<double, msd_sim::kStageCount> stage_seconds_{};
  msd_sim::ThreadTimes thread_times_{};
};

}  // namespace msd_exe
