#pragma once

#include <cstdint>
#include <vector>

#include "msd-sim/src/DataTypes/Vector3D.hpp"
#include "msd-sim/src/Physics/Constraints/Rows/ContactRows.hpp"
#include "msd-sim/src/Physics/Constraints/Rows/PhaseMean.hpp"
#include "msd-sim/src/Physics/Constraints/Rows/SolverBodies.hpp"

namespace msd_sim {

/// Resistance of one contact to rolling and to spinning on the spot (docs/theory/resistance.md).
///
///   |q_T| <= c_R N,  q_T opposite to w_T;      |q_n| <= c_T N,  q_n opposite to w_n            (W-1)
///
/// with q the angular impulse on body 1 (body 0 feels the opposite), w = w1 - w0, N the sum of the
/// contact's normal impulses in the running phase, and c the lever arms of the pair. q = 0 costs
/// nothing: contacts without lever arms have no row.
struct ResistanceRow {
  std::uint32_t contact{0};
  std::uint32_t body0{0};
  std::uint32_t body1{0};
  double rolling{0.0};    ///< c_R [m]
  double torsional{0.0};  ///< c_T [m]
  double size{0.0};       ///< length scale of the contact [m]
  // Where the contact's own rows stand; a component is kBundleLanes apart from the next.
  const double* normal{nullptr};
  const double* tangent{nullptr};
  const ContactPointRows* points{nullptr};
  int pointCount{0};
  int lane{0};
  double* frictionWork{nullptr};
  double* drivenWork{nullptr};
  double* localResidual{nullptr};
  Vector3D impulse{Vector3D::Zero()};  ///< of the running phase, world [N·m·s]
  double change{0.0};                  ///< of the rim's speed in the last visit [m/s]
};

/// The rows of a pack, in the order of the contacts' colours.
struct ResistanceRows {
  std::vector<ResistanceRow> rows;
};

/// Adds the warm start to what the constraints are expected to give the bodies.
void warmResistance(SolverBodies& bodies, const ResistanceRow& row);

/// One visit: spinning, then rolling. Returns the change of the rim's speed [m/s].
double visitResistance(SolverBodies& bodies, ResistanceRow& row);

/// Adds the work of a phase (L-7) to the contact's friction.
void addResistanceWork(const SolverBodies& bodies, const ResistanceRow& row);

}  // namespace msd_sim
