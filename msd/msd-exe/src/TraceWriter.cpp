#include "msd-exe/src/TraceWriter.hpp"

#include <fmt/format.h>

#include <iterator>
#include <string>

namespace msd_exe {

void TraceWriter::begin(const msd_scene::SceneWorld&) {
  // The first entry names the track, so that every other one can start with a comma.
  file_.write(
      "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n"
      "{\"name\": \"thread_name\", \"ph\": \"M\", \"pid\": 1, \"tid\": 1, "
      "\"args\": {\"name\": \"steps\"}}");
}

void TraceWriter::step(const msd_scene::SceneWorld&, const msd_sim::StepReport& report, double) {
  std::string text;
  const auto event = [&](std::string_view name, double start, double duration) {
    fmt::format_to(std::back_inserter(text),
                   ",\n{{\"name\": \"{}\", \"ph\": \"X\", \"pid\": 1, \"tid\": 1, \"ts\": {:.3f}, "
                   "\"dur\": {:.3f}",
                   name, start, duration);
  };
  event("step", microseconds_, 1e6 * report.seconds());
  fmt::format_to(std::back_inserter(text),
                 ", \"args\": {{\"step\": {}, \"contacts\": {}, \"islands\": {}, \"awake\": {}}}}}",
                 report.step, report.contacts, report.islands, report.awakeBodies);
  for (std::size_t i = 0; i < report.stageSeconds.size(); ++i) {
    const double duration = 1e6 * report.stageSeconds[i];
    event(msd_sim::stageName(static_cast<msd_sim::Stage>(i)), microseconds_, duration);
    text += '}';
    microseconds_ += duration;
  }
  file_.write(text);
}

void TraceWriter::finish(const msd_scene::SceneWorld&) {
  file_.write("\n]}\n");
  file_.commit();
}

}  // namespace msd_exe
