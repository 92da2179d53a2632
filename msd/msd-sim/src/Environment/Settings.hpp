#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "msd-sim/src/DataTypes/Vector3D.hpp"
#include "msd-sim/src/Physics/RigidBody/SurfaceMaterial.hpp"

namespace msd_sim {

enum class Method : std::uint8_t {
  kFast,       ///< substepped, warm-started, coloured Gauss–Seidel
  kExact,      ///< Signorini and Coulomb solved together to a certified residual
  kReference,  ///< one page of readable code, the oracle of the others (docs/reference-method.md)
};

inline constexpr std::array<std::string_view, 3> kMethodNames{"fast", "exact", "reference"};
/// As files and the command line write it.
[[nodiscard]] constexpr std::string_view methodName(Method method) {
  return kMethodNames[static_cast<std::size_t>(method)];
}
/// The reverse; nothing for a word that is no method.
[[nodiscard]] constexpr std::optional<Method> methodFromName(std::string_view name) {
  for (std::size_t i = 0; i < kMethodNames.size(); ++i) {
    if (kMethodNames[i] == name) return static_cast<Method>(i);
  }
  return std::nullopt;
}

/// Everything a user may change about a world's behaviour. Times in seconds, lengths in metres.
/// `validate` (WorldModel's constructor calls it) throws std::invalid_argument with the name, the
/// value and the range of the first setting out of range.
struct Settings {
  /// Uniform gravity [m/s²]. Any direction; zero switches it off.
  Acceleration gravity{0.0, 0.0, -9.81};

  Method method{Method::kFast};

  /// Substeps a step is cut into [-]. 1 to 64; 0 takes the method's default (fast 4, exact 1,
  /// reference 1).
  /// More: stiffer stacks and joints, finer impacts, cost in proportion.
  int substeps{0};

  /// Solver sweeps per substep and phase in fast mode [-]. 1 to 1000. More: forces settle in fewer
  /// steps; rarely needed, since impulses are carried over from step to step.
  int iterations{1};

  /// Exact mode: relative natural-map residual at which a solve stops [-]. 1e-15 to 1e-2.
  double exactTolerance{1e-8};

  /// Exact mode: solver iterations before a step is reported as not converged [-].
  int exactIterations{1000};

  /// Approach speed below which an impact does not bounce [m/s], >= 0. Larger: piles rest sooner,
  /// low bounces disappear. 0 lets every contact bounce. Docs: theory/restitution.md, (R-6).
  double restitutionThreshold{kRestVelocityThreshold};

  /// Share of a penetration removed per step [-], 0 to 1. Larger: overlaps vanish faster, with more
  /// work done on the bodies (ledger: positionWork). Docs: theory/position-correction.md.
  double positionCorrection{0.2};

  /// Reference: error reduction parameter (ERP), the share of a penetration that is removed per step
  /// through the velocities (Baumgarte), 0 to 1 [-]. 0: positions are corrected without touching
  /// velocities (`positionCorrection`). 0.2 is the customary value; it feeds kinetic energy.
  double baumgarte{0.0};

  /// Fastest separation that position correction may cause, in body sizes per second [1/s], > 0.
  /// Keeps a deep initial overlap from flying apart.
  double correctionSpeed{2.0};

  /// Put islands to sleep that have been still for `sleepTime` [s] with speeds below
  /// `sleepSpeed` [m/s] (angular speed times size counts alike).
  bool sleeping{true};
  double sleepSpeed{0.005};
  double sleepTime{0.5};

  /// Threads that share the work of a step [-]. 0 takes the machine's cores. The result does not
  /// depend on it, bit for bit.
  int threads{1};

  /// Compute StepReport::hash in every step (about 10 ns a body).
  bool hashEveryStep{false};

  /// Exact mode: let impacts propagate one after the other (Newton's cradle: one ball in, one ball
  /// out) instead of all at once.
  bool sequentialImpacts{false};

  /// Coefficients of a pair of surfaces from those of its two sides; empty: geometric means. Must give
  /// the same for the same two sides in either order, and nothing out of a material's range: `update`
  /// throws std::invalid_argument otherwise. Counts for contacts made from then on.
  std::function<SurfaceMaterial(const SurfaceMaterial& a, const SurfaceMaterial& b)> combine{};

  void validate() const;
};

}  // namespace msd_sim
