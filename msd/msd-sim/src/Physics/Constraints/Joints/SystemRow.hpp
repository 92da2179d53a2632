#pragma once

#include <cstdint>

#include "msd-sim/src/Physics/Constraints/Joints/JointDefinition.hpp"

namespace msd_sim {

/// How a row's velocity and impulse hang together.
enum class RowLaw : std::uint8_t {
  kEquality,  ///< an error stays zero (J-7)
  kDrive,   ///< a velocity is reached (J-13)
  kSpring,  ///< springs, dampers, rotors and motors with gains (J-9, J-31)
  kStop,    ///< a gap stays open, the impulse pushes only (J-15)
};

/// One scalar equation of a component. Impulses are those of one phase unless said [N·s].
struct SystemRow {
  JointRow jacobian;
  JointRow response;     ///< M⁻¹Jᵀ
  double diagonal{0.0};  ///< J M⁻¹ Jᵀ [1/kg]
  double softness{0.0};  ///< γ: what the law adds to the diagonal [1/kg]
  double impulse{0.0};
  double first{0.0};  ///< impulse of phase 1
  double lower{0.0};  ///< bounds of the impulse, per second: forces [N]
  double upper{0.0};
  double target{0.0};  ///< velocity, rest length, or place of the stop
  double stiffness{0.0};
  double damping{0.0};
  double force{0.0};    ///< constant part of a soft row's push [N]
  double inertia{0.0};  ///< of the rotor [kg] or [kg·m²]
  double rotor{0.0};    ///< its speed when the phase begins
  double keep{0.0};     ///< error that phase 1 leaves for later
  double start{0.0};    ///< value at the start of the substep
  double mean{0.0};     ///< spring: length in the middle of the substep
  double after{0.0};    ///< value after the drift
  double work{0.0};     ///< over the step [J]
  double driven{0.0};   ///< impulse of the motor over the step
  double motorStiffness{0.0}, motorDamping{0.0}, motorForce{0.0};  ///< its share of the soft row
  Vector3D line{};    ///< spring: direction at the start of the substep
  double rate{0.0};   ///< of the value by itself, ∂C/∂t
  double sign{1.0};   ///< -1 for upper stops: the row measures the gap
  RowLaw law{RowLaw::kEquality};
  bool isLength{true};
  std::uint8_t number{0};  ///< in JointRecord::impulse
};

}  // namespace msd_sim
