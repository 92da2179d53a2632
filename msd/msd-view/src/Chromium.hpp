#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "msd-view/src/ScratchFolder.hpp"

namespace msd_view {

/// The browser is missing, does not start, or does not answer.
class BrowserError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Where Chromium is: the environment variable MSD_CHROMIUM, or on the path under one of its names.
[[nodiscard]] std::optional<std::filesystem::path> findChromium();

/// A Chromium without a window, led through a pipe with the DevTools protocol. It gets a profile of
/// its own, and both end with the object.
class Chromium {
 public:
  /// Throws BrowserError.
  explicit Chromium(const std::filesystem::path& program);
  ~Chromium();
  Chromium(const Chromium&) = delete;
  Chromium& operator=(const Chromium&) = delete;

  /// Opens a page in a window of this size [px].
  void open(const std::string& url, int width, int height);
  /// Waits until a JavaScript expression is true; throws BrowserError after the time.
  void waitFor(const std::string& expression, std::chrono::seconds time);
  /// The page as it is to be seen, as a PNG file.
  [[nodiscard]] std::string screenshot();

 private:
  [[nodiscard]] std::string call(std::string_view method, const std::string& parameters,
                                 std::chrono::seconds time = std::chrono::seconds{30});
  void writeMessage(const std::string& message) const;
  [[nodiscard]] std::optional<std::string> readMessage(std::chrono::steady_clock::time_point until);
  void start(const std::filesystem::path& program);

  ScratchFolder profile_{"msd-chromium"};
  pid_t process_{-1};
  int to_{-1};
  int from_{-1};
  std::string received_;
  std::string session_;
  int last_id_{0};
};

}  // namespace msd_view
