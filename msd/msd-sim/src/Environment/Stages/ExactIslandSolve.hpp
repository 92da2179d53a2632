#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "msd-sim/src/DataTypes/Arrays.hpp"
#include "msd-sim/src/Environment/Simulation.hpp"

namespace msd_sim {

/// One island through the phases of an exact substep (docs/theory/exact-contact.md, section 9).
/// Works on the island's own bodies, points and solver, so that islands may run side by side.
class ExactIslandSolve {
 public:
  ExactIslandSolve(Simulation& sim, std::size_t island, double h);

  /// Is the island one that the team shares, so that it is not solved beside others?
  [[nodiscard]] static bool isLarge(const Simulation& sim, std::size_t island);

  /// Start of a step: an empty certificate.
  void begin();
  /// Start of another attempt at the step, with what is left of the Newton steps.
  void beginAgain();

  /// Start of a substep: gaps, and the rebound speed of the points that will hit.
  void beginSubstep();

  /// Start of phase 1, after the kick: the rows of the joints.
  void beginPositions();

  /// Phase 1 (T-6, E-11): impulses for which the gaps do not close in the drift, and the joints do.
  void solvePositions();

  /// After a drift: moves the targets by what the turning of the bodies did to the gaps. True where
  /// phase 1 and the drift have to be repeated, for gaps or joints.
  [[nodiscard]] bool correctTargets();

  /// Is some joint open after the drift, as far as no repetition can mend?
  [[nodiscard]] bool isTorn() const;
  /// Phase 1 once more (J-42): gaps and joints as the first tangent sees them. The joints are
  /// closed after the step.
  void giveUpPositions();

  /// End of phase 1: what it proved, and whether the joints have closed.
  void concludePositions();

  /// Phase 2 (T-8): the points that touch after the drift, with their rebounds; then adds the
  /// impulses of both phases to those of the step.
  void solveVelocities();

  /// After the substep: what the island gained beyond the works of its loads, contacts and brakes
  /// is bounded (E-15, E-16). For islands with joints. True where something was taken out.
  bool guardMechanism();

 private:
  [[nodiscard]] double reboundSpeed(const ExactPoint& p) const;
  void buildProblem();
  void addBody(std::uint32_t slot);
  void addContact(const ExactPoint& p);
  [[nodiscard]] int localBody(std::uint32_t slot) const;
  [[nodiscard]] double velocityFloor() const;
  /// Impulses for which every closed point has u_N >= target, with friction, given to the bodies.
  void solve();
  void solvePhaseOne();
  void aimAtGap(ExactPoint& p) const;
  void solveRows();
  [[nodiscard]] ExactResult solveOnce();
  [[nodiscard]] int attemptLength() const;
  [[nodiscard]] ExactResult solveAgain(const ExactResult& first, ExactOptions options);
  void take(const ExactResult& result);
  void concludePhase();
  [[nodiscard]] bool wantsJoints() const;
  void keepFree();
  void resetToFree();
  void keepVelocities();
  void resetVelocities();
  /// Work that two impulses, of phase 1 and phase 2, did at a point in this substep [J].
  struct PhaseWork {
    double both{0.0};    ///< on both bodies [J]
    double driven{0.0};  ///< of those that are driven [J]
  };
  [[nodiscard]] PhaseWork phaseWorkOf(const ExactPoint& p) const;
  [[nodiscard]] double workOf(const ExactPoint& p, const Vector3D& first,
                              const Vector3D& second) const;
  /// Work of all contacts in this substep [J].
  [[nodiscard]] double contactWork() const;
  [[nodiscard]] bool createsEnergy() const;
  [[nodiscard]] bool isJammed() const;
  /// Of the substep, mean of its ends [J].
  [[nodiscard]] double linearKinetic() const;
  void limitRebound();
  void accumulate();

  // ExactJoints.cpp.
  void beginJoints(JointComponent::Phase phase);
  void listJointRows();
  void solveDirectly();
  double evaluateJoints(JointComponent::Phase phase);
  void takeOffsets();
  void giveUpJoints();
  void addJointRows();
  [[nodiscard]] double rowVelocity(const ExactJointRow& r) const;
  void takeMultipliers(const ExactResult& result);
  [[nodiscard]] double jointDissipation() const;

  // SequentialImpacts.cpp.
  void solveImpactsInTurn();
  void takeBackPhaseOne();
  [[nodiscard]] bool findFastestApproach(std::uint32_t& body0, std::uint32_t& body1) const;
  void solvePair(std::uint32_t body0, std::uint32_t body1);
  void push(const ExactPoint& p, const ContactPlace& place, const Vector3D& impulse);

  Simulation& sim_;
  ExactIsland& data_;
  std::span<ExactPoint> points_;
  std::span<const std::uint32_t> bodies_;
  std::size_t island_;
  double h_;
  WorkTeam* team_;  ///< shares the factorisations of a large island
};

/// The world inverse inertia of a body as a matrix.
[[nodiscard]] Matrix3D inverseInertiaOf(const BodyMotion& m);

/// Impulse components as the bodies feel them at a place.
[[nodiscard]] PairImpulse pairImpulse(const ContactPlace& place, const Vector3D& impulse);

}  // namespace msd_sim
