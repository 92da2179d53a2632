#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace msd_view {

/// A file of the page, as it was built into the program.
struct BundleFile {
  std::string_view path;  ///< "/index.html"
  std::string_view type;  ///< "text/html; charset=utf-8"
  std::string_view bytes;
};

/// All files of the page.
[[nodiscard]] std::span<const BundleFile> bundle();
/// False where the program was built without npm: the page is then one that says so.
[[nodiscard]] bool isPageBuilt();

[[nodiscard]] const BundleFile* findBundleFile(std::string_view path);

}  // namespace msd_view
