#include "msd-record/src/Extremes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "msd-record/src/ReadRows.hpp"
#include "msd-record/src/RecordError.hpp"

namespace msd_record {

namespace {

/// The largest value of every pair of bodies.
class PairTable {
 public:
  void offer(const ContactRow& contact, std::int64_t id, double value) {
    ContactExtreme& best = pairs_[{contact.bodyA, contact.bodyB}];
    if (value > best.value) best = {.contact = contact, .id = id, .value = value};
  }

  [[nodiscard]] std::vector<ContactExtreme> largest(std::size_t count) const {
    std::vector<ContactExtreme> all;
    for (const auto& [pair, extreme] : pairs_) {
      if (extreme.value > 0.0) all.push_back(extreme);
    }
    std::ranges::sort(all, [](const ContactExtreme& a, const ContactExtreme& b) {
      return a.value != b.value ? a.value > b.value : a.id < b.id;
    });
    if (all.size() > count) all.resize(count);
    return all;
  }

 private:
  std::map<std::pair<std::uint32_t, std::uint32_t>, ContactExtreme> pairs_;
};

/// Says when each contact was: the first frame that has its row.
void addTimes(std::vector<ContactExtreme>& extremes, const std::vector<FrameEntry>& frames) {
  for (ContactExtreme& extreme : extremes) {
    const auto found = std::ranges::find_if(frames, [&](const FrameEntry& f) {
      return (extreme.id >= f.firstContact && extreme.id < f.firstContact + f.contacts) ||
             (extreme.id >= f.firstResting && extreme.id < f.firstResting + f.resting);
    });
    if (found == frames.end()) continue;
    extreme.frame = found->frame;
    extreme.step = found->step;
    extreme.time = found->time;
  }
}

std::vector<RecordedEvent> fastestHits(Reader& reader, std::size_t count) {
  std::vector<RecordedEvent> hits;
  Statement select = reader.database().prepare(reader.select(
      "events", "WHERE kind = 'hit' ORDER BY approach_speed DESC, id LIMIT ?1"));
  select.bind(1, static_cast<std::int64_t>(count));
  while (select.step()) hits.push_back(readEvent(select));
  return hits;
}

}  // namespace

Extremes findExtremes(Reader& reader, std::size_t count) {
  try {
    PairTable depths, forces;
    Statement select = reader.database().prepare(reader.select("contact_data", ""));
    while (select.step()) {
      const ContactRow contact = readRow<ContactRow>(select, 1);
      const std::int64_t id = select.integer(0);
      depths.offer(contact, id, -contact.gap());
      forces.offer(contact, id, contact.forceOnB().norm());
    }
    Extremes extremes{.deepest = depths.largest(count),
                      .strongest = forces.largest(count),
                      .hits = fastestHits(reader, count)};
    const std::vector<FrameEntry> frames = reader.frameEntries();
    addTimes(extremes.deepest, frames);
    addTimes(extremes.strongest, frames);
    return extremes;
  } catch (const SqliteError& error) {
    throw RecordError{
        fmt::format("{}: the recording is damaged: {}", reader.path().string(), error.what())};
  }
}

}  // namespace msd_record
