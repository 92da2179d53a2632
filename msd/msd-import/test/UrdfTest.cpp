// What URDF says becomes of it: links that are fixed are joined by the parallel-axis theorem,
// frames of inertias are turned, limits and losses stay with their joints.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

#include "msd-import/test/ImportText.hpp"

namespace msd_import::test {
namespace {

using testing::HasSubstr;

constexpr const char* kArm = R"(<robot name="arm">
  <link name="base">
    <collision><geometry><box size="1 1 0.2"/></geometry></collision>
  </link>
  <link name="upper">
    <inertial><origin xyz="0 0 0.5" rpy="0 0 1.5707963267948966"/><mass value="2"/>
      <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.25"/></inertial>
    <collision><origin xyz="0 0 0.5"/><geometry><cylinder radius="0.1" length="1"/></geometry></collision>
  </link>
  <link name="tip">
    <inertial><origin xyz="0 0 0"/><mass value="2"/>
      <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>
  </link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper"/><origin xyz="0 0 0.1"/><axis xyz="0 2 0"/>
    <limit lower="-1" upper="2" effort="10" velocity="1"/><dynamics damping="0.5" friction="0.1"/>
  </joint>
  <joint name="end" type="fixed"><parent link="upper"/><child link="tip"/><origin xyz="0 0 1"/></joint>
</robot>)";

TEST(Urdf, fixedLinksBecomePartOfTheirParent) {
  const ImportedScene robot = importRobot(kArm, "arm.urdf", noFiles());
  ASSERT_EQ(robot.scene.document.bodies.size(), 2u);
  const auto& upper = bodyNamed(robot, "upper");
  EXPECT_EQ(*upper.mass, 4.0);
  EXPECT_NEAR(upper.centreOfMass->z(), 0.75, 1e-15);
  // Turned by a quarter about z, x and y change places; two times 2 kg at 0.25 m from the middle.
  EXPECT_NEAR((*upper.inertia)(0, 0), 0.2 + 0.1 + 2.0 * 2.0 * 0.0625, 1e-12);
  EXPECT_NEAR((*upper.inertia)(1, 1), 0.1 + 0.1 + 2.0 * 2.0 * 0.0625, 1e-12);
  EXPECT_NEAR((*upper.inertia)(2, 2), 0.25 + 0.1, 1e-12);
  EXPECT_TRUE(bodyNamed(robot, "base").isStatic);
}

TEST(Urdf, jointsKeepAxisAnchorLimitsAndLosses) {
  const ImportedScene robot = importRobot(kArm, "arm.urdf", noFiles());
  const auto& joint = jointNamed(robot, "shoulder");
  EXPECT_EQ(joint.bodyA, "");
  EXPECT_EQ(joint.bodyB, "upper");
  EXPECT_NEAR(joint.anchor.z(), 0.1, 1e-15);
  EXPECT_NEAR(joint.axis->y(), 1.0, 1e-15);
  EXPECT_EQ(joint.limit->lower, -1.0);
  EXPECT_EQ(joint.limit->upper, 2.0);
  EXPECT_EQ(joint.friction, 0.1);
}

TEST(Urdf, rootWithMassIsFreeUnlessToldOtherwise) {
  const std::string text = R"(<robot name="ball"><link name="ball">
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><sphere radius="0.1"/></geometry></collision></link></robot>)";
  EXPECT_FALSE(bodyNamed(importRobot(text, "b.urdf", noFiles()), "ball").isStatic);
  EXPECT_TRUE(
      bodyNamed(importRobot(text, "b.urdf", noFiles(), {.fixedBase = true}), "ball").isStatic);
}

TEST(Urdf, whatIsNotCarriedOverIsListedWithItsLine) {
  const std::string text = R"(<robot name="r">
  <link name="a"/>
  <transmission name="t"/>
  <gazebo reference="a"/>
</robot>)";
  const ImportedScene robot = importRobot(text, "r.urdf", noFiles());
  ASSERT_EQ(robot.notes.size(), 2u);
  EXPECT_THAT(describe(robot.notes[0]), HasSubstr("r.urdf:3: <transmission>"));
  EXPECT_THAT(describe(robot.notes[1]), HasSubstr("r.urdf:4: <gazebo>"));
  EXPECT_THAT(errorOf(text, noFiles(), {.strict = true}),
              HasSubstr("robot.xml:3: found <transmission>"));
}

TEST(Urdf, wrongFilesAreErrorsWithALine) {
  EXPECT_THAT(errorOf("<robot>\n<link name=\"a\">\n</robot>"), HasSubstr("robot.xml:"));
  EXPECT_THAT(errorOf("<robot/>"), HasSubstr("no <link>"));
  EXPECT_THAT(errorOf("<robot>\n<link name=\"a\"/>\n<link name=\"a\"/>\n</robot>"),
              HasSubstr("robot.xml:3"));
  EXPECT_THAT(errorOf(R"(<robot><link name="a"/><joint name="j" type="fixed">
<parent link="a"/><child link="b"/></joint></robot>)"),
              HasSubstr("\"b\""));
  EXPECT_THAT(errorOf(R"(<robot><link name="a"/><link name="b"/>
<joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>
<joint name="k" type="fixed"><parent link="b"/><child link="a"/></joint></robot>)"),
              HasSubstr("ring"));
  EXPECT_THAT(errorOf(R"(<robot><link name="a"><collision><geometry>
<mesh filename="x.stl"/></geometry></collision></link></robot>)"),
              HasSubstr("robot.xml:2: mesh.filename: found \"x.stl\" (this robot has no folder"));
  EXPECT_THAT(errorOf(R"(<robot><link name="a"><inertial>
<mass value="1e999"/></inertial></link></robot>)"),
              HasSubstr("robot.xml:2: mass.value: found \"1e999\", expected a finite number"));
}

/// A gripper: the right finger mimics the left one from 0.01 m on.
TEST(Urdf, mimicsFollowAndStartWhereTheyBelong) {
  const auto finger = [](const std::string& name, const std::string& more) {
    return "<link name=\"" + name + R"("><inertial><mass value="0.1"/>
<inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j_)" +
           name + R"(" type="prismatic"><parent link="base"/><child link=")" + name +
           R"("/><axis xyz="1 0 0"/><limit lower="-1" upper="1" effort="5" velocity="1"/>)" + more +
           "</joint>";
  };
  const std::string mimic = R"(<mimic joint="j_left" multiplier="-1" offset="0.01"/>)";
  const std::string text =
      R"(<robot name="g"><link name="base"/>)" + finger("left", "") + finger("right", mimic);
  const ImportedScene robot = importRobot(text + "</robot>", "g.urdf", noFiles());
  const auto& right = jointNamed(robot, "j_right");
  ASSERT_TRUE(right.follows);
  EXPECT_EQ(right.follows->joint, "j_left");
  EXPECT_EQ(right.follows->ratio, -1.0);
  EXPECT_NEAR(right.follows->offset, 0.0, 1e-18);
  EXPECT_NEAR(bodyNamed(robot, "right").position.x(), 0.01, 1e-18);
  EXPECT_NEAR(*right.limit->upper, 0.99, 1e-15);
  EXPECT_THAT(
      errorOf(R"(<robot name="g"><link name="base"/>)" +
              finger("left", R"(<mimic joint="j_right"/>)") + finger("right", mimic) + "</robot>"),
      HasSubstr("in a circle"));
}

TEST(Urdf, visualsAreSeenAndCollisionsTouch) {
  const ImportedScene robot = importRobot(R"(<robot name="b"><link name="b">
<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><origin xyz="0 0 1"/><geometry><sphere radius="0.3"/></geometry><material name="r"><color rgba="1 0 0 1"/></material></visual>
<visual><geometry><mesh filename="looks.dae"/></geometry></visual>
<collision><geometry><box size="1 1 1"/></geometry></collision></link></robot>)",
                                          "b.urdf", noFiles());
  const auto& body = bodyNamed(robot, "b");
  ASSERT_TRUE(body.visual);
  ASSERT_EQ(body.visual->size(), 1u);
  EXPECT_EQ((*body.visual->front().colour)[0], 1.0);
  EXPECT_EQ(body.visual->front().position.z(), 1.0);
}

TEST(Urdf, entitiesAreNotFollowed) {
  EXPECT_THAT(
      errorOf("<!DOCTYPE r [<!ENTITY a \"b\">]>\n<robot name=\"&a;\"><link name=\"x\"/></robot>"),
      HasSubstr("document type"));
}

TEST(Urdf, massesAndInertiasNobodyCanHaveAreMadeSoundAndNoted) {
  const ImportedScene robot = importRobot(R"(<robot name="r"><link name="a"/>
<link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="0.1" izz="0.1"/></inertial></link>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>)",
                                          "r.urdf", noFiles());
  EXPECT_NEAR((*bodyNamed(robot, "b").inertia)(0, 0), 0.4, 1e-12);
  ASSERT_FALSE(robot.notes.empty());
  EXPECT_THAT(describe(robot.notes.back()),
              HasSubstr("r.urdf:2: an inertia that no body can have"));
}

}  // namespace
}  // namespace msd_import::test
