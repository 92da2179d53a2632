// What goes into a recording comes out of it, bit for bit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <thread>

#include "msd-record/src/Reader.hpp"
#include "msd-record/src/Recorder.hpp"
#include "msd-record/test/RecordedRuns.hpp"

namespace msd_record::test {
namespace {

using testing::ElementsAre;

std::uint64_t bits(double value) {
  return std::bit_cast<std::uint64_t>(value);
}

void expectSameVector(const Vector3D& a, const Vector3D& b) {
  for (int k = 0; k < 3; ++k) EXPECT_EQ(bits(a[k]), bits(b[k]));
}

/// What the world says of itself, without the recorder's help.
void expectFrameIsTheWorld(const Frame& frame, const msd_scene::SceneWorld& scene) {
  const msd_sim::WorldModel& world = scene.world;
  EXPECT_EQ(frame.entry.step, world.stepCount());
  EXPECT_EQ(bits(frame.entry.time), bits(world.time()));
  std::size_t row = 0;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const msd_sim::BodyId id = scene.bodies[i];
    if (world.isEnvironment(id)) continue;
    ASSERT_LT(row, frame.states.size());
    const BodyState& state = frame.states[row++];
    EXPECT_EQ(state.body, i);
    const msd_sim::Pose& pose = world.asset(id).pose();
    expectSameVector(state.position(), pose.position);
    EXPECT_EQ(bits(state.orientation().w()), bits(pose.orientation.w()));
    expectSameVector(state.orientation().vec(), pose.orientation.vec());
    expectSameVector(state.velocity(), world.frameVelocity(id));
    expectSameVector(state.angularVelocity(),
                     world.inertial(id).getInertialState().angularVelocity);
    EXPECT_EQ(state.awake != 0, world.isAwake(id));
    EXPECT_EQ(state.island, world.island(id));
  }
  EXPECT_EQ(row, frame.states.size());
  std::size_t contact = 0;
  const auto isAwake = [&](msd_sim::BodyId id) {
    return !world.isEnvironment(id) && world.isAwake(id);
  };
  std::vector<msd_sim::ContactRecord> expected;  // those with a body awake first
  for (const bool resting : {false, true}) {
    for (const msd_sim::ContactRecord& c : world.contacts()) {
      if (c.state == msd_sim::ContactState::kOpen) continue;
      if (resting != (isAwake(c.bodyA) || isAwake(c.bodyB))) expected.push_back(c);
    }
  }
  for (const msd_sim::ContactRecord& c : expected) {
    ASSERT_LT(contact, frame.contacts.size());
    const ContactRow& r = frame.contacts[contact++];
    EXPECT_EQ(scene.bodies[r.bodyA], c.bodyA);
    EXPECT_EQ(scene.bodies[r.bodyB], c.bodyB);
    expectSameVector(r.point(), c.point);
    expectSameVector(r.normal(), c.normal);
    EXPECT_EQ(bits(r.gap()), bits(c.gap));
    expectSameVector(r.forceOnB(), c.forceOnB);
    expectSameVector(r.slip(), c.slip);
    EXPECT_EQ(bits(r.friction()), bits(c.friction));
    EXPECT_EQ(r.isSlipping(), c.state == msd_sim::ContactState::kSlip);
    EXPECT_EQ(r.feature, c.feature);
  }
  EXPECT_EQ(contact, frame.contacts.size());
  ASSERT_EQ(frame.reactions.size(), scene.joints.size());
  for (std::size_t i = 0; i < scene.joints.size(); ++i) {
    const msd_sim::JointReaction reaction = world.jointReaction(scene.joints[i]);
    expectSameVector(frame.reactions[i].force(), reaction.force);
    expectSameVector(frame.reactions[i].torque(), reaction.torque);
    EXPECT_EQ(bits(frame.reactions[i].coordinate()), bits(world.jointCoordinate(scene.joints[i])));
  }
}

TEST(Recording, givesEveryFrameBackBitForBit) {
  const TemporaryFolder folder;
  record(folder / "yard.db", kYard, 120);
  Reader reader{folder / "yard.db"};
  ASSERT_EQ(reader.frameCount(), 121);
  SceneRun run{kYard};
  for (std::int64_t i = 0; i < 121; ++i) {
    expectFrameIsTheWorld(reader.frame(i), run.scene);
    if (HasFailure()) FAIL() << "in frame " << i;
    run.advance(1);
  }
}

TEST(Recording, givesEveryReportBackBitForBit) {
  const TemporaryFolder folder;
  record(folder / "yard.db", kYard, 100, 7);
  Reader reader{folder / "yard.db"};
  ASSERT_EQ(reader.lastStep(), 100u);
  SceneRun run{kYard};
  std::uint64_t count = 0;
  reader.forEachStep(1, [&](const RecordedStep& step) {
    const msd_sim::StepReport now = run.scene.advance();
    const msd_sim::StepReport& then = step.report;
    EXPECT_EQ(then.step, ++count);
    EXPECT_EQ(then.hash, now.hash);
    EXPECT_EQ(then.hash, run.scene.world.stateHash());
    EXPECT_EQ(std::tie(then.contacts, then.islands, then.iterations, then.pairs),
              std::tie(now.contacts, now.islands, now.iterations, now.pairs));
    EXPECT_EQ(bits(then.energy.kinetic), bits(now.energy.kinetic));
    EXPECT_EQ(bits(then.energy.frictionWork), bits(now.energy.frictionWork));
    EXPECT_EQ(bits(then.energy.closure()), bits(now.energy.closure()));
    EXPECT_EQ(bits(then.deepestPenetration), bits(now.deepestPenetration));
    EXPECT_TRUE(std::isnan(then.certificate.naturalMap));  // not computed in fast mode
    EXPECT_EQ(step.wall, 1e-3);
    return true;
  });
  EXPECT_EQ(count, 100u);
}

TEST(Recording, hasTheFirstEveryNthAndTheLastStep) {
  const TemporaryFolder folder;
  record(folder / "a.db", kYard, 25, 10);
  Reader reader{folder / "a.db"};
  std::vector<std::uint64_t> steps;
  for (const FrameEntry& entry : reader.frameEntries()) steps.push_back(entry.step);
  EXPECT_THAT(steps, ElementsAre(0u, 10u, 20u, 25u));
  EXPECT_EQ(reader.lastStep(), 25u);
  EXPECT_EQ(reader.frameAt(-1.0), 0);
  EXPECT_EQ(reader.frameAt(0.15), 1);
  EXPECT_EQ(reader.frameAt(99.0), 3);
  EXPECT_EQ(reader.fact("status"), "ok");
}

TEST(Recording, keepsEventsOfEveryStep) {
  const TemporaryFolder folder;
  record(folder / "a.db", kYard, 80, 50);
  Reader reader{folder / "a.db"};
  SceneRun run{kYard};
  std::size_t count = 0;
  for (int i = 0; i < 80; ++i) {
    run.advance(1);
    count += run.scene.world.events().size();
  }
  const auto events = reader.events(1, 80);
  EXPECT_EQ(events.size(), count);
  ASSERT_GT(count, 0u);
  EXPECT_TRUE(std::ranges::any_of(events, [](const auto& e) { return e.kind == "hit"; }));
}

TEST(Recording, followsABodyThroughAllFrames) {
  const TemporaryFolder folder;
  record(folder / "a.db", kYard, 30);
  Reader reader{folder / "a.db"};
  const auto points = reader.trajectory("ball");
  ASSERT_EQ(points.size(), 31u);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Frame frame = reader.frame(static_cast<std::int64_t>(i));
    EXPECT_EQ(std::memcmp(&points[i].state, &frame.states[1], sizeof(BodyState)), 0);
    EXPECT_EQ(points[i].time, frame.entry.time);
  }
}

TEST(Recording, sharesRowsOfFramesInWhichNothingChanges) {
  const TemporaryFolder folder;
  const std::string still = R"({"version": 1, "name": "still", "dt": 0.01, "gravity": [0, 0, 0],
    "solver": {"sleeping": false}, "shapes": {"ball": {"type": "sphere", "radius": 1}},
    "bodies": [{"name": "ball", "shape": "ball"}]})";
  record(folder / "a.db", still, 50);
  Reader reader{folder / "a.db"};
  const auto entries = reader.frameEntries();
  ASSERT_EQ(entries.size(), 51u);
  EXPECT_EQ(entries[2].firstState, entries[50].firstState);
  EXPECT_EQ(reader.frame(50).states.size(), 1u);
}

/// The box of the yard falls asleep while the door swings on.
TEST(Recording, sharesContactsBetweenBodiesThatSleep) {
  const TemporaryFolder folder;
  record(folder / "a.db", kYard, 150);
  Reader reader{folder / "a.db"};
  const Frame earlier = reader.frame(130);
  const Frame last = reader.frame(150);
  EXPECT_NE(earlier.entry.firstState, last.entry.firstState);
  ASSERT_GT(last.entry.resting, 0);
  EXPECT_EQ(earlier.entry.firstResting, last.entry.firstResting);
  EXPECT_GE(last.contacts.size(), static_cast<std::size_t>(last.entry.resting));
}

/// Numbers that databases like to lose. The rows of a frame are written and read alone.
TEST(Recording, keepsNegativeZeroInfinityAndTheSmallestNumbers) {
  const TemporaryFolder folder;
  record(folder / "a.db", kYard, 1);
  BodyState row{.body = 3, .island = BodyState::kNoIsland, .awake = 1};
  row.numbers = {-0.0,
                 0.0,
                 5.0,
                 1e300,
                 -5e-324,
                 std::numeric_limits<double>::infinity(),
                 -std::numeric_limits<double>::infinity(),
                 0.1,
                 1.0 / 3.0,
                 -1.0,
                 9007199254740993.0,
                 std::numeric_limits<double>::quiet_NaN(),
                 4503599627370497.5};
  {
    Database database{(folder / "a.db").string(), OpenMode::kWrite};
    RowFeed feed{database, "body_state_data", emitBodyState};
    const std::int64_t id = feed.insert(&row, 1);
    database.execute("UPDATE frames SET states = 1, first_state = " + std::to_string(id) +
                     ", checksum = " + std::to_string(checksum({&row, 1}, {}, {}, {})) +
                     ", contacts = 0, resting = 0, reactions = 0 WHERE frame = 1");
  }
  Reader reader{folder / "a.db"};
  const Frame frame = reader.frame(1);
  ASSERT_EQ(frame.states.size(), 1u);
  for (std::size_t i = 0; i < row.numbers.size(); ++i) {
    if (std::isnan(row.numbers[i])) {
      EXPECT_TRUE(std::isnan(frame.states[0].numbers[i]));
    } else {
      EXPECT_EQ(bits(frame.states[0].numbers[i]), bits(row.numbers[i])) << i;
    }
  }
}

TEST(Recording, resumesBitForBit) {
  const TemporaryFolder folder;
  record(folder / "a.db", kYard, 70, 3);
  EXPECT_EQ(resumeUntil(folder / "a.db", 150), hashAfter(kYard, 150));
  Reader reader{folder / "a.db"};
  EXPECT_EQ(reader.lastStep(), 150u);
  EXPECT_EQ(reader.snapshot()->step, 150u);
  std::uint64_t expected = 0;
  reader.forEachStep(1, [&](const RecordedStep& step) {
    EXPECT_EQ(step.report.step, ++expected);
    return true;
  });
}

TEST(Recording, waitsForTheDiskWhenTheQueueIsFull) {
  const TemporaryFolder folder;
  SceneRun run{pileScene(32)};
  RecordOptions options = eager(40);
  options.queueBytes = 1;  // one step at a time
  Recorder recorder{folder / "a.db", run.loaded.document, run.scene, options};
  recorder.begin(run.scene.world);
  EXPECT_TRUE(run.advance(recorder, 40));
  EXPECT_TRUE(recorder.finish(run.scene.world, "ok"));
  EXPECT_EQ(Reader{folder / "a.db"}.frameCount(), 41);
}

TEST(Recording, isOneFileWhenItIsFinished) {
  const TemporaryFolder folder;
  record(folder / "a.db", kYard, 20);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator{folder.path()}, {}), 1);
}

TEST(Recording, canBeReadWhileItIsWritten) {
  const TemporaryFolder folder;
  SceneRun run{kYard};
  Recorder recorder{folder / "a.db", run.loaded.document, run.scene, eager(100)};
  recorder.begin(run.scene.world);
  run.advance(recorder, 50);
  Reader reader{folder / "a.db"};
  while (recorder.progress().committedStep < 50) std::this_thread::yield();
  EXPECT_EQ(reader.lastStep(), 50u);
  EXPECT_EQ(reader.fact("status"), "recording");
  run.advance(recorder, 50);
  while (recorder.progress().committedStep < 100) std::this_thread::yield();
  EXPECT_EQ(reader.frameCount(), 101);
}

}  // namespace
}  // namespace msd_record::test
