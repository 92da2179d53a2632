#include "RandomPairs.hpp"

#include <cmath>
#include <vector>

namespace msd_sim::test {

double PairGenerator::uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }

double PairGenerator::logUniform(double lower, double upper) {
  return lower * std::exp(uniform() * std::log(upper / lower));
}

Vector3D PairGenerator::direction() {
  while (true) {
    const Vector3D d{uniform(-1.0, 1.0), uniform(-1.0, 1.0), uniform(-1.0, 1.0)};
    const double length = d.norm();
    if (length > 0.1 && length < 1.0) return d / length;
  }
}

Vector3D PairGenerator::offset(double longest) {
  // Operands and arguments are evaluated in an order of the compiler's choice; statements are not.
  const double length = uniform(0.0, longest);
  return length * direction();
}

Quaternion PairGenerator::orientation() {
  // A fifth of all bodies stand square, as bodies in scenes do.
  if (integer(5) == 0) {
    const double half = std::sqrt(0.5);
    const Quaternion turns[4] = {{1.0, 0.0, 0.0, 0.0}, {half, half, 0.0, 0.0},
                                 {half, 0.0, half, 0.0}, {half, 0.0, 0.0, half}};
    return turns[integer(4)];
  }
  while (true) {
    const Quaternion q{uniform(-1.0, 1.0), uniform(-1.0, 1.0), uniform(-1.0, 1.0),
                       uniform(-1.0, 1.0)};
    if (q.norm() > 0.1 && q.norm() < 1.0) return q.normalized();
  }
}

ShapeKind PairGenerator::convexKind(std::uint64_t index) {
  constexpr ShapeKind kKinds[5] = {ShapeKind::kSphere, ShapeKind::kBox, ShapeKind::kCapsule,
                                   ShapeKind::kCylinder, ShapeKind::kHull};
  return kKinds[index % 5];
}

CollisionShape PairGenerator::shape(ShapeKind kind, double size, double aspect) {
  const auto extent = [&] { return size / logUniform(1.0, aspect); };
  switch (kind) {
    case ShapeKind::kSphere:
      return makeCollisionShape(msd_assets::Sphere{0.5 * size});
    case ShapeKind::kBox: {
      Vector3D half{0.5 * extent(), 0.5 * extent(), 0.5 * extent()};
      half[static_cast<Eigen::Index>(integer(3))] = 0.5 * size;
      return makeCollisionShape(msd_assets::Box{half});
    }
    case ShapeKind::kCapsule:
      return makeCollisionShape(msd_assets::Capsule{0.5 * extent(), 0.5 * size});
    case ShapeKind::kCylinder:
      return integer(2) == 0 ? makeCollisionShape(msd_assets::Cylinder{0.5 * extent(), 0.5 * size})
                             : makeCollisionShape(msd_assets::Cylinder{0.5 * size, 0.5 * extent()});
    default: {
      const Vector3D scale{0.5 * size, 0.5 * extent(), 0.5 * extent()};
      const std::size_t count = 4 + integer(29);
      std::vector<Vector3D> points;
      for (std::size_t i = 0; i < count; ++i) points.push_back(direction().cwiseProduct(scale));
      try {
        return makeCollisionShape(msd_assets::makeHull(points));
      } catch (const std::invalid_argument&) {
        return shape(kind, size, aspect);  // too flat by chance: draw again
      }
    }
  }
}

RandomPair PairGenerator::pair(ShapeKind kindA, ShapeKind kindB, double aspect, double ratio) {
  const double sizeA = logUniform(1e-3, 1e3);
  const double sizeB = std::min(std::max(sizeA * logUniform(1.0 / ratio, ratio), 1e-3), 1e3);
  RandomPair pair{shape(kindA, sizeA, aspect), shape(kindB, sizeB, aspect), {}, {}};
  const double spread = pair.a.size + pair.b.size;
  pair.poseA.position = offset(3.0 * spread);
  pair.poseA.orientation = orientation();
  pair.poseB.orientation = orientation();
  pair.poseB.position = pair.poseA.position + offset(1.1 * spread);
  return pair;
}

}  // namespace msd_sim::test
