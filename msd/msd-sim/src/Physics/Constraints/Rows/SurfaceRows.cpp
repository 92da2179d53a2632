#include "msd-sim/src/Physics/Constraints/Rows/SurfaceRows.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace msd_sim {

namespace {

Vector3D vectorAt(const double (&v)[3]) { return {v[0], v[1], v[2]}; }

Vector3D turnedBy(const BodyMotion& m, const Vector3D& a) {
  return {m.inverseXX * a.x() + m.inverseXY * a.y() + m.inverseXZ * a.z(),
          m.inverseXY * a.x() + m.inverseYY * a.y() + m.inverseYZ * a.z(),
          m.inverseXZ * a.x() + m.inverseYZ * a.y() + m.inverseZZ * a.z()};
}

/// R a of the rotation since the start of the step.
Vector3D turned(const BodyTurn& turn, const Vector3D& a) {
  const Vector3D s{turn.q[1], turn.q[2], turn.q[3]};
  const Vector3D t = 2.0 * s.cross(a);
  return a + turn.q[0] * t + s.cross(t);
}

/// Both bodies at a point.
struct Pair {
  BodyMotion& m0;
  BodyMotion& m1;
  Vector3D arm0, arm1;

  Pair(SolverBodies& bodies, const SurfaceRow& row, int i)
      : m0{bodies.motion[row.body0]},
        m1{bodies.motion[row.body1]},
        arm0{row.arm0[i] + vectorAt(m1.dx) - vectorAt(m0.dx)},
        arm1{row.arm1[i]} {}

  [[nodiscard]] Vector3D velocity() const {
    return vectorAt(m1.v) + vectorAt(m1.w).cross(arm1) - vectorAt(m0.v) - vectorAt(m0.w).cross(arm0);
  }
  /// Change of the velocity by an impulse.
  [[nodiscard]] Vector3D answer(const Vector3D& p) const {
    return (m0.inverseMass + m1.inverseMass) * p + turnedBy(m1, arm1.cross(p)).cross(arm1) +
           turnedBy(m0, arm0.cross(p)).cross(arm0);
  }
  void push(const Vector3D& p) {
    give(m1, p, arm1);
    give(m0, -p, arm0);
  }

 private:
  static void give(BodyMotion& m, const Vector3D& p, const Vector3D& arm) {
    if (!(m.inverseMass > 0.0)) return;  // other threads read it
    const Vector3D dw = turnedBy(m, arm.cross(p));
    for (int c = 0; c < 3; ++c) {
      m.v[c] += m.inverseMass * p[c];
      m.w[c] += dw[c];
    }
  }
};

double gapOf(const SolverBodies& bodies, const SurfaceRow& row, int i) {
  const auto moved = [&](std::uint32_t body, const Vector3D& core) {
    return Vector3D{vectorAt(bodies.motion[body].dx) + turned(bodies.turn[body], core) - core};
  };
  return row.startGap[i] +
         row.normal.dot(moved(row.body1, row.core1[i]) - moved(row.body0, row.core0[i]));
}

/// (S-1), solved for the impulse that the velocity it makes itself asks for.
double softImpulse(const SurfaceRow& row, int i, double u, double k, double h, bool velocities) {
  const double half = 0.5 * h;
  const double old = row.impulse[i][0];
  if (velocities) {
    if (!(row.middle[i] < 0.0)) return 0.0;
    const double give = half * row.damping;
    const double wanted = -half * row.stiffness * row.middle[i] - give * u;
    return std::max(0.0, old + (wanted - old) / (1.0 + give * k));
  }
  const double give = half * (half * row.stiffness + row.damping);
  const double wanted = -half * row.stiffness * row.gap[i] - give * u;
  const double now = std::max(0.0, old + (wanted - old) / (1.0 + give * k));
  // A damper does not act before the surfaces meet.
  return row.gap[i] + half * (u + k * (now - old)) < 0.0 ? now : 0.0;
}

/// Coulomb's disc (rows.md, F-3 and F-4): full stop where the disc allows it, else a step that keeps
/// the direction of slip, projected.
void limitSlip(const Pair& pair, const SurfaceRow& row, double limit, double& p1, double& p2) {
  const Vector3D u = pair.velocity() + row.carry;
  const Vector3D a1 = pair.answer(row.tangent1), a2 = pair.answer(row.tangent2);
  const double k11 = row.tangent1.dot(a1), k12 = row.tangent1.dot(a2), k22 = row.tangent2.dot(a2);
  const double u1 = row.tangent1.dot(u), u2 = row.tangent2.dot(u);
  const double det = k11 * k22 - k12 * k12;
  if (!(det > 0.0)) {
    p1 = p2 = 0.0;
    return;
  }
  const double s1 = p1 - (k22 * u1 - k12 * u2) / det, s2 = p2 - (k11 * u2 - k12 * u1) / det;
  if (s1 * s1 + s2 * s2 <= limit * limit) {
    p1 = s1;
    p2 = s2;
    return;
  }
  const double mean = 0.5 * (k11 + k22), spread = 0.5 * (k11 - k22);
  const double most = mean + std::sqrt(spread * spread + k12 * k12);
  const double q1 = p1 - u1 / most, q2 = p2 - u2 / most;
  const double length = std::sqrt(q1 * q1 + q2 * q2);
  const double shrink = length > limit ? limit / length : 1.0;
  p1 = shrink * q1;
  p2 = shrink * q2;
}

}  // namespace

void openSurface(const SolverBodies& bodies, SurfaceRow& row) {
  if (!row.isSoft()) return;
  for (int i = 0; i < row.pointCount; ++i) row.gap[i] = gapOf(bodies, row, i);
}

double visitSurface(SolverBodies& bodies, SurfaceRow& row, double h, bool velocities) {
  double largest = 0.0;
  for (int i = 0; i < row.pointCount; ++i) {
    Pair pair{bodies, row, i};
    double* const p = row.impulse[i];
    const double k = row.normal.dot(pair.answer(row.normal));
    if (!(k > 0.0)) continue;
    if (row.isSoft()) {
      const double now =
          softImpulse(row, i, row.normal.dot(pair.velocity()), k, h, velocities);
      pair.push((now - p[0]) * row.normal);
      largest = std::max(largest, k * std::fabs(now - p[0]));
      p[0] = now;
    }
    double p1 = p[1], p2 = p[2];
    limitSlip(pair, row, row.friction * row.load(i), p1, p2);
    pair.push((p1 - p[1]) * row.tangent1 + (p2 - p[2]) * row.tangent2);
    largest = std::max(largest, k * std::max(std::fabs(p1 - p[1]), std::fabs(p2 - p[2])));
    p[1] = p1;
    p[2] = p2;
  }
  return largest;
}

void concludeSurface(const SolverBodies& bodies, SurfaceRow& row, double h, bool velocities, const PhaseEnd& end) {
  const MeanMotion mean0{bodies, row.body0, end}, mean1{bodies, row.body1, end};
  const Vector3D drift = vectorAt(bodies.motion[row.body1].dx) - vectorAt(bodies.motion[row.body0].dx);
  const Vector3D moved = drift - row.drift;
  row.drift = drift;
  for (int i = 0; i < row.pointCount; ++i) {
    const BodyMotion& m0 = bodies.motion[row.body0];
    const BodyMotion& m1 = bodies.motion[row.body1];
    const Vector3D arm0 = row.arm0[i] + vectorAt(m1.dx) - vectorAt(m0.dx);
    const Vector3D u0 = mean0.v + mean0.w.cross(arm0), u1 = mean1.v + mean1.w.cross(row.arm1[i]), u = u1 - u0;
    const Vector3D across = row.impulse[i][1] * row.tangent1 + row.impulse[i][2] * row.tangent2;
    if (row.isSoft()) {
      const Vector3D now = vectorAt(m1.v) + vectorAt(m1.w).cross(row.arm1[i]) - vectorAt(m0.v) -
                           vectorAt(m0.w).cross(arm0);
      const double speed = row.normal.dot(now);
      if (!velocities) row.middle[i] = row.gap[i] + 0.5 * h * speed;
      // The damper's loss; what the spring takes and gives beyond its energy is discretisation.
      const double damped = row.impulse[i][0] > 0.0 ? -0.5 * h * row.damping * speed * speed : 0.0;
      *row.normalWork += damped;
      row.scheme += row.impulse[i][0] * row.normal.dot(u) - damped;
    }
    *row.frictionWork += across.dot(u + row.carry);  // what slips loses, the surface gives the rest
    row.carried -= across.dot(row.carry);
    const Vector3D all = across + (row.isSoft() ? row.impulse[i][0] : 0.0) * row.normal;
    if (!cannotBePushed(bodies, row.body0)) row.scheme += moved.cross(row.warmStart[i]).dot(mean0.w);
    row.warmStart[i] = all;
    if (cannotBePushed(bodies, row.body0)) *row.drivenWork += all.dot(u0);
    if (cannotBePushed(bodies, row.body1)) *row.drivenWork -= all.dot(u1);
    for (int c = row.isSoft() ? 0 : 1; c < 3; ++c) {
      row.points[i]->total[c][row.lane] += row.impulse[i][c];
    }
  }
}

double surfaceEnergy(const SolverBodies& bodies, const SurfaceRow& row) {
  double energy = 0.0;
  if (!row.isSoft()) return energy;
  for (int i = 0; i < row.pointCount; ++i) {
    const double gap = std::min(gapOf(bodies, row, i), 0.0);
    energy += 0.5 * row.stiffness * gap * gap;
  }
  return energy;
}

}  // namespace msd_sim
