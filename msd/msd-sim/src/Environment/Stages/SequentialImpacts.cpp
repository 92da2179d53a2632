#include <cmath>
#include <vector>

#include "msd-sim/src/Environment/ExactTuning.hpp"
#include "msd-sim/src/Environment/Stages/ExactIslandSolve.hpp"

namespace msd_sim {

namespace {}  // namespace

/// Impacts one after the other: the pair of bodies that approaches fastest collides as if it were
/// alone, then the next, until no pair approaches faster than the threshold. What is left is solved
/// at once and without rebound. A row of equal balls passes the blow on: one in, one out.
///
/// The velocities before the impact are those without the impulses of phase 1, which have then only
/// brought the bodies into touch.
void ExactIslandSolve::solveImpactsInTurn() {
  std::vector<Vector3D> taken;
  for (const ExactPoint& p : points_) taken.push_back(p.first);
  takeBackPhaseOne();
  keepVelocities();
  for (ExactPoint& p : points_) p.impulse.setZero();
  const int most = kExactTuning.impactsPerPoint * static_cast<int>(points_.size());
  std::uint32_t body0 = 0, body1 = 0;
  for (int k = 0; k < most && findFastestApproach(body0, body1); ++k) solvePair(body0, body1);

  for (ExactPoint& p : points_) {
    p.target = 0.0;
    p.turn = p.impulse;
    p.impulse.setZero();
  }
  solve();
  for (ExactPoint& p : points_) p.impulse += p.turn;
  // For the ledger: given in phase 1, taken back in phase 2.
  for (std::size_t i = 0; i < taken.size(); ++i) {
    ExactPoint there = points_[i];
    there.first = taken[i];
    there.impulse = -taken[i];
    there.place = there.firstPlace;
    const PhaseWork work = phaseWorkOf(there);
    points_[i].drivenWork += work.driven;
    data_.scheme += work.both;
  }
}

void ExactIslandSolve::takeBackPhaseOne() {
  // Angular momentum passes the drift unchanged, so the impulse of phase 1 is taken back with the
  // inertia of now.
  for (ExactPoint& p : points_) {
    push(p, p.firstPlace, -p.first);
    p.first.setZero();
  }
}

void ExactIslandSolve::push(const ExactPoint& p, const ContactPlace& place,
                            const Vector3D& impulse) {
  const PairImpulse pair = pairImpulse(place, impulse);
  const auto give = [&](std::uint32_t slot, const Vector3D& linear, const Vector3D& angular) {
    if (sim_.pushable[slot] == 0) return;
    BodyMotion& m = sim_.solver.motion[slot];
    const Vector3D turn = inverseInertiaOf(m) * angular;
    for (int c = 0; c < 3; ++c) {
      m.v[c] += m.inverseMass * linear[c];
      m.w[c] += turn[c];
    }
  };
  give(p.body1, pair.linear, pair.angular1);
  give(p.body0, -pair.linear, -pair.angular0);
}

bool ExactIslandSolve::findFastestApproach(std::uint32_t& body0, std::uint32_t& body1) const {
  double fastest = sim_.settings.restitutionThreshold;
  bool found = false;
  for (const ExactPoint& p : points_) {
    if (!p.closed || !(p.restitution > 0.0)) continue;
    const double approach = -relativeVelocity(p, sim_.solver)[0];
    if (approach <= fastest) continue;
    fastest = approach;
    body0 = p.body0;
    body1 = p.body1;
    found = true;
  }
  return found;
}

/// The impact of one pair of bodies at all their touching points, with friction. Where Newton's law
/// would create energy, with the largest share of the restitution that does not.
void ExactIslandSolve::solvePair(std::uint32_t body0, std::uint32_t body1) {
  const auto belongs = [&](const ExactPoint& p) {
    return p.closed &&
           ((p.body0 == body0 && p.body1 == body1) || (p.body0 == body1 && p.body1 == body0));
  };
  const ExactOptions options{.tolerance = sim_.settings.exactTolerance,
                             .velocityFloor = velocityFloor(),
                             .aim = kExactTuning.aim * sim_.settings.exactTolerance,
                             .maxIterations = sim_.settings.exactIterations};
  ExactResult result;
  // Returns the energy that the impact with a share of the rebounds creates, if more than the
  // solver leaves open.
  const auto attempt = [&](double share) {
    data_.problem.clear();
    data_.contact.clear();
    for (const std::uint32_t slot : {body0, body1}) {
      if (sim_.pushable[slot] != 0) addBody(slot);
    }
    for (std::uint32_t i = 0; i < points_.size(); ++i) {
      ExactPoint& p = points_[i];
      if (!belongs(p)) continue;
      const double approach = -relativeVelocity(p, sim_.solver)[0];
      p.target =
          approach > sim_.settings.restitutionThreshold ? share * p.restitution * approach : 0.0;
      addContact(p);
      data_.contact.push_back(i);
    }
    result = data_.otherSolver.solve(data_.problem, options);
    double energy = 0.0, size = 0.0;
    for (std::size_t c = 0; c < data_.contact.size(); ++c) {
      const ExactPoint& p = points_[data_.contact[c]];
      const Vector3D before = relativeVelocity(p, sim_.solver);
      for (std::size_t d = 0; d < 3; ++d) {
        const double after = result.velocity[3 * c + d] + (d == 0 ? p.target : 0.0);
        const double half = 0.5 * result.impulse[3 * c + d], first = before[static_cast<int>(d)];
        energy += half * (first + after);
        size += std::abs(half) * (std::abs(first) + std::abs(after));
      }
    }
    return energy > options.aim * size;  // the impulses are that good
  };
  if (attempt(1.0)) {
    double low = 0.0, high = 1.0;
    for (int k = 0; k < kExactTuning.reboundHalvings; ++k) {
      const double middle = 0.5 * (low + high);
      (attempt(middle) ? high : low) = middle;
    }
    (void)attempt(low);
  }
  take(result);
  concludePhase();
  for (std::size_t c = 0; c < data_.contact.size(); ++c) {
    ExactPoint& p = points_[data_.contact[c]];
    const Vector3D r{result.impulse[3 * c], result.impulse[3 * c + 1], result.impulse[3 * c + 2]};
    p.impulse += r;
    push(p, p.place, r);
  }
}

}  // namespace msd_sim
