#pragma once

#include <concepts>
#include <span>

#include "msd-sim/src/DataTypes/Pose.hpp"
#include "msd-sim/src/Physics/Collision/CollisionShape.hpp"

namespace msd_sim {

/// A shape that stands somewhere. Refers to the shape, which must outlive it.
struct PlacedShape {
  const CollisionShape& shape;
  Pose pose{};
};

/// Anything that knows its shape and where it stands; collision need not know more about it.
template <class T>
concept Placeable = requires(const T& object) {
  { object.collisionShape() } -> std::convertible_to<const CollisionShape&>;
  { object.pose() } -> std::convertible_to<Pose>;
};

/// One of the shapes that a body is made of, placed in the body's own frame.
struct CollisionPart {
  CollisionShape shape{};
  Pose local{};
};

/// Anything that is made of such shapes: a body (AssetPhysical), compound or not.
template <class T>
concept PlaceableParts = requires(const T& object) {
  { object.collisionParts() } -> std::convertible_to<std::span<const CollisionPart>>;
  { object.pose() } -> std::convertible_to<Pose>;
};

}  // namespace msd_sim
