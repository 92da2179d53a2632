#pragma once

#include <array>
#include <cstddef>

namespace msd_sim {

/// Every number that changes the result or the cost of exact mode, apart from what users set
/// (Settings.hpp) and the solver's own tolerances (Physics/Constraints/Exact/Tolerances.hpp).
/// Equations: docs/theory/exact-contact.md.
struct ExactTuning {
  // Schedule.
  int substeps{1};  ///< of a step (E-1)
  int jointSubsteps{
      4};  ///< of a step in which joints act; doubled where these are too stiff for it, ...
  int mostSubsteps{64};         ///< ... up to so many, ...
  int mostTouchingSubsteps{8};  ///< ... or so many where contacts act: there more do not help
  int gapCorrections{
      10};          ///< times that phase 1 is solved again for gaps and joints of bodies that turn
  int attempts{5};  ///< that share the Newton steps of an island
  int leastNewton{20};  ///< steps that a solve may take even where the island has used up its share
  /// Shares of the warm start from which a solve that failed starts again, one after the other [-].
  std::array<double, 4> restarts{0.0, 0.5, 2.0, 0.9};
  int reboundHalvings{12};  ///< of the search for the largest restitution that creates no energy
                            ///< and has a solution (E-19)
  double jammedWork{1e6};   ///< works of normal impulses, each as positive, against the kinetic
                            ///< energy, beyond which there is none (E-19) [-]
  int impactsPerPoint{
      64};  ///< single impacts before the rest is solved at once: a chain of n balls needs about n
  std::size_t sharedBodies{
      128};  ///< bodies of an island from which the team shares its factorisations

  // Residuals.
  double aim{1e-3};  ///< asked for beyond exactTolerance where it is cheap: resting bodies then do
                     ///< not creep [-]
  double speedFloor{
      1e-4};  ///< share of the fastest speed whose exactTolerance part is rounding [-]
  double workRounding{
      1e-12};  ///< work of contacts that is rounding, against the kinetic energy [-]
  double impactRatio{
      2.0};  ///< normal impulses of phase 2 over phase 1 above which it held an impact [-]

  // Gaps, against the contact's size [-].
  double touching{1e-9};       ///< gap after the drift up to which a point is closed
  double gapBand{1e-10};       ///< left as it is: rounding of positions is no velocity (G-6)
  double gapError{1e-10};      ///< for which the drift is not repeated
  double sideCosine{1e-3};     ///< of a cylinder's axis and the normal up to which its side carries
  double parallelAxes{1e-12};  ///< squared sine below which two axes are parallel

  // Joints after phase 1, in units of joint_tolerances::kClosed.
  double closedUnits{1e2};  ///< closed
  double tornUnits{1e5};    ///< so far open that the step has failed
  double slowClosing{
      0.25};  ///< share of the error that a solve may leave before the substep is too long [-]
  double stuckClosing{0.5};  ///< and before it is given up [-]
  double farthest{
      1.0};  ///< way of a body in a substep, in sizes and radians, that no substep takes, ...
  double farther{2.0};  ///< ... where it is so many times that without the impulses [-]
  double torn{1e-6};    ///< separation of two anchors with which a step is not ok [m]

  // Energy that discretisation may give a mechanism, against its largest kinetic energy [-].
  double swingGain{5e-4};    ///< while it hangs and swings (E-15)
  double touchedGain{5e-5};  ///< where it touches something, flies or is braked (E-16)
};
inline constexpr ExactTuning kExactTuning{};

}  // namespace msd_sim
