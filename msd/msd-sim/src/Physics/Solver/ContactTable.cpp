#include "msd-sim/src/Physics/Solver/ContactTable.hpp"

#include <algorithm>
#include <bit>

#include "msd-sim/src/DataTypes/SharedUpdate.hpp"

namespace msd_sim {

namespace {

constexpr std::size_t kLanes = kBundleLanes;
// Contacts that one thread gives their lanes at a time.
constexpr std::uint32_t kPartEntries = 512;

}  // namespace

template <int kPoints>
void ContactTable::resizeLanes(std::size_t bundles) {
  Lanes<kPoints>& l = lanes<kPoints>();
  l.count = bundles;
  // Room for some more: what moves has more contacts in one step and fewer in the next. Each by
  // itself: memory may have run out halfway the last time.
  const auto enlarge = [](auto& array, std::size_t size) {
    if (array.size() < size) array.resize(size + size / 8);
  };
  enlarge(l.bodyPair, bundles);
  enlarge(l.rows, bundles);
  enlarge(l.bounce, bundles);
  enlarge(l.sums, bundles);
  enlarge(l.notes, bundles);
  enlarge(l.contact, bundles * kLanes);
  enlarge(l.stored, bundles * kLanes);
}

template <int kPoints>
void ContactTable::fill(ContactCache& cache, std::size_t first, std::size_t count) {
  Lanes<kPoints>& l = lanes<kPoints>();
  for (std::size_t bundle = first; bundle < first + count; ++bundle) {
    BundleBodies& bodyPair = l.bodyPair[bundle];
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const std::size_t at = bundle * kLanes + lane;
      const std::uint32_t id = l.contact[at];
      const bool empty = id == ContactCache::kNone;
      l.stored[at] = empty ? &spare<kPoints>() : &cache.numbers<kPoints>(id);
      bodyPair.body[lane] = empty ? 0 : static_cast<std::int32_t>(cache.contact(id).body0());
      bodyPair.body[kLanes + lane] =
          empty ? 0 : static_cast<std::int32_t>(cache.contact(id).body1());
    }
  }
}
template void ContactTable::fill<1>(ContactCache&, std::size_t, std::size_t);
template void ContactTable::fill<2>(ContactCache&, std::size_t, std::size_t);
template void ContactTable::fill<4>(ContactCache&, std::size_t, std::size_t);

void ContactTable::openParts(std::span<const std::uint32_t> packStart) {
  parts_.clear();
  part_start_.assign(1, 0);
  for (std::size_t pack = 0; pack + 1 < packStart.size(); ++pack) {
    for (std::uint32_t first = packStart[pack]; first < packStart[pack + 1];
         first += kPartEntries) {
      const std::uint32_t last = std::min(first + kPartEntries, packStart[pack + 1]);
      parts_.push_back(
          {.pack = static_cast<std::uint32_t>(pack), .first = first, .last = last, .before = {}});
    }
    part_start_.push_back(static_cast<std::uint32_t>(parts_.size()));
  }
}

/// The lowest colour that neither body has yet, contact by contact; and how many contacts each
/// colour has.
void ContactTable::chooseColours(std::span<const Entry> entries, std::size_t pack) {
  Counts& counts = counts_[pack];
  counts = {};
  for (std::size_t part = part_start_[pack]; part < part_start_[pack + 1]; ++part) {
    parts_[part].before = counts;
    for (std::size_t i = parts_[part].first; i < parts_[part].last; ++i) {
      const auto [a, b] = entries[i].pushable;
      const int colour = std::min(std::countr_one(body_colours_[a] | body_colours_[b]), kOverflow);
      const std::uint64_t bit = colour == kOverflow ? 0 : std::uint64_t{1} << colour;
      if (a != 0) body_colours_[a] |= bit;
      if (b != 0) body_colours_[b] |= bit;
      chosen_[i] = static_cast<std::uint8_t>(colour);
      ++counts[static_cast<std::size_t>(colour)][sortOf(entries[i])];
    }
  }
}

/// Bundles for the colours of a pack; its counts become the first lane of each colour and kind.
void ContactTable::cutColours(std::size_t pack, std::array<std::uint32_t, kContactKinds>& next) {
  Counts& counts = counts_[pack];
  std::uint32_t used = 0;
  for (std::size_t c = 0; c < kColours; ++c) {
    Colour colour{.first = next, .overflow = c == kOverflow};
    for (std::size_t k = 0; k < kContactKinds; ++k) {
      const auto lanes = static_cast<std::uint32_t>(kLanes);
      std::uint32_t& busy = counts[c][2 * k];
      std::uint32_t& idle = counts[c][2 * k + 1];
      const std::uint32_t contacts = busy + idle;
      const std::uint32_t bundles = colour.overflow ? contacts : (contacts + lanes - 1) / lanes;
      idle = next[k] * lanes + (colour.overflow ? lanes : 1) * busy;
      busy = next[k] * lanes;
      next[k] += bundles;
    }
    colour.last = next;
    if (colour.bundles() == 0) continue;
    colours_.push_back(colour);
    if (!colour.overflow) ++used;
  }
  colour_start_.push_back(static_cast<std::uint32_t>(colours_.size()));
  most_colours_ = std::max(most_colours_, used);
}

void ContactTable::placeEntries(ContactCache& cache, std::span<const Entry> entries,
                                const Part& part) {
  Counts next = counts_[part.pack];
  for (std::size_t c = 0; c < kColours; ++c) {
    const auto lanes = static_cast<std::uint32_t>(c == kOverflow ? kLanes : 1);
    for (std::size_t s = 0; s < kSorts; ++s) next[c][s] += lanes * part.before[c][s];
  }
  for (std::size_t i = part.first; i < part.last; ++i) {
    const std::uint32_t id = entries[i].contact;
    std::uint32_t& lane = next[chosen_[i]][sortOf(entries[i])];
    ContactCache::forKind(ContactCache::kindOf(id), [&]<int kPoints>() {
      lanes<kPoints>().contact[lane] = id;
      if (!entries[i].idle) return;
      BundleNotes& notes = lanes<kPoints>().notes[lane / kLanes];
      setBits(notes.idle, static_cast<std::uint8_t>(1u << (lane % kLanes)));
      notes.spare[lane % kLanes] = cache.contact(id).spare;
    });
    cache.contact(id).lane = lane;
    lane += chosen_[i] == kOverflow ? static_cast<std::uint32_t>(kLanes) : 1;
  }
}

void ContactTable::build(ContactCache& cache, std::span<const Entry> entries,
                         std::span<const std::uint32_t> packStart, std::size_t bodies,
                         WorkTeam& team) {
  clear();
  contacts_ = entries.size();
  const std::size_t packs = packStart.size() - 1;
  chosen_.resize(entries.size());
  body_colours_.assign(bodies, 0);
  counts_.reserve(kSparePacks);
  counts_.resize(packs);
  colour_start_.reserve(kSparePacks + 1);
  openParts(packStart);
  team.forBlocks(packs, [&](std::size_t pack) { chooseColours(entries, pack); });
  std::array<std::uint32_t, kContactKinds> next{};
  for (std::size_t pack = 0; pack < packs; ++pack) cutColours(pack, next);
  const auto open = [&]<int kPoints>(std::size_t bundles) {
    resizeLanes<kPoints>(bundles);
    std::fill_n(lanes<kPoints>().contact.begin(), bundles * kLanes, ContactCache::kNone);
    std::fill_n(lanes<kPoints>().notes.begin(), bundles, BundleNotes{});
  };
  open.operator()<1>(next[0]);
  open.operator()<2>(next[1]);
  open.operator()<4>(next[2]);
  team.forBlocks(parts_.size(),
                 [&](std::size_t part) { placeEntries(cache, entries, parts_[part]); });
}

void ContactTable::clear() {
  colours_.clear();
  colour_start_.assign(1, 0);
  contacts_ = 0;
  most_colours_ = 0;
  lanes<1>().count = lanes<2>().count = lanes<4>().count = 0;
}

}  // namespace msd_sim
