#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "msd-sim/src/Physics/Constraints/Exact/FrictionProblem.hpp"

/// The published residual computed a second time, from the assembled W and scalars alone; shares no
/// code with the library's certificate.
namespace msd_sim::independent {

struct Residual {
  double relative{0.0};
  double normalViolation{0.0};
  double coneViolation{0.0};
  double complementarity{0.0};
};

inline Residual computeResidual(const FrictionProblem& problem, std::span<const double> r) {
  const FrictionProblem assembled = problem.toAssembled();
  const BlockMatrix& w = assembled.matrix();
  const int contacts = assembled.contactCount();
  std::vector<double> u(assembled.q().begin(), assembled.q().end());
  for (int i = 0; i < contacts; ++i) {
    for (int k = w.rowStart[i]; k < w.rowStart[i + 1]; ++k) {
      for (int a = 0; a < 3; ++a) {
        for (int b = 0; b < 3; ++b) u[3 * i + a] += w.block[k](a, b) * r[3 * w.column[k] + b];
      }
    }
  }
  Residual result;
  double sum = 0.0;
  double rr = 0.0;
  double uu = 0.0;
  double qq = 0.0;
  for (int i = 0; i < contacts; ++i) {
    const double mu = assembled.mu()[i];
    const double n = r[3 * i];
    const double un = u[3 * i];
    const double ut = std::hypot(u[3 * i + 1], u[3 * i + 2]);
    const double xn = n - un - mu * ut;
    const double x1 = r[3 * i + 1] - u[3 * i + 1];
    const double x2 = r[3 * i + 2] - u[3 * i + 2];
    const double xt = std::hypot(x1, x2);
    double pn = 0.0;
    double p1 = 0.0;
    double p2 = 0.0;
    if (xt <= mu * xn) {
      pn = xn;
      p1 = x1;
      p2 = x2;
    } else if (mu * xt > -xn) {
      pn = (xn + mu * xt) / (1.0 + mu * mu);
      p1 = mu * pn * x1 / xt;
      p2 = mu * pn * x2 / xt;
    }
    sum += (n - pn) * (n - pn) + (r[3 * i + 1] - p1) * (r[3 * i + 1] - p1) +
           (r[3 * i + 2] - p2) * (r[3 * i + 2] - p2);
    const double rt = std::hypot(r[3 * i + 1], r[3 * i + 2]);
    rr += n * n + rt * rt;
    uu += un * un + ut * ut;
    for (int a = 0; a < 3; ++a) qq += assembled.q()[3 * i + a] * assembled.q()[3 * i + a];
    result.normalViolation = std::max(result.normalViolation, -un);
    result.coneViolation = std::max(result.coneViolation, rt - mu * n);
    result.complementarity = std::max(result.complementarity, std::abs(n * un));
  }
  const double scale = std::sqrt(std::max({rr, uu, qq}));
  result.relative = scale > 2.3e-16 ? std::sqrt(sum) / scale : std::sqrt(sum);
  return result;
}

}  // namespace msd_sim::independent
