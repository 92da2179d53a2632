#include "msd-sim/src/Physics/Constraints/Joints/JointCurvature.hpp"

#include "msd-sim/src/Physics/Constraints/Joints/JointGeometry.hpp"

namespace msd_sim {

namespace {

/// Half the time over which a user's own row is followed [s].
constexpr double kMoment = 1e-5;

/// Rates of everything in a joint's geometry.
struct Rates {
  Vector3D wA, wB;
  Vector3D dDot;     ///< velocity of B's anchor relative to A's
  Vector3D dDotDot;  ///< its rate for bodies that do not accelerate

  Rates(const JointGeometry& g, const JointRates& r)
      : wA{r.wA},
        wB{r.wB},
        dDot{r.vB + r.wB.cross(g.armB) - r.vA - r.wA.cross(g.armA)},
        dDotDot{r.wB.cross(r.wB.cross(g.armB)) - r.wA.cross(r.wA.cross(g.armA))} {}
};

/// Of t·d with t fixed to A.
double slideCurvature(const JointGeometry& g, const Rates& r, const Vector3D& t) {
  const Vector3D tDot = r.wA.cross(t);
  return r.wA.cross(tDot).dot(g.d) + 2.0 * tDot.dot(r.dDot) + t.dot(r.dDotDot);
}

/// Of u·w with u fixed to A and w to B.
double squareCurvature(const Rates& r, const Vector3D& u, const Vector3D& w) {
  const Vector3D turn = r.wB.cross(w).cross(u) + w.cross(r.wA.cross(u));
  return turn.dot(r.wB - r.wA);
}

/// Of |d|.
double lengthCurvature(const JointGeometry& g, const Rates& r) {
  const Vector3D line = lineOf(g);
  const double length = g.d.norm();
  const double rate = line.dot(r.dDot);
  const double bend = length > 0.0 ? (r.dDot.squaredNorm() - rate * rate) / length : 0.0;
  return line.dot(r.dDotDot) + bend;
}

Quaternion turned(const Quaternion& q, const Vector3D& angle) {
  const Vector3D half = 0.5 * angle;
  return (Quaternion{1.0, half.x(), half.y(), half.z()} * q).normalized();
}

/// Of a user's row, by differences.
double userCurvature(const JointDefinition& joint, const JointPlace& place, const JointRates& r) {
  const auto rateAt = [&](double t) {
    const JointPlace moved{place.xA + t * r.vA, place.xB + t * r.vB, turned(place.qA, t * r.wA),
                           turned(place.qB, t * r.wB), place.time + t};
    const JointRow j = userRow(joint, moved);
    return j.linearA.dot(r.vA) + j.angularA.dot(r.wA) + j.linearB.dot(r.vB) +
           j.angularB.dot(r.wB) + userRate(joint, moved);
  };
  return (rateAt(kMoment) - rateAt(-kMoment)) / (2.0 * kMoment);
}

}  // namespace

void evaluateCurvatures(const JointDefinition& joint, const JointPlace& place,
                        const JointRates& rates, double* curvatures) {
  if (joint.constraint != nullptr) {
    curvatures[0] = userCurvature(joint, place, rates);
    return;
  }
  const JointGeometry g(joint, place);
  const Rates r(g, rates);
  int i = 0;
  if (holdsPoint(joint.kind)) {
    for (int c = 0; c < 3; ++c) curvatures[i++] = r.dDotDot[c];
  }
  switch (joint.kind) {
    case JointKind::kSlider:
    case JointKind::kCylindrical:
      curvatures[i++] = slideCurvature(g, r, g.a.col(0));
      curvatures[i++] = slideCurvature(g, r, g.a.col(1));
      [[fallthrough]];
    case JointKind::kHinge:
    case JointKind::kFixed:
      curvatures[i++] = squareCurvature(r, g.a.col(0), g.b.col(2));
      curvatures[i++] = squareCurvature(r, g.a.col(1), g.b.col(2));
      if (joint.kind == JointKind::kSlider || joint.kind == JointKind::kFixed) {
        curvatures[i++] = squareCurvature(r, g.a.col(0), g.b.col(1));
      }
      break;
    case JointKind::kUniversal:
      curvatures[i++] = squareCurvature(r, g.a.col(2), g.b.col(0));
      break;
    case JointKind::kDistance:
      curvatures[i++] = lengthCurvature(g, r);
      break;
    default:
      break;
  }
}

double evaluateCoordinateCurvature(const JointDefinition& joint, const JointPlace& place,
                                   const JointRates& rates) {
  if (joint.constraint != nullptr) return userCurvature(joint, place, rates);
  const JointGeometry g(joint, place);
  const Rates r(g, rates);
  if (isAngle(joint.kind)) return r.wA.cross(Vector3D{g.a.col(2)}).dot(r.wB - r.wA);
  if (joint.kind == JointKind::kSlider) return slideCurvature(g, r, g.a.col(2));
  return lengthCurvature(g, r);
}

}  // namespace msd_sim
