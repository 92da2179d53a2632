#include <algorithm>
#include <tuple>

#include "msd-sim/src/Environment/Simulation.hpp"
#include "msd-sim/src/Environment/Stages/RowPasses.hpp"
#include "msd-sim/src/Environment/WorkGrain.hpp"
#include "msd-sim/src/Environment/WorldContacts.hpp"

namespace msd_sim {

namespace {

using Change = EventScratch::Change;
using Hit = EventScratch::Hit;

Change ordered(std::uint32_t a, std::uint32_t b) {
  return {std::min(a, b), std::max(a, b)};
}

bool comesBefore(const Change& x, const Change& y) {
  return std::tie(x.a, x.b) < std::tie(y.a, y.b);
}
bool isSame(const Change& x, const Change& y) {
  return x.a == y.a && x.b == y.b;
}

/// Who began or ceased to carry an impulse in this step, and who approached fast, among some
/// bundles.
template <class Lanes>
void lookAt(Simulation& sim, Lanes& lanes, std::size_t first, std::size_t last,
            EventScratch::Block& found) {
  ContactCache& contacts = sim.collision.contacts();
  const std::span<const CollisionPipeline::Pair> pairs = sim.collision.pairs();
  const double threshold = sim.settings.restitutionThreshold;
  for (std::size_t at = first * kBundleLanes; at < last * kBundleLanes; ++at) {
    const std::uint32_t id = lanes.contact[at];
    if (id == ContactCache::kNone) continue;
    const std::size_t bundle = at / kBundleLanes, lane = at % kBundleLanes;
    const ContactSums& sums = lanes.sums[bundle];
    ContactCache::Contact& contact = contacts.contact(id);
    const bool touches = sums.load[lane] > 0.0, changed = touches != contact.touching;
    contact.touching = touches;
    // Without a threshold only the first touch is a hit; else every resting contact would be.
    const bool hits = touches && sums.approach[lane] > threshold &&
                      (threshold > 0.0 || !pairs[contact.pair].touching);
    if (!changed && !hits) continue;
    const Change bodyPair =
        ordered(static_cast<std::uint32_t>(lanes.bodyPair[bundle].body[lane]),
                static_cast<std::uint32_t>(lanes.bodyPair[bundle].body[kBundleLanes + lane]));
    if (changed) found.changes.push_back(bodyPair);
    if (hits) found.hits.push_back({bodyPair.a, bodyPair.b, sums.approach[lane], id});
  }
}

/// So many blocks, each with room for what it can find.
void openBlocks(EventScratch& scratch, std::size_t blocks) {
  while (scratch.blocks.size() < blocks) {
    EventScratch::Block& block = scratch.blocks.emplace_back();
    block.changes.reserve(kWorkGrain.events * kBundleLanes);
    block.hits.reserve(kWorkGrain.events * kBundleLanes);
    block.events.reserve(kWorkGrain.reports);
  }
}

/// All of them, in order, each once.
void collectChanges(Simulation& sim) {
  EventScratch& scratch = sim.eventScratch;
  std::vector<Change>& changes = scratch.changes;
  const auto look = [&]<int kPoints>() {
    auto& lanes = sim.table.lanes<kPoints>();
    const std::size_t blocks = (lanes.count + kWorkGrain.events - 1) / kWorkGrain.events;
    openBlocks(scratch, blocks);
    sim.team->forBlocks(blocks, [&](std::size_t block) {
      scratch.blocks[block].changes.clear();
      scratch.blocks[block].hits.clear();
      lookAt(sim, lanes, block * kWorkGrain.events,
             std::min(lanes.count, (block + 1) * kWorkGrain.events), scratch.blocks[block]);
    });
    for (std::size_t block = 0; block < blocks; ++block) {
      const EventScratch::Block& found = scratch.blocks[block];
      changes.insert(changes.end(), found.changes.begin(), found.changes.end());
      scratch.hits.insert(scratch.hits.end(), found.hits.begin(), found.hits.end());
    }
  };
  look.operator()<4>();
  look.operator()<2>();
  look.operator()<1>();
  for (const ContactBodies& lost : sim.collision.contacts().lostTouches()) {
    changes.push_back(ordered(lost.a, lost.b));
  }
  scratch.ended.clear();
  for (const CollisionPipeline::EndedPair& ended : sim.collision.endedPairs()) {
    scratch.ended.push_back(ordered(ended.bodyA, ended.bodyB));
  }
  changes.insert(changes.end(), scratch.ended.begin(), scratch.ended.end());
  std::sort(scratch.ended.begin(), scratch.ended.end(), comesBefore);
  std::sort(changes.begin(), changes.end(), comesBefore);
  changes.erase(std::unique(changes.begin(), changes.end(), isSame), changes.end());
}

/// Calls visit(pair) for every pair of colliders of two bodies.
template <class Visit>
void forPairsOfBodies(Simulation& sim, const Change& bodyPair, const Visit& visit) {
  const auto colliders = sim.collision.colliders();
  for (std::uint32_t a = sim.slots[bodyPair.a].firstCollider; a != Collider::kNone;
       a = colliders[a].nextOfBody) {
    for (std::uint32_t b = sim.slots[bodyPair.b].firstCollider; b != Collider::kNone;
         b = colliders[b].nextOfBody) {
      const std::uint32_t pair = sim.collision.findPair(a, b);
      if (pair != PairTable::kNone) visit(sim.collision.pairs()[pair]);
    }
  }
}

bool isTouching(const Simulation& sim, const CollisionPipeline::Pair& pair) {
  const ContactCache& contacts = sim.collision.contacts();
  for (std::uint32_t c = pair.firstContact; c != ContactCache::kNone;
       c = contacts.contact(c).next) {
    if (contacts.contact(c).touching) return true;
  }
  return false;
}

/// The contact of two bodies that carries most.
std::uint32_t strongestContact(Simulation& sim, const Change& bodyPair) {
  const ContactCache& contacts = sim.collision.contacts();
  std::uint32_t best = ContactCache::kNone;
  double most = 0.0;
  forPairsOfBodies(sim, bodyPair, [&](const CollisionPipeline::Pair& pair) {
    for (std::uint32_t c = pair.firstContact; c != ContactCache::kNone;
         c = contacts.contact(c).next) {
      if (contacts.contact(c).lane == ContactCache::kNone) continue;
      sim.table.with(contacts, c, [&](const auto&, const ContactSums& sums, int lane) {
        if (!(sums.load[lane] > most)) return;
        most = sums.load[lane];
        best = c;
      });
    }
  });
  return best;
}

ContactEvent makeEvent(const Simulation& sim, ContactEventKind kind, const Change& bodyPair,
                       std::uint32_t contact, double speed) {
  ContactEvent event{
      kind, sim.idOf(bodyPair.a), sim.idOf(bodyPair.b), Coordinate::Zero(), Vector3D::Zero(),
      speed};
  if (contact == ContactCache::kNone) return event;
  const ContactRecord record = strongestPoint(sim, contact);
  event.point = record.point;
  event.normal = record.normal;
  return event;
}

/// What has become of two bodies, if anything has. Their pairs learn whether they touch.
void reportChange(Simulation& sim, const Change& change, std::vector<ContactEvent>& events) {
  const std::vector<Change>& ended = sim.eventScratch.ended;
  bool before = std::binary_search(ended.begin(), ended.end(), change, comesBefore);
  bool after = false;
  forPairsOfBodies(sim, change, [&](CollisionPipeline::Pair& pair) {
    before = before || pair.touching;
    pair.touching = isTouching(sim, pair);
    after = after || pair.touching;
  });
  if (after && !before) {
    events.push_back(
        makeEvent(sim, ContactEventKind::kBegin, change, strongestContact(sim, change), 0.0));
  } else if (before && !after) {
    events.push_back(makeEvent(sim, ContactEventKind::kEnd, change, ContactCache::kNone, 0.0));
  }
}

/// Changes have no pair in common.
void reportChanges(Simulation& sim) {
  EventScratch& scratch = sim.eventScratch;
  const std::size_t blocks = (scratch.changes.size() + kWorkGrain.reports - 1) / kWorkGrain.reports;
  openBlocks(scratch, blocks);
  sim.team->forBlocks(blocks, [&](std::size_t block) {
    std::vector<ContactEvent>& events = scratch.blocks[block].events;
    events.clear();
    const std::size_t last = std::min(scratch.changes.size(), (block + 1) * kWorkGrain.reports);
    for (std::size_t i = block * kWorkGrain.reports; i < last; ++i)
      reportChange(sim, scratch.changes[i], events);
  });
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::vector<ContactEvent>& events = scratch.blocks[block].events;
    sim.events.insert(sim.events.end(), events.begin(), events.end());
  }
}

/// One hit per pair of bodies, the fastest.
void reportHits(Simulation& sim) {
  std::vector<Hit>& hits = sim.eventScratch.hits;
  std::sort(hits.begin(), hits.end(), [](const Hit& x, const Hit& y) {
    return std::tie(x.a, x.b, y.speed, x.contact) < std::tie(y.a, y.b, x.speed, y.contact);
  });
  for (std::size_t i = 0; i < hits.size(); ++i) {
    if (i > 0 && hits[i].a == hits[i - 1].a && hits[i].b == hits[i - 1].b) continue;
    sim.events.push_back(makeEvent(sim, ContactEventKind::kHit, {hits[i].a, hits[i].b},
                                   hits[i].contact, hits[i].speed));
  }
}

}  // namespace

void recordEvents(Simulation& sim) {
  EventScratch& scratch = sim.eventScratch;
  scratch.changes.clear();
  scratch.hits.clear();
  sim.events.assign(scratch.removed.begin(), scratch.removed.end());
  scratch.removed.clear();
  collectChanges(sim);
  reportChanges(sim);
  reportHits(sim);
  sim.collision.endedPairs().clear();
  sim.collision.contacts().lostTouches().clear();
  std::sort(sim.events.begin(), sim.events.end(), [](const ContactEvent& x, const ContactEvent& y) {
    return std::tie(x.bodyA, x.bodyB, x.kind) < std::tie(y.bodyA, y.bodyB, y.kind);
  });
}

void reportRemoval(Simulation& sim, std::uint32_t slot) {
  auto& ended = sim.collision.endedPairs();
  std::vector<ContactEvent>& removed = sim.eventScratch.removed;
  for (const CollisionPipeline::EndedPair& pair : ended) {
    if (pair.bodyA != slot && pair.bodyB != slot) continue;
    const ContactEvent event = makeEvent(sim, ContactEventKind::kEnd,
                                         ordered(pair.bodyA, pair.bodyB), ContactCache::kNone, 0.0);
    // A body of several shapes ends one contact, not several.
    const bool known = std::any_of(removed.begin(), removed.end(), [&](const ContactEvent& e) {
      return e.bodyA == event.bodyA && e.bodyB == event.bodyB;
    });
    if (!known) removed.push_back(event);
  }
  std::erase_if(ended, [&](const auto& e) { return e.bodyA == slot || e.bodyB == slot; });
  std::erase_if(sim.collision.contacts().lostTouches(),
                [&](const auto& e) { return e.a == slot || e.b == slot; });
}

}  // namespace msd_sim
