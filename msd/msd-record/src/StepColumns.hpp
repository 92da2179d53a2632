#pragma once

#include <cstdint>
#include <span>

#include "msd-record/src/Schema.hpp"
#include "msd-sim/src/Diagnostics/StepReport.hpp"

namespace msd_record {

/// What a column of `steps` holds. The table is written, read and compared by this one list: what is
/// added to it is recorded, read back and verified.
enum class StepValue : std::uint8_t {
  kStep,    ///< the number of the step
  kReal,    ///< a double of the report
  kCount,   ///< a whole number of the report
  kLargeCount,  ///< the same of 64 bits
  kStatus,  ///< one of three words
  kFaults,  ///< names of faults
  kHash,    ///< 32 hexadecimal digits
  kWall,    ///< seconds of the recording program, not of the report
};

struct StepColumn {
  Column column;
  StepValue value{StepValue::kReal};
  double& (*real)(msd_sim::StepReport&){nullptr};          ///< of kReal
  std::uint32_t& (*count)(msd_sim::StepReport&){nullptr};  ///< of kCount
  std::uint64_t& (*largeCount)(msd_sim::StepReport&){nullptr};  ///< of kLargeCount
  bool isTime{false};  ///< wall-clock time, which no run repeats
};

/// In the order of the table.
[[nodiscard]] std::span<const StepColumn> stepColumns();

}  // namespace msd_record
