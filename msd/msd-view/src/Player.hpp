#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "msd-view/src/Control.hpp"
#include "msd-view/src/FrameSource.hpp"
#include "msd-view/src/Wire.hpp"

namespace msd_view {

/// What the player has to show, at most 60 times a second.
struct Update {
  std::shared_ptr<const SceneInfo> scene{};
  std::uint64_t sceneNumber{0};  ///< grows when another scene is opened or the same is restarted
  FramePointer frame{};
  PlayState state{};
  std::vector<SeriesRow> newRows{};
};

/// Runs a source in a thread of its own, at the speed asked for, and publishes what there is to
/// see. Nothing that viewers do, or fail to do, holds it up.
class Player {
 public:
  using Sink = std::function<void(Update)>;
  using OpenSource = std::function<std::unique_ptr<FrameSource>()>;
  /// Told how opening went: an empty text, or what is wrong.
  using Opened = std::function<void(std::string)>;

  /// `sink` is called by the player's thread and must not block.
  Player(std::unique_ptr<FrameSource> source, std::uint64_t startIndex, bool startPlaying,
         Sink sink);
  ~Player();
  Player(const Player&) = delete;
  Player& operator=(const Player&) = delete;

  /// Any thread. Wishes beyond kMostWaiting are dropped: a page never needs that many.
  void post(Control control);
  /// Any thread: opens another source in the player's thread, keeping the old one if that fails.
  void open(OpenSource open, Opened opened);
  void setBoundsWanted(bool wanted);

 private:
  using Clock = std::chrono::steady_clock;
  using Job = std::function<void()>;
  static constexpr std::size_t kMostWaiting = 1024;

  void run(const std::stop_token& stop);
  void enqueue(Job job);
  void apply(const Control& control);
  void advance(Clock::time_point now);
  bool moveOn();
  void show(std::uint64_t index);
  void replaceSource(std::unique_ptr<FrameSource> source);
  void startScene(FramePointer first, std::vector<SeriesRow> rows) noexcept;
  template <class Work>
  void guarded(Work&& work) noexcept;
  void note(const char* problem) noexcept;
  void publish();
  void stepBy(std::int64_t count);
  [[nodiscard]] PlayState state() const;

  std::unique_ptr<FrameSource> source_;
  Sink sink_;
  std::uint64_t scene_number_{1};
  FramePointer shown_;
  bool is_playing_;
  bool is_ended_{false};
  bool is_dirty_{true};
  bool bounds_wanted_{false};
  double speed_{1.0};
  std::string failure_;           ///< what the source threw
  std::vector<SeriesRow> rows_;  ///< not yet published
  double owed_{0.0};     ///< simulated time that the wall clock is ahead [s]
  Clock::time_point last_advance_{};
  Clock::time_point last_publish_{};

  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::deque<Job> jobs_;
  std::jthread thread_;  ///< last: ends before what it uses goes
};

}  // namespace msd_view
