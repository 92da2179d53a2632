#include "msd-record/src/Rows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "msd-sim/src/DataTypes/Hash128.hpp"

namespace msd_record {

namespace {

constexpr std::uint64_t kAnyNan = 0x7FF8000000000000u;

template <class Row, class... Integers>
void addRows(msd_sim::Hasher& hasher, std::span<const Row> rows, Integers Row::*... integers) {
  hasher.add(std::uint64_t{rows.size()});
  for (const Row& row : rows) {
    for (const double value : row.numbers) {
      hasher.add(std::isnan(value) ? kAnyNan : std::bit_cast<std::uint64_t>(value));
    }
    (hasher.add(std::uint64_t{row.*integers}), ...);
  }
}

std::int64_t lowHalf(const msd_sim::Hasher& hasher) {
  return std::bit_cast<std::int64_t>(hasher.finish().low);
}

}  // namespace

std::int64_t checksum(std::span<const BodyState> states, std::span<const ContactRow> active,
                      std::span<const ContactRow> resting, std::span<const ReactionRow> reactions) {
  msd_sim::Hasher hasher;
  addRows(hasher, states, &BodyState::body, &BodyState::island, &BodyState::awake);
  for (const std::span<const ContactRow> contacts : {active, resting}) {
    addRows(hasher, contacts, &ContactRow::bodyA, &ContactRow::bodyB, &ContactRow::state,
            &ContactRow::feature);
  }
  addRows(hasher, reactions, &ReactionRow::joint, &ReactionRow::broken);
  return lowHalf(hasher);
}

std::int64_t checksum(std::span<const std::byte> bytes) {
  msd_sim::Hasher hasher;
  hasher.add(std::uint64_t{bytes.size()});
  for (std::size_t i = 0; i < bytes.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, std::min<std::size_t>(8, bytes.size() - i));
    hasher.add(word);
  }
  return lowHalf(hasher);
}

}  // namespace msd_record
