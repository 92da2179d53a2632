#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "msd-sim/src/DataTypes/Vector3D.hpp"
#include "msd-sim/src/Physics/Constraints/Rows/ContactRows.hpp"
#include "msd-sim/src/Physics/Constraints/Rows/PhaseMean.hpp"
#include "msd-sim/src/Physics/Constraints/Rows/SolverBodies.hpp"

namespace msd_sim {

/// A contact whose surfaces move by themselves or give way (docs/theory/surfaces.md). What its law
/// has in place of the usual one is left out of its rows and done here, point by point:
///
///   soft:    p_N = max(0, -½h (k φ̄ + c u_N)) in both phases, φ̄ the gap in the middle of the
///            substep, where φ̄ < 0                                                          (S-1)
///   moving:  |p_T| <= μ p_N, opposite to the slip u_T + s₁ - s₀, s the surfaces' own velocities (S-2)
struct SurfaceRow {
  static constexpr int kMostPoints = 4;

  std::uint32_t contact{0};
  std::uint32_t body0{0};
  std::uint32_t body1{0};
  double friction{0.0};
  double stiffness{0.0};  ///< of a point [N/m]; 0: rigid, and the normals are those of the rows
  double damping{0.0};    ///< of a point [N·s/m]
  double size{0.0};       ///< length scale of the contact [m]
  Vector3D carry{Vector3D::Zero()};  ///< s₁ - s₀, world [m/s]
  Vector3D normal, tangent1, tangent2;
  // At the start of the step, world axes.
  int pointCount{0};
  Vector3D arm0[kMostPoints], arm1[kMostPoints];    ///< of the points from the bodies' centres [m]
  Vector3D core0[kMostPoints], core1[kMostPoints];  ///< of what turns about the centres with them [m]
  double startGap[kMostPoints]{};                   ///< [m]
  // Of the running substep.
  double gap[kMostPoints]{};         ///< when it began [m]
  double middle[kMostPoints]{};      ///< in its middle [m]
  double impulse[kMostPoints][3]{};  ///< of the running phase: normal, tangents [N·s]
  // When the last phase ended: the bodies' warm starts hold these impulses with the arms of that time.
  Vector3D drift{Vector3D::Zero()};  ///< of body 1 against body 0 since the start of the step [m]
  Vector3D warmStart[kMostPoints]{};  ///< world [N·s]
  // Where the contact's own rows stand.
  ContactPointRows* points[kMostPoints]{};
  int lane{0};
  double* normalWork{nullptr};
  double* frictionWork{nullptr};
  double* drivenWork{nullptr};
  double* localResidual{nullptr};
  double change{0.0};   ///< of a velocity in the last visit [m/s]
  double carried{0.0};  ///< work that the moving surface did in this step [J]
  double scheme{0.0};   ///< of springs beyond their dampers, and of warm starts with old arms, in this step [J]
  double before{0.0};   ///< energy in the contact when the step began [J]

  [[nodiscard]] bool isSoft() const { return stiffness > 0.0; }
  /// Normal impulse of a point in the running phase.
  [[nodiscard]] double load(int i) const {
    return isSoft() ? impulse[i][0] : points[i]->impulse[0][lane];
  }
};

/// The rows of a pack, in the order of the contacts.
struct SurfaceRows {
  std::vector<SurfaceRow> rows;
  double h{0.0};           ///< length of the substep [s]
  bool velocities{false};  ///< the running phase is phase 2
};

/// The first visit of a phase 1: gaps where the bodies stand.
void openSurface(const SolverBodies& bodies, SurfaceRow& row);
/// One visit in a phase of a substep of length h. Returns the largest change of a velocity [m/s].
double visitSurface(SolverBodies& bodies, SurfaceRow& row, double h, bool velocities);
/// Adds the impulses of a phase to the totals of the contact, and its works.
void concludeSurface(const SolverBodies& bodies, SurfaceRow& row, double h, bool velocities, const PhaseEnd& end);
/// Energy in the contact where the bodies stand [J].
[[nodiscard]] double surfaceEnergy(const SolverBodies& bodies, const SurfaceRow& row);

}  // namespace msd_sim
