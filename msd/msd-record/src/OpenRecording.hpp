#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "msd-record/src/Sqlite.hpp"

namespace msd_record {

/// Whether a file starts as every SQLite database does.
[[nodiscard]] bool isSqliteFile(const std::filesystem::path& path);

/// Opens a recording for reading, or to go on with it. A file is taken for hostile until it is
/// known: no part of its schema is trusted, and its tables must have our columns. Files of every
/// schema so far are opened; one of a newer schema, of another program, missing, empty or damaged
/// throws RecordError.
[[nodiscard]] Database openRecording(const std::filesystem::path& path, OpenMode mode,
                                     const std::string& vfs = {});

/// The schema of an open recording.
[[nodiscard]] std::int32_t schemaVersion(Database& database);
/// Makes a recording of an older schema one of today's, in one transaction. Throws SqliteError.
void upgrade(Database& database);

}  // namespace msd_record
