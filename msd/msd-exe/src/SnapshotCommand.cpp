#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <chrono>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "msd-exe/src/Command.hpp"
#include "msd-exe/src/Console.hpp"
#include "msd-exe/src/OptionChecks.hpp"
#include "msd-exe/src/OutputFile.hpp"
#include "msd-view/src/Bundle.hpp"
#include "msd-view/src/Chromium.hpp"
#include "msd-view/src/OpenFile.hpp"
#include "msd-view/src/ViewServer.hpp"

namespace msd_exe {

namespace {

struct SnapshotOptions {
  std::string file{};
  double at{0.0};  ///< [s]
  std::string output{};
  std::string size{"1280x800"};
  std::string theme{"light"};
  std::vector<std::string> show{};
  std::string body{};
  std::vector<std::string> hide{};
  std::vector<double> trail{};  ///< [s]
  double arrows{1.0};
  bool panels{false};
};

struct Size {
  int width{0};
  int height{0};
};

Size parseSize(const std::string& text) {
  Size size;
  const char* end = text.data() + text.size();
  const auto [cross, first] = std::from_chars(text.data(), end, size.width);
  const bool hasCross = first == std::errc{} && cross != end && *cross == 'x';
  const auto rest = hasCross ? std::from_chars(cross + 1, end, size.height)
                             : std::from_chars_result{end, std::errc::invalid_argument};
  const bool isRight = rest.ec == std::errc{} && rest.ptr == end && size.width >= 64 &&
                       size.height >= 64 && size.width <= 7680 && size.height <= 7680;
  if (!isRight) {
    throw UsageError{
        fmt::format("--size: found \"{}\", expected WxH, each from 64 to 7680 [px]", text)};
  }
  return size;
}

/// Simulates (or seeks) to the moment nearest to a time; returns its number.
std::uint64_t reach(msd_view::FrameSource& source, double time) {
  const double half = 0.5 * source.scene()->dt;
  while (source.timeOf(source.lastIndex()) < time - half && source.extend()) {
  }
  if (!source.failure().empty()) throw std::runtime_error{source.failure()};
  std::uint64_t best = source.firstIndex();
  for (std::uint64_t i = source.firstIndex(); i <= source.lastIndex(); ++i) {
    if (std::abs(source.timeOf(i) - time) < std::abs(source.timeOf(best) - time)) best = i;
  }
  return best;
}

std::string addressOf(const SnapshotOptions& options, const std::string& url,
                      const std::vector<int>& hidden) {
  std::string address =
      fmt::format("{}?theme={}&arrows={}&show=", url, options.theme, options.arrows);
  for (const std::string& overlay : options.show) address += overlay + ",";
  if (!hidden.empty()) address += fmt::format("&hide={}", fmt::join(hidden, ","));
  if (!options.panels) address += "&bare";
  return address;
}

int findBody(const msd_view::SceneInfo& scene, const std::string& name, const char* option) {
  if (name.empty()) return -1;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    if (scene.bodies[i].name == name) return static_cast<int>(i);
  }
  throw UsageError{fmt::format("{}: the scene has no body \"{}\"", option, name)};
}

int snapshot(const SnapshotOptions& options) {
  const Size size = parseSize(options.size);
  const auto chromium = msd_view::findChromium();
  if (!chromium) {
    throw UsageError{
        "a picture needs Chromium, which was not found (Debian: apt-get install chromium; or set "
        "MSD_CHROMIUM to its path)"};
  }
  if (!msd_view::isPageBuilt()) {
    throw UsageError{"a picture needs the page of the view, and this msd was built without it"};
  }
  auto source = msd_view::openFile(options.file, {});
  const int body = findBody(*source->scene(), options.body, "--body");
  std::vector<int> hidden;
  for (const std::string& name : options.hide)
    hidden.push_back(findBody(*source->scene(), name, "--hide"));
  OutputFile output{options.output};
  std::vector<std::uint64_t> trail;
  for (const double moment : options.trail) trail.push_back(reach(*source, moment));
  const std::uint64_t index = reach(*source, options.at);
  const double time = source->timeOf(index);
  const msd_view::ViewServer server{std::move(source),
                                    {.port = 0, .startPlaying = false, .startIndex = index}};
  msd_view::Chromium browser{*chromium};
  browser.open(addressOf(options, server.url(), hidden), size.width, size.height);
  for (const std::uint64_t moment : trail) {
    browser.waitFor(fmt::format("window.msd && window.msd.keepTrace({})", moment),
                    std::chrono::seconds{60});
  }
  browser.waitFor(fmt::format("window.msd && window.msd.prepareSnapshot({}, {})", index, body),
                  std::chrono::seconds{60});
  output.write(browser.screenshot());
  output.commit();
  tell("{}: {} at {:.3f} s, {} x {} px\n", options.output, options.file, time, size.width,
             size.height);
  return kOk;
}

int snapshotOrSayWhy(const SnapshotOptions& options) {
  try {
    return snapshot(options);
  } catch (const msd_view::ServerError& error) {
    throw UsageError{error.what()};
  }
}

}  // namespace

void addSnapshotCommand(CLI::App& parser, Action& action) {
  const auto options = std::make_shared<SnapshotOptions>();
  parser.add_option("FILE", options->file, "scene (JSON) or recording (.db)")->required();
  parser.add_option("--at", options->at, "simulated time of the picture [s]")
      ->check(number(0.0, 1e6, "[s]"))
      ->type_name("S")
      ->capture_default_str();
  parser.add_option("-o,--out", options->output, "picture to write")
      ->required()
      ->type_name("OUT.png");
  parser.add_option("--size", options->size, "width and height [px]")
      ->type_name("WxH")
      ->capture_default_str();
  parser.add_option("--theme", options->theme, "light or dark")
      ->check(oneOf({"light", "dark"}))
      ->type_name("NAME")
      ->capture_default_str();
  parser
      .add_option("--show", options->show,
                  "what to draw over the bodies: points, forces, normals, penetration, cones, "
                  "bounds, joints, centres; colour by island, sleep or speed")
      ->delimiter(',')
      ->check(oneOf({"points", "forces", "normals", "penetration", "cones", "bounds", "joints",
                     "centres", "shape", "island", "sleep", "speed"}))
      ->type_name("WORD,...");
  parser.add_option("--body", options->body, "body to pick")->type_name("NAME");
  parser.add_option("--hide", options->hide, "bodies to leave out, e.g. a pane in front")
      ->delimiter(',')
      ->type_name("NAME,...");
  parser.add_option("--trail", options->trail, "other times, drawn pale in the same picture [s]")
      ->delimiter(',')
      ->check(number(0.0, 1e6, "[s]"))
      ->type_name("S,...");
  parser.add_option("--arrows", options->arrows, "length of force arrows, times the usual one")
      ->check(number(0.01, 100.0, ""))
      ->type_name("X")
      ->capture_default_str();
  parser.add_flag("--panels", options->panels, "the whole page instead of the picture alone");
  parser.callback(
      [options, &action] { action = [options] { return snapshotOrSayWhy(*options); }; });
}

}  // namespace msd_exe
