#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "msd-record/src/Reader.hpp"

namespace msd_record {

/// Where a run differs from its recording.
struct Difference {
  std::uint64_t step{0};      ///< the first step that differs
  std::string quantity{};     ///< of that step: "hash", "kinetic", ...
  std::string recorded{};     ///< its value in the file
  std::string found{};        ///< its value in the new run
  std::string body{};         ///< the first body that differs; empty where none does
  std::uint64_t bodyStep{0};  ///< the recorded frame in which it does: the first from `step` on
  std::string bodyQuantity{};
  std::string bodyRecorded{};
  std::string bodyFound{};
  std::string bodyOff{};  ///< " (off by 1e-12)" where they are numbers
};

struct VerifyResult {
  std::uint64_t steps{0};   ///< compared
  std::uint64_t frames{0};  ///< compared
  std::optional<Difference> difference{};
};

struct VerifyOptions {
  std::optional<int> threads{};  ///< other than the recorded run's
  /// Called after every step; false ends the comparison.
  std::function<bool(std::uint64_t step)> progress{};
};

/// Simulates the scene of a recording again and compares all it holds, bit by bit: settings, bodies
/// and joints; every step's report and events; every frame's bodies, contacts and joints; the
/// snapshot. What is missing or left over is a difference too. Wall-clock times, the number of
/// threads and what the file's schema does not know are left out.
[[nodiscard]] VerifyResult verify(Reader& reader, const VerifyOptions& options = {});

/// What differs, for people; one or two lines.
[[nodiscard]] std::string describe(const Difference& difference);

}  // namespace msd_record
