#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include "msd-sim/src/Physics/Constraints/Exact/FrictionProblem.hpp"

/// Contact problems made here, so that the solver can be tested and timed without outside data. One
/// time step of 1/60 s under gravity -9.81 m/s² along z unless said; boxes of 1000 kg/m³.
namespace msd_sim::families {

/// Builds factored problems from bodies with positions and velocities.
class SceneBuilder {
 public:
  struct Body {
    Eigen::Vector3d position{Eigen::Vector3d::Zero()};
    Eigen::Vector3d velocity{Eigen::Vector3d::Zero()};  ///< at the end of the step, without contact
    Eigen::Vector3d spin{Eigen::Vector3d::Zero()};
  };

  int addBox(const Eigen::Vector3d& position, const Eigen::Vector3d& halfExtents, double mass);
  int addSphere(const Eigen::Vector3d& position, double radius, double mass);

  /// A contact at `point` with `normal` from A to B; a body index of -1 is the ground.
  void addContact(int a, int b, const Eigen::Vector3d& point, const Eigen::Vector3d& normal,
                  double mu, double normalOffset = 0.0);

  /// Ball joint at `point`: three bilateral rows.
  void addBallJoint(int a, int b, const Eigen::Vector3d& point);

  /// One bilateral row: no relative velocity at `point` along `direction`.
  void addBilateralRow(int a, int b, const Eigen::Vector3d& point,
                       const Eigen::Vector3d& direction);

  Body& body(int index) { return bodies_[index]; }
  FrictionProblem& problem() { return problem_; }

 private:
  int add(const Eigen::Vector3d& position, double mass, const Eigen::Vector3d& inertia);
  [[nodiscard]] Body bodyOrGround(int index) const;

  FrictionProblem problem_;
  std::vector<Body> bodies_;
};

/// Boxes in a brick pyramid of `base` boxes at the bottom: (base² + base)/2 boxes, four points each
/// pair. 30 gives 465 boxes and 3600 points.
[[nodiscard]] FrictionProblem makePyramid(int base, double mu);

/// `height` boxes on top of each other; the topmost weighs `ratio` times the others.
[[nodiscard]] FrictionProblem makeStack(int height, double ratio, double mu);

/// A slab on `feet`² points, pushed sideways with `push` times its weight: statically
/// indeterminate.
[[nodiscard]] FrictionProblem makeManyFeet(int feet, double mu, double push);

/// A heavy sphere pressed into a row of V grooves of spheres and walls; every contact carries.
[[nodiscard]] FrictionProblem makeWedge(int spheres, double mu);

/// Random bodies with random contacts among them and to the ground.
[[nodiscard]] FrictionProblem makeRandomPile(int bodies, int contactsPerBody, double mu,
                                             std::uint32_t seed);

/// A chain of boxes with ball joints whose last link rests on the ground, every joint written twice
/// (redundant rows).
[[nodiscard]] FrictionProblem makeRedundantChain(int links, double mu);

/// The problem with contacts in another order, tangents turned, q disturbed by `amount` (relative,
/// in the range of W) and µ scaled by up to 20 %. Assembled form.
[[nodiscard]] FrictionProblem disturb(const FrictionProblem& problem, double amount,
                                      std::uint32_t seed);

}  // namespace msd_sim::families
