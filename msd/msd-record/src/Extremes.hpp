#pragma once

#include <cstdint>
#include <vector>

#include "msd-record/src/Reader.hpp"

namespace msd_record {

/// A contact at its worst: a pair of bodies at the frame where it was deepest, or pressed hardest.
struct ContactExtreme {
  ContactRow contact{};
  std::int64_t id{0};  ///< row of contact_data
  std::int64_t frame{0};
  std::uint64_t step{0};
  double time{0.0};   ///< [s]
  double value{0.0};  ///< depth [m] or force [N]
};

struct Extremes {
  std::vector<ContactExtreme> deepest{};    ///< by penetration, each pair of bodies once
  std::vector<ContactExtreme> strongest{};  ///< by the size of the force, likewise
  std::vector<RecordedEvent> hits{};        ///< by approach speed
};

/// The `count` largest of each, over all frames (hits: over all steps).
[[nodiscard]] Extremes findExtremes(Reader& reader, std::size_t count);

}  // namespace msd_record
