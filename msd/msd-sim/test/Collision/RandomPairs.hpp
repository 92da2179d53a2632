#pragma once

#include <cstdint>
#include <random>

#include "msd-sim/src/DataTypes/Pose.hpp"
#include "msd-sim/src/Physics/Collision/CollisionShape.hpp"

namespace msd_sim::test {

struct RandomPair {
  CollisionShape a;
  CollisionShape b;
  Pose poseA;
  Pose poseB;
};

/// Random convex shapes and pairs of them, the same on every run for the same seed.
class PairGenerator {
 public:
  explicit PairGenerator(std::uint64_t seed) : engine_{seed} {}

  /// In [0, 1), from the engine's bits alone: the standard distributions differ between libraries.
  double uniform();
  double uniform(double lower, double upper) { return lower + (upper - lower) * uniform(); }
  double logUniform(double lower, double upper);
  std::uint64_t integer(std::uint64_t bound) { return engine_() % bound; }
  Vector3D direction();
  /// In any direction, its length uniform in [0, longest).
  Vector3D offset(double longest);
  Quaternion orientation();

  /// Longest extent `size`, extents in ratios up to `aspect`.
  CollisionShape shape(ShapeKind kind, double size, double aspect);
  /// The five convex kinds.
  static ShapeKind convexKind(std::uint64_t index);

  /// Sizes log-uniform in [1 mm, 1 km], the second within a factor `ratio` of the first, placed so
  /// that the bounding balls overlap to a random degree.
  RandomPair pair(ShapeKind kindA, ShapeKind kindB, double aspect, double ratio);

 private:
  std::mt19937_64 engine_;
};

}  // namespace msd_sim::test
