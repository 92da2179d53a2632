#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "msd-exe/src/Command.hpp"
#include "msd-exe/src/Console.hpp"
#include "msd-exe/src/Interrupt.hpp"
#include "msd-exe/src/OptionChecks.hpp"
#include "msd-exe/src/Version.hpp"
#include "msd-exe/src/Wording.hpp"
#include "msd-record/src/Verify.hpp"

namespace msd_exe {

namespace {

struct VerifyChoices {
  std::string recording{};
  int threads{0};
  bool quiet{false};
};

int verifyRecording(const VerifyChoices& choices) {
  msd_record::Reader reader{choices.recording};
  const std::string recordedBy = reader.fact("build");
  const InterruptGuard guard;
  const msd_record::VerifyResult result = msd_record::verify(
      reader, {.threads = choices.threads,
               .progress = [](std::uint64_t) { return !InterruptGuard::isRequested(); }});
  if (InterruptGuard::isRequested()) return InterruptGuard::exitCode();
  if (result.difference) {
    complain("{}: {}{}", choices.recording,
               msd_record::describe(*result.difference),
               recordedBy == versionText()
                   ? std::string{}
                   : fmt::format("; it was recorded by {}, this is {}", recordedBy, versionText()));
    return kSimulationFailed;
  }
  if (!choices.quiet) {
    tell("{}: {} and {} simulated again, every bit the same\n", choices.recording,
               plural(result.steps, "step", "steps"), plural(result.frames, "frame", "frames"));
  }
  return kOk;
}

}  // namespace

void addVerifyCommand(CLI::App& parser, Action& action) {
  const auto choices = std::make_shared<VerifyChoices>();
  parser.add_option("RECORDING", choices->recording, "recording (.db)")->required();
  parser
      .add_option("--threads", choices->threads,
                  "threads that share a step; 0: all cores (default)")
      ->check(wholeNumber(0, 1024))
      ->type_name("N");
  parser.add_flag("--quiet", choices->quiet, "print nothing but errors");
  parser.callback([choices, &action] { action = [choices] { return verifyRecording(*choices); }; });
}

}  // namespace msd_exe
