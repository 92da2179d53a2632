#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "msd-sim/src/Physics/Constraints/Exact/FrictionProblem.hpp"
#include "msd-sim/src/Physics/Constraints/Exact/NaturalMap.hpp"

namespace msd_sim {

class WorkTeam;

/// What a caller may ask of the exact solver.
struct ExactOptions {
  /// Relative natural-map residual (docs: theory/exact-contact.md, section 2) at which to stop [-],
  /// 1e-16 to 1. Smaller: more iterations; below 1e-14 rounding may stand in the way.
  double tolerance{1e-8};

  /// Ask the certificate's velocityError to be below the tolerance as well. The published residual
  /// mixes units: with heavy bodies or large loads it is small long before the velocities are
  /// right. Off: the published criterion alone.
  bool velocityAware{true};

  /// Velocity [m/s] of which `tolerance` parts do not matter, >= 0: a point whose worst velocity
  /// error is below tolerance·velocityFloor counts as solved, however small q is. For scenes where
  /// all that is left is rounding (bodies that drift together without gravity). 0: no such floor.
  double velocityFloor{0.0};

  /// Residual worth a few more steps once the tolerance is reached [-], > 0; at or above the
  /// tolerance: none. A warm-started solve that begins below it does nothing, so in a resting scene
  /// the steps are taken once.
  double aim{1.0};

  /// Newton steps before giving up [-], >= 0. Each costs one sparse factorisation. Hard problems of
  /// a few hundred contacts take up to 2000; a warm-started step of a resting scene takes a few.
  int maxIterations{3000};

  /// Gauss–Seidel sweeps before the first Newton step [-], >= 0. They stop early where they are not
  /// getting anywhere. More: fewer Newton steps on easy problems, wasted time on hard ones.
  int initialSweeps{40};

  /// Threads that share a factorisation, not busy with another loop; none: the caller's alone. The
  /// bits of the result do not depend on it.
  WorkTeam* team{nullptr};
};

enum class ExactStatus : std::uint8_t {
  kConverged,       ///< the residual is at or below the tolerance
  kIterationLimit,  ///< Newton steps used up; the best point found is returned
  kStalled,         ///< no further progress possible in double precision; best point returned
};

[[nodiscard]] constexpr std::string_view exactStatusName(ExactStatus status) {
  switch (status) {
    case ExactStatus::kConverged:
      return "converged";
    case ExactStatus::kIterationLimit:
      return "iteration limit";
    case ExactStatus::kStalled:
      return "stalled";
  }
  return "";
}

/// What a solve found. The spans refer to the solver's memory and hold until its next call.
struct ExactResult {
  ExactStatus status{ExactStatus::kStalled};
  ContactCertificate certificate;              ///< of the impulses below, from the problem alone
  std::span<const double> impulse;             ///< r, 3 per contact [N·s]
  std::span<const double> multiplier;          ///< λ, one per bilateral row [N·s]
  std::span<const double> velocity;            ///< u, 3 per contact [m/s]
  std::span<const double> bilateralVelocity;   ///< one per bilateral row [m/s]
  std::span<const double> bodyVelocityChange;  ///< 6 per body (linear, angular); factored form
  int newtonSteps{0};
  int sweeps{0};

  [[nodiscard]] bool converged() const { return status == ExactStatus::kConverged; }
  [[nodiscard]] int iterations() const { return newtonSteps + sweeps; }
};

/// Solves frictional contact problems to a certified residual: Gauss–Seidel, then proximal steps
/// solved by a semismooth Newton method, with Gauss–Seidel to polish. The result depends on the
/// problem, the options and the warm start alone. Holds the workspace: while the problems keep
/// their size and pattern, a solve of a factored problem allocates nothing.
/// Docs: theory/exact-contact.md.
class ExactSolver {
 public:
  ExactSolver();
  ~ExactSolver();
  ExactSolver(ExactSolver&&) noexcept;
  ExactSolver& operator=(ExactSolver&&) noexcept;

  /// `warmStart` holds three impulses a contact, then one multiplier a bilateral row, or is empty.
  /// Throws std::invalid_argument on options out of range, a warm start of another size or one that
  /// is not finite; never on a hard problem: the status says what was reached.
  ExactResult solve(const FrictionProblem& problem, const ExactOptions& options = {},
                    std::span<const double> warmStart = {});

 private:
  struct Workspace;
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace msd_sim
