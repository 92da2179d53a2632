#pragma once

#include <cstdint>
#include <map>
#include <vector>

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

/// What a step of the reference method leaves behind for everyone else: states in the solver's arrays,
/// the report with its ledger, contact records, events, reactions of joints.
class ReferenceBooks {
 public:
  /// `slots` of the bodies, inertial ones first.
  ReferenceBooks(Simulation& sim, const std::vector<std::uint32_t>& slots);

  /// After every substep of length h.
  void add(const std::vector<BodyStory>& stories, const std::vector<ConstraintOwner>& owners,
           double h);
  /// After the last. False, and everything as it was, where a number is not finite.
  [[nodiscard]] bool finish(double dt);
  /// After a part of the step has refused its numbers: everything as it was. False where all of them are
  /// finite, so that the reason was another.
  [[nodiscard]] bool abandon();
  /// Reports contacts as they stand, without a step.
  void look();

 private:
  [[nodiscard]] std::size_t inertialCount() const;
  [[nodiscard]] bool isFinite() const;
  void restoreStart();
  void addJoints(const std::vector<ConstraintOwner>& owners);
  void finishJoints(double dt);
  void writeRecords(double dt);
  void writeFound();
  void writeEvents();
  void writeEnergy(double dt);
  void writeCounts();

  Simulation& sim_;
  ReferencePipeline& pipeline_;
  const std::vector<std::uint32_t>& slots_;
  std::vector<InertialState> start_;       ///< per inertial body
  std::vector<BodyStory> last_;            ///< of the last substep
  EnergyLedger ledger_{};
  /// Impulses of contact points over the step, on B, and their normal part.
  struct Total {
    Vector3D impulse{Vector3D::Zero()};
    double normal{0.0};
    double approach{0.0};
  };
  std::map<ImpulseMemory::Key, Total> totals_;
  std::vector<SpatialVector> reactions_;   ///< impulse on B and its moment about B's centre, per joint record
  double springChange_{0.0};
  bool converged_{true};
  int iterations_{0};
  double residual_{0.0};
  int substeps_{0};
};

}  // namespace msd_sim
