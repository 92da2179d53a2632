#include "msd-sim/src/DataTypes/Rotation.hpp"

#include <cmath>

namespace msd_sim {

Quaternion exponentialRotation(const Vector3D& angle) {
  // q = (cos h, sin h / h · angle/2) with h = |angle|/2, by series at h/2^k, then squared k times.
  Vector3D half = 0.5 * angle;
  int squarings = 0;
  double h2 = half.squaredNorm();
  while (h2 > 0.0625 && squarings < 64) {
    half *= 0.5;
    h2 *= 0.25;
    ++squarings;
  }
  const double sinc =
      1.0 -
      h2 / 6.0 * (1.0 - h2 / 20.0 * (1.0 - h2 / 42.0 * (1.0 - h2 / 72.0 * (1.0 - h2 / 110.0))));
  const double cosine =
      1.0 -
      h2 / 2.0 * (1.0 - h2 / 12.0 * (1.0 - h2 / 30.0 * (1.0 - h2 / 56.0 * (1.0 - h2 / 90.0))));
  double w = cosine;
  Vector3D v = sinc * half;
  for (int i = 0; i < squarings; ++i) {
    const Vector3D doubled = 2.0 * w * v;
    w = w * w - v.squaredNorm();
    v = doubled;
  }
  Quaternion q{w, v.x(), v.y(), v.z()};
  q.normalize();
  return q;
}

Vector3D rotationVector(const Quaternion& q) {
  // The square root of a rotation halves its angle: q^½ = (1 + w, v)/|·|. At a small angle the
  // vector part is sin(angle/2), whose arc sine is a short series.
  double w = std::abs(q.w());
  Vector3D v = (q.w() < 0.0 ? -1.0 : 1.0) * q.vec();
  double scale = 2.0;
  for (int i = 0; i < 6; ++i) {
    const double s = 1.0 / std::sqrt(2.0 * (1.0 + w));
    v *= s;
    w = (1.0 + w) * s;
    scale *= 2.0;
  }
  const double s2 = v.squaredNorm();
  const double arc =
      1.0 + s2 * (1.0 / 6.0 + s2 * (3.0 / 40.0 + s2 * (5.0 / 112.0 + s2 * (35.0 / 1152.0))));
  return scale * arc * v;
}

}  // namespace msd_sim
