#include "msd-sim/src/Physics/Constraints/Exact/OneContact.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "msd-sim/src/Physics/Constraints/Exact/Tolerances.hpp"

namespace msd_sim {
namespace {

/// The tangential problem once u_N = 0 has removed r_N:
///   u_T = A r_T + c,   r_N = -(b_N + w_NT·r_T)/w_NN.
struct TangentialProblem {
  double a11, a12, a21, a22;
  double c1, c2;
  double n1, n2, n0;  ///< r_N = n0 + n1 r_T1 + n2 r_T2
};

[[nodiscard]] TangentialProblem eliminateNormal(const ContactBlock& w, const Eigen::Vector3d& b) {
  const double inverse = 1.0 / w(0, 0);
  const double l1 = w(1, 0) * inverse;
  const double l2 = w(2, 0) * inverse;
  return {w(1, 1) - l1 * w(0, 1), w(1, 2) - l1 * w(0, 2), w(2, 1) - l2 * w(0, 1),
          w(2, 2) - l2 * w(0, 2), b[1] - l1 * b[0],       b[2] - l2 * b[0],
          -w(0, 1) * inverse,     -w(0, 2) * inverse,     -b[0] * inverse};
}

struct SlipPoint {
  double t1, t2, normal;
  double excess;      ///< |r_T| - µ r_N
  double derivative;  ///< of the excess with respect to α
};

[[nodiscard]] SlipPoint evaluateSlip(const TangentialProblem& p, double alpha, double mu) {
  const double d11 = p.a11 + alpha;
  const double d22 = p.a22 + alpha;
  const double inverse = 1.0 / (d11 * d22 - p.a12 * p.a21);
  SlipPoint point{};
  point.t1 = -(d22 * p.c1 - p.a12 * p.c2) * inverse;
  point.t2 = -(d11 * p.c2 - p.a21 * p.c1) * inverse;
  point.normal = p.n0 + p.n1 * point.t1 + p.n2 * point.t2;
  const double length = std::sqrt(point.t1 * point.t1 + point.t2 * point.t2);
  point.excess = length - mu * point.normal;
  // (A + αI) r_T' = -r_T.
  const double s1 = -(d22 * point.t1 - p.a12 * point.t2) * inverse;
  const double s2 = -(d11 * point.t2 - p.a21 * point.t1) * inverse;
  const double growth = length > 0.0 ? (point.t1 * s1 + point.t2 * s2) / length : 0.0;
  point.derivative = growth - mu * (p.n1 * s1 + p.n2 * s2);
  return point;
}

}  // namespace

OneContactSolution solveOneContact(const ContactBlock& w, const Eigen::Vector3d& b, double mu) {
  if (b[0] >= 0.0) return {};
  // A contact that nothing can move has no answer; it exerts no impulse.
  if (!(w(0, 0) > 0.0)) return {};

  const double frictionless = -b[0] / w(0, 0);
  if (!(mu > 0.0)) return {{frictionless, 0.0, 0.0}, ConeState::kSlip};

  TangentialProblem p = eliminateNormal(w, b);
  // A tangential direction without inertia to move would make A singular: keep it invertible.
  const double floor = tolerance::kSingularBlock * std::max(w(0, 0), w(1, 1) + w(2, 2));
  p.a11 += floor;
  p.a22 += floor;

  SlipPoint point = evaluateSlip(p, 0.0, mu);
  if (point.excess <= 0.0) return {{point.normal, point.t1, point.t2}, ConeState::kStick};

  double low = 0.0;
  double high = std::numeric_limits<double>::infinity();
  double alpha = 0.0;
  const double scale = std::max(std::abs(p.a11), std::abs(p.a22));
  for (int k = 0; k < tolerance::kOneContactIterations; ++k) {
    double next = alpha - point.excess / point.derivative;
    const bool inside = next > low && next < high;  // false for NaN as well
    if (!inside) {
      next = std::isinf(high) ? 4.0 * std::max(low, scale) : 0.5 * (low + high);
    }
    if (next == alpha) break;
    alpha = next;
    point = evaluateSlip(p, alpha, mu);
    if (point.excess > 0.0) {
      low = alpha;
    } else {
      high = alpha;
    }
    const double size = std::sqrt(point.t1 * point.t1 + point.t2 * point.t2);
    if (std::abs(point.excess) <= tolerance::kOneContact * size) break;
  }
  const double normal = std::max(point.normal, 0.0);
  const double length = std::sqrt(point.t1 * point.t1 + point.t2 * point.t2);
  const double shrink = length > 0.0 ? mu * normal / length : 0.0;
  return {{normal, shrink * point.t1, shrink * point.t2}, ConeState::kSlip};
}

}  // namespace msd_sim
