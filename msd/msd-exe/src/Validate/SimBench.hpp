#pragma once

#include <cstdint>
#include <functional>

#include "msd-sim/src/Environment/Settings.hpp"

namespace CLI {
class App;
}

namespace msd_exe {

/// The contact tests of SimBenchmark (Kang and Hwangbo, 2018), as published: the same bodies, materials,
/// times and measures of error. Each function simulates one test with steps of dt [s] for `seconds` and returns
/// its error.

/// 25 balls on a plate that is pulled with 150 N at an angle [rad] to x: mean of the squared errors of the
/// velocities of a ball and of the plate against the closed form [m²/s²].
[[nodiscard]] double simbenchRolling(msd_sim::Method method, double angle, double dt, double seconds);

/// 49 elastic balls dropped from 5 m: mean of the squared error of the energy [J²].
[[nodiscard]] double simbenchBouncing(double dt, double seconds);

/// 216 balls that fall into a heap: mean of the sum of squared penetrations [m²].
[[nodiscard]] double simbench666(double dt, double seconds, std::uint64_t seed);

/// 216 elastic balls that fall from a metre: mean of the squared error of the energy [J²].
[[nodiscard]] double simbenchElastic666(double dt, double seconds, std::uint64_t seed);

/// `msd validate simbench`.
void addValidateSimBench(CLI::App& parser, std::function<int()>& action);

}  // namespace msd_exe
