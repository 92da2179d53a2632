#include "msd-sim/src/Physics/Collision/TriangleGroups.hpp"

#include <algorithm>
#include <limits>

#include "msd-sim/src/Physics/Collision/Tolerances.hpp"

namespace msd_sim {

int TriangleGroups::findGroup(const Vector3D& normal, double offset) const {
  constexpr double kAngle = tolerance::kSamePlaneAngle;
  for (int i = 0; i < count_; ++i) {
    if ((groups_[i].normal - normal).squaredNorm() <= kAngle * kAngle &&
        std::abs(groups_[i].offset - offset) <= tolerance::kSamePoint * size_) {
      return i;
    }
  }
  return -1;
}

int TriangleGroups::makeRoom(double deepest) {
  if (count_ < kMaxGroups) return count_++;
  int shallowest = 0;
  for (int i = 1; i < count_; ++i) {
    if (groups_[i].deepest > groups_[shallowest].deepest) shallowest = i;
  }
  return deepest < groups_[shallowest].deepest ? shallowest : -1;
}

/// Keeps the deepest point and the outermost ones in sixteen directions along the plane.
void TriangleGroups::thin(Group& group) {
  constexpr int kDirections = 8;
  const TangentFrame frame{group.normal};
  std::array<bool, kMaxPoints> keep{};
  int deepest = 0;
  for (int i = 1; i < group.count; ++i) {
    if (group.points[i].gap < group.points[deepest].gap) deepest = i;
  }
  keep[deepest] = true;
  for (int k = 0; k < kDirections; ++k) {
    const double x = k <= 2 ? 1.0 : (k <= 6 ? 1.0 - 0.5 * (k - 2) : -1.0);
    const double y = k <= 2 ? 0.5 * k : (k <= 6 ? 1.0 : 0.5);
    const Vector3D d = x * frame.t1 + y * frame.t2;
    int greatest = 0;
    int least = 0;
    for (int i = 1; i < group.count; ++i) {
      if (d.dot(group.points[i].b) > d.dot(group.points[greatest].b)) greatest = i;
      if (d.dot(group.points[i].b) < d.dot(group.points[least].b)) least = i;
    }
    keep[greatest] = true;
    keep[least] = true;
  }
  int kept = 0;
  for (int i = 0; i < group.count; ++i) {
    if (!keep[i]) continue;
    if (kept != i) group.points[kept] = group.points[i];
    ++kept;
  }
  group.count = kept;
}

void TriangleGroups::append(Group& group, const ContactCandidate& candidate) const {
  const double same = tolerance::kSamePoint * size_;
  for (int i = 0; i < group.count; ++i) {
    if ((group.points[i].b - candidate.b).squaredNorm() <= same * same) return;
  }
  if (group.count == kMaxPoints) thin(group);
  group.points[group.count++] = candidate;
  group.deepest = std::min(group.deepest, candidate.gap);
}

void TriangleGroups::add(const Vector3D& normal, double offset, NormalOwner owner,
                         std::uint32_t triangle, const CandidateList& list) {
  if (list.count == 0) return;
  int index = findGroup(normal, offset);
  if (index < 0) {
    double deepest = std::numeric_limits<double>::infinity();
    for (int i = 0; i < list.count; ++i) deepest = std::min(deepest, list.items[i].gap);
    index = makeRoom(deepest);
    if (index < 0) return;
    Group& group = groups_[index];
    group.normal = normal;
    group.offset = offset;
    group.owner = owner;
    group.deepest = deepest;
    group.firstTriangle = triangle;
    group.count = 0;
  }
  for (int i = 0; i < list.count; ++i) append(groups_[index], list.items[i]);
}

int TriangleGroups::chooseDeepest(int limit, std::array<int, kMaxGroups>& chosen) const {
  for (int i = 0; i < count_; ++i) chosen[i] = i;
  const auto first = chosen.begin();
  const auto last = first + count_;
  std::sort(first, last, [&](int i, int j) {
    if (groups_[i].deepest != groups_[j].deepest) return groups_[i].deepest < groups_[j].deepest;
    return groups_[i].firstTriangle < groups_[j].firstTriangle ||
           (groups_[i].firstTriangle == groups_[j].firstTriangle && i < j);
  });
  const int kept = std::min(limit, count_);
  std::sort(first, first + kept, [&](int i, int j) {
    return groups_[i].firstTriangle < groups_[j].firstTriangle ||
           (groups_[i].firstTriangle == groups_[j].firstTriangle && i < j);
  });
  return kept;
}

}  // namespace msd_sim
