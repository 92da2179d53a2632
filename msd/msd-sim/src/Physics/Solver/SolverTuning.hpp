#pragma once

#include <cstdint>

namespace msd_sim {

/// Every number that changes the result of the fast solver, apart from what users set (Settings.hpp). Each has
/// its unit, its equation (docs/theory) and, in docs/tuning.md, what was measured when it was doubled and halved.
/// The local residual is a change of velocity in a sweep against what counts as settled (G-8): 1 has settled.
struct SolverTuning {
  // Schedule (IslandPlan.cpp).
  int substeps{4};                     ///< of a step (T-1)
  std::uint32_t tinyManifolds{4};      ///< up to so many, impacts are solved until they have settled
  std::uint32_t smallManifolds{256};   ///< up to so many, a phase has two sweeps for what has not settled; and so
                                       ///< many visits of manifolds may hits cost in a phase, ...
  std::uint32_t graspManifolds{16};    ///< up to so many, friction on a mechanism is swept until it has settled
  double graspResidual{0.03};           ///< at which it has, where motors, springs or kinematic bodies guide the mechanism
  int fewestHitSweeps{4};              ///< ... but no fewer sweeps, ...
  int mostHitSweeps{16};              ///< ... and no more
  double hit{50};                      ///< local residual of a hit (G-8)
  double largeIslandHit{500};          ///< the same in a larger island
  double coldShare{0.25};              ///< of new manifolds, from which on an island starts cold (G-9)
  double coldVisits{400000};            ///< manifold visits of a phase of a cold start
  int mostColdSweeps{1000};
  double coldResidual{1e-6};           ///< at which it has settled, and an impact of a few bodies too
  double largeIslandResidual{100};     ///< times this where many lie on each other, (n/16)² below it (G-13)
  double calmKick{0.1};                ///< speed below which nothing moves, against gravity's half kick (G-10)

  double smallTurn{0.05};              ///< turn in a step up to which one substep will do, of free bodies and slow mechanisms [rad] (G-12)

  int mechanismSweeps{8};  ///< of contacts with the joints eliminated (J-27), there and back along trees that fall (J-49)
  /// These have settled, as everything has, at 1: by the definition of local residual, not by choice.
  static constexpr double mechanismResidual{1};

  // Phases (SolveSubsteps.cpp).
  double settledKick{0.1};    ///< change that counts as settled, against gravity's half kick (G-8)
  double settledShare{1e-5};  ///< the same against the contact's size, in a substep
  double band{2e-4};          ///< gap at which a loaded contact lets go, against its size (G-6)
  double expectedLoads{4.0};  ///< what gravity can ask of a contact in a phase, in its own kicks (T-12)
};

#ifdef MSD_TUNABLE
/// Of a build for experiments (-DMSD_TUNABLE=ON): as the environment variable MSD_TUNING says, "hit=100,band=1e-4".
extern const SolverTuning kTuning;
#else
inline constexpr SolverTuning kTuning{};
#endif

}  // namespace msd_sim
