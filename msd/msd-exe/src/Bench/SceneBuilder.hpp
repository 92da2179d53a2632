#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "msd-scene/src/SceneDocument.hpp"

/// What the scenes of `msd bench` are put together from. Every number is drawn from one small
/// generator in a fixed order, so that a name and a seed are the same scene on every machine.
namespace msd_exe {

/// splitmix64 (Steele, Lea and Flood 2014): small, and the same on every machine.
class Random {
 public:
  /// A stream of its own for each name, so that a scene does not depend on the others.
  Random(std::uint64_t seed, std::string_view name) : state_{seed} {
    for (const char c : name) state_ = (state_ ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  }
  double uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(bits() >> 11) * 0x1p-53);
  }
  /// From low to high, both included.
  int integer(int low, int high) {
    return low + static_cast<int>(bits() % static_cast<std::uint64_t>(high - low + 1));
  }
  /// Uniform on the sphere of N - 1 dimensions, by rejection from the ball.
  template <std::size_t N>
  std::array<double, N> unit() {
    while (true) {
      std::array<double, N> v{};
      double squared = 0.0;
      for (double& x : v) {
        x = uniform(-1.0, 1.0);
        squared += x * x;
      }
      const double length = std::sqrt(squared);
      if (!(0.05 < length && length <= 1.0)) continue;
      for (double& x : v) x /= length;
      return v;
    }
  }

 private:
  std::uint64_t bits() {
    state_ += 0x9E3779B97F4A7C15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  std::uint64_t state_;
};

using DrawShape = std::function<msd_scene::SceneShape(Random&)>;

[[nodiscard]] msd_scene::SceneShape randomBox(Random& random);
[[nodiscard]] msd_scene::SceneShape randomSphere(Random& random);
[[nodiscard]] msd_scene::SceneShape randomCapsule(Random& random);
/// Hull of 12 to 24 points of an ellipsoid, a least distance apart, about its centre of mass.
[[nodiscard]] msd_scene::SceneShape randomHull(Random& random);
/// One of the kinds, each as likely as the others.
[[nodiscard]] DrawShape mixture(std::vector<DrawShape> draws);
/// Draws until one fits into a ball of this radius [m].
[[nodiscard]] msd_scene::SceneShape drawnWithin(Random& random, const DrawShape& draw,
                                                double radius);
/// Of the smallest ball about the frame's origin that holds the shape [m].
[[nodiscard]] double boundingRadius(const msd_scene::SceneShape& shape);

/// Two triangles for each cell of a grid of (columns + 1) by (rows + 1) points, x running fastest;
/// the diagonals alternate.
[[nodiscard]] std::vector<std::array<std::uint32_t, 3>> gridTriangles(std::uint32_t columns,
                                                                      std::uint32_t rows);

/// Fills a scene document. All numbers are rounded to ten decimals: far below any tolerance, and it
/// hides last-bit differences of sine and cosine.
class SceneBuilder {
 public:
  SceneBuilder(std::string_view name, std::uint64_t steps, double friction = 0.6);

  msd_scene::SceneDocument document{};

  void shape(std::string name, msd_scene::SceneShape shape);
  void box(const std::string& name, const msd_sim::Vector3D& halfExtents);
  msd_scene::SceneBody& body(std::string name, std::string shape,
                             const msd_sim::Coordinate& position, bool isStatic = false);
  /// Sets how a body is turned: w, x, y, z.
  static void turn(msd_scene::SceneBody& body, const std::array<double, 4>& rotation);
  static void launch(msd_scene::SceneBody& body, const msd_sim::CoordinateRate& velocity);
  void ballJoint(std::string bodyA, std::string bodyB, const msd_sim::Coordinate& anchor);

  /// A slab with its top at z = 0.
  void ground(double halfSize);
  /// An open box: floor with its top at z = 0 and four walls, all static, 2 m thick.
  void container(double innerHalf, double height);
  /// Bodies in the cells of a cubic lattice, moved within the cell and turned at random.
  void dropLayers(Random& random, int count, double cell, int perSide, double base,
                  const DrawShape& draw);
  /// Wall pyramid of 1 m cubes in the plane y = y0, its base centred on x0.
  void pyramid(const std::string& prefix, int base, double x0, double y0);
};

}  // namespace msd_exe
