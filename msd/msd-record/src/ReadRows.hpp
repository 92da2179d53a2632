#pragma once

#include "msd-record/src/Reader.hpp"

namespace msd_record {

/// One row of a table, from column `first` on; columns in the schema's order. Throw SqliteError for
/// values that cannot be.
template <class Row>
[[nodiscard]] Row readRow(const Statement& statement, int first);
template <>
[[nodiscard]] BodyState readRow<BodyState>(const Statement& statement, int first);
template <>
[[nodiscard]] ContactRow readRow<ContactRow>(const Statement& statement, int first);
template <>
[[nodiscard]] ReactionRow readRow<ReactionRow>(const Statement& statement, int first);

/// A time of a run; refuses what no run can come to.
[[nodiscard]] double readTime(const Statement& statement, int column);

[[nodiscard]] RecordedStep readStep(const Statement& statement);
[[nodiscard]] RecordedEvent readEvent(const Statement& statement);

}  // namespace msd_record
