#include <algorithm>
#include <mutex>
#include <tuple>

#include "msd-sim/src/Environment/Simulation.hpp"
#include "msd-sim/src/Environment/Stages/RowPasses.hpp"
#include "msd-sim/src/Environment/WorldContacts.hpp"

namespace msd_sim {

namespace {

using Change = EventScratch::Change;
using Hit = EventScratch::Hit;

Change ordered(std::uint32_t a, std::uint32_t b) {
  return {std::min(a, b), std::max(a, b)};
}

/// Who began or ceased to carry an impulse in this step, and who approached fast.
void collectChanges(Simulation& sim) {
  std::vector<Change>& changes = sim.eventScratch.changes;
  ContactCache& contacts = sim.collision.contacts();
  const std::span<const CollisionPipeline::Pair> pairs = sim.collision.pairs();
  const double threshold = sim.settings.restitutionThreshold;
  // Both lists are sorted afterwards: who adds first does not matter.
  std::mutex lists;
  const auto look = [&](std::uint32_t id, const BundleBodies& bodies, const ContactSums& sums,
                        std::size_t lane) {
    ContactCache::Contact& contact = contacts.contact(id);
    const bool touches = sums.load[lane] > 0.0, changed = touches != contact.touching;
    contact.touching = touches;
    // Without a threshold only the first touch is a hit; else every resting contact would be.
    const bool hits = touches && sums.approach[lane] > threshold &&
                      (threshold > 0.0 || !pairs[contact.pair].touching);
    if (!changed && !hits) return;
    const Change who = ordered(static_cast<std::uint32_t>(bodies.body[lane]),
                               static_cast<std::uint32_t>(bodies.body[kBundleLanes + lane]));
    const std::lock_guard lock{lists};
    if (changed) changes.push_back(who);
    if (hits) sim.eventScratch.hits.push_back({who.a, who.b, sums.approach[lane], id});
  };
  forAllBundles(sim, [&](const auto&, auto& lanes, std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; ++i) {
      for (std::size_t lane = 0; lane < kBundleLanes; ++lane) {
        const std::uint32_t id = lanes.contact[i * kBundleLanes + lane];
        if (id != ContactCache::kNone) look(id, lanes.who[i], lanes.sums[i], lane);
      }
    }
  });
  for (const ContactBodies& lost : contacts.lostTouches()) {
    changes.push_back(ordered(lost.a, lost.b));
  }
  for (CollisionPipeline::EndedPair& ended : sim.collision.endedPairs()) {
    const Change change = ordered(ended.bodyA, ended.bodyB);
    ended = {change.a, change.b};
    changes.push_back(change);
  }
  std::sort(changes.begin(), changes.end(), [](const Change& x, const Change& y) {
    return std::tie(x.a, x.b) < std::tie(y.a, y.b);
  });
  changes.erase(
      std::unique(changes.begin(), changes.end(),
                  [](const Change& x, const Change& y) { return x.a == y.a && x.b == y.b; }),
      changes.end());
}

/// Calls visit(pair) for every pair of colliders of two bodies.
template <class Visit>
void forPairsOfBodies(Simulation& sim, const Change& who, const Visit& visit) {
  const auto colliders = sim.collision.colliders();
  for (std::uint32_t a = sim.slots[who.a].firstCollider; a != Collider::kNone;
       a = colliders[a].nextOfBody) {
    for (std::uint32_t b = sim.slots[who.b].firstCollider; b != Collider::kNone;
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
std::uint32_t strongestContact(Simulation& sim, const Change& who) {
  const ContactCache& contacts = sim.collision.contacts();
  std::uint32_t best = ContactCache::kNone;
  double most = 0.0;
  forPairsOfBodies(sim, who, [&](const CollisionPipeline::Pair& pair) {
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

ContactEvent makeEvent(const Simulation& sim, ContactEventKind kind, const Change& who,
                       std::uint32_t contact, double speed) {
  ContactEvent event{kind, sim.idOf(who.a), sim.idOf(who.b), Coordinate::Zero(), Vector3D::Zero(),
                     speed};
  if (contact == ContactCache::kNone) return event;
  const ContactRecord record = strongestPoint(sim, contact);
  event.point = record.point;
  event.normal = record.normal;
  return event;
}

void reportChanges(Simulation& sim) {
  const auto& ended = sim.collision.endedPairs();
  for (const Change& change : sim.eventScratch.changes) {
    bool before = std::any_of(ended.begin(), ended.end(), [&](const auto& e) {
      return e.bodyA == change.a && e.bodyB == change.b;
    });
    bool after = false;
    forPairsOfBodies(sim, change, [&](CollisionPipeline::Pair& pair) {
      before = before || pair.touching;
      pair.touching = isTouching(sim, pair);
      after = after || pair.touching;
    });
    if (after && !before) {
      sim.events.push_back(
          makeEvent(sim, ContactEventKind::kBegin, change, strongestContact(sim, change), 0.0));
    } else if (before && !after) {
      sim.events.push_back(
          makeEvent(sim, ContactEventKind::kEnd, change, ContactCache::kNone, 0.0));
    }
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
