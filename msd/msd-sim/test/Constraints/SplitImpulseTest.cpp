#include <gtest/gtest.h>

#include <memory>

#include "msd-sim/src/Physics/Constraints/ContactConstraint.hpp"
#include "msd-sim/src/Physics/Constraints/PositionCorrector.hpp"

namespace msd_sim {
namespace {

TEST(PositionCorrector, position_corrector_with_flattened_hierarchy) {
  // A box of mass 1 lies 0.02 deep in the floor on four points; a fifth of what exceeds the slop
  // goes in each call, velocities stay, and the floor does not move.
  InertialState floor{}, box{};
  floor.position = {0, 0, -1};
  box.position = {0, 0, 0.48};
  box.velocity = {1, 2, 3};
  box.angularVelocity = {0.1, 0.2, 0.3};
  const std::vector<double> masses{0.0, 1.0};
  const std::vector<Eigen::Matrix3d> inertias{Eigen::Matrix3d::Zero(),
                                              6.0 * Eigen::Matrix3d::Identity()};
  const PositionCorrector corrector{{.share = 0.2, .slop = 1e-3, .iterations = 200}};
  double depth = 0.02;
  for (int call = 0; call < 50; ++call) {
    std::vector<std::unique_ptr<ContactConstraint>> contacts;
    std::vector<Constraint*> list;
    for (const double x : {-0.5, 0.5}) {
      for (const double y : {-0.5, 0.5}) {
        contacts.push_back(std::make_unique<ContactConstraint>(
            0, 1, Vector3D{0, 0, 1}, Vector3D{x, y, 0}, Vector3D{x, y, -depth}, depth,
            floor.position, box.position, 0.0, 0.0));
        list.push_back(contacts.back().get());
      }
    }
    const double before = box.position.z();
    const double moved = corrector.correctPositions(list, {floor, box}, masses, inertias);
    EXPECT_NEAR(box.position.z() - before, 0.2 * (depth - 1e-3), 1e-12);
    EXPECT_NEAR(moved, 0.2 * (depth - 1e-3), 1e-12);
    depth -= box.position.z() - before;
  }
  EXPECT_NEAR(depth, 1e-3, 1e-5);
  EXPECT_EQ(box.velocity, (Vector3D{1, 2, 3}));
  EXPECT_EQ(box.angularVelocity, (Vector3D{0.1, 0.2, 0.3}));
  EXPECT_EQ(floor.position, (Vector3D{0, 0, -1}));
  EXPECT_NEAR(box.orientation.w(), 1.0, 1e-12);
}

TEST(PositionCorrector, leavesShallowContactsAlone) {
  InertialState a{}, b{};
  b.position = {0, 0, 1};
  ContactConstraint contact{0,    1,         {0, 0, 1}, {0, 0, 0.5}, {0, 0, 0.5},
                            5e-5, {0, 0, 0}, {0, 0, 1}, 0.0,         0.0};
  const PositionCorrector corrector{};
  EXPECT_EQ(corrector.correctPositions({&contact}, {a, b}, {1.0, 1.0},
                                       {Eigen::Matrix3d::Identity(), Eigen::Matrix3d::Identity()}),
            0.0);
  EXPECT_EQ(b.position.z(), 1.0);
}

TEST(PositionCorrector, sharesTheMoveByInverseMass) {
  InertialState a{}, b{};
  b.position = {0, 0, 1};
  ContactConstraint contact{0,   1,         {0, 0, 1}, {0, 0, 0.55}, {0, 0, 0.45},
                            0.1, {0, 0, 0}, {0, 0, 1}, 0.0,          0.0};
  const PositionCorrector corrector{{.share = 1.0, .slop = 0.0, .iterations = 10}};
  corrector.correctPositions({&contact}, {a, b}, {3.0, 1.0},
                             {Eigen::Matrix3d::Identity(), Eigen::Matrix3d::Identity()});
  EXPECT_NEAR(a.position.z(), -0.075, 1e-14);
  EXPECT_NEAR(b.position.z(), 1.025, 1e-14);
}

}  // namespace
}  // namespace msd_sim
