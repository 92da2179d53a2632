// What MJCF says becomes of it: classes of defaults, orientations, geoms that give mass, joints
// that share a body, filters, friction, keyframes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

#include "msd-import/test/ImportText.hpp"

namespace msd_import::test {
namespace {

using testing::HasSubstr;
constexpr double kPi = std::numbers::pi;

ImportedScene import(const std::string& inside, const ImportOptions& options = {}) {
  return importRobot("<mujoco>" + inside + "</mujoco>", "robot.xml", noFiles(), options);
}

TEST(Mjcf, classesInheritAndElementsOverride) {
  const ImportedScene robot = import(R"(
    <default><geom size="0.1 0.5" type="capsule"/><default class="thin"><geom size="0.05"/></default></default>
    <worldbody>
      <body name="a" childclass="thin"><freejoint/><geom/></body>
      <body name="b"><freejoint/><geom class="thin" type="sphere"/></body>
      <body name="c"><freejoint/><geom/></body></worldbody>)");
  const auto& shapes = robot.scene.document.shapes;
  ASSERT_EQ(shapes.size(), 3u);
  EXPECT_EQ(std::get<msd_scene::CapsuleShape>(shapes[0].geometry),
            (msd_scene::CapsuleShape{0.05, 0.5}));
  EXPECT_EQ(std::get<msd_scene::SphereShape>(shapes[1].geometry), (msd_scene::SphereShape{0.05}));
  EXPECT_EQ(std::get<msd_scene::CapsuleShape>(shapes[2].geometry),
            (msd_scene::CapsuleShape{0.1, 0.5}));
}

TEST(Mjcf, orientationsOfAllKindsAgree) {
  // A quarter turn about y, written in five ways.
  const ImportedScene robot = import(R"(<worldbody>
      <body name="a" quat="1 0 1 0"><freejoint/><geom size="1"/></body>
      <body name="b" axisangle="0 2 0 90"><freejoint/><geom size="1"/></body>
      <body name="c" euler="0 90 0"><freejoint/><geom size="1"/></body>
      <body name="d" xyaxes="0 0 -1 0 1 0"><freejoint/><geom size="1"/></body>
      <body name="e" zaxis="1 0 0"><freejoint/><geom size="1"/></body></worldbody>)");
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    const auto& q = bodyNamed(robot, name).orientation;
    EXPECT_NEAR(q[0], std::sqrt(0.5), 1e-12) << name;
    EXPECT_NEAR(q[2], std::sqrt(0.5), 1e-12) << name;
  }
}

TEST(Mjcf, geomsGiveMassByDensityOrAsWritten) {
  const ImportedScene robot = import(R"(<worldbody>
      <body name="a"><freejoint/><geom type="box" size="0.1 0.2 0.3"/></body>
      <body name="b"><freejoint/><geom type="sphere" size="0.5" mass="3"/></body></worldbody>)");
  EXPECT_NEAR(*bodyNamed(robot, "a").mass, 1000.0 * 8.0 * 0.006, 1e-9);
  EXPECT_NEAR((*bodyNamed(robot, "b").inertia)(0, 0), 0.4 * 3.0 * 0.25, 1e-12);
}

TEST(Mjcf, severalJointsOfABodyHangOnBodiesBetweenThem) {
  const ImportedScene robot = import(R"(<worldbody><body name="a" pos="0 0 1">
      <joint name="x" type="slide" axis="1 0 0"/><joint name="y" axis="0 1 0" range="-90 90"/>
      <geom type="sphere" size="0.1" mass="1"/></body></worldbody>)");
  ASSERT_EQ(robot.scene.document.bodies.size(), 2u);
  EXPECT_EQ(jointNamed(robot, "x").bodyB, jointNamed(robot, "y").bodyA);
  EXPECT_EQ(jointNamed(robot, "y").bodyB, "a");
  EXPECT_NEAR(*jointNamed(robot, "y").limit->upper, kPi / 2.0, 1e-15);
  const auto& between = bodyNamed(robot, jointNamed(robot, "x").bodyB);
  EXPECT_FALSE(between.collides);
  EXPECT_LT(*between.mass, 1e-5);
}

TEST(Mjcf, filtersTouchWhereOneContypeMeetsTheOthersConaffinity) {
  const ImportedScene robot = import(R"(<worldbody>
      <geom name="floor" type="plane" contype="1" conaffinity="1"/>
      <body name="a"><freejoint/><geom size="0.1" contype="1" conaffinity="0"/></body>
      <body name="b"><freejoint/><geom size="0.1" contype="0" conaffinity="1"/></body>
      <body name="c"><freejoint/><geom size="0.1" contype="1" conaffinity="0"/></body></worldbody>)");
  const auto touch = [&](const char* first, const char* second) {
    const auto& a = bodyNamed(robot, first);
    const auto& b = bodyNamed(robot, second);
    return (a.layer & b.mask) != 0 && (b.layer & a.mask) != 0;
  };
  EXPECT_TRUE(touch("a", "floor"));
  EXPECT_TRUE(touch("a", "b"));
  EXPECT_FALSE(touch("a", "c"));
  EXPECT_TRUE(touch("b", "floor"));
}

TEST(Mjcf, theLargerFrictionOfTwoCounts) {
  const ImportedScene robot = import(R"(<worldbody>
      <geom name="floor" type="plane" friction="0.4"/>
      <body name="a"><freejoint/><geom size="0.1" friction="0.9"/></body></worldbody>)");
  ASSERT_EQ(robot.scene.document.pairs.size(), 1u);
  EXPECT_EQ(robot.scene.document.pairs[0].friction, 0.9);
}

TEST(Mjcf, keyframesPlaceTheRobotAndShiftItsLimits) {
  const std::string text =
      R"(<worldbody><body name="a"><joint name="j" axis="0 0 1" range="-90 90"/>
      <geom size="0.1" pos="1 0 0"/></body></worldbody>
      <keyframe><key name="quarter" qpos="0.5"/></keyframe>)";
  const ImportedScene robot = import(text, {.keyframe = "quarter"});
  EXPECT_NEAR(*jointNamed(robot, "j").limit->upper, kPi / 2.0 - 0.5, 1e-15);
  EXPECT_NEAR(bodyNamed(robot, "a").orientation[3], std::sin(0.25), 1e-12);
  EXPECT_THROW((void)import(text, {.keyframe = "half"}), msd_scene::SceneError);
}

TEST(Mjcf, includesAreFollowedButNotInCircles) {
  const auto files = filesOf(
      {{"b.xml", "<mujoco><include file=\"a.xml\"/></mujoco>"},
       {"a.xml", "<mujoco><include file=\"b.xml\"/></mujoco>"},
       {"leg.xml", "<mujoco><body name=\"leg\"><freejoint/><geom size=\"1\"/></body></mujoco>"}});
  EXPECT_THAT(errorOf("<mujoco><include file=\"a.xml\"/></mujoco>", files),
              HasSubstr("a file that does not include itself"));
  const ImportedScene robot = importRobot(
      "<mujoco><worldbody><include file=\"leg.xml\"/></worldbody></mujoco>", "robot.xml", files);
  EXPECT_EQ(robot.scene.document.bodies.at(0).name, "leg");
}

TEST(Mjcf, whatIsNotCarriedOverIsListedOnceWithItsFirstLine) {
  const ImportedScene robot = importRobot(R"(<mujoco>
<worldbody>
<geom type="plane" solref="0.1 1"/>
<geom type="plane" solref="0.1 1"/>
</worldbody>
<tendon><fixed name="t" stiffness="3"/></tendon>
</mujoco>)",
                                          "robot.xml", noFiles());
  ASSERT_EQ(robot.notes.size(), 2u);
  EXPECT_EQ(robot.notes[0].count, 2u);
  EXPECT_THAT(describe(robot.notes[0]), HasSubstr("robot.xml:3: <geom> solref (2 times)"));
  EXPECT_THAT(describe(robot.notes[1]), HasSubstr("robot.xml:6: <fixed> stiffness"));
}

TEST(Mjcf, wrongFilesAreErrorsWithALine) {
  const auto error = [](const std::string& inside) {
    return errorOf("<mujoco>\n" + inside + "</mujoco>");
  };
  EXPECT_THAT(error("<worldbody><geom type=\"cone\"/></worldbody>"),
              HasSubstr("robot.xml:2: geom.type"));
  EXPECT_THAT(error("<worldbody><geom size=\"-1\"/></worldbody>"), HasSubstr("geom.size"));
  EXPECT_THAT(error("<worldbody><geom class=\"no\" size=\"1\"/></worldbody>"), HasSubstr("\"no\""));
  EXPECT_THAT(error("<worldbody><geom type=\"mesh\" mesh=\"m\"/></worldbody>"), HasSubstr("asset"));
  EXPECT_THAT(error("<asset><mesh file=\"m.stl\"/></asset>"), HasSubstr("robot.xml:2: mesh.file"));
  EXPECT_THAT(
      error("<worldbody><body><joint axis=\"0 0 0\"/><geom size=\"1\"/></body></worldbody>"),
      HasSubstr("a direction that is not zero"));
  EXPECT_THAT(error("<worldbody><body name=\"a\"/><body name=\"a\"/></worldbody>"),
              HasSubstr("a name that no other body has"));
  EXPECT_THAT(error("<actuator><motor joint=\"j\"/></actuator>"), HasSubstr("\"j\""));
  EXPECT_THAT(error("<worldbody><body pos=\"0 0\"/></worldbody>"), HasSubstr("3 numbers"));
  EXPECT_THAT(errorOf("<scene/>"), HasSubstr("<robot> (URDF) or <mujoco> (MJCF)"));
  EXPECT_THAT(errorOf("<mujoco model=\"l\x04g\"/>"), HasSubstr("control character"));
  EXPECT_THAT(errorOf("<mujoco model=\"" + std::string(241, 'x') + "\"/>"),
              HasSubstr("at most 240 bytes"));
  EXPECT_THAT(errorOf(""), HasSubstr("XML"));
}

constexpr const char* kTwoWheels = R"(<mujoco><compiler angle="radian"/><worldbody>
<body name="l"><joint name="left" axis="0 1 0" ref="0.5"/><geom type="sphere" size="0.1"/></body>
<body name="r" pos="0 1 0"><joint name="right" axis="0 1 0"/><geom type="sphere" size="0.1"/></body>
</worldbody>)";

TEST(Mjcf, aForceOnASumOfJointsIsAForceOnEach) {
  const ImportedScene robot = importRobot(std::string{kTwoWheels} + R"(<tendon>
<fixed name="forward"><joint joint="left" coef="0.5"/><joint joint="right" coef="0.5"/></fixed>
<fixed name="turn"><joint joint="left" coef="-0.5"/><joint joint="right" coef="0.5"/></fixed></tendon>
<actuator><motor tendon="forward" ctrlrange="-1 1" ctrllimited="true" gear="12"/>
<motor tendon="turn" ctrlrange="-1 1" ctrllimited="true" gear="8"/></actuator>
<keyframe><key name="go" qpos="0.5 0" ctrl="1 0.5"/></keyframe></mujoco>)",
                                          "car.xml", noFiles(), {.keyframe = "go", .strict = true});
  const auto& left = *jointNamed(robot, "left").motor;
  const auto& right = *jointNamed(robot, "right").motor;
  EXPECT_EQ(left.mode, msd_sim::MotorMode::kForce);
  EXPECT_EQ(left.target, 0.5 * 12.0 - 0.5 * 0.5 * 8.0);
  EXPECT_EQ(right.target, 0.5 * 12.0 + 0.5 * 0.5 * 8.0);
  EXPECT_EQ(*left.maxForce, 10.0);
}

/// Both coordinates count from their reference: q_l - 0.5 = 0.1 - 2 q_r.
TEST(Mjcf, equalJointsFollowFromTheirReference) {
  const std::string head = std::string{kTwoWheels} + R"(<equality>)";
  const ImportedScene robot = importRobot(
      head + R"(<joint joint1="left" joint2="right" polycoef="0.1 -2 0 0 0"/></equality></mujoco>)",
      "pair.xml", noFiles(), {.strict = true});
  const auto& follows = *jointNamed(robot, "left").follows;
  EXPECT_EQ(follows.joint, "right");
  EXPECT_EQ(follows.ratio, -2.0);
  EXPECT_NEAR(follows.offset, 0.1, 1e-15);
  EXPECT_THAT(errorOf(head + R"(<joint joint1="left" joint2="right"/>
<joint joint1="right" joint2="left"/></equality></mujoco>)"),
              HasSubstr("in a circle"));
  const ImportedScene held =
      importRobot(head + R"(<joint joint1="left" polycoef="0.2 0 0 0 0"/></equality></mujoco>)",
                  "held.xml", noFiles(), {.strict = true});
  EXPECT_TRUE(jointNamed(held, "left").follows->joint.empty());
  EXPECT_NEAR(jointNamed(held, "left").follows->offset, 0.2, 1e-15);
}

TEST(Mjcf, whatIsOnlySeenBecomesAVisual) {
  const ImportedScene robot = importRobot(R"(<mujoco><worldbody>
<body name="b"><freejoint/><geom type="box" size="1 1 1" group="3"/>
<geom type="sphere" size="0.5" pos="0 0 2" contype="0" conaffinity="0" rgba="1 0 0 1"/></body>
<body name="plain" pos="9 0 0"><freejoint/><geom type="box" size="1 1 1"/></body></worldbody></mujoco>)",
                                          "b.xml", noFiles());
  const auto& body = bodyNamed(robot, "b");
  ASSERT_TRUE(body.visual);
  ASSERT_EQ(body.visual->size(), 1u);
  EXPECT_EQ(body.visual->front().position.z(), 2.0);
  EXPECT_EQ((*body.visual->front().colour)[0], 1.0);
  EXPECT_FALSE(bodyNamed(robot, "plain").visual);
}

// The name of a scene that a robot gives is one that a scene file may have.
TEST(Mjcf, namesAreThoseOfAScene) {
  const std::string body = "<worldbody><body><geom size=\"1\"/></body></worldbody></mujoco>";
  EXPECT_EQ(
      importRobot("<mujoco model=\"a\tleg\">" + body, "robot.xml", noFiles()).scene.document.name,
      "a leg");
  EXPECT_EQ(importRobot("<mujoco>" + body, "r\x01.xml", noFiles()).scene.document.name, "r_");
}

TEST(Mjcf, depthIsBounded) {
  std::string deep = "<mujoco><worldbody>";
  for (int i = 0; i < 300; ++i) deep += "<body>";
  EXPECT_FALSE(errorOf(deep).empty());
}

}  // namespace
}  // namespace msd_import::test
