#include "msd-exe/src/TraceWriter.hpp"

#include <fmt/format.h>

#include <iterator>
#include <string>

#include "msd-sim/src/Environment/ThreadTimes.hpp"

namespace msd_exe {

void TraceWriter::begin(const msd_scene::SceneWorld& scene) {
  // The first entry names the track, so that every other one can start with a comma.
  file_.write(
      "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n"
      "{\"name\": \"thread_name\", \"ph\": \"M\", \"pid\": 1, \"tid\": 1, "
      "\"args\": {\"name\": \"steps\"}}");
  for (int thread = 0; thread < scene.world.threads() && scene.world.threads() > 1; ++thread) {
    file_.write(
        fmt::format(",\n{{\"name\": \"thread_name\", \"ph\": \"M\", \"pid\": 1, \"tid\": {}, "
                    "\"args\": {{\"name\": \"thread {}\"}}}}",
                    thread + 2, thread));
  }
}

void TraceWriter::step(const msd_scene::SceneWorld& scene, const msd_sim::StepReport& report,
                       double) {
  std::string text;
  const auto event = [&](std::string_view name, double start, double duration,
                         std::size_t track = 1) {
    fmt::format_to(std::back_inserter(text),
                   ",\n{{\"name\": \"{}\", \"ph\": \"X\", \"pid\": 1, \"tid\": {}, \"ts\": {:.3f}, "
                   "\"dur\": {:.3f}",
                   name, track, start, duration);
  };
  event("step", microseconds_, 1e6 * report.seconds());
  fmt::format_to(std::back_inserter(text),
                 ", \"args\": {{\"step\": {}, \"contacts\": {}, \"islands\": {}, \"awake\": {}}}}}",
                 report.step, report.contacts, report.islands, report.awakeBodies);
  for (std::size_t i = 0; i < report.stageSeconds.size(); ++i) {
    const double duration = 1e6 * report.stageSeconds[i];
    event(msd_sim::stageName(static_cast<msd_sim::Stage>(i)), microseconds_, duration);
    text += '}';
    // What each thread worked in the loops of the stage; the rest of the stage it waited, or one
    // worked alone.
    const msd_sim::ThreadTimes& times = msd_sim::threadTimes(scene.world);
    for (std::size_t thread = 0; thread < times.busy.size() && times.busy.size() > 1; ++thread) {
      event(msd_sim::stageName(static_cast<msd_sim::Stage>(i)), microseconds_,
            1e6 * times.busy[thread][i], thread + 2);
      fmt::format_to(std::back_inserter(text),
                     ", \"args\": {{\"loops\": {}, \"waited_us\": {:.3f}}}}}", times.loops[i],
                     1e6 * (times.shared[i] - times.busy[thread][i]));
    }
    microseconds_ += duration;
  }
  file_.write(text);
}

void TraceWriter::finish(const msd_scene::SceneWorld&) {
  file_.write("\n]}\n");
  file_.commit();
}

}  // namespace msd_exe
