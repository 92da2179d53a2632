#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace msd_import {

/// Where something was written.
struct Place {
  std::shared_ptr<const std::string> file{};
  int line{0};
};

/// Something in the file that the scene does not have, or has otherwise.
struct ImportNote {
  Place place{};
  std::string what{};    ///< `<geom> "ball": solref`
  std::string why{};     ///< what becomes of it
  bool minor{false};     ///< it changes no motion: looks, or settings of another solver
  std::size_t count{1};  ///< so many of the same kind; the place is that of the first
};

/// `robot.xml:12: geom solref (8 times): contacts are rigid`
[[nodiscard]] std::string describe(const ImportNote& note);

}  // namespace msd_import
