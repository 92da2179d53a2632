#include "msd-record/src/Verify.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "msd-record/src/CompareBeginnings.hpp"
#include "msd-record/src/CompareRows.hpp"
#include "msd-scene/src/BuildScene.hpp"

namespace msd_record {

namespace {

using msd_sim::StepReport;

/// Runs the scene and follows the recording.
class Verification {
 public:
  Verification(Reader& reader, const VerifyOptions& options)
      : reader_{reader},
        options_{options},
        bodies_{reader.bodies()},
        every_{std::max<std::uint64_t>(reader.wholeFact("record_every"), 1)},
        loaded_{reader.scene()},
        scene_{msd_scene::buildWorld(loaded_,
                                     {.threads = options.threads, .hashEveryStep = true})},
        capture_{scene_.world},
        numbers_{scene_.world},
        events_{reader.allEvents()} {}

  VerifyResult run() {
    frames_ = reader_.frameEntries();
    hasEvent_ = events_.next(event_);
    note(0, compareBeginnings(reader_, loaded_.document, scene_));
    if (!result_.difference && !frames_.empty()) compareFrames(0);
    if (!result_.difference) {
      reader_.forEachStep(1, [this](const RecordedStep& recorded) { return follow(recorded); });
    }
    if (!result_.difference && !isStopped_) compareEnd();
    return result_;
  }

 private:
  bool follow(const RecordedStep& recorded) {
    StepReport found = scene_.advance();
    if (!scene_.world.settings().hashEveryStep) found.hash = scene_.world.stateHash();
    note(found.step, compareReports(recorded.report, found, reader_.schema()));
    ++result_.steps;
    if (result_.difference) {
      nameBody();
      return false;
    }
    compareEvents(recorded.report.step);
    compareFrames(recorded.report.step);
    isStopped_ = options_.progress && !options_.progress(recorded.report.step);
    return !isStopped_ && !result_.difference;
  }

  void note(std::uint64_t step, const std::optional<Unlike>& unlike) {
    if (!unlike || result_.difference) return;
    Difference& d = result_.difference.emplace();
    d.step = step;
    d.quantity = unlike->quantity;
    d.recorded = unlike->recorded;
    d.found = unlike->found;
    if (unlike->body) nameBody(*unlike, step);
  }
  void note(std::uint64_t step, std::string quantity, std::string recorded, std::string found) {
    note(step, Unlike{.quantity = std::move(quantity),
                      .recorded = std::move(recorded),
                      .found = std::move(found)});
  }

  /// The events of a step: all of them, and no other.
  void compareEvents(std::uint64_t step) {
    const auto found = scene_.world.events();
    std::size_t count = 0;
    for (; hasEvent_ && event_.step == step && !result_.difference; ++count) {
      if (count < found.size()) {
        note(step, msd_record::compareEvents(event_, recordedEvent(found[count], step, numbers_)));
      }
      hasEvent_ = events_.next(event_);
    }
    if (count != found.size()) {
      note(step, "events", fmt::format("{}", count), fmt::format("{}", found.size()));
    }
  }

  /// The frames of a step: there is one where there should be, and it is the world's.
  void compareFrames(std::uint64_t step) {
    bool hasOne = false;
    for (; next_ < frames_.size() && frames_[next_].step == step && !result_.difference; ++next_) {
      compareFrame(reader_.frame(frames_[next_].frame));
      hasOne = true;
    }
    if (step % every_ == 0 && !hasOne) note(step, "frame", "missing", "there");
  }

  void compareFrame(const Frame& frame) {
    const std::uint64_t step = frame.entry.step;
    ++result_.frames;
    if (frame.entry.frame != static_cast<std::int64_t>(next_)) {
      note(step, "number of the frame", fmt::format("{}", frame.entry.frame),
           fmt::format("{}", next_));
    }
    if (!isSame(frame.entry.time, scene_.world.time())) {
      note(step, "time of the frame [s]", fmt::format("{}", frame.entry.time),
           fmt::format("{}", scene_.world.time()));
    }
    capture_.frame(scene_.world, captured_);
    note(step, compareStates(frame.states, captured_.states));
    rows_.assign(captured_.contacts, captured_.states, numbers_);
    const std::span<const ContactRow> contacts{frame.contacts};
    const auto active = static_cast<std::size_t>(frame.entry.contacts);
    note(step, compareContacts(contacts.first(active), rows_.active));
    note(step, compareContacts(contacts.subspan(active), rows_.resting));
    note(step, compareReactions(frame.reactions, captured_.reactions));
  }

  /// Nothing is missing at the end, and nothing is left over.
  void compareEnd() {
    const std::uint64_t last = scene_.world.stepCount();
    const std::string status = reader_.fact("status");
    const std::uint64_t asked = reader_.wholeFact("steps_asked");
    const bool isOld = reader_.schema() < 2;  // there, one word said both
    const bool isComplete = isOld ? status == "ok" : reader_.fact("end") == "completed";
    if (isComplete && last != asked) {
      note(last, "steps", fmt::format("{}", last), fmt::format("{} asked for", asked));
    }
    const auto snapshot = reader_.snapshot();
    const bool hasBegun = last > 0 || !frames_.empty();
    if (snapshot.has_value() != hasBegun) {
      note(last, "snapshot", snapshot ? "there" : "missing", hasBegun ? "there" : "missing");
    } else if (snapshot && snapshot->step != last) {
      note(last, "last step, by the snapshot", fmt::format("{}", snapshot->step),
           fmt::format("{}", last));
    } else if (snapshot && snapshot->data != scene_.world.snapshot()) {
      note(last, "snapshot", "other bytes", "those of the last step");
    }
    if (next_ < frames_.size()) {
      note(last, "frames after the last step", fmt::format("{}", frames_.size() - next_), "0");
    }
    const bool isClosed = status != "recording";
    if (isClosed && hasBegun && (frames_.empty() || frames_.back().step != last)) {
      note(last, "frame of the last step", "missing", "there");
    }
    if (hasEvent_) note(last, "events", fmt::format("one of step {}", event_.step), "none");
  }

  /// Says which body a difference belongs to.
  void nameBody(const Unlike& unlike, std::uint64_t step) {
    Difference& d = *result_.difference;
    d.body = *unlike.body < bodies_.size() ? bodies_[*unlike.body].name
                                           : fmt::format("{}", *unlike.body);
    d.bodyStep = step;
    d.bodyQuantity = unlike.quantity;
    d.bodyRecorded = unlike.recorded;
    d.bodyFound = unlike.found;
    const double off = unlike.foundNumber - unlike.recordedNumber;
    if (off != 0.0) d.bodyOff = fmt::format(" (off by {:.3g})", off);
    if (d.step == step && d.quantity == unlike.quantity) d.quantity = "state";
  }

  /// Goes on to the next recorded frame, where bodies can be compared.
  void nameBody() {
    while (next_ < frames_.size() && frames_[next_].step < scene_.world.stepCount()) ++next_;
    if (next_ == frames_.size()) return;
    while (scene_.world.stepCount() < frames_[next_].step) {
      if (scene_.advance().status == msd_sim::StepStatus::kFailed) return;
    }
    const Frame frame = reader_.frame(frames_[next_].frame);
    capture_.frame(scene_.world, captured_);
    const auto unlike = compareStates(frame.states, captured_.states);
    if (unlike && unlike->body) nameBody(*unlike, frame.entry.step);
  }

  Reader& reader_;
  const VerifyOptions& options_;
  std::vector<RecordedBody> bodies_;
  std::uint64_t every_;
  msd_scene::LoadedScene loaded_;
  msd_scene::SceneWorld scene_;
  Capture capture_;
  BodyNumbers numbers_;
  EventCursor events_;
  RecordedEvent event_{};
  bool hasEvent_{false};
  bool isStopped_{false};
  std::vector<FrameEntry> frames_{};
  std::size_t next_{0};
  CapturedStep captured_{};
  ContactRows rows_{};
  VerifyResult result_{};
};

}  // namespace

VerifyResult verify(Reader& reader, const VerifyOptions& options) {
  return Verification{reader, options}.run();
}

std::string describe(const Difference& d) {
  std::string text = fmt::format("step {} differs: {}", d.step, d.quantity);
  const bool isOfBody = d.quantity == "state" && !d.body.empty();  // then the body says it
  if (!isOfBody) text += fmt::format(" was {}, is {}", d.recorded, d.found);
  if (d.body.empty()) return text;
  const std::string place =
      d.bodyStep == d.step ? std::string{"there"} : fmt::format("at step {}", d.bodyStep);
  return text + fmt::format("; body \"{}\" {}: {} was {}, is {}{}", d.body, place, d.bodyQuantity,
                            d.bodyRecorded, d.bodyFound, d.bodyOff);
}

}  // namespace msd_record
