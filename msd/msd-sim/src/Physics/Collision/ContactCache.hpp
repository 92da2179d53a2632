#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "msd-sim/src/DataTypes/AlignedVector.hpp"
#include "msd-sim/src/DataTypes/Bytes.hpp"
#include "msd-sim/src/DataTypes/Pose.hpp"
#include "msd-sim/src/DataTypes/Vector3D.hpp"
#include "msd-sim/src/Physics/Collision/CarriedPoints.hpp"
#include "msd-sim/src/Physics/Collision/ContactManifold.hpp"
#include "msd-sim/src/Physics/Collision/ImpulseMemory.hpp"
#include "msd-sim/src/Physics/Collision/StoredContact.hpp"
#include "msd-sim/src/Physics/Constraints/Rows/SolverBodies.hpp"

namespace msd_sim {

/// Two bodies that touch, by their slots.
struct ContactBodies {
  std::uint32_t a{0};
  std::uint32_t b{0};
};

/// Where the bodies of a contact stand, centres of mass and body axes.
struct ContactPlaces {
  const Placement& a;
  const Placement& b;
  double size;  ///< of the smaller one [m]
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
  double moment[3]{};     ///< on the pair's row body 1, world: expected, per second of a substep [N·m]
  bool special{false};    ///< has a law of its own besides (SurfaceRows)
  [[nodiscard]] bool isThere() const { return rolling > 0.0 || torsional > 0.0 || special; }
};

/// The contacts of a world, kept from step to step with their features and forces. How a step lays them out for
/// its solver is ContactTable's business: here they come and go in any order.
///
/// A contact's number tells its kind in the lowest bits; it is another one once the kind has changed.
class ContactCache {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;

  /// By the number of points.
  enum class Kind : std::uint8_t { kPoint, kLine, kPatch };
  [[nodiscard]] static Kind kindFor(int points) {
    return points <= 1 ? Kind::kPoint : points == 2 ? Kind::kLine : Kind::kPatch;
  }
  [[nodiscard]] static Kind kindOf(std::uint32_t id) { return static_cast<Kind>(id % kNumberStep); }
  [[nodiscard]] static std::size_t indexOf(std::uint32_t id) { return id / kNumberStep; }
  /// Calls work.operator()<kPoints>() for a kind.
  template <class Work>
  static decltype(auto) forKind(Kind kind, const Work& work) {
    switch (kind) {
      case Kind::kPoint: return work.template operator()<1>();
      case Kind::kLine: return work.template operator()<2>();
      default: return work.template operator()<4>();
    }
  }

  /// Book-keeping of a contact.
  struct Contact {
    std::uint32_t pair{kNone};      ///< index of the pair of colliders
    std::uint32_t next{kNone};      ///< next contact of the same pair
    ContactBodies bodies{};         ///< of the pair
    std::uint32_t lane{kNone};      ///< in the table of the last step, or none
    std::uint32_t resistance{kNone};  ///< place in the list of those that resist
    std::array<std::uint32_t, ContactManifold::kMaxPoints> feature{};
    std::uint64_t born{0};          ///< frame in which it was made
    std::uint64_t idle{0};          ///< frame of the last test that found that only a push can close it (K-20)
    float spare{0.0f};              ///< the push that it takes, as a way in the step [m]
    std::uint8_t order{0};          ///< among the contacts of its pair
    bool bounces{false};            ///< its pair has a restitution
    bool flipped{false};            ///< row body 0 is the pair's body B
    bool touching{false};           ///< carried a force in the last step

    [[nodiscard]] std::uint32_t body0() const { return flipped ? bodies.b : bodies.a; }
    [[nodiscard]] std::uint32_t body1() const { return flipped ? bodies.a : bodies.b; }
  };

  // Contacts come, go and change their kind one after the other; what stands in them may be read before and written
  // afterwards side by side.

  /// A contact of a kind; its points are to be written, as those of something new.
  std::uint32_t add(std::uint32_t pair, const ContactBodies& bodies, const ContactMaterial& material, Kind kind);
  void remove(std::uint32_t contact);
  /// Changes a contact's kind. Its number is another one then, and its points are to be written, as those of something new.
  [[nodiscard]] std::uint32_t moveTo(std::uint32_t contact, Kind kind);

  /// What a contact hands on.
  [[nodiscard]] CarriedPoints carriedBy(std::uint32_t contact, const ContactPlaces& places) const;
  /// A freshly computed manifold, and what is handed on to it: forces of points whose feature is still there stay.
  struct NewPoints {
    const ContactManifold& manifold;
    const ContactRounding& rounding;
    const CarriedPoints& carried;
  };
  /// Writes the points of a contact that has the manifold's kind.
  void write(std::uint32_t contact, const NewPoints& points, const ContactPlaces& places, bool isNew);

  /// Takes over a manifold within a step: the contact keeps its kind, its row bodies and no fewer points than it had.
  /// What its points carry is the business of the rows.
  void renew(std::uint32_t contact, const ContactManifold& manifold, const ContactRounding& rounding,
             const ContactPlaces& places);

  /// Bodies of contacts that were removed while they touched, since the list was last cleared.
  [[nodiscard]] std::vector<ContactBodies>& lostTouches() { return lost_; }

  /// Contact normal in the world, from the pair's body A to B.
  [[nodiscard]] Vector3D normal(std::uint32_t contact, const ContactPlaces& places) const;

  [[nodiscard]] const Contact& contact(std::uint32_t id) const {
    return records_[id % kNumberStep][indexOf(id)];
  }
  [[nodiscard]] Contact& contact(std::uint32_t id) { return records_[id % kNumberStep][indexOf(id)]; }
  template <int kPoints>
  [[nodiscard]] StoredContact<kPoints>& numbers(std::uint32_t id) {
    return std::get<AlignedVector<StoredContact<kPoints>>>(numbers_)[indexOf(id)];
  }
  template <int kPoints>
  [[nodiscard]] const StoredContact<kPoints>& numbers(std::uint32_t id) const {
    return std::get<AlignedVector<StoredContact<kPoints>>>(numbers_)[indexOf(id)];
  }
  /// Calls read(numbers of the contact).
  template <class Read>
  void with(std::uint32_t id, const Read& read) const {
    forKind(kindOf(id), [&]<int kPoints>() { read(numbers<kPoints>(id)); });
  }
  template <class Work>
  void with(std::uint32_t id, const Work& work) {
    forKind(kindOf(id), [&]<int kPoints>() { work(numbers<kPoints>(id)); });
  }
  [[nodiscard]] bool exists(std::uint32_t id) const {
    return id % kNumberStep < kContactKinds && indexOf(id) < records_[id % kNumberStep].size() &&
           contact(id).pair != kNone;
  }
  /// Calls visit(number, book-keeping) for all contacts, in no lasting order.
  template <class Visit>
  void forEach(const Visit& visit) {
    forPlaces(0, places(), visit);
  }
  /// Places of contacts, kind after kind, the free ones among them: threads share them in ranges.
  [[nodiscard]] std::size_t places() const {
    std::size_t sum = 0;
    for (const std::vector<Contact>& records : records_) sum += records.size();
    return sum;
  }
  /// The same for the contacts in the places [first, last).
  template <class Visit>
  void forPlaces(std::size_t first, std::size_t last, const Visit& visit) {
    std::size_t before = 0;
    for (std::uint32_t kind = 0; kind < kContactKinds; ++kind) {
      std::vector<Contact>& records = records_[kind];
      const std::size_t end = std::min(last, before + records.size());
      for (std::size_t i = std::max(first, before); i < end; ++i) {
        Contact& contact = records[i - before];
        if (contact.pair != kNone) visit(static_cast<std::uint32_t>(i - before) * kNumberStep + kind, contact);
      }
      before += records.size();
    }
  }

  [[nodiscard]] std::uint32_t count() const { return live_count_; }
  /// Contacts whose pair has a restitution.
  [[nodiscard]] std::uint32_t bouncingCount() const { return bouncing_count_; }
  /// Contacts that resist rolling or spinning, or have a law of their own.
  [[nodiscard]] std::uint32_t resistingCount() const { return resisting_count_; }
  [[nodiscard]] ContactResistance resistance(std::uint32_t id) const {
    const std::uint32_t place = contact(id).resistance;
    return place == kNone ? ContactResistance{} : resistances_[place];
  }
  /// Keeps what a contact that resists is expected to carry.
  void keepResistance(std::uint32_t id, const Vector3D& moment) {
    for (int c = 0; c < 3; ++c) resistances_[contact(id).resistance].moment[c] = moment[c];
  }
  /// Other coefficients for a contact that is there.
  void setCoefficients(std::uint32_t id, double friction, double restitution);
  /// Has the test of this step found that only a push can bring the contact to touch (K-20)?
  [[nodiscard]] bool isIdle(const Contact& contact) const {
    return contact.idle == frame_ && !contact.touching;
  }
  /// `spare`: the push that it takes to close it, as a way in the step; 0 where it takes none [m].
  void setSpare(std::uint32_t id, float spare) {
    contact(id).idle = spare > 0.0f ? frame_ : 0;
    contact(id).spare = spare;
  }

  /// Increases whenever a contact is added or removed.
  [[nodiscard]] std::uint64_t version() const { return version_; }

  void save(ByteWriter& out) const;
  /// Throws std::invalid_argument on bytes that no save wrote.
  void load(ByteReader& in);
  /// What is wrong with the contacts of a world of so many body slots, or nothing: numbers, lists, counts. Lists of
  /// pairs are looked at by CollisionPipeline::findFault.
  [[nodiscard]] const char* findFault(std::size_t bodies) const;

  /// The frame counter that ages entries which no step refreshes.
  void advanceFrame() { ++frame_; }
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
  static constexpr std::uint32_t kNumberStep = 4;

  template <int kPoints>
  [[nodiscard]] std::uint32_t take();
  template <int kPoints>
  void release(std::uint32_t id);
  template <int kPoints>
  void writePoints(Contact& contact, StoredContact<kPoints>& s, const ContactManifold& manifold,
                   const ContactRounding& rounding, const ContactPlaces& places, const CarriedPoints& old);
  template <int kPoints>
  [[nodiscard]] const char* findNumberFault(std::size_t bodies) const;
  [[nodiscard]] const char* findBookFault(std::size_t bodies) const;
  void dropResistance(Contact& contact);

  std::array<std::vector<Contact>, kContactKinds> records_;
  std::tuple<AlignedVector<StoredContact<1>>, AlignedVector<StoredContact<2>>, AlignedVector<StoredContact<4>>>
      numbers_;
  std::array<std::vector<std::uint32_t>, kContactKinds> free_;  ///< places in the pools
  std::vector<ContactResistance> resistances_;
  std::vector<std::uint32_t> free_resistances_;
  std::vector<ContactBodies> lost_;
  std::uint32_t live_count_{0};
  std::uint32_t bouncing_count_{0};
  std::uint32_t resisting_count_{0};
  std::uint64_t version_{0};
  std::uint64_t frame_{0};
  ImpulseMemory impulses_;
};

}  // namespace msd_sim
