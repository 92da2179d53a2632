#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "msd-sim/src/DataTypes/Aabb.hpp"
#include "msd-sim/src/DataTypes/Pose.hpp"
#include "msd-sim/src/Environment/ContactRecord.hpp"

namespace msd_view {

/// One body at one moment. Bodies are numbered as in the scene file.
struct BodyFrame {
  static constexpr std::uint32_t kNoIsland = 0x7FFFFFFFu;

  msd_sim::Pose pose{};  ///< of the shape's frame
  msd_sim::CoordinateRate velocity{
      msd_sim::CoordinateRate::Zero()};  ///< of the centre of mass [m/s]
  msd_sim::AngularRate angularVelocity{msd_sim::AngularRate::Zero()};  ///< world axes [rad/s]
  std::uint32_t island{kNoIsland};
  bool isAwake{true};
};

/// One contact point at one moment: a ContactRecord with the scene's body numbers, in the precision
/// a picture needs, since a history of moments is kept in memory.
struct ContactFrame {
  std::uint32_t bodyA{0};
  std::uint32_t bodyB{0};
  msd_sim::Coordinate point{msd_sim::Coordinate::Zero()};  ///< [m]
  Eigen::Vector3f normal{Eigen::Vector3f::Zero()};         ///< unit, from A to B
  Eigen::Vector3f forceOnB{Eigen::Vector3f::Zero()};       ///< [N]
  Eigen::Vector3f slip{Eigen::Vector3f::Zero()};           ///< of B against A [m/s]
  float gap{0.0f};                                         ///< < 0 penetrating [m]
  float friction{0.0f};                                    ///< of the pair [-]
  msd_sim::ContactState state{msd_sim::ContactState::kOpen};
};

/// The pull of the mouse on a body.
struct DragForce {
  std::uint32_t body{0};
  msd_sim::Coordinate point{msd_sim::Coordinate::Zero()};   ///< where it acts [m]
  msd_sim::Coordinate target{msd_sim::Coordinate::Zero()};  ///< where the mouse is [m]
  msd_sim::Force force{msd_sim::Force::Zero()};             ///< mean over the step [N]
};

/// A joint at one moment.
struct JointFrame {
  msd_sim::Force force{msd_sim::Force::Zero()};     ///< on body B [N]
  msd_sim::Torque torque{msd_sim::Torque::Zero()};  ///< on body B, about its anchor [N·m]
  bool isBroken{false};
  float coordinate{std::numeric_limits<float>::quiet_NaN()};  ///< [rad] or [m]; NaN: it has none
  float velocity{0.0f};                                       ///< [rad/s] or [m/s]
  float motorForce{0.0f};                                     ///< [N·m] or [N]
  /// Of the motor, on its own side of the gear; NaN: it has none.
  float target{std::numeric_limits<float>::quiet_NaN()};
};

/// Everything the view shows of one moment. Immutable once it is published.
struct Frame {
  std::uint64_t index{0};  ///< place on the scrub bar
  std::uint64_t step{0};
  double time{0.0};  ///< [s]
  std::vector<BodyFrame> bodies{};
  std::vector<ContactFrame> contacts{};
  std::vector<JointFrame> joints{};     ///< empty where the source does not know
  std::vector<msd_sim::Aabb> bounds{};  ///< of the broadphase; empty where the source does not know
  std::optional<DragForce> drag{};

  [[nodiscard]] std::size_t bytes() const {
    return sizeof(Frame) + bodies.size() * sizeof(BodyFrame) +
           contacts.size() * sizeof(ContactFrame) + joints.size() * sizeof(JointFrame) +
           bounds.size() * sizeof(msd_sim::Aabb);
  }
};

/// What the plots show of one step. Works are added up from the start, so that at every moment
/// kinetic + potential = start + sum of the works.
enum class Column : std::uint8_t {
  kIndex,  ///< of the frame
  kStep,
  kTime,       ///< [s]
  kKinetic,    ///< [J]
  kPotential,  ///< [J]
  kExternalWork,
  kJointWork,
  kNormalWork,
  kFrictionWork,
  kPositionWork,
  kDampingWork,
  kGuardWork,
  kIntegratorError,
  kClosure,      ///< of this step [J]
  kScale,        ///< of the energies [J]
  kResidual,     ///< [m/s]
  kPenetration,  ///< deepest [m]
  kJointError,   ///< [m]
  kContacts,
  kAwake,
  kIslands,
  kIterations,
  kHits,      ///< impacts of this step
  kHitSpeed,  ///< fastest of them [m/s]
  kBegins,    ///< pairs that started to touch
  kEnds,
  kStatus,  ///< StepStatus: 0 ok, 1 degraded, 2 failed
  kFaults,  ///< a bit per StepFault
  kMethod,  ///< 0 fast, 1 exact
  kNaturalMap,
  kVelocityError,
  kComplementarity,  ///< [J]
  kConeViolation,    ///< [N·s]
  kNormalViolation,  ///< [m/s]
  kBilateralViolation,  ///< [m/s]
  kGather,           ///< wall-clock time per stage [s]
  kBroadphase,
  kNarrowphase,
  kIslandTime,
  kRows,
  kSolve,
  kCorrect,
  kScatter,
  kAudit,
};
inline constexpr std::size_t kColumnCount = 44;
inline constexpr std::array<std::string_view, kColumnCount> kColumnNames{
    "index",
    "step",
    "time",
    "kinetic",
    "potential",
    "external",
    "joint",
    "normal",
    "friction",
    "position",
    "damping",
    "guard",
    "integrator",
    "closure",
    "scale",
    "residual",
    "penetration",
    "jointError",
    "contacts",
    "awake",
    "islands",
    "iterations",
    "hits",
    "hitSpeed",
    "begins",
    "ends",
    "status",
    "faults",
    "method",
    "naturalMap",
    "velocityError",
    "complementarity",
    "coneViolation",
    "normalViolation",
    "bilateralViolation",
    "gather",
    "broadphase",
    "narrowphase",
    "islandTime",
    "rows",
    "solve",
    "correct",
    "scatter",
    "audit"};

struct SeriesRow {
  std::array<double, kColumnCount> values{};
  double& operator[](Column column) { return values[static_cast<std::size_t>(column)]; }
  double operator[](Column column) const { return values[static_cast<std::size_t>(column)]; }
};

}  // namespace msd_view
