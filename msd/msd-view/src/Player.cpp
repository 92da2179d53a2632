#include "msd-view/src/Player.hpp"

#include <pthread.h>

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

namespace msd_view {

namespace {

using namespace std::chrono_literals;

/// Pictures a second at most.
constexpr auto kPictureTime = 1'000'000us / 60;
/// A simulation slower than asked for falls behind instead of catching up for ever [s].
constexpr double kMostOwed = 0.25;
/// A long way of single steps shows a picture this often.
constexpr auto kStepSlice = 50ms;

}  // namespace

Player::Player(std::unique_ptr<FrameSource> source, std::uint64_t startIndex, bool startPlaying,
               Sink sink)
    : source_{std::move(source)}, sink_{std::move(sink)}, is_playing_{startPlaying} {
  shown_ = source_->frame(startIndex);
  rows_ = source_->takeRows();  // here, where a damaged recording is still an error of the caller
  thread_ = std::jthread{[this](const std::stop_token& stop) { run(stop); }};
  pthread_setname_np(thread_.native_handle(), "msd-player");
}

Player::~Player() = default;

void Player::enqueue(Job job) {
  {
    const std::scoped_lock lock{mutex_};
    if (jobs_.size() >= kMostWaiting) return;
    jobs_.push_back(std::move(job));
  }
  wake_.notify_one();
}

void Player::post(Control control) {
  enqueue([this, control = std::move(control)] { apply(control); });
}

void Player::open(OpenSource open, Opened opened) {
  enqueue([this, open = std::move(open), opened = std::move(opened)] {
    std::string problem;
    try {
      replaceSource(open());
    } catch (const std::bad_alloc&) {
      problem = "out of memory";
    } catch (const std::exception& error) {
      problem = error.what();
    }
    opened(std::move(problem));
  });
}

void Player::setBoundsWanted(bool wanted) {
  enqueue([this, wanted] {
    bounds_wanted_ = wanted;
    source_->setBoundsWanted(wanted);
  });
}

/// Everything that can fail comes first: what fails leaves the old source as it was.
void Player::replaceSource(std::unique_ptr<FrameSource> source) {
  source->setBoundsWanted(bounds_wanted_);
  FramePointer first = source->frame(source->firstIndex());
  std::vector<SeriesRow> rows = source->takeRows();
  source_ = std::move(source);
  startScene(std::move(first), std::move(rows));
  is_playing_ = true;
}

void Player::startScene(FramePointer first, std::vector<SeriesRow> rows) noexcept {
  shown_ = std::move(first);
  rows_ = std::move(rows);
  ++scene_number_;
  is_ended_ = false;
  is_dirty_ = true;
  owed_ = 0.0;
  failure_.clear();
}

/// No exception ends the player's thread: what goes wrong is shown, and what was shown stays.
template <class Work>
void Player::guarded(Work&& work) noexcept {
  try {
    work();
  } catch (const std::bad_alloc&) {
    note("out of memory");
  } catch (const std::exception& error) {
    note(error.what());
  } catch (...) {
    note("an error of an unknown kind");
  }
}

void Player::note(const char* problem) noexcept {
  is_dirty_ = true;
  try {
    failure_ = problem;
  } catch (...) {
    failure_ = "out of memory";  // short enough to need none
  }
}

void Player::run(const std::stop_token& stop) {
  last_advance_ = Clock::now();
  while (!stop.stop_requested()) {
    std::deque<Job> jobs;
    {
      std::unique_lock lock{mutex_};
      if (!is_playing_ && !is_dirty_) {
        wake_.wait(lock, stop, [this] { return !jobs_.empty(); });
      } else if (jobs_.empty()) {
        const auto due = std::max(last_publish_ + kPictureTime, last_advance_ + 1ms);
        wake_.wait_until(lock, stop, due, [this] { return !jobs_.empty(); });
      }
      jobs.swap(jobs_);
    }
    for (const Job& job : jobs) {
      if (!stop.stop_requested()) guarded(job);
    }
    const Clock::time_point now = Clock::now();
    if (is_playing_) guarded([&] { advance(now); });
    last_advance_ = now;
    if (is_dirty_ && Clock::now() >= last_publish_ + kPictureTime) guarded([&] { publish(); });
  }
}

void Player::advance(Clock::time_point now) {
  const double elapsed = std::chrono::duration<double>(now - last_advance_).count();
  if (speed_ == 0.0) {
    const Clock::time_point deadline = now + kPictureTime;
    while (is_playing_ && Clock::now() < deadline && moveOn()) {
    }
    return;
  }
  owed_ = std::min(owed_ + elapsed * speed_, kMostOwed * std::max(speed_, 1.0));
  while (is_playing_) {
    const std::uint64_t next = shown_->index + 1;
    const double length =
        next <= source_->lastIndex() ? source_->timeOf(next) - shown_->time : source_->scene()->dt;
    if (owed_ < length || Clock::now() > now + 2 * kPictureTime) return;
    if (!moveOn()) return;
    owed_ -= length;
  }
}

/// To the next moment, simulating it where it does not exist yet.
bool Player::moveOn() {
  bool isThere = false;
  guarded([&] {
    if (shown_->index < source_->lastIndex() || source_->extend()) {
      show(shown_->index + 1);
      isThere = true;
    }
  });
  if (isThere) return true;
  is_playing_ = false;
  is_ended_ = true;
  is_dirty_ = true;
  return false;
}

void Player::show(std::uint64_t index) {
  shown_ = source_->frame(index);
  is_dirty_ = true;
}

void Player::stepBy(std::int64_t count) {
  is_playing_ = false;
  is_ended_ = false;
  if (count < 0) {
    const auto back = static_cast<std::uint64_t>(-count);
    show(shown_->index > back ? shown_->index - back : 0);
    return;
  }
  for (std::int64_t i = 0; i < count && moveOn(); ++i) {
    if (Clock::now() >= last_publish_ + kStepSlice) publish();
  }
}

void Player::apply(const Control& control) {
  is_dirty_ = true;
  failure_.clear();  // of the wish before
  if (std::holds_alternative<Play>(control)) {
    const bool isAtEnd = shown_->index >= source_->lastIndex() && !source_->canExtend();
    if (isAtEnd && source_->failure().empty()) show(source_->firstIndex());
    is_playing_ = true;
    is_ended_ = false;
    owed_ = 0.0;
  } else if (std::holds_alternative<Pause>(control)) {
    is_playing_ = false;
  } else if (std::holds_alternative<Restart>(control)) {
    source_->restart();
    source_->setBoundsWanted(bounds_wanted_);
    FramePointer first = source_->frame(source_->firstIndex());
    startScene(std::move(first), source_->takeRows());
  } else if (const auto* step = std::get_if<Step>(&control)) {
    stepBy(step->count);
  } else if (const auto* seek = std::get_if<Seek>(&control)) {
    is_ended_ = false;
    show(seek->index);
  } else if (const auto* speed = std::get_if<SetSpeed>(&control)) {
    speed_ = speed->speed;
    owed_ = 0.0;
  } else if (const auto* method = std::get_if<SetMethod>(&control)) {
    source_->setMethod(method->method);
  } else if (const auto* drive = std::get_if<Drive>(&control)) {
    source_->setDrive(drive->joint, drive->target);
  } else if (const auto* drag = std::get_if<Drag>(&control)) {
    // The mouse acts on the present, not on what was.
    const bool isPresent = shown_->index >= source_->lastIndex();
    source_->setDrag(isPresent ? drag->target : std::nullopt);
  }
}

PlayState Player::state() const {
  return {.first = source_->firstIndex(),
          .last = source_->lastIndex(),
          .isPlaying = is_playing_,
          .isLive = source_->scene()->isLive,
          .isEnded = is_ended_,
          .speed = speed_,
          .method = source_->method(),
          .failure = failure_.empty() ? source_->failure() : failure_};
}

void Player::publish() {
  is_dirty_ = false;
  last_publish_ = Clock::now();
  std::vector<SeriesRow> made = source_->takeRows();
  rows_.insert(rows_.end(), made.begin(), made.end());
  Update update{.scene = source_->scene(),
                .sceneNumber = scene_number_,
                .frame = shown_,
                .state = state(),
                .newRows = {}};
  update.newRows.swap(rows_);
  sink_(std::move(update));
}

}  // namespace msd_view
