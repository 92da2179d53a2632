// Whatever a source throws, the player goes on: it says what is wrong and keeps what it showed.
#include "msd-view/src/Player.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <condition_variable>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <new>
#include <set>
#include <stdexcept>

#include "msd-view/src/OpenFile.hpp"
#include "msd-view/src/ScratchFolder.hpp"
#include "msd-view/test/FakeSource.hpp"

namespace msd_view::test {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

/// A source of eight moments with faults in it, as a damaged recording has them.
class FaultySource final : public FrameSource {
 public:
  struct Faults {
    std::set<std::uint64_t> frames{};  ///< that cannot be read
    bool rows{false};
    bool method{false};
    bool restart{false};
    bool noMemory{false};  ///< what is thrown
  };
  explicit FaultySource(Faults faults, std::size_t cubes = 3)
      : faults_{std::move(faults)}, good_{cubes, 7} {}

  [[nodiscard]] std::shared_ptr<const SceneInfo> scene() const override { return good_.scene(); }
  [[nodiscard]] std::uint64_t firstIndex() const override { return 0; }
  [[nodiscard]] std::uint64_t lastIndex() const override { return 7; }
  [[nodiscard]] FramePointer frame(std::uint64_t index) override {
    fail(faults_.frames.contains(index), "frame does not match its checksum");
    return good_.frame(index);
  }
  [[nodiscard]] double timeOf(std::uint64_t index) const override { return good_.timeOf(index); }
  bool extend() override { return false; }
  [[nodiscard]] bool canExtend() const override { return false; }
  void restart() override { fail(faults_.restart, "no restart"); }
  [[nodiscard]] std::vector<SeriesRow> takeRows() override {
    fail(faults_.rows, "a step has an unknown status");
    return {};
  }
  [[nodiscard]] msd_sim::Method method() const override { return msd_sim::Method::kFast; }
  void setMethod(msd_sim::Method) override { fail(faults_.method, "exact mode cannot do this"); }
  void setDrag(const std::optional<DragTarget>&) override {}
  void setBoundsWanted(bool) override {}
  [[nodiscard]] std::string failure() const override { return {}; }

 private:
  void fail(bool isFault, const char* what) const {
    if (!isFault) return;
    if (faults_.noMemory) throw std::bad_alloc{};
    throw std::runtime_error{what};
  }
  Faults faults_;
  FakeSource good_;
};

/// A player, and what it published last.
class Watched {
 public:
  explicit Watched(FaultySource::Faults faults)
      : player_{std::make_unique<FaultySource>(std::move(faults)), 0, false, [this](Update update) {
                  const std::scoped_lock lock{mutex_};
                  last_ = std::move(update);
                  changed_.notify_all();
                }} {}

  Player& player() { return player_; }
  /// Waits for an update like this; whether one came.
  template <class Like>
  bool waitFor(const Like& like) {
    std::unique_lock lock{mutex_};
    return changed_.wait_for(lock, 20s, [&] { return last_.frame && like(last_); });
  }
  std::string failure() {
    const std::scoped_lock lock{mutex_};
    return last_.state.failure;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  Update last_{};
  Player player_;
};

TEST(Player, showsWhatASourceThrowsAndGoesOn) {
  for (const bool noMemory : {false, true}) {
    Watched watched{{.frames = {5}, .method = true, .restart = true, .noMemory = noMemory}};
    const auto failsWith = [&](const char* text) {
      const std::string expected = noMemory ? "out of memory" : text;
      return watched.waitFor(
          [&](const Update& u) { return u.state.failure.find(expected) != std::string::npos; });
    };
    watched.player().post(Seek{2});
    EXPECT_TRUE(watched.waitFor([](const Update& u) { return u.frame->index == 2; }));
    watched.player().post(Seek{5});
    EXPECT_TRUE(failsWith("checksum")) << watched.failure();
    EXPECT_TRUE(watched.waitFor([](const Update& u) { return u.frame->index == 2; }));
    watched.player().post(Seek{6});
    EXPECT_TRUE(watched.waitFor(
        [](const Update& u) { return u.frame->index == 6 && u.state.failure.empty(); }));
    watched.player().post(Step{-1});
    EXPECT_TRUE(failsWith("checksum")) << watched.failure();
    watched.player().post(SetMethod{msd_sim::Method::kExact});
    EXPECT_TRUE(failsWith("exact mode")) << watched.failure();
    watched.player().post(Restart{});
    EXPECT_TRUE(failsWith("no restart")) << watched.failure();
    watched.player().post(Seek{4});
    watched.player().post(Play{});  // into the moment that is damaged
    EXPECT_TRUE(failsWith("checksum")) << watched.failure();
    EXPECT_TRUE(watched.waitFor(
        [](const Update& u) { return u.frame->index == 4 && !u.state.isPlaying; }));
  }
}

TEST(Player, keepsWhatIsOpenWhereAnotherCannotBeOpened) {
  Watched watched{{}};
  watched.player().post(Seek{3});
  EXPECT_TRUE(watched.waitFor([](const Update& u) { return u.frame->index == 3; }));
  const auto open = [&](FaultySource::Faults faults) {
    std::mutex mutex;
    std::condition_variable done;
    std::optional<std::string> answer;
    watched.player().open([&] { return std::make_unique<FaultySource>(std::move(faults), 40); },
                          [&](std::string problem) {
                            const std::scoped_lock lock{mutex};
                            answer = std::move(problem);
                            done.notify_all();
                          });
    std::unique_lock lock{mutex};
    EXPECT_TRUE(done.wait_for(lock, 20s, [&] { return answer.has_value(); }));
    return answer.value_or("no answer");
  };
  // The first moment is damaged, or the figures are: neither is half opened.
  EXPECT_EQ(open({.frames = {0}}), "frame does not match its checksum");
  EXPECT_EQ(open({.rows = true}), "a step has an unknown status");
  EXPECT_EQ(open({.rows = true, .noMemory = true}), "out of memory");
  watched.player().post(Seek{2});
  EXPECT_TRUE(watched.waitFor([](const Update& u) {
    return u.frame->index == 2 && u.scene->bodies.size() == 4 && u.frame->bodies.size() == 4;
  }));
  EXPECT_EQ(open({}), "");
  EXPECT_TRUE(watched.waitFor([](const Update& u) {
    return u.scene->bodies.size() == 41 && u.frame->bodies.size() == 41;
  }));
}

TEST(Player, doesNotStartWithASourceThatIsDamaged) {
  EXPECT_THROW(Watched{{.rows = true}}, std::runtime_error);
}

/// The shipped demo runs in every method: its iron resists rolling, and nothing else does.
TEST(LiveView, showsTheDemoInEveryMethod) {
  const char* source = std::getenv("MSD_SOURCE_DIR");
  ASSERT_NE(source, nullptr) << "run through ctest";
  const auto demo = openFile(fs::path{source} / "scenes/demo.json", LiveOptions{});
  EXPECT_TRUE(demo->extend());
  demo->setMethod(msd_sim::Method::kExact);
  EXPECT_TRUE(demo->extend());
  EXPECT_EQ(demo->method(), msd_sim::Method::kExact);
  demo->restart();
  EXPECT_TRUE(demo->extend());
}

/// A hinge without a motor is held where the slider says, and swings again when it is let go.
TEST(LiveView, holdsAJointByHandAndReadsAnEditedFileAgain) {
  const ScratchFolder folder{"msd-live"};
  const fs::path file = folder.path() / "arm.json";
  const auto write = [&](const char* name) {
    std::ofstream{file} << R"({"version": 1, "name": ")" << name
                        << R"(", "shapes": {"s": {"type": "sphere", "radius": 0.1}},
"bodies": [{"name": "b", "shape": "s", "position": [1, 0, 0]}],
"joints": [{"type": "hinge", "name": "j", "bodyA": "world", "bodyB": "b", "anchor": [0, 0, 0], "axis": [0, 1, 0]}]})";
  };
  write("first");
  const auto source = openFile(file, {});
  source->setDrive(0, 0.5);
  for (int i = 0; i < 180; ++i) ASSERT_TRUE(source->extend());
  const JointFrame held = source->frame(180)->joints[0];
  EXPECT_NEAR(held.coordinate, 0.5, 1e-4);  // measured 2e-6
  EXPECT_EQ(held.target, 0.5f);
  source->setDrive(0, std::nullopt);
  for (int i = 0; i < 30; ++i) ASSERT_TRUE(source->extend());
  EXPECT_GT(std::fabs(source->frame(210)->joints[0].coordinate - 0.5f), 0.1f);
  EXPECT_TRUE(std::isnan(source->frame(210)->joints[0].target));
  source->setDrive(7, 1.0);  // no such joint

  write("second");
  source->restart();
  EXPECT_EQ(source->scene()->name, "second");
  std::ofstream{file} << "no scene";
  EXPECT_THROW(source->restart(), std::exception);
  EXPECT_EQ(source->scene()->name, "second");
  EXPECT_TRUE(source->extend());
}

TEST(ScratchFolder, ofADeadProcessIsRemovedByTheNextOne) {
  const std::string kind = "msd-test" + std::to_string(::getpid());
  fs::path left, locked;
  {
    const ScratchFolder living{kind};
    locked = living.path();
    left = fs::temp_directory_path() / (kind + "-dead00");
    fs::create_directory(left);
    fs::create_directory(left / "inside");
    const auto longAgo = fs::file_time_type::clock::now() - 1h;
    fs::last_write_time(left, longAgo);
    fs::last_write_time(locked, longAgo);
    const ScratchFolder next{kind};
    EXPECT_FALSE(fs::exists(left));
    EXPECT_TRUE(fs::exists(locked));  // its owner lives
    EXPECT_NE(next.path(), locked);
  }
  EXPECT_FALSE(fs::exists(locked));
}

}  // namespace
}  // namespace msd_view::test
