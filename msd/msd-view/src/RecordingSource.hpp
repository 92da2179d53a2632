#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "msd-view/src/FrameSource.hpp"

namespace msd_view {

class TemporaryFile;

/// A recording as a row of moments. `name` is shown to the user; `keep`, where given, lives as long
/// as the source. Throws std::runtime_error that says what is wrong with the file.
[[nodiscard]] std::unique_ptr<FrameSource> openRecording(const std::filesystem::path& path,
                                                         const std::string& name,
                                                         std::shared_ptr<const TemporaryFile> keep);

}  // namespace msd_view
