#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include "msd-exe/src/Command.hpp"
#include "msd-exe/src/Console.hpp"
#include "msd-exe/src/Interrupt.hpp"
#include "msd-exe/src/OptionChecks.hpp"
#include "msd-view/src/Bundle.hpp"
#include "msd-view/src/OpenFile.hpp"
#include "msd-view/src/SceneCatalog.hpp"
#include "msd-view/src/ViewServer.hpp"

namespace msd_exe {

namespace {

struct ViewOptions {
  std::string file{};
  int port{msd_view::ServerOptions::kDefaultPort};
  bool paused{false};
  int threads{0};
  std::string method{};
  std::uint64_t historyMegabytes{512};
};

msd_view::LiveOptions liveOptions(const ViewOptions& options) {
  msd_view::LiveOptions live{.historyBytes = options.historyMegabytes << 20};
  live.overrides.threads = options.threads;
  if (!options.method.empty()) {
    live.overrides.method =
        msd_sim::methodFromName(options.method).value_or(msd_sim::Method::kFast);
  }
  return live;
}

/// Without a file, the demo scene of those that come with the tool.
std::filesystem::path fileToShow(const std::string& asked, const std::filesystem::path& scenes) {
  if (!asked.empty()) return asked;
  const std::filesystem::path demo = scenes / "demo.json";
  if (scenes.empty() || !std::filesystem::exists(demo)) {
    throw UsageError{
        "the shipped scenes were not found; name a scene or a recording: msd view SCENE"};
  }
  return demo;
}

int view(const ViewOptions& options) {
  msd_view::ServerOptions server{.port = static_cast<std::uint16_t>(options.port),
                                 .startPlaying = !options.paused,
                                 .scenes = msd_view::findShippedScenes(),
                                 .live = liveOptions(options),
                                 .keepsToken = true};
  const std::filesystem::path file = fileToShow(options.file, server.scenes);
  auto source = msd_view::openFile(file, server.live);
  const InterruptGuard guard;
  try {
    const msd_view::ViewServer running{std::move(source), server};
    tell("{}\n", running.url());
    if (!msd_view::isPageBuilt()) {
      tell("This msd was built without its page (npm was missing); the address says more.\n");
    }
    tell("Showing {}. Open the address in a browser on this machine; Ctrl-C ends.\n",
               file.string());
    std::fflush(stdout);
    while (!InterruptGuard::isRequested()) {
      std::this_thread::sleep_for(std::chrono::milliseconds{50});
    }
  } catch (const msd_view::ServerError& error) {
    throw UsageError{error.what()};
  }
  return kOk;
}

}  // namespace

void addViewCommand(CLI::App& parser, Action& action) {
  const auto options = std::make_shared<ViewOptions>();
  parser.add_option("FILE", options->file,
                    "scene (JSON), simulated live, or recording (.db); without it the demo scene");
  parser.add_option("--port", options->port, "port on 127.0.0.1; 0 finds a free one")
      ->check(wholeNumber(0, 65535))
      ->type_name("P")
      ->capture_default_str();
  parser.add_flag("--paused", options->paused, "wait for the play button");
  parser.add_option("--method", options->method, "fast, exact or reference, instead of the scene's")
      ->check(oneOf({"fast", "exact", "reference"}))
      ->type_name("NAME");
  parser.add_option("--threads", options->threads, "threads that share a step; 0: all cores (default)")
      ->check(wholeNumber(0, 1024))
      ->type_name("N")
      ->capture_default_str();
  parser
      .add_option("--history", options->historyMegabytes,
                  "memory for moments to scrub back to [MB]")
      ->check(wholeNumber(1, 1 << 20))
      ->type_name("MB")
      ->capture_default_str();
  parser.callback([options, &action] { action = [options] { return view(*options); }; });
}

}  // namespace msd_exe
