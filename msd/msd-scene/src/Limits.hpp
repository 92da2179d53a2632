#pragma once

#include <cstddef>

namespace msd_scene {

/// What a scene file may hold, and the physical ranges its numbers must lie in. The ranges are wide
/// enough for anything that double precision simulates well; what lies outside is a slip of the pen
/// far more often than a wish.
struct Limits {
  // --- the file ---
  static constexpr std::size_t kFileBytes = 256u << 20;   ///< 256 MiB
  static constexpr std::size_t kDepth = 64;               ///< nested objects and arrays
  static constexpr std::size_t kStringBytes = 64u << 10;  ///< 64 KiB
  static constexpr std::size_t kNameBytes = 256;          ///< of a body, shape, material or joint
  static constexpr std::size_t kMeshFileBytes = 2ull << 30;  ///< 2 GiB
  static constexpr std::size_t kTriangles = 10'000'000;

  // --- time ---
  static constexpr double kMinDt = 1e-9;  ///< [s]; below, 1/dt loses its meaning
  static constexpr double kMaxDt = 1.0;   ///< [s]
  static constexpr double kMaxSteps = 1e9;
  static constexpr double kMaxTime = 1e9;  ///< [s]

  // --- space ---
  static constexpr double kMinSize = 1e-6;     ///< [m], extent of a shape
  static constexpr double kMaxSize = 1e6;      ///< [m]
  static constexpr double kSmallSize = 1e-4;   ///< [m], below: a warning
  static constexpr double kLargeSize = 1e4;    ///< [m], above: a warning
  static constexpr double kMaxPosition = 1e9;  ///< [m], per coordinate
  static constexpr double kFarPosition = 1e7;  ///< [m], above: a warning
  static constexpr double kMaxSpeed = 1e9;     ///< [m/s] and [rad/s], per coordinate
  /// A quaternion or direction this close to unit length is taken as meant and normalised [-].
  static constexpr double kUnitTolerance = 1e-6;
  /// Largest cosine between two axes that count as perpendicular [-].
  static constexpr double kPerpendicular = 1e-4;

  // --- matter ---
  static constexpr double kMinMass = 1e-9;         ///< [kg]
  static constexpr double kMaxMass = 1e12;         ///< [kg]
  static constexpr double kMaxDensity = 1e12;      ///< [kg/m³]
  static constexpr double kMaxFriction = 1e3;      ///< [-]
  static constexpr double kMaxAcceleration = 1e9;  ///< [m/s²]
  static constexpr double kMaxForce = 1e18;        ///< [N] and [N·m]
  static constexpr double kMaxDamping = 1e6;       ///< [1/s]
  static constexpr double kMaxStiffness = 1e18;    ///< [N/m]
  /// An inertia tensor may violate I_x <= I_y + I_z by this share of its largest entry [-].
  static constexpr double kInertiaTolerance = 1e-9;
};

}  // namespace msd_scene
