// A component of ball joints alone: chains and ragdolls. The same method as for any other
// component, on three rows per joint at once: J M⁻¹Jᵀ is made of the arms, and no row has a law of
// its own (docs/theory/joints.md, section 10).
#include <algorithm>
#include <cmath>

#include "msd-sim/src/Physics/Constraints/Joints/JointComponent.hpp"
#include "msd-sim/src/Physics/Constraints/Joints/Tolerances.hpp"

namespace msd_sim {

namespace {

constexpr std::uint32_t kBallRows = 3;

/// [r]× M.
Matrix3D crossColumns(const Vector3D& r, const Matrix3D& m) {
  Matrix3D result;
  for (int c = 0; c < 3; ++c) {
    result(0, c) = r.y() * m(2, c) - r.z() * m(1, c);
    result(1, c) = r.z() * m(0, c) - r.x() * m(2, c);
    result(2, c) = r.x() * m(1, c) - r.y() * m(0, c);
  }
  return result;
}

/// I⁻¹ [r]×, in world axes.
Matrix3D turnByImpulse(const BodyMotion& m, const Vector3D& r) {
  Matrix3D result;
  result.col(0) = inverseInertiaTimes(m, {0.0, r.z(), -r.y()});
  result.col(1) = inverseInertiaTimes(m, {-r.z(), 0.0, r.x()});
  result.col(2) = inverseInertiaTimes(m, {r.y(), -r.x(), 0.0});
  return result;
}

Eigen::Map<Vector3D> threeOf(std::vector<double>& numbers, std::uint32_t row) {
  return Eigen::Map<Vector3D>(numbers.data() + row);
}

/// Largest entry, no sign.
double largestOf(const Vector3D& v) {
  return std::max({std::fabs(v.x()), std::fabs(v.y()), std::fabs(v.z())});
}

void addTo(double (&to)[3], const Vector3D& more) {
  for (int c = 0; c < 3; ++c) to[c] += more[c];
}

}  // namespace

void JointComponent::buildBalls(std::span<const JointRecord> records) {
  balls_.clear();
  ball_blocks_.clear();
  tree_.clear();
  const bool all = std::all_of(links_.begin(), links_.end(), [&](const Link& link) {
    const JointDefinition& joint = records[link.joint].definition;
    return joint.kind == JointKind::kBall && joint.constraint == nullptr &&
           link.rowCount == kBallRows && link.boundedCount == 0;
  });
  if (!all) return;
  buildTree(records);
  balls_.resize(links_.size());
  for (std::uint32_t k = 0; k < links_.size(); ++k) ball_blocks_.push_back(factor_.placeOf(k, k));
  for (const auto& [i, k] : edges_) ball_blocks_.push_back(factor_.placeOf(i, k));
}

void JointComponent::buildTree(std::span<const JointRecord> records) {
  std::vector<JointTree::Edge> edges;
  for (const Link& link : links_) {
    edges.push_back(
        {link.slotA, link.slotB, pushable_[link.bodyA] != 0, pushable_[link.bodyB] != 0});
  }
  tree_.build(edges);
  for (JointTree::Body& body : tree_.bodies()) {
    if (!body.jointed) continue;
    const JointDefinition& joint = records[links_[body.joint.link].joint].definition;
    body.joint.anchor = body.joint.sign > 0.0 ? joint.anchorB : joint.anchorA;
    body.joint.parentAnchor = body.joint.sign > 0.0 ? joint.anchorA : joint.anchorB;
  }
}

double JointComponent::measureTree(const SolverBodies& bodies,
                                   std::span<JointRecord> records) const {
  double squares = 0.0;
  for (const JointTree::Body& body : tree_.bodies()) {
    if (!body.jointed) continue;
    const double separation = JointTree::errorOf(bodies, body).norm();
    records[links_[body.joint.link].joint].separation = separation;
    squares += (separation / body.joint.size) * (separation / body.joint.size);
  }
  return std::sqrt(squares);
}

/// Impulses and anchors of the links, on the body farther from the root.
void JointComponent::startTree(const SolverBodies& bodies) {
  for (JointTree::Body& body : tree_.bodies()) {
    if (!body.jointed) continue;
    const Link& link = links_[body.joint.link];
    body.joint.size = link.size;
    for (std::uint32_t c = 0; c < kBallRows; ++c)
      body.joint.impulse[c] = body.joint.sign * rows_[link.row + c].impulse;
  }
  tree_.start(bodies);
  for (const JointTree::Body& body : tree_.bodies()) {
    if (!body.jointed) continue;
    const JointTree::Joint& joint = body.joint;
    links_[joint.link].applied =
        joint.sign > 0.0
            ? JointRow{-joint.impulse, joint.parentTorque, joint.impulse, joint.torque}
            : JointRow{joint.impulse, joint.torque, -joint.impulse, joint.parentTorque};
  }
}

/// The rows hold the impulses between steps.
void JointComponent::storeTree() {
  for (const JointTree::Body& body : tree_.bodies()) {
    if (!body.jointed) continue;
    const JointTree::Joint& joint = body.joint;
    Link& link = links_[joint.link];
    for (std::uint32_t c = 0; c < kBallRows; ++c)
      rows_[link.row + c].impulse = joint.sign * joint.impulse[c];
    link.sum = joint.sign > 0.0
                   ? JointRow{-joint.sum, joint.parentTorqueSum, joint.sum, joint.torqueSum}
                   : JointRow{joint.sum, joint.torqueSum, -joint.sum, joint.parentTorqueSum};
  }
}

void JointComponent::startBalls(std::span<const JointRecord> records) {
  for (std::size_t k = 0; k < links_.size(); ++k) {
    const Link& link = links_[k];
    Ball& ball = balls_[k];
    const JointDefinition& joint = records[link.joint].definition;
    ball.anchorA = joint.anchorA;
    ball.anchorB = joint.anchorB;
    for (std::uint32_t c = 0; c < kBallRows; ++c) ball.impulse[c] = rows_[link.row + c].impulse;
  }
}

/// The rows hold the impulses between steps.
void JointComponent::storeBalls() {
  for (std::size_t k = 0; k < balls_.size(); ++k) {
    for (std::uint32_t c = 0; c < kBallRows; ++c)
      rows_[links_[k].row + c].impulse = balls_[k].impulse[c];
  }
}

/// Arms and answers where the bodies stand.
void JointComponent::placeBalls(const SolverBodies& bodies) {
  for (std::size_t k = 0; k < links_.size(); ++k) {
    const Link& link = links_[k];
    Ball& ball = balls_[k];
    const BodyMotion& a = bodies.motion[link.slotA];
    const BodyMotion& b = bodies.motion[link.slotB];
    ball.armA = quaternionOf(bodies.pose[link.slotA].q) * ball.anchorA;
    ball.armB = quaternionOf(bodies.pose[link.slotB].q) * ball.anchorB;
    ball.massA = a.inverseMass;
    ball.massB = b.inverseMass;
    ball.answerA = -turnByImpulse(a, ball.armA);
    ball.answerB = turnByImpulse(b, ball.armB);
  }
}

void JointComponent::assembleBalls() {
  assembled_ = Phase::kPosition;
  factor_.clear();
  const std::uint32_t* place = ball_blocks_.data();
  for (Ball& ball : balls_) {
    Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> block(factor_.at(*place++));
    block = crossColumns(ball.armA, ball.answerA) - crossColumns(ball.armB, ball.answerB);
    block.diagonal().array() += ball.massA + ball.massB;
    ball.diagonal = block.diagonal();
    // A joint that moves nothing keeps its impulse.
    for (int c = 0; c < 3; ++c) {
      block(c, c) =
          ball.diagonal[c] > 0.0 ? (1.0 + joint_tolerances::kProximal) * ball.diagonal[c] : 1.0;
    }
  }
  for (const auto& [i, k] : edges_) {
    Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> block(factor_.at(*place++));
    const Link& li = links_[i];
    const Link& lk = links_[k];
    const Ball& bi = balls_[i];
    const Ball& bk = balls_[k];
    // Velocity at joint i by an impulse on joint k through a body that both share.
    const auto add = [&](double sign, const Vector3D& arm, double mass, const Matrix3D& answer) {
      const Matrix3D turn = crossColumns(arm, answer);
      block -= sign * turn;
      block.diagonal().array() += sign * mass;
    };
    if (li.bodyA == lk.bodyA && pushable_[li.bodyA] != 0) add(-1.0, bi.armA, -bk.massA, bk.answerA);
    if (li.bodyA == lk.bodyB && pushable_[li.bodyA] != 0) add(-1.0, bi.armA, bk.massB, bk.answerB);
    if (li.bodyB == lk.bodyA && pushable_[li.bodyB] != 0) add(1.0, bi.armB, -bk.massA, bk.answerA);
    if (li.bodyB == lk.bodyB && pushable_[li.bodyB] != 0) add(1.0, bi.armB, bk.massB, bk.answerB);
  }
  factor_.factor();
}

/// How fast the anchors of a joint part.
Vector3D JointComponent::ballVelocity(const SolverBodies& bodies, std::size_t k) const {
  const Ball& ball = balls_[k];
  const BodyMotion& a = bodies.motion[links_[k].slotA];
  const BodyMotion& b = bodies.motion[links_[k].slotB];
  return vectorOf(b.v) - vectorOf(a.v) + vectorOf(b.w).cross(ball.armB) -
         vectorOf(a.w).cross(ball.armA);
}

/// As applyDifference: only arms have changed.
void JointComponent::turnBalls(SolverBodies& bodies) {
  for (std::size_t k = 0; k < links_.size(); ++k) {
    const Link& link = links_[k];
    const Ball& ball = balls_[k];
    const Vector3D angularA = -ball.armA.cross(ball.impulse),
                   angularB = ball.armB.cross(ball.impulse);
    BodyMotion& a = bodies.motion[link.slotA];
    BodyMotion& b = bodies.motion[link.slotB];
    if (pushable_[link.bodyA] != 0)
      addTo(a.w, inverseInertiaTimes(a, angularA - link.applied.angularA));
    if (pushable_[link.bodyB] != 0)
      addTo(b.w, inverseInertiaTimes(b, angularB - link.applied.angularB));
  }
}

/// As beginSubstep: the arms are those of the bodies as they stand.
void JointComponent::beginBalls(const SolverBodies& bodies) {
  const double reach = correction_speed_ * h_, inverseH = 1.0 / h_;
  for (std::size_t k = 0; k < links_.size(); ++k) {
    const Link& link = links_[k];
    Ball& ball = balls_[k];
    const double limit = reach * link.size;
    const Vector3D error = vectorOf(bodies.pose[link.slotB].x) -
                           vectorOf(bodies.pose[link.slotA].x) + (ball.armB - ball.armA);
    for (int c = 0; c < 3; ++c) {
      const double closes = std::clamp(error[c], -limit, limit);
      ball.keep[c] = error[c] - closes;
      closing_[link.row + static_cast<std::uint32_t>(c)] = -closes * inverseH;
    }
  }
}

/// As evaluatePositions.
double JointComponent::evaluateBallPositions(const SolverBodies& bodies) {
  using namespace joint_tolerances;
  predict(bodies);
  const double inverseH = 1.0 / h_;
  double worst = 0.0;
  for (std::size_t k = 0; k < links_.size(); ++k) {
    const Link& link = links_[k];
    const Ball& ball = balls_[k];
    const BodyPose& a = drifted_[link.bodyA];
    const BodyPose& b = drifted_[link.bodyB];
    const Vector3D xA = vectorOf(a.x), xB = vectorOf(b.x);
    const Vector3D error = (xB - xA) +
                           (quaternionOf(b.q) * ball.anchorB - quaternionOf(a.q) * ball.anchorA) -
                           ball.keep;
    threeOf(residual_, link.row) = inverseH * error;
    const double closed = kClosed * link.size + kRoundingOfPlaces * (largestOf(xA) + largestOf(xB));
    worst = std::max(worst, largestOf(error) / closed);
  }
  return worst;
}

/// As evaluateVelocities.
double JointComponent::evaluateBallVelocities(const SolverBodies& bodies) {
  double worst = 0.0, speed = 0.0;
  for (std::size_t k = 0; k < links_.size(); ++k) {
    const Link& link = links_[k];
    const BodyMotion& a = bodies.motion[link.slotA];
    const BodyMotion& b = bodies.motion[link.slotB];
    const double linear = std::max(largestOf(vectorOf(a.v)), largestOf(vectorOf(b.v)));
    const double angular = std::max(largestOf(vectorOf(a.w)), largestOf(vectorOf(b.w)));
    speed = std::max({speed, linear, link.size * angular});
    const Vector3D u = ballVelocity(bodies, k);
    threeOf(residual_, link.row) = u;
    worst = std::max(worst, largestOf(u));
  }
  return speed > 0.0 ? worst / (joint_tolerances::kStill * speed) : (worst > 0.0 ? 2.0 : 0.0);
}

/// As keepWanted.
void JointComponent::keepWantedBalls(const SolverBodies& bodies) {
  for (std::size_t k = 0; k < links_.size(); ++k) {
    const std::uint32_t row = links_[k].row;
    threeOf(wanted_, row) = ballVelocity(bodies, k) - threeOf(residual_, row);
  }
}

/// As evaluateWanted.
double JointComponent::evaluateWantedBalls(const SolverBodies& bodies) {
  double worst = 0.0;
  for (std::size_t k = 0; k < links_.size(); ++k) {
    const Link& link = links_[k];
    const Vector3D error = ballVelocity(bodies, k) - threeOf(wanted_, link.row);
    threeOf(residual_, link.row) = error;
    worst = std::max(worst, largestOf(error) / link.size);
  }
  return worst * h_ / joint_tolerances::kClosed;
}

/// (J-42), as solveVelocities.
double JointComponent::solveBallVelocities(SolverBodies& bodies) {
  for (std::size_t k = 0; k < links_.size(); ++k) {
    const std::uint32_t row = links_[k].row;
    threeOf(residual_, row) = ballVelocity(bodies, k) - threeOf(closing_, row);
  }
  return solveSystem(bodies);
}

/// The right side of solveSystem.
void JointComponent::opposeBalls() {
  for (std::size_t k = 0; k < links_.size(); ++k) {
    const Ball& ball = balls_[k];
    const std::uint32_t row = links_[k].row;
    threeOf(change_, row) = -(threeOf(residual_, row) +
                              joint_tolerances::kDecay * ball.diagonal.cwiseProduct(ball.impulse));
  }
}

/// As applyChanges.
void JointComponent::applyBallChanges(SolverBodies& bodies) {
  for (std::size_t k = 0; k < links_.size(); ++k) {
    const Link& link = links_[k];
    Ball& ball = balls_[k];
    const Vector3D p = threeOf(change_, link.row);
    ball.impulse += p;
    BodyMotion& a = bodies.motion[link.slotA];
    BodyMotion& b = bodies.motion[link.slotB];
    // Mechanisms that other threads solve may hang on the same body that nothing moves.
    if (pushable_[link.bodyA] != 0) {
      addTo(a.v, -ball.massA * p);
      addTo(a.w, ball.answerA * p);
    }
    if (pushable_[link.bodyB] != 0) {
      addTo(b.v, ball.massB * p);
      addTo(b.w, ball.answerB * p);
    }
  }
}

/// What the phase gave to the bodies.
void JointComponent::noteBalls() {
  for (std::size_t k = 0; k < links_.size(); ++k) {
    const Ball& ball = balls_[k];
    links_[k].applied = {-ball.impulse, -ball.armA.cross(ball.impulse), ball.impulse,
                         ball.armB.cross(ball.impulse)};
  }
}

/// As addAnswer.
void JointComponent::addBallAnswer(std::size_t k, const Wrench& wrench, double share, double* right,
                                   std::size_t stride) const {
  const Ball& ball = balls_[k];
  const Link& link = links_[k];
  const Vector3D answer =
      link.slotA == wrench.slot
          ? Vector3D{ball.answerA.transpose() * wrench.angular - ball.massA * wrench.linear}
          : Vector3D{ball.answerB.transpose() * wrench.angular + ball.massB * wrench.linear};
  for (std::uint32_t c = 0; c < kBallRows; ++c) right[(link.row + c) * stride] -= share * answer[c];
}

/// As addResponses.
void JointComponent::addBallResponses() {
  for (std::size_t k = 0; k < links_.size(); ++k) {
    const Link& link = links_[k];
    const Ball& ball = balls_[k];
    const double* const p = several_.data() + kPushes * link.row;
    const auto add = [&](std::uint32_t body, double mass, const Matrix3D& answer) {
      double* const to = several_columns_.data() + 6 * kPushes * body;
      for (int r = 0; r < 3; ++r) {
        const std::size_t linear = kPushes * static_cast<std::size_t>(r),
                          angular = linear + 3 * kPushes;
        const double x = answer(r, 0), y = answer(r, 1), z = answer(r, 2);
        for (std::size_t i = 0; i < kPushes; ++i) {
          to[linear + i] += mass * p[linear + i];
          to[angular + i] += x * p[i] + y * p[kPushes + i] + z * p[2 * kPushes + i];
        }
      }
    };
    add(link.bodyA, -ball.massA, ball.answerA);
    add(link.bodyB, ball.massB, ball.answerB);
  }
}

void JointComponent::settleBalls() {
  for (std::size_t k = 0; k < links_.size(); ++k)
    balls_[k].impulse += threeOf(owed_, links_[k].row);
}

/// As measureErrors.
double JointComponent::measureBallErrors(const SolverBodies& bodies) {
  double squares = 0.0;
  for (std::size_t k = 0; k < links_.size(); ++k) {
    const Link& link = links_[k];
    const BodyPose& a = bodies.pose[link.slotA];
    const BodyPose& b = bodies.pose[link.slotB];
    const Vector3D error =
        (vectorOf(b.x) - vectorOf(a.x)) +
        (quaternionOf(b.q) * balls_[k].anchorB - quaternionOf(a.q) * balls_[k].anchorA);
    threeOf(residual_, link.row) = error;
    squares += error.squaredNorm() / (link.size * link.size);
  }
  return std::sqrt(squares);
}

void JointComponent::addBallMoves() {
  for (std::size_t k = 0; k < links_.size(); ++k) {
    const Link& link = links_[k];
    const Ball& ball = balls_[k];
    const Vector3D p = threeOf(change_, link.row);
    moves_[link.bodyA].d -= ball.massA * p;
    moves_[link.bodyA].theta += ball.answerA * p;
    moves_[link.bodyB].d += ball.massB * p;
    moves_[link.bodyB].theta += ball.answerB * p;
  }
}

}  // namespace msd_sim
