#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "msd-sim/src/Physics/Collision/ContactFace.hpp"
#include "msd-sim/src/Physics/Collision/ManifoldReduction.hpp"
#include "msd-sim/src/Physics/Collision/PairManifolds.hpp"

namespace msd_sim {

namespace {

/// The half space in the frame of the convex shape: solid where normal·x <= offset.
struct LocalPlane {
  Vector3D normal;
  double offset;

  [[nodiscard]] double height(const Coordinate& p) const { return normal.dot(p) - offset; }
};

void addCorner(const LocalPlane& plane, const Coordinate& p, std::uint32_t code,
               CandidateList& out) {
  const double gap = plane.height(p);
  out.add({p, p - gap * plane.normal, gap, featurePair(code, featureCode(FeatureKind::kFace, 0))});
}

/// Directions along the plane, each taken both ways: not evenly spaced, but fixed and simple,
/// corners of a square and points between them.
constexpr int kWays = 16;

std::array<Vector3D, kWays / 2> waysAlong(const LocalPlane& plane) {
  const TangentFrame frame{plane.normal};
  std::array<Vector3D, kWays / 2> ways;
  for (int k = 0; k < kWays / 2; ++k) {
    const double x = k <= 2 ? 1.0 : (k <= 6 ? 1.0 - 0.5 * (k - 2) : -1.0);
    const double y = k <= 2 ? 0.5 * k : (k <= 6 ? 1.0 : 0.5);
    ways[k] = (x * frame.t1 + y * frame.t2).normalized();
  }
  return ways;
}

/// The corners of a hull within the margin that come down first: the lowest, and those that are
/// lowest once the hull has tipped in one of sixteen ways, a little and by half a right angle. A
/// hull of any size needs a fixed amount of memory.
void addHullCorners(const msd_assets::ConvexPolyhedron& hull, const LocalPlane& plane,
                    double margin, CandidateList& out) {
  constexpr std::array kTips{0.05, 1.0};  // tangents of the angles
  const std::array<Vector3D, kWays / 2> ways = waysAlong(plane);
  std::array<double, kTips.size() * kWays + 1> greatest;
  std::array<std::uint32_t, kTips.size() * kWays + 1> corners{};
  greatest.fill(-std::numeric_limits<double>::infinity());
  const auto offer = [&](std::size_t place, double score, std::uint32_t i) {
    if (score > greatest[place]) {
      greatest[place] = score;
      corners[place] = i;
    }
  };
  const auto vertices = hull.vertices();
  for (std::uint32_t i = 0; i < vertices.size(); ++i) {
    const double gap = plane.height(vertices[i]);
    if (gap > margin) continue;
    offer(kTips.size() * kWays, -gap, i);
    for (std::size_t k = 0; k < kWays / 2; ++k) {
      const double reach = ways[k].dot(vertices[i]);
      for (std::size_t t = 0; t < kTips.size(); ++t) {
        offer(t * kWays + 2 * k, kTips[t] * reach - gap, i);
        offer(t * kWays + 2 * k + 1, -kTips[t] * reach - gap, i);
      }
    }
  }
  if (greatest.back() == -std::numeric_limits<double>::infinity()) return;
  std::sort(corners.begin(), corners.end());
  const auto last = std::unique(corners.begin(), corners.end());
  for (auto it = corners.begin(); it != last; ++it) {
    addCorner(plane, vertices[*it], featureCode(FeatureKind::kCorner, *it), out);
  }
}

/// Disc or side line of a cylinder, ends of a capsule's segment.
void addFace(const ConvexView& view, const LocalPlane& plane, double size, CandidateList& out) {
  ContactFace face;
  extractFace(view, findFaceNormal(view, -plane.normal), -plane.normal, face);
  ContactFace half;
  half.kind = ContactFace::Kind::kHalfSpace;
  half.normal = plane.normal;
  half.offset = plane.offset;
  clipFaces(face, half, -plane.normal, size, out);
}

}  // namespace

void collideConvexPlane(const CollisionShape& convex, const Placement& poseA,
                        const CollisionShape& plane, const Placement& poseB, double margin,
                        ManifoldCache& /*cache*/, ContactManifold& out) {
  const Vector3D n_W = poseB.rotation * plane.planeNormal;
  const WorldFrame frame{poseA};
  LocalPlane local;
  local.normal.noalias() = frame.R.transpose() * n_W;
  local.offset = plane.planeOffset - n_W.dot(poseA.position - poseB.position);

  const ConvexView view = makeConvexView(convex);
  out.count = 0;
  const double lowest = local.height(supportCore(view, -local.normal).point) - view.radius;
  out.separation = std::max(lowest, 0.0);
  out.normal = -n_W;
  if (lowest > margin) return;
  CandidateList candidates;
  switch (convex.kind) {
    case ShapeKind::kBox:
      for (std::uint32_t i = 0; i < 8; ++i) {
        addCorner(local, corner(view, i), featureCode(FeatureKind::kCorner, i), candidates);
      }
      break;
    case ShapeKind::kHull:
      addHullCorners(*convex.polyhedron, local, margin, candidates);
      break;
    default:
      addFace(view, local, convex.size, candidates);
      break;
  }
  const Vector3D n = -local.normal;
  reduceCandidates(n, kTieBreaker, margin, convex.size, candidates);
  writeManifold(candidates, n, frame, out);
  out.normal = -n_W;
  out.owner = NormalOwner::kBodyB;
}

}  // namespace msd_sim
