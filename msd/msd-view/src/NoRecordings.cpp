#include "msd-view/src/RecordingSource.hpp"

#include <stdexcept>

namespace msd_view {

std::unique_ptr<FrameSource> openRecording(const std::filesystem::path&, const std::string& name,
                                           std::shared_ptr<const TemporaryFile>) {
  throw std::runtime_error{name + ": this build cannot read recordings"};
}

}  // namespace msd_view
