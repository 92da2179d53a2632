#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "msd-sim/src/DataTypes/WorkTeam.hpp"
#include "msd-sim/src/Diagnostics/StepReport.hpp"
#include "msd-sim/src/Environment/ContactRecord.hpp"
#include "msd-sim/src/Environment/Descriptions.hpp"
#include "msd-sim/src/Environment/Reference/ReferenceState.hpp"
#include "msd-sim/src/Environment/Settings.hpp"
#include "msd-sim/src/Environment/Stages/ExactStep.hpp"
#include "msd-sim/src/Environment/StepUndo.hpp"
#include "msd-sim/src/Environment/ThreadTimes.hpp"
#include "msd-sim/src/Environment/WorldModel.hpp"
#include "msd-sim/src/Physics/Collision/CollisionPipeline.hpp"
#include "msd-sim/src/Physics/Constraints/Constraint.hpp"
#include "msd-sim/src/Physics/Constraints/Joints/JointSolver.hpp"
#include "msd-sim/src/Physics/Constraints/Rows/Kernels.hpp"
#include "msd-sim/src/Physics/Constraints/Rows/ResistanceRows.hpp"
#include "msd-sim/src/Physics/Constraints/Rows/SolverBodies.hpp"
#include "msd-sim/src/Physics/Constraints/Rows/SurfaceRows.hpp"
#include "msd-sim/src/Physics/PotentialEnergy/PotentialEnergy.hpp"
#include "msd-sim/src/Physics/RigidBody/AssetEnvironment.hpp"
#include "msd-sim/src/Physics/RigidBody/AssetInertial.hpp"
#include "msd-sim/src/Physics/Solver/ContactTable.hpp"
#include "msd-sim/src/Physics/Solver/IslandPlan.hpp"

namespace msd_sim {

/// One place for a body. Slot 0 stays empty: it is what unused solver lanes point to.
struct BodySlot {
  std::uint32_t generation{0};
  std::unique_ptr<AssetInertial> inertial;
  std::unique_ptr<AssetEnvironment> environment;
  std::string name;
  std::uint32_t firstCollider{Collider::kNone};
  std::uint32_t joints{0};  ///< attached to it
  bool kinematic{false};
  bool maySleep{true};
  bool continuous{false};
  bool forced{false};  ///< has a user force or torque for the next step
  std::optional<Pose> target;   ///< kinematic: pose of the body frame to reach in the next step
  bool stopsAfterward{false};   ///< kinematic: got here by a target; stands still without a new one
  Vector3D surfaceVelocity{Vector3D::Zero()};  ///< of the surface along itself, body axes [m/s]
  bool special{false};          ///< its surface moves or gives way
  [[nodiscard]] bool isUsed() const { return inertial != nullptr || environment != nullptr; }
};

/// What an island rests on, which decides how the energy guard may act on it.
enum class IslandSupport : std::uint8_t {
  kNothing,  ///< its momenta are conserved
  kStatic,   ///< touches something that never moves
  kDriven,   ///< touches a kinematic body, has a motor or a spring: work comes in from outside
};

/// One place for a joint.
struct JointSlot {
  std::uint32_t generation{0};
  bool used{false};
  std::uint32_t joint{0};  ///< index in the solver
  JointDescription description{};
};

/// A field of force, and whom it acts on.
struct PlacedPotential {
  std::unique_ptr<PotentialEnergy> potential;
  std::vector<BodyId> bodies;  ///< empty: all that forces move
  [[nodiscard]] bool actsOn(BodyId id) const {
    return bodies.empty() || std::find(bodies.begin(), bodies.end(), id) != bodies.end();
  }
};

/// A constraint of the user's own, and the joint rows that stand for it in the fast and exact method.
struct UserConstraint {
  std::unique_ptr<Constraint> constraint;  ///< null: removed
  std::uint32_t bodyA{0};                  ///< slots; 0: none
  std::uint32_t bodyB{0};
  std::vector<std::uint32_t> rows;         ///< indices in the joint solver, one per dimension
  Eigen::VectorXd impulse;                 ///< reference: forces of the last step [N] or [N·m]
};

/// How the rebounds of an island are watched (docs/theory/restitution.md).
enum class ReboundState : std::uint8_t {
  kNone,      ///< not at all: nothing bounces, or it is large
  kElastic,   ///< all its contacts are smooth and bounce as they came: it keeps its energy (R-8)
  kSettling,  ///< the same, but one closes too slowly to bounce in this substep
  kLossy,     ///< it may lose energy, and gain none (R-9), ...
  kGaining,   ///< ... has gained some in this phase, ...
  kLimited,   ///< ... by rebounds, of which a share is left
};
struct ReboundLimit {
  ReboundState state{ReboundState::kNone};
  double share{1.0};      ///< of the impulses (R-8) or rebound speeds (R-9)
  double gain{0.0};       ///< what it has gained [J]
  double full{0.0};       ///< the same with whole rebounds [J]
  double allowance{0.0};  ///< what it may [J]
  std::uint32_t again{0};  ///< how often phases of the step were swept again for it (R-9)
};

/// How far the bodies of a contact had turned when its rows were made anew in the last step (K-17):
/// BodyTurn::q of row body 0 and 1. No padding: snapshots hold the bytes.
struct RowTurn {
  std::uint64_t contact{0};
  double turn0[4]{1.0, 0.0, 0.0, 0.0};
  double turn1[4]{1.0, 0.0, 0.0, 0.0};
};

/// What the energy guard did to an island in a step.
struct GuardShare {
  double work{0.0};    ///< on its bodies, <= 0 [J]
  double factor{1.0};  ///< least by which it scaled their motion at a time [-]
  void add(double did, double scale) {
    work += did;
    factor = std::min(factor, scale);
  }
};

/// Groups of bodies that push each other, as index lists into the body slots.
struct Islands {
  std::vector<std::uint32_t> parent;      ///< union-find over slots
  std::vector<std::uint32_t> islandOf;    ///< per slot, or kNone
  std::vector<std::uint32_t> bodies;      ///< slots, island by island, ascending inside
  std::vector<std::uint32_t> start;       ///< first entry of each island, and the end
  std::vector<std::uint32_t> label;       ///< scratch: island number of a root
  std::vector<IslandSupport> support;     ///< per island
  std::vector<std::uint8_t> carried;      ///< per island: touches or hangs on a kinematic body
  std::vector<double> scale;              ///< per island: of the running drift, 1 where it is free
  std::vector<std::uint32_t> joints;      ///< per island: how many hold its bodies
  std::vector<double> gain;               ///< per island with joints: JointRecord::energyGain
  std::vector<double> peak;               ///< and energyPeak
  std::vector<double> correctionEnergy;   ///< per island: what its motion paid for its correction [J]
  std::vector<double> paidLift;           ///< per island: BodyShift::paidLift [m]
  std::vector<double> lifted;             ///< per island: energy that correction gave it and no motion paid for [J]
  std::vector<GuardShare> guarded;        ///< per island: what the energy guard did in this step
  std::vector<ReboundLimit> rebound;      ///< per island
  std::vector<IslandCensus> census;       ///< per island, written by planIslands
  std::vector<IslandPlan> plan;           ///< the same
  std::uint64_t version{~std::uint64_t{0}};  ///< of the contacts they were made from
  std::uint64_t jointVersion{~std::uint64_t{0}};  ///< of the joints
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;
  [[nodiscard]] std::size_t count() const { return start.empty() ? 0 : start.size() - 1; }
  [[nodiscard]] std::span<const std::uint32_t> bodiesOf(std::size_t island) const {
    return std::span{bodies}.subspan(start[island], start[island + 1] - start[island]);
  }
};

/// What the energy guard adds up over the bodies of an island [J].
struct IslandSums {
  double energy{0.0};     ///< that is asked about
  double kinetic{0.0};
  double allowance{0.0};  ///< that counts as rounding
  double weight{0.0};     ///< of the loads [N]
};

/// Scratch of Nesterov's extrapolation (SweepExtrapolation.hpp).
struct ExtrapolationScratch {
  struct Body {
    std::uint32_t slot;
    std::uint32_t island;  ///< place in `islands`
  };
  std::vector<std::uint32_t> islands;  ///< that start cold
  std::vector<Body> bodies;            ///< their bodies
  std::vector<std::uint32_t> lanes;    ///< of all bundles of the pack: place in `islands`, or their number
  std::vector<double> old;             ///< impulses after the sweep before, bundle by bundle
  std::vector<double> ahead;           ///< where the extrapolation has led them from there
  std::vector<double> oldMotion;       ///< velocities after the sweep before
  std::vector<double> t, localResidual, beta, against;  ///< per island
};

/// A point of a contact that pushes a mechanism (MechanismContacts.hpp), as a row.
struct MechanismPoint {
  std::uint32_t contact{0};
  std::uint32_t body[2]{};                 ///< row bodies 0 and 1
  ContactPointRows* rows{nullptr};
  void* all{nullptr};                      ///< the contact's rows
  int lane{0};
  int number{0};                     ///< of the point
  double size{1.0};                  ///< of the contact [m]
  double impulse{0.0}, target{0.0};  ///< of its row, while its island is swept
  double loadedTarget{0.0};          ///< the target while it carries an impulse [m/s]
  const double* velocity[2]{};  ///< of its bodies, linear and angular, while its island is swept
  double settled{0.0};          ///< change of its velocity that counts as settled [m/s]
  double compliance{-1.0};  ///< along the normal, joints eliminated; below 0: not known yet [1/kg]
  JointComponent::Wrench side[2]{};  ///< unit impulse on each body
  std::uint32_t component[2]{};      ///< of its bodies that can be pushed now, or none
  std::size_t column[2]{};           ///< where the answers of their mechanisms stand
  std::uint32_t key[2]{};            ///< where MechanismPoints::changed keeps the time of its bodies' last change
  std::uint32_t seen{0};  ///< time of its last visit
  double given{0.0};      ///< impulse that their joints do not know of yet [N·s]
  void (*placer)(MechanismPoint&){nullptr};
  /// Brings `side` to where the bodies are in this phase.
  void placeNow();
};
struct MechanismPoints {
  std::vector<MechanismPoint> points;  ///< pack by pack, and island by island
  std::vector<std::uint32_t> start;    ///< first of each island that has any, and the end
  std::vector<std::uint32_t> packStart;  ///< first entry of `start` of each pack, and the end
  std::vector<double> columns;         ///< answers of mechanisms to unit impulses
  std::vector<std::uint32_t> changed;  ///< per body slot: visit of its island that last pushed it or its mechanism
  std::vector<std::pair<std::uint32_t, MechanismPoint>> found;  ///< scratch
};

/// A point of a contact that touches a tree of joints, and where its rows are.
struct WalkPoint {
  ContactPointRows* rows{nullptr};
  void* all{nullptr};                 ///< the contact's rows
  ContactSums* sums{nullptr};
  std::uint8_t* impact{nullptr};      ///< BundleNotes of its bundle
  int lane{0};
  int number{0};                      ///< of the point
  double size{1.0};                   ///< of the contact [m]
  std::uint32_t slot[2]{};            ///< of its sides: side 0 is of a tree, and farther along the walk
  std::int32_t node[2]{-1, -1};       ///< among the island's nodes
  bool turned{false};                 ///< side 0 is row body 0
  bool meets{false};                  ///< touches one tree twice
  void (*place)(const WalkPoint&, const ContactPass&, TreePoint&){nullptr};
};

/// The trees of joints of one island, and what they touch (docs/theory/joints.md, section 11).
struct WalkIsland {
  std::uint32_t island{0};
  std::uint32_t tree{0}, treeEnd{0};    ///< in MechanismWalks::trees
  std::uint32_t point{0}, pointEnd{0};  ///< in MechanismWalks::points
  std::uint32_t op{0}, opEnd{0};        ///< in MechanismWalks::ops: one pass
  std::uint32_t nodes{0};
  std::uint32_t contacts{0};
  std::uint32_t node{0}, place{0};      ///< first of its nodes and points in PackScratch
  std::uint32_t placed{0};              ///< phase in which these were made; 0: none yet
};
struct MechanismWalks {
  std::vector<WalkIsland> islands;        ///< pack by pack
  std::vector<std::uint32_t> packStart;   ///< first island of each pack, and the end
  std::vector<std::uint32_t> trees;       ///< components
  std::vector<WalkPoint> points;
  std::vector<WalkOp> ops;
  std::vector<std::int32_t> nodeOf;       ///< per body slot, of those that are of a tree
  // Scratch.
  std::vector<std::uint32_t> walkOf;      ///< per island: its number in `islands`
  struct Order {
    std::uint32_t walk;
    std::int32_t first, second;           ///< how far along the walk its sides are
    std::uint32_t number;                 ///< in `found`
  };
  std::vector<Order> order;
  std::vector<WalkPoint> found;           ///< as the rows lie
  std::vector<std::int32_t> rankOf;       ///< per body slot: how far along the walk
  std::vector<std::int32_t> at;           ///< per node of an island: the first node of its tree
  std::vector<std::int32_t> places;       ///< per first node of a tree: where the walk is
  std::vector<std::int32_t> parents;      ///< per node of an island
  std::vector<std::int32_t> way;          ///< down to a node
};

/// Work space of the walks of one thread.
struct WalkScratch {
  std::vector<Vector3D> forces;  ///< of the points on each node [N·s]
  TreeScratch tree;
};

/// Islands that one thread, or the whole team, takes through the step: all of one schedule.
struct Pack {
  SolveGroup group{SolveGroup::kFull};
  bool shared{false};  ///< the team shares its loops; else one thread does all of it
  bool swept{false};   ///< has the joints that are swept
  std::uint32_t island{0}, islandEnd{0};  ///< in Packs::islands
  std::uint32_t body{0}, bodyEnd{0};      ///< in Packs::bodies
  std::uint32_t component{0}, componentEnd{0};  ///< in Packs::components
  std::uint32_t work{0};  ///< about how long it takes, in contacts
};

/// How the bodies and islands of a step are packed. Which islands share a pack decides who computes what and how full
/// the lanes are, and changes no bit (docs/theory/plan.md).
struct Packs {
  std::vector<Pack> packs;
  std::vector<std::uint32_t> alone;    ///< those that are not shared, the dearest first
  std::vector<std::uint32_t> islands;  ///< their numbers, pack by pack
  /// Slots of all bodies that move, pack by pack, each filled up with slot 0 to whole blocks.
  std::vector<std::int32_t> bodies;
  std::vector<std::uint32_t> place;       ///< per body slot: where it stands in `bodies`
  std::vector<std::uint32_t> components;  ///< of joints, pack by pack
  // Contacts, pack by pack, in the order of their bodies.
  std::vector<ContactTable::Entry> entries;
  std::vector<std::uint32_t> entryStart;  ///< first of each pack, and the end
  // Scratch.
  struct Placed {
    std::uint32_t place;  ///< of the first of its bodies that can be pushed
    std::uint32_t other;  ///< slot of the other
    ContactTable::Entry entry;
  };
  std::vector<Placed> sorted;
  std::vector<std::uint32_t> start;

  [[nodiscard]] BodyList bodiesOf(const Pack& pack) const {
    return BodyList{bodies}.subspan(pack.body, pack.bodyEnd - pack.body);
  }
  [[nodiscard]] std::span<const std::uint32_t> islandsOf(const Pack& pack) const {
    return std::span{islands}.subspan(pack.island, pack.islandEnd - pack.island);
  }
  [[nodiscard]] JointSolver::Share jointsOf(const Pack& pack) const {
    return {std::span{components}.subspan(pack.component, pack.componentEnd - pack.component), pack.swept};
  }
};

/// What the last visits of contacts or joints in a step still changed.
struct LastChange {
  double localResidual{0.0};   ///< largest, against what counts as settled [-]
  double speed{0.0};           ///< largest [m/s]
  std::uint32_t unsettled{0};  ///< how many are above what counts as settled

  void add(double residual, double settledSpeed, std::uint32_t count = 1) {
    localResidual = std::max(localResidual, residual);
    speed = std::max(speed, residual * settledSpeed);
    if (residual > 1.0) unsettled += count;
  }
  void add(const LastChange& part) {
    localResidual = std::max(localResidual, part.localResidual);
    speed = std::max(speed, part.speed);
    unsettled += part.unsettled;
  }
};

/// What the contacts of an island did, or all together.
struct ContactTotals {
  double normalWork{0.0}, frictionWork{0.0}, drivenWork{0.0}, residual{0.0}, points{0.0};
  LastChange last{};
  void add(const ContactTotals& part) {
    normalWork += part.normalWork;
    frictionWork += part.frictionWork;
    drivenWork += part.drivenWork;
    residual = std::max(residual, part.residual);
    points += part.points;
    last.add(part.last);
  }
};

/// The same of contacts that follow each other in the table and are of one island.
struct IslandRun {
  std::uint32_t island{0};
  ContactTotals totals;
};

/// What a pack needs for itself while it is being solved, and what it leaves for the report.
struct PackScratch {
  double h{0.0};                    ///< length of its substeps; 0 until it is solved [s]
  std::uint32_t stamp{0};           ///< of its last sweep in this step, see SolverBodies::dirty
  std::vector<double> leastLimits;  ///< per sweep of a phase
  std::vector<std::uint32_t> lookedAt;  ///< pairs that are tested again within the step (K-17)
  ExtrapolationScratch extrapolation;
  std::vector<std::unique_ptr<WalkScratch>> walks;  ///< one, or some where the team shares the pack
  AlignedVector<TreeNode> treeNodes;    ///< of all its walks: they last for a phase
  AlignedVector<TreePoint> treePoints;  ///< the same
  ResistanceRows resistance;
  SurfaceRows surfaces;
  std::vector<IslandSums> sums;     ///< per block of bodies of a large island
  std::vector<std::vector<IslandRun>> runs;  ///< per block of bundles of a shared pack, for the audit
  std::uint32_t tests{0};           ///< of shapes, between substeps (K-17)
  std::vector<std::uint32_t> phaseSweeps;  ///< of each phase
  std::uint64_t visits{0};          ///< of contacts in these
  std::uint32_t guarded{0};         ///< islands that the energy guard held back, once per substep
  double guardedEnergy{0.0};        ///< the most that it took out of one of them at a time [J]
  double deepest{0.0};              ///< penetration [m]
  double deepestShare{0.0};         ///< the same against the contact's size [-]
};

/// A pair that penetrates by more than is left alone.
struct DeepContact {
  double depth;        ///< as its rows tell [m]
  std::uint32_t pair;  ///< of colliders
};

/// Body pairs whose touching changed, and hits, before they become events.
struct EventScratch {
  struct Change {
    std::uint32_t a, b;  ///< slots, a < b
  };
  struct Hit {
    std::uint32_t a, b;
    double speed;          ///< [m/s]
    std::uint32_t contact;
  };
  /// What one thread finds at a time.
  struct Block {
    std::vector<Change> changes;
    std::vector<Hit> hits;
    std::vector<ContactEvent> events;
  };
  std::vector<Block> blocks;
  std::vector<Change> changes;
  std::vector<Change> ended;  ///< pairs that were removed while they touched
  std::vector<Hit> hits;
  std::vector<ContactEvent> removed;  ///< ends of contacts with bodies that were removed
};

/// Work space of the search for impacts of marked bodies.
struct ImpactScratch {
  struct Impact {
    double time{std::numeric_limits<double>::infinity()};  ///< [s]
    std::uint32_t other{0};                                ///< slot
  };
  std::vector<double> stops;     ///< per body slot: when it stops [s]
  std::vector<Impact> impacts;   ///< per marked body: its earliest
  std::vector<std::pair<double, std::uint32_t>> queue;  ///< of these, and of earlier ones: a heap
  DynamicTree ways;              ///< boxes that marked bodies pass through
};

/// Who sleeps, and who is about to. Arrays are per body slot.
struct Sleepers {
  std::vector<std::uint8_t> asleep;
  std::vector<double> slowTime;          ///< how long the body has been slow [s]
  std::vector<std::uint32_t> next;       ///< ring of the bodies that fell asleep together
  std::vector<std::uint8_t> toWake;      ///< is to be woken before the next step
  std::vector<std::uint32_t> calls;      ///< those, in the order in which that was asked for
  std::vector<double> islandSlowTime;    ///< scratch: least `slowTime` of an island [s]
  std::uint32_t count{0};                ///< bodies asleep
};

/// A body's energy in fields of force.
struct FieldShare {
  double energyBefore{0.0};  ///< at the start of the step [J]
};

/// A body with damping, and its factors over half a step of `dt`.
struct DampedBody {
  std::uint32_t slot{0};
  double dt{0.0};       ///< [s]
  double linear{1.0};   ///< exp(-c dt/2)
  double angular{1.0};
};

/// Changes of energy that happened outside the solver since the last audit.
struct PendingWork {
  double external{0.0};  ///< impulses and states set by the user [J]
  double damping{0.0};   ///< damping and falling asleep [J]
};

/// What the audit adds up over bodies.
struct AuditSums {
  EnergyLedger ledger;
  double weightTimesSize{0.0};  ///< [J]
  std::uint32_t bodies{0};
  std::uint32_t awake{0};
};

/// The last step that came to its end: what contact records and the next step ask of it.
struct SettledStep {
  double dt{0.0};  ///< [s]
  StepStatus status{StepStatus::kOk};
  double energyScale{0.0};  ///< EnergyLedger::scale [J]
};

/// Everything inside a WorldModel. The stages of a step are functions on it, one file each.
struct Simulation {
  explicit Simulation(const Settings& settings);

  Settings settings;
  const Kernels* kernels;
  std::unique_ptr<WorkTeam> team;
  ThreadTimes threadTimes;  ///< of the last step, where the team is watched

  std::vector<BodySlot> slots;
  std::vector<std::uint32_t> freeSlots;
  std::vector<BodyId> order;  ///< bodies as they were made
  std::unordered_map<std::string, std::vector<BodyId>> byName;  ///< as they were made

  // Per body slot.
  SolverBodies solver;
  std::vector<BodyTravel> travel;
  std::vector<std::uint8_t> pushable;        ///< forces move it, and it is awake
  std::vector<std::uint8_t> moving;          ///< pushable or kinematic: the body kernels take it
  Sleepers sleepers;
  std::vector<DampedBody> damped;
  std::uint32_t kinematicCount{0};
  std::vector<std::uint32_t> continuous;     ///< slots of marked bodies, as they were made
  ImpactScratch impactScratch;
  std::vector<FieldShare> fields;            ///< empty without potentials

  MechanismPoints mechanismPoints;
  MechanismWalks walks;

  CollisionPipeline collision;
  Islands islands;
  Packs packs;         ///< written by planIslands
  ContactTable table;  ///< contacts of the last step, written by prepareRows
  std::vector<std::unique_ptr<PackScratch>> packScratch;
  std::vector<PlacedPotential> potentials;

  JointSolver joints;
  std::vector<UserConstraint> constraints;  ///< the joint solver points to them
  std::vector<JointSlot> jointSlots;
  std::vector<std::uint32_t> freeJointSlots;
  std::vector<JointId> jointOrder;  ///< joints as they were made
  std::unordered_map<std::string, JointId> jointByName;
  /// Slots of bodies that a joint keeps from colliding, smaller first, sorted; one entry per joint.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> joinedPairs;
  PendingWork pendingWork;
  std::vector<AuditSums> auditSums;  ///< per block of bodies
  std::vector<ContactTotals> contactTotals;  ///< per island

  std::vector<ContactEvent> events;
  std::vector<ContactRecord> records;
  std::atomic<bool> recordsValid{false};
  EventScratch eventScratch;

  std::vector<std::uint32_t> loose;  ///< colliders whose tree box is missing or out of date
  std::atomic<bool> looseValid{false};

  ExactStep exact;  ///< workspace of Method::kExact
  std::uint32_t specialBodies{0};  ///< whose surfaces move or give way
  std::function<void(ContactChange&)> contactCallback;
  ReferenceState reference;  ///< of Method::kReference

  StepReport report;
  SettledStep settled;
  StepUndo undo;
  bool stepping{false};  ///< update is running
  bool watching{false};  ///< numbers are looked at after every stage
  std::optional<Stage> firstBad{};  ///< of the step that is watched: the stage that left no numbers
  /// Moving bodies from which on threads share a step; fewer are done before another thread has woken up. One
  /// that exact mode solves takes far longer. Changes no result; tests set it to 0.
  std::size_t shareFrom{256};
  std::size_t shareFromExact{32};
  std::mutex lazy;  ///< held while answers are filled in: several threads may ask at once
  double time{0.0};
  std::uint64_t step{0};
  double returnedCorrectionEnergy{0.0};  ///< energy of position correction taken out of the motion again [J]
  std::vector<RowTurn> rowTurns;  ///< of the last step, by contact; written by keepContacts
  bool corrected{false};     ///< the last step found a penetration to correct; changes no result
  std::vector<DeepContact> deepContacts;  ///< scratch of correctPositions
  std::uint32_t guardedSubsteps{0};  ///< islands the energy guard had to hold back in this step
  double guardedEnergy{0.0};         ///< the most that it took out of one of them in a substep [J]

  [[nodiscard]] BodySlot& slot(BodyId id);
  [[nodiscard]] const BodySlot& slot(BodyId id) const;
  [[nodiscard]] JointSlot& jointSlot(JointId id);
  [[nodiscard]] const JointSlot& jointSlot(JointId id) const;
  [[nodiscard]] BodyId idOf(std::uint32_t slot) const { return {slot, slots[slot].generation}; }
};

// Lengths of a step that update takes [s].
inline constexpr double kShortestStep = 1e-9;
inline constexpr double kLongestStep = 1.0;

/// One step: the stages, in order. False where it failed; the world is then halfway. Throws what code of the
/// user throws, and std::bad_alloc.
bool advance(Simulation& sim, double dt);
/// Throws std::logic_error while a step is running: code of the user must not ask then.
void requireIdle(const Simulation& sim);

// The stages, in order (docs/life-of-a-step.md).
void gatherBodies(Simulation& sim, double dt);
void findPairs(Simulation& sim);
void findContacts(Simulation& sim);
void prepareRows(Simulation& sim, double dt);
/// Gives the collision pipeline the settings' rule for materials.
void useCombination(Simulation& sim);
/// Throws std::invalid_argument where a surface moves or gives way, which exact and reference mode cannot follow.
void refuseSurface(const SurfaceMaterial& material, const Vector3D& velocity, const std::string& name);
/// Notes whether the surface of a body moves or gives way.
void markSurface(Simulation& sim, BodySlot& slot, const SurfaceMaterial& material,
                 const Vector3D& velocity);
/// (C-7), after a drift: the rows of bodies that have turned far since they were made.
void renewRows(Simulation& sim, std::size_t pack);
/// Between two substeps: contacts of bodies that turn far are tested anew, and their rows made anew (K-17). The share
/// `left` of the step is still to come.
void lookAgain(Simulation& sim, std::size_t pack, const ContactPass& pass, double left);
void buildIslands(Simulation& sim);
/// How each island is solved (docs/theory/plan.md), and the packs of bodies and islands that follow.
void planIslands(Simulation& sim, double dt);
/// Parts of it: which islands are solved together, and whether a body in free flight needs one substep only.
void packIslands(Simulation& sim, double dt);
[[nodiscard]] bool fliesInOneSubstep(const Simulation& sim, std::uint32_t slot, double dt);
void solveSubsteps(Simulation& sim, double dt);
/// Takes the place of solveSubsteps in exact mode.
void solveExact(Simulation& sim, double dt);
/// The end of an exact step's positions: joints that correction has opened are closed (E-13).
void closeJoints(Simulation& sim);
/// (T-13), before the drift: an island held by something static climbs no higher than its kinetic
/// energy can lift it. Where the phase has been measured (T-14), what the limit takes leaves the ledger too.
void limitDrift(Simulation& sim, std::size_t pack, double h, bool measured);
/// (T-13), after a substep: no island has more energy than it had and the loads gave it. What a solve
/// that has not converged adds is taken out of the motion again.
void guardEnergy(Simulation& sim, std::size_t pack, double h);
/// Which rebounds of a pack's islands are watched, for a step.
void classifyRebounds(Simulation& sim, std::size_t pack);
/// before the end of phase 1: leaves out islands in which something closes too slowly to bounce.
void noteSoftHits(Simulation& sim, std::size_t pack, const ContactPass& pass);
/// ... and before the end of phase 2: scales their impulses such that they keep their energy. Returns whether it scaled
/// any.
[[nodiscard]] bool keepElasticEnergy(Simulation& sim, std::size_t pack, double h);
/// before the end of phase 2: islands that have gained energy by rebounds rebound no more. Returns whether there
/// are any, whose phase is to be swept on; ...
[[nodiscard]] bool stopGainingRebounds(Simulation& sim, std::size_t pack, double h, double lead);
/// ... by so much that they gain nothing, where it is swept on once more; and not at all, where that was too much still.
/// Returns whether it is to be swept on; ...
[[nodiscard]] bool shareGainingRebounds(Simulation& sim, std::size_t pack, double h, double lead, bool first);
/// ... and the next phase begins anew.
void forgetRebounds(Simulation& sim, std::size_t pack);
/// Takes energy [J] out of an island's motion, whose kinetic energy is given, and enters what it took.
void calmMotion(Simulation& sim, std::size_t island, double surplus, double kinetic);
/// Resistance to rolling and spinning (docs/theory/resistance.md): lists the contacts of a pack that have any, and adds
/// what they are expected to give in a substep of h to the warm starts of the bodies; ...
void prepareResistance(Simulation& sim, std::size_t pack, double h);
/// ... sweeps those whose bodies still move once, after the contacts, and returns how many had not settled;
[[nodiscard]] std::uint32_t sweepResistance(Simulation& sim, std::size_t pack, const ContactPass& pass, double speed);
/// ... adds up what they did in a phase, and keeps the warm start of the next step.
void concludeResistance(Simulation& sim, std::size_t pack, double h, const PhaseEnd& end);
/// Contacts whose surfaces move or give way (docs/theory/surfaces.md): parts of the three above, after the rest.
void prepareSurfaces(Simulation& sim, std::size_t pack);
[[nodiscard]] std::uint32_t sweepSurfaces(Simulation& sim, std::size_t pack, const ContactPass& pass, double speed);
void concludeSurfaces(Simulation& sim, std::size_t pack, const PhaseEnd& end);
/// What they did in a step.
struct SurfaceSums {
  double potential{0.0};  ///< of soft contacts at the end of the step [J]
  double stored{0.0};     ///< its change over the step [J]
  double carried{0.0};    ///< work of moving surfaces in the step [J]
  double scheme{0.0};     ///< work of the springs of soft contacts by the phase, in the step [J]
};
[[nodiscard]] SurfaceSums auditSurfaces(Simulation& sim);
/// Lets the user's own function change the contacts of the coming step.
void changeContacts(Simulation& sim);
/// The same as setSurface for a body whose contacts have it already.
void restoreSurface(Simulation& sim, std::uint32_t slot, const SurfaceMaterial& material,
                    const Vector3D& velocity);
/// Gives a body a material and a motion of its surface; its contacts are found afresh.
void setSurface(Simulation& sim, std::uint32_t slot, const SurfaceMaterial& material,
                const Vector3D& velocity);
/// Calls visit(record, island) for every joint that holds a body which can be pushed.
template <class Visit>
void forJointIslands(Simulation& sim, const Visit& visit) {
  for (JointRecord& r : sim.joints.records()) {
    if (!r.used || r.broken) continue;
    const JointDefinition& d = r.definition;
    const std::uint32_t k = sim.islands.islandOf[sim.pushable[d.bodyA] != 0 ? d.bodyA : d.bodyB];
    if (k != Islands::kNone) visit(r, k);
  }
}
/// What islands of joints have gained so far, from the joints' records before the first substep and
/// back to them after the last.
void recallJointGains(Simulation& sim);
void storeJointGains(Simulation& sim);
void correctPositions(Simulation& sim, double dt);
/// What the contacts of each island did in the step (contactTotals), once their last phase has been stored.
void sumContacts(Simulation& sim);
/// (T-15), after all substeps: contacts have given no island energy, whatever joints and drives did to it.
void takeBackContactGains(Simulation& sim);
/// (P-6): what position correction lifted gives the energy back from its motion.
void returnCorrectionEnergy(Simulation& sim);
/// (P-10): what contacts took out of an island in the step pays for the rest of its lift. Returns what they paid [J].
[[nodiscard]] double liftsPaidByContacts(const Simulation& sim);
/// Works and depths of an exact step, from the geometry of its own phases; part of correctPositions.
void writeExactSums(Simulation& sim);
bool scatterBodies(Simulation& sim);
/// Writes a body's new state from the solver's arrays to its asset.
void scatterBody(Simulation& sim, std::uint32_t slot);
void auditStep(Simulation& sim, double dt);
/// How each group of islands was solved in a fast step, and what was left (contactTotals). Part of the audit.
void reportSolve(Simulation& sim, double dt);
/// Says how far the promises of the report hold: what is unsolved, torn or held back. Part of the audit.
void judgeStep(Simulation& sim);

/// Users' constraints may change their bounds from step to step.
void readConstraintBounds(Simulation& sim);
/// Removes the users' constraints on a body that goes.
void removeConstraintsOf(Simulation& sim, std::uint32_t slot);

/// Lets the bodies of a joint that is gone touch each other again.
void releasePair(Simulation& sim, const JointDefinition& joint);

// Parts of the stages.

/// Brings the loads of all awake bodies up to the fields of force half of h later, so that kick,
/// drift and kick are a step of the position Verlet scheme (docs/theory/time-stepping.md).
void applyFields(Simulation& sim, double h);
/// Energy of a body in all potentials but uniform gravity [J].
[[nodiscard]] double fieldEnergy(const Simulation& sim, std::uint32_t slot,
                                 const InertialState& state);
/// Force and torque of all of them on a body in a state [N, N·m].
[[nodiscard]] SpatialVector fieldLoad(const Simulation& sim, std::uint32_t slot,
                                      const InertialState& state);
/// Loads without the fields again, so that what is left is what the audit calls external.
void removeFields(Simulation& sim);
/// Half a step of linear and angular damping, exact for itself.
void dampBodies(Simulation& sim, double dt);
/// Brings marked bodies that passed through something back to where they met it.
void stopAtImpacts(Simulation& sim, double dt);
/// Islands that have been slow for long enough fall asleep.
void fallAsleep(Simulation& sim, double dt);
/// Calls a body's island to be awake in the next step.
void callAwake(Simulation& sim, std::uint32_t slot);
/// Wakes all that is to wake. Returns true when there was something.
bool wakeRequested(Simulation& sim);
/// Calls sleeping bodies that a moving body has met since.
void callTouched(Simulation& sim);
/// May these two bodies (slots) touch, as far as their kinds and joints decide?
[[nodiscard]] bool mayTouch(const Simulation& sim, std::uint32_t a, std::uint32_t b);
/// Begin, end and hit of this step.
void recordEvents(Simulation& sim);
/// Keeps the end of every contact of a body that is being removed for the next step's events.
void reportRemoval(Simulation& sim, std::uint32_t slot);
/// May these two bodies touch, as far as filters decide too?
[[nodiscard]] bool mayCollide(const Simulation& sim, std::uint32_t a, std::uint32_t b);
/// M⁻¹F dt of every inertial body, in the order in which they were made.
[[nodiscard]] std::vector<SpatialVector> velocityBias(const Simulation& sim, double dt);
/// The same as accelerations and torques, per body slot.
[[nodiscard]] std::vector<BodyLoad> bodyLoads(const Simulation& sim);
/// A kinematic body on its way to a target, or one that has arrived.
void steerBody(Simulation& sim, std::uint32_t slot, double dt);
/// Velocity that brings a kinematic body to its target in a step of dt.
void aimAtTarget(Simulation& sim, std::uint32_t slot, double dt);
/// Descriptions of the joints, from what the solver holds of them.
void describeJointsAnew(Simulation& sim);
/// Who may not collide because of a joint, listed afresh.
void listJoinedPairs(Simulation& sim);
/// Copies a body's velocities from the solver's arrays into its InertialState.
void writeVelocityToAsset(Simulation& sim, std::uint32_t slot);
/// Gaps and depths of all contacts as they stand.
void measureContacts(Simulation& sim);
/// The same of a pack, into its scratch; keeps what the phases gave if these were `swept`.
void storePack(Simulation& sim, std::size_t pack, const ContactPass& pass, bool swept);
/// The deepest penetration of all packs into the report; returns it against its contact's size.
double gatherDepths(Simulation& sim);
/// Forces of the contacts, from the table of a step of dt back to where they are kept.
void keepContacts(Simulation& sim, double dt);
/// Copies a body's InertialState into the solver's arrays.
void writeStateToSolver(Simulation& sim, std::uint32_t slot);
/// Writes a body's loads and how far it may come in a step of dt.
void gatherBody(Simulation& sim, std::uint32_t slot, double dt);

/// Opens a world to tests and tools of the engine itself.
struct WorldAccess {
  [[nodiscard]] static Simulation& of(WorldModel& world) { return world.simulation_.edit(); }
  [[nodiscard]] static const Simulation& of(const WorldModel& world) { return *world.simulation_; }
};

}  // namespace msd_sim
