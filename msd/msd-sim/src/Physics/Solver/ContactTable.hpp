#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "msd-sim/src/DataTypes/AlignedVector.hpp"
#include "msd-sim/src/DataTypes/WorkTeam.hpp"
#include "msd-sim/src/Physics/Collision/ContactCache.hpp"
#include "msd-sim/src/Physics/Constraints/Rows/ContactKernels.hpp"

namespace msd_sim {

/// The bodies of a lane, by their slots.
struct LaneBodies {
  std::uint32_t body0, body1;
  LaneBodies(const BundleBodies& bodyPair, std::size_t lane)
      : body0{static_cast<std::uint32_t>(bodyPair.body0()[lane])},
        body1{static_cast<std::uint32_t>(bodyPair.body1()[lane])} {}
};

/// The contacts of one step as the solver takes them: pack by pack, colour by colour, in bundles of
/// eight lanes (docs/theory/rows.md, X-3). Made anew in every step from the contacts that are kept
/// (ContactCache), and gone with the next.
///
/// Two contacts of one colour share no body that can be pushed. Colours are given to the contacts
/// of a pack in the order in which these are handed over; islands share no body, so that the
/// colours of an island's contacts depend on that island alone. Contacts that find no colour free
/// (of a body with very many) go to the overflow colour, one to a bundle, and are visited one after
/// the other.
class ContactTable {
 public:
  static constexpr int kColours = 64;
  static constexpr int kOverflow = kColours - 1;
  /// Packs that there is room for from the start: they become more and fewer.
  static constexpr std::size_t kSparePacks = 8;

  /// A contact to lay out.
  struct Entry {
    std::uint32_t contact{0};                     ///< number in the ContactCache
    std::array<std::uint32_t, 2> pushable{0, 0};  ///< its bodies that can be pushed; 0 is none
    bool idle{false};  ///< nothing but a push can bring it to touch in the step (K-20)
  };

  /// All lanes of one kind.
  template <int kPoints>
  struct Lanes {
    AlignedVector<BundleBodies> bodyPair;
    AlignedVector<ContactRows<kPoints>> rows;
    AlignedVector<ContactBounce<kPoints>> bounce;
    AlignedVector<ContactSums> sums;
    std::vector<BundleNotes> notes;      ///< per bundle, of the running phase
    std::vector<std::uint32_t> contact;  ///< eight per bundle, kNone in empty lanes
    std::vector<StoredContact<kPoints>*>
        stored;            ///< the same; empty lanes have one that is nobody's
    std::size_t count{0};  ///< bundles

    /// Some of the bundles, for the kernels.
    [[nodiscard]] BundleRun<kPoints> run(std::size_t first, std::size_t bundles,
                                         bool bounces = false) {
      return {bundles,
              bodyPair.data() + first,
              rows.data() + first,
              bounces ? bounce.data() + first : nullptr,
              sums.data() + first,
              notes.data() + first};
    }
    [[nodiscard]] StoredContact<kPoints>* const* storedOf(std::size_t first) const {
      return stored.data() + first * kBundleLanes;
    }
  };

  /// Bundles [first, last) of one colour of a pack, by kind.
  struct Colour {
    std::array<std::uint32_t, kContactKinds> first{};
    std::array<std::uint32_t, kContactKinds> last{};
    bool overflow{false};
    [[nodiscard]] std::size_t bundles() const {
      std::size_t sum = 0;
      for (std::size_t k = 0; k < kContactKinds; ++k) sum += last[k] - first[k];
      return sum;
    }
  };

  /// Gives contacts their lanes; `packStart` has the first entry of each pack, and the end.
  /// Contacts know their lanes afterwards (ContactCache::Contact::lane). What stands in them is
  /// written by fill, rows are made after that.
  void build(ContactCache& cache, std::span<const Entry> entries,
             std::span<const std::uint32_t> packStart, std::size_t bodies, WorkTeam& team);

  /// Names bodies and stored contacts of the lanes of some bundles of a kind.
  template <int kPoints>
  void fill(ContactCache& cache, std::size_t first, std::size_t count);

  /// Colours of a pack, in the order of a sweep.
  [[nodiscard]] std::span<const Colour> coloursOf(std::size_t pack) const {
    return std::span{colours_}.subspan(colour_start_[pack],
                                       colour_start_[pack + 1] - colour_start_[pack]);
  }
  /// The largest number of colours of a pack, the overflow colour not counted.
  [[nodiscard]] std::uint32_t mostColours() const { return most_colours_; }
  [[nodiscard]] bool isEmpty() const { return contacts_ == 0; }
  [[nodiscard]] std::size_t count() const { return contacts_; }

  template <int kPoints>
  [[nodiscard]] Lanes<kPoints>& lanes() {
    return std::get<Lanes<kPoints>>(lanes_);
  }
  template <int kPoints>
  [[nodiscard]] const Lanes<kPoints>& lanes() const {
    return std::get<Lanes<kPoints>>(lanes_);
  }

  /// Of all packs: the bundles of a kind from 0 on.
  [[nodiscard]] std::array<std::size_t, kContactKinds> bundleCounts() const {
    return {lanes<1>().count, lanes<2>().count, lanes<4>().count};
  }

  /// Calls visit(contact's number, its bodies, rows, sums, lane) for the contacts of a pack, in the
  /// order of a sweep.
  template <class Visit>
  void forContacts(std::size_t pack, const Visit& visit) {
    for (const Colour& colour : coloursOf(pack)) {
      forLanes(lanes<4>(), colour.first[2], colour.last[2], visit);
      forLanes(lanes<2>(), colour.first[1], colour.last[1], visit);
      forLanes(lanes<1>(), colour.first[0], colour.last[0], visit);
    }
  }
  /// The same for some bundles of a kind.
  template <int kPoints, class Visit>
  static void forLanes(Lanes<kPoints>& l, std::size_t first, std::size_t last, const Visit& visit) {
    for (std::size_t bundle = first; bundle < last; ++bundle) {
      for (std::size_t lane = 0; lane < kBundleLanes; ++lane) {
        const std::uint32_t id = l.contact[bundle * kBundleLanes + lane];
        if (id == ContactCache::kNone) continue;
        visit(id, LaneBodies{l.bodyPair[bundle], lane}, l.rows[bundle], l.sums[bundle],
              static_cast<int>(lane));
      }
    }
  }
  /// The same for those that are not idle (K-20).
  template <int kPoints, class Visit>
  static void forBusyLanes(Lanes<kPoints>& l, std::size_t first, std::size_t last,
                           const Visit& visit) {
    for (std::size_t bundle = first; bundle < last; ++bundle) {
      const unsigned idle = l.notes[bundle].idle;
      if (idle == 0xFFu) continue;
      forLanes(l, bundle, bundle + 1,
               [&](std::uint32_t id, LaneBodies bodies, auto& rows, auto& sums, int lane) {
                 if ((idle >> lane & 1u) == 0) visit(id, bodies, rows, sums, lane);
               });
    }
  }
  /// The same for all.
  template <class Visit>
  void forEach(const Visit& visit) {
    for (std::size_t pack = 0; pack + 1 < colour_start_.size(); ++pack) forContacts(pack, visit);
  }
  /// Calls read(rows, sums, lane) for a contact that has a lane.
  template <class Read>
  void with(const ContactCache& cache, std::uint32_t id, const Read& read) {
    const std::uint32_t at = cache.contact(id).lane;
    const std::size_t bundle = at / kBundleLanes;
    ContactCache::forKind(ContactCache::kindOf(id), [&]<int kPoints>() {
      Lanes<kPoints>& l = lanes<kPoints>();
      read(l.rows[bundle], l.sums[bundle], static_cast<int>(at % kBundleLanes));
    });
  }
  template <class Read>
  void with(const ContactCache& cache, std::uint32_t id, const Read& read) const {
    const std::uint32_t at = cache.contact(id).lane;
    const std::size_t bundle = at / kBundleLanes;
    ContactCache::forKind(ContactCache::kindOf(id), [&]<int kPoints>() {
      const Lanes<kPoints>& l = lanes<kPoints>();
      read(l.rows[bundle], l.sums[bundle], static_cast<int>(at % kBundleLanes));
    });
  }

  /// Forgets everything, of contacts that are no longer those it was made from.
  void clear();

 private:
  /// Of each kind first the contacts that act, then those that are idle.
  static constexpr std::size_t kSorts = 2 * kContactKinds;
  [[nodiscard]] static std::size_t sortOf(const Entry& entry) {
    return 2 * static_cast<std::size_t>(ContactCache::kindOf(entry.contact)) + (entry.idle ? 1 : 0);
  }
  /// Contacts of each colour and sort of a pack, or their next lanes.
  using Counts = std::array<std::array<std::uint32_t, kSorts>, kColours>;

  /// What stands in an empty lane: a contact of nobody with nobody.
  template <int kPoints>
  [[nodiscard]] StoredContact<kPoints>& spare() {
    return std::get<StoredContact<kPoints>>(spares_);
  }
  template <int kPoints>
  void resizeLanes(std::size_t bundles);
  /// Contacts of a pack that are given their lanes by one thread.
  struct Part {
    std::uint32_t pack, first, last;  ///< entries
    Counts before;                    ///< contacts of the pack in the parts before it
  };
  /// Cuts packs into parts.
  void openParts(std::span<const std::uint32_t> packStart);
  void chooseColours(std::span<const Entry> entries, std::size_t pack);
  void cutColours(std::size_t pack, std::array<std::uint32_t, kContactKinds>& next);
  void placeEntries(ContactCache& cache, std::span<const Entry> entries, const Part& part);

  std::tuple<Lanes<1>, Lanes<2>, Lanes<4>> lanes_;
  std::tuple<StoredContact<1>, StoredContact<2>, StoredContact<4>> spares_;
  std::vector<Colour> colours_;
  std::vector<std::uint32_t> colour_start_{0};  ///< first of each pack, and the end
  std::size_t contacts_{0};
  std::uint32_t most_colours_{0};

  // Scratch of build.
  std::vector<std::uint8_t> chosen_;         ///< colour of each entry
  std::vector<std::uint64_t> body_colours_;  ///< per body slot: bit set of colours in use
  std::vector<Counts> counts_;               ///< per pack
  std::vector<Part> parts_;
  std::vector<std::uint32_t> part_start_;  ///< first of each pack, and the end
};

}  // namespace msd_sim
