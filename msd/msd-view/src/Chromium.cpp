#include "msd-view/src/Chromium.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <system_error>
#include <thread>
#include <vector>

namespace msd_view {

namespace {

using nlohmann::json;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

/// Chromium reads commands from and writes answers to these when told to use a pipe.
constexpr int kCommandsIn = 3;
constexpr int kAnswersOut = 4;

std::string decodeBase64(std::string_view text) {
  constexpr std::string_view kBase64 =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::array<int, 256> value{};
  value.fill(-1);
  for (std::size_t i = 0; i < kBase64.size(); ++i) {
    value[static_cast<unsigned char>(kBase64[i])] = static_cast<int>(i);
  }
  std::string bytes;
  unsigned bits = 0;
  int count = 0;
  for (const char c : text) {
    const int six = value[static_cast<unsigned char>(c)];
    if (six < 0) continue;
    bits = (bits << 6) | static_cast<unsigned>(six);
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes += static_cast<char>((bits >> count) & 0xFFu);
    }
  }
  return bytes;
}

[[noreturn]] void failWith(std::string_view what) {
  throw BrowserError{fmt::format("{}: {}", what, std::generic_category().message(errno))};
}

/// In the child: puts the pipes in their places and becomes the browser. Only calls that are safe
/// between fork and exec.
[[noreturn]] void becomeBrowser(int commands, int answers, char* const* arguments) {
  // Both ends may lie where the other one has to go.
  const int in = fcntl(commands, F_DUPFD, 16);
  const int out = fcntl(answers, F_DUPFD, 16);
  dup2(in, kCommandsIn);
  dup2(out, kAnswersOut);
  const int nothing = ::open("/dev/null", O_RDWR);
  for (const int stream : {0, 1, 2}) dup2(nothing, stream);
  setpgid(0, 0);
  execv(arguments[0], arguments);
  _exit(127);
}

}  // namespace

std::optional<fs::path> findChromium() {
  std::error_code error;
  if (const char* set = std::getenv("MSD_CHROMIUM")) {
    if (access(set, X_OK) == 0) return fs::path{set};
    return std::nullopt;
  }
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "/usr/bin:/bin" : path;
  while (!rest.empty()) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    for (const char* name :
         {"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"}) {
      const fs::path candidate = fs::path{folder} / name;
      if (fs::is_regular_file(candidate, error) && access(candidate.c_str(), X_OK) == 0) {
        return candidate;
      }
    }
    rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
  }
  return std::nullopt;
}

Chromium::Chromium(const fs::path& program) {
  start(program);
}

void Chromium::start(const fs::path& program) {
  std::vector<std::string> words{program.string(),
                                 "--headless=new",
                                 "--remote-debugging-pipe",
                                 "--user-data-dir=" + profile_.path().string(),
                                 "--hide-scrollbars",
                                 "--no-first-run",
                                 "--disable-extensions",
                                 "--disable-background-networking",
                                 "--disable-dev-shm-usage",
                                 "--enable-unsafe-swiftshader",
                                 "--force-color-profile=srgb"};
  // Chromium's sandbox refuses to work for root; the page is our own.
  if (geteuid() == 0) words.emplace_back("--no-sandbox");
  words.emplace_back("about:blank");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  std::array<int, 2> commands{};
  std::array<int, 2> answers{};
  if (pipe2(commands.data(), O_CLOEXEC) != 0 || pipe2(answers.data(), O_CLOEXEC) != 0) {
    failWith("cannot create a pipe to the browser");
  }
  process_ = fork();
  if (process_ == 0) becomeBrowser(commands[0], answers[1], arguments.data());
  close(commands[0]);
  close(answers[1]);
  to_ = commands[1];
  from_ = answers[0];
  if (process_ < 0) failWith("cannot start the browser");
  ::signal(SIGPIPE, SIG_IGN);
}

Chromium::~Chromium() {
  if (to_ >= 0) close(to_);
  if (process_ > 0) {
    kill(-process_, SIGTERM);
    int status = 0;
    for (int i = 0; i < 100 && waitpid(process_, &status, WNOHANG) == 0; ++i) {
      if (i == 60) kill(-process_, SIGKILL);
      std::this_thread::sleep_for(50ms);
    }
  }
  if (from_ >= 0) close(from_);
}

void Chromium::writeMessage(const std::string& message) const {
  // The zero that ends a message is part of it.
  const char* at = message.c_str();
  std::size_t left = message.size() + 1;
  while (left > 0) {
    const ssize_t wrote = write(to_, at, left);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) throw BrowserError{"the browser ended early"};
    at += wrote;
    left -= static_cast<std::size_t>(wrote);
  }
}

std::optional<std::string> Chromium::readMessage(std::chrono::steady_clock::time_point until) {
  while (true) {
    const std::size_t end = received_.find('\0');
    if (end != std::string::npos) {
      std::string message = received_.substr(0, end);
      received_.erase(0, end + 1);
      return message;
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        until - std::chrono::steady_clock::now());
    if (left.count() <= 0) return std::nullopt;
    pollfd wait{.fd = from_, .events = POLLIN, .revents = 0};
    if (poll(&wait, 1, static_cast<int>(left.count())) <= 0) continue;
    std::array<char, 65536> part{};
    const ssize_t got = read(from_, part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw BrowserError{"the browser ended early"};
    received_.append(part.data(), static_cast<std::size_t>(got));
  }
}

std::string Chromium::call(std::string_view method, const std::string& parameters,
                           std::chrono::seconds time) {
  const int id = ++last_id_;
  json message{{"id", id}, {"method", method}, {"params", json::parse(parameters)}};
  if (!session_.empty()) message["sessionId"] = session_;
  writeMessage(message.dump());
  const auto until = std::chrono::steady_clock::now() + time;
  while (const auto answer = readMessage(until)) {
    const json reply = json::parse(*answer, nullptr, false);
    if (!reply.is_object() || reply.value("id", 0) != id) continue;
    if (reply.contains("error")) {
      throw BrowserError{fmt::format("the browser refused {}: {}", method,
                                     reply["error"].value("message", "no reason given"))};
    }
    return reply.value("result", json::object()).dump();
  }
  throw BrowserError{fmt::format("the browser did not answer {} in {} s", method, time.count())};
}

void Chromium::open(const std::string& url, int width, int height) {
  const json target = json::parse(call("Target.createTarget", R"({"url":"about:blank"})", 60s));
  const json attached =
      json::parse(call("Target.attachToTarget",
                       json{{"targetId", target.at("targetId")}, {"flatten", true}}.dump()));
  session_ = attached.at("sessionId").get<std::string>();
  static_cast<void>(
      call("Emulation.setDeviceMetricsOverride",
           json{{"width", width}, {"height", height}, {"deviceScaleFactor", 1}, {"mobile", false}}
               .dump()));
  static_cast<void>(call("Page.navigate", json{{"url", url}}.dump(), 60s));
}

void Chromium::waitFor(const std::string& expression, std::chrono::seconds time) {
  const auto until = std::chrono::steady_clock::now() + time;
  const std::string parameters =
      json{{"expression", fmt::format("Boolean({})", expression)}, {"returnByValue", true}}.dump();
  while (std::chrono::steady_clock::now() < until) {
    const json result = json::parse(call("Runtime.evaluate", parameters));
    if (result.contains("result") && result["result"].value("value", false)) return;
    std::this_thread::sleep_for(50ms);
  }
  throw BrowserError{fmt::format("the page was not ready after {} s", time.count())};
}

std::string Chromium::screenshot() {
  const json result = json::parse(call("Page.captureScreenshot", R"({"format":"png"})", 60s));
  return decodeBase64(result.at("data").get_ref<const std::string&>());
}

}  // namespace msd_view
