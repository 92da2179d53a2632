#pragma once

#include <cstddef>
#include <cstdint>

namespace msd_sim {

/// Every number that changes the result of fast mode outside the sweeps (their schedule:
/// SolverTuning.hpp, their kernels: RowTuning.hpp). Lengths are shares of the contact's smaller
/// body unless a unit is given.
struct StageTuning {
  // Position correction (docs/theory/position-correction.md).
  double slop{5e-4};          ///< penetration that is left alone (P-2)
  double support{0.1};        ///< weight of the body below when what rests on it is raised (P-4)
  double kineticShare{0.25};  ///< of a body's kinetic energy that may raise it at once (P-8)
  double paidShift{0.1};      ///< lift at once, where motion pays for it (P-8)
  int correctionSweeps{2};    ///< for all that has not settled; then for what a sweep moves far
  double mostLeft{1e-2};      ///< penetration left to the next step (P-9)
  double settledShift{1e-6};  ///< of a contact in a sweep that has settled, ...
  double feltShift{1e-3};     ///< ... after the first sweeps
  int walkCorrections{
      4};  ///< passes of a walk that corrects positions at most, there and back (J-50), ...
  double settledWalk{1e-4};  ///< ... until none moves a point farther, against the contact's size
  std::size_t mostMeasured{256};  ///< pairs whose shapes are asked for their depth, for the report

  // Energy guard (docs/theory/energy.md).
  double loadRounding{1e-9};      ///< of the energy that loads feed in, which is rounding
  double kineticRounding{1e-13};  ///< of the kinetic energy, likewise
  double reboundGain{1e-6};  ///< of an island's kinetic energy, which rebounds may add before they
                             ///< are limited (R-9)
  std::uint32_t reboundManifolds{256};  ///< of an island, up to which they are
  double jointGain{
      1e-3};  ///< of its largest kinetic energy that an island with joints may have gained (J-23)
  double jointLoss{4e-3};    ///< and may have lost and get back where the substep is too long
  double touchedGain{2e-5};  ///< the same where contacts take energy out of it

  // Looking again (K-17) and stopping at impacts.
  double testTurn{
      0.1};  ///< of two bodies against each other after which they are tested anew [rad]
  double allowedDepth{
      0.1};  ///< of a marked body before it has passed, against its smallest half extent
  double stopDistance{5e-4};  ///< at which such bodies stop; contacts see twice as far

  // What a report says.
  double tornJoint{0.01};     ///< anchors so far apart, against the smaller body, are torn
  double guardedShare{1e-2};  ///< of the energy, which the guard may take before it is told
};
inline constexpr StageTuning kStageTuning{};

}  // namespace msd_sim
