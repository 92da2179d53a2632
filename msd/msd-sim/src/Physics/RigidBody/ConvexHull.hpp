#pragma once

#include <memory>
#include <span>

#include "msd-assets/src/MassProperties.hpp"
#include "msd-assets/src/Shape.hpp"
#include "msd-sim/src/DataTypes/Vector3D.hpp"

namespace msd_sim {

/// Convex hull of a set of points, with its volume and centre. Cheap to copy: the polyhedron is
/// shared and never changes.
class ConvexHull {
 public:
  /// Throws std::invalid_argument for fewer than four non-coplanar points or a coordinate that is
  /// not finite.
  explicit ConvexHull(std::span<const Coordinate> points);
  explicit ConvexHull(std::shared_ptr<const msd_assets::ConvexPolyhedron> polyhedron);

  [[nodiscard]] const msd_assets::ConvexPolyhedron& polyhedron() const { return *polyhedron_; }
  [[nodiscard]] std::span<const Coordinate> getVertices() const { return polyhedron_->vertices(); }
  [[nodiscard]] double getVolume() const { return mass_.volume; }                  ///< [m³]
  [[nodiscard]] const Coordinate& getCentroid() const { return mass_.centreOfMass; }  ///< [m]
  [[nodiscard]] const msd_assets::MassProperties& massProperties() const { return mass_; }
  [[nodiscard]] msd_assets::Shape shape() const { return msd_assets::Hull{polyhedron_}; }

 private:
  std::shared_ptr<const msd_assets::ConvexPolyhedron> polyhedron_;
  msd_assets::MassProperties mass_;
};

}  // namespace msd_sim
