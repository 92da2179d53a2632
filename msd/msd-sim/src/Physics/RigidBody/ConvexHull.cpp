#include "msd-sim/src/Physics/RigidBody/ConvexHull.hpp"

#include <stdexcept>
#include <utility>

namespace msd_sim {

namespace {

std::shared_ptr<const msd_assets::ConvexPolyhedron> required(
    std::shared_ptr<const msd_assets::ConvexPolyhedron> polyhedron) {
  if (!polyhedron) throw std::invalid_argument("hull: no polyhedron given; expected one");
  return polyhedron;
}

}  // namespace

ConvexHull::ConvexHull(std::span<const Coordinate> points)
    : ConvexHull(std::make_shared<const msd_assets::ConvexPolyhedron>(
          msd_assets::ConvexPolyhedron::fromPoints(points))) {}

ConvexHull::ConvexHull(std::shared_ptr<const msd_assets::ConvexPolyhedron> polyhedron)
    : polyhedron_{required(std::move(polyhedron))},
      mass_{msd_assets::computePolyhedronMass(*polyhedron_)} {}

}  // namespace msd_sim
