#include "msd-study/src/StudySummary.hpp"

#include <fmt/format.h>

#include "msd-record/src/RecordError.hpp"
#include "msd-record/src/Sqlite.hpp"
#include "msd-study/src/ResultsFile.hpp"

namespace msd_study {

StudySummary readSummary(const std::filesystem::path& path) {
  msd_record::Database database = openResults(path);
  try {
    StudySummary summary;
    const auto whole = [](const msd_record::Statement& row, int column) {
      return static_cast<std::uint64_t>(row.integer(column));
    };
    msd_record::Statement statuses = database.prepare(
        "SELECT status, count(*), min(case_id), coalesce(reason, '') FROM results GROUP BY status "
        "ORDER BY count(*) DESC, status");
    while (statuses.step()) {
      summary.statuses.push_back(
          {statuses.text(0), whole(statuses, 1), whole(statuses, 2), statuses.text(3)});
      summary.done += whole(statuses, 1);
    }
    msd_record::Statement success =
        database.prepare("SELECT coalesce(sum(success), 0), count(success) FROM results");
    if (success.step()) {
      summary.successes = whole(success, 0);
      summary.judged = whole(success, 1);
    }
    return summary;
  } catch (const msd_record::SqliteError& reason) {
    throw msd_record::RecordError{
        fmt::format("{}: cannot be read: {}", path.string(), reason.what())};
  }
}

}  // namespace msd_study
