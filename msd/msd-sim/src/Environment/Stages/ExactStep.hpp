#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "msd-sim/src/DataTypes/SpatialVector.hpp"
#include "msd-sim/src/DataTypes/Vector3D.hpp"
#include "msd-sim/src/Physics/Constraints/Exact/ExactSolver.hpp"
#include "msd-sim/src/Physics/Constraints/Exact/FrictionProblem.hpp"
#include "msd-sim/src/Physics/Constraints/Joints/JointComponent.hpp"
#include "msd-sim/src/Physics/Constraints/Rows/ContactRows.hpp"
#include "msd-sim/src/Physics/Constraints/Rows/SolverBodies.hpp"

namespace msd_sim {

struct Simulation;

/// Where a contact point is, for given poses of its bodies. World axes.
struct ContactPlace {
  Vector3D normal;  ///< unit, from body 0 to body 1
  Vector3D tangent1;
  Vector3D tangent2;
  Vector3D arm0;    ///< point from the centre of body 0 [m]
  Vector3D arm1;    ///< point from the centre of body 1 [m]
  double gap{0.0};  ///< > 0 apart [m]
};

/// An impulse as the two bodies feel it: on body 1; body 0 feels the opposite.
struct PairImpulse {
  Vector3D linear{Vector3D::Zero()};    ///< [N·s]
  Vector3D angular0{Vector3D::Zero()};  ///< about the centre of body 0 [N·m·s]
  Vector3D angular1{Vector3D::Zero()};  ///< about the centre of body 1 [N·m·s]
};

/// One contact point of a step as the exact mode sees it. `collectExactPoints` fills the first part
/// from the persistent contacts, the phases of `solveExact` the second.
struct ExactPoint {
  ContactPointRows* rows{nullptr};  ///< where the impulses of the step go
  ContactSums* sums{nullptr};       ///< where the works go
  int lane{0};
  std::uint32_t body0{0};
  std::uint32_t body1{0};
  std::uint32_t island{0};
  double friction{0.0};
  double restitution{0.0};
  double size{0.0};  ///< length scale of the contact [m]
  /// A surface is a core fixed to the body, thickened by a radius: 0 for corners and faces, the
  /// radius for balls, capsules and the side of a cylinder, whose point of contact does not turn
  /// with the body. Cores in body axes from the centre of mass [m].
  Vector3D core0;
  Vector3D core1;
  double radius0{0.0};
  double radius1{0.0};
  /// The core of a capsule is a stretch of its axis: its middle and half of it, body axes from the
  /// centre of mass [m]. Where both surfaces are round, the point of contact moves along it.
  Vector3D middle0{Vector3D::Zero()}, middle1{Vector3D::Zero()};
  Vector3D axis0{Vector3D::Zero()}, axis1{Vector3D::Zero()};
  enum class Follow : std::uint8_t {
    kFixed,    ///< both cores stay where they are on their bodies
    kNearest,  ///< the points of the axes nearest to each other
    kSide0,    ///< core 1 is fixed, core 0 the point of its axis nearest to it
    kSide1,    ///< the other way round
  };
  Follow follow{Follow::kFixed};
  Vector3D normalOfOwner;  ///< in the axes of the body that the normal turns with
  Vector3D startTangent;   ///< world

  ContactPlace place;                  ///< geometry of the running phase
  ContactPlace firstPlace;             ///< geometry of phase 1
  Vector3D first{Vector3D::Zero()};    ///< impulse of phase 1 [N·s]
  double startGap{0.0};                ///< at the start of the substep [m]
  double free{0.0};                    ///< normal velocity before the impulses of phase 1 [m/s]
  double target{0.0};                  ///< least normal velocity of the running phase [m/s]
  double rebound{0.0};                 ///< normal velocity asked for after an impact, else 0 [m/s]
  bool closed{false};                  ///< takes part in the running phase
  Vector3D impulse{Vector3D::Zero()};  ///< of the running phase: normal, tangents [N·s]
  Vector3D turn{Vector3D::Zero()};     ///< of the impacts taken in turn [N·s]
  Vector3D total{Vector3D::Zero()};    ///< over the step [N·s]
  double normalWork{0.0};              ///< over the step [J]
  double frictionWork{0.0};            ///< over the step [J]
  double drivenWork{0.0};              ///< of bodies that are driven, over the step [J]
};

/// One row of a joint in an island's problem.
struct ExactJointRow {
  SystemRow* row{nullptr};
  std::uint32_t slotA{0};
  std::uint32_t slotB{0};
  double offset{0.0};  ///< velocity that the row asks for, with the opposite sign [m/s]
  double scale{1.0};  ///< of the row in the problem: soft rows are scaled to the size of the others
  bool stop{false};   ///< a contact without friction in the problem, else a bilateral row
  int index{0};       ///< of that contact or row
};

/// What remains between steps for one island: the workspace of its solver.
struct ExactIsland {
  FrictionProblem problem;  ///< of the last phase solved
  ExactSolver solver;
  ExactSolver otherSolver;              ///< of single impacts in turn, and of second attempts
  std::vector<double> restart;          ///< start of a second attempt [N·s]
  std::vector<double> warmStart;        ///< 3 a contact, then one a bilateral row [N·s]
  std::vector<std::uint32_t> contact;   ///< point of each contact of the problem
  std::vector<JointComponent*> joints;  ///< components that hold its bodies
  std::vector<ExactJointRow> jointRows;
  std::vector<double> multiplier;  ///< of the problem's bilateral rows, as solved [N·s]
  JointComponent::Phase phaseOfJoints{JointComponent::Phase::kPosition};  ///< that runs
  bool direct{false};  ///< the joints' own factor gives the running phase its first answer
  /// How far phase 1 leaves its worst row of a joint from closed, in units of what counts as such
  /// (joint_tolerances::kClosed): after the last solve, and after the one before.
  double open{0.0};
  double wasOpen{0.0};
  bool stiff{false};       ///< the substep is too long for this island's joints
  double scheme{0.0};      ///< works of contacts by the phase less those that are booked (E-10), over the step [J]
  double dissipated{0.0};  ///< work of contacts, stops and brakes in the substep, <= 0 [J]
  std::vector<SpatialVector> freeVelocity;  ///< per body of the island, before a solve
  ContactCertificate certificate;  ///< worst of the step's phases
  ContactCertificate phase;        ///< of the last solve: what the running phase ends with
  bool phaseConverged{true};
  int newtonLeft{0};  ///< Newton steps that the island may still use in this step
  int iterations{0};
  bool converged{true};
};

/// A body before the drift, so that the drift can be taken back.
struct SavedBody {
  std::uint32_t slot{0};
  BodyMotion motion;
  BodyPose pose;
  BodyKick kick;
  double scheme{0.0};   ///< BodyTurn::scheme
  BodyMotion solved{};  ///< with the impulses of phase 1
};

/// Workspace of the exact mode.
struct ExactStep {
  std::vector<ExactPoint> points;    ///< island by island
  std::vector<std::uint32_t> start;  ///< first point of each island, and the end
  std::vector<ExactPoint> unsorted;
  std::vector<int> localBody;  ///< per body slot: number within its island's problem
  std::vector<std::unique_ptr<ExactIsland>> islands;

  std::vector<SavedBody> savedBodies;
  std::vector<SavedBody> startBodies;         ///< when the step began
  std::vector<ExactPoint> startPoints;        ///< the same
  std::vector<std::uint8_t> repeat;           ///< per island: drift once more
  std::vector<SpatialVector> startVelocity;   ///< per slot, at the start of the substep
  std::vector<SpatialVector> kickedVelocity;  ///< per slot, before the impulses of phase 2
  std::vector<Vector3D> meanSpin;             ///< per slot: angular velocity, mean over phase 1
  double residual{0.0};                       ///< worst velocity error of the step [m/s]
};

/// Fills ExactStep::points from the contacts, sorted by island.
void collectExactPoints(Simulation& sim);

/// The point's geometry for the poses that the bodies have now.
[[nodiscard]] ContactPlace placeContact(const ExactPoint& point, const SolverBodies& bodies);

/// Velocity of body 1 against body 0 at the point: normal, tangents [m/s].
[[nodiscard]] Vector3D relativeVelocity(const ExactPoint& point, const SolverBodies& bodies);

}  // namespace msd_sim
