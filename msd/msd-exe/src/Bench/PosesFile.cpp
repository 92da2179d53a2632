#include "msd-exe/src/Bench/PosesFile.hpp"

#include <fmt/format.h>

#include <cmath>
#include <fstream>

#include "msd-exe/src/Command.hpp"

namespace msd_exe {

namespace {

constexpr std::size_t kNumbersPerBody = 13;

RecordedState stateAt(const double* d) {
  return {.pose = {{d[0], d[1], d[2]}, {d[3], d[4], d[5], d[6]}},
          .velocity = {d[7], d[8], d[9]},
          .angularVelocity = {d[10], d[11], d[12]}};
}

}  // namespace

bool RecordedState::isFinite() const {
  return pose.position.allFinite() && pose.orientation.coeffs().allFinite() &&
         velocity.allFinite() && angularVelocity.allFinite();
}

std::vector<RecordedFrame> readPoses(const std::filesystem::path& path, std::size_t bodies) {
  std::ifstream file{path, std::ios::binary};
  std::int32_t header[2]{};
  if (!file.read(reinterpret_cast<char*>(header), sizeof header)) {
    throw UsageError{fmt::format("{}: cannot be read as a poses file", path.string())};
  }
  if (header[0] < 0 || static_cast<std::size_t>(header[0]) != bodies || header[1] < 1) {
    throw UsageError{
        fmt::format("{}: holds {} bodies and {} frames, expected {} bodies and at least 1 frame",
                    path.string(), header[0], header[1], bodies)};
  }
  std::vector<RecordedFrame> frames(static_cast<std::size_t>(header[1]));
  std::vector<double> numbers(1 + kNumbersPerBody * bodies);
  for (RecordedFrame& frame : frames) {
    if (!file.read(reinterpret_cast<char*>(numbers.data()),
                   static_cast<std::streamsize>(numbers.size() * sizeof(double)))) {
      throw UsageError{fmt::format("{}: is cut short", path.string())};
    }
    frame.time = numbers[0];
    frame.bodies.reserve(bodies);
    for (std::size_t i = 0; i < bodies; ++i) {
      frame.bodies.push_back(stateAt(&numbers[1 + kNumbersPerBody * i]));
    }
  }
  return frames;
}

}  // namespace msd_exe
