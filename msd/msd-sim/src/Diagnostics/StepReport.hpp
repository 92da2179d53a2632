#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "msd-sim/src/DataTypes/Hash128.hpp"
#include "msd-sim/src/DataTypes/Id.hpp"
#include "msd-sim/src/Diagnostics/EnergyLedger.hpp"
#include "msd-sim/src/Diagnostics/SolveGroup.hpp"

namespace msd_sim {

/// The stages of WorldModel::update, in order. docs/life-of-a-step.md tells the same story.
enum class Stage : std::uint8_t {
  kGather,
  kBroadphase,
  kNarrowphase,
  kIslands,
  kRows,
  kSolve,
  kCorrect,
  kScatter,
  kAudit,
};
inline constexpr std::size_t kStageCount = 9;

[[nodiscard]] constexpr std::string_view stageName(Stage stage) {
  constexpr std::array<std::string_view, kStageCount> kNames{
      "gather", "broadphase", "narrowphase", "islands", "rows",
      "solve",  "correct",    "scatter",     "audit"};
  return kNames[static_cast<std::size_t>(stage)];
}

/// How far the promises of a report hold. The one scale of reports, recordings, summaries, the view
/// and exit codes (docs/command-line.md); a run is as good as its worst step.
enum class StepStatus : std::uint8_t {
  kOk,        ///< all of them
  kDegraded,  ///< the state advanced, and `faults` says what is not as it should be
  kFailed,    ///< the world is as it was before the step
  // What these were called when each had one reason only.
  kNotConverged = kDegraded,
  kNonFinite = kFailed,
};

[[nodiscard]] constexpr std::string_view statusName(StepStatus status) {
  constexpr std::array<std::string_view, 3> kNames{"ok", "degraded", "failed"};
  return kNames[static_cast<std::size_t>(status)];
}

/// Why a step is not ok.
enum class StepFault : std::uint8_t {
  kNotConverged,  ///< exact mode: an island's residual stayed above the tolerance
  kTornJoint,     ///< a joint is open by more than a hundredth of the smaller body it holds
  kGuarded,       ///< the energy guard took more than a hundredth of the energy out of an island
  /// Exact mode: bodies touch that resist rolling or spinning, which it cannot; they do not resist.
  kResistanceIgnored,
  kNonFinite,  ///< a body became non-finite
};
inline constexpr std::size_t kFaultCount = 5;

[[nodiscard]] constexpr std::string_view faultName(StepFault fault) {
  constexpr std::array<std::string_view, kFaultCount> kNames{
      "not converged", "torn joint", "guarded", "resistance ignored", "non-finite"};
  return kNames[static_cast<std::size_t>(fault)];
}

/// What a step with this fault is at best.
[[nodiscard]] constexpr StepStatus statusOf(StepFault fault) {
  return fault == StepFault::kNonFinite ? StepStatus::kFailed : StepStatus::kDegraded;
}

/// A set of faults.
class StepFaults {
 public:
  constexpr void add(StepFault fault) { bits_ |= bit(fault); }
  constexpr void add(StepFaults others) { bits_ |= others.bits_; }
  [[nodiscard]] constexpr bool has(StepFault fault) const { return (bits_ & bit(fault)) != 0; }
  [[nodiscard]] constexpr bool isEmpty() const { return bits_ == 0; }
  [[nodiscard]] constexpr std::uint32_t bits() const { return bits_; }
  friend constexpr bool operator==(StepFaults, StepFaults) = default;

 private:
  [[nodiscard]] static constexpr std::uint32_t bit(StepFault fault) {
    return std::uint32_t{1} << static_cast<unsigned>(fault);
  }
  std::uint32_t bits_{0};
};

/// What the exact mode proves about a step (docs/theory/exact-contact.md). NaN in fast mode.
struct Certificate {
  double naturalMap{std::numeric_limits<double>::quiet_NaN()};       ///< relative residual [-]
  /// Worst velocity error over the largest free velocity: the same law, independent of units [-].
  double velocityError{std::numeric_limits<double>::quiet_NaN()};
  double complementarity{std::numeric_limits<double>::quiet_NaN()};  ///< worst |r_N u_N| [J]
  double coneViolation{std::numeric_limits<double>::quiet_NaN()};    ///< worst |r_T| - mu r_N [N·s]
  double normalViolation{std::numeric_limits<double>::quiet_NaN()};  ///< worst -u_N [m/s]
  double bilateralViolation{std::numeric_limits<double>::quiet_NaN()};  ///< worst joint row [m/s]
};

/// How the fast method solved the islands of one group, and what it left (docs/theory/plan.md). A visit is one of a
/// manifold in one sweep.
struct GroupReport {
  std::uint32_t islands{0};
  std::uint32_t bodies{0};     ///< that moved, those in no island too
  std::uint32_t manifolds{0};
  std::uint32_t substeps{0};
  std::uint32_t sweeps{0};     ///< over the step: of each phase, those of the island that took most
  std::uint32_t unsettled{0};  ///< as StepReport::unsettled
  std::uint64_t visits{0};
  std::uint64_t visitsAllowed{0};  ///< by the plans: manifolds times sweeps times phases, island by island
};

/// What one step did: tests assert on it, benchmarks print it, the recorder writes it and the
/// viewer plots it.
struct StepReport {
  StepStatus status{StepStatus::kOk};
  StepFaults faults{};                ///< why, when the status is not kOk
  BodyId failedBody{};                ///< which body, when the status is kFailed
  Stage failedStage{Stage::kGather};  ///< and which stage made it so

  std::uint64_t step{0};  ///< number of this step, from 1
  double time{0.0};       ///< simulated time at the end of the step [s]
  double dt{0.0};         ///< [s]

  std::uint32_t bodies{0};       ///< inertial bodies in the world
  std::uint32_t awakeBodies{0};  ///< of these, those that were simulated
  std::uint32_t pairs{0};        ///< pairs of shapes whose bounds overlap
  std::uint32_t shapeTests{0};   ///< of these, those whose shapes were tested; again within the step (K-17): once more
  std::uint32_t manifolds{0};    ///< pairs that touch or are about to
  std::uint32_t contacts{0};     ///< contact points of these
  std::uint32_t islands{0};      ///< groups of bodies joined by contacts and joints
  std::uint32_t colours{0};      ///< groups of rows that share no body
  std::uint32_t substeps{0};
  std::uint32_t iterations{0};   ///< solver sweeps over the whole step

  double residual{0.0};            ///< largest violation of a velocity constraint after the solve [m/s]
  double deepestPenetration{0.0};  ///< at the end of the step [m]
  double jointError{0.0};          ///< worst separation of two joint anchors at the end [m]

  /// Fast method: contacts, mechanisms and swept joints that the last sweep over them in the step's last phase still
  /// changed by more than what counts as settled (docs/theory/warm-start.md, G-8).
  std::uint32_t unsettled{0};
  double localResidual{0.0};  ///< largest of these changes, settled ones too, against what counts as settled [-]
  double lastChange{0.0};     ///< the same as a velocity [m/s]
  std::uint64_t visits{0};         ///< of manifolds in sweeps, over the step
  std::uint64_t visitsAllowed{0};  ///< most that the islands' plans allowed
  std::array<GroupReport, kSolveGroups> groups{};  ///< the same by SolveGroup
  [[nodiscard]] const GroupReport& group(SolveGroup which) const { return groups[static_cast<std::size_t>(which)]; }

  std::uint32_t unsolvedIslands{0};  ///< exact mode: islands whose residual stayed above the tolerance
  std::uint32_t tornJoints{0};       ///< joints open by more than a hundredth of the body they hold
  std::uint32_t guardedIslands{0};   ///< islands the energy guard held back, once per substep
  double guardFactor{1.0};           ///< least by which it scaled the motion of one of them at a time; 1: it did not act [-]
  double guardEnergy{0.0};           ///< most that it took out of one of them at a time [J]
  /// Some joints swing too fast for the substep (docs/theory/joints.md, J-22): their motion loses energy. More
  /// substeps or a shorter step follow it.
  bool tautJoints{false};

  Certificate certificate{};
  EnergyLedger energy{};
  Hash128 hash{};  ///< of the state at the end of the step; filled when Settings::hashEveryStep

  /// Notes a fault; the status is that of the worst.
  void blame(StepFault fault) {
    faults.add(fault);
    if (statusOf(fault) > status) status = statusOf(fault);
  }

  std::array<double, kStageCount> stageSeconds{};  ///< wall-clock time per stage [s]
  [[nodiscard]] double seconds() const {
    double sum = 0.0;
    for (const double s : stageSeconds) sum += s;
    return sum;
  }
};

}  // namespace msd_sim
