#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "msd-sim/src/DataTypes/AlignedVector.hpp"
#include "msd-sim/src/DataTypes/Bytes.hpp"
#include "msd-sim/src/Physics/Collision/ContactManifold.hpp"
#include "msd-sim/src/Physics/Collision/ImpulseMemory.hpp"
#include "msd-sim/src/Physics/Constraints/Rows/ContactFollow.hpp"
#include "msd-sim/src/Physics/Constraints/Rows/ContactRows.hpp"
#include "msd-sim/src/Physics/Constraints/Rows/SolverBodies.hpp"

namespace msd_sim {

/// Who touches whom, in terms of body slots.
struct ContactBodies {
  std::uint32_t a{0};
  std::uint32_t b{0};
  bool aMoves{false};  ///< can be pushed: not static, kinematic or asleep
  bool bMoves{false};
};

/// How round the surfaces of a pair are where they touch, 0 at corners and faces [m].
struct ContactRounding {
  double a{0.0};
  double b{0.0};
  bool balls{false};  ///< both are balls about their bodies' centres of mass
  FollowMode follow{FollowMode::kStay};
  Vector3D slideA{Vector3D::Zero()};  ///< along which the core of A may move, world, unit or zero
  Vector3D slideB{Vector3D::Zero()};
};

/// Coefficients of a pair.
struct ContactMaterial {
  double friction{0.0};
  double restitution{0.0};
  double rollingResistance{0.0};
  double torsionalResistance{0.0};
  bool special{false};  ///< a surface moves or gives way (docs/theory/surfaces.md)
};

/// Resistance of a contact to rolling and spinning (docs/theory/resistance.md).
struct ContactResistance {
  double rolling{0.0};    ///< lever arm [m]
  double torsional{0.0};  ///< lever arm [m]
  double impulse[3]{};    ///< on the pair's row body 1, world: guess for the next phase [N·m·s]
  bool special{false};    ///< has a law of its own besides (SurfaceRows)
  [[nodiscard]] bool isThere() const { return rolling > 0.0 || torsional > 0.0 || special; }
};

/// The contacts of a world, kept from step to step with their features and impulses, and laid out
/// for the solver: by colour, in bundles of eight lanes. Two contacts of one colour share no body
/// that can be pushed.
///
/// A contact keeps its colour while it lives, and goes to bundles of another kind when its number of
/// points changes. Removing one moves the last contact of the same colour and kind into its lane.
/// Contacts that find no free colour (a body with very many) go to the overflow colour, one to a
/// bundle, and are solved one after the other. Contacts between bodies that cannot be pushed are
/// parked: they keep everything and are left alone.
///
/// Every body belongs to a solve group, which is that of its island (docs/theory/plan.md): the schedule by
/// which its contacts are swept. Each group has colours of its own; a contact keeps its colour when its island
/// changes the group, so that colours depend on the island alone.
class ContactCache {
 public:
  /// Colours of a group, the overflow colour among them.
  static constexpr int kColours = 64;
  static constexpr int kOverflow = kColours - 1;
  static constexpr int kGroups = 3;
  /// Where contacts wait whose bodies can all not be pushed (asleep): no pass visits them.
  static constexpr int kParked = kGroups * kColours;
  [[nodiscard]] static constexpr int groupOfColour(int colour) { return colour / kColours; }
  [[nodiscard]] static constexpr bool isOverflow(int colour) {
    return colour < kParked && colour % kColours == kOverflow;
  }
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;

  /// By the number of points: one, two (an edge on a face), up to four.
  enum class Kind : std::uint8_t { kPoint, kLine, kPatch };
  [[nodiscard]] static Kind kindFor(int points) {
    return points <= 1 ? Kind::kPoint : points == 2 ? Kind::kLine : Kind::kPatch;
  }

  /// Where a contact stands.
  struct Contact {
    std::uint32_t pair{kNone};  ///< index of the pair of colliders
    std::uint32_t next{kNone};  ///< next contact of the same pair
    std::uint32_t slot{0};      ///< lane number within colour and kind
    std::uint16_t colour{0};
    Kind kind{Kind::kPoint};
    bool bounces{false};   ///< its pair has a restitution
    bool flipped{false};   ///< row body 0 is the pair's body B
    bool touching{false};  ///< carried an impulse in the last step
    std::uint64_t born{0};  ///< frame in which it was made
  };

  /// Book-keeping of one lane.
  struct LaneMeta {
    std::uint32_t contact{kNone};
    std::array<std::uint32_t, ContactManifold::kMaxPoints> feature{};
  };

  template <int kPoints>
  struct Colour {
    AlignedVector<ContactBundle<kPoints>> bundles;
    AlignedVector<ContactFollow<kPoints>> follow;
    AlignedVector<ContactRows<kPoints>> rows;
    AlignedVector<BundleBodies> who;  ///< per bundle; written with the rows
    AlignedVector<ContactBounce<kPoints>> bounce;
    AlignedVector<ContactSums> sums;
    std::vector<std::uint8_t> busy;  ///< per bundle: BundleNote of the running phase
    std::vector<LaneMeta> meta;  ///< eight per bundle
    std::uint32_t count{0};      ///< contacts; in the overflow colour also the number of bundles
  };

  /// Makes room for body slots up to `count`.
  void resizeBodies(std::size_t count) {
    if (count <= body_colours_.size()) return;
    body_colours_.resize(count);
    body_groups_.resize(count);
  }

  /// The group of every body slot. Moves the contacts of bodies whose group is another now; their impulses,
  /// which belong to a phase of the length of their group, are multiplied by lengths[new] / lengths[old].
  void setGroups(std::span<const std::uint8_t> groupOfBody, const std::array<double, kGroups>& lengths);

  /// A contact without points; the first update brings them.
  std::uint32_t add(std::uint32_t pair, const ContactBodies& bodies,
                    const ContactMaterial& material);
  void remove(std::uint32_t contact);

  /// Moves a contact to a colour that suits who can be pushed now; features and impulses stay.
  void recolour(std::uint32_t contact, bool aMoves, bool bMoves);
  /// Gives contacts the lowest colours that are free by now, so that the colours are few and full.
  void lowerColours();
  [[nodiscard]] const ContactBodies& bodies(std::uint32_t contact) const { return bodies_[contact]; }

  /// Bodies of contacts that were removed while they touched, since the list was last cleared.
  [[nodiscard]] std::vector<ContactBodies>& lostTouches() { return lost_; }

  /// Takes over a freshly computed manifold; impulses of points whose feature is still there stay.
  void update(std::uint32_t contact, const ContactManifold& manifold, const ContactBodies& bodies,
              const ContactRounding& rounding, const SolverBodies& poses);

  /// Contact normal in the world, from the pair's body A to B.
  [[nodiscard]] Vector3D normal(std::uint32_t contact, const SolverBodies& poses) const;
  [[nodiscard]] const Contact& contact(std::uint32_t id) const { return contacts_[id]; }
  [[nodiscard]] Contact& contact(std::uint32_t id) { return contacts_[id]; }
  [[nodiscard]] bool exists(std::uint32_t id) const {
    return id < contacts_.size() && contacts_[id].pair != kNone;
  }
  [[nodiscard]] std::uint32_t count() const { return live_count_; }
  /// Contacts whose pair has a restitution.
  [[nodiscard]] std::uint32_t bouncingCount() const { return bouncing_count_; }
  /// Contacts that resist rolling or spinning.
  [[nodiscard]] std::uint32_t resistingCount() const { return resisting_count_; }
  [[nodiscard]] ContactResistance resistance(std::uint32_t id) const {
    return id < resistances_.size() ? resistances_[id] : ContactResistance{};
  }
  /// Keeps the guess of a contact that resists.
  void keepResistance(std::uint32_t id, const Vector3D& impulse) {
    for (int c = 0; c < 3; ++c) resistances_[id].impulse[c] = impulse[c];
  }
  /// Other coefficients for a contact that is there.
  void setCoefficients(std::uint32_t id, double friction, double restitution);
  /// Increases whenever a contact is added or removed.
  [[nodiscard]] std::uint64_t version() const { return version_; }

  /// Bundles in use of a colour.
  template <int kPoints>
  [[nodiscard]] std::size_t bundleCount(int colour) const {
    const std::size_t n = colours<kPoints>()[static_cast<std::size_t>(colour)].count;
    return isOverflow(colour) ? n : (n + kBundleLanes - 1) / kBundleLanes;
  }
  template <int kPoints>
  [[nodiscard]] std::vector<Colour<kPoints>>& colours() {
    if constexpr (kPoints == 1) {
      return points_;
    } else if constexpr (kPoints == 2) {
      return lines_;
    } else {
      return patches_;
    }
  }
  template <int kPoints>
  [[nodiscard]] const std::vector<Colour<kPoints>>& colours() const {
    if constexpr (kPoints == 1) {
      return points_;
    } else if constexpr (kPoints == 2) {
      return lines_;
    } else {
      return patches_;
    }
  }
  /// From its first on, all colours of a group that are in use; the overflow colour is not counted.
  [[nodiscard]] int usedColours(int group) const { return used_colours_[static_cast<std::size_t>(group)]; }
  /// The largest of these, none of whose last colours is empty now.
  [[nodiscard]] int countColours();

  /// Calls visit(colour) for the colours of a group in use, the overflow colour last.
  template <class Visit>
  static void forColoursOf(int group, int used, const Visit& visit) {
    for (int c = 0; c < used; ++c) visit(group * kColours + c);
    visit(group * kColours + kOverflow);
  }
  template <class Visit>
  void forEachColour(int group, const Visit& visit) const {
    forColoursOf(group, usedColours(group), visit);
  }
  /// The same for all groups, in a fixed order.
  template <class Visit>
  void forEachColour(const Visit& visit) const {
    for (int group = 0; group < kGroups; ++group) forEachColour(group, visit);
  }

  /// Calls visit(contactId, contact, bundle, rows, sums, lane) in the same order, patches first,
  /// points last.
  template <class Visit>
  void forEach(const Visit& visit) {
    forEachColour([&](int c) {
      visitColour<4>(c, visit);
      visitColour<2>(c, visit);
      visitColour<1>(c, visit);
    });
  }

  /// The same for the contacts that are parked.
  template <class Visit>
  void forEachParked(const Visit& visit) {
    visitColour<4>(kParked, visit);
    visitColour<2>(kParked, visit);
    visitColour<1>(kParked, visit);
  }
  /// Calls read(contact, bundle, rows, sums, lane) for one contact.
  template <class Read>
  void with(std::uint32_t id, const Read& read) const {
    const Contact& c = contacts_[id];
    const std::size_t bundle = bundleOf(c);
    forKind(c.kind, [&]<int kPoints>() {
      const Colour<kPoints>& colour = colours<kPoints>()[c.colour];
      read(c, colour.bundles[bundle], colour.rows[bundle], colour.sums[bundle], laneOf(c));
    });
  }
  template <class Work>
  void with(std::uint32_t id, const Work& work) {
    const Contact& c = contacts_[id];
    const std::size_t bundle = bundleOf(c);
    forKind(c.kind, [&]<int kPoints>() {
      Colour<kPoints>& colour = colours<kPoints>()[c.colour];
      work(c, colour.bundles[bundle], colour.rows[bundle], colour.sums[bundle], laneOf(c));
    });
  }
  /// Rebound speeds of the lanes of a contact's point, or none where its pair does not bounce.
  [[nodiscard]] const double* reboundOf(const Contact& c, int point) const {
    if (!c.bounces) return nullptr;
    const double* speeds = nullptr;
    forKind(c.kind, [&]<int kPoints>() {
      speeds = colours<kPoints>()[c.colour].bounce[bundleOf(c)].velocity[point];
    });
    return speeds;
  }
  /// Book-keeping of a contact's lane.
  [[nodiscard]] const LaneMeta& laneMeta(std::uint32_t id) const {
    const Contact& c = contacts_[id];
    const std::size_t at = bundleOf(c) * kBundleLanes + static_cast<std::size_t>(laneOf(c));
    const LaneMeta* meta = nullptr;
    forKind(c.kind, [&]<int kPoints>() { meta = &colours<kPoints>()[c.colour].meta[at]; });
    return *meta;
  }

  /// Puts contacts that are near each other into the same bundles: by island, then by body. Changes no
  /// result, only how well the bodies stay in the processor's cache. To be called before the rows of a
  /// step are made.
  void sortLanes(std::span<const std::uint32_t> islandOfBody);

  void save(ByteWriter& out) const;
  /// Throws std::invalid_argument on bytes that no save wrote.
  void load(ByteReader& in);
  /// What is wrong with the contacts of a world of so many body slots, or nothing: lanes, lists, colours, counts
  /// and numbers. Lists of pairs are looked at by CollisionPipeline::findFault.
  [[nodiscard]] const char* findFault(std::size_t bodies) const;

  /// Bundle and lane of a contact.
  [[nodiscard]] static std::size_t bundleOf(const Contact& c) {
    return isOverflow(c.colour) ? c.slot : c.slot / kBundleLanes;
  }
  [[nodiscard]] static int laneOf(const Contact& c) {
    return isOverflow(c.colour) ? 0 : static_cast<int>(c.slot % kBundleLanes);
  }

  /// The frame counter that ages entries which no step refreshes.
  void advanceFrame() {
    ++frame_;
    fresh_count_ = 0;
  }
  /// Contacts made in this frame.
  [[nodiscard]] std::uint32_t freshCount() const { return fresh_count_; }
  [[nodiscard]] std::uint64_t frame() const { return frame_; }
  /// Frames that an impulse is remembered for after its contact was last there.
  static constexpr std::uint64_t kMaxAge = 8;
  /// Drops impulses whose contact has not been there for `maxAge` frames, and freed entries at the end
  /// of the pool, once more are free than in use.
  void expireOldEntries(std::uint64_t maxAge = kMaxAge);
  /// Impulses by name, for the reference method (Environment/Reference).
  [[nodiscard]] ImpulseMemory& impulses() { return impulses_; }
  [[nodiscard]] const ImpulseMemory& impulses() const { return impulses_; }
  void clear();

 private:
  /// Calls work.operator()<kPoints>() for the lanes of a kind.
  template <class Work>
  static void forKind(Kind kind, const Work& work) {
    switch (kind) {
      case Kind::kPoint: return work.template operator()<1>();
      case Kind::kLine: return work.template operator()<2>();
      case Kind::kPatch: return work.template operator()<4>();
    }
  }

  template <int kPoints, class Visit>
  void visitColour(int c, const Visit& visit) {
    Colour<kPoints>& colour = colours<kPoints>()[static_cast<std::size_t>(c)];
    for (std::uint32_t slot = 0; slot < colour.count; ++slot) {
      const std::size_t bundle = isOverflow(c) ? slot : slot / kBundleLanes;
      const int lane = isOverflow(c) ? 0 : static_cast<int>(slot % kBundleLanes);
      const std::uint32_t id =
          colour.meta[bundle * kBundleLanes + static_cast<std::size_t>(lane)].contact;
      visit(id, contacts_[id], colour.bundles[bundle], colour.rows[bundle], colour.sums[bundle],
            lane);
    }
  }

  struct OldPoints;
  [[nodiscard]] int groupOf(const ContactBodies& bodies) const;
  [[nodiscard]] int chooseColour(const ContactBodies& bodies) const;
  void markBodies(const ContactBodies& bodies, int colour, bool used);
  template <int kPoints>
  void openLane(Contact& contact, std::uint32_t id, const ContactBodies& bodies,
                const ContactMaterial& material);
  template <int kPoints>
  void closeLane(const Contact& contact);
  template <int kPoints>
  void moveLane(Contact& contact, std::uint32_t id, int colour);
  template <int kPoints>
  void placeLane(Contact& contact);
  template <int kPoints>
  void lowerColour(int colour);
  template <int kPoints>
  void regroupColour(int colour, const std::array<double, kGroups>& lengths);
  template <int kPoints>
  void sortColour(Colour<kPoints>& colour, std::span<const std::uint32_t> islandOfBody);
  template <int kPoints>
  void saveColour(int colour, ByteWriter& out) const;
  template <int kPoints>
  void loadColour(int colour, ByteReader& in);
  template <int kPoints>
  [[nodiscard]] const char* findLaneFault(int colour, std::size_t bodies, std::vector<std::uint8_t>& seen) const;
  [[nodiscard]] const char* findBookFault(std::size_t bodies) const;
  void changeKind(Contact& contact, std::uint32_t id, Kind kind);
  template <int kPoints>
  void writeLane(Contact& contact, const ContactManifold& manifold, const ContactBodies& bodies,
                 const ContactRounding& rounding, const SolverBodies& poses,
                 const OldPoints& old);
  /// Notes the cores of a lane whose anchors and normal have been written.
  template <int kPoints>
  void writeFollow(const Contact& contact, const ContactRounding& rounding,
                   const SolverBodies& poses);

  std::vector<Colour<1>> points_{kParked + 1};
  std::vector<Colour<2>> lines_{kParked + 1};
  std::vector<Colour<4>> patches_{kParked + 1};
  std::array<std::uint8_t, kGroups> used_colours_{};
  std::vector<Contact> contacts_;
  std::vector<ContactBodies> bodies_;  ///< per contact, as they were when it was coloured
  std::vector<ContactResistance> resistances_;  ///< per contact, as far as any resists
  std::vector<std::uint32_t> free_;
  std::vector<ContactBodies> lost_;
  std::vector<std::uint64_t> body_colours_;  ///< per body slot: bit set of colours in use
  std::vector<std::uint8_t> body_groups_;
  /// Scratch of sortLanes.
  struct LaneKey {
    std::uint64_t key;
    std::uint32_t slot;
    bool operator<(const LaneKey& other) const {
      return key != other.key ? key < other.key : slot < other.slot;
    }
  };
  std::vector<LaneKey> lane_keys_;
  std::vector<LaneMeta> spare_meta_;
  template <int kPoints>
  struct Spare {
    AlignedVector<ContactBundle<kPoints>> bundles;
    AlignedVector<ContactFollow<kPoints>> follow;
  };
  std::tuple<Spare<1>, Spare<2>, Spare<4>> spares_;
  std::uint32_t live_count_{0};
  std::uint32_t bouncing_count_{0};
  std::uint32_t resisting_count_{0};
  std::uint32_t fresh_count_{0};
  std::uint64_t version_{0};
  std::uint64_t frame_{0};
  ImpulseMemory impulses_;
};

}  // namespace msd_sim
