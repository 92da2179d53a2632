#pragma once

#include <array>
#include <cstdint>

#include "msd-sim/src/DataTypes/Vector3D.hpp"

namespace msd_sim {

/// Four numbers at once, by the compiler's vectors: for geometry of single pairs, where three of
/// the lanes are a vector's and the last one is nobody's. Every operation is that of each lane
/// alone, so that bits do not depend on how wide a machine's registers are.
using Quad = double __attribute__((vector_size(32)));
/// What a comparison of Quads gives: all bits of a lane or none.
using QuadMask = std::int64_t __attribute__((vector_size(32)));

namespace quad {

[[nodiscard]] inline Quad of(const Vector3D& v) {
  return Quad{v.x(), v.y(), v.z(), v.z()};
}
[[nodiscard]] inline Vector3D vectorOf(Quad v) {
  return {v[0], v[1], v[2]};
}

[[nodiscard]] inline Quad abs(Quad v) {
  return reinterpret_cast<Quad>(reinterpret_cast<QuadMask>(v) & INT64_MAX);
}

/// Lane i has what lane i + 1 had, and lane i + 2, of three.
[[nodiscard]] inline Quad next(Quad v) {
  return __builtin_shufflevector(v, v, 1, 2, 0, 3);
}
[[nodiscard]] inline Quad afterNext(Quad v) {
  return __builtin_shufflevector(v, v, 2, 0, 1, 3);
}
/// The largest of the first three lanes, and which it is; the first of equals.
struct Largest {
  double value;
  int lane;
};
[[nodiscard]] inline Largest largest(Quad v) {
  Largest best{v[0], 0};
  if (v[1] > best.value) best = {v[1], 1};
  if (v[2] > best.value) best = {v[2], 2};
  return best;
}

/// The rows of a matrix.
struct Rows {
  Quad of[3];
};
[[nodiscard]] inline Rows rowsOf(const Matrix3D& m) {
  return {{Quad{m(0, 0), m(0, 1), m(0, 2), m(0, 2)}, Quad{m(1, 0), m(1, 1), m(1, 2), m(1, 2)},
           Quad{m(2, 0), m(2, 1), m(2, 2), m(2, 2)}}};
}

}  // namespace quad
}  // namespace msd_sim
