// The messages to the page: layouts, and what quantising costs.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numbers>
#include <random>

#include "msd-view/src/Access.hpp"
#include "msd-view/src/BodyReport.hpp"
#include "msd-view/src/Control.hpp"
#include "msd-view/src/RateLimit.hpp"
#include "msd-view/src/ScratchFolder.hpp"
#include "msd-view/src/StepRow.hpp"
#include "msd-view/src/Wire.hpp"
#include "msd-view/test/FakeSource.hpp"

namespace msd_view::test {
namespace {

template <class T>
T at(const std::string& bytes, std::size_t offset) {
  T value{};
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

TEST(Wire, posesHoldWhatThePageReads) {
  FakeSource source{3, 7};
  const FramePointer frame = source.frame(5);
  const std::string bytes = encodePoses(*frame, *source.scene(), {.first = 0, .last = 7});
  ASSERT_EQ(bytes.size(), 88u + 4 * 28);
  EXPECT_EQ(at<std::uint32_t>(bytes, 0), 1u);
  EXPECT_EQ(at<std::uint32_t>(bytes, 4), 4u);
  EXPECT_EQ(at<double>(bytes, 8), 5.0);
  EXPECT_EQ(at<double>(bytes, 24), 7.0);
  EXPECT_EQ(at<double>(bytes, 40), frame->time);
  EXPECT_EQ(at<std::int32_t>(bytes, 56), -1);
  EXPECT_FLOAT_EQ(at<float>(bytes, 88 + 3 * 12 + 8), 2.5f);  // third cube's height
}

TEST(Wire, posesTellIslandAndSleep) {
  FakeSource source{2, 0};
  Frame frame = *source.frame(0);
  frame.bodies[1].island = 5;
  frame.bodies[2].island = 6;
  frame.bodies[2].isAwake = false;
  const std::string bytes = encodePoses(frame, *source.scene(), {});
  const std::size_t start = 88 + 3 * (12 + 8);
  EXPECT_EQ(at<std::uint32_t>(bytes, start + 4), 5u);
  EXPECT_EQ(at<std::uint32_t>(bytes, start + 8), 6u | 0x80000000u);  // the top bit: asleep
}

// 16 bits a component: the angle between what is sent and what was meant is below 1e-4 rad, a tenth
// of a pixel across a window. Measured: 4.1e-5.
TEST(Wire, quantisedOrientationsAreWithinATenThousandthRadian) {
  std::mt19937 random{7};
  std::normal_distribution<double> normal;
  FakeSource source{1, 0};
  double worst = 0.0;
  for (int i = 0; i < 1000; ++i) {
    Frame frame = *source.frame(0);
    msd_sim::Quaternion q{normal(random), normal(random), normal(random), normal(random)};
    q.normalize();
    frame.bodies[1].pose.orientation = q;
    const std::string bytes = encodePoses(frame, *source.scene(), {});
    const std::size_t start = 88 + 2 * 12 + 8;
    msd_sim::Quaternion sent;
    for (int k = 0; k < 4; ++k) {
      sent.coeffs()[k] = at<std::int16_t>(bytes, start + 2 * static_cast<std::size_t>(k)) / 32767.0;
    }
    sent.normalize();
    worst = std::max(worst, sent.angularDistance(q));
  }
  EXPECT_LT(worst, 1e-4);
}

TEST(Wire, sceneIsJsonFollowedByItsVertices) {
  FakeSource source;
  const std::string bytes = encodeScene(*source.scene());
  EXPECT_EQ(at<std::uint32_t>(bytes, 0), 4u);
  const auto length = at<std::uint32_t>(bytes, 4);
  EXPECT_EQ(length % 8, 0u);
  const auto scene = nlohmann::json::parse(bytes.substr(8, length));
  EXPECT_EQ(scene["bodies"].size(), 9u);
  EXPECT_EQ(scene["columns"].size(), kColumnCount);
  EXPECT_EQ(scene["shapes"][1]["halfExtents"][2], 0.5);
}

// The page plots columns by name: each holds the time of the stage it is named after.
TEST(StepRow, holdsTheTimeOfEachStageUnderItsName) {
  msd_sim::StepReport report;
  for (std::size_t i = 0; i < msd_sim::kStageCount; ++i) {
    report.stageSeconds[i] = 1.0 + static_cast<double>(i);
  }
  const SeriesRow row = RowMaker{}.make(report, 1, msd_sim::Method::kFast);
  for (std::size_t i = 0; i < msd_sim::kStageCount; ++i) {
    std::string name{msd_sim::stageName(static_cast<msd_sim::Stage>(i))};
    if (name == "islands") name = "islandTime";  // "islands" is their number
    const auto found = std::ranges::find(kColumnNames, name);
    ASSERT_NE(found, kColumnNames.end()) << name;
    EXPECT_EQ(row.values[static_cast<std::size_t>(found - kColumnNames.begin())], 1.0 + static_cast<double>(i)) << name;
  }
}

TEST(StepRow, saysHowGoodAStepWasAndWhy) {
  msd_sim::StepReport report;
  report.blame(msd_sim::StepFault::kTornJoint);
  report.certificate.velocityError = 1e-9;
  report.certificate.bilateralViolation = 2e-9;
  const SeriesRow row = RowMaker{}.make(report, 1, msd_sim::Method::kExact);
  EXPECT_EQ(row[Column::kStatus], 1.0);
  EXPECT_EQ(row[Column::kFaults], 2.0);
  EXPECT_EQ(row[Column::kVelocityError], 1e-9);
  EXPECT_EQ(row[Column::kBilateralViolation], 2e-9);
  EXPECT_EQ(kColumnNames[static_cast<std::size_t>(Column::kFaults)], "faults");
  EXPECT_EQ(kColumnNames[static_cast<std::size_t>(Column::kAudit)], "audit");
}

TEST(BodyReport, contactForcesOfAStackedCubeCarryItsWeight) {
  FakeSource source{5, 0};
  const FramePointer frame = source.frame(0);
  for (std::uint32_t cube = 1; cube <= 5; ++cube) {
    const ForceBalance balance = balanceOf(*frame, *source.scene(), cube);
    EXPECT_NEAR(balance.contacts.z(), 9810.0, 0.01);
    EXPECT_NEAR(balance.sum().norm(), 0.0, 0.01);
  }
  const auto report = nlohmann::json::parse(bodyReport(*frame, *source.scene(), 2));
  EXPECT_EQ(report["contacts"].size(), 8u);
  EXPECT_EQ(report["name"], "cube 2");
}

// A joint's force is that on its body B; body A feels the opposite, one by one and in the sum.
TEST(BodyReport, jointPullsItsBodiesTheOppositeWay) {
  FakeSource source{2, 0};
  SceneInfo scene = *source.scene();
  scene.joints.push_back({.name = "rod", .bodyA = 1, .bodyB = 2});
  Frame frame = *source.frame(0);
  frame.joints.push_back({.force = {3.0, 0.0, 0.0}});
  for (const std::uint32_t body : {1u, 2u}) {
    const double sign = body == 2 ? 1.0 : -1.0;
    const auto report = nlohmann::json::parse(bodyReport(frame, scene, body));
    ASSERT_EQ(report["joints"].size(), 1u);
    EXPECT_EQ(report["joints"][0]["force"][0], sign * 3.0);
    EXPECT_EQ(report["jointForce"][0], sign * 3.0);
  }
}

TEST(Bounds, ofATurnedBoxCylinderAndCapsuleAreTight) {
  const double eighth = std::numbers::pi / 4;
  const msd_sim::Pose pose{
      {1, 2, 3}, msd_sim::Quaternion{Eigen::AngleAxisd{eighth, Eigen::Vector3d::UnitY()}}};
  const double r = std::sqrt(0.5);
  const msd_sim::Aabb box = tightBounds(msd_assets::Box{{1, 1, 1}}, pose);
  EXPECT_NEAR(box.upper.x(), 1 + 2 * r, 1e-12);
  EXPECT_NEAR(box.upper.y(), 3.0, 1e-12);
  const msd_sim::Aabb cylinder = tightBounds(msd_assets::Cylinder{0.5, 2}, pose);
  EXPECT_NEAR(cylinder.upper.x(), 1 + 2 * r + 0.5 * r, 1e-12);
  EXPECT_NEAR(cylinder.lower.y(), 1.5, 1e-12);
  const msd_sim::Aabb capsule = tightBounds(msd_assets::Capsule{0.5, 2}, pose);
  EXPECT_NEAR(capsule.upper.z(), 3 + 2 * r + 0.5, 1e-12);
  EXPECT_TRUE(tightBounds(msd_assets::Plane{}, pose).isEmpty());
}

TEST(Control, drivesJointsAndLetsThemGo) {
  const auto drive = std::get<Drive>(parseControl(R"({"c":"drive","joint":3,"target":0.5})"));
  EXPECT_EQ(drive.joint, 3u);
  EXPECT_EQ(drive.target, 0.5);
  EXPECT_FALSE(std::get<Drive>(parseControl(R"({"c":"drive","joint":3,"target":null})")).target);
  EXPECT_THROW(static_cast<void>(parseControl(R"({"c":"drive","joint":-1,"target":0})")), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(parseControl(R"({"c":"drive","joint":1})")), std::invalid_argument);
}

TEST(Access, aTokenIsKeptForTheSamePortAndUser) {
  const ScratchFolder folder{"msd-token"};
  const char* before = std::getenv("XDG_RUNTIME_DIR");
  const std::string old = before == nullptr ? "" : before;
  setenv("XDG_RUNTIME_DIR", folder.path().c_str(), 1);
  const std::string token = keptToken(4711);
  EXPECT_EQ(keptToken(4711), token);
  EXPECT_NE(keptToken(4712), token);
  // A file that others could have written is not trusted.
  std::filesystem::permissions(folder.path() / "msd-view/token-4711", std::filesystem::perms{0644});
  EXPECT_NE(keptToken(4711), token);
  before == nullptr ? unsetenv("XDG_RUNTIME_DIR") : setenv("XDG_RUNTIME_DIR", old.c_str(), 1);
}

TEST(Control, readsWishesAndNamesWhatIsWrong) {
  EXPECT_EQ(std::get<Seek>(parseControl(R"({"c":"seek","index":12})")).index, 12u);
  EXPECT_EQ(std::get<SetSpeed>(parseControl(R"({"c":"speed","speed":0})")).speed, 0.0);
  const auto drag =
      std::get<Drag>(parseControl(R"({"c":"drag","body":3,"local":[0,0,1],"target":[1,2,3]})"));
  EXPECT_EQ(drag.target->target.z(), 3.0);
  for (const char* wrong : {R"({"c":"fly"})", R"({"c":"seek"})", R"({"c":"seek","index":-1})",
                            R"({"c":"drag","body":3,"local":[0,0],"target":[1,2,3]})",
                            R"({"c":"speed","speed":1e300})", "[]", "\xff\xfe"}) {
    EXPECT_THROW(static_cast<void>(parseControl(wrong)), std::invalid_argument) << wrong;
  }
}

TEST(Access, tokensDifferAndOnlyTheRightOnePasses) {
  const Access access{8765};
  EXPECT_NE(makeToken(), makeToken());
  EXPECT_EQ(access.token().size(), 24u);
  EXPECT_EQ(access.pathBelowToken("/" + access.token() + "/socket"), "/socket");
  EXPECT_TRUE(access.pathBelowToken("/" + access.token()).empty());
  EXPECT_TRUE(access.pathBelowToken("/" + std::string(24, 'A') + "/").empty());
  EXPECT_TRUE(access.isOurOrigin("http://localhost:8765"));
  EXPECT_FALSE(access.isOurOrigin("https://localhost:8765"));
  EXPECT_FALSE(access.isOurHost("127.0.0.1:8765.evil.example"));
}

TEST(RateLimit, letsThroughTheBurstAndThenTheRate) {
  RateLimit limit{10.0, 5.0};
  const auto start = RateLimit::Clock::now();
  int passed = 0;
  for (int i = 0; i < 100; ++i) passed += limit.allow(start);
  EXPECT_EQ(passed, 5);
  for (int i = 0; i < 100; ++i) passed += limit.allow(start + std::chrono::seconds{1});
  EXPECT_EQ(passed, 10);  // the burst is also the most that gathers
}

}  // namespace
}  // namespace msd_view::test
