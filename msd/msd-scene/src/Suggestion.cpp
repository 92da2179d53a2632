#include "msd-scene/src/Suggestion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "msd-scene/src/JsonText.hpp"

namespace msd_scene {

namespace {

/// Names longer than this are not compared: a misspelling is a matter of short words.
constexpr std::size_t kComparedBytes = 64;

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Optimal string alignment distance: edits and swaps of neighbours, each counted once. Of words of
/// at most kComparedBytes.
std::size_t distance(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::array<std::size_t, kComparedBytes + 1> two{}, one{}, row{};
  for (std::size_t j = 0; j < width; ++j) one[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({one[j] + 1, row[j - 1] + 1, one[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                           lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], two[j - 2] + 1);
    }
    std::swap(two, one);
    std::swap(one, row);
  }
  return one[b.size()];
}

/// A known name that goes on where the given one ends, or the other way round: "damping" for
/// "dampingRatio".
std::optional<std::string_view> findRelated(std::string_view name,
                                            std::span<const std::string_view> known) {
  constexpr std::size_t kShortest = 4;
  for (const std::string_view candidate : known) {
    const bool related = candidate.starts_with(name) || name.starts_with(candidate);
    if (related && std::min(name.size(), candidate.size()) >= kShortest) return candidate;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string_view> findClosest(std::string_view name,
                                            std::span<const std::string_view> known) {
  if (name.empty() || name.size() > kComparedBytes) return std::nullopt;
  std::optional<std::string_view> best;
  std::size_t bestDistance = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const std::string_view candidate : known) {
    if (candidate.size() > kComparedBytes) continue;
    // Words whose lengths differ by so much are as far apart.
    const std::size_t longer = std::max(name.size(), candidate.size());
    if (longer - std::min(name.size(), candidate.size()) >= bestDistance) continue;
    const std::size_t d = distance(name, candidate);
    if (d < bestDistance) {
      bestDistance = d;
      best = candidate;
    }
  }
  return best ? best : findRelated(name, known);
}

std::string suggestion(std::string_view name, std::span<const std::string_view> known) {
  const auto closest = findClosest(name, known);
  return closest ? fmt::format("; did you mean {}?", shortened(jsonString(*closest)))
                 : std::string{};
}

}  // namespace msd_scene
