#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "msd-record/src/CapturedStep.hpp"
#include "msd-record/src/Reader.hpp"

namespace msd_record {

/// A value that is another in the file than in the run.
struct Unlike {
  std::string quantity{};
  std::string recorded{};
  std::string found{};
  std::optional<std::uint32_t> body{};  ///< number of the body it belongs to
  double recordedNumber{0.0};           ///< where the body's is a number
  double foundNumber{0.0};
};

/// Bit by bit; every NaN counts alike.
[[nodiscard]] bool isSame(double a, double b);

/// The first thing in which a recorded step and the same step of a run differ, columns in the
/// schema's order. Wall-clock times are left out, and what the file's schema does not hold.
[[nodiscard]] std::optional<Unlike> compareReports(const msd_sim::StepReport& recorded,
                                                   const msd_sim::StepReport& found,
                                                   std::int32_t schema);

[[nodiscard]] std::optional<Unlike> compareStates(std::span<const BodyState> recorded,
                                                  std::span<const BodyState> found);
[[nodiscard]] std::optional<Unlike> compareContacts(std::span<const ContactRow> recorded,
                                                    std::span<const ContactRow> found);
[[nodiscard]] std::optional<Unlike> compareReactions(std::span<const ReactionRow> recorded,
                                                     std::span<const ReactionRow> found);
[[nodiscard]] std::optional<Unlike> compareEvents(const RecordedEvent& recorded,
                                                  const RecordedEvent& found);

/// What the recorder writes of an event.
[[nodiscard]] RecordedEvent recordedEvent(const msd_sim::ContactEvent& event, std::uint64_t step,
                                          const BodyNumbers& numbers);

}  // namespace msd_record
