#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "msd-study/src/CaseResult.hpp"
#include "msd-study/src/Study.hpp"

namespace msd_study::test {

/// A folder of its own, removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const {
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

/// A ball that falls onto a floor, beside a box that slides, and a pendulum; nothing sleeps.
[[nodiscard]] std::string sampleScene();

/// A study of the sample scene: `parameters`, `rest` and `measure` are the texts of its fields.
[[nodiscard]] std::unique_ptr<Study> makeStudy(const std::string& parameters,
                                               const std::string& rest = {},
                                               const std::string& measure = {},
                                               const std::string& table = {});

/// Twelve cases over friction and speed.
[[nodiscard]] std::unique_ptr<Study> smallStudy();

/// Every row of the cases and results, as text, in order: what must not depend on how a study was run.
[[nodiscard]] std::vector<std::string> rowsOf(const std::filesystem::path& results);

}  // namespace msd_study::test
