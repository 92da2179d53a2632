#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "msd-sim/src/DataTypes/Bytes.hpp"
#include "msd-sim/src/DataTypes/WorkTeam.hpp"
#include "msd-sim/src/Physics/Constraints/Joints/JointComponent.hpp"
#include "msd-sim/src/Physics/Constraints/Joints/JointRecord.hpp"
#include "msd-sim/src/Physics/Constraints/Joints/SweptJoints.hpp"
#include "msd-sim/src/Physics/Constraints/Rows/SolverBodies.hpp"

namespace msd_sim {

/// All joints of a world, and their part in the phases of a substep (docs/theory/joints.md). Joints
/// that hang together through bodies that can be pushed form a component; each component is one
/// block of the Gauss–Seidel iteration with the contacts.
///
/// The result does not depend on the number of threads. Nothing is allocated while the set of
/// joints stays the same.
class JointSolver {
 public:
  /// Sums over all joints of the last step.
  struct Sums {
    double work{0.0};             ///< of motors, stops, friction and dampers [J]
    double potential{0.0};        ///< of the springs [J]
    double potentialChange{0.0};  ///< [J]
    double kinetic{0.0};          ///< of the rotors [J]
    double kineticChange{0.0};    ///< [J]
    double separation{0.0};       ///< worst [m]
    JointComponent::PhaseWorks phases;  ///< of all impulses
  };

  /// Adds a joint and returns its index. The coordinate starts at the definition's own zero.
  std::uint32_t add(const JointDefinition& definition, const SolverBodies& bodies);
  void remove(std::uint32_t joint);
  /// Replaces what may change while a joint exists: limits, motor, spring, friction, armature,
  /// length, strength, bounds. Rows are made anew only where others are needed.
  void redefine(std::uint32_t joint, const JointDefinition& definition);
  [[nodiscard]] const JointRecord& record(std::uint32_t joint) const { return records_[joint]; }
  /// Angle with its turns [rad], travel or distance of the anchors [m], where the bodies stand.
  [[nodiscard]] double coordinate(std::uint32_t joint, const SolverBodies& bodies) const;
  /// Rate of the coordinate for the velocities of now [rad/s] or [m/s].
  [[nodiscard]] double coordinateRate(std::uint32_t joint, const SolverBodies& bodies) const;
  /// These joints and all that hang together with them through bodies that can be pushed, ascending.
  [[nodiscard]] std::vector<std::uint32_t> findMechanism(
      std::span<const std::uint32_t> joints,
      const std::function<bool(std::uint32_t)>& canBePushed) const;
  [[nodiscard]] bool isEmpty() const { return live_count_ == 0; }
  [[nodiscard]] std::uint32_t count() const { return live_count_; }
  /// Increases whenever a joint is added, removed or breaks.
  [[nodiscard]] std::uint64_t version() const { return version_; }

  /// Makes the components anew in the next step: other bodies can be pushed than before.
  void refresh() { ++version_; }

  /// Calls visit(slotA, slotB) for every joint that holds, in the order of their indices.
  template <class Visit>
  void forEachPair(const Visit& visit) const {
    for (const JointRecord& r : records_) {
      if (r.used && !r.broken) visit(r.definition.bodyA, r.definition.bodyB);
    }
  }

  /// Components that take part in a call. Calls for components that share none of their bodies may run side by side;
  /// joints that are swept go with one of them.
  struct Share {
    std::span<const std::uint32_t> components;
    bool swept{false};  ///< and the joints that are swept
    [[nodiscard]] bool isEmpty() const { return components.empty() && !swept; }
  };
  /// Finds out which components have a body that can be pushed now.
  void wake(const SolverBodies& bodies);
  /// Tells the components that take part whether contacts act on their islands; `touched` takes a body slot.
  template <class Touched>
  void markTouched(const SolverBodies& bodies, const Touched& touched) {
    for (std::size_t k = 0; k < components_.size(); ++k) {
      const auto slots = components_[k].slots();
      components_[k].setTouched(std::any_of(slots.begin(), slots.end(), [&](std::uint32_t s) {
        return bodies.motion[s].inverseMass > 0.0 && touched(s);
      }));
    }
  }
  /// Makes the components if joints have come or gone.
  void update(const SolverBodies& bodies, bool sweeps);

  /// Start of a step with substeps of length h [s]. `correctionSpeed` bounds how fast position
  /// errors are removed, in body sizes per second.
  void prepare(const SolverBodies& bodies, const Share& share, const BallKernels& kernels, double h,
               double correctionSpeed, WorkTeam& team);
  /// The same for a solver that takes the rows of components(): all joints are in there, one by one
  /// where they are too many to be solved at once.
  void prepare(const SolverBodies& bodies, double h, double correctionSpeed, WorkTeam& team);
  /// Adds the impulses of the warm start to BodyWarmStart.
  void warm(SolverBodies& bodies, const Share& share) const;
  /// A sweep of a phase, after that of the contacts (docs/theory/plan.md).
  struct Sweep {
    std::uint32_t stamp{0};   ///< see SolverBodies::dirty
    int number{0};            ///< within its phase, from 0 on: the first visits all
    bool drifted{false};      ///< the bodies have drifted since the phase before, ...
    double carried{1.0};      ///< ... and hold so many times the impulses that it ended with
    double directSpeed{1.0};  ///< change that counts as settled, of components solved at once [m/s]
    double sweptSpeed{1.0};   ///< the same of those that are swept [m/s]
  };
  /// Phase 1: components with a body that moves since the last sweep. Stamps the bodies of those that have not
  /// settled, and returns how many there are.
  std::uint32_t solve(SolverBodies& bodies, const Share& share, const Sweep& sweep, WorkTeam& team);
  /// Phase 2.
  std::uint32_t relax(SolverBodies& bodies, const Share& share, const Sweep& sweep, WorkTeam& team);
  void concludePositions(const SolverBodies& bodies, const Share& share, const PhaseEnd& end, WorkTeam& team);
  void concludeVelocities(const SolverBodies& bodies, const Share& share, const PhaseEnd& end, WorkTeam& team);
  /// All that have a body that can be pushed.
  [[nodiscard]] Share all() const { return {awake_list_, !swept_.isEmpty()}; }
  /// End of a step of length dt [s]: reactions, works, and joints that break. Returns the indices
  /// of those that broke.
  std::span<const std::uint32_t> finish(const SolverBodies& bodies, double dt, WorkTeam& team);
  /// (J-26), after the bodies have been placed: closes joints that stand open. Writes sums().separation.
  void project(SolverBodies& bodies, WorkTeam& team);
  [[nodiscard]] const Sums& sums() const { return sums_; }
  /// In the last step some component swung too fast for the substep (J-22).
  [[nodiscard]] bool isStiff() const { return was_stiff_; }
  /// Some island's energy has shown that the substep is too long.
  void noteStiff() { std::atomic_ref<std::uint8_t>{stiff_}.store(1, std::memory_order_relaxed); }

  /// Component that a body belongs to, or none.
  static constexpr std::uint32_t kNoComponent = 0xFFFFFFFFu;
  [[nodiscard]] std::uint32_t componentOf(std::uint32_t slot) const {
    return slot < component_of_.size() ? component_of_[slot] : kNoComponent;
  }

  /// For a solver that takes the rows together with those of contacts. A component that sleeps is
  /// left alone.
  [[nodiscard]] std::span<JointComponent> components() { return components_; }
  [[nodiscard]] bool isAwake(std::size_t component) const { return awake_[component] != 0; }
  /// A component has been solved from outside: by how much that changed the velocities of its rows [m/s].
  void noteSolved(std::size_t component, double change) {
    last_change_[component] = change;
    if (change > 0.0) solved_[component] = 1;
  }
  /// What the last visit in a phase changed, of a component and of the joints that are swept [m/s].
  [[nodiscard]] double lastChange(std::size_t component) const { return last_change_[component]; }
  [[nodiscard]] double lastSweptChange() const { return last_swept_change_; }
  [[nodiscard]] std::span<JointRecord> records() { return records_; }
  /// A step that may be taken back: keeps impulses and coordinates after prepare, ...
  void keepStart();
  /// ... and takes them back, before prepare for another length of the substep.
  void returnToStart();
  [[nodiscard]] std::span<const JointRecord> records() const { return records_; }

  /// Simulated time at the start of the coming step [s].
  void setTime(double time) { time_ = time; }
  /// Bounds of the multiplier of a user's row [N] or [N·m].
  void setBounds(std::uint32_t joint, double lower, double upper);
  /// Removes the rows of users' constraints on a body.
  void removeConstraintsOf(std::uint32_t slot);

  /// What persists from step to step, as bytes: impulses, coordinates, which joints are broken.
  void save(ByteWriter& out) const;
  /// Takes back what save wrote for the same joints. Throws std::invalid_argument when the bytes are of others;
  /// what is in them is not looked at.
  void load(ByteReader& in);
  /// What is wrong with what was loaded, or nothing.
  [[nodiscard]] const char* findFault() const;

 private:
  [[nodiscard]] bool hasSwept(const Share& share) const { return share.swept && !swept_.isEmpty(); }
  void rebuild(const SolverBodies& bodies, bool sweeps);
  double prepareComponents(const SolverBodies& bodies, const Share& share, double h, double correctionSpeed,
                           bool alone, WorkTeam& team);
  template <class Work>
  void forComponents(const Share& share, WorkTeam& team, const Work& work);
  template <class Work>
  std::uint32_t sweepComponents(SolverBodies& bodies, const Share& share, const Sweep& sweep, WorkTeam& team,
                                const Work& work);
  std::uint32_t callSwept(SolverBodies& bodies, const Sweep& sweep, double change);

  std::vector<JointRecord> records_;
  std::vector<std::uint32_t> free_;
  std::vector<JointComponent> components_;
  SweptJoints swept_;
  std::vector<std::uint8_t> awake_;    ///< per component
  std::vector<std::uint32_t> component_of_;  ///< per body slot that can be pushed
  std::vector<std::uint32_t> awake_list_;  ///< the components that are awake
  std::vector<std::uint32_t> broken_;  ///< in the last step
  struct Kept {
    double coordinate, substep;
  };
  std::vector<double> kept_impulses_;  ///< of keepStart
  std::vector<Kept> kept_;             ///< per record
  Sums sums_{};
  double time_{0.0};
  std::vector<std::uint8_t> solved_;  ///< per component: had to be, in the running step
  bool swept_solved_{false};
  std::vector<double> last_change_;  ///< per component, of its last visit [m/s]
  double last_swept_change_{0.0};    ///< of the joints that are swept [m/s]
  std::uint8_t stiff_{0};  ///< 1: the running step is too long
  bool was_stiff_{false};  ///< the last one was
  std::uint64_t version_{0};
  std::uint64_t built_version_{0};
  bool parameters_changed_{false};  ///< numbers of rows are out of date
  bool built_sweeps_{true};  ///< large components were given to swept_
  std::uint32_t live_count_{0};
};

}  // namespace msd_sim
