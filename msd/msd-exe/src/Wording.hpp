#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace msd_exe {

/// "1 body", "3 bodies"
[[nodiscard]] inline std::string plural(std::size_t count, std::string_view one,
                                        std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

}  // namespace msd_exe
