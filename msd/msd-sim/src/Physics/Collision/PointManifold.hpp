#pragma once

#include <algorithm>

#include "msd-sim/src/Physics/Collision/ContactManifold.hpp"

namespace msd_sim {

/// One point of a sphere's contact.
struct PointContact {
  Vector3D normal;        ///< unit, from A to B, world
  Coordinate pointA;      ///< world [m]
  Coordinate pointB;      ///< world [m]
  double gap;             ///< [m]
  std::uint32_t feature;
  NormalOwner owner;
};

/// A manifold of one point, or of none if the gap exceeds the margin.
inline void writePoint(const PointContact& contact, double margin, ContactManifold& out) {
  out.normal = contact.normal;
  out.owner = contact.owner;
  out.separation = std::max(contact.gap, 0.0);
  out.count = contact.gap <= margin ? 1 : 0;
  out.points[0] = {contact.pointA, contact.pointB, contact.gap, contact.feature};
}

}  // namespace msd_sim
