#include "RecordWatcher.hpp"

#include "msd-record/src/RecordError.hpp"

namespace msd_python {

std::shared_ptr<RecordWatcher> RecordWatcher::start(const std::shared_ptr<World>& world,
                                                    const std::filesystem::path& path,
                                                    std::uint64_t every, bool overwrite) {
  if (!world->isSceneIntact()) {
    throw std::invalid_argument(
        "the world is not as a scene made it; expected one from Scene.world() with its bodies and "
        "joints: a recording "
        "holds the scene it is of");
  }
  const WorldModel& model = world->model();
  auto recorder = std::make_unique<msd_record::Recorder>(
      path, world->scene()->document, world->sceneWorld(),
      msd_record::RecordOptions{.every = every,
                                .force = overwrite,
                                .version = MSD_VERSION,
                                .build = "msd " MSD_VERSION " (Python)"});
  recorder->begin(model);
  std::shared_ptr<RecordWatcher> watcher{new RecordWatcher{world, std::move(recorder)}};
  world->freeze(
      "the world is being recorded; expected no change of its bodies or joints before the recorder "
      "is closed");
  world->watch(watcher);
  return watcher;
}

RecordWatcher::~RecordWatcher() = default;

void RecordWatcher::stepped(const WorldModel& world, const StepReport& report, double seconds) {
  if (report.status == msd_sim::StepStatus::kFailed) return;
  recorder_->step(world, report, seconds);
}

RecordWatcher::Closing RecordWatcher::beginClose() {
  Closing closing;
  if (closed_) return closing;
  closing.world = world_.lock();
  if (closing.world) {
    closing.use.emplace(*closing.world);
    closing.use->unwatch(this);
    closing.world->freeze({});
  }
  closed_ = true;
  return closing;
}

void RecordWatcher::finish(const Closing& closing) {
  if (closing.use) recorder_->finish(closing.use->model(), "ok");
  if (const auto progress = recorder_->progress(); progress.failed)
    throw msd_record::RecordError(progress.error);
}

}  // namespace msd_python
