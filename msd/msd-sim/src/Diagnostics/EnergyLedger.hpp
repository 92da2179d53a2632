#pragma once

namespace msd_sim {

/// Where the mechanical energy of the world went in one step. All entries are in joules.
///
///   kinetic + potential - (kinetic + potential at the start of the step) = sum of the works
///
/// holds to rounding in every step (docs/theory/energy.md, equation L-9). A loss is a negative
/// work. `Diagnostics` only holds the numbers; WorldModel's audit stage computes them.
struct EnergyLedger {
  double kinetic{0.0};    ///< at the end of the step, translation and rotation [J]
  double potential{0.0};  ///< at the end of the step, of all potentials [J]
  double change{0.0};     ///< of kinetic + potential over the step [J]

  double externalWork{0.0};  ///< user forces, torques and impulses; kinematic bodies [J]
  double jointWork{0.0};     ///< joints, their motors, springs, limits and friction [J]
  double normalWork{0.0};    ///< contact along the normals: the loss in impacts, <= 0 [J]
  double frictionWork{0.0};  ///< contact along the tangents: the loss in sliding, <= 0 [J]
  double positionWork{0.0};  ///< done by moving bodies out of penetration (P-5) [J]
  double dampingWork{0.0};   ///< of linear and angular damping, where it is switched on [J]
  double guardWork{
      0.0};  ///< of the energy guard, which takes out what a solve has left too much, <= 0 [J]
  double integratorError{
      0.0};  ///< what the discretisation of time adds or takes, in closed form [J]

  /// The larger of kinetic energy and weight times size seen so far, over all bodies: the scale
  /// against which `closure` is small [J].
  double scale{0.0};

  [[nodiscard]] double works() const {
    return externalWork + jointWork + normalWork + frictionWork + positionWork + dampingWork +
           guardWork + integratorError;
  }
  /// What the entries fail to explain [J]; rounding only.
  [[nodiscard]] double closure() const { return change - works(); }
};

}  // namespace msd_sim
