#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "msd-sim/src/DataTypes/Hash128.hpp"
#include "msd-sim/src/DataTypes/Id.hpp"
#include "msd-sim/src/DataTypes/SpatialVector.hpp"
#include "msd-sim/src/Diagnostics/StepReport.hpp"
#include "msd-sim/src/Environment/ContactRecord.hpp"
#include "msd-sim/src/Environment/Descriptions.hpp"
#include "msd-sim/src/Environment/Queries.hpp"
#include "msd-sim/src/Environment/Settings.hpp"
#include "msd-sim/src/Physics/RigidBody/AssetEnvironment.hpp"
#include "msd-sim/src/Physics/RigidBody/AssetInertial.hpp"

namespace msd_sim {

class Constraint;
class FrictionProblem;
class JointHandle;
class Mechanism;
class PotentialEnergy;
struct JointReaction;
struct Simulation;
struct WorldAccess;

/// A world of rigid bodies, and the step that advances it.
///
///   WorldModel world{Settings{.gravity = {0, 0, -9.81}}};
///   BodyId cube = world.spawn(InertialDescription{.shape = Box{{0.5, 0.5, 0.5}}});
///   StepReport report = world.update(1.0 / 60.0);
///
/// Every function that takes an id throws std::out_of_range when the id is stale, and every
/// function that takes a physical quantity throws std::invalid_argument when it is out of range;
/// the world is then unchanged.
///
/// An id belongs to the world that made it. Another world cannot tell: there it names the body with the same number
/// and generation, if there is one.
///
/// Threads: functions that are const may be called from several threads at once, as long as none that is not
/// const runs. Fields, constraints and rules for materials that a step calls may be called from the world's own
/// threads at once; what they throw, `update` throws, and the world is as it was before the step. They may read
/// bodies, joints, settings and the time, which are those from before the step; contacts, questions, snapshots and
/// every change throw std::logic_error then.
class WorldModel {
 public:
  explicit WorldModel(const Settings& settings = {});
  ~WorldModel();
  WorldModel(WorldModel&&) noexcept;
  WorldModel& operator=(WorldModel&&) noexcept;
  WorldModel(const WorldModel&) = delete;
  WorldModel& operator=(const WorldModel&) = delete;

  // --- making and removing -----------------------------------------------------------------------

  BodyId spawn(const InertialDescription& description);
  BodyId spawn(const EnvironmentDescription& description);
  JointId spawn(const JointDescription& description);
  /// Removes a body with the joints attached to it; wakes what touched it.
  void remove(BodyId body);
  void remove(JointId joint);

  /// A field of force, for all bodies or for some; uniform gravity comes from the settings. Returns its
  /// index.
  std::size_t addPotential(std::unique_ptr<PotentialEnergy> potential,
                           std::span<const BodyId> bodies = {});
  /// A constraint of the user's own, between bodies given by id (bodyB null for one-body
  /// constraints). The constraint's own body indices are not used; its bounds are read in every step.
  /// Wakes the bodies. Returns its index, which stays its own.
  std::size_t addConstraint(std::unique_ptr<Constraint> constraint, BodyId bodyA, BodyId bodyB = {});
  /// Wakes the bodies. Throws std::out_of_range for an index that has no constraint (any more).
  void removeConstraint(std::size_t constraint);
  [[nodiscard]] bool hasConstraint(std::size_t constraint) const;
  /// Multipliers of the last step, one per dimension: the constraint pushed with Jᵀλ [N] or [N·m].
  [[nodiscard]] std::vector<double> constraintForce(std::size_t constraint) const;

  // --- stepping ----------------------------------------------------------------------------------

  /// Advances the world by dt [s], 1e-9 to 1. dt = 0 finds contacts and reports, but moves nothing.
  ///
  /// Where the step fails (the report's status says so) or throws, the world is as it was before, to the last bit of
  /// snapshot(). A failed step may take as long as a hundred: the way back leads through steps before it. (Where
  /// memory is so short that not even that can be done, the world is as it was some steps earlier: see time().)
  StepReport update(double dt);

  /// v_bias = M⁻¹ F dt of every inertial body, in storage order: what the potentials and the
  /// accumulated forces would add to the velocities. Velocities themselves are not changed.
  [[nodiscard]] std::vector<SpatialVector> computeVelocityBias(double dt) const;

  [[nodiscard]] double time() const;           ///< simulated so far [s]
  [[nodiscard]] std::uint64_t stepCount() const;
  [[nodiscard]] const Settings& settings() const;
  /// Threads that the world has: fewer than the settings ask for where the system gives no more.
  [[nodiscard]] int threads() const;
  /// Changes the settings between steps.
  void setSettings(const Settings& settings);
  [[nodiscard]] const StepReport& lastReport() const;

  // --- bodies ------------------------------------------------------------------------------------

  [[nodiscard]] bool contains(BodyId body) const;
  [[nodiscard]] bool contains(JointId joint) const;
  /// All bodies in the order in which they were made, inertial and environment alike.
  [[nodiscard]] std::span<const BodyId> bodies() const;
  [[nodiscard]] std::span<const JointId> joints() const;
  /// The first body made with this name, if it is still there.
  [[nodiscard]] std::optional<BodyId> findBody(std::string_view name) const;

  [[nodiscard]] bool isEnvironment(BodyId body) const;
  [[nodiscard]] const AssetPhysical& asset(BodyId body) const;        ///< any body
  [[nodiscard]] const AssetInertial& inertial(BodyId body) const;     ///< throws for environment
  [[nodiscard]] const AssetEnvironment& environment(BodyId body) const;
  [[nodiscard]] const std::string& name(BodyId body) const;
  [[nodiscard]] bool isAwake(BodyId body) const;
  /// Number of the island the body was solved in by the last step; kNoIsland for static, kinematic
  /// and sleeping bodies.
  static constexpr std::uint32_t kNoIsland = 0xFFFFFFFFu;
  [[nodiscard]] std::uint32_t island(BodyId body) const;

  /// Velocity of the body frame's origin, as scene and pose files write it [m/s].
  [[nodiscard]] CoordinateRate frameVelocity(BodyId body) const;

  /// Places a body anew, at once. Contacts are found afresh; what touched it wakes.
  void setState(BodyId body, const InertialState& state);
  /// Of the centre of mass.
  void setVelocity(BodyId body, const CoordinateRate& linear, const AngularRate& angular);
  /// Kinematic bodies: reach the pose (of the body frame) at the end of the next step, whatever its
  /// length; until then the velocity is that of a step of dt. Without another target the body stands
  /// still afterwards.
  void moveTo(BodyId body, const Pose& pose, double dt);
  // Forces and torques act throughout the next step; all of these throw for static and kinematic
  // bodies, which no force moves, and wake the body.
  void applyForce(BodyId body, const Force& force);                          ///< at the centre [N]
  void applyForceAt(BodyId body, const Force& force, const Coordinate& point);
  void applyTorque(BodyId body, const Torque& torque);                       ///< [N·m]
  void applyImpulseAt(BodyId body, const Vector3D& impulse, const Coordinate& point);  ///< [N·s]
  void wake(BodyId body);
  /// Friction, restitution, resistance and softness of a body from now on; its contacts are found
  /// afresh, and what it touches wakes.
  void setMaterial(BodyId body, const SurfaceMaterial& material);
  /// Velocity of a body's surface along itself, body axes [m/s]: a conveyor belt's.
  void setSurfaceVelocity(BodyId body, const Vector3D& velocity);
  /// Called in every step for every contact that has been found, before it is solved, in a fixed order
  /// on the caller's thread; may disable it or change its coefficients for this step. Empty: none.
  /// Contacts of sleeping bodies are not asked for.
  void setContactCallback(std::function<void(ContactChange&)> callback);

  // --- joints ------------------------------------------------------------------------------------

  /// The joint as it was made or last changed.
  [[nodiscard]] const JointDescription& joint(JointId joint) const;
  /// The first joint made with this name, if it is still there.
  [[nodiscard]] std::optional<JointId> findJoint(std::string_view name) const;
  /// Reads and drives one joint (JointHandle.hpp). By name it throws std::out_of_range for none.
  [[nodiscard]] JointHandle handle(JointId joint);
  [[nodiscard]] JointHandle handle(std::string_view name);
  /// Changes motor, limit, spring, damping, friction, armature, length and strength between steps;
  /// name, kind, bodies, anchors and axes stay. Wakes its bodies.
  void change(JointId joint, const JointDescription& description);
  /// The target of a joint's motor, on the motor's side of the gear, and in position mode the speed
  /// at which it moves. Costs nothing where it is what it was.
  void setMotorTarget(JointId joint, double target, double targetVelocity = 0.0);
  /// Force and torque the joint exerted on body B in the last step, at B's anchor.
  [[nodiscard]] JointReaction jointReaction(JointId joint) const;
  [[nodiscard]] bool isBroken(JointId joint) const;
  /// Angle [rad] or travel [m] of a joint's free coordinate, and its rate [rad/s] or [m/s].
  [[nodiscard]] double jointCoordinate(JointId joint) const;
  [[nodiscard]] double jointVelocity(JointId joint) const;
  /// What the motor pushed with in the last step, on the joint's side of the gear [N·m] or [N].
  [[nodiscard]] double motorForce(JointId joint) const;
  /// Mass matrix, forces and Jacobians of the free coordinates of some joints, as they stand
  /// (Mechanism.hpp). Throws std::invalid_argument for a joint without one, or given twice.
  [[nodiscard]] Mechanism mechanism(std::span<const JointId> joints) const;

  // --- what happened -----------------------------------------------------------------------------

  /// Contact points after the last step, ordered by body pair. Valid until the next change.
  [[nodiscard]] std::span<const ContactRecord> contacts() const;
  [[nodiscard]] std::vector<ContactRecord> contacts(BodyId body) const;
  [[nodiscard]] std::span<const ContactEvent> events() const;

  /// World bounds of a body's shape as the broadphase holds them.
  [[nodiscard]] Aabb bounds(BodyId body) const;

  /// Exact mode: the friction problem of the last step's velocity phase, all islands together, for
  /// files and audits (docs/theory/exact-contact.md, section 8). Throws std::logic_error in fast mode.
  [[nodiscard]] FrictionProblem frictionProblem() const;

  // --- questions ---------------------------------------------------------------------------------

  // Each comes in two forms: one question, or many at once, which the world's threads answer with the
  // same bits.

  [[nodiscard]] std::optional<RayHit> rayCast(const Ray& ray, const QueryFilter& filter = {}) const;
  [[nodiscard]] std::vector<std::optional<RayHit>> rayCast(std::span<const Ray> rays,
                                                           const QueryFilter& filter = {}) const;
  [[nodiscard]] std::optional<ShapeCastHit> shapeCast(const ShapeCast& cast,
                                                      const QueryFilter& filter = {}) const;
  [[nodiscard]] std::vector<std::optional<ShapeCastHit>> shapeCast(
      std::span<const ShapeCast> casts, const QueryFilter& filter = {}) const;
  [[nodiscard]] std::vector<BodyId> overlap(const Shape& shape, const Pose& pose,
                                            const QueryFilter& filter = {}) const;
  [[nodiscard]] std::vector<std::vector<BodyId>> overlap(std::span<const OverlapProbe> probes,
                                                         const QueryFilter& filter = {}) const;
  [[nodiscard]] std::optional<ClosestPoint> closestPoint(const Coordinate& point,
                                                         double maxDistance,
                                                         const QueryFilter& filter = {}) const;
  [[nodiscard]] std::vector<std::optional<ClosestPoint>> closestPoint(
      std::span<const Coordinate> points, double maxDistance, const QueryFilter& filter = {}) const;

  // --- saving ------------------------------------------------------------------------------------

  /// Everything that decides the future, as bytes that any build of this version can restore.
  [[nodiscard]] std::vector<std::byte> snapshot() const;
  /// Brings a world with the same bodies, joints and potentials back to a snapshot, bit for bit.
  /// Throws std::invalid_argument, changing nothing, when the bytes are not such a snapshot.
  void restore(std::span<const std::byte> snapshot);
  /// Fingerprint of positions, orientations and velocities of all inertial bodies, and the time.
  [[nodiscard]] Hash128 stateHash() const;

 private:
  friend struct WorldAccess;

  /// What is inside: to be read by all, and changed through edit() alone.
  class Inside {
   public:
    explicit Inside(const Settings& settings);
    ~Inside();
    Inside(Inside&&) noexcept;
    Inside& operator=(Inside&&) noexcept;

    [[nodiscard]] const Simulation& operator*() const { return *simulation_; }
    [[nodiscard]] const Simulation* operator->() const { return simulation_.get(); }
    /// For a change from outside a step: a failed step must not go back past it. Throws std::logic_error while a
    /// step is running.
    [[nodiscard]] Simulation& edit();
    /// For the step itself, and for answers that are filled in when they are first asked for.
    [[nodiscard]] Simulation& inner() const { return *simulation_; }

   private:
    std::unique_ptr<Simulation> simulation_;
  };
  Inside simulation_;
};

/// Force and torque of a joint on its body B, world axes.
struct JointReaction {
  Force force{Force::Zero()};     ///< [N]
  Torque torque{Torque::Zero()};  ///< about B's anchor [N·m]
};

}  // namespace msd_sim
