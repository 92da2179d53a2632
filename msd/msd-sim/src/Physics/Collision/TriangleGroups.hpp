#pragma once

#include <array>

#include "msd-sim/src/Physics/Collision/ContactManifold.hpp"
#include "msd-sim/src/Physics/Collision/FaceClip.hpp"

namespace msd_sim {

/// Contacts with a surface, gathered by plane. Fixed memory; deterministic for a fixed order of
/// additions.
class TriangleGroups {
 public:
  static constexpr int kMaxGroups = 16;
  static constexpr int kMaxPoints = 48;

  struct Group {
    Vector3D normal;  ///< unit, from the surface to the shape
    double offset;    ///< normal·x on the surface [m]
    NormalOwner owner;
    double deepest;   ///< least gap [m]
    std::uint32_t firstTriangle;
    int count;
    std::array<ContactCandidate, kMaxPoints> points;
  };

  /// `size`: of the convex shape, the scale on which planes are the same [m].
  explicit TriangleGroups(double size) : size_{size} {}

  /// Adds points that share a normal. Nothing is added where there is no room and the points are not
  /// deeper than the shallowest group.
  void add(const Vector3D& normal, double offset, NormalOwner owner, std::uint32_t triangle,
           const CandidateList& list);

  [[nodiscard]] int count() const { return count_; }
  [[nodiscard]] const Group& group(int index) const { return groups_[index]; }
  /// Indices of the `limit` groups with the deepest points, in the order of their first triangles.
  int chooseDeepest(int limit, std::array<int, kMaxGroups>& chosen) const;

 private:
  int findGroup(const Vector3D& normal, double offset) const;
  int makeRoom(double deepest);
  void append(Group& group, const ContactCandidate& candidate) const;
  static void thin(Group& group);

  double size_;
  int count_{0};
  std::array<Group, kMaxGroups> groups_;
};

}  // namespace msd_sim
