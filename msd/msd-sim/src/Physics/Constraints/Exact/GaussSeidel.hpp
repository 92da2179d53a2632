#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <span>
#include <vector>

#include "msd-sim/src/Physics/Constraints/Exact/ContactRowData.hpp"
#include "msd-sim/src/Physics/Constraints/Exact/OneContact.hpp"

namespace msd_sim {

/// Block Gauss–Seidel: visits one contact after the other and solves it exactly with all others
/// held. Alternates the direction of the sweep, which carries information both ways through a
/// stack. `r` holds the impulses and is updated in place; the space must agree with it
/// (setImpulses).
template <typename Space>
void sweepGaussSeidel(Space& space, const ContactRowData& rows, std::span<double> r, bool forward) {
  const int contacts = rows.contactCount();
  for (int b = 0; b < rows.bilateralCount(); ++b) {
    const double diagonal = rows.bilateralScale[b] + rows.bilateralCompliance[b];
    double& multiplier = r[3 * contacts + b];
    if (!(diagonal > 0.0)) continue;
    const double u = space.bilateralVelocity(b) + rows.bilateralCompliance[b] * multiplier;
    const double next = std::clamp(multiplier - u / diagonal, rows.bilateralLower[b],
                                   rows.bilateralUpper[b]);
    space.addMultiplier(b, next - multiplier);
    multiplier = next;
  }
  for (int k = 0; k < contacts; ++k) {
    const int c = forward ? k : contacts - 1 - k;
    Eigen::Map<Eigen::Vector3d> impulse(r.data() + 3 * static_cast<std::ptrdiff_t>(c));
    const ContactBlock& w = space.diagonal(c);
    const Eigen::Vector3d free = space.velocity(c) - w * impulse;
    if (rows.compliance[c] == 0.0) {
      const Eigen::Vector3d next = solveOneContact(w, free, rows.mu[c]).impulse;
      const Eigen::Vector3d change = next - impulse;
      impulse = next;
      space.addImpulse(c, change);
    } else {
      ContactBlock soft = w;
      soft.diagonal().array() += rows.compliance[c];
      const Eigen::Vector3d next = solveOneContact(soft, free, rows.mu[c]).impulse;
      const Eigen::Vector3d change = next - impulse;
      impulse = next;
      space.addImpulse(c, change);
    }
  }
}

}  // namespace msd_sim
