#include "msd-record/test/RecordedRuns.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <span>
#include <stdexcept>

#include "msd-record/src/Reader.hpp"

namespace msd_record::test {

namespace fs = std::filesystem;

const char* const kYard = R"({"version": 1, "name": "yard", "dt": 0.01, "steps": 150,
  "shapes": {"floor": {"type": "box", "halfExtents": [10, 10, 1]},
             "cube": {"type": "box", "halfExtents": [0.5, 0.5, 0.5]},
             "ball": {"type": "sphere", "radius": 0.25},
             "door": {"type": "box", "halfExtents": [0.5, 0.05, 1]}},
  "bodies": [
    {"name": "floor", "shape": "floor", "static": true, "position": [0, 0, -1]},
    {"name": "box", "shape": "cube", "position": [0, 0, 0.5], "linearVelocity": [1, 0.2, 0]},
    {"name": "ball", "shape": "ball", "position": [3, 0, 2]},
    {"name": "door", "shape": "door", "position": [-3, 3, 3], "angularVelocity": [0, 0, 1]}],
  "joints": [{"name": "hinge", "type": "hinge", "bodyA": null, "bodyB": "door",
              "anchor": [-3.5, 3, 3], "axis": [0, 0, 1]}]})";

std::string pileScene(int count) {
  std::string json = R"({"version": 1, "name": "pile", "dt": 0.01, "steps": 100000,
  "shapes": {"floor": {"type": "box", "halfExtents": [20, 20, 1]},
             "cube": {"type": "box", "halfExtents": [0.25, 0.25, 0.25]}},
  "bodies": [{"name": "floor", "shape": "floor", "static": true, "position": [0, 0, -1]})";
  for (int i = 0; i < count; ++i) {
    json += fmt::format(R"(,
    {{"name": "cube{}", "shape": "cube", "position": [{}, {}, {}]}})",
                        i, 0.6 * (i % 4) + 0.03 * (i % 3), 0.6 * (i / 4 % 4), 0.4 + 0.6 * (i / 16));
  }
  return json + "]}";
}

TemporaryFolder::TemporaryFolder() {
  // In memory, where there is some: waiting for a disk at every commit proves nothing more.
  const bool hasMemory = ::access("/dev/shm", W_OK) == 0;
  const fs::path place = hasMemory ? fs::path{"/dev/shm"} : fs::temp_directory_path();
  std::string name = (place / "msd record XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error{"cannot make " + name};
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

SceneRun::SceneRun(const std::string& json)
    : loaded{msd_scene::loadScene(std::as_bytes(std::span{json.data(), json.size()}), "test",
                                  msd_scene::noMeshes())},
      scene{msd_scene::buildWorld(loaded, {.hashEveryStep = true})} {}

bool SceneRun::advance(Recorder& recorder, int steps) {
  for (int i = 0; i < steps; ++i) {
    const msd_sim::StepReport report = scene.advance();
    if (!recorder.step(scene.world, report, 1e-3)) return false;
  }
  return true;
}

void SceneRun::advance(int steps) {
  for (int i = 0; i < steps; ++i) static_cast<void>(scene.advance());
}

RecordOptions eager(std::uint64_t steps, std::uint64_t every) {
  return {.every = every,
          .stepsAsked = steps,
          .version = "0.0.0",
          .build = "test",
          .commitSeconds = 0.0};
}

std::string record(const fs::path& path, const std::string& json, int steps, std::uint64_t every) {
  SceneRun run{json};
  Recorder recorder{path, run.loaded.document, run.scene,
                    eager(static_cast<std::uint64_t>(steps), every)};
  recorder.begin(run.scene.world);
  run.advance(recorder, steps);
  if (!recorder.finish(run.scene.world, "ok")) throw std::runtime_error{recorder.progress().error};
  return run.scene.world.stateHash().toString();
}

std::string hashAfter(const std::string& json, int steps) {
  SceneRun run{json};
  run.advance(steps);
  return run.scene.world.stateHash().toString();
}

std::string resumeUntil(const fs::path& path, std::uint64_t steps) {
  std::string json;
  std::optional<Reader::Snapshot> snapshot;
  std::uint64_t every = 1;
  {
    Reader reader{path};
    json = reader.sceneText();
    snapshot = reader.snapshot();
    every = reader.wholeFact("record_every");
  }
  SceneRun run{json};
  if (snapshot) run.scene.world.restore(snapshot->data);
  const auto recorder = Recorder::resume(path, run.scene, eager(steps, every));
  if (!snapshot) recorder->begin(run.scene.world);
  const std::uint64_t done = run.scene.world.stepCount();
  if (steps > done) run.advance(*recorder, static_cast<int>(steps - done));
  if (!recorder->finish(run.scene.world, "ok"))
    throw std::runtime_error{recorder->progress().error};
  return run.scene.world.stateHash().toString();
}

}  // namespace msd_record::test
