#pragma once

#include <filesystem>

namespace msd_record::test {

/// Asks a file everything the reader can answer. True when it could; false when the reader said
/// that the file is damaged or no recording. Anything else comes through.
bool readEverything(const std::filesystem::path& path);

}  // namespace msd_record::test
