#pragma once

#include <limits>

namespace msd_sim {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace msd_sim
