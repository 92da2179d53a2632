#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "msd-sim/src/DataTypes/AlignedVector.hpp"
#include "msd-sim/src/Physics/Constraints/Joints/BlockFactor.hpp"
#include "msd-sim/src/Physics/Constraints/Joints/JointMotion.hpp"
#include "msd-sim/src/Physics/Constraints/Joints/JointPhase.hpp"
#include "msd-sim/src/Physics/Constraints/Joints/JointRecord.hpp"
#include "msd-sim/src/Physics/Constraints/Joints/JointTree.hpp"
#include "msd-sim/src/Physics/Constraints/Joints/MechanismInertia.hpp"
#include "msd-sim/src/Physics/Constraints/Joints/SystemRow.hpp"
#include "msd-sim/src/Physics/Constraints/Rows/PhaseMean.hpp"

namespace msd_sim {

/// Joints that hang together, solved at once: Newton's method on the positions after the drift
/// (phase 1) and one linear solve for the velocities (phase 2), with a sparse factorisation of
/// J M⁻¹ Jᵀ and an active set over the bounded rows. docs/theory/joints.md.
class JointComponent {
 public:
  struct Link {
    std::uint32_t joint;  ///< index of its record
    std::uint32_t slotA, slotB;
    std::uint32_t bodyA, bodyB;           ///< numbers in this component
    std::uint32_t row, rowCount;          ///< rows without bounds
    std::uint32_t bounded, boundedCount;  ///< rows with bounds
    double size{1.0};                     ///< of the smaller body [m]
    JointRow applied{};                   ///< impulse on A and B that the bodies' warm starts hold
    JointRow sum{};                       ///< impulse over the step
  };

  enum class Phase : std::uint8_t { kPosition, kVelocity };

  /// Joints in any order. Returns false when the component is too costly to solve directly.
  bool build(std::span<const std::uint32_t> joints, std::span<const JointRecord> records,
             const SolverBodies& bodies, double mostWork);

  [[nodiscard]] std::span<const Link> links() const { return links_; }
  [[nodiscard]] std::span<const std::uint32_t> slots() const { return slots_; }
  /// True when phases differ in how far rows give way: springs, dampers, rotors.
  [[nodiscard]] bool isSoft() const { return soft_; }
  [[nodiscard]] std::size_t rowCount() const { return rows_.size() + bounded_.size(); }

  /// Slot of the first body that can be pushed: it stands for the component.
  [[nodiscard]] std::uint32_t firstPushable() const {
    return slots_[static_cast<std::size_t>(std::find(pushable_.begin(), pushable_.end(), 1) - pushable_.begin())];
  }

  /// Start of a step: rows where the bodies stand. `scale` is the ratio of the new to the last h.
  void prepare(const SolverBodies& bodies, std::span<const JointRecord> records, double h,
               double correctionSpeed, double scale);
  /// Whether the rows are this component's alone: no other solver looks at them or takes them in its own.
  void setAlone(bool alone) { alone_ = alone; }
  void setTime(double time) { time_ = time; }
  /// Whether contacts act on the island in this step.
  void setTouched(bool touched) { touched_ = touched; }
  /// Numbers of the rows anew: the user has changed targets, gains, limits or strengths.
  void readParameters(std::span<const JointRecord> records);
  void warm(SolverBodies& bodies) const;
  /// True when the warm start closes all joints in phase 1.
  [[nodiscard]] bool isWarmStartRight(const SolverBodies& bodies, std::span<const JointRecord> records);
  /// Phase 1. Returns the largest change of a row's velocity [m/s].
  double solve(SolverBodies& bodies, std::span<const JointRecord> records, bool first);
  /// After a drift, before a phase: rows where the bodies stand now, which hold `carried` times the
  /// impulses of the phase before.
  void follow(SolverBodies& bodies, std::span<JointRecord> records, Phase phase, double carried);
  /// Phase 2, which follows. Returns the same.
  double relax(SolverBodies& bodies, std::span<JointRecord> records, bool first,
               double carried = 1.0);
  /// True when phase 1 of some substep of this step did not close the joints, or only just: the
  /// substep is too long for what pulls at them (J-22).
  [[nodiscard]] bool isStiff() const { return faults_.stiff; }
  /// True when phase 1 of some substep of this step could not close the joints at all (J-42).
  [[nodiscard]] bool hasGivenUp() const { return faults_.hasGivenUp; }
  /// Ends of the phases: impulses and works are added up.
  void concludePositions(const SolverBodies& bodies, const PhaseEnd& end);
  void concludeVelocities(const SolverBodies& bodies, const PhaseEnd& end);
  using PhaseWorks = JointWorks;
  /// Those of the step; the next one begins with none.
  [[nodiscard]] PhaseWorks takeWorks() { return std::exchange(works_, {}); }
  /// Impulses, reactions, works and coordinates into the records.
  void finish(const SolverBodies& bodies, std::span<JointRecord> records, double dt);

  /// (J-26), after the step: closes joints that stand open by moving their bodies, by the least motion in the
  /// metric of the masses; velocities stay. Adds what it moves to BodyShift.
  void project(SolverBodies& bodies, std::span<JointRecord> records);

  /// True when its joints form a tree that touches something: it is solved with the contacts (docs/theory/joints.md,
  /// section 11).
  [[nodiscard]] bool isTree() const { return alone_ && touched_ && !tree_.isEmpty(); }
  [[nodiscard]] JointTree& tree() { return tree_; }
  [[nodiscard]] const JointTree& tree() const { return tree_; }
  /// (J-26) of a tree: the root of the sum of the squares of the joints' errors, against their sizes.
  [[nodiscard]] double measureTree(const SolverBodies& bodies, std::span<JointRecord> records) const;
  [[nodiscard]] JointTree::Solve treeSolve(SolverBodies& bodies, const Kernels& kernels, TreeScratch& scratch) {
    return {bodies, kernels, scratch, h_, correction_speed_, touched_, faults_};
  }

  // Contacts that push a mechanism (J-27): the joints are eliminated, so that a push on one body is answered by all.

  /// An impulse on one body of the component, given by its slot.
  struct Wrench {
    std::uint32_t slot;
    std::uint32_t number;  ///< of the body in the component
    Vector3D linear, angular;
  };
  /// The number of a body of the component.
  [[nodiscard]] std::uint32_t numberOf(std::uint32_t slot) const;
  /// Numbers of a column: velocity and spin of each body.
  [[nodiscard]] std::size_t columnSize() const { return 6 * slots_.size(); }
  /// Wrenches that push together, and what is asked of them.
  struct Push {
    std::span<const Wrench> wrenches;
    double* column;  ///< (M⁻¹ - M⁻¹Jᵀ A⁻¹ J M⁻¹) w for their sum: what a unit of them does to all
                     ///< bodies
    double compliance;  ///< wᵀ of that: how far the mechanism gives way [1/kg]
  };
  static constexpr std::size_t kPushes = BlockFactor::kSeveral;
  /// Answers up to kPushes pushes at once. The answers hold while the rows stay where they are.
  void respond(const SolverBodies& bodies, std::span<Push> pushes);
  /// Room for one column.
  [[nodiscard]] double* ownColumn() { return own_column_.data(); }
  /// While contacts push the component, its bodies' velocities lie side by side: ...
  void takeVelocities(const SolverBodies& bodies);
  void returnVelocities(SolverBodies& bodies);
  [[nodiscard]] const double* velocityOf(std::uint32_t number) const {
    return velocities_.data() + 6 * number;
  }
  /// Gives `share` of a column to these. What the joints do in it is theirs after settle(), for
  /// which the same share of the wrenches is owed.
  void give(const double* column, double share);
  void owe(std::span<const Wrench> wrenches, double share);
  void settle();

  // For a solver that takes the rows together with those of contacts (theory/exact-contact.md).

  /// Rows where the bodies stand when a phase begins.
  void beginPhase(const SolverBodies& bodies, std::span<JointRecord> records, Phase phase);
  /// How far the rows are from their laws for the velocities and impulses of now, as velocities;
  /// returns the worst in units of what counts as solved.
  double evaluatePhase(const SolverBodies& bodies, std::span<const JointRecord> records,
                       Phase phase);
  /// The same in phase 1 of joints that keep velocities instead of positions (J-42).
  void evaluateClosing(const SolverBodies& bodies, std::span<const JointRecord> records);
  /// Calls visit(link, row, residual) for every row that moves something, those without bounds
  /// first.
  template <class Visit>
  void forEachRow(const Visit& visit) {
    for (Link& link : links_) {
      for (std::uint32_t i = link.row; i < link.row + link.rowCount; ++i) {
        if (rows_[i].diagonal > 0.0) visit(link, rows_[i], residual_[i]);
      }
    }
    for (std::uint32_t i = 0; i < bounded_.size(); ++i) {
      if (bounded_[i].diagonal > 0.0) {
        visit(links_[bounded_link_[i]], bounded_[i], bounded_residual_[i]);
      }
    }
  }
  /// After the rows' impulses were set from outside: what the phase gave to the bodies.
  void takeImpulses();
  /// Before solve or relax where the bodies' velocities hold no warm start: gives them the impulses of
  /// the last phase (before solve), or has relax do so.
  void giveImpulses(SolverBodies& bodies, Phase phase);

  /// Impulses of all rows, for a step that may be taken back.
  void saveImpulses(std::vector<double>& impulses) const;
  /// Takes back what saveImpulses appended; returns the number of impulses read.
  std::size_t loadImpulses(std::span<const double> impulses);

 private:
  [[nodiscard]] double measureErrors(const SolverBodies& bodies, std::span<const JointRecord> records);
  void addMoves();
  void moveBodies(SolverBodies& bodies, double part);
  void evenResponses(const SolverBodies& bodies);
  void addAnswer(const Wrench& wrench, double share, double* right, std::size_t stride) const;
  void addResponses();
  void concludeLinks(const SolverBodies& bodies, const PhaseEnd& end);
  [[nodiscard]] JointPlace placeOfLink(const SolverBodies& bodies, const Link& link) const;
  void addRows(Link& link, const JointRecord& record);
  void prepareMotors(std::span<const std::uint32_t> joints, std::span<const JointRecord> records,
                     const SolverBodies& bodies);
  void tuneMotors(const SolverBodies& bodies, std::span<const JointRecord> records);
  void startRotors(const SolverBodies& bodies);
  [[nodiscard]] double softForce(const SystemRow& row, double speed) const;
  void noteMotor(SystemRow& row, Phase phase) const;
  template <class Visit>
  void forExtraRows(const Link& link, const Visit& visit);
  void placeRows(const SolverBodies& bodies, std::span<const JointRecord> records);
  void placeRow(const SolverBodies& bodies, const Link& link, SystemRow& row) const;
  void softenRow(SystemRow& row, Phase phase) const;
  void assemble(Phase phase);
  void predict(const SolverBodies& bodies);
  void beginSubstep(const SolverBodies& bodies, std::span<const JointRecord> records);
  /// The worst residuals of phase 1, in units of what counts as closed.
  struct PositionErrors {
    double free{0.0};     ///< of rows without bounds
    double bounded{0.0};
    [[nodiscard]] double all() const { return std::max(free, bounded); }
  };
  PositionErrors evaluatePositions(const SolverBodies& bodies, std::span<const JointRecord> records);
  double evaluateVelocities(const SolverBodies& bodies);
  void keepWanted(const SolverBodies& bodies);
  double evaluateWanted(const SolverBodies& bodies);
  [[nodiscard]] double velocityResidual(const SolverBodies& bodies, const Link& link, const SystemRow& row) const;
  [[nodiscard]] bool hitsStop(const SolverBodies& bodies) const;
  double relaxRoughly(SolverBodies& bodies, bool first);
  double solveRoughly(SolverBodies& bodies, std::span<const JointRecord> records, bool first);
  double giveUpPositions(SolverBodies& bodies, std::span<const JointRecord> records);
  double solveVelocities(SolverBodies& bodies, std::span<const JointRecord> records);
  static bool turnsOver(const JointRecord& record, const SystemRow& row, const JointPlace& place);
  void turnSprings(const SolverBodies& bodies, std::span<const JointRecord> records);
  void measureCoordinates(const SolverBodies& bodies, std::span<JointRecord> records);
  double boundedResidual(const SystemRow& row, double value) const;
  double solveSystem(SolverBodies& bodies, bool secant = false);
  void followSecant();
  void findHot();
  void cacheHotRow(std::uint32_t c);
  void couple(std::uint32_t c, double* column) const;
  void solveBounded();
  void applyChanges(SolverBodies& bodies);
  [[nodiscard]] double largestResidual() const;
  void goBack(SolverBodies& bodies);
  void markBest();
  void applyDifference(SolverBodies& bodies);
  [[nodiscard]] JointRow impulseOf(const Link& link) const;
  [[nodiscard]] double velocityOf(const SolverBodies& bodies, const Link& link,
                                  const SystemRow& row) const;

  // Components of ball joints alone (JointBalls.cpp).
  struct Ball {
    Vector3D anchorA, anchorB;  ///< body axes
    Vector3D armA, armB;        ///< world axes
    Matrix3D answerA, answerB;  ///< angular velocity of each body by an impulse on B and its opposite on A
    double massA, massB;        ///< inverse masses
    Vector3D diagonal;          ///< of J M⁻¹Jᵀ
    Vector3D impulse, keep;     ///< as in SystemRow
  };
  [[nodiscard]] bool areBalls() const { return alone_ && !balls_.empty() && !isTree(); }
  void buildTree(std::span<const JointRecord> records);
  void startTree(const SolverBodies& bodies);
  void storeTree();
  void buildBalls(std::span<const JointRecord> records);
  void startBalls(std::span<const JointRecord> records);
  void storeBalls();
  void placeBalls(const SolverBodies& bodies);
  void assembleBalls();
  [[nodiscard]] Vector3D ballVelocity(const SolverBodies& bodies, std::size_t k) const;
  void turnBalls(SolverBodies& bodies);
  void beginBalls(const SolverBodies& bodies);
  double evaluateBallPositions(const SolverBodies& bodies);
  double evaluateBallVelocities(const SolverBodies& bodies);
  void keepWantedBalls(const SolverBodies& bodies);
  double evaluateWantedBalls(const SolverBodies& bodies);
  double solveBallVelocities(SolverBodies& bodies);
  void opposeBalls();
  void applyBallChanges(SolverBodies& bodies);
  void noteBalls();
  void addBallAnswer(std::size_t k, const Wrench& wrench, double share, double* right,
                     std::size_t stride) const;
  void addBallResponses();
  void settleBalls();
  [[nodiscard]] double measureBallErrors(const SolverBodies& bodies);
  void addBallMoves();

  /// Of a body by the projection of positions.
  struct Move {
    Vector3D d{Vector3D::Zero()}, theta{Vector3D::Zero()};
  };
  std::vector<Move> moves_;             ///< scratch of the projection
  std::vector<Link> links_;             ///< in the order of elimination
  std::vector<std::uint32_t> slots_;    ///< bodies, ascending
  std::vector<std::uint8_t> pushable_;  ///< per body: may ever be pushed
  std::vector<SystemRow> rows_;
  std::vector<SystemRow> bounded_;
  std::vector<std::uint32_t> bounded_link_;
  std::vector<BlockFactor::Edge> edges_;  ///< pairs of links that share a body, first > second
  std::vector<std::uint32_t> touching_;   ///< links of body b: touching_[touch_start_[b] ...]
  std::vector<std::uint32_t> touch_start_;
  BlockFactor factor_;
  JointTree tree_;                          ///< where all are ball joints, and none goes round
  std::vector<Ball> balls_;                 ///< per link, where all are ball joints
  std::vector<std::uint32_t> ball_blocks_;  ///< where their blocks stand: of the links, then of edges_
  bool alone_{false};
  /// A motor whose gains or force depend on the mechanism.
  struct TunedMotor {
    std::uint32_t link;
    std::uint32_t coordinate;  ///< in inertia_
  };
  std::vector<TunedMotor> tuned_;
  std::optional<MechanismInertia> inertia_;  ///< where there are such
  bool soft_{false};  ///< some row's softness depends on the phase
  Phase assembled_{Phase::kPosition};
  double h_{0.0};
  PhaseWorks works_{};
  double time_{0.0};  ///< where the poses stand [s]
  double correction_speed_{0.0};
  JointFaults faults_{};  ///< of the running step
  bool touched_{false};
  bool is_best_{false};  ///< nothing was changed since markBest

  std::vector<std::int32_t> drifting_;   ///< slots of the bodies, in whole blocks
  AlignedVector<BodyPose> drifted_;      ///< of these
  std::vector<double> residual_;         ///< per row [m/s]
  std::vector<double> change_;           ///< of the impulses
  std::vector<double> right_side_;       ///< of the running linear solve
  std::vector<double> last_right_side_;  ///< of the one before
  std::vector<double> solved_;           ///< answer to right_side_
  std::vector<double> last_solved_;
  std::vector<double> last_step_;   ///< of the impulses
  std::vector<double> since_best_;  ///< changes of the impulses since the best of this phase
  std::vector<double> since_start_; ///< the same since phase 1 began
  std::vector<double> closing_;     ///< velocities that remove what phase 1 is to remove
  std::vector<double> wanted_;      ///< velocities of the rows in phase 1 (J-41)
  std::vector<double> owed_;        ///< right side of what contacts gave through columns
  bool owes_{false};
  std::vector<double> own_column_;
  AlignedVector<double> velocities_;  ///< linear and angular, body by body
  bool has_velocities_{false};
  AlignedVector<double> several_;          ///< right sides of pushes that are answered at once
  AlignedVector<double> several_columns_;  ///< their columns, number by number
  std::vector<double> bounded_residual_;
  std::vector<double> bounded_wanted_;
  std::vector<double> bounded_change_;
  std::vector<std::uint32_t> hot_;
  std::vector<std::uint8_t> cached_;  ///< per bounded row: its column and Schur entries are there
  std::vector<double> columns_;       ///< L⁻¹ J M⁻¹ J_cᵀ, one after the other
  std::vector<double> schur_;         ///< bounded rows seen through the others
  std::vector<double> hot_matrix_;
  std::vector<double> hot_work_;
  std::vector<double> hot_vector_;
  std::vector<std::uint32_t> free_rows_;
};

}  // namespace msd_sim
