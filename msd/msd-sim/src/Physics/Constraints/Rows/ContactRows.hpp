#pragma once

#include <cstddef>
#include <cstdint>

#include "msd-sim/src/DataTypes/AlignedVector.hpp"

namespace msd_sim {

/// Contacts of a step in bundles of eight, one contact (manifold) per vector lane.
///
/// A bundle's contacts share no body that can be pushed, so that eight of them are solved at once.
/// Everything about one contact stands in the same lane of every array. Three sizes exist: one
/// point, two, and up to four.
inline constexpr int kBundleLanes = 8;

/// Whether the rows of a contact are those of the start of the step (docs/theory/collision.md, K-17).
enum class LookedAgain : std::uint8_t {
  kNo,      ///< made at the start of the step
  kWanted,  ///< to be made anew, where the bodies are now
  kYes,     ///< made anew; their turns count from there
};

/// The bodies of a bundle: all that a sweep reads of what it leaves out. Written with the rows.
struct alignas(64) BundleBodies {
  std::int32_t body[2 * kBundleLanes];  ///< of lane 0 to 7: bodies 0, then bodies 1
  [[nodiscard]] const std::int32_t* body0() const { return body; }
  [[nodiscard]] const std::int32_t* body1() const { return body + kBundleLanes; }
};

/// What one point needs in a solver pass.
struct ContactPointRows {
  double normalMass[kBundleLanes];  ///< 1/(J M⁻¹ Jᵀ) of the normal (C-5); 0 where there is no point [kg]
  double gapOffset[kBundleLanes];   ///< n·r0 - gap at the start of the step [m]
  double target[kBundleLanes];      ///< least normal velocity of the running phase [m/s]
  double warmStart[kBundleLanes];   ///< normal impulse the running phase began with [N·s]
  double impulse[3][kBundleLanes];  ///< of the running phase: normal, tangents [N·s]
  double total[3][kBundleLanes];    ///< over the whole step [N·s]
};

/// Friction of a manifold of several points: the friction group (v_1, v_2, w_n), which sees (f_1, f_2, m_n).
template <int kPoints>
struct FrictionRows {
  double x[kPoints][kBundleLanes];  ///< from the manifold's centre along the first tangent [m]
  double y[kPoints][kBundleLanes];  ///< along the second tangent [m]
  double group[6][kBundleLanes];    ///< symmetric: 00 11 22 01 02 12
  double stick[6][kBundleLanes];    ///< its inverse
};
/// A single point is the centre, and has no moments.
template <>
struct FrictionRows<1> {
  double stick11[kBundleLanes];   ///< inverse of the 2 x 2 tangential block [kg]
  double stick12[kBundleLanes];
  double stick22[kBundleLanes];
  double slipMass[kBundleLanes];  ///< 1/(largest eigenvalue of that block) [kg]
};

/// Rows of a bundle for one step: geometry at the start of the step, world axes. Written by the
/// prepare pass from the contacts that are kept (StoredContact) and the poses. docs/theory/rows.md derives every entry.
///
/// The twist of body 1 against body 0 at the manifold's centre c is split into a normal group
/// (v_n, w_1, w_2), which sees (f_n, m_1, m_2), and a friction group.
template <int kPoints>
struct alignas(64) ContactRows {
  static constexpr int kPointCount = kPoints;
  /// Couplings of the normals, k_ij = (1, y_i, -x_i) N (1, y_j, -x_j)ᵀ (C-8): 00, 10, 11, 20, 21, 22, 30 ...
  static constexpr int kCouplings = kPoints * (kPoints + 1) / 2;
  /// Of a single point's coupling to friction its first column's first two entries are left.
  static constexpr int kCross = kPoints > 1 ? 9 : 2;
  [[nodiscard]] static constexpr int coupling(int i, int j) {
    return i >= j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i;
  }

  double size[kBundleLanes];         ///< of the smaller body: the length scale [m]
  double inverseSize[kBundleLanes];  ///< [1/m]
  double friction[kBundleLanes];     ///< of the pair [-]
  double restitution[kBundleLanes];  ///< of the pair [-]
  double rounding0[kBundleLanes];    ///< see StoredContact [m]
  double rounding1[kBundleLanes];
  double balls[kBundleLanes];        ///< 1 where both are balls about their centres, else 0
  double normal[3][kBundleLanes];    ///< from body 0 to body 1
  double tangent[3][kBundleLanes];   ///< first tangent; the second is normal x tangent
  double arm0[3][kBundleLanes];      ///< c from body 0's centre at the start of the step [m]
  double arm1[3][kBundleLanes];      ///< c from body 1's centre; c moves with body 1 [m]
  double drift[3][kBundleLanes];     ///< dx1 - dx0 when the last pass ran [m]
  double looks[kBundleLanes];        ///< LookedAgain as a number (K-17)
  double turn0[4][kBundleLanes];     ///< BodyTurn::q of body 0 when the rows were made anew; else not written
  double turn1[4][kBundleLanes];     ///< of body 1
  double couplings[kCouplings][kBundleLanes];
  /// Inverse of the couplings (C-9), that of least norm where four points share a plane; entries as above, 0 where
  /// there is none.
  double inverse[kCouplings][kBundleLanes];
  double cross[kCross][kBundleLanes];  ///< friction group from normal group, row by row
  FrictionRows<kPoints> tangential;
  ContactPointRows points[kPoints];
};

/// What the sweeps of a phase note of a bundle, as bit sets of its lanes: which contacts share a bundle must not matter.
struct BundleNotes {
  std::uint8_t impact{0};  ///< gave more than can be expected again (T-12)
  std::uint8_t walked{0};  ///< touches a tree of joints: a walk visits it, and only the first sweep does
  std::uint8_t idle{0};    ///< nothing has pushed their bodies far enough in this step: left out until then (K-20)
  float spare[kBundleLanes]{};  ///< how far that is, of those [m]
};

/// Restitution of a bundle; only bundles with a bouncing pair are given to the approach pass.
template <int kPoints>
struct alignas(64) ContactBounce {
  double velocity[kPoints][kBundleLanes];  ///< rebound speed where the point bounces, else 0 [m/s]
};

/// What the passes measure, per lane, so that adding it up in a fixed order gives the same bits
/// on any number of threads.
struct alignas(64) ContactSums {
  double normalWork[kBundleLanes];    ///< [J]
  double frictionWork[kBundleLanes];  ///< [J]
  double drivenWork[kBundleLanes];    ///< of bodies that are driven through the contact [J]
  double deepest[kBundleLanes];       ///< greatest penetration [m]
  double residual[kBundleLanes];      ///< worst violated normal velocity [m/s]
  double load[kBundleLanes];          ///< sum of the normal impulses of the step [N·s]
  double approach[kBundleLanes];      ///< fastest approach of a point before the step [m/s]
  double localResidual[kBundleLanes];  ///< of the last visit, where it is noted [-]
};

/// What a sweep tells.
struct SweepOutcome {
  double localResidual{0.0};   ///< largest change of a normal velocity against the pass's limit [-]
  std::uint32_t unsettled{0};  ///< contacts with a change beyond the limit
  std::uint32_t visits{0};     ///< contacts that were visited; of the first sweep, those that were left out (K-20)

  void add(const SweepOutcome& part) {
    if (part.localResidual > localResidual) localResidual = part.localResidual;
    unsettled += part.unsettled;
    visits += part.visits;
  }
};

/// What the store pass tells.
struct StoreOutcome {
  double deepest{0.0};  ///< greatest penetration [m]
  double share{0.0};    ///< the same against a contact's size [-]
};

/// Scalars of a pass.
struct ContactPass {
  double h{0.0};                ///< length of the substep [s]
  double dt{0.0};               ///< of the step [s]
  double inverseH{0.0};         ///< [1/s]
  double warmStartSpeed{0.0};   ///< speed that loads can ask of a contact in a phase [m/s], (T-12)
  double threshold{0.0};        ///< approach speed below which nothing bounces [m/s]
  double band{0.0};             ///< gap at which a loaded contact lets go, relative to its size [-]
  double perSettledSpeed{0.0};  ///< 1/(change of a velocity that counts as settled) [s/m], or ...
  double perSettledShare{0.0};  ///< ... 1/(the same against the contact's size), whichever is less [s]
  double settled{1.0};          ///< least local residual at which a contact of the pack has settled [-]
  int number{0};                ///< of the sweep within its phase, from 0 on
  std::uint32_t stamp{0};       ///< number of the sweep, see SolverBodies::dirty
  bool first{true};             ///< first sweep of its phase: visits all
  bool planned{false};          ///< settles by the budgets of the bodies, else by `settled`
  bool noted{false};            ///< notes the local residual of every contact
  bool ahead{false};            ///< rows are more than the cache holds: fetches those of the next bundle
  bool evens{false};            ///< islands may be evened out (SweepBudget)
  bool driven{false};           ///< some bodies are driven: measures what they do
  bool swept{false};            ///< the last phase was swept: its impulses are not yet in the totals
  bool moved{false};            ///< impulses have changed since the visits: conclude looks at all
  bool opening{false};          ///< first phase of the step
  bool drifted{false};          ///< bodies have moved since the last phase (phase 2 always knows)
  double warmStartScale{1.0};   ///< of the warm start, against the impulses of the last phase [-]
  double lead{0.0};             ///< of the phase that is concluded, see PhaseKick [s]

  double correction{0.0};    ///< share of a penetration to remove [-]
  double slop{0.0};          ///< penetration left alone, relative to the contact's size [-]
  double mostLeft{1.0};      ///< penetration beyond which all is removed, relative to the size [-]
  double largestShift{0.0};  ///< most a correction moves a contact, relative to its size [-]
  double paidShift{0.0};     ///< the same of what its motion pays for [-]
  double kineticHeight{0.0};  ///< lift that a kinetic energy per mass pays for [s²/m]
  double support{1.0};       ///< how much the lower body gives way, against the upper one [-]
  double up[3]{};            ///< against gravity; zero where there is none
};

}  // namespace msd_sim
