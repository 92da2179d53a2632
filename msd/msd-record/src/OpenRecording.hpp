#pragma once

#include <filesystem>
#include <string>

#include "msd-record/src/Sqlite.hpp"

namespace msd_record {

/// Whether a file starts as every SQLite database does.
[[nodiscard]] bool isSqliteFile(const std::filesystem::path& path);

/// Opens a recording for reading, or to go on with it. A file is taken for hostile until it is
/// known: no part of its schema is trusted, and its tables must be exactly ours. Throws RecordError
/// for a file that is missing, empty, of another program, of a newer schema, or damaged.
[[nodiscard]] Database openRecording(const std::filesystem::path& path, OpenMode mode,
                                     const std::string& vfs = {});

}  // namespace msd_record
