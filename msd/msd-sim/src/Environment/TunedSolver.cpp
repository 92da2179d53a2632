// Builds for experiments alone (-DMSD_TUNABLE=ON): numbers of the fast solver from the environment, so that
// tools/measure_tuning.py can double and halve them.
#include <fmt/format.h>

#include <cstdlib>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>

#include "msd-sim/src/Physics/Solver/SolverTuning.hpp"

namespace msd_sim {

namespace {

using Setter = std::function<void(SolverTuning&, double)>;

template <class Number>
Setter setterOf(Number SolverTuning::* member) {
  return [member](SolverTuning& tuning, double value) { tuning.*member = static_cast<Number>(value); };
}

const std::map<std::string, Setter>& setters() {
  static const std::map<std::string, Setter> all{
      {"substeps", setterOf(&SolverTuning::substeps)},
      {"tinyManifolds", setterOf(&SolverTuning::tinyManifolds)},
      {"smallManifolds", setterOf(&SolverTuning::smallManifolds)},
      {"graspManifolds", setterOf(&SolverTuning::graspManifolds)},
      {"graspResidual", setterOf(&SolverTuning::graspResidual)},
      {"fewestHitSweeps", setterOf(&SolverTuning::fewestHitSweeps)},
      {"mostHitSweeps", setterOf(&SolverTuning::mostHitSweeps)},
      {"hit", setterOf(&SolverTuning::hit)},
      {"largeIslandResidual", setterOf(&SolverTuning::largeIslandResidual)},
      {"largeIslandHit", setterOf(&SolverTuning::largeIslandHit)},
      {"coldShare", setterOf(&SolverTuning::coldShare)},
      {"coldVisits", setterOf(&SolverTuning::coldVisits)},
      {"mostColdSweeps", setterOf(&SolverTuning::mostColdSweeps)},
      {"coldResidual", setterOf(&SolverTuning::coldResidual)},
      {"calmKick", setterOf(&SolverTuning::calmKick)},
      {"smallTurn", setterOf(&SolverTuning::smallTurn)},
      {"settledKick", setterOf(&SolverTuning::settledKick)},
      {"settledShare", setterOf(&SolverTuning::settledShare)},
      {"band", setterOf(&SolverTuning::band)},
      {"expectedLoads", setterOf(&SolverTuning::expectedLoads)},
  };
  return all;
}

SolverTuning fromEnvironment() {
  SolverTuning tuning;
  const char* given = std::getenv("MSD_TUNING");
  std::string rest = given != nullptr ? given : "";
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    const std::string part = rest.substr(0, comma);
    rest = comma == std::string::npos ? std::string{} : rest.substr(comma + 1);
    const std::size_t sign = part.find('=');
    const auto setter = setters().find(part.substr(0, sign));
    if (sign == std::string::npos || setter == setters().end()) {
      throw std::invalid_argument{
          fmt::format("MSD_TUNING: found \"{}\", expected NAME=NUMBER with a name of SolverTuning", part)};
    }
    setter->second(tuning, std::stod(part.substr(sign + 1)));
  }
  return tuning;
}

}  // namespace

const SolverTuning kTuning = fromEnvironment();

}  // namespace msd_sim
