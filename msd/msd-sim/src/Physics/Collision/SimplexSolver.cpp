#include "msd-sim/src/Physics/Collision/SimplexSolver.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <limits>

#include "msd-sim/src/Physics/Collision/Tolerances.hpp"

namespace msd_sim {

namespace {

SimplexFace noFace() {
  SimplexFace face;
  face.squared = std::numeric_limits<double>::infinity();
  face.count = 0;
  return face;
}

SimplexFace nearestOnVertex(const Simplex& s, int i) {
  const Vector3D& w = s.vertices[i].w;
  return {w, w.squaredNorm(), {i, 0, 0}, {1.0, 0.0, 0.0}, 1};
}

SimplexFace nearestOnSegment(const Simplex& s, int i, int j) {
  const Vector3D& p = s.vertices[i].w;
  const Vector3D& q = s.vertices[j].w;
  const Vector3D e = q - p;
  const double toP = -p.dot(e);  // = |e|² · weight of q
  const double toQ = q.dot(e);   // = |e|² · weight of p
  if (!(toP > 0.0)) return nearestOnVertex(s, i);
  if (!(toQ > 0.0)) return nearestOnVertex(s, j);
  const double sum = toP + toQ;
  const double weight = toP / sum;
  // Start from the nearer end: the smaller the step, the smaller its rounding error. What is left
  // along e after that is rounding alone; near the origin it would tilt v, so it is taken out.
  Vector3D v = toP < toQ ? Vector3D{p + weight * e} : Vector3D{q - (toQ / sum) * e};
  v -= (v.dot(e) / e.squaredNorm()) * e;
  return {v, v.squaredNorm(), {i, j, 0}, {toQ / sum, weight, 0.0}, 2};
}

void keepNearer(SimplexFace& best, const SimplexFace& other) {
  if (other.squared < best.squared) best = other;
}

SimplexFace nearestOnTriangle(const Simplex& s, int i, int j, int k) {
  const Vector3D& a = s.vertices[i].w;
  const Vector3D& b = s.vertices[j].w;
  const Vector3D& c = s.vertices[k].w;
  const Vector3D ab = b - a;
  const Vector3D ac = c - a;
  const Vector3D bc = c - b;
  // The normal from the two shorter sides loses the least to rounding.
  const double ab2 = ab.squaredNorm();
  const double ac2 = ac.squaredNorm();
  const double bc2 = bc.squaredNorm();
  Vector3D n;
  if (bc2 >= ab2 && bc2 >= ac2) {
    n = ab.cross(ac);
  } else if (ac2 >= ab2) {
    n = ab.cross(bc);
  } else {
    n = ac.cross(bc);
  }
  const double area2 = n.squaredNorm();
  // Barycentric coordinates of the origin's projection, times |n|².
  const double u = n.dot(b.cross(c));
  const double v = n.dot(c.cross(a));
  const double w = n.dot(a.cross(b));
  const double longest = std::max(ab2, std::max(ac2, bc2));
  const bool isFlat = !(area2 > tolerance::kUlp * tolerance::kUlp * longest * longest);
  if (!isFlat && u > 0.0 && v > 0.0 && w > 0.0) {
    const double a2 = a.squaredNorm();
    const double b2 = b.squaredNorm();
    const double c2 = c.squaredNorm();
    const Vector3D& nearest = a2 <= b2 ? (a2 <= c2 ? a : c) : (b2 <= c2 ? b : c);
    const double height = n.dot(nearest);
    const double sum = u + v + w;
    return {(height / area2) * n, height * height / area2, {i, j, k},
            {u / sum, v / sum, w / sum}, 3};
  }
  SimplexFace best = noFace();
  if (isFlat || u <= 0.0) keepNearer(best, nearestOnSegment(s, j, k));
  if (isFlat || v <= 0.0) keepNearer(best, nearestOnSegment(s, i, k));
  if (isFlat || w <= 0.0) keepNearer(best, nearestOnSegment(s, i, j));
  return best;
}

/// True when the origin lies beyond the face (i, j, k) as seen from vertex l, or when the four
/// points are too flat to tell.
bool isBeyond(const Simplex& s, int i, int j, int k, int l, double error) {
  const Vector3D& p = s.vertices[i].w;
  const Vector3D e = s.vertices[j].w - p;
  const Vector3D f = s.vertices[k].w - p;
  const Vector3D n = e.cross(f);
  const Vector3D toOpposite = s.vertices[l].w - p;
  const double opposite = n.dot(toOpposite);
  const double origin = -n.dot(p);
  // Errors of the coordinates turn the normal: e and f by `error` each, on levers |f| and |e|.
  const double length = std::abs(e.x()) + std::abs(e.y()) + std::abs(e.z()) + std::abs(f.x()) +
                        std::abs(f.y()) + std::abs(f.z());
  const double reach = std::abs(toOpposite.x()) + std::abs(toOpposite.y()) +
                       std::abs(toOpposite.z());
  if (std::abs(opposite) <= error * length * (reach + length)) return true;
  return opposite > 0.0 ? origin < 0.0 : origin > 0.0;
}

/// Vertex 3 is the newest: the origin lies on its side of face (0, 1, 2), because it was sought
/// from there.
SimplexFace nearestOnTetrahedron(const Simplex& s, double error) {
  SimplexFace best = noFace();
  if (isBeyond(s, 0, 1, 3, 2, error)) keepNearer(best, nearestOnTriangle(s, 0, 1, 3));
  if (isBeyond(s, 0, 2, 3, 1, error)) keepNearer(best, nearestOnTriangle(s, 0, 2, 3));
  if (isBeyond(s, 1, 2, 3, 0, error)) keepNearer(best, nearestOnTriangle(s, 1, 2, 3));
  return best;
}

/// Weights of the origin inside a tetrahedron, by volumes.
void weighTetrahedron(Simplex& s) {
  const auto volume = [&](const Vector3D& a, const Vector3D& b, const Vector3D& c) {
    return std::abs(a.dot(b.cross(c)));
  };
  const auto w = [&](int i) -> const Vector3D& { return s.vertices[i].w; };
  s.weights = {volume(w(1), w(2), w(3)), volume(w(0), w(2), w(3)), volume(w(0), w(1), w(3)),
               volume(w(0), w(1), w(2))};
  const double sum = s.weights[0] + s.weights[1] + s.weights[2] + s.weights[3];
  for (double& weight : s.weights) weight = sum > 0.0 ? weight / sum : 0.25;
}

}  // namespace

SimplexFace findNearestFace(const Simplex& simplex, double error) {
  switch (simplex.count) {
    case 1:
      return nearestOnVertex(simplex, 0);
    case 2:
      return nearestOnSegment(simplex, 0, 1);
    case 3: {
      const SimplexFace face = nearestOnTriangle(simplex, 0, 1, 2);
      return face.count > 0 ? face : nearestOnVertex(simplex, 0);  // not a number: any will do
    }
    default:
      return nearestOnTetrahedron(simplex, error);
  }
}

void keepFace(Simplex& simplex, const SimplexFace& face) {
  if (face.count == 0) {
    weighTetrahedron(simplex);
    return;
  }
  // The indices ascend, so that moving down never overwrites a vertex still needed.
  for (int i = 0; i < face.count; ++i) {
    if (face.vertices[i] != i) simplex.vertices[i] = simplex.vertices[face.vertices[i]];
    simplex.weights[i] = face.weights[i];
  }
  simplex.count = face.count;
}

Vector3D reduceSimplex(Simplex& simplex, double error) {
  const SimplexFace face = findNearestFace(simplex, error);
  keepFace(simplex, face);
  return face.count > 0 ? face.v : Vector3D{Vector3D::Zero()};
}

}  // namespace msd_sim
