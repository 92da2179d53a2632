#include "msd-exe/src/RecordingInfo.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "msd-exe/src/Command.hpp"
#include "msd-exe/src/Console.hpp"
#include "msd-exe/src/Wording.hpp"
#include "msd-record/src/Reader.hpp"
#include "msd-sim/src/Diagnostics/FaultText.hpp"

namespace msd_exe {

namespace {

template <class... Args>
void line(std::string_view label, fmt::format_string<Args...> format, Args&&... args) {
  tell("{:<12} {}\n", label, fmt::format(format, std::forward<Args>(args)...));
}

std::string statusText(const std::string& status, const std::string& end, std::uint64_t done,
                       std::uint64_t asked) {
  if (status == "recording") {
    return fmt::format("not finished: being recorded, or killed; msd resume goes on from step {}",
                       done);
  }
  const std::string text = end.empty() || end == "completed" || end == status
                               ? status
                               : fmt::format("{}, {}", status, end);
  if (done < asked)
    return fmt::format("{} after {} of {} steps; msd resume goes on", text, done, asked);
  return text;
}

void describeSteps(msd_record::Reader& reader) {
  double wall = 0.0;
  double deepest = 0.0;
  double deepestTime = 0.0;
  msd_record::RecordedStep last;
  std::uint64_t count = 0;
  std::uint64_t degraded = 0;
  msd_sim::StepFaults faults;
  reader.forEachStep(1, [&](const msd_record::RecordedStep& step) {
    wall += step.wall;
    if (step.report.deepestPenetration > deepest) {
      deepest = step.report.deepestPenetration;
      deepestTime = step.report.time;
    }
    degraded += step.report.status == msd_sim::StepStatus::kDegraded ? 1 : 0;
    faults.add(step.report.faults);
    last = step;
    ++count;
    return true;
  });
  line("steps", "{} of {:.6g} s: {:.6g} s simulated in {:.3g} s", count, last.report.dt,
       last.report.time, wall);
  if (count == 0) return;
  if (degraded > 0) line("degraded", "{} of {}: {}", degraded, plural(count, "step", "steps"),
                         msd_sim::faultText(faults));
  line("contacts", "{} at the end, {} of {} bodies awake", last.report.contacts,
       last.report.awakeBodies, last.report.bodies);
  line("deepest", "penetration {:.4g} m at {:.4g} s", deepest, deepestTime);
  line("energy", "{:.6g} J kinetic, {:.6g} J potential at the end", last.report.energy.kinetic,
       last.report.energy.potential);
  line("hash", "{} at the end", last.report.hash.toString());
}

}  // namespace

int describeRecording(const std::string& path) {
  msd_record::Reader reader{path};
  std::error_code ignored;
  const auto bytes = std::filesystem::file_size(path, ignored);
  const auto bodies = reader.bodies();
  const auto moving =
      std::ranges::count_if(bodies, [](const auto& body) { return body.kind == "moving"; });
  line("recording", "{}: {}, {:.3g} MB", reader.fact("scene"),
       plural(static_cast<std::size_t>(reader.frameCount()), "frame", "frames"),
       1e-6 * static_cast<double>(bytes));
  line("status", "{}",
       statusText(reader.fact("status"), reader.fact("end"), reader.lastStep(), reader.wholeFact("steps_asked")));
  line("created", "{} by {}", reader.fact("created"), reader.fact("build"));
  line("bodies", "{} ({} moving), {} joints", bodies.size(), moving, reader.fact("joints"));
  line("frames", "one every {}", plural(reader.wholeFact("record_every"), "step", "steps"));
  describeSteps(reader);
  std::string settings;
  for (const msd_record::Fact& fact : reader.settings()) {
    settings += fmt::format("{}{} {}", settings.empty() ? "" : ", ", fact.name, fact.value);
    if (fact.unit != "-") settings += ' ' + fact.unit;
  }
  line("settings", "{}", settings);
  return kOk;
}

}  // namespace msd_exe
