#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "msd-sim/src/DataTypes/Hash128.hpp"

namespace msd_study {

/// How a case ended.
enum class CaseStatus : std::uint8_t {
  kOk,
  kDegraded,   ///< ran to its end, but a step's report was not "ok"
  kFailed,     ///< a step failed; nothing is measured
  kTimeLimit,  ///< took longer than the study allows; nothing is measured
  kInvalid,    ///< its values make no valid scene
  kCrashed,    ///< took the process that ran it down, twice
};
inline constexpr std::array<std::string_view, 6> kCaseStatusNames{
    "ok", "degraded", "failed", "time limit", "invalid", "crashed"};

[[nodiscard]] constexpr std::string_view statusName(CaseStatus status) {
  return kCaseStatusNames[static_cast<std::size_t>(status)];
}

/// A case that is to be run.
struct CaseOrder {
  std::uint64_t index{0};
  std::vector<double> values{};
};

/// What came of it: a row of the results.
struct CaseResult {
  std::uint64_t index{0};
  CaseStatus status{CaseStatus::kOk};
  std::string reason{};         ///< empty where the status is kOk
  std::uint64_t steps{0};       ///< taken
  double time{0.0};             ///< simulated [s]
  msd_sim::Hash128 hash{};      ///< of the last state
  bool success{false};          ///< meets the study's conditions
  std::vector<double> values{};  ///< of the measures; empty where nothing was measured

  // What the machine took for it, which is not part of the result.
  double stepSeconds{0.0};   ///< in steps, wall clock [s]
  double totalSeconds{0.0};  ///< with the making of the world [s]

  [[nodiscard]] bool isMeasured() const { return status <= CaseStatus::kDegraded; }
};

/// Runs one case. Made once per worker.
using CaseFunction = std::function<CaseResult(const CaseOrder&)>;
using MakeCaseFunction = std::function<CaseFunction()>;

// As bytes, between processes of one program on machines of one kind.
[[nodiscard]] std::vector<std::byte> toBytes(const CaseOrder& order);
[[nodiscard]] std::vector<std::byte> toBytes(const CaseResult& result);
/// These throw std::invalid_argument where the bytes are not such a thing.
[[nodiscard]] CaseOrder orderFromBytes(std::span<const std::byte> bytes);
[[nodiscard]] CaseResult resultFromBytes(std::span<const std::byte> bytes);

}  // namespace msd_study
