#pragma once

#include <array>
#include <cstdint>

#include "msd-sim/src/DataTypes/Vector3D.hpp"
#include "msd-sim/src/Physics/Collision/ContactManifold.hpp"

namespace msd_sim {

/// What a contact hands on to the manifold that continues it: its points in the world, what they
/// carry, its coefficients.
struct CarriedPoints {
  static constexpr std::size_t kPoints = ContactManifold::kMaxPoints;

  Vector3D tangent{Vector3D::Zero()};  ///< first tangent, world
  bool any{false};
  std::array<bool, kPoints> active{};
  std::array<std::uint32_t, kPoints> feature{};
  std::array<Coordinate, kPoints> position;  ///< on row body 0, world [m]
  std::array<double, kPoints> normalForce;
  std::array<Vector3D, kPoints> tangential;  ///< on the pair's body B, world [N]
  double friction{0.0};
  double restitution{0.0};

  /// For each point of a manifold the one it continues, or -1: by feature first, then by place,
  /// where one is within reach.
  [[nodiscard]] std::array<int, kPoints> match(const ContactManifold& manifold, double reach) const;
};

}  // namespace msd_sim
