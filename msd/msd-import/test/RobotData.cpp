#include "msd-import/test/RobotData.hpp"

#include <algorithm>
#include <cstdlib>

#include "msd-import/src/ImportRobot.hpp"

namespace msd_import::test {

namespace fs = std::filesystem;

fs::path robotFolder() {
  fs::path data;
  if (const char* given = std::getenv("MSD_EXTERNAL_DATA")) {
    data = given;
  } else if (const char* source = std::getenv("MSD_SOURCE_DIR")) {
    data = fs::path{source} / "../shared/data";
  }
  std::error_code error;
  return !data.empty() && fs::is_directory(data / "robots", error) ? data / "robots" : fs::path{};
}

std::vector<fs::path> robotFiles() {
  std::vector<fs::path> files;
  if (robotFolder().empty()) return files;
  for (const auto& entry : fs::recursive_directory_iterator{robotFolder()}) {
    if (entry.is_regular_file() && isRobotFile(entry.path())) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace msd_import::test
