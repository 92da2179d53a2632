#pragma once

#include <string>

namespace msd_exe {

/// Prints what a recording holds. Returns the exit code.
int describeRecording(const std::string& path);

}  // namespace msd_exe
