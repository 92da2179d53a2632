#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "msd-sim/src/DataTypes/AlignedVector.hpp"
#include "msd-sim/src/Physics/Constraints/Rows/RowTuning.hpp"

namespace msd_sim {

/// Bodies as the solver sees them: plain numbers in cache lines, one entry per body slot of the
/// world, static and empty slots included. World axes unless said otherwise.
///
/// The two lines of BodyMotion are all that a solver pass touches; the others belong to the loops
/// over bodies. A body that cannot be pushed (static, kinematic, asleep) has zero inverse mass and
/// zero inverse inertia and goes through the same arithmetic.

/// Written by the row kernels (v, w) and the body kernels.
struct alignas(128) BodyMotion {
  double v[3]{};          ///< velocity of the centre of mass [m/s]
  double w[3]{};          ///< angular velocity [rad/s]
  double inverseMass{};   ///< [1/kg]
  double inverseXX{};     ///< inverse inertia, entry xx [1/(kg·m²)]
  double dx[3]{};         ///< displacement since the start of the step [m]
  double inverseYY{}, inverseZZ{}, inverseXY{}, inverseXZ{}, inverseYZ{};
};

/// Rotation since the start of the step, R_now R_startᵀ, as a unit quaternion; written by drift. Beside it, what is
/// added up over the bodies of an island.
struct alignas(64) BodyTurn {
  double q[4]{1.0, 0.0, 0.0, 0.0};
  double hold{1.0};  ///< share of the velocity that the running drift may use (T-13); 1 but in held islands
  double kinetic{};  ///< energy when `surplus` was measured [J]
  /// Mechanical energy gained in the substep, or in the phase (T-14), beyond the work of the loads [J].
  double surplus{};
  /// What the kicks of the loads gave it over the step, less what the constraints' works contain of it (L-6), and
  /// what drifts changed of its kinetic energy [J].
  double scheme{};
};

/// Written by gather and by drift.
struct alignas(64) BodyPose {
  double x[3]{};                    ///< centre of mass [m]
  double q[4]{1.0, 0.0, 0.0, 0.0};  ///< body axes, w x y z
  double size{};                    ///< radius of the ball about the centre that holds the body [m]
};

/// Constant while the body exists. Symmetric matrices as xx yy zz xy xz yz, body axes.
struct alignas(128) BodyMass {
  double inertia[6]{1.0, 1.0, 1.0, 0.0, 0.0, 0.0};         ///< [kg·m²]
  double mass{1.0};                                        ///< [kg]
  double dynamic{};                                        ///< 1 when forces move it, else 0
  double inverseInertia[6]{1.0, 1.0, 1.0, 0.0, 0.0, 0.0};  ///< [1/(kg·m²)]
  double unused[2]{};
};

/// Accelerations that act during the step, written by gather.
struct alignas(64) BodyLoad {
  double a[3]{};       ///< linear [m/s²]
  double unused0{};
  double torque[3]{};  ///< [N·m]
  double unused1{};
};

/// Velocities after the kick and before the impulses of a phase, written by the kick kernels.
struct alignas(64) BodyKick {
  double v[3]{};
  double w[3]{};
  /// Kinetic energy of the body at the start of the substep; once phases are joined (T-14), what it would
  /// be by the works of the loads and constraints since [J]
  double kinetic{};
  double work{};     ///< of the loads over the drift, not yet in `kinetic` [J]
};

/// Velocities before the kick of a phase, written by the kick kernels: works are measured between here
/// and the end of the phase, for loads and impulses alike.
struct alignas(64) BodyBefore {
  double v[3]{};
  double w[3]{};
  double unused[2]{};
};

/// Mean of the velocities before the kick of the last phase and at its end, with the phase's lead (PhaseKick), written
/// by the body kernels after it: the works of its contacts are measured with it when the next phase begins (L-7).
struct alignas(64) BodyMean {
  double v[3]{};
  double w[3]{};
  double unused[2]{};
};

/// What the constraints are expected to give a body in a phase, linear [N·s] and angular [N·m·s];
/// and, added up by the row kernels, the part of this phase's impulses that is not to be expected
/// again (equation T-12).
struct alignas(128) BodyWarmStart {
  double linear[3]{};
  double unused0{};
  double angular[3]{};
  double unused1{};
  double excessLinear[3]{};
  double unused2{};
  double excessAngular[3]{};
  double unused3{};
};

/// Where the body was when the step began.
struct alignas(128) BodyStart {
  double x[3]{};
  double q[4]{1.0, 0.0, 0.0, 0.0};
  double unused{};
  double v[3]{};
  double w[3]{};
  double unused1[2]{};
};

/// Displacements of position correction, as velocities times one second.
struct alignas(64) BodyShift {
  double d[3]{};      ///< [m]
  double theta[3]{};  ///< [rad]
  double spendsKinetic{};  ///< 1 where its motion may pay for its lift (P-8), else 0
  double paidLift{};  ///< that what contacts took of its island in the step pays for (P-10) [m]
};

/// Bits of SolverBodies::hasTurned and turnedFar.
inline constexpr std::uint8_t kTurnedUneven = 1;  ///< by kRowTuning.turnedFar, and its inertia depends on the direction
inline constexpr std::uint8_t kTurnedAtAll = 2;   ///< by kRowTuning.lookTurn

/// How often the contacts of a body may be swept in a phase: the plan of its island (docs/theory/plan.md).
/// A contact that has not settled calls its neighbours to the next sweep.
struct SweepBudget {
  float settled{1.0f};  ///< local residual at which a contact has settled, in the first sweeps
  float gate{1.0f};     ///< local residual after the last of these from which on it is a hit, and goes on
  float hit{1.0f};      ///< local residual at which that has settled
  float slip{0.0f};     ///< 1: changes of friction are local residual too, else 0
  std::uint16_t few{1};   ///< first sweeps
  std::uint16_t most{1};  ///< sweeps
  bool lasts{false};      ///< what it carries it will carry on, however much (T-12)
  bool evens{false};      ///< something drives it: how its patches share their loads is evened out (C-10)
  std::uint16_t corrections{1};  ///< sweeps of position correction
  float push{1.0f};  ///< local residual at which normals that push a mechanism have settled, after
                     ///< two sweeps (J-27)

  /// The local residual at which a contact has settled in the sweep of this number, from 0 on.
  [[nodiscard]] float limit(int sweep) const {
    if (sweep + 1 >= most) return std::numeric_limits<float>::infinity();
    return sweep + 1 < few ? settled : sweep + 1 == few ? gate : hit;
  }
};

struct SolverBodies {
  /// Bodies that a kernel takes at once; lists of bodies are filled up to a multiple of it with slot 0, which is
  /// nobody's.
  static constexpr std::size_t kBlock = 8;

  AlignedVector<BodyMotion> motion;
  AlignedVector<BodyTurn> turn;
  AlignedVector<BodyPose> pose;
  AlignedVector<BodyMass> mass;
  AlignedVector<BodyLoad> load;
  AlignedVector<BodyKick> kick;
  AlignedVector<BodyBefore> before;
  AlignedVector<BodyMean> mean;
  AlignedVector<BodyWarmStart> warmStart;
  AlignedVector<BodyStart> start;
  AlignedVector<BodyShift> shift;
  /// Stamp of the last sweep in which a contact that had not settled pushed the body.
  AlignedVector<std::uint32_t> dirty;
  /// Of its island, per body.
  AlignedVector<SweepBudget> budget;
  /// How far a body has turned since the step began; written by the drift kernels.
  AlignedVector<std::uint8_t> hasTurned;

  /// The same of any body.
  std::uint8_t turnedFar{0};

  [[nodiscard]] std::size_t size() const { return motion.size(); }
  /// A body that does not move, and has not moved before.
  void stop(std::size_t slot) {
    motion[slot] = BodyMotion{};
    before[slot] = BodyBefore{};
    mean[slot] = BodyMean{};
  }
  /// Grows to hold at least `count` slots, in whole blocks.
  void resize(std::size_t count);
};

/// Does an impulse move the body in this slot? Slot 0 is the world.
[[nodiscard]] inline bool canBePushed(const SolverBodies& bodies, std::uint32_t slot) {
  return slot != 0 && bodies.mass[slot].dynamic > 0.0;
}

}  // namespace msd_sim
