#pragma once

#include <array>
#include <cstdint>

#include "msd-sim/src/DataTypes/Vector3D.hpp"

namespace msd_sim {

/// A point w = a - b of the Minkowski difference of two shapes, with the points it comes from (all
/// in the frame of A) and the numbers of the corners they are.
struct SimplexVertex {
  Vector3D w;
  Coordinate a;
  Coordinate b;
  std::uint32_t idA;
  std::uint32_t idB;
};

/// One to four affinely independent points whose convex combination by `weights` is nearest to the
/// origin.
struct Simplex {
  std::array<SimplexVertex, 4> vertices;
  std::array<double, 4> weights;
  int count{0};

  [[nodiscard]] Coordinate pointA() const {
    Coordinate p = weights[0] * vertices[0].a;
    for (int i = 1; i < count; ++i) p += weights[i] * vertices[i].a;
    return p;
  }
  [[nodiscard]] Coordinate pointB() const {
    Coordinate p = weights[0] * vertices[0].b;
    for (int i = 1; i < count; ++i) p += weights[i] * vertices[i].b;
    return p;
  }
};

/// The face of a simplex that holds its point nearest to the origin: which vertices, ascending, with which
/// weights, and where.
struct SimplexFace {
  Vector3D v;
  double squared;  ///< |v|²; infinite for none [m²]
  std::array<int, 3> vertices;
  std::array<double, 3> weights;
  int count;       ///< 0: the origin lies inside the tetrahedron
};

/// Finds that face of one to four vertices; see reduceSimplex.
[[nodiscard]] SimplexFace findNearestFace(const Simplex& simplex, double error);
/// Shrinks a simplex to the face that was found for it, and sets the weights.
void keepFace(Simplex& simplex, const SimplexFace& face);

/// Shrinks a simplex to the face that holds its point nearest to the origin, sets the weights and
/// returns that point v. With four vertices left the origin lies inside and v is zero. `error` is the
/// size of the rounding errors in the vertices' coordinates [m].
///
/// The regions are told apart by signed volumes (M. Montanari, N. Petrinic, E. Barbieri, "Improving
/// the GJK Algorithm for Faster and More Reliable Distance Queries Between Convex Objects", ACM
/// Trans. Graph. 36(3), 2017), and v of a triangle is taken along its normal, which keeps the
/// direction of v exact when the origin is very near.
Vector3D reduceSimplex(Simplex& simplex, double error);

}  // namespace msd_sim
