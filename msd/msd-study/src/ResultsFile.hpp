#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "msd-record/src/Sqlite.hpp"
#include "msd-study/src/CaseResult.hpp"
#include "msd-study/src/Study.hpp"

namespace msd_record {
class FileLock;
}

namespace msd_study {

/// Whether a file holds the results of a study; false for one that cannot be read.
[[nodiscard]] bool isResultsFile(const std::filesystem::path& path);

/// Opens results to be read. Throws msd_record::RecordError.
[[nodiscard]] msd_record::Database openResults(const std::filesystem::path& path);

struct ResultsOptions {
  bool force{false};    ///< replaces results that exist, and nothing else
  bool durable{false};  ///< survives power loss too
  std::string version{};
  std::string build{};
};

/// The one file that a study writes: SQLite, with the study itself, its cases and their results
/// (docs/studies.md). What write() has returned from is in the file whatever happens to the process.
class ResultsFile {
 public:
  /// A new file. Throws msd_record::RecordError when one exists, or it cannot be written.
  [[nodiscard]] static std::unique_ptr<ResultsFile> create(const std::filesystem::path& path,
                                                           const Study& study,
                                                           const ResultsOptions& options);
  /// Goes on with results of the same study. Throws msd_record::RecordError when they are of another.
  [[nodiscard]] static std::unique_ptr<ResultsFile> resume(const std::filesystem::path& path,
                                                           const Study& study,
                                                           const ResultsOptions& options);
  ~ResultsFile();
  ResultsFile(const ResultsFile&) = delete;
  ResultsFile& operator=(const ResultsFile&) = delete;

  /// By case, whether its result is there already.
  [[nodiscard]] std::vector<bool> done() const;

  /// Writes rows in one transaction. Throws msd_record::RecordError, with the file as it was before,
  /// when there is no room or the file cannot be written.
  void write(std::span<const CaseResult> results);
  /// Notes how the study ended ("complete", "stopped") and closes the file.
  void finish(std::string_view status);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  struct Statements;
  ResultsFile(std::filesystem::path path, std::unique_ptr<msd_record::FileLock> lock,
              msd_record::Database database, const Study& study);
  void insert(const CaseResult& result);
  void close();

  std::filesystem::path path_;
  std::unique_ptr<msd_record::FileLock> lock_;
  std::optional<msd_record::Database> database_;
  std::unique_ptr<Statements> statements_;
  std::size_t measures_;
  bool has_success_;
  std::uint64_t cases_;
};

}  // namespace msd_study
