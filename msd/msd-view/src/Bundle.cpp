#include "msd-view/src/Bundle.hpp"

namespace msd_view {

const BundleFile* findBundleFile(std::string_view path) {
  for (const BundleFile& file : bundle()) {
    if (file.path == path) return &file;
  }
  return nullptr;
}

}  // namespace msd_view
