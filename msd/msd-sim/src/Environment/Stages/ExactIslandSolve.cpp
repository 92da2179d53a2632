#include "msd-sim/src/Environment/Stages/ExactIslandSolve.hpp"

#include "msd-sim/src/Environment/ExactTuning.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace msd_sim {

namespace {

/// Gap after the drift of a point that carries an impulse: none, or what it was where that was a
/// hair's breadth or a penetration.
double aimedGap(const ExactPoint& p) {
  return p.startGap <= kExactTuning.gapBand * p.size ? p.startGap : 0.0;
}

/// Way and turn of a body in a substep, in its own size.
double reachOf(const SolverBodies& solver, std::uint32_t i, const Vector3D& v, const Vector3D& w, double h) {
  return h * (v.norm() / solver.pose[i].size + w.norm());
}

void assign(double (&a)[3], const Vector3D& v) {
  for (int c = 0; c < 3; ++c) a[c] = v[c];
}

}  // namespace

Matrix3D inverseInertiaOf(const BodyMotion& m) {
  Matrix3D s;
  s << m.inverseXX, m.inverseXY, m.inverseXZ, m.inverseXY, m.inverseYY, m.inverseYZ, m.inverseXZ,
      m.inverseYZ, m.inverseZZ;
  return s;
}

PairImpulse pairImpulse(const ContactPlace& place, const Vector3D& impulse) {
  const Vector3D p =
      impulse[0] * place.normal + impulse[1] * place.tangent1 + impulse[2] * place.tangent2;
  return {p, place.arm0.cross(p), place.arm1.cross(p)};
}

ExactIslandSolve::ExactIslandSolve(Simulation& sim, std::size_t island, double h)
    : sim_{sim},
      data_{*sim.exact.islands[island]},
      points_{sim.exact.points.data() + sim.exact.start[island],
              sim.exact.points.data() + sim.exact.start[island + 1]},
      bodies_{sim.islands.bodies.data() + sim.islands.start[island],
              sim.islands.bodies.data() + sim.islands.start[island + 1]},
      island_{island},
      h_{h},
      team_{bodies_.size() >= kExactTuning.sharedBodies ? sim.team.get() : nullptr} {}

bool ExactIslandSolve::isLarge(const Simulation& sim, std::size_t island) {
  return sim.islands.bodiesOf(island).size() >= kExactTuning.sharedBodies;
}

void ExactIslandSolve::begin() {
  data_.iterations = 0;
  beginAgain();
}

void ExactIslandSolve::beginAgain() {
  data_.certificate = ContactCertificate{};
  data_.converged = true;
  data_.stiff = false;
  data_.scheme = 0.0;
}

void ExactIslandSolve::beginSubstep() {
  data_.newtonLeft = sim_.settings.exactIterations;
  for (ExactPoint& p : points_) {
    p.place = placeContact(p, sim_.solver);
    p.startGap = p.place.gap;
    aimAtGap(p);
    p.rebound = reboundSpeed(p);
    p.closed = true;
  }
}

void ExactIslandSolve::aimAtGap(ExactPoint& p) const {
  p.target = -std::max(p.startGap - aimedGap(p), 0.0) / h_;
}

/// speed at the moment of touch, from the velocities and loads at the start of the substep,
/// u² = u0² - 2 a φ.
double ExactIslandSolve::reboundSpeed(const ExactPoint& p) const {
  if (!(p.restitution > 0.0)) return 0.0;
  const double u = relativeVelocity(p, sim_.solver)[0];
  const auto pull = [&](std::uint32_t i, const Vector3D& arm) -> Vector3D {
    const BodyLoad& load = sim_.solver.load[i];
    if (sim_.pushable[i] == 0) return Vector3D::Zero();
    const Vector3D spin = inverseInertiaOf(sim_.solver.motion[i]) * vectorOf(load.torque);
    return vectorOf(load.a) + spin.cross(arm);
  };
  const double a = p.place.normal.dot(pull(p.body1, p.place.arm1) - pull(p.body0, p.place.arm0));
  const double gap = std::max(p.startGap, 0.0);
  const double mean = u + 0.5 * h_ * a;
  // What comes to touch within rounding counts as closed in phase 2, and rebounds.
  if (mean >= 0.0 || gap + h_ * mean > kExactTuning.touching * p.size) return 0.0;
  const double speed = std::sqrt(std::max(u * u - 2.0 * a * gap, 0.0));
  return speed > sim_.settings.restitutionThreshold ? p.restitution * speed : 0.0;
}

void ExactIslandSolve::beginPositions() {
  for (ExactPoint& p : points_) p.free = relativeVelocity(p, sim_.solver)[0];
  if (!data_.joints.empty()) beginJoints(JointComponent::Phase::kPosition);
}

void ExactIslandSolve::solvePhaseOne() {
  for (const std::uint32_t i : bodies_) sim_.exact.meanSpin[i] = vectorOf(sim_.solver.motion[i].w);
  solve();
  for (const std::uint32_t i : bodies_) {
    sim_.exact.meanSpin[i] = 0.5 * (sim_.exact.meanSpin[i] + vectorOf(sim_.solver.motion[i].w));
  }
  for (ExactPoint& p : points_) {
    p.first = p.impulse;
    p.firstPlace = p.place;
  }
}

void ExactIslandSolve::solvePositions() {
  solvePhaseOne();
  if (data_.joints.empty()) return;
  data_.wasOpen = data_.open;
  data_.open = evaluateJoints(JointComponent::Phase::kPosition);
  // Turns by a whole circle close joints, too.
  double before = 0.0, after = 0.0;
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const BodyMotion& m = sim_.solver.motion[bodies_[b]];
    const SpatialVector& free = data_.freeVelocity[b];
    before = std::max(before, reachOf(sim_.solver, bodies_[b], free.linear, free.angular, h_));
    after = std::max(after, reachOf(sim_.solver, bodies_[b], vectorOf(m.v), vectorOf(m.w), h_));
  }
  if (after > std::max(kExactTuning.farthest, kExactTuning.farther * before)) data_.open = std::numeric_limits<double>::infinity();
  double& violation = data_.phase.bilateralViolation;
  for (const ExactJointRow& r : data_.jointRows) {
    if (r.row->number >= kMostHoldingRows) continue;
    violation = std::fmax(violation, std::abs(rowVelocity(r) + r.offset));
  }
}

bool ExactIslandSolve::isTorn() const {
  return !data_.joints.empty() && !(data_.open <= kExactTuning.tornUnits);
}

void ExactIslandSolve::giveUpPositions() {
  data_.newtonLeft = sim_.settings.exactIterations;
  for (ExactPoint& p : points_) {
    aimAtGap(p);
    p.impulse.setZero();
  }
  giveUpJoints();
  solvePhaseOne();
}

/// Another solve for the joints: not where they have closed, nor where the error is down to what
/// the tolerance of a solve leaves.
bool ExactIslandSolve::wantsJoints() const {
  if (data_.joints.empty() || data_.open <= kExactTuning.closedUnits) return false;
  const bool stuck = data_.wasOpen > 0.0 && data_.open > kExactTuning.stuckClosing * data_.wasOpen;
  return data_.open > kExactTuning.tornUnits || !stuck;
}

bool ExactIslandSolve::correctTargets() {
  bool again = wantsJoints();
  if (!data_.phaseConverged) return again;
  for (ExactPoint& p : points_) {
    const double gap = placeContact(p, sim_.solver).gap;
    const double error = gap - aimedGap(p);
    if (!(p.impulse[0] > 0.0) && error >= 0.0) continue;
    if (std::abs(error) <= kExactTuning.gapError * p.size) continue;
    // (E-17): pushing on what parts already, or faster than it came, would add energy.
    const double target = std::min(p.target - error / h_, std::max(-p.free, 0.0));
    again = again || target != p.target;
    p.target = target;
  }
  return again;
}

void ExactIslandSolve::concludePositions() {
  if (!data_.joints.empty()) {
    const bool slow = data_.wasOpen > kExactTuning.tornUnits && data_.open > kExactTuning.slowClosing * data_.wasOpen;
    data_.stiff = data_.stiff || slow || isTorn();
    if (isTorn()) data_.converged = false;
  }
  concludePhase();
}

void ExactIslandSolve::solveVelocities() {
  bool bounces = false;
  for (ExactPoint& p : points_) {
    p.place = placeContact(p, sim_.solver);
    p.closed = p.first[0] > 0.0 || p.place.gap <= kExactTuning.touching * p.size;
    p.target = p.closed ? p.rebound : 0.0;
    bounces = bounces || p.target > 0.0;
  }
  keepVelocities();
  if (!data_.joints.empty()) beginJoints(JointComponent::Phase::kVelocity);
  if (bounces && sim_.settings.sequentialImpacts && data_.joints.empty()) {
    solveImpactsInTurn();
  } else {
    solve();
    if (bounces && (isJammed() || createsEnergy())) limitRebound();
  }
  accumulate();
}

void ExactIslandSolve::keepFree() {
  data_.freeVelocity.clear();
  for (const std::uint32_t i : bodies_) {
    const BodyMotion& m = sim_.solver.motion[i];
    data_.freeVelocity.emplace_back(vectorOf(m.v), vectorOf(m.w));
  }
}

void ExactIslandSolve::solve() {
  keepFree();
  try {
    solveRows();
  } catch (const std::invalid_argument&) {
    // Numbers that no problem can hold: the scatter stage finds them and takes the step back.
    for (const std::uint32_t i : bodies_) {
      sim_.solver.motion[i].v[0] = std::numeric_limits<double>::quiet_NaN();
    }
    for (ExactPoint& p : points_) p.impulse.setZero();
  }
  for (JointComponent* component : data_.joints) component->takeImpulses();
}

void ExactIslandSolve::solveRows() {
  if (data_.direct) solveDirectly();
  const ExactResult result = solveOnce();
  data_.direct = false;  // what it left open, the solves after it close
  takeMultipliers(result);
  take(result);
}

void ExactIslandSolve::resetToFree() {
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    BodyMotion& m = sim_.solver.motion[bodies_[b]];
    assign(m.v, data_.freeVelocity[b].linear);
    assign(m.w, data_.freeVelocity[b].angular);
  }
}

ExactResult ExactIslandSolve::solveOnce() {
  buildProblem();
  const ExactOptions options{.tolerance = sim_.settings.exactTolerance,
                             .velocityFloor = velocityFloor(),
                             .aim = (data_.direct ? 1.0 : kExactTuning.aim) * sim_.settings.exactTolerance,
                             .maxIterations = attemptLength(),
                             .team = team_};
  ExactResult result = data_.solver.solve(data_.problem, options, data_.warmStart);
  data_.newtonLeft -= result.newtonSteps;
  if (!result.converged()) result = solveAgain(result, options);
  for (ExactPoint& p : points_) {
    if (!p.closed) p.impulse.setZero();
  }
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
  return result;
}

/// An attempt takes a share of the island's Newton steps: another start often does what more steps
/// do not.
int ExactIslandSolve::attemptLength() const {
  const int share = sim_.settings.exactIterations / kExactTuning.attempts;
  return std::max(std::min(data_.newtonLeft, share), kExactTuning.leastNewton);
}

/// A hard problem from other starts: nothing, and shares of the warm start. The better answer counts.
ExactResult ExactIslandSolve::solveAgain(const ExactResult& first, ExactOptions options) {
  for (const double share : kExactTuning.restarts) {
    if (data_.newtonLeft < kExactTuning.leastNewton) break;
    options.maxIterations = attemptLength();
    data_.restart = data_.warmStart;
    for (double& value : data_.restart) value *= share;
    const ExactResult again = data_.otherSolver.solve(data_.problem, options, data_.restart);
    data_.newtonLeft -= again.newtonSteps;
    if (again.converged()) return again;
  }
  return first;
}

void ExactIslandSolve::addBody(std::uint32_t slot) {
  const BodyMotion& m = sim_.solver.motion[slot];
  sim_.exact.localBody[slot] = data_.problem.addBody({m.inverseMass, inverseInertiaOf(m)});
}

void ExactIslandSolve::buildProblem() {
  data_.problem.clear();
  for (const std::uint32_t slot : bodies_) addBody(slot);
  data_.contact.clear();
  data_.warmStart.clear();
  for (std::uint32_t i = 0; i < points_.size(); ++i) {
    if (!points_[i].closed) continue;
    addContact(points_[i]);
    data_.contact.push_back(i);
    for (int c = 0; c < 3; ++c) data_.warmStart.push_back(points_[i].impulse[c]);
  }
  addJointRows();
}

void ExactIslandSolve::addContact(const ExactPoint& p) {
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

int ExactIslandSolve::localBody(std::uint32_t slot) const {
  return sim_.pushable[slot] != 0 ? sim_.exact.localBody[slot] : kStaticBody;
}

/// What gravity adds in a step, and a share of the fastest motion: velocities of which the
/// tolerance's part is of no interest.
double ExactIslandSolve::velocityFloor() const {
  double fastest = 0.0;
  for (const std::uint32_t i : bodies_) {
    const BodyMotion& m = sim_.solver.motion[i];
    fastest = std::max(fastest, vectorOf(m.v).norm() + vectorOf(m.w).norm() * sim_.solver.pose[i].size);
  }
  return h_ * sim_.settings.gravity.norm() + kExactTuning.speedFloor * fastest;
}

/// Remembers what a solve has proved. Only the last solve of a phase counts: those before it were
/// attempts.
void ExactIslandSolve::take(const ExactResult& result) {
  data_.phase = result.certificate;
  data_.phaseConverged = result.converged();
  data_.iterations += result.iterations();
}

void ExactIslandSolve::concludePhase() {
  ContactCertificate& worst = data_.certificate;
  const ContactCertificate& c = data_.phase;
  const auto larger = [](double& a, double b) { a = std::fmax(a, b); };  // passes over NaN
  larger(worst.naturalMap, c.naturalMap);
  larger(worst.velocityError, c.velocityError);
  larger(worst.velocityErrorAbsolute, c.velocityErrorAbsolute);
  larger(worst.complementarity, c.complementarity);
  larger(worst.coneViolation, c.coneViolation);
  larger(worst.normalViolation, c.normalViolation);
  larger(worst.bilateralViolation, c.bilateralViolation);
  data_.converged = data_.converged && data_.phaseConverged;
}

void ExactIslandSolve::keepVelocities() {
  for (const std::uint32_t i : bodies_) {
    const BodyMotion& m = sim_.solver.motion[i];
    sim_.exact.kickedVelocity[i] = {vectorOf(m.v), vectorOf(m.w)};
  }
}

void ExactIslandSolve::resetVelocities() {
  for (const std::uint32_t i : bodies_) {
    BodyMotion& m = sim_.solver.motion[i];
    assign(m.v, sim_.exact.kickedVelocity[i].linear);
    assign(m.w, sim_.exact.kickedVelocity[i].angular);
  }
}

/// (E-9): translation: P·v̄ with the mean of the velocities before and after the substep, and (E-10), what
/// an uneven split into phases moves the body in the field of its loads, ½h a·(P₂ - P₁). Rotation:
/// L·ω̄ with the mean over each phase; the drift keeps the energy of the rotation.
double ExactIslandSolve::workOf(const ExactPoint& p, const Vector3D& first,
                                const Vector3D& second) const {
  const PairImpulse p1 = pairImpulse(p.firstPlace, first);
  const PairImpulse p2 = pairImpulse(p.place, second);
  const auto onBody = [&](std::uint32_t i, const Vector3D& turn1, const Vector3D& turn2) {
    const BodyMotion& m = sim_.solver.motion[i];
    if (sim_.pushable[i] == 0) {
      return (p1.linear + p2.linear).dot(vectorOf(m.v)) + (turn1 + turn2).dot(vectorOf(m.w));
    }
    const Vector3D velocity = 0.5 * (vectorOf(m.v) + sim_.exact.startVelocity[i].linear);
    const Vector3D spin = 0.5 * (vectorOf(m.w) + sim_.exact.kickedVelocity[i].angular);
    return (p1.linear + p2.linear).dot(velocity) +
           0.5 * h_ * vectorOf(sim_.solver.load[i].a).dot(p2.linear - p1.linear) +
           turn1.dot(sim_.exact.meanSpin[i]) + turn2.dot(spin);
  };
  return onBody(p.body1, p1.angular1, p2.angular1) - onBody(p.body0, p1.angular0, p2.angular0);
}

/// (L-7): the same impulses with the mean velocities of their phases, as the bodies' kinetic energies tell.
ExactIslandSolve::PhaseWork ExactIslandSolve::phaseWorkOf(const ExactPoint& p) const {
  const PairImpulse p1 = pairImpulse(p.firstPlace, p.first);
  const PairImpulse p2 = pairImpulse(p.place, p.impulse);
  PhaseWork work;
  const auto side = [&](std::uint32_t i, double sign, const Vector3D& turn1, const Vector3D& turn2) {
    const MeanMotion first{sim_.solver, i, PhaseEnd{.lead = 0.0, .passed = true}};
    const MeanMotion second{sim_.solver, i, PhaseEnd{PhaseKick::closing(h_).lead}};
    const double done = sign * (p1.linear.dot(first.v) + turn1.dot(first.w) + p2.linear.dot(second.v) +
                                turn2.dot(second.w));
    work.both += done;
    if (cannotBePushed(sim_.solver, i)) work.driven -= done;
  };
  side(p.body1, 1.0, p1.angular1, p2.angular1);
  side(p.body0, -1.0, p1.angular0, p2.angular0);
  return work;
}

double ExactIslandSolve::contactWork() const {
  double work = 0.0;
  for (const ExactPoint& p : points_) work += workOf(p, p.first, p.impulse);
  return work;
}

double ExactIslandSolve::linearKinetic() const {
  double kinetic = 0.0;
  for (const std::uint32_t i : bodies_) {
    kinetic += 0.5 * sim_.solver.mass[i].mass *
               (vectorOf(sim_.solver.motion[i].v).squaredNorm() +
                sim_.exact.startVelocity[i].linear.squaredNorm());
  }
  return kinetic;
}

bool ExactIslandSolve::createsEnergy() const {
  return contactWork() > kExactTuning.workRounding * linearKinetic();
}

/// (E-19): a body that friction wedges between two surfaces may have no impulses with which it rebounds from one of them.
/// They grow, and their works cancel, until rounding stops them.
bool ExactIslandSolve::isJammed() const {
  double work = 0.0;
  for (const ExactPoint& p : points_) {
    work += std::abs(workOf(p, {p.first[0], 0.0, 0.0}, {p.impulse[0], 0.0, 0.0}));
  }
  return work > kExactTuning.jammedWork * linearKinetic();
}

/// Newton's restitution with friction can create energy (Kane's pendulum), or ask for what no impulses do. The largest
/// common share of the rebounds that does not is searched for; the law with that restitution is solved as exactly as any
/// other.
void ExactIslandSolve::limitRebound() {
  double low = 0.0, high = 1.0, share = 1.0;
  bool jammed = isJammed();
  const auto attempt = [&](double s) {
    resetVelocities();
    for (ExactPoint& p : points_) {
      p.target = p.closed ? s * p.rebound : 0.0;
      if (jammed) p.impulse = p.first;
    }
    solve();
    share = s;
    jammed = isJammed();
    return !jammed && !createsEnergy();
  };
  for (int k = 0; k < kExactTuning.reboundHalvings; ++k) {
    const double middle = 0.5 * (low + high);
    (attempt(middle) ? low : high) = middle;
  }
  if (share != low) (void)attempt(low);
}

void ExactIslandSolve::accumulate() {
  concludePhase();
  double first = 0.0, second = 0.0, work = 0.0;
  for (ExactPoint& p : points_) {
    first += p.first[0];
    second += p.impulse[0];
    const double normal = workOf(p, {p.first[0], 0.0, 0.0}, {p.impulse[0], 0.0, 0.0});
    const double friction =
        workOf(p, {0.0, p.first[1], p.first[2]}, {0.0, p.impulse[1], p.impulse[2]});
    p.normalWork += normal;
    p.frictionWork += friction;
    p.total += p.first + p.impulse;
    const PhaseWork phases = phaseWorkOf(p);
    p.drivenWork += phases.driven;
    data_.scheme += phases.both - (normal + friction);
    work += normal + friction;
  }
  data_.dissipated = std::min(work, 0.0);
  // The impulses of phase 2 are the warm start of the next phase 1, unless they are those of an impact.
  if (second <= kExactTuning.impactRatio * first) return;
  for (ExactPoint& p : points_) p.impulse = p.first;
}

}  // namespace msd_sim
