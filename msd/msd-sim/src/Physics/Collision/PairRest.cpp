#include "msd-sim/src/Physics/Collision/PairRest.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace msd_sim {

namespace {

// Twice what rounding to single precision changes.
constexpr double kRounding = std::numeric_limits<float>::epsilon();

bool isSphere(const CollisionShape& shape) {
  return shape.kind == ShapeKind::kSphere;
}

}  // namespace

RelativePlace::RelativePlace(const CollisionShape& a, const Placement& poseA,
                             const CollisionShape& b, const Placement& poseB) {
  if (isSphere(a) && isSphere(b)) {
    x = {(poseB.position - poseA.position).norm(), 0.0, 0.0};
    return;
  }
  const bool moves = isSphere(b) || (!isSphere(a) && b.size <= a.size);
  const Placement& frame = moves ? poseA : poseB;
  const Placement& moving = moves ? poseB : poseA;
  const CollisionShape& shape = moves ? b : a;
  x = frame.toLocal(moving.position);
  if (isSphere(shape)) return;
  const Quaternion turn = frame.orientation.conjugate() * moving.orientation;
  q = {turn.w(), turn.x(), turn.y(), turn.z()};
  radius = shape.size;
}

PairRest restOf(const RelativePlace& now, double allowed) {
  PairRest rest;
  for (int c = 0; c < 3; ++c) rest.x[c] = static_cast<float>(now.x[c]);
  for (int c = 0; c < 4; ++c) rest.q[c] = static_cast<float>(now.q[c]);
  rest.allowed = static_cast<float>(allowed);
  // Beyond single precision nothing can be told apart: such a pair is tested anew.
  const float sum = rest.x[0] + rest.x[1] + rest.x[2] + rest.q[0] + rest.q[1] + rest.q[2] +
                    rest.q[3] + rest.allowed;
  return std::isfinite(sum) ? rest : PairRest{};
}

// A point r away from the origin moves by no more than the origin does and, since |q - q0| is twice
// the sine of a quarter of the angle, by 2 r |q - q0|; q and -q are the same turn.
double wayLeft(const PairRest& rest, const RelativePlace& now) {
  const Vector3D x{rest.x[0], rest.x[1], rest.x[2]};
  const Eigen::Vector4d q{rest.q[0], rest.q[1], rest.q[2], rest.q[3]};
  const double turn = std::min((now.q - q).norm(), (now.q + q).norm());
  const double allowed{rest.allowed};
  const double moved = (now.x - x).norm() + 2.0 * now.radius * turn;
  const double rounding = kRounding * (x.lpNorm<1>() + 4.0 * now.radius + allowed);
  return allowed - moved - rounding;
}

}  // namespace msd_sim
