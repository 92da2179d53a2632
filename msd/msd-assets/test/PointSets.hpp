#pragma once

#include <Eigen/Geometry>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

/// Random numbers and point sets that tests share. The same on every machine and library.
namespace msd_assets::test {

/// splitmix64: one multiplication chain per number, every seed a different sequence.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_{seed * 0x9E3779B97F4A7C15ull + 1} {}

  std::uint64_t bits() {
    state_ += 0x9E3779B97F4A7C15ull;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }
  int below(int n) { return static_cast<int>(bits() % static_cast<std::uint64_t>(n)); }
  double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  double uniform(double lo, double hi) { return lo + (hi - lo) * unit(); }
  /// In the cube [-1, 1]³.
  Eigen::Vector3d inCube() { return {uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)}; }
  /// In the unit ball, by rejection.
  Eigen::Vector3d inBall() {
    for (;;) {
      const Eigen::Vector3d p = inCube();
      if (p.squaredNorm() <= 1.0 && p.squaredNorm() > 0.01) return p;
    }
  }
  Eigen::Vector3d onSphere() { return inBall().normalized(); }
  Eigen::Quaterniond rotation() {
    for (;;) {
      const Eigen::Quaterniond q{uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)};
      if (q.squaredNorm() > 0.01) return q.normalized();
    }
  }

 private:
  std::uint64_t state_;
};

enum class SetKind {
  kBall,
  kSphere,
  kLattice,
  kLatticeUlp,     ///< lattice points off by a rounding
  kLatticeFine,    ///< lattice points off by 1e-13
  kLatticeCoarse,  ///< lattice points off by 1e-11: near the limits of every tolerance
  kRotatedLattice,
  kRotatedCubeFaces,  ///< many points on the faces and edges of a cube
  kFlat,              ///< 1e-6 thin
  kNeedle,            ///< 1e-5 thin in two directions
  kCospherical,       ///< lattice directions on a sphere: many points in one plane
  kBent,              ///< a lattice on two planes that differ by 1e-7 rad
  kLens,              ///< two shallow bowls
  kPrism,             ///< two equal polygons
  kUlpCloud,          ///< a few points, each doubled at distances around the weld limit
  kCount
};

inline std::string setName(SetKind kind) {
  static const char* const kNames[] = {
      "ball",          "sphere",         "lattice",   "latticeUlp", "latticeFine",
      "latticeCoarse", "rotatedLattice", "cubeFaces", "flat",       "needle",
      "cospherical",   "bent",           "lens",      "prism",      "ulpCloud"};
  return kNames[static_cast<int>(kind)];
}

/// Points about the origin, roughly of size 1 (lattices up to 4).
inline std::vector<Eigen::Vector3d> makeSet(SetKind kind, std::uint64_t seed) {
  using Eigen::Vector3d;
  Random random{seed * 64 + static_cast<std::uint64_t>(kind)};
  const Eigen::Quaterniond turn = random.rotation();
  const int count = 8 + random.below(200);
  const int reach = 1 + random.below(4);
  const int corners = 3 + random.below(20);
  const auto lattice = [&] {
    const auto c = [&] { return static_cast<double>(random.below(2 * reach + 1) - reach); };
    return Vector3d{c(), c(), c()};
  };
  std::vector<Vector3d> points;
  for (int i = 0; i < count; ++i) {
    Vector3d p;
    switch (kind) {
      case SetKind::kBall:
        p = random.inBall();
        break;
      case SetKind::kSphere:
        p = random.onSphere();
        break;
      case SetKind::kLattice:
        p = lattice();
        break;
      case SetKind::kLatticeUlp:
        p = lattice() * (1.0 + 3e-16 * random.uniform(-1, 1)) + 1e-16 * random.inCube();
        break;
      case SetKind::kLatticeFine:
        p = lattice() + 1e-13 * random.inCube();
        break;
      case SetKind::kLatticeCoarse:
        p = lattice() + 1e-11 * random.inCube();
        break;
      case SetKind::kRotatedLattice:
        p = turn * lattice();
        break;
      case SetKind::kRotatedCubeFaces:
        p = random.inCube();
        p[random.below(3)] = random.below(2) == 0 ? 1.0 : -1.0;
        if (random.below(3) == 0) p[random.below(3)] = 1.0;
        p = turn * p;
        break;
      case SetKind::kFlat:
        p = turn * random.inCube().cwiseProduct(Vector3d{1.0, 1.0, 1e-6});
        break;
      case SetKind::kNeedle:
        p = turn * random.inCube().cwiseProduct(Vector3d{1.0, 1e-5, 1e-5});
        break;
      case SetKind::kCospherical:
        do p = lattice();
        while (p.isZero());
        p = turn * p.normalized();
        break;
      case SetKind::kBent: {
        const double x = random.below(11) - 5;
        const double y = random.below(11) - 5;
        p = turn * Vector3d{x / 5, y / 5, i < 4 ? -1.0 : -1e-7 * std::abs(x)};
        break;
      }
      case SetKind::kLens: {
        const double x = random.uniform(-1, 1);
        const double y = random.uniform(-1, 1);
        const double side = random.below(2) == 0 ? 1e-6 : -1e-6;
        p = turn * Vector3d{x, y, side * (1 - x * x - y * y)};
        break;
      }
      case SetKind::kPrism: {
        const double angle = 2 * std::numbers::pi * (i / 2 % corners) / corners;
        p = turn * Vector3d{std::cos(angle), std::sin(angle), i % 2 == 0 ? -0.5 : 0.5};
        break;
      }
      case SetKind::kUlpCloud: {
        const Vector3d direction = random.inCube();
        p = i % 4 == 0
                ? direction
                : Vector3d{points.back() + std::pow(10.0, random.uniform(-17, -7)) * direction};
        break;
      }
      case SetKind::kCount:
        break;
    }
    points.push_back(p);
  }
  return points;
}

}  // namespace msd_assets::test
