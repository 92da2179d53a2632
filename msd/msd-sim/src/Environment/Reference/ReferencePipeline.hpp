#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "msd-sim/src/Physics/Collision/CollisionHandler.hpp"
#include "msd-sim/src/Physics/Collision/ImpulseMemory.hpp"
#include "msd-sim/src/Physics/Constraints/ConstraintSolver.hpp"
#include "msd-sim/src/Physics/Constraints/ContactConstraint.hpp"
#include "msd-sim/src/Physics/Constraints/FrictionConstraint.hpp"
#include "msd-sim/src/Physics/Constraints/PositionCorrector.hpp"
#include "msd-sim/src/Physics/RigidBody/AssetEnvironment.hpp"
#include "msd-sim/src/Physics/RigidBody/AssetInertial.hpp"

namespace msd_sim {

/// What CollisionPipeline::execute does, step by step, with objects that can be read one by one:
///
///   pairs → manifolds → constraints → islands → solve → forces          (execute)
///   positions                                                          (correct, after
///   integration)
///
/// Made anew in every call, but for the impulses that contacts start from. The reading order of the
/// whole method is in docs/reference-method.md.
class ReferencePipeline {
 public:
  /// A body of the call: its place in the lists is its index in the solver's arrays.
  struct Body {
    const AssetPhysical* asset{nullptr};
    AssetInertial* inertial{nullptr};  ///< null: environment
    std::uint32_t name{0};             ///< by which impulses are remembered
    [[nodiscard]] bool isDynamic() const { return inertial != nullptr && !inertial->isKinematic(); }
  };

  /// One contact point, and what it carried.
  struct Contact {
    std::size_t bodyA{0}, bodyB{0};
    ContactPoint point;
    Vector3D normal{Vector3D::Zero()};  ///< from A to B
    ImpulseMemory::Key key;
    double friction{0.0};       ///< of the pair [-]
    bool resists{false};        ///< the pair resists rolling or spinning, which is not solved for
    double approach{0.0};       ///< before the step, > 0 when closing [m/s]
    std::size_t constraint{0};  ///< of the normal; friction's, if any, is the next
    double normalImpulse{0.0};  ///< [N·s]
    Vector3D tangentialImpulse{Vector3D::Zero()};  ///< on B, world axes [N·s]
  };

  /// Two bodies that touch: one of their manifolds.
  struct Manifold {
    std::size_t bodyA, bodyB;
    PartCollision collision;
  };

  /// What may be chosen.
  struct Options {
    double restitutionThreshold{kRestVelocityThreshold};  ///< [m/s]
    double erp{0.0};  ///< through velocities (Baumgarte); 0: through positions [-]
    PositionCorrector::Config correction{};
    double coneTolerance{1e-8};
    int coneIterations{1000};
    double time{0.0};  ///< that constraints are asked for [s]
    /// Coefficients of two surfaces that meet; empty: geometric means.
    std::function<SurfaceMaterial(const SurfaceMaterial&, const SurfaceMaterial&)> combine{};
    /// May two bodies touch? By their names; empty: always.
    std::function<bool(std::uint32_t, std::uint32_t)> mayTouch{};
    /// May change the coefficients of a pair that was found; false: it is passed over. Empty: none.
    std::function<bool(const Manifold&, SurfaceMaterial&)> change{};
  };
  Options options{};
  /// Joints and users' constraints to be solved together with the contacts; body indices as in the
  /// lists, the world's own (at rest at the origin) being the one after the last.
  std::vector<Constraint*> others{};

  /// Finds who touches whom; nothing is solved.
  void detect(std::vector<Body> bodies);
  /// All of it. `velocityBias` is empty or has an entry for every inertial body; those come first.
  /// Impulses are recalled from `memory` and remembered there as of `frame`. Adds the forces of all
  /// constraints to the accumulators of the bodies.
  void execute(std::vector<Body> bodies, double dt, const std::vector<SpatialVector>& velocityBias,
               ImpulseMemory& memory, std::uint64_t frame);
  /// After the integrator: positions out of penetration, joints closed, velocities as they are.
  /// Nothing where velocities do it (Options::erp).
  void correct(double dt);

  // What the last call found and did.
  [[nodiscard]] std::span<const Manifold> manifolds() const { return manifolds_; }
  [[nodiscard]] std::span<const Body> bodies() const { return bodies_; }
  [[nodiscard]] std::span<const Contact> contacts() const { return contacts_; }
  [[nodiscard]] double deepest() const;  ///< penetration [m]
  [[nodiscard]] std::size_t pairCount() const { return pairs_.size(); }
  [[nodiscard]] std::size_t manifoldCount() const { return manifolds_.size(); }
  /// Per body: the number of its island, or kNone for bodies that nothing pushes.
  [[nodiscard]] std::span<const std::uint32_t> islandOf() const { return island_of_; }
  [[nodiscard]] std::size_t islandCount() const { return island_count_; }
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;

  /// All constraints of the solve (others, then contacts), their multipliers [N·s] and rows.
  [[nodiscard]] std::span<Constraint* const> constraints() const { return constraints_; }
  [[nodiscard]] const Eigen::VectorXd& impulses(std::size_t constraint) const {
    return lambda_[constraint];
  }
  [[nodiscard]] const Eigen::MatrixXd& rows(std::size_t constraint) const {
    return rows_[constraint];
  }
  [[nodiscard]] std::span<const ConstraintSolver::BodyForces> forces() const { return forces_; }
  [[nodiscard]] std::uint32_t unsolved() const {
    return unsolved_;
  }  ///< islands that did not converge
  [[nodiscard]] int iterations() const { return iterations_; }
  [[nodiscard]] double residual() const { return residual_; }  ///< [m/s]

  /// Wall-clock time of the parts of the last call [s].
  struct Seconds {
    double pairs{0.0}, manifolds{0.0}, constraints{0.0}, islands{0.0}, solve{0.0};
  };
  [[nodiscard]] const Seconds& seconds() const { return seconds_; }

 private:
  void findPairs();
  void findManifolds();
  void makeConstraints();
  void findIslands();
  void solve(double dt, const std::vector<SpatialVector>& velocityBias,
             const ImpulseMemory& memory);
  void remember(ImpulseMemory& memory, std::uint64_t frame);
  void applyForces();
  [[nodiscard]] const InertialState& stateOf(std::size_t body) const;
  [[nodiscard]] Eigen::VectorXd warmStart(std::size_t constraint,
                                          const ImpulseMemory& memory) const;

  std::vector<Body> bodies_;
  std::vector<std::pair<std::size_t, std::size_t>> pairs_;
  std::vector<Manifold> manifolds_;
  std::vector<Contact> contacts_;
  std::vector<std::unique_ptr<Constraint>> made_;  ///< of contacts
  std::vector<Constraint*> constraints_;
  std::vector<std::uint32_t> contact_of_;     ///< per constraint, or kNone
  std::vector<Eigen::VectorXd> start_error_;  ///< per one of `others`
  std::vector<std::uint32_t> island_of_;
  std::size_t island_count_{0};
  std::vector<Eigen::VectorXd> lambda_;  ///< per constraint
  std::vector<Eigen::MatrixXd> rows_;    ///< per constraint: J over v_A, ω_A, v_B, ω_B
  std::vector<ConstraintSolver::BodyForces> forces_;
  InertialState world_{};
  std::uint32_t unsolved_{0};
  int iterations_{0};
  double residual_{0.0};
  Seconds seconds_{};
};

}  // namespace msd_sim
