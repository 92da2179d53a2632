// Measured cube tosses (outside the repository): found through MSD_EXTERNAL_DATA, by default
// ../shared/data beside the checkout.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "msd-exe/src/Command.hpp"
#include "msd-exe/src/ValidateTosses.hpp"
#include "msd-exe/test/RunMsd.hpp"

namespace msd_exe::test {
namespace {

std::filesystem::path tossFolder() {
  if (const char* data = std::getenv("MSD_EXTERNAL_DATA")) {
    return std::filesystem::path{data} / "cube-tosses";
  }
  const char* source = std::getenv("MSD_SOURCE_DIR");
  return std::filesystem::path{source != nullptr ? source : "."} / ".." / "shared" / "data" /
         "cube-tosses";
}

TEST(Tosses, endWhereTheMeasuredOnesEnd) {
  if (!std::filesystem::exists(tossFolder() / "tosses.csv")) {
    GTEST_SKIP() << "left out: measured tosses cube-tosses/tosses.csv (folder not found)";
  }
  const TossData data = readTosses(tossFolder());
  ASSERT_GT(data.tosses.size(), 100u);
  for (const auto method : {msd_sim::Method::kFast, msd_sim::Method::kExact}) {
    std::vector<double> position, rotation;
    for (std::size_t t = 0; t < data.tosses.size(); t += 5) {
      const TossError error = simulateToss(data, t, method, 1);
      position.push_back(error.position);
      rotation.push_back(error.rotation);
    }
    std::ranges::sort(position);
    std::ranges::sort(rotation);
    const double median = position[position.size() / 2];
    fmt::print("tosses, {}: median distance {:.3f} half-widths, rotation {:.3f} rad\n",
               method == msd_sim::Method::kExact ? "exact" : "fast", median,
               rotation[rotation.size() / 2]);
    // The tosses travel 10 to 20 half-widths.
    EXPECT_LT(median, 2.0);
  }
}

TEST(Tosses, freeFlightFollowsTheMeasuredParabola) {
  TossData data{.dt = 0.01,
                .gravity = 10.0,
                .mass = 1.0,
                .inertia = 0.7,
                .friction = 0.2,
                .restitution = 0.1};
  std::vector<TossFrame> frames;
  for (int i = 0; i < 20; ++i) {
    const double t = 0.01 * i;
    frames.push_back({.position = {3.0 * t, 0.0, 20.0 - 5.0 * t * t},
                      .orientation = {1.0, 0.0, 0.0, 0.0},
                      .velocity = {3.0, 0.0, -10.0 * t},
                      .angularVelocity = {0.0, 0.0, 0.0}});
  }
  data.tosses.push_back(frames);
  const TossError error = simulateToss(data, 0, msd_sim::Method::kExact, 1);
  EXPECT_LT(error.position, 1e-12);
  EXPECT_LT(error.rotation, 1e-12);
}

TEST(Tosses, badFilesAreNamedWithTheirLine) {
  const TemporaryFolder folder;
  EXPECT_THROW((void)readTosses(folder / "absent"), UsageError);
  const std::filesystem::path place = folder / "data";
  std::filesystem::create_directories(place);
  writeAll(place / "experiment.json",
           R"({"dt": 0.01, "g": 10, "mass": 1, "inertia": 1, "mu": 0.2, "restitution": 0.1})");
  writeAll(place / "tosses.csv", "# head\n0,0,1,2,3\n");
  try {
    (void)readTosses(place);
    FAIL() << "a short line was accepted";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string{error.what()}.find("tosses.csv:2"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace msd_exe::test
