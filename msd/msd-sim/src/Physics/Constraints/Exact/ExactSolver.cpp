#include "msd-sim/src/Physics/Constraints/Exact/ExactSolver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <vector>

#include "msd-sim/src/Physics/Constraints/Exact/AssembledSpace.hpp"
#include "msd-sim/src/Physics/Constraints/Exact/ContactRowData.hpp"
#include "msd-sim/src/Physics/Constraints/Exact/FactoredSpace.hpp"
#include "msd-sim/src/Physics/Constraints/Exact/GaussSeidel.hpp"
#include "msd-sim/src/Physics/Constraints/Exact/ProximalNewton.hpp"
#include "msd-sim/src/Physics/Constraints/Exact/Tolerances.hpp"

namespace msd_sim {

namespace {

/// w of every row, for the certificate.
struct RowScales {
  std::vector<double> contact;
  std::vector<double> bilateral;
};

/// Impulse vectors: r of every contact, then λ.
struct Points {
  std::vector<double> current;
  std::vector<double> best;      ///< the one with the smallest residual so far
  std::vector<double> kept;      ///< one to return to
  std::vector<double> velocity;  ///< u of the one last looked at, then u_b
};

}  // namespace

struct ExactSolver::Workspace {
  FactoredSpace factored;
  AssembledSpace assembled;
  ProximalNewton<FactoredSpace> factoredNewton;
  ProximalNewton<AssembledSpace> assembledNewton;
  ContactRowData rows;
  RowScales scales;
  Points points;
  std::vector<double> bodyChange;
};

namespace {

void requireOptions(const ExactOptions& options) {
  if (!(options.tolerance >= 1e-16 && options.tolerance <= 1.0)) {
    throw std::invalid_argument(
        fmt::format("exact solver: tolerance is {}, expected 1e-16 to 1", options.tolerance));
  }
  if (!(options.velocityFloor >= 0.0 && std::isfinite(options.velocityFloor))) {
    throw std::invalid_argument(
        fmt::format("exact solver: velocityFloor is {} m/s, expected a finite number >= 0",
                    options.velocityFloor));
  }
  if (!(options.aim > 0.0)) {
    throw std::invalid_argument(
        fmt::format("exact solver: aim is {}, expected a number above 0", options.aim));
  }
  if (options.maxIterations < 0 || options.initialSweeps < 0) {
    throw std::invalid_argument(
        fmt::format("exact solver: maxIterations is {} and initialSweeps {}, expected >= 0",
                    options.maxIterations, options.initialSweeps));
  }
}

/// What the tolerance is compared with.
[[nodiscard]] double measure(const ExactOptions& options, double naturalMap, double velocityError,
                             double velocityErrorAbsolute) {
  const double value = options.velocityAware ? std::max(naturalMap, velocityError) : naturalMap;
  // A floor of zero asks for the relative error, whatever the absolute one.
  if (!(options.velocityFloor > 0.0)) return value;
  return std::min(value, velocityErrorAbsolute / options.velocityFloor);
}

void requireWarmStart(const FrictionProblem& problem, std::span<const double> warmStart) {
  const std::size_t size = 3 * static_cast<std::size_t>(problem.contactCount()) +
                           static_cast<std::size_t>(problem.bilateralCount());
  if (warmStart.empty()) return;
  if (warmStart.size() != size) {
    throw std::invalid_argument(fmt::format(
        "exact solver: the warm start has {} numbers, expected {} (3 a contact, 1 a bilateral row)",
        warmStart.size(), size));
  }
  for (const double value : warmStart) {
    if (!std::isfinite(value)) {
      throw std::invalid_argument(
          fmt::format("exact solver: the warm start holds {}, expected finite numbers", value));
    }
  }
}

/// One solve: which method runs when, and what is remembered.
template <typename Space>
class Drive {
 public:
  Drive(const FrictionProblem& problem, const ExactOptions& options, Space& space,
        ProximalNewton<Space>& newton, ContactRowData& rows, const RowScales& scales,
        Points& points)
      : problem_{problem},
        options_{options},
        space_{space},
        newton_{newton},
        rows_{rows},
        scales_{scales},
        current_{points.current},
        best_{points.best},
        kept_{points.kept},
        velocity_{points.velocity} {}

  ExactStatus run(std::span<const double> warmStart) {
    space_.setup(problem_);
    space_.setTeam(options_.team);
    collectRows();
    start(warmStart);
    if (residual_ <= goal()) return ExactStatus::kConverged;
    // What already meets the tolerance is past the reach of sweeps.
    if (residual_ > options_.tolerance) sweepWhileUseful();
    if (best_residual_ <= goal()) return ExactStatus::kConverged;
    return iterateProximal();
  }

  [[nodiscard]] int newtonSteps() const { return newton_steps_; }
  [[nodiscard]] int sweeps() const { return sweeps_; }

 private:
  void collectRows() {
    const int contacts = problem_.contactCount();
    const int bilateral = problem_.bilateralCount();
    rows_.mu.assign(problem_.mu().begin(), problem_.mu().end());
    rows_.compliance.assign(problem_.compliance().begin(), problem_.compliance().end());
    rows_.bilateralCompliance.assign(problem_.bilateralCompliance().begin(),
                                     problem_.bilateralCompliance().end());
    rows_.normalScale.resize(contacts);
    rows_.tangentScale.resize(contacts);
    rows_.bilateralScale.resize(bilateral);
    for (int c = 0; c < contacts; ++c) {
      const ContactBlock& w = space_.diagonal(c);
      rows_.normalScale[c] = std::max(w(0, 0), 0.0);
      rows_.tangentScale[c] =
          std::max(0.5 * (w(1, 1) + w(2, 2)), tolerance::kScaleFloor * rows_.normalScale[c]);
    }
    rows_.bilateralLower.resize(bilateral);
    rows_.bilateralUpper.resize(bilateral);
    for (int b = 0; b < bilateral; ++b) {
      rows_.bilateralScale[b] = space_.bilateralDiagonal(b);
      rows_.bilateralLower[b] = problem_.bilateralRows()[b].lower;
      rows_.bilateralUpper[b] = problem_.bilateralRows()[b].upper;
    }
  }

  void start(std::span<const double> warmStart) {
    const std::size_t size = static_cast<std::size_t>(rows_.size());
    current_.assign(size, 0.0);
    kept_.assign(size, 0.0);
    velocity_.assign(size, 0.0);
    if (!warmStart.empty()) {
      std::copy(warmStart.begin(), warmStart.end(), current_.begin());
      for (int c = 0; c < rows_.contactCount(); ++c) {
        Eigen::Map<Eigen::Vector3d> r(current_.data() + 3 * static_cast<std::ptrdiff_t>(c));
        r = clampToCone(r, rows_.mu[c]);
        if (!(rows_.normalScale[c] > 0.0)) r.setZero();
      }
      for (int b = 0; b < rows_.bilateralCount(); ++b) {
        double& multiplier = current_[3 * static_cast<std::size_t>(rows_.contactCount()) + b];
        multiplier = std::clamp(multiplier, rows_.bilateralLower[b], rows_.bilateralUpper[b]);
      }
    }
    best_ = current_;
    best_residual_ = std::numeric_limits<double>::infinity();
    residual_ = note(current_);
  }

  /// Residual of a point; remembers the best one.
  double note(std::span<const double> r) {
    const int contacts = rows_.contactCount();
    space_.computeVelocities(r, velocity_);
    for (int c = 0; c < contacts; ++c) {
      for (int i = 0; i < 3; ++i) velocity_[3 * c + i] += rows_.compliance[c] * r[3 * c + i];
    }
    for (int b = 0; b < rows_.bilateralCount(); ++b) {
      velocity_[3 * contacts + b] += rows_.bilateralCompliance[b] * r[3 * contacts + b];
    }
    const std::span<const double> u = velocity_;
    const std::size_t split = 3 * static_cast<std::size_t>(contacts);
    const NaturalMapResidual residual =
        computeResidual(problem_, r.first(split), r.subspan(split), u.first(split),
                        u.subspan(split), scales_.contact, scales_.bilateral);
    const double value = measure(options_, residual.relative, residual.velocityError,
                                 residual.velocityErrorAbsolute);
    if (value < best_residual_) {
      best_residual_ = value;
      std::copy(r.begin(), r.end(), best_.begin());
    }
    return value;
  }

  void sweep(int count) {
    space_.setImpulses(current_);
    for (int k = 0; k < count; ++k) {
      sweepGaussSeidel(space_, rows_, current_, sweeps_ % 2 == 0);
      ++sweeps_;
    }
    residual_ = note(current_);
  }

  /// Sweeps in batches for as long as a batch earns its cost.
  void sweepWhileUseful() {
    int allowed = options_.initialSweeps;
    while (allowed > 0) {
      const int batch = std::min(allowed, tolerance::kSweepBatch);
      const double before = residual_;
      sweep(batch);
      allowed -= batch;
      if (residual_ <= goal()) return;
      // Fast convergence extends the phase, slow convergence ends it.
      if (residual_ <= tolerance::kFastSweeps * before) {
        allowed = std::max(allowed, tolerance::kSweepBatch);
      } else if (residual_ > tolerance::kSlowSweeps * before) {
        break;
      }
      if (sweeps_ >= tolerance::kMostInitialSweeps) break;
    }
  }

  /// Mismatch that rounding alone makes at the current point [√J].
  [[nodiscard]] double roundingFloor() const {
    double energy = 0.0;
    for (int c = 0; c < rows_.contactCount(); ++c) {
      const double* r = current_.data() + 3 * static_cast<std::ptrdiff_t>(c);
      const double* q = problem_.q().data() + 3 * static_cast<std::ptrdiff_t>(c);
      const double scale = rows_.normalScale[c];
      if (!(scale > 0.0)) continue;
      energy += scale * r[0] * r[0] + rows_.tangentScale[c] * (r[1] * r[1] + r[2] * r[2]);
      energy += q[0] * q[0] / scale;
    }
    for (int b = 0; b < rows_.bilateralCount(); ++b) {
      const double value = current_[3 * static_cast<std::size_t>(rows_.contactCount()) + b];
      energy += rows_.bilateralScale[b] * value * value;
    }
    return tolerance::kRounding * std::sqrt(energy);
  }

  /// Proximal steps with a softness that shrinks while Newton's method follows, and grows when it
  /// does not.
  ExactStatus iterateProximal() {
    double softness =
        std::clamp(tolerance::kSoftnessPerResidual * best_residual_,
                   tolerance::kSmallestFirstSoftness, tolerance::kLargestFirstSoftness);
    double failed = 0.0;  // softness not to be undercut, after a failure
    int idle = 0;         // proximal steps since the best residual last fell noticeably
    int extra = 0;        // proximal steps since the tolerance was reached
    double mark = best_residual_;
    const typename ProximalNewton<Space>::Limits limits{.iterations = tolerance::kInnerIterations,
                                                        .reduction = tolerance::kInnerReduction,
                                                        .minimalStep = tolerance::kSmallestStep};
    while (newton_steps_ < options_.maxIterations) {
      newton_.setFloor(roundingFloor());
      const auto report = newton_.solve(space_, rows_, current_, current_, softness, limits);
      newton_steps_ += std::max(report.iterations, 1);
      const double onGraph = note(newton_.impulses());
      const double refined = note(newton_.refined());
      const double reached = std::min(onGraph, refined);
      if (isGoodEnough(extra)) return ExactStatus::kConverged;
      if (report.converged && reached <= tolerance::kRejectGrowth * residual_) {
        const auto next = onGraph < refined ? newton_.impulses() : newton_.refined();
        std::copy(next.begin(), next.end(), current_.begin());
        residual_ = reached;
        polish();
        const bool easy = report.iterations <= tolerance::kEasyInner;
        softness *= easy ? tolerance::kSoftnessFall : tolerance::kSoftnessSlowFall;
        softness = std::max({softness, failed, tolerance::kSmallestSoftness});
        failed *= tolerance::kFailureMemory;
      } else {
        failed = 2.0 * softness;
        softness = std::min(softness * tolerance::kSoftnessRise, tolerance::kLargestSoftness);
      }
      if (isGoodEnough(extra)) return ExactStatus::kConverged;
      if (best_residual_ <= options_.tolerance) ++extra;
      if (best_residual_ < 0.5 * mark) {
        mark = best_residual_;
        idle = 0;
      } else {
        ++idle;
        if (idle >= tolerance::kIdleLimitRounding && idle >= idleLimit())
          return ExactStatus::kStalled;
      }
    }
    return best_residual_ <= options_.tolerance ? ExactStatus::kConverged
                                                : ExactStatus::kIterationLimit;
  }

  /// At the goal, or at the tolerance with the steps used up that the goal is worth.
  [[nodiscard]] bool isGoodEnough(int extra) const {
    return best_residual_ <= goal() ||
           (best_residual_ <= options_.tolerance && extra >= tolerance::kExtraSteps);
  }

  /// The residual at which to stop: the tolerance, or the aim, but not less than rounding allows.
  [[nodiscard]] double goal() const {
    if (options_.aim >= options_.tolerance) return options_.tolerance;
    return std::min(options_.tolerance, std::max(options_.aim, roundingResidual()));
  }

  /// Residual that rounding of the loads makes.
  [[nodiscard]] double roundingResidual() const {
    double load = 0.0;
    double free = 0.0;
    for (int c = 0; c < rows_.contactCount(); ++c) {
      const Eigen::Map<const Eigen::Vector3d> r(best_.data() + 3 * static_cast<std::ptrdiff_t>(c));
      const Eigen::Map<const Eigen::Vector3d> q(problem_.q().data() +
                                                3 * static_cast<std::ptrdiff_t>(c));
      load = std::max(load, scales_.contact[c] * r.norm());
      free = std::max(free, q.norm());
    }
    const double* multiplier = best_.data() + 3 * static_cast<std::ptrdiff_t>(rows_.contactCount());
    for (int b = 0; b < rows_.bilateralCount(); ++b) {
      load = std::max(load, scales_.bilateral[b] * std::abs(multiplier[b]));
      free = std::max(free, std::abs(problem_.bilateralQ()[b]));
    }
    return free > 0.0 ? tolerance::kRounding * load / free : 0.0;
  }

  /// How long to wait for progress: not long where the residual is down to rounding.
  [[nodiscard]] int idleLimit() const {
    return best_residual_ < std::max(tolerance::kRoundingMargin * roundingResidual(),
                                     tolerance::kRoundingResidual)
               ? tolerance::kIdleLimitRounding
               : tolerance::kIdleLimit;
  }

  /// A few sweeps; kept only where they help.
  void polish() {
    const double before = residual_;
    std::copy(current_.begin(), current_.end(), kept_.begin());
    sweep(tolerance::kPolishSweeps);
    if (residual_ > before) {
      std::copy(kept_.begin(), kept_.end(), current_.begin());
      residual_ = before;
    }
  }

  const FrictionProblem& problem_;
  const ExactOptions& options_;
  Space& space_;
  ProximalNewton<Space>& newton_;
  ContactRowData& rows_;
  const RowScales& scales_;
  std::vector<double>& current_;
  std::vector<double>& best_;
  std::vector<double>& kept_;
  std::vector<double>& velocity_;
  double residual_{0.0};
  double best_residual_{0.0};
  int newton_steps_{0};
  int sweeps_{0};
};

}  // namespace

ExactSolver::ExactSolver() : workspace_{std::make_unique<Workspace>()} {}
ExactSolver::~ExactSolver() = default;
ExactSolver::ExactSolver(ExactSolver&&) noexcept = default;
ExactSolver& ExactSolver::operator=(ExactSolver&&) noexcept = default;

ExactResult ExactSolver::solve(const FrictionProblem& problem, const ExactOptions& options,
                               std::span<const double> warmStart) {
  requireOptions(options);
  requireWarmStart(problem, warmStart);
  Workspace& w = *workspace_;
  w.scales.contact.resize(static_cast<std::size_t>(problem.contactCount()));
  w.scales.bilateral.resize(static_cast<std::size_t>(problem.bilateralCount()));
  computeRowScales(problem, w.scales.contact, w.scales.bilateral);
  ExactResult result;
  const auto drive = [&](auto& space, auto& newton) {
    Drive run{problem, options, space, newton, w.rows, w.scales, w.points};
    result.status = run.run(warmStart);
    result.newtonSteps = run.newtonSteps();
    result.sweeps = run.sweeps();
  };
  if (problem.form() == FrictionProblem::Form::kFactored) {
    drive(w.factored, w.factoredNewton);
  } else {
    drive(w.assembled, w.assembledNewton);
  }

  const std::size_t split = 3 * static_cast<std::size_t>(problem.contactCount());
  w.bodyChange.resize(6 * static_cast<std::size_t>(problem.bodyCount()));
  const std::span<double> velocity = w.points.velocity;
  result.impulse = std::span<const double>(w.points.best).first(split);
  result.multiplier = std::span<const double>(w.points.best).subspan(split);
  problem.computeVelocity(result.impulse, result.multiplier, w.bodyChange, velocity.first(split),
                          velocity.subspan(split));
  result.velocity = velocity.first(split);
  result.bilateralVelocity = velocity.subspan(split);
  result.bodyVelocityChange = w.bodyChange;
  result.certificate =
      computeCertificate(problem, result.impulse, result.multiplier, result.velocity,
                         result.bilateralVelocity, w.scales.contact, w.scales.bilateral);
  // The problem's own arithmetic has the last word.
  const double reached =
      measure(options, result.certificate.naturalMap, result.certificate.velocityError,
              result.certificate.velocityErrorAbsolute);
  if (result.converged() && !(reached <= options.tolerance)) result.status = ExactStatus::kStalled;
  return result;
}

}  // namespace msd_sim
