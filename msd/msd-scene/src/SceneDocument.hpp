#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "msd-sim/src/DataTypes/Quaternion.hpp"
#include "msd-sim/src/DataTypes/Vector3D.hpp"
#include "msd-sim/src/Environment/Descriptions.hpp"
#include "msd-sim/src/Environment/Sensors.hpp"
#include "msd-sim/src/Environment/Settings.hpp"

/// Everything a scene file (version 1) says, as plain values. docs/scene-format.md describes every
/// field with its unit, default and range; the defaults below are those of the format.
namespace msd_scene {

using msd_sim::Acceleration;
using msd_sim::AngularRate;
using msd_sim::Coordinate;
using msd_sim::CoordinateRate;
using msd_sim::Force;
using msd_sim::Matrix3D;
using msd_sim::Torque;
using msd_sim::Vector3D;

/// A rotation as a file writes it: w, x, y, z, of unit length to 1e-6. Normalised when built.
using WrittenRotation = std::array<double, 4>;
inline constexpr WrittenRotation kNoRotation{1.0, 0.0, 0.0, 0.0};

struct SceneMaterial {
  std::string name{};
  double friction{0.5};             ///< Coulomb coefficient [-]
  double restitution{0.5};          ///< 0 to 1 [-]
  double density{1000.0};           ///< [kg/m³]
  double rollingResistance{0.0};    ///< [m]
  double torsionalResistance{0.0};  ///< [m]
  std::optional<double> stiffness{};  ///< of the surface along the normal [N/m]; none: rigid
  double damping{0.0};                ///< [N·s/m]

  bool operator==(const SceneMaterial&) const = default;
};

/// Coefficients of contacts between two materials, in place of the geometric means of their own.
struct ScenePair {
  std::string materialA{};
  std::string materialB{};  ///< may be the same
  std::optional<double> friction{};
  std::optional<double> restitution{};
  std::optional<double> rollingResistance{};    ///< [m]
  std::optional<double> torsionalResistance{};  ///< [m]

  bool operator==(const ScenePair&) const = default;
};

/// Red, green, blue and opacity, each 0 to 1.
using SceneColour = std::array<double, 4>;

// --- shapes ---

struct SphereShape {
  double radius{0.0};  ///< [m]
  bool operator==(const SphereShape&) const = default;
};

struct BoxShape {
  Vector3D halfExtents{0.0, 0.0, 0.0};  ///< [m]
  bool operator==(const BoxShape&) const = default;
};

/// Along z.
struct CapsuleShape {
  double radius{0.0};      ///< [m]
  double halfHeight{0.0};  ///< of the straight part, without the caps [m]
  bool operator==(const CapsuleShape&) const = default;
};

/// Along z.
struct CylinderShape {
  double radius{0.0};      ///< [m]
  double halfHeight{0.0};  ///< [m]
  bool operator==(const CylinderShape&) const = default;
};

/// Convex hull of points, given in the scene or read from a mesh file.
struct HullShape {
  std::string file{};  ///< inside the scene's folder; empty where the scene lists the vertices
  Vector3D scale{1.0, 1.0, 1.0};  ///< of the file's coordinates [-]; `vertices` are scaled already
  std::vector<Coordinate> vertices{};  ///< [m]
  bool operator==(const HullShape&) const = default;
};

/// Triangle surface, given in the scene or read from a mesh file.
struct MeshShape {
  std::string file{};  ///< inside the scene's folder; empty where the scene lists the triangles
  Vector3D scale{1.0, 1.0, 1.0};  ///< of the file's coordinates [-]; `vertices` are scaled already
  std::vector<Coordinate> vertices{};                     ///< [m]
  std::vector<std::array<std::uint32_t, 3>> triangles{};  ///< counter-clockwise seen from outside
  bool operator==(const MeshShape&) const = default;
};

/// Half space normal·x <= offset.
struct PlaneShape {
  Vector3D normal{0.0, 0.0, 1.0};  ///< unit [-]
  double offset{0.0};              ///< [m]
  bool operator==(const PlaneShape&) const = default;
};

/// Terrain on a grid; sample (i, j) at (i·cellSize.x, j·cellSize.y), x running fastest.
struct HeightFieldShape {
  std::uint32_t columns{0};
  std::uint32_t rows{0};
  std::array<double, 2> cellSize{0.0, 0.0};  ///< along x and y [m]
  std::vector<double> heights{};             ///< columns·rows of them [m]
  bool operator==(const HeightFieldShape&) const = default;
};

struct SceneCompoundPart {
  std::string shape{};                 ///< name of a convex shape of the scene
  Coordinate position{0.0, 0.0, 0.0};  ///< in the compound's frame [m]
  WrittenRotation orientation{kNoRotation};
  bool operator==(const SceneCompoundPart&) const = default;
};

struct CompoundShape {
  std::vector<SceneCompoundPart> parts{};
  bool operator==(const CompoundShape&) const = default;
};

struct SceneShape {
  using Variant = std::variant<SphereShape, BoxShape, CapsuleShape, CylinderShape, HullShape,
                               MeshShape, PlaneShape, HeightFieldShape, CompoundShape>;
  std::string name{};
  Variant geometry{};
  bool operator==(const SceneShape&) const = default;
};

/// "sphere", "box", ...: the value of a shape's field `type`, in the order of SceneShape::Variant.
inline constexpr std::array<std::string_view, 9> kShapeTypes{
    "sphere", "box", "capsule", "cylinder", "hull", "mesh", "plane", "heightfield", "compound"};

[[nodiscard]] inline std::string_view typeName(const SceneShape& shape) {
  return kShapeTypes[shape.geometry.index()];
}

// --- bodies ---

/// A quantity at a moment. Between two of them it changes evenly; two at one moment are a jump.
template <class Value>
struct AtTime {
  double at{0.0};  ///< [s]
  Value value{};
  bool operator==(const AtTime&) const = default;
};
using TimedNumber = AtTime<double>;
using TimedVector = AtTime<std::array<double, 3>>;

/// Something to look at that belongs to a body and touches nothing.
struct SceneVisual {
  std::string shape{};                 ///< any shape of the scene
  Coordinate position{0.0, 0.0, 0.0};  ///< in the body's frame [m]
  WrittenRotation orientation{kNoRotation};
  std::optional<SceneColour> colour{};  ///< otherwise the body's
  bool operator==(const SceneVisual&) const = default;
};

struct SceneBody {
  std::string name{};
  std::string shape{};
  std::string material{"default"};
  bool isStatic{false};
  bool kinematic{false};

  Coordinate position{0.0, 0.0, 0.0};  ///< of the shape's frame [m]
  WrittenRotation orientation{kNoRotation};
  CoordinateRate linearVelocity{0.0, 0.0, 0.0};  ///< of the shape frame's origin [m/s]
  AngularRate angularVelocity{0.0, 0.0, 0.0};    ///< world axes [rad/s]

  std::optional<double> mass{};              ///< [kg]; otherwise from shape and density
  std::optional<Matrix3D> inertia{};         ///< about the centre of mass, body axes [kg·m²]
  std::optional<Coordinate> centreOfMass{};  ///< in the shape's frame [m]

  Force force{0.0, 0.0, 0.0};    ///< constant, at the centre of mass, world axes [N]
  Torque torque{0.0, 0.0, 0.0};  ///< constant, world axes [N·m]
  std::vector<TimedVector> forces{};   ///< over time, on top of `force` [N]
  std::vector<TimedVector> torques{};  ///< over time, on top of `torque` [N·m]
  double linearDamping{0.0};     ///< [1/s]
  double angularDamping{0.0};    ///< [1/s]

  Vector3D surfaceVelocity{0.0, 0.0, 0.0};  ///< of the surface along itself, body axes [m/s]
  bool collides{true};
  std::uint32_t layer{1};
  std::uint32_t mask{0xFFFFFFFFu};
  bool continuous{false};
  bool maySleep{true};
  std::optional<SceneColour> colour{};  ///< for viewers
  /// What viewers show in place of the shape; none: the shape, an empty list: nothing.
  std::optional<std::vector<SceneVisual>> visual{};

  bool operator==(const SceneBody&) const = default;
};

// --- joints ---

/// "ball", "hinge", ...: the value of a joint's field `type`, in the order of JointKind.
inline constexpr std::array<std::string_view, 9> kJointTypes{
    "ball", "hinge", "slider", "cylindrical", "universal", "fixed", "distance", "rope", "spring"};

struct SceneLimit {
  std::optional<double> lower{};  ///< [rad] or [m]
  std::optional<double> upper{};
  bool operator==(const SceneLimit&) const = default;
};

struct SceneMotor {
  msd_sim::MotorMode mode{msd_sim::MotorMode::kVelocity};
  double target{0.0};                  ///< [rad/s], [m/s]; position [rad], [m]; force [N·m], [N]
  std::vector<TimedNumber> targets{};  ///< over time, in place of `target`
  std::optional<double> maxForce{};    ///< [N] or [N·m]; none: as strong as needed
  double frequency{4.0};               ///< position mode [Hz]
  double dampingRatio{1.0};            ///< position mode [-]
  std::optional<double> stiffness{};   ///< position mode, kp [N·m/rad], [N/m]
  std::optional<double> damping{};     ///< position and velocity mode, kd [N·m·s/rad], [N·s/m]
  double feedForward{0.0};             ///< position and soft velocity mode [N·m], [N]
  std::optional<bool> carriesLoad{};   ///< position mode
  bool inverseDynamics{false};         ///< position mode: TargetTracking
  double gear{1.0};                    ///< [-]
  double rotorInertia{0.0};            ///< [kg·m²], [kg]
  bool operator==(const SceneMotor&) const = default;
};

/// The coordinate of a joint is offset + ratio · that of another one.
struct SceneFollow {
  std::string joint{};  ///< the leader; empty: the coordinate is held at the offset
  double ratio{1.0};    ///< [-], [m/rad] or [rad/m]
  double offset{0.0};   ///< [rad] or [m]
  bool operator==(const SceneFollow&) const = default;
};

struct SceneJoint {
  std::string name{};  ///< may be empty
  msd_sim::JointKind kind{msd_sim::JointKind::kBall};
  std::string bodyA{};  ///< empty: the world
  std::string bodyB{};
  Coordinate anchor{0.0, 0.0, 0.0};     ///< world [m]
  std::optional<Coordinate> anchorB{};  ///< distance, rope, spring: the other end, world [m]
  std::optional<Vector3D> axis{};       ///< world, unit [-]
  std::optional<Vector3D> axisB{};      ///< universal: the axis fixed to B, world, unit [-]
  std::optional<double> length{};       ///< distance, rope, spring [m]
  std::optional<double> stiffness{};    ///< spring, free coordinate [N/m], [N·m/rad]
  double damping{0.0};                  ///< spring, free coordinate [N·s/m], [N·m·s/rad]
  double rest{0.0};                     ///< free coordinate where its spring is at rest [rad], [m]
  std::optional<SceneLimit> limit{};
  std::optional<SceneMotor> motor{};
  std::optional<SceneFollow> follows{};    ///< hinge and slider: JointFollowing
  double friction{0.0};                    ///< [N] or [N·m]
  double armature{0.0};                    ///< [kg] or [kg·m²]
  std::optional<double> breakingForce{};   ///< [N]; none: never breaks
  std::optional<double> breakingTorque{};  ///< [N·m]
  bool collideConnected{false};

  bool operator==(const SceneJoint&) const = default;
};

// --- potentials ---

/// "uniform", "central", "spring": the value of a potential's field `type`, in this order.
enum class PotentialKind : std::uint8_t { kUniform, kCentral, kSpring };
inline constexpr std::array<std::string_view, 3> kPotentialTypes{"uniform", "central", "spring"};

/// A field of force, for all bodies that move or for those it names.
struct ScenePotential {
  PotentialKind kind{PotentialKind::kUniform};
  std::vector<std::string> bodies{};   ///< empty: all
  Force force{0.0, 0.0, 0.0};          ///< uniform: on every body, world axes [N]
  Coordinate point{0.0, 0.0, 0.0};     ///< uniform, spring: where it acts, from the centre of mass [m]
  Coordinate centre{0.0, 0.0, 0.0};    ///< central [m]
  double strength{0.0};                ///< central: G M [m³/s²]
  double radius{0.0};                  ///< central: of the body that attracts [m]
  Coordinate anchor{0.0, 0.0, 0.0};    ///< spring: its fixed end, world [m]
  double stiffness{0.0};               ///< spring [N/m]
  double length{0.0};                  ///< spring [m]

  bool operator==(const ScenePotential&) const = default;
};

// --- the rest ---

/// Solver settings the scene asks for; what it leaves open takes the engine's default (Settings).
struct SceneSolver {
  std::optional<msd_sim::Method> method{};
  std::optional<int> substeps{};
  std::optional<int> iterations{};
  std::optional<double> exactTolerance{};
  std::optional<int> exactIterations{};
  std::optional<double> restitutionThreshold{};  ///< [m/s]
  std::optional<double> positionCorrection{};    ///< [-]
  std::optional<double> baumgarte{};             ///< [-]
  std::optional<double> correctionSpeed{};       ///< [1/s]
  std::optional<bool> sleeping{};
  std::optional<double> sleepSpeed{};  ///< [m/s]
  std::optional<double> sleepTime{};   ///< [s]
  std::optional<bool> sequentialImpacts{};

  bool operator==(const SceneSolver&) const = default;
};

struct SceneCamera {
  Coordinate position{8.0, -8.0, 5.0};  ///< [m]
  Coordinate target{0.0, 0.0, 0.0};     ///< [m]
  bool operator==(const SceneCamera&) const = default;
};

/// What the reference method is held to in place of a check's own numbers: it is of first order in time.
struct SceneReferenceCheck {
  bool applies{true};  ///< false: the check says nothing about this method
  std::optional<double> value{};
  std::optional<double> tolerance{};
  std::optional<double> min{};
  std::optional<double> max{};
  bool operator==(const SceneReferenceCheck&) const = default;
};

/// What a check looks at: a quantity of a body, a joint, a sensor or the world.
struct SceneQuantity {
  std::string body{};
  std::string joint{};
  std::string sensor{};
  std::string quantity{};  ///< empty: that of the check itself
  bool operator==(const SceneQuantity&) const = default;
};

/// Which of the values that a quantity has in a run.
enum class RunValue : std::uint8_t { kAtTime, kMax, kMin, kRange };

/// One thing that should be true of a run: a quantity of a body, a joint, a sensor or the world, at
/// a time or over all of it. Either `value` with `tolerance`, or a bound on one or both sides.
struct SceneExpectation {
  std::string body{};      ///< of a body, or
  std::string joint{};     ///< of a joint, or of the world where both are empty
  std::string quantity{};  ///< "position.z", "speed", "kineticEnergy", ...
  std::optional<double> value{};
  double tolerance{0.0};
  std::optional<double> min{};
  std::optional<double> max{};
  std::optional<double> time{};  ///< [s]; none: at the end
  std::string sensor{};          ///< of a sensor, in place of a body or joint
  RunValue over{RunValue::kAtTime};
  std::optional<SceneQuantity> minus{};  ///< the difference to this one is looked at
  bool minusStart{false};                ///< the difference to the start is looked at
  std::optional<SceneReferenceCheck> reference{};

  bool operator==(const SceneExpectation&) const = default;
};

/// Something that measures: on a body (or the world), or in a joint.
struct SceneSensor {
  std::string name{};
  msd_sim::SensorKind kind{msd_sim::SensorKind::kPosition};
  std::string body{};   ///< empty: the world
  std::string joint{};  ///< of sensors in joints
  Coordinate position{0.0, 0.0, 0.0};  ///< in the body's frame [m]
  WrittenRotation orientation{kNoRotation};
  std::optional<Vector3D> halfExtents{};  ///< touch: of the box in which contacts count [m]
  double range{100.0};                    ///< [m]
  double offset{0.0};                     ///< joint position [rad] or [m]

  bool operator==(const SceneSensor&) const = default;
};

struct SceneDocument {
  std::string name{};
  std::string description{};
  Acceleration gravity{0.0, 0.0, -9.81};  ///< [m/s²]
  double dt{1.0 / 60.0};                  ///< [s]
  std::uint64_t steps{600};
  std::optional<SceneCamera> camera{};
  SceneSolver solver{};
  std::vector<SceneMaterial> materials{};
  std::vector<ScenePair> pairs{};
  std::vector<SceneShape> shapes{};
  std::vector<SceneBody> bodies{};
  std::vector<SceneJoint> joints{};
  std::vector<ScenePotential> potentials{};
  std::vector<std::array<std::string, 2>> exclude{};  ///< bodies that do not touch each other
  std::vector<SceneSensor> sensors{};
  std::vector<SceneExpectation> expect{};

  bool operator==(const SceneDocument&) const = default;
};

}  // namespace msd_scene
