#include "msd-sim/src/Physics/Collision/ManifoldReduction.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "msd-sim/src/Physics/Collision/Tolerances.hpp"

namespace msd_sim {

namespace {

void dropFar(double margin, CandidateList& list) {
  int kept = 0;
  for (int i = 0; i < list.count; ++i) {
    if (list.items[i].gap <= margin) {
      if (kept != i) list.items[kept] = list.items[i];
      ++kept;
    }
  }
  list.count = kept;
}

double tangentDistance2(const Vector3D& n, const ContactCandidate& a, const ContactCandidate& b) {
  const Vector3D r = b.b - a.b;
  const double along = n.dot(r);
  return r.squaredNorm() - along * along;
}

/// Of two candidates at the same place the deeper one stays, in the place of the first.
void mergeSame(const Vector3D& n, double size, CandidateList& list) {
  const double same = tolerance::kSamePoint * size;
  const auto isTwin = [&](int i, int k) {
    return tangentDistance2(n, list.items[k], list.items[i]) <= same * same;
  };
  int kept = 0;
  for (int i = 0; i < list.count; ++i) {
    int twin = 0;
    if (list.isRing) {
      twin = kept > 0 && isTwin(i, kept - 1) ? kept - 1 : (kept > 0 && isTwin(i, 0) ? 0 : kept);
    } else {
      while (twin < kept && !isTwin(i, twin)) ++twin;
    }
    if (twin == kept) {
      if (kept != i) list.items[kept] = list.items[i];
      ++kept;
    } else if (list.items[i].gap < list.items[twin].gap) {
      list.items[twin] = list.items[i];
    }
  }
  list.count = kept;
}

template <class Score>
int findBest(const CandidateList& list, const Score& score) {
  int best = 0;
  double greatest = score(list.items[0]);
  for (int i = 1; i < list.count; ++i) {
    const double value = score(list.items[i]);
    if (value > greatest) {
      greatest = value;
      best = i;
    }
  }
  return best;
}

/// The deepest candidate takes the place of the chosen one nearest to it.
void includeDeepest(const Vector3D& n, double size, const CandidateList& list,
                    std::array<int, 4>& chosen) {
  const int deepest = findBest(list, [](const ContactCandidate& c) { return -c.gap; });
  double least = list.items[chosen[0]].gap;
  for (const int i : chosen) least = std::min(least, list.items[i].gap);
  if (!(list.items[deepest].gap < least - tolerance::kSameDepth * size)) return;
  int nearest = 0;
  double distance = tangentDistance2(n, list.items[chosen[0]], list.items[deepest]);
  for (int k = 1; k < 4; ++k) {
    const double other = tangentDistance2(n, list.items[chosen[k]], list.items[deepest]);
    if (other < distance) {
      distance = other;
      nearest = k;
    }
  }
  chosen[nearest] = deepest;
}

/// Of the candidates that come down within kSameTip of the first, the one with the greatest reach
/// [m]; -1 where none comes down. `tip` is the angle at which a candidate does [rad], or infinity.
template <class Tip, class Reach>
int findNextDown(const CandidateList& list, const Tip& tip, const Reach& reach) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < list.count; ++i) least = std::min(least, tip(list.items[i]));
  if (std::isinf(least)) return -1;
  int best = -1;
  double greatest = 0.0;
  for (int i = 0; i < list.count; ++i) {
    if (!(tip(list.items[i]) <= least + tolerance::kSameTip)) continue;
    const double value = reach(list.items[i]);
    if (best < 0 || value > greatest) {
      greatest = value;
      best = i;
    }
  }
  return best;
}

/// A patch that is not flat: the points that a body meets first when it tips about the deepest one,
/// then about the edge through the first two, to either side. These are an edge and its two faces
/// of the lower convex hull of (place, gap); what rests on a face of it is held by it.
std::array<int, 4> chooseByTipping(const Vector3D& n, const Vector3D& flatTie, double size,
                                   const CandidateList& list, int deepest) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  const double same = tolerance::kSamePoint * size;
  const ContactCandidate& first = list.items[deepest];
  const auto flat = [&](const Vector3D& r) { return Vector3D{r - n.dot(r) * n}; };
  const auto distance = [&](const ContactCandidate& c) { return flat(c.b - first.b).norm(); };
  // Along an edge of the patch all reach as far but for rounding; the bias decides between them.
  const auto bias = [&](const ContactCandidate& c) {
    return tolerance::kSameDepth * flatTie.dot(c.b);
  };
  std::array<int, 4> chosen;
  chosen.fill(deepest);
  const int second = findNextDown(
      list,
      [&](const ContactCandidate& c) {
        const double d = distance(c);
        return d > same ? (c.gap - first.gap) / d : kNever;
      },
      [&](const ContactCandidate& c) { return distance(c) + bias(c); });
  if (second < 0) return chosen;
  chosen[1] = second;

  const Vector3D edge = flat(list.items[second].b - first.b);
  const double length2 = edge.squaredNorm();
  const Vector3D across = n.cross(edge) / std::sqrt(length2);
  const double slope = (list.items[second].gap - first.gap) / length2;
  for (const double side : {1.0, -1.0}) {
    const auto reach = [&](const ContactCandidate& c) { return side * across.dot(c.b - first.b); };
    const int next = findNextDown(
        list,
        [&](const ContactCandidate& c) {
          const double d = reach(c);
          return d > same ? (c.gap - first.gap - slope * edge.dot(c.b - first.b)) / d : kNever;
        },
        [&](const ContactCandidate& c) { return reach(c) + bias(c); });
    chosen[side > 0.0 ? 2 : 3] = next >= 0 ? next : deepest;
  }
  if (chosen[2] != deepest && chosen[3] != deepest) return chosen;

  // All lie on one side of the edge: the fourth is what reaches farthest out of the triangle.
  const int third = chosen[2] != deepest ? chosen[2] : chosen[3];
  const double turn = chosen[2] != deepest ? 1.0 : -1.0;
  const Coordinate& c1 = list.items[second].b;
  const Coordinate& c2 = list.items[third].b;
  const Vector3D out1 = turn * flat(c2 - c1).cross(n).normalized();
  const Vector3D out2 = turn * flat(first.b - c2).cross(n).normalized();
  const auto outside = [&](const ContactCandidate& c) {
    return std::max(out1.dot(c.b - c1), out2.dot(c.b - c2));
  };
  const int fourth =
      findBest(list, [&](const ContactCandidate& c) { return outside(c) + bias(c); });
  if (outside(list.items[fourth]) > same) chosen[chosen[2] != deepest ? 3 : 2] = fourth;
  return chosen;
}

/// Largest gap less the smallest [m].
double gapSpread(const CandidateList& list) {
  double least = list.items[0].gap, most = least;
  for (int i = 1; i < list.count; ++i) {
    least = std::min(least, list.items[i].gap);
    most = std::max(most, list.items[i].gap);
  }
  return most - least;
}

std::array<int, 4> chooseBySpan(const Vector3D& n, const Vector3D& flatTie, double size,
                                const CandidateList& list, int deepest) {
  std::array<int, 4> chosen{};
  chosen[0] = deepest;
  const ContactCandidate& first = list.items[deepest];
  // Equal scores differ by rounding only; the bias decides between them.
  const double bias = tolerance::kSameDepth * size;
  chosen[1] = findBest(list, [&](const ContactCandidate& c) {
    return tangentDistance2(n, first, c) + bias * flatTie.dot(c.b);
  });
  const Vector3D across = n.cross(list.items[chosen[1]].b - first.b) + bias * flatTie;
  chosen[2] = findBest(list, [&](const ContactCandidate& c) { return across.dot(c.b); });
  chosen[3] = findBest(list, [&](const ContactCandidate& c) {
    return 2.0 * bias * flatTie.dot(c.b) - across.dot(c.b);
  });
  return chosen;
}

}  // namespace

void reduceCandidates(const Vector3D& n, const Vector3D& tie, double margin, double size,
                      CandidateList& list) {
  dropFar(margin, list);
  mergeSame(n, size, list);
  if (list.count <= ContactManifold::kMaxPoints) return;

  const Vector3D flatTie = tie - n.dot(tie) * n;
  const int deepest = findBest(list, [&](const ContactCandidate& c) {
    return tolerance::kReductionBias * flatTie.dot(c.b) - c.gap;
  });
  std::array<int, 4> chosen = gapSpread(list) > tolerance::kSteepPatch * size
                                  ? chooseByTipping(n, flatTie, size, list, deepest)
                                  : chooseBySpan(n, flatTie, size, list, deepest);
  // The tie breaker has its say where depths are about equal; the gap of the pair is that of the
  // deepest.
  includeDeepest(n, size, list, chosen);

  std::sort(chosen.begin(), chosen.end());
  const auto last = std::unique(chosen.begin(), chosen.end());
  list.count = static_cast<int>(last - chosen.begin());
  for (int k = 0; k < list.count; ++k) {
    if (chosen[k] != k) list.items[k] = list.items[chosen[k]];
  }
}

void writeManifold(const CandidateList& list, const Vector3D& n, const WorldFrame& frame,
                   ContactManifold& out) {
  out.normal.noalias() = frame.R * n;
  out.count = list.count;
  for (int i = 0; i < list.count; ++i) {
    const ContactCandidate& candidate = list.items[i];
    ManifoldPoint& point = out.points[i];
    point.pointA.noalias() = frame.R * candidate.a;
    point.pointA += frame.p;
    point.pointB.noalias() = frame.R * candidate.b;
    point.pointB += frame.p;
    point.gap = candidate.gap;
    point.feature = candidate.feature;
  }
}

void swapManifold(ContactManifold& manifold, bool keepFeatures) {
  manifold.normal = -manifold.normal;
  for (int i = 0; i < manifold.count; ++i) {
    ManifoldPoint& point = manifold.points[i];
    std::swap(point.pointA, point.pointB);
    if (!keepFeatures) point.feature = swapFeature(point.feature);
  }
  if (manifold.owner != NormalOwner::kNeither) {
    manifold.owner =
        manifold.owner == NormalOwner::kBodyA ? NormalOwner::kBodyB : NormalOwner::kBodyA;
  }
}

}  // namespace msd_sim
