#include "msd-scene/src/OverTime.hpp"

#include <algorithm>

namespace msd_scene {

namespace {

/// Where a moment lies: the entry at or before it, and the share of the way to the next one.
struct Place {
  std::size_t entry;
  double share;
  double length;  ///< [s]; 0 where nothing changes
};

template <class Value>
Place placeOf(const std::vector<AtTime<Value>>& entries, double time) {
  const auto next = std::ranges::upper_bound(entries, time, {}, &AtTime<Value>::at);
  if (next == entries.begin()) return {0, 0.0, 0.0};
  const auto entry = static_cast<std::size_t>(next - entries.begin()) - 1;
  if (next == entries.end()) return {entry, 0.0, 0.0};
  const double length = next->at - entries[entry].at;
  return {entry, (time - entries[entry].at) / length, length};
}

}  // namespace

NumberAt valueAt(const std::vector<TimedNumber>& entries, double time) {
  if (entries.empty()) return {};
  const auto [entry, share, length] = placeOf(entries, time);
  const double from = entries[entry].value;
  if (length == 0.0) return {from, 0.0};
  const double step = entries[entry + 1].value - from;
  return {from + share * step, step / length};
}

Vector3D vectorAt(const std::vector<TimedVector>& entries, double time) {
  if (entries.empty()) return Vector3D::Zero();
  const auto [entry, share, length] = placeOf(entries, time);
  Vector3D value{entries[entry].value[0], entries[entry].value[1], entries[entry].value[2]};
  if (length == 0.0) return value;
  const auto& next = entries[entry + 1].value;
  return value + share * (Vector3D{next[0], next[1], next[2]} - value);
}

}  // namespace msd_scene
