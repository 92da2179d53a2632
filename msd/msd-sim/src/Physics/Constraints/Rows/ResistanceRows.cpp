#include "msd-sim/src/Physics/Constraints/Rows/ResistanceRows.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace msd_sim {

namespace {

Vector3D laneVector(const double* first, int lane) {
  return {first[lane], first[kBundleLanes + lane], first[2 * kBundleLanes + lane]};
}

Vector3D spinOf(const BodyMotion& m) { return {m.w[0], m.w[1], m.w[2]}; }

/// I⁻¹ a in world axes; zero for a body that cannot be pushed.
Vector3D turnedBy(const BodyMotion& m, const Vector3D& a) {
  return {m.inverseXX * a.x() + m.inverseXY * a.y() + m.inverseXZ * a.z(),
          m.inverseXY * a.x() + m.inverseYY * a.y() + m.inverseYZ * a.z(),
          m.inverseXZ * a.x() + m.inverseYZ * a.y() + m.inverseZZ * a.z()};
}

/// Both bodies of a row; pushes go to those that can be pushed.
struct Pair {
  BodyMotion& m0;
  BodyMotion& m1;
  Pair(SolverBodies& bodies, const ResistanceRow& row)
      : m0{bodies.motion[row.body0]}, m1{bodies.motion[row.body1]} {}
  [[nodiscard]] Vector3D spin() const { return spinOf(m1) - spinOf(m0); }
  [[nodiscard]] Vector3D answer(const Vector3D& q) const { return turnedBy(m0, q) + turnedBy(m1, q); }
  void push(const Vector3D& q) {
    turn(m1, turnedBy(m1, q));
    turn(m0, -turnedBy(m0, q));
  }

 private:
  static void turn(BodyMotion& m, const Vector3D& dw) {
    if (!(m.inverseMass > 0.0)) return;  // other threads read it
    for (int c = 0; c < 3; ++c) m.w[c] += dw[c];
  }
};

/// Sum of the contact's normal impulses in the running phase [N·s].
double loadOf(const ResistanceRow& row) {
  double load = 0.0;
  for (int i = 0; i < row.pointCount; ++i) load += row.points[i].impulse[0][row.lane];
  return load;
}

/// The impulse about the normal that stops the spin, within the limit.
double spinImpulse(const Pair& pair, const Vector3D& n, double old, double limit) {
  const double k = n.dot(pair.answer(n));
  if (!(k > 0.0)) return 0.0;
  return std::clamp(old - n.dot(pair.spin()) / k, -limit, limit);
}

/// The impulse across the normal, as friction's (rows.md, F-3 and F-4): what stops the rolling if the
/// disc holds it, else a step that keeps the direction of rolling and is projected onto the disc.
void rollImpulse(const Pair& pair, const Vector3D& t1, const Vector3D& t2, double limit, double& q1,
                 double& q2) {
  const Vector3D w = pair.spin();
  const Vector3D a1 = pair.answer(t1), a2 = pair.answer(t2);
  const double k11 = t1.dot(a1), k12 = t1.dot(a2), k22 = t2.dot(a2);
  const double u1 = t1.dot(w), u2 = t2.dot(w);
  const double det = k11 * k22 - k12 * k12;
  if (!(det > 0.0)) {
    q1 = q2 = 0.0;
    return;
  }
  const double s1 = q1 - (k22 * u1 - k12 * u2) / det, s2 = q2 - (k11 * u2 - k12 * u1) / det;
  if (s1 * s1 + s2 * s2 <= limit * limit) {
    q1 = s1;
    q2 = s2;
    return;
  }
  const double mean = 0.5 * (k11 + k22), spread = 0.5 * (k11 - k22);
  const double most = mean + std::sqrt(spread * spread + k12 * k12);
  const double p1 = q1 - u1 / most, p2 = q2 - u2 / most;
  const double length = std::sqrt(p1 * p1 + p2 * p2);
  const double shrink = length > limit ? limit / length : 1.0;
  q1 = shrink * p1;
  q2 = shrink * p2;
}

}  // namespace

void warmResistance(SolverBodies& bodies, const ResistanceRow& row) {
  for (int c = 0; c < 3; ++c) {
    if (bodies.motion[row.body0].inverseMass > 0.0) {
      bodies.warmStart[row.body0].angular[c] -= row.impulse[c];
    }
    if (bodies.motion[row.body1].inverseMass > 0.0) {
      bodies.warmStart[row.body1].angular[c] += row.impulse[c];
    }
  }
}

double visitResistance(SolverBodies& bodies, ResistanceRow& row) {
  Pair pair{bodies, row};
  const Vector3D before = pair.spin();
  const Vector3D n = laneVector(row.normal, row.lane), t1 = laneVector(row.tangent, row.lane);
  const Vector3D t2 = n.cross(t1);
  const double load = loadOf(row);

  // The normal may have turned since the last phase: what was about it and is no longer goes back too.
  const double spin = spinImpulse(pair, n, n.dot(row.impulse), row.torsional * load);
  const Vector3D spun = row.impulse + (spin - n.dot(row.impulse)) * n;
  pair.push(spun - row.impulse);
  double q1 = t1.dot(spun), q2 = t2.dot(spun);
  rollImpulse(pair, t1, t2, row.rolling * load, q1, q2);
  const Vector3D rolled = spin * n + q1 * t1 + q2 * t2;
  pair.push(rolled - spun);
  row.impulse = rolled;
  return row.size * (pair.spin() - before).norm();
}

void addResistanceWork(const SolverBodies& bodies, const ResistanceRow& row) {
  const auto side = [&](std::uint32_t body, const Vector3D& q) {
    const double done = q.dot(MeanMotion{bodies, body, PhaseEnd{0.0}}.w);
    *row.frictionWork += done;
    if (cannotBePushed(bodies, body)) *row.drivenWork -= done;
  };
  side(row.body1, row.impulse);
  side(row.body0, -row.impulse);
}

}  // namespace msd_sim
