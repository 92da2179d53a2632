#include "msd-sim/src/Physics/Constraints/Joints/JointComponent.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "msd-sim/src/Physics/Constraints/Joints/Tolerances.hpp"
#include "msd-sim/src/Physics/Constraints/Rows/Kernels.hpp"

namespace msd_sim {

namespace {

JointRow times(double s, const JointRow& r) {
  return {s * r.linearA, s * r.angularA, s * r.linearB, s * r.angularB};
}
void add(JointRow& to, const JointRow& r) {
  to.linearA += r.linearA;
  to.angularA += r.angularA;
  to.linearB += r.linearB;
  to.angularB += r.angularB;
}
/// λ of an impulse Jᵀλ.
double multiplierOf(const JointRow& impulse, const JointRow& j) {
  const auto dot = [](const JointRow& x, const JointRow& y) {
    return x.linearA.dot(y.linearA) + x.angularA.dot(y.angularA) + x.linearB.dot(y.linearB) +
           x.angularB.dot(y.angularB);
  };
  const double square = dot(j, j);
  return square > 0.0 ? dot(impulse, j) / square : 0.0;
}
/// Share of a row's residual that its own velocity has to make up for; a soft row's impulse does the rest.
double hardPart(const SystemRow& row) {
  return row.softness > 0.0 ? row.diagonal / (row.diagonal + row.softness) : 1.0;
}
JointRow zeroRow() {
  return {Vector3D::Zero(), Vector3D::Zero(), Vector3D::Zero(), Vector3D::Zero()};
}

}  // namespace

double JointComponent::velocityOf(const SolverBodies& bodies, const Link& link,
                                  const SystemRow& row) const {
  const BodyMotion& a = bodies.motion[link.slotA];
  const BodyMotion& b = bodies.motion[link.slotB];
  const JointRow& j = row.jacobian;
  return j.linearA.dot(vectorOf(a.v)) + j.angularA.dot(vectorOf(a.w)) +
         j.linearB.dot(vectorOf(b.v)) + j.angularB.dot(vectorOf(b.w));
}

JointRow JointComponent::impulseOf(const Link& link) const {
  JointRow sum = zeroRow();
  for (std::uint32_t i = 0; i < link.rowCount; ++i) {
    const SystemRow& row = rows_[link.row + i];
    add(sum, times(row.impulse, row.jacobian));
  }
  for (std::uint32_t i = 0; i < link.boundedCount; ++i) {
    const SystemRow& row = bounded_[link.bounded + i];
    add(sum, times(row.impulse, row.jacobian));
  }
  return sum;
}

void JointComponent::prepare(const SolverBodies& bodies, std::span<const JointRecord> records,
                             double h, double correctionSpeed, double scale) {
  h_ = h;
  correction_speed_ = correctionSpeed;
  faults_ = {};
  works_ = {};
  if (!areBalls() && !isTree()) {
    placeRows(bodies, records);
    startRotors(bodies);
    if (inertia_) tuneMotors(bodies, records);
    assemble(Phase::kPosition);
  }
  for (auto* rows : {&rows_, &bounded_}) {
    for (SystemRow& row : *rows) {
      row.impulse *= scale;
      row.work = row.driven = 0.0;
    }
  }
  if (areBalls()) {
    startBalls(records);
    placeBalls(bodies);
    assembleBalls();
  }
  for (std::size_t k = 0; k < links_.size(); ++k) {
    Link& link = links_[k];
    const JointDefinition& joint = records[link.joint].definition;
    const auto sizeOf = [&](std::uint32_t body, std::uint32_t slot, const Vector3D& arm) {
      return pushable_[body] != 0 ? std::max(bodies.pose[slot].size, arm.norm()) : 0.0;
    };
    const double a = sizeOf(link.bodyA, link.slotA, joint.anchorA);
    const double b = sizeOf(link.bodyB, link.slotB, joint.anchorB);
    link.size = a > 0.0 && b > 0.0 ? std::min(a, b) : std::max(a, b);
    link.sum = zeroRow();
    if (isTree()) continue;
    if (areBalls()) {
      const Ball& ball = balls_[k];
      link.applied = {-ball.impulse, -ball.armA.cross(ball.impulse), ball.impulse, ball.armB.cross(ball.impulse)};
    } else {
      link.applied = impulseOf(link);
    }
  }
  if (isTree()) startTree(bodies);
}

void JointComponent::warm(SolverBodies& bodies) const {
  for (const Link& link : links_) {
    const auto give = [&](std::uint32_t slot, const Vector3D& linear, const Vector3D& angular) {
      if (!(bodies.motion[slot].inverseMass > 0.0)) return;
      BodyWarmStart& warmStart = bodies.warmStart[slot];
      for (int c = 0; c < 3; ++c) {
        warmStart.linear[c] += linear[c];
        warmStart.angular[c] += angular[c];
      }
    };
    give(link.slotA, link.applied.linearA, link.applied.angularA);
    give(link.slotB, link.applied.linearB, link.applied.angularB);
  }
}

/// The bodies' warm starts hold the impulses of the last phase with the arms of that time (J-16).
void JointComponent::applyDifference(SolverBodies& bodies) {
  for (Link& link : links_) {
    const JointRow now = impulseOf(link);
    const auto give = [&](std::uint32_t slot, const Vector3D& linear, const Vector3D& angular) {
      if (bodies.motion[slot].inverseMass > 0.0) push(bodies.motion[slot], linear, angular);
    };
    give(link.slotA, now.linearA - link.applied.linearA, now.angularA - link.applied.angularA);
    give(link.slotB, now.linearB - link.applied.linearB, now.angularB - link.applied.angularB);
    link.applied = now;
  }
}

void JointComponent::predict(const SolverBodies& bodies) {
  static const BodyKernels& kernels = kernelsFor(SimdTarget::kAuto).body;  // all targets give the same bits
  kernels.predict(bodies, drifting_, h_, drifted_);
}

/// Errors at the start of the substep, and how much of them phase 1 is to remove (J-8).
void JointComponent::beginSubstep(const SolverBodies& bodies,
                                  std::span<const JointRecord> records) {
  for (const Link& link : links_) {
    const JointRecord& record = records[link.joint];
    const JointPlace place = placeOfLink(bodies, link);
    double errors[kMostHoldingRows];
    evaluateErrors(record.definition, place, errors);
    const double reach = correction_speed_ * h_;
    const double share = userCorrection(record.definition, h_);
    const auto holding = static_cast<std::uint32_t>(holdingRowCount(record.definition));
    for (std::uint32_t i = 0; i < holding; ++i) {
      SystemRow& row = rows_[link.row + i];
      const double limit = row.isLength ? reach * link.size : reach;
      const double closes = std::clamp(share * errors[i], -limit, limit);
      row.keep = errors[i] - closes;
      closing_[link.row + i] = -closes / h_;
    }
    if (link.rowCount == holding && link.boundedCount == 0) continue;
    const double value = continuedCoordinate(
        record.definition, evaluateCoordinate(record.definition, place), record.coordinate);
    const auto begin = [&](SystemRow& row) {
      row.start = value;
      row.line = row.jacobian.linearB;
      if (row.law != RowLaw::kStop) return;
      const double limit = row.isLength ? reach * link.size : reach;
      row.start = row.sign * (value - row.target);
      row.keep = std::min(0.0, row.start + std::min(limit, -share * row.start));
    };
    for (std::uint32_t i = holding; i < link.rowCount; ++i) begin(rows_[link.row + i]);
    for (std::uint32_t i = 0; i < link.boundedCount; ++i) begin(bounded_[link.bounded + i]);
  }
}

/// How far a bounded row is from its law: 0 when the impulse is where its bounds and residual want
/// it.
double JointComponent::boundedResidual(const SystemRow& row, double value) const {
  if (!(row.diagonal > 0.0)) return 0.0;
  const double scale = row.diagonal + row.softness;
  const double half = 0.5 * h_;
  const double wanted = std::clamp(row.impulse - value / scale, half * row.lower, half * row.upper);
  return (row.impulse - wanted) * scale;
}

/// Residuals of phase 1 as velocities; returns the worst in units of what counts as closed.
JointComponent::PositionErrors JointComponent::evaluatePositions(const SolverBodies& bodies,
                                                                 std::span<const JointRecord> records) {
  using namespace joint_tolerances;
  if (areBalls()) return {evaluateBallPositions(bodies), 0.0};
  predict(bodies);
  const double inverseH = 1.0 / h_, half = 0.5 * h_;
  PositionErrors worst;
  for (const Link& link : links_) {
    const JointRecord& record = records[link.joint];
    const BodyPose& a = drifted_[link.bodyA];
    const BodyPose& b = drifted_[link.bodyB];
    JointPlace place{vectorOf(a.x), vectorOf(b.x), quaternionOf(a.q), quaternionOf(b.q), time_ + h_};
    if (record.definition.constraint != nullptr) {
      const JointPlace now = placeOf(bodies, link.slotA, link.slotB);
      place.vA = now.vA, place.wA = now.wA, place.vB = now.vB, place.wB = now.wB;
    }
    double errors[kMostHoldingRows];
    evaluateErrors(record.definition, place, errors);
    const auto holding = static_cast<std::uint32_t>(holdingRowCount(record.definition));
    // Rounding of the positions themselves cannot be solved away.
    const double floor = kRoundingOfPlaces * (vectorOf(a.x).lpNorm<Eigen::Infinity>() + vectorOf(b.x).lpNorm<Eigen::Infinity>());
    const double closed = kClosed * link.size + floor;
    for (std::uint32_t i = 0; i < holding; ++i) {
      const SystemRow& row = rows_[link.row + i];
      const double error = row.diagonal > 0.0 ? errors[i] - row.keep : 0.0;
      residual_[link.row + i] = error * inverseH;
      worst.free = std::max(worst.free, std::fabs(error) / (row.isLength ? closed : kClosed));
    }
    if (link.rowCount == holding && link.boundedCount == 0) continue;
    const double value = continuedCoordinate(
        record.definition, evaluateCoordinate(record.definition, place), record.coordinate);
    const auto residual = [&](SystemRow& row) {
      switch (row.law) {
        case RowLaw::kSpring: {
          row.mean = 0.5 * (row.start + (turnsOver(record, row, place) ? -value : value));
          const double push = half * softForce(row, velocityOf(bodies, link, row));
          const double turn = row.inertia * ((value - row.start) * inverseH - row.rotor);
          return (row.impulse - push + turn) * row.softness;
        }
        case RowLaw::kStop:
          return (row.sign * (value - row.target) - row.keep) * inverseH;
        default:
          return velocityOf(bodies, link, row) + row.rate - row.target;
      }
    };
    const double limit = (isAngle(record.definition.kind) ? kClosed : closed) * inverseH;
    for (std::uint32_t i = holding; i < link.rowCount; ++i) {
      SystemRow& row = rows_[link.row + i];
      residual_[link.row + i] = row.diagonal > 0.0 ? residual(row) : 0.0;
      worst.free = std::max(worst.free, hardPart(row) * std::fabs(residual_[link.row + i]) / limit);
    }
    for (std::uint32_t i = link.bounded; i < link.bounded + link.boundedCount; ++i) {
      bounded_residual_[i] = residual(bounded_[i]);
      worst.bounded = std::max(worst.bounded, std::fabs(boundedResidual(bounded_[i], bounded_residual_[i])) / limit);
    }
  }
  return worst;
}

/// Of a row in phase 2.
double JointComponent::velocityResidual(const SolverBodies& bodies, const Link& link, const SystemRow& row) const {
  const double u = velocityOf(bodies, link, row) + row.rate;
  switch (row.law) {
    case RowLaw::kEquality:
      return u;
    case RowLaw::kSpring:
      return (row.impulse - 0.5 * h_ * softForce(row, u) + row.inertia * (u - row.rotor)) * row.softness;
    case RowLaw::kStop:
      return row.first > 0.0 ? u : u + std::max(row.after, 0.0) / h_;
    default:
      return u - row.target;
  }
}

/// True when the last solve of phase 2 ran into a stop that it had left out.
bool JointComponent::hitsStop(const SolverBodies& bodies) const {
  for (std::uint32_t i = 0; i < bounded_.size(); ++i) {
    const SystemRow& row = bounded_[i];
    if (row.law != RowLaw::kStop || row.impulse != 0.0 || !(row.diagonal > 0.0)) continue;
    const Link& link = links_[bounded_link_[i]];
    const double limit = joint_tolerances::kNear * (row.isLength ? link.size : 1.0);
    if (velocityResidual(bodies, link, row) < -limit) return true;
  }
  return false;
}

/// Residuals of phase 2; returns the worst in units of what counts as still.
double JointComponent::evaluateVelocities(const SolverBodies& bodies) {
  using namespace joint_tolerances;
  if (areBalls()) return evaluateBallVelocities(bodies);
  double worst = 0.0, speed = 0.0;
  for (const Link& link : links_) {
    const BodyMotion& a = bodies.motion[link.slotA];
    const BodyMotion& b = bodies.motion[link.slotB];
    for (int c = 0; c < 3; ++c) {
      speed = std::max({speed, std::fabs(a.v[c]), std::fabs(b.v[c]), link.size * std::fabs(a.w[c]),
                        link.size * std::fabs(b.w[c])});
    }
    const auto residual = [&](const SystemRow& row) { return velocityResidual(bodies, link, row); };
    for (std::uint32_t i = link.row; i < link.row + link.rowCount; ++i) {
      const SystemRow& row = rows_[i];
      residual_[i] = row.diagonal > 0.0 ? residual(row) : 0.0;
      const double size = row.isLength ? 1.0 : link.size;
      worst = std::max(worst, size * hardPart(row) * std::fabs(residual_[i]));
    }
    for (std::uint32_t i = link.bounded; i < link.bounded + link.boundedCount; ++i) {
      bounded_residual_[i] = residual(bounded_[i]);
      const double size = bounded_[i].isLength ? 1.0 : link.size;
      worst = std::max(worst, size * std::fabs(boundedResidual(bounded_[i], bounded_residual_[i])));
    }
  }
  return speed > 0.0 ? worst / (kStill * speed) : (worst > 0.0 ? 2.0 : 0.0);
}

bool JointComponent::isWarmStartRight(const SolverBodies& bodies,
                                  std::span<const JointRecord> records) {
  beginSubstep(bodies, records);
  return evaluatePositions(bodies, records).all() <= 1.0;
}

/// What rows want of their velocities and impulses, from residuals that evaluatePositions has just found (J-41).
void JointComponent::keepWanted(const SolverBodies& bodies) {
  if (areBalls()) {
    keepWantedBalls(bodies);
    return;
  }
  const auto wanted = [&](const Link& link, const SystemRow& row, double residual) {
    return velocityOf(bodies, link, row) + row.softness * row.impulse - residual;
  };
  for (const Link& link : links_) {
    for (std::uint32_t i = link.row; i < link.row + link.rowCount; ++i) {
      wanted_[i] = wanted(link, rows_[i], residual_[i]);
    }
    for (std::uint32_t i = link.bounded; i < link.bounded + link.boundedCount; ++i) {
      bounded_wanted_[i] = wanted(link, bounded_[i], bounded_residual_[i]);
    }
  }
}

/// Residuals of phase 1 by what rows wanted before; returns the largest as evaluatePositions does.
double JointComponent::evaluateWanted(const SolverBodies& bodies) {
  if (areBalls()) return evaluateWantedBalls(bodies);
  const double closed = joint_tolerances::kClosed / h_;
  const auto residual = [&](const Link& link, const SystemRow& row, double wanted) {
    return row.diagonal > 0.0 ? velocityOf(bodies, link, row) + row.softness * row.impulse - wanted : 0.0;
  };
  double worst = 0.0;
  for (const Link& link : links_) {
    const auto note = [&](const SystemRow& row, double error) {
      worst = std::max(worst, std::fabs(error) / (row.isLength ? link.size : 1.0));
    };
    for (std::uint32_t i = link.row; i < link.row + link.rowCount; ++i) {
      const SystemRow& row = rows_[i];
      residual_[i] = residual(link, row, wanted_[i]);
      note(row, hardPart(row) * residual_[i]);
    }
    for (std::uint32_t i = link.bounded; i < link.bounded + link.boundedCount; ++i) {
      const SystemRow& row = bounded_[i];
      bounded_residual_[i] = residual(link, row, bounded_wanted_[i]);
      note(row, boundedResidual(row, bounded_residual_[i]));
    }
  }
  return worst / closed;
}

/// Phase 1 where contacts push the joints about in every sweep: these need not be closer than the end of the step
/// makes them (J-26). Newton's method looks at positions in the first sweep alone; what later ones change is
/// taken as linear (J-41).
double JointComponent::solveRoughly(SolverBodies& bodies, std::span<const JointRecord> records, bool first) {
  using namespace joint_tolerances;
  const double near = kNear * h_ / kClosed;
  double change = 0.0;
  if (!first) return evaluateWanted(bodies) > near ? solveSystem(bodies) : 0.0;
  double last = 0.0;
  markBest();
  for (int i = 0; i < kMostRough; ++i) {
    const PositionErrors worst = evaluatePositions(bodies, records);
    // A step leaves a share of the error that is as small as the turn of a substep. Rows with bounds may take turns.
    if (i > 0 && worst.free > kSlow * last && worst.free > near) return giveUpPositions(bodies, records);
    keepWanted(bodies);
    if (worst.all() <= near) break;
    change = std::max(change, solveSystem(bodies));
    if (worst.all() * kSlow * kSlow <= near) break;
    last = worst.all();
  }
  return change;
}

/// (J-42): a substep in which links turn so far that their joints cannot be closed after it. What its impulses did
/// since markBest is taken back; joints keep their velocities instead, and are closed at the end of the step (J-26).
double JointComponent::giveUpPositions(SolverBodies& bodies, std::span<const JointRecord> records) {
  faults_ = {true, true, true};
  hot_.clear();
  for (std::size_t i = 0; i < change_.size(); ++i) change_[i] = -since_best_[i];
  applyChanges(bodies);
  return solveVelocities(bodies, records);
}

double JointComponent::solveVelocities(SolverBodies& bodies, std::span<const JointRecord> records) {
  if (areBalls()) return solveBallVelocities(bodies);
  evaluateClosing(bodies, records);
  return solveSystem(bodies);
}

void JointComponent::evaluateClosing(const SolverBodies& bodies, std::span<const JointRecord> records) {
  (void)evaluatePositions(bodies, records);  // of rows that hold nothing
  for (const Link& link : links_) {
    const auto holding = static_cast<std::uint32_t>(holdingRowCount(records[link.joint].definition));
    for (std::uint32_t i = link.row; i < link.row + holding; ++i) {
      const SystemRow& row = rows_[i];
      residual_[i] = row.diagonal > 0.0 ? velocityOf(bodies, link, row) + row.rate - closing_[i] : 0.0;
    }
  }
}

double JointComponent::solve(SolverBodies& bodies, std::span<const JointRecord> records,
                             bool first) {
  if (first) {
    if (assembled_ != Phase::kPosition) assemble(Phase::kPosition);
    if (areBalls()) {
      beginBalls(bodies);
    } else {
      beginSubstep(bodies, records);
    }
    faults_.gaveUp = false;
  }
  using namespace joint_tolerances;
  if (faults_.gaveUp) return solveVelocities(bodies, records);
  if (touched_) return solveRoughly(bodies, records, first);
  std::fill(since_start_.begin(), since_start_.end(), 0.0);
  double change = 0.0, last = 0.0, best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kMostNewton; ++i) {
    const double worst = evaluatePositions(bodies, records).all();
    const bool slow = i > 0 && worst > kSlow * last;
    faults_.stiff = faults_.stiff || (slow && last > kClear);
    if (worst < best) {
      best = worst;
      markBest();
    }
    if (best <= 1.0 || (i > 2 && worst > 0.5 * last)) break;
    last = worst;
    change = std::max(change, solveSystem(bodies, slow && bounded_.empty()));
  }
  goBack(bodies);
  faults_.stiff = faults_.stiff || kClosed * best > kStiff;
  if (first && kClosed * best > kStiffRough) {
    std::copy(since_start_.begin(), since_start_.end(), since_best_.begin());
    return giveUpPositions(bodies, records);
  }
  return change;
}

/// Phase 2 where contacts act: one solve a sweep, and none for what the end of the step does not see. Its laws are
/// linear, as (J-41) takes those of phase 1 to be.
double JointComponent::relaxRoughly(SolverBodies& bodies, bool first) {
  using namespace joint_tolerances;
  if (!first) return evaluateWanted(bodies) > kNear * h_ / kClosed ? solveSystem(bodies) : 0.0;
  double change = 0.0;
  for (int i = 0; i < kMostRough; ++i) {
    const double worst = evaluateVelocities(bodies);
    keepWanted(bodies);
    if (worst <= 1.0) break;
    change = std::max(change, solveSystem(bodies));
    if (!hitsStop(bodies)) break;
  }
  return change;
}

void JointComponent::follow(SolverBodies& bodies, std::span<JointRecord> records, Phase phase,
                            double carried) {
  if (carried != 1.0) {
    for (Link& link : links_) link.applied = times(carried, link.applied);
    for (auto* rows : {&rows_, &bounded_}) {
      for (SystemRow& row : *rows) row.impulse *= carried;
    }
  }
  if (areBalls()) {
    for (Ball& ball : balls_) ball.impulse *= carried;
    placeBalls(bodies);
    assembleBalls();
    turnBalls(bodies);
    return;
  }
  placeRows(bodies, records);
  if (soft_ && phase == Phase::kVelocity) turnSprings(bodies, records);
  assemble(soft_ ? phase : Phase::kPosition);
  applyDifference(bodies);
  measureCoordinates(bodies, records);
}

double JointComponent::relax(SolverBodies& bodies, std::span<JointRecord> records, bool first,
                             double carried) {
  if (first) follow(bodies, records, Phase::kVelocity, carried);
  if (touched_) return relaxRoughly(bodies, first);
  double change = 0.0, last = 0.0;
  for (int i = 0; i < joint_tolerances::kMostNewton; ++i) {
    const double worst = evaluateVelocities(bodies);
    if (worst <= 1.0 || (i > 1 && worst > 0.5 * last)) break;
    last = worst;
    change = std::max(change, solveSystem(bodies));
  }
  return change;
}

/// Newton's method with the matrix A of the substep's start sees every direction as stiff as it was
/// then. Where this has changed, as in a linkage that passes a flat position, two steps show by how
/// much: the third goes to where the secant through both ends (J-24), in the norm of A.
void JointComponent::followSecant() {
  double both = 0.0, square = 0.0;
  for (std::size_t i = 0; i < change_.size(); ++i) {
    const double turn = solved_[i] - last_solved_[i];
    both += turn * right_side_[i];
    square += turn * (right_side_[i] - last_right_side_[i]);
  }
  if (!(square > 0.0)) return;
  const double share = both / square;
  for (std::size_t i = 0; i < change_.size(); ++i) {
    change_[i] = solved_[i] - share * (last_step_[i] + solved_[i] - last_solved_[i]);
  }
}

/// One linear solve with what the residuals hold: A δ = -r, bounded rows by their Schur complement.
double JointComponent::solveSystem(SolverBodies& bodies, bool secant) {
  const std::size_t n = rows_.size();
  const double largest = largestResidual();
  change_.swap(last_step_);
  solved_.swap(last_solved_);
  if (areBalls()) {
    opposeBalls();
  } else {
    for (std::size_t i = 0; i < n; ++i) {
      const SystemRow& row = rows_[i];
      const double decay =
          row.law == RowLaw::kEquality ? joint_tolerances::kDecay * row.diagonal * row.impulse : 0.0;
      change_[i] = -(residual_[i] + decay);
    }
  }
  right_side_.swap(last_right_side_);
  std::copy(change_.begin(), change_.end(), right_side_.begin());
  factor_.solveForward(change_);
  findHot();
  if (!hot_.empty()) {
    for (const std::uint32_t c : hot_) cacheHotRow(c);
    solveBounded();
    for (std::size_t k = 0; k < hot_.size(); ++k) {
      const double* const column = columns_.data() + hot_[k] * n;
      const double change = bounded_change_[hot_[k]];
      if (change == 0.0) continue;
      for (std::size_t i = 0; i < n; ++i) change_[i] -= column[i] * change;
    }
  }
  factor_.solveBackward(change_);
  std::copy(change_.begin(), change_.end(), solved_.begin());
  if (secant) followSecant();
  applyChanges(bodies);
  return largest;
}

/// How much a solve changes the velocities of rows [m/s]. Impulses say less: where light links carry something heavy, or
/// rows are redundant, they change much and move nothing.
double JointComponent::largestResidual() const {
  double largest = 0.0;
  if (areBalls()) {
    for (const double residual : residual_) largest = std::max(largest, std::fabs(residual));
    return largest;
  }
  for (const Link& link : links_) {
    for (std::uint32_t i = link.row; i < link.row + link.rowCount; ++i) {
      const double size = rows_[i].isLength ? 1.0 : link.size;
      largest = std::max(largest, size * hardPart(rows_[i]) * std::fabs(residual_[i]));
    }
    for (std::uint32_t i = link.bounded; i < link.bounded + link.boundedCount; ++i) {
      const double size = bounded_[i].isLength ? 1.0 : link.size;
      largest = std::max(largest, size * std::fabs(boundedResidual(bounded_[i], bounded_residual_[i])));
    }
  }
  return largest;
}

void JointComponent::applyChanges(SolverBodies& bodies) {
  is_best_ = false;
  for (std::size_t i = 0; i < change_.size(); ++i) {
    since_best_[i] += change_[i];
    since_start_[i] += change_[i];
  }
  if (areBalls()) {
    applyBallChanges(bodies);
    return;
  }
  for (Link& link : links_) {
    JointRow give = zeroRow();
    const auto take = [&](SystemRow& row, double change) {
      row.impulse += change;
      add(give, times(change, row.jacobian));
    };
    for (std::uint32_t i = link.row; i < link.row + link.rowCount; ++i) {
      if (rows_[i].diagonal > 0.0) take(rows_[i], change_[i]);
    }
    if (!hot_.empty()) {
      for (std::uint32_t i = link.bounded; i < link.bounded + link.boundedCount; ++i) {
        take(bounded_[i], bounded_change_[i]);
      }
    }
    if (pushable_[link.bodyA] != 0) push(bodies.motion[link.slotA], give.linearA, give.angularA);
    if (pushable_[link.bodyB] != 0) push(bodies.motion[link.slotB], give.linearB, give.angularB);
    add(link.applied, give);
  }
}

/// The impulses of now are the best of this phase so far.
void JointComponent::markBest() {
  std::fill(since_best_.begin(), since_best_.end(), 0.0);
  is_best_ = true;
}

/// Back to the best impulses of this phase. Where rows have bounds, the last are the best: worse on
/// the way means that another set of them carries.
void JointComponent::goBack(SolverBodies& bodies) {
  if (is_best_ || !bounded_.empty()) return;
  for (std::size_t i = 0; i < change_.size(); ++i) change_[i] = -since_best_[i];
  applyChanges(bodies);
}

/// True when the drift carries the ends of a spring past each other: the direction it had then
/// points the other way.
bool JointComponent::turnsOver(const JointRecord& record, const SystemRow& row,
                               const JointPlace& place) {
  return record.definition.kind == JointKind::kSpring &&
         row.line.dot(evaluateLine(record.definition, place)) < 0.0;
}

/// A spring whose ends have passed each other is measured along its new direction from now on.
void JointComponent::turnSprings(const SolverBodies& bodies, std::span<const JointRecord> records) {
  for (const Link& link : links_) {
    const JointRecord& record = records[link.joint];
    if (record.definition.kind != JointKind::kSpring || link.rowCount == 0) continue;
    SystemRow& row = rows_[link.row];
    if (!turnsOver(record, row, placeOfLink(bodies, link))) continue;
    row.impulse = -row.impulse;
    row.first = -row.first;
    row.start = -row.start;
    row.mean = 2.0 * row.target - row.mean;
  }
}

/// Coordinates after the drift.
void JointComponent::measureCoordinates(const SolverBodies& bodies,
                                        std::span<JointRecord> records) {
  for (const Link& link : links_) {
    JointRecord& record = records[link.joint];
    const auto holding = static_cast<std::uint32_t>(holdingRowCount(record.definition));
    if (link.rowCount == holding && link.boundedCount == 0) continue;
    const JointPlace place = placeOfLink(bodies, link);
    record.coordinate = continuedCoordinate(
        record.definition, evaluateCoordinate(record.definition, place), record.coordinate);
    const auto measure = [&](SystemRow& row) {
      row.after = row.law == RowLaw::kStop ? row.sign * (record.coordinate - row.target)
                                           : record.coordinate;
    };
    for (std::uint32_t i = holding; i < link.rowCount; ++i) measure(rows_[link.row + i]);
    for (std::uint32_t i = 0; i < link.boundedCount; ++i) measure(bounded_[link.bounded + i]);
  }
}

namespace {

/// (J-18): what hits a stop, sticks or is driven at a speed may change its speed at once, and does not move evenly over the
/// substep; the works of such rows' impulses are those of the phases (L-7).
bool isHard(const SystemRow& row) { return row.law == RowLaw::kStop || row.law == RowLaw::kDrive; }

}  // namespace

void JointComponent::concludeLinks(const SolverBodies& bodies, const PhaseEnd& end) {
  const auto side = [&](std::uint32_t slot, const Vector3D& linear, const Vector3D& angular) {
    const MeanMotion mean{bodies, slot, end};
    const double done = linear.dot(mean.v) + angular.dot(mean.w);
    works_.both += done;
    if (cannotBePushed(bodies, slot)) works_.driven -= done;
  };
  const auto addHard = [&](const Link& link, SystemRow& row) {
    if (!isHard(row) || row.impulse == 0.0) return;
    const MeanMotion a{bodies, link.slotA, end}, b{bodies, link.slotB, end};
    const JointRow& j = row.jacobian;
    row.work += row.impulse * (j.linearA.dot(a.v) + j.angularA.dot(a.w) + j.linearB.dot(b.v) + j.angularB.dot(b.w));
  };
  if (areBalls()) noteBalls();
  for (Link& link : links_) {
    for (std::uint32_t i = 0; i < link.rowCount && !areBalls(); ++i) addHard(link, rows_[link.row + i]);
    for (std::uint32_t i = 0; i < link.boundedCount; ++i) addHard(link, bounded_[link.bounded + i]);
    add(link.sum, link.applied);
    side(link.slotA, link.applied.linearA, link.applied.angularA);
    side(link.slotB, link.applied.linearB, link.applied.angularB);
  }
}

void JointComponent::concludePositions(const SolverBodies& bodies, const PhaseEnd& end) {
  time_ += h_;
  if (isTree()) {
    tree_.conclude(bodies, end, works_);
    return;
  }
  concludeLinks(bodies, end);
  if (areBalls()) return;
  for (auto* rows : {&rows_, &bounded_}) {
    for (SystemRow& row : *rows) {
      row.first = row.impulse;
      if (row.number >= kMostHoldingRows) noteMotor(row, Phase::kPosition);
    }
  }
}

void JointComponent::concludeVelocities(const SolverBodies& bodies, const PhaseEnd& end) {
  if (isTree()) {
    tree_.conclude(bodies, end, works_);
    return;
  }
  concludeLinks(bodies, end);
  if (areBalls()) return;
  for (auto* rows : {&rows_, &bounded_}) {
    for (SystemRow& row : *rows) {
      if (row.number < kMostHoldingRows) continue;
      // (J-18): mean force of the substep times the way of the coordinate.
      if (!isHard(row)) row.work += (row.first + row.impulse) / h_ * (row.after - row.start);
      noteMotor(row, Phase::kVelocity);
    }
  }
}

void JointComponent::finish(const SolverBodies& bodies, std::span<JointRecord> records, double dt) {
  if (areBalls()) storeBalls();
  if (isTree()) storeTree();
  for (const Link& link : links_) {
    JointRecord& record = records[link.joint];
    const JointDefinition& joint = record.definition;
    const JointPlace place = placeOfLink(bodies, link);
    record.impulse.fill(0.0);
    record.work = record.motorForce = 0.0;
    double kinetic = 0.0;
    const auto take = [&](const SystemRow& row) {
      record.impulse[row.number] = row.impulse;
      record.work += row.work;
      record.motorForce += row.driven / dt;
      kinetic += 0.5 * row.inertia * row.rotor * row.rotor;
    };
    for (std::uint32_t i = link.row; i < link.row + link.rowCount; ++i) take(rows_[i]);
    for (std::uint32_t i = link.bounded; i < link.bounded + link.boundedCount; ++i) {
      take(bounded_[i]);
    }
    record.coordinate =
        continuedCoordinate(joint, evaluateCoordinate(joint, place), record.coordinate);
    // What is left of the work is that of motors, stops, friction and dampers.
    const double potential = springEnergy(joint, record.coordinate);
    record.potentialChange = potential - record.potential;
    record.potential = potential;
    record.kineticChange = kinetic - record.kinetic;
    record.kinetic = kinetic;
    record.work += record.potentialChange + record.kineticChange;
    if (joint.constraint != nullptr) {
      const SystemRow& row = link.rowCount > 0 ? rows_[link.row] : bounded_[link.bounded];
      record.multiplier = multiplierOf(link.sum, row.jacobian) / dt;
    }
    const Vector3D armB = place.qB * joint.anchorB;
    const Vector3D force = link.sum.linearB / dt;
    record.reaction = {force, link.sum.angularB / dt - armB.cross(force)};
    record.separation = evaluateSeparation(joint, place);
  }
}

}  // namespace msd_sim
