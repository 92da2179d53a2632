#include <algorithm>
#include <cmath>

#include "msd-sim/src/Environment/Simulation.hpp"

namespace msd_sim {

namespace {

constexpr int kDefaultSubsteps = 1;

// Gap after the drift, relative to the contact's size, up to which a point counts as closed.
constexpr double kTouching = 1e-9;

// Gap error, relative to the contact's size, that the drift is not repeated for, and how often it is.
constexpr double kGapError = 1e-13;
constexpr int kGapCorrections = 4;

// Share of the fastest body's speed whose exactTolerance part is rounding: with the default of 1e-8
// about a hundred roundings of that speed.
constexpr double kSpeedFloor = 1e-4;

// Work of contacts on an island that counts as rounding, relative to its kinetic energy.
constexpr double kWorkRounding = 1e-12;

// Halvings of the search for the largest restitution that creates no energy.
constexpr int kReboundHalvings = 12;

Vector3D vec(const double (&a)[3]) { return {a[0], a[1], a[2]}; }

void assign(double (&a)[3], const Vector3D& v) {
  for (int c = 0; c < 3; ++c) a[c] = v[c];
}

Matrix3D inverseInertiaOf(const BodyMotion& m) {
  Matrix3D s;
  s << m.inverseXX, m.inverseXY, m.inverseXZ, m.inverseXY, m.inverseYY, m.inverseYZ, m.inverseXZ,
      m.inverseYZ, m.inverseZZ;
  return s;
}

/// Impulse components as the bodies feel them at the point's present place.
PairImpulse pairImpulse(const ContactPlace& place, double normal, double t1, double t2) {
  const Vector3D p = normal * place.normal + t1 * place.tangent1 + t2 * place.tangent2;
  return {p, place.arm0.cross(p), place.arm1.cross(p)};
}

void add(PairImpulse& sum, const PairImpulse& p) {
  sum.linear += p.linear;
  sum.angular0 += p.angular0;
  sum.angular1 += p.angular1;
}

/// One island through one step.
class IslandSolve {
 public:
  IslandSolve(Simulation& sim, std::size_t island, double h)
      : sim_{sim},
        data_{*sim.exact.islands[island]},
        points_{sim.exact.points.data() + sim.exact.start[island],
                sim.exact.points.data() + sim.exact.start[island + 1]},
        bodies_{sim.islands.bodies.data() + sim.islands.start[island],
                sim.islands.bodies.data() + sim.islands.start[island + 1]},
        h_{h} {}

  [[nodiscard]] std::span<ExactPoint> points() { return points_; }

  void begin() {
    data_.certificate = ContactCertificate{};
    data_.iterations = 0;
    data_.converged = true;
  }

  /// Gaps, and the rebound speed of points that will hit (theory/restitution.md, R-5), from the
  /// velocities and loads at the start of the substep: u² = u0² - 2 a φ at the moment of touch.
  void beginSubstep() {
    for (ExactPoint& p : points_) {
      p.place = placeContact(p, sim_.solver);
      p.startGap = p.place.gap;
      p.target = -std::max(p.startGap, 0.0) / h_;
      p.rebound = reboundSpeed(p);
      p.closed = true;
      p.substepImpulse = {};
    }
    for (const std::uint32_t i : bodies_) {
      const BodyMotion& m = sim_.solver.motion[i];
      sim_.exact.startVelocity[i] = {vec(m.v), vec(m.w)};
    }
  }

  /// Finds impulses for which every closed point has u_N >= target, with friction, and gives them
  /// to the bodies.
  void solve() {
    buildProblem();
    const ExactOptions options{.tolerance = sim_.settings.exactTolerance,
                               .velocityFloor = velocityFloor(),
                               .maxIterations = sim_.settings.exactIterations};
    const ExactResult result = data_.solver.solve(data_.problem, options, data_.warmStart);
    for (std::size_t c = 0; c < data_.contact.size(); ++c) {
      points_[data_.contact[c]].impulse = {result.impulse[3 * c], result.impulse[3 * c + 1],
                                           result.impulse[3 * c + 2]};
    }
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      BodyMotion& m = sim_.solver.motion[bodies_[b]];
      for (std::size_t c = 0; c < 3; ++c) {
        m.v[c] += result.bodyVelocityChange[6 * b + c];
        m.w[c] += result.bodyVelocityChange[6 * b + 3 + c];
      }
    }
    note(result);
  }

  /// Adds the impulses of the phase to those of the step.
  void conclude() {
    for (ExactPoint& p : points_) {
      if (!p.closed) p.impulse.setZero();
      p.total += p.impulse;
      const PairImpulse normal = pairImpulse(p.place, p.impulse[0], 0.0, 0.0);
      const PairImpulse friction = pairImpulse(p.place, 0.0, p.impulse[1], p.impulse[2]);
      add(p.normalImpulse, normal);
      add(p.frictionImpulse, friction);
      add(p.substepImpulse, normal);
      add(p.substepImpulse, friction);
    }
  }

  /// After a drift: moves the targets by what the turning of the bodies did to the gaps. True where
  /// the drift has to be repeated.
  [[nodiscard]] bool correctTargets() {
    bool again = false;
    for (ExactPoint& p : points_) {
      const double gap = placeContact(p, sim_.solver).gap;
      const double error = gap - std::min(p.startGap, 0.0);
      if (!(p.impulse[0] > 0.0) && error >= 0.0) continue;
      if (std::abs(error) <= kGapError * p.size) continue;
      p.target -= error / h_;
      again = true;
    }
    return again;
  }

  /// Phase 2: the points that touch after the drift, with their rebounds.
  void solveVelocities() {
    bool bounces = false;
    for (ExactPoint& p : points_) {
      p.place = placeContact(p, sim_.solver);
      p.closed = p.impulse[0] > 0.0 || p.place.gap <= kTouching * p.size;
      p.target = p.closed ? p.rebound : 0.0;
      bounces = bounces || p.target > 0.0;
    }
    keepVelocities();
    solve();
    if (bounces && createsEnergy()) limitRebound();
    conclude();
  }

 private:
  [[nodiscard]] double reboundSpeed(const ExactPoint& p) const {
    if (!(p.restitution > 0.0)) return 0.0;
    const double u = relativeVelocity(p, sim_.solver)[0];
    const auto pull = [&](std::uint32_t i, const Vector3D& arm) -> Vector3D {
      const BodyLoad& load = sim_.solver.load[i];
      if (sim_.pushable[i] == 0) return Vector3D::Zero();
      const Vector3D spin = inverseInertiaOf(sim_.solver.motion[i]) * vec(load.torque);
      return vec(load.a) + spin.cross(arm);
    };
    const double a = p.place.normal.dot(pull(p.body1, p.place.arm1) - pull(p.body0, p.place.arm0));
    const double gap = std::max(p.startGap, 0.0);
    const double mean = u + 0.5 * h_ * a;
    if (mean >= 0.0 || gap + h_ * mean > 0.0) return 0.0;
    const double speed = std::sqrt(std::max(u * u - 2.0 * a * gap, 0.0));
    return speed > sim_.settings.restitutionThreshold ? p.restitution * speed : 0.0;
  }

  void buildProblem() {
    FrictionProblem& problem = data_.problem;
    problem.clear();
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      const BodyMotion& m = sim_.solver.motion[bodies_[b]];
      problem.addBody({m.inverseMass, inverseInertiaOf(m)});
      sim_.exact.localBody[bodies_[b]] = static_cast<int>(b);
    }
    data_.contact.clear();
    data_.warmStart.clear();
    for (std::uint32_t i = 0; i < points_.size(); ++i) {
      if (!points_[i].closed) continue;
      addContact(points_[i]);
      data_.contact.push_back(i);
      for (int c = 0; c < 3; ++c) data_.warmStart.push_back(points_[i].impulse[c]);
    }
  }

  void addContact(const ExactPoint& p) {
    const ContactPlace& place = p.place;
    FrictionContact contact;
    contact.bodyA = localBody(p.body0);
    contact.bodyB = localBody(p.body1);
    const Vector3D* axes[3] = {&place.normal, &place.tangent1, &place.tangent2};
    for (int r = 0; r < 3; ++r) {
      const Vector3D& d = *axes[r];
      contact.jacobianA.row(r) << -d.transpose(), -place.arm0.cross(d).transpose();
      contact.jacobianB.row(r) << d.transpose(), place.arm1.cross(d).transpose();
    }
    Vector3D q = relativeVelocity(p, sim_.solver);
    q[0] -= p.target;
    data_.problem.addContact(contact, q, p.friction);
  }

  [[nodiscard]] int localBody(std::uint32_t slot) const {
    return sim_.pushable[slot] != 0 ? sim_.exact.localBody[slot] : kStaticBody;
  }

  /// What gravity adds in a step, and a share of the fastest motion: velocities of which the
  /// tolerance's part is of no interest.
  [[nodiscard]] double velocityFloor() const {
    double fastest = 0.0;
    for (const std::uint32_t i : bodies_) {
      const BodyMotion& m = sim_.solver.motion[i];
      fastest = std::max(fastest, vec(m.v).norm() + vec(m.w).norm() * sim_.solver.pose[i].size);
    }
    return h_ * sim_.settings.gravity.norm() + kSpeedFloor * fastest;
  }

  void note(const ExactResult& result) {
    ContactCertificate& worst = data_.certificate;
    const ContactCertificate& c = result.certificate;
    const auto take = [](double& a, double b) { a = std::isnan(a) ? b : std::max(a, b); };
    take(worst.naturalMap, c.naturalMap);
    take(worst.velocityError, c.velocityError);
    take(worst.velocityErrorAbsolute, c.velocityErrorAbsolute);
    take(worst.complementarity, c.complementarity);
    take(worst.coneViolation, c.coneViolation);
    take(worst.normalViolation, c.normalViolation);
    take(worst.bilateralViolation, c.bilateralViolation);
    data_.iterations += result.iterations();
    data_.converged = data_.converged && result.converged();
  }

  void keepVelocities() {
    for (const std::uint32_t i : bodies_) {
      const BodyMotion& m = sim_.solver.motion[i];
      sim_.exact.kickedVelocity[i] = {vec(m.v), vec(m.w)};
    }
  }

  void resetVelocities() {
    for (const std::uint32_t i : bodies_) {
      BodyMotion& m = sim_.solver.motion[i];
      assign(m.v, sim_.exact.kickedVelocity[i].linear);
      assign(m.w, sim_.exact.kickedVelocity[i].angular);
    }
  }

  /// Work of the contact impulses of both phases with the mean of the velocities before and after
  /// the substep: what AuditStep enters into the ledger.
  [[nodiscard]] bool createsEnergy() const {
    double work = 0.0;
    for (const ExactPoint& p : points_) {
      PairImpulse sum = p.substepImpulse;
      if (p.closed) add(sum, pairImpulse(p.place, p.impulse[0], p.impulse[1], p.impulse[2]));
      const SpatialVector m0 = meanVelocity(p.body0), m1 = meanVelocity(p.body1);
      work += sum.linear.dot(m1.linear - m0.linear) + sum.angular1.dot(m1.angular) -
              sum.angular0.dot(m0.angular);
    }
    double kinetic = 0.0;
    for (const std::uint32_t i : bodies_) {
      kinetic += 0.5 * sim_.solver.mass[i].mass *
                 (vec(sim_.solver.motion[i].v).squaredNorm() +
                  sim_.exact.startVelocity[i].linear.squaredNorm());
    }
    return work > kWorkRounding * kinetic;
  }

  [[nodiscard]] SpatialVector meanVelocity(std::uint32_t i) const {
    const BodyMotion& m = sim_.solver.motion[i];
    if (sim_.pushable[i] == 0) return {vec(m.v), vec(m.w)};
    const SpatialVector& start = sim_.exact.startVelocity[i];
    return {0.5 * (vec(m.v) + start.linear), 0.5 * (vec(m.w) + start.angular)};
  }

  /// Newton's restitution with friction can create energy (Kane's pendulum). The largest common
  /// share of the rebounds that does not is searched for; the law with that restitution is solved as
  /// exactly as any other.
  void limitRebound() {
    double low = 0.0, high = 1.0, share = 0.0;
    const auto attempt = [&](double s) {
      resetVelocities();
      for (ExactPoint& p : points_) p.target = p.closed ? s * p.rebound : 0.0;
      solve();
      share = s;
      return !createsEnergy();
    };
    for (int k = 0; k < kReboundHalvings; ++k) {
      const double middle = 0.5 * (low + high);
      (attempt(middle) ? low : high) = middle;
    }
    if (share != low) (void)attempt(low);
  }

  Simulation& sim_;
  ExactIsland& data_;
  std::span<ExactPoint> points_;
  std::span<const std::uint32_t> bodies_;
  double h_;
};

template <class Work>
void forIslands(Simulation& sim, double h, const Work& work) {
  sim.team->forRange(sim.islands.count(), 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t k = first; k < last; ++k) {
      IslandSolve island{sim, k, h};
      work(island, k);
    }
  });
}

void clearGuesses(Simulation& sim) {
  for (const std::uint32_t block : sim.activeBlocks) {
    for (std::size_t i = 0; i < SolverBodies::kBlock; ++i) {
      sim.solver.guess[block * SolverBodies::kBlock + i] = BodyGuess{};
    }
  }
}

void saveBodies(Simulation& sim) {
  ExactStep& exact = sim.exact;
  exact.savedBodies.clear();
  for (std::uint32_t i = 0; i < sim.slots.size(); ++i) {
    if (sim.moving[i] == 0) continue;
    exact.savedBodies.push_back(
        {i, sim.solver.motion[i], sim.solver.pose[i], sim.solver.kick[i]});
  }
}

void restoreBodies(Simulation& sim) {
  for (const SavedBody& b : sim.exact.savedBodies) {
    sim.solver.motion[b.slot] = b.motion;
    sim.solver.pose[b.slot] = b.pose;
    sim.solver.kick[b.slot] = b.kick;
  }
}

/// Drift and second kick; the velocities are left without a guess of phase 2's impulses.
void driftBodies(Simulation& sim, double h) {
  sim.kernels->body.drift(sim.solver, sim.activeBlocks, h);
  for (const SavedBody& b : sim.exact.savedBodies) {
    BodyMotion& m = sim.solver.motion[b.slot];
    for (int c = 0; c < 3; ++c) {
      m.v[c] = sim.solver.kick[b.slot].v[c];
      m.w[c] = sim.solver.kick[b.slot].w[c];
    }
  }
}

/// Phase 1 and drift (T-2, T-3). The gaps at the end are those of the bodies as they have turned,
/// not of their tangent motion: where the two differ, the targets are moved and the islands
/// concerned solved again.
void solvePositions(Simulation& sim, double h) {
  std::vector<std::uint8_t>& repeat = sim.exact.repeat;
  repeat.assign(sim.islands.count(), 1);
  saveBodies(sim);
  for (int k = 0; k <= kGapCorrections; ++k) {
    forIslands(sim, h, [&](IslandSolve& island, std::size_t i) {
      if (repeat[i] != 0) island.solve();
    });
    // Islands that need no repetition keep the velocities found before.
    for (SavedBody& b : sim.exact.savedBodies) b.solved = sim.solver.motion[b.slot];
    driftBodies(sim, h);
    if (k == kGapCorrections) break;
    forIslands(sim, h, [&](IslandSolve& island, std::size_t i) {
      repeat[i] = repeat[i] != 0 && island.correctTargets() ? 1 : 0;
    });
    if (std::ranges::none_of(repeat, [](std::uint8_t r) { return r != 0; })) break;
    restoreBodies(sim);
    for (const SavedBody& b : sim.exact.savedBodies) {
      const std::uint32_t island = sim.islands.islandOf[b.slot];
      const bool keep = island == Islands::kNone || repeat[island] == 0;
      if (keep) sim.solver.motion[b.slot] = b.solved;
    }
  }
}

/// The impulses of the step into the rows, for the store pass, the records and the next step.
void writeImpulses(Simulation& sim) {
  for (const ExactPoint& p : sim.exact.points) {
    for (int c = 0; c < 3; ++c) {
      p.rows->impulse[c][p.lane] = p.impulse[c];
      p.rows->total[c][p.lane] = p.total[c];
    }
    p.rows->target[p.lane] = 0.0;
  }
}

void writeCertificate(Simulation& sim) {
  Certificate worst{.naturalMap = 0.0,
                    .velocityError = 0.0,
                    .complementarity = 0.0,
                    .coneViolation = 0.0,
                    .normalViolation = 0.0,
                    .bilateralViolation = 0.0};
  sim.exact.residual = 0.0;
  for (std::size_t k = 0; k < sim.islands.count(); ++k) {
    const ExactIsland& island = *sim.exact.islands[k];
    const ContactCertificate& c = island.certificate;
    worst.naturalMap = std::max(worst.naturalMap, c.naturalMap);
    worst.velocityError = std::max(worst.velocityError, c.velocityError);
    worst.complementarity = std::max(worst.complementarity, c.complementarity);
    worst.coneViolation = std::max(worst.coneViolation, c.coneViolation);
    worst.normalViolation = std::max(worst.normalViolation, c.normalViolation);
    worst.bilateralViolation = std::max(worst.bilateralViolation, c.bilateralViolation);
    sim.exact.residual = std::max(sim.exact.residual, c.velocityErrorAbsolute);
    sim.report.iterations += static_cast<std::uint32_t>(island.iterations);
    if (!island.converged) sim.report.status = StepStatus::kNotConverged;
  }
  sim.report.certificate = worst;
}

/// Stored impulses belong to a phase of another length where the step or the method has changed.
void scaleWarmStart(Simulation& sim, double h) {
  const double scale = sim.lastSubstep > 0.0 ? h / sim.lastSubstep : 1.0;
  if (scale == 1.0) return;
  for (ExactPoint& p : sim.exact.points) p.impulse *= scale;
}

}  // namespace

void solveExact(Simulation& sim, double dt) {
  const int substeps = sim.settings.substeps > 0 ? sim.settings.substeps : kDefaultSubsteps;
  const double h = dt / substeps;
  sim.report.iterations = 0;
  sim.exact.localBody.resize(sim.slots.size());
  sim.exact.startVelocity.resize(sim.slots.size());
  sim.exact.kickedVelocity.resize(sim.slots.size());
  collectExactPoints(sim);
  scaleWarmStart(sim, h);
  forIslands(sim, h, [](IslandSolve& island, std::size_t) { island.begin(); });
  for (int k = 0; k < substeps; ++k) {
    clearGuesses(sim);
    forIslands(sim, h, [](IslandSolve& island, std::size_t) { island.beginSubstep(); });
    sim.kernels->body.kick(sim.solver, sim.activeBlocks, 0.5 * h);
    solvePositions(sim, h);
    forIslands(sim, h, [](IslandSolve& island, std::size_t) {
      island.conclude();
      island.solveVelocities();
    });
  }
  writeImpulses(sim);
  writeCertificate(sim);
  sim.report.substeps = static_cast<std::uint32_t>(substeps);
  sim.lastSubstep = h;
}

void writeExactSums(Simulation& sim) {
  const auto mean = [&](std::uint32_t i) -> SpatialVector {
    const BodyMotion& m = sim.solver.motion[i];
    if (sim.pushable[i] == 0) return {vec(m.v), vec(m.w)};
    const BodyStart& s = sim.solver.start[i];
    return {0.5 * (vec(m.v) + vec(s.v)), 0.5 * (vec(m.w) + vec(s.w))};
  };
  for (const ExactPoint& p : sim.exact.points) {
    p.sums->normalWork[p.lane] = 0.0;
    p.sums->frictionWork[p.lane] = 0.0;
    p.sums->deepest[p.lane] = 0.0;
    p.sums->residual[p.lane] = 0.0;
  }
  for (const ExactPoint& p : sim.exact.points) {
    const SpatialVector m0 = mean(p.body0), m1 = mean(p.body1);
    const auto work = [&](const PairImpulse& i) {
      return i.linear.dot(m1.linear - m0.linear) + i.angular1.dot(m1.angular) -
             i.angular0.dot(m0.angular);
    };
    p.sums->normalWork[p.lane] += work(p.normalImpulse);
    p.sums->frictionWork[p.lane] += work(p.frictionImpulse);
    p.sums->deepest[p.lane] = std::max(p.sums->deepest[p.lane], -p.place.gap);
  }
}

}  // namespace msd_sim
