#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "msd-sim/src/Environment/Reference/JointConstraints.hpp"
#include "msd-sim/src/Environment/Reference/ReferenceLedger.hpp"
#include "msd-sim/src/Physics/Collision/ImpulseMemory.hpp"

namespace msd_sim {

class ReferencePipeline;
struct Simulation;

/// Whose constraint it is that a step has made.
struct ConstraintOwner {
  enum class Kind : std::uint8_t { kJoint, kUser };
  Kind kind{Kind::kJoint};
  std::size_t index{0};  ///< of the joint's record, or the user's constraint
};

/// A force on a joint's coordinate that no constraint stands for.
struct JointForce {
  std::size_t joint{0};  ///< its record
  CoordinateForce force{};
  JointRow row{};  ///< gradient that it acts along
};

/// What a step of the reference method leaves behind for everyone else: states in the solver's
/// arrays, the report with its ledger, contact records, events, reactions of joints.
class ReferenceBalance {
 public:
  /// `slots` of the bodies, inertial ones first.
  ReferenceBalance(Simulation& sim, const std::vector<std::uint32_t>& slots);

  /// After every substep of length h.
  void add(const std::vector<BodyStory>& stories, const std::vector<ConstraintOwner>& owners,
           const std::vector<JointForce>& forces, double h);
  /// After the last. False where a number is not finite.
  [[nodiscard]] bool finish(double dt);
  /// Are all states and loads numbers? Where not, the report says whose are not.
  [[nodiscard]] bool isFinite();
  /// Reports contacts as they stand, without a step.
  void look();

 private:
  [[nodiscard]] std::size_t inertialCount() const;
  void blame(std::uint32_t slot);
  void addJoints(const std::vector<ConstraintOwner>& owners, const std::vector<JointForce>& forces,
                 double h);
  void closeJoint(std::size_t joint, double dt);
  void finishJoints(double dt);
  void writeRecords(double dt);
  void writeFound();
  void writeEvents();
  void writeEnergy();
  void writeCounts();

  Simulation& sim_;
  ReferencePipeline& pipeline_;
  const std::vector<std::uint32_t>& slots_;
  std::vector<InertialState> start_;  ///< per inertial body
  std::vector<BodyStory> last_;       ///< of the last substep
  EnergyLedger ledger_{};
  /// Impulses of contact points over the step, on B, and their normal part.
  struct Total {
    Vector3D impulse{Vector3D::Zero()};
    double normal{0.0};
    double approach{0.0};
  };
  std::map<ImpulseMemory::Key, Total> totals_;
  std::vector<SpatialVector>
      reactions_;              ///< impulse on B and its moment about B's centre, per joint record
  std::vector<double> motor_;  ///< impulse of the motor on the coordinate, per joint record
  std::vector<std::uint8_t> implicit_;  ///< per joint record: its spring is part of a constraint
  std::uint32_t unsolved_{0};           ///< islands that did not converge
  bool resists_{false};  ///< a pair resists rolling or spinning, which the method cannot
  int iterations_{0};
  double residual_{0.0};
  int substeps_{0};
};

}  // namespace msd_sim
