#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "msd-sim/src/Physics/Constraints/Exact/ConeMath.hpp"
#include "msd-sim/src/Physics/Constraints/Exact/ContactRowData.hpp"
#include "msd-sim/src/Physics/Constraints/Exact/Tolerances.hpp"

namespace msd_sim {

/// One proximal step (E-5), solved by a semismooth Newton method (E-7).
///
/// Given a centre r̄ and a softness ε > 0, finds (r, u) with
///
///   u = W r + q,   r = Coulomb(r̄ - u/a),   a = ε · diag(W_cc),
///
/// Coulomb's law of a contact that is soft around r̄. The soft problem has a solution for every
/// centre, also where W is singular; where r = r̄ it is a solution of the hard problem. The
/// Jacobian of Newton's method is exact, the unsymmetric coupling of sliding to the normal impulse
/// included. Docs: theory/exact-contact.md, section 4.
template <typename Space>
class ProximalNewton {
 public:
  struct Report {
    bool converged{false};
    int iterations{0};
    double reduction{1.0};  ///< of the mismatch, end over start
    int open{0};
    int stick{0};
    int slip{0};
  };

  struct Limits {
    int iterations{40};
    double reduction{1e-4};         ///< of the mismatch, at which to stop
    double settledReduction{1e-2};  ///< enough once the contact states have settled
    double minimalStep{1.0 / 128.0};
  };

  /// Runs from `start` (whose velocity is the starting point). Afterwards `impulses()` lie on the
  /// law's graph, and `refined()` are the ones whose velocity the linear algebra vouches for.
  Report solve(Space& space, const ContactRowData& rows, std::span<const double> centre,
               std::span<const double> start, double softness, const Limits& limits) {
    prepare(rows, softness);
    centre_ = centre;
    space.beginNewton(start);
    Report report;
    evaluate(space, rows, 0.0, impulses_, states_);
    double norm = space.mismatch(0.0, impulses_);
    const double initial = norm;
    bool settled = false;  // the last full step changed no contact's state
    while (report.iterations < limits.iterations) {
      const double target = settled ? limits.settledReduction : limits.reduction;
      if (norm <= target * initial || !(norm > floor_)) {
        report.converged = true;
        break;
      }
      computeResponse(space, rows);
      if (!space.computeStep(response_, scale(), impulses_, false)) break;
      ++report.iterations;
      double t = 1.0;
      double trial = 0.0;
      bool descended = false;
      for (; t >= limits.minimalStep; t *= 0.5) {
        evaluate(space, rows, t, trial_impulses_, trial_states_);
        trial = space.mismatch(t, trial_impulses_);
        if (trial <= (1.0 - 0.05 * t) * norm) {
          descended = true;
          break;
        }
      }
      if (!descended) break;
      space.acceptStep(t);
      settled = t == 1.0 && states_ == trial_states_;
      std::swap(impulses_, trial_impulses_);
      std::swap(states_, trial_states_);
      norm = trial;
    }
    report.reduction = initial > 0.0 ? norm / initial : 0.0;
    if (initial <= floor_) report.converged = true;
    refine(space, rows, report.iterations > 0);
    count(report);
    return report;
  }

  [[nodiscard]] std::span<const double> impulses() const { return impulses_; }
  [[nodiscard]] std::span<const double> refined() const { return refined_; }
  [[nodiscard]] std::span<const ConeState> states() const { return states_; }

  /// Mismatch [√J] below which a soft problem counts as solved to rounding.
  void setFloor(double floor) { floor_ = floor; }

 private:
  [[nodiscard]] RowStiffness scale() const { return {stiffness_, row_response_}; }

  void prepare(const ContactRowData& rows, double softness) {
    const std::size_t contacts = rows.mu.size();
    const std::size_t bilateral = rows.bilateralScale.size();
    softness_.resize(2 * contacts + bilateral);
    stiffness_.resize(2 * contacts + bilateral);
    inverse_.resize(2 * contacts + bilateral);
    row_response_.resize(2 * contacts + bilateral);
    const auto set = [&](std::size_t i, double scale, double compliance) {
      softness_[i] = softness * scale;
      // A row that nothing can move answers with no impulse; its equation is r = 0.
      const bool movable = softness_[i] + compliance > 0.0;
      stiffness_[i] = movable ? softness_[i] + compliance : 1.0;
      inverse_[i] = movable ? 1.0 / stiffness_[i] : 0.0;
    };
    for (std::size_t c = 0; c < contacts; ++c) {
      set(2 * c, rows.normalScale[c], rows.compliance[c]);
      set(2 * c + 1, rows.tangentScale[c], rows.compliance[c]);
    }
    for (std::size_t b = 0; b < bilateral; ++b) {
      set(2 * contacts + b, rows.bilateralScale[b], rows.bilateralCompliance[b]);
    }
    const std::size_t size = 3 * contacts + bilateral;
    for (auto* vector : {&impulses_, &trial_impulses_, &refined_}) vector->resize(size);
    states_.resize(contacts);
    trial_states_.resize(contacts);
    response_.resize(contacts);
  }

  /// ζ = a r̄ - u at the point t along the step.
  [[nodiscard]] Eigen::Vector3d zeta(const Space& space, int c, double t) const {
    const double* base = space.baseVelocity().data() + 3 * static_cast<std::ptrdiff_t>(c);
    const double* step = space.stepVelocity().data() + 3 * static_cast<std::ptrdiff_t>(c);
    const double* r = centre_.data() + 3 * static_cast<std::ptrdiff_t>(c);
    const double normal = softness_[2 * c];
    const double tangent = softness_[2 * c + 1];
    return {normal * r[0] - (base[0] + t * step[0]), tangent * r[1] - (base[1] + t * step[1]),
            tangent * r[2] - (base[2] + t * step[2])};
  }

  void evaluate(const Space& space, const ContactRowData& rows, double t,
                std::vector<double>& impulses, std::vector<ConeState>& states) const {
    const int contacts = rows.contactCount();
    for (int c = 0; c < contacts; ++c) {
      const CoulombResponse answer =
          coulombImpulse(zeta(space, c, t), inverse_[2 * c], inverse_[2 * c + 1], rows.mu[c]);
      Eigen::Map<Eigen::Vector3d>(impulses.data() + 3 * static_cast<std::ptrdiff_t>(c)) =
          answer.impulse;
      states[c] = answer.state;
    }
    for (int b = 0; b < rows.bilateralCount(); ++b) {
      const int i = 3 * contacts + b;
      const double velocity = space.baseVelocity()[i] + t * space.stepVelocity()[i];
      impulses[i] = std::clamp(
          (softness_[2 * contacts + b] * centre_[i] - velocity) * inverse_[2 * contacts + b],
          rows.bilateralLower[b], rows.bilateralUpper[b]);
    }
  }

  /// ∂λ/∂ζ of the bilateral rows: none where the multiplier is at a bound.
  void computeRowResponse(const ContactRowData& rows) {
    const std::size_t contacts = rows.mu.size();
    for (std::size_t b = 0; b < rows.bilateralScale.size(); ++b) {
      const double multiplier = impulses_[3 * contacts + b];
      const bool inside =
          multiplier > rows.bilateralLower[b] && multiplier < rows.bilateralUpper[b];
      row_response_[2 * contacts + b] = inside ? inverse_[2 * contacts + b] : 0.0;
    }
  }

  void computeResponse(const Space& space, const ContactRowData& rows) {
    computeRowResponse(rows);
    for (int c = 0; c < rows.contactCount(); ++c) {
      response_[c] = coulombDerivative(zeta(space, c, 0.0), inverse_[2 * c], inverse_[2 * c + 1],
                                       rows.mu[c], states_[c]);
    }
  }

  /// x = r - C·(velocity of one more step): the impulses that the linear system pairs with the
  /// point reached, free of the 1/a that rounding in u is multiplied with in r.
  /// Holds for whatever C was factorised last, so the factors serve once more.
  void refine(Space& space, const ContactRowData& rows, bool factorized) {
    refined_ = impulses_;
    if (!factorized) computeResponse(space, rows);
    if (!space.computeStep(response_, scale(), impulses_, factorized)) return;
    const std::span<const double> change = space.stepVelocity();
    const int contacts = rows.contactCount();
    for (int c = 0; c < contacts; ++c) {
      Eigen::Map<Eigen::Vector3d> x(refined_.data() + 3 * static_cast<std::ptrdiff_t>(c));
      x -= response_[c] *
           Eigen::Map<const Eigen::Vector3d>(change.data() + 3 * static_cast<std::ptrdiff_t>(c));
      x = clampToCone(x, rows.mu[c]);
    }
    for (int b = 0; b < rows.bilateralCount(); ++b) {
      double& x = refined_[3 * contacts + b];
      x = std::clamp(x - change[3 * contacts + b] * row_response_[2 * contacts + b],
                     rows.bilateralLower[b], rows.bilateralUpper[b]);
    }
  }

  void count(Report& report) const {
    for (const ConeState state : states_) {
      report.open += state == ConeState::kOpen ? 1 : 0;
      report.stick += state == ConeState::kStick ? 1 : 0;
      report.slip += state == ConeState::kSlip ? 1 : 0;
    }
  }

  double floor_{0.0};
  std::span<const double> centre_;
  std::vector<double> softness_;   ///< a: two a contact (normal, tangent), one a bilateral row
  std::vector<double> stiffness_;  ///< a + compliance, alike
  std::vector<double> inverse_;    ///< one over that; 0 for a row that nothing can move
  std::vector<double> row_response_;  ///< the same, 0 for a bilateral row at a bound
  std::vector<double> impulses_;
  std::vector<double> trial_impulses_;
  std::vector<double> refined_;
  std::vector<ConeState> states_;
  std::vector<ConeState> trial_states_;
  std::vector<ContactBlock> response_;
};

}  // namespace msd_sim
