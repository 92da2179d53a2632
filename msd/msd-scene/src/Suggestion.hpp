#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace msd_scene {

/// The known name nearest to a misspelt one, when it is near enough to be meant: letters inserted,
/// left out, replaced or swapped with their neighbour, in at most a third of the word; upper and
/// lower case count as the same. Where none is near, a name that continues the other.
[[nodiscard]] std::optional<std::string_view> findClosest(std::string_view name,
                                                          std::span<const std::string_view> known);

/// `; did you mean "NAME"?`, or nothing where no known name is near.
[[nodiscard]] std::string suggestion(std::string_view name,
                                     std::span<const std::string_view> known);

}  // namespace msd_scene
