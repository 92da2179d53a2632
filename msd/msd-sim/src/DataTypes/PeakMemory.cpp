#include "msd-sim/src/DataTypes/PeakMemory.hpp"

#include <sys/resource.h>

#include <fstream>
#include <string>

namespace msd_sim {

double peakMemory() {
  constexpr double kMebi = 1024.0;  // from KiB
  std::ifstream status{"/proc/self/status"};
  for (std::string word; status >> word;) {
    double peak = 0.0;
    if (word == "VmHWM:" && status >> peak) return peak / kMebi;
  }
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / kMebi;
}

}  // namespace msd_sim
