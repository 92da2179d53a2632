#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "msd-assets/src/MassProperties.hpp"
#include "msd-assets/src/Shape.hpp"
#include "msd-sim/src/DataTypes/Id.hpp"
#include "msd-sim/src/DataTypes/Pose.hpp"
#include "msd-sim/src/Physics/Constraints/Joints/JointKinds.hpp"
#include "msd-sim/src/Physics/RigidBody/Restitution.hpp"

namespace msd_sim {

using msd_assets::Box;
using msd_assets::Capsule;
using msd_assets::Compound;
using msd_assets::CompoundPart;
using msd_assets::Cylinder;
using msd_assets::Hull;
using msd_assets::Mesh;
using msd_assets::Plane;
using msd_assets::Shape;
using msd_assets::Sphere;
using msd_assets::Terrain;

inline constexpr double kUnset = std::numeric_limits<double>::quiet_NaN();

/// Which pairs may collide: A and B do when each one's layer is in the other's mask.
struct CollisionFilter {
  std::uint32_t layer{1};           ///< bits this body belongs to
  std::uint32_t mask{0xFFFFFFFFu};  ///< bits it collides with
};

/// A body that moves under forces.
struct InertialDescription {
  std::string name{};
  Shape shape;
  double density{1000.0};  ///< [kg/m³]; mass and inertia follow from the shape
  double mass{kUnset};     ///< [kg]; overrides the density, the inertia scales along
  /// Inertia about the centre of mass in body axes [kg·m²] and the centre itself [m]; both override
  /// the geometry and need `mass`.
  std::optional<Matrix3D> inertia{};
  std::optional<Coordinate> centreOfMass{};

  Coordinate position{0.0, 0.0, 0.0};  ///< of the shape's frame [m]
  Quaternion orientation{1.0, 0.0, 0.0, 0.0};
  CoordinateRate linearVelocity{0.0, 0.0, 0.0};  ///< of the shape frame's origin [m/s]
  AngularRate angularVelocity{0.0, 0.0, 0.0};    ///< world axes [rad/s]

  double friction{0.5};            ///< Coulomb coefficient; pairs take the geometric mean [-]
  double restitution{kDefaultRestitution};  ///< 0 to 1; pairs take the geometric mean [-]
  double rollingResistance{0.0};   ///< lever arm of the rolling torque, >= 0 [m]
  double torsionalResistance{0.0}; ///< lever arm of the torque about the normal, >= 0 [m]
  /// Stiffness [N/m] and damping [N·s/m] of the surface along the normal; infinite: rigid.
  double contactStiffness{std::numeric_limits<double>::infinity()};
  double contactDamping{0.0};
  Vector3D surfaceVelocity{0.0, 0.0, 0.0};  ///< of the surface along itself, body axes [m/s]

  double linearDamping{0.0};   ///< [1/s]
  double angularDamping{0.0};  ///< [1/s]

  CollisionFilter filter{};
  bool collides{true};     ///< false: touches nothing
  bool continuous{false};  ///< swept by time of impact, for small fast bodies
  bool kinematic{false};   ///< moves as told (velocities, poses), pushes others, feels no force
  bool maySleep{true};
};

/// A body that never moves.
struct EnvironmentDescription {
  std::string name{};
  Shape shape;
  Coordinate position{0.0, 0.0, 0.0};  ///< of the shape's frame [m]
  Quaternion orientation{1.0, 0.0, 0.0, 0.0};
  double friction{0.5};
  double restitution{kDefaultRestitution};
  double rollingResistance{0.0};
  double torsionalResistance{0.0};
  double contactStiffness{std::numeric_limits<double>::infinity()};  ///< [N/m]
  double contactDamping{0.0};                                        ///< [N·s/m]
  Vector3D surfaceVelocity{0.0, 0.0, 0.0};  ///< a conveyor belt's, body axes [m/s]
  CollisionFilter filter{};
  bool collides{true};
};

/// A joint between two bodies, placed in the world as the bodies stand when it is made.
struct JointDescription {
  std::string name{};
  JointKind kind{JointKind::kBall};
  BodyId bodyA{};  ///< null: the world
  BodyId bodyB{};
  Coordinate anchor{0.0, 0.0, 0.0};      ///< world, on A and (where anchorB is unset) on B [m]
  std::optional<Coordinate> anchorB{};   ///< distance, rope, spring: the other end [m]
  Vector3D axis{0.0, 0.0, 1.0};          ///< world; hinge, slider, cylindrical, universal (on A)
  Vector3D axisB{1.0, 0.0, 0.0};         ///< world; universal: the axis fixed to B

  double length{kUnset};     ///< distance, rope, spring rest length; unset: as the anchors stand [m]
  double stiffness{kUnset};  ///< spring [N/m]; hinge, slider, cylindrical: of the free coordinate
                             ///< about `rest`, unset: none [N·m/rad] or [N/m]
  double damping{0.0};       ///< spring or free coordinate [N·s/m] or [N·m·s/rad]
  double rest{0.0};          ///< free coordinate where its spring is at rest [rad] or [m]

  std::optional<JointLimit> limit{};
  std::optional<JointMotor> motor{};
  double friction{0.0};  ///< dry: force [N] or torque [N·m] that resists the free coordinate
  double armature{0.0};  ///< inertia that turns with the free coordinate [kg·m²] or [kg]
  double breakingForce{std::numeric_limits<double>::infinity()};   ///< [N]
  double breakingTorque{std::numeric_limits<double>::infinity()};  ///< [N·m]
  bool collideConnected{false};  ///< may the two bodies touch each other
};

}  // namespace msd_sim
