#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "msd-sim/src/Diagnostics/StepReport.hpp"

namespace msd_sim {

/// The names of faults, ", " between two; empty where there is none.
[[nodiscard]] inline std::string faultText(StepFaults faults) {
  std::string text;
  for (std::size_t i = 0; i < kFaultCount; ++i) {
    const auto fault = static_cast<StepFault>(i);
    if (!faults.has(fault)) continue;
    if (!text.empty()) text += ", ";
    text += faultName(fault);
  }
  return text;
}

/// What faultText says, read back; none where a name is unknown.
[[nodiscard]] inline std::optional<StepFaults> readFaults(std::string_view text) {
  StepFaults faults;
  while (!text.empty()) {
    const std::string_view name = text.substr(0, text.find(", "));
    text.remove_prefix(name.size() == text.size() ? name.size() : name.size() + 2);
    bool isKnown = false;
    for (std::size_t i = 0; i < kFaultCount && !isKnown; ++i) {
      const auto fault = static_cast<StepFault>(i);
      if (name != faultName(fault)) continue;
      faults.add(fault);
      isKnown = true;
    }
    if (!isKnown) return std::nullopt;
  }
  return faults;
}

}  // namespace msd_sim
