#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "msd-sim/src/DataTypes/AlignedVector.hpp"
#include "msd-sim/src/Physics/Collision/ContactManifold.hpp"
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

/// Coefficients of a pair.
struct ContactMaterial {
  double friction{0.0};
  double restitution{0.0};
  double rollingResistance{0.0};
  double torsionalResistance{0.0};
};

/// The contacts of a world, kept from step to step with their features and impulses, and laid out
/// for the solver: by colour, in bundles of eight lanes. Two contacts of one colour share no body
/// that can be pushed.
///
/// A contact keeps its colour while it lives. Removing one moves the last contact of the same colour
/// and kind into its lane. Contacts that find no free colour (a body with very many) go to the last
/// colour, one to a bundle, and are solved one after the other.
class ContactCache {
 public:
  static constexpr int kColours = 32;
  static constexpr int kOverflow = kColours - 1;
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;

  enum class Kind : std::uint8_t { kPoint, kPatch };

  /// Where a contact stands.
  struct Contact {
    std::uint32_t pair{kNone};  ///< index of the pair of colliders
    std::uint32_t next{kNone};  ///< next contact of the same pair
    std::uint32_t slot{0};      ///< lane number within colour and kind
    Kind kind{Kind::kPoint};
    std::uint8_t colour{0};
    bool bounces{false};   ///< its pair has a restitution
    bool flipped{false};   ///< row body 0 is the pair's body B
    bool touching{false};  ///< carried an impulse in the last step
  };

  /// Book-keeping of one lane.
  struct LaneMeta {
    std::uint32_t contact{kNone};
    std::array<std::uint32_t, ContactManifold::kMaxPoints> feature{};
  };

  template <int kPoints>
  struct Colour {
    AlignedVector<ContactBundle<kPoints>> bundles;
    AlignedVector<ContactRows<kPoints>> rows;
    AlignedVector<ContactBounce<kPoints>> bounce;
    AlignedVector<ContactSums> sums;
    std::vector<LaneMeta> meta;  ///< eight per bundle
    std::uint32_t count{0};      ///< contacts; in the overflow colour also the number of bundles
  };

  /// Makes room for body slots up to `count`.
  void resizeBodies(std::size_t count) { body_colours_.resize(std::max(count, body_colours_.size())); }

  std::uint32_t add(std::uint32_t pair, Kind kind, const ContactBodies& bodies,
                    const ContactMaterial& material);
  void remove(std::uint32_t contact);

  /// Takes over a freshly computed manifold; impulses of points whose feature is still there stay.
  void update(std::uint32_t contact, const ContactManifold& manifold, const ContactBodies& bodies,
              const SolverBodies& poses);

  /// Contact normal in the world, from the pair's body A to B.
  [[nodiscard]] Vector3D normal(std::uint32_t contact, const SolverBodies& poses) const;
  [[nodiscard]] const Contact& contact(std::uint32_t id) const { return contacts_[id]; }
  [[nodiscard]] Contact& contact(std::uint32_t id) { return contacts_[id]; }
  [[nodiscard]] std::uint32_t count() const { return live_count_; }
  /// Contacts whose pair has a restitution.
  [[nodiscard]] std::uint32_t bouncingCount() const { return bouncing_count_; }
  /// Increases whenever a contact is added or removed.
  [[nodiscard]] std::uint64_t version() const { return version_; }

  /// Bundles in use of a colour.
  template <int kPoints>
  [[nodiscard]] std::size_t bundleCount(int colour) const {
    const std::size_t n = colours<kPoints>()[static_cast<std::size_t>(colour)].count;
    return colour == kOverflow ? n : (n + kBundleLanes - 1) / kBundleLanes;
  }
  template <int kPoints>
  [[nodiscard]] std::array<Colour<kPoints>, kColours>& colours() {
    if constexpr (kPoints == 1) {
      return points_;
    } else {
      return patches_;
    }
  }
  template <int kPoints>
  [[nodiscard]] const std::array<Colour<kPoints>, kColours>& colours() const {
    if constexpr (kPoints == 1) {
      return points_;
    } else {
      return patches_;
    }
  }
  /// Number of the highest colour in use, plus one; the overflow colour is not counted.
  [[nodiscard]] int usedColours() const;

  /// Calls visit(contactId, contact, bundle, rows, sums, lane) in a fixed order: colour by colour,
  /// patches first.
  template <class Visit>
  void forEach(const Visit& visit) {
    for (int c = 0; c < kColours; ++c) {
      visitColour<4>(c, visit);
      visitColour<1>(c, visit);
    }
  }

  /// Bundle and lane of a contact.
  [[nodiscard]] static std::size_t bundleOf(const Contact& c) {
    return c.colour == kOverflow ? c.slot : c.slot / kBundleLanes;
  }
  [[nodiscard]] static int laneOf(const Contact& c) {
    return c.colour == kOverflow ? 0 : static_cast<int>(c.slot % kBundleLanes);
  }

  /// The frame counter that ages entries which no step refreshes.
  void advanceFrame() { ++frame_; }
  [[nodiscard]] std::uint64_t frame() const { return frame_; }
  /// Drops freed entries at the end of the pool.
  void expireOldEntries();
  void clear();

 private:
  template <int kPoints, class Visit>
  void visitColour(int c, const Visit& visit) {
    Colour<kPoints>& colour = colours<kPoints>()[static_cast<std::size_t>(c)];
    for (std::uint32_t slot = 0; slot < colour.count; ++slot) {
      const std::size_t bundle = c == kOverflow ? slot : slot / kBundleLanes;
      const int lane = c == kOverflow ? 0 : static_cast<int>(slot % kBundleLanes);
      const std::uint32_t id =
          colour.meta[bundle * kBundleLanes + static_cast<std::size_t>(lane)].contact;
      visit(id, contacts_[id], colour.bundles[bundle], colour.rows[bundle], colour.sums[bundle],
            lane);
    }
  }

  [[nodiscard]] int chooseColour(const ContactBodies& bodies) const;
  void markBodies(const ContactBodies& bodies, int colour, bool used);
  template <int kPoints>
  void openLane(Contact& contact, std::uint32_t id, const ContactBodies& bodies,
                const ContactMaterial& material);
  template <int kPoints>
  void closeLane(const Contact& contact);
  template <int kPoints>
  void writeLane(Contact& contact, const ContactManifold& manifold, const ContactBodies& bodies,
                 const SolverBodies& poses);

  std::array<Colour<1>, kColours> points_;
  std::array<Colour<4>, kColours> patches_;
  std::vector<Contact> contacts_;
  std::vector<ContactBodies> bodies_;  ///< per contact, as they were when it was coloured
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> body_colours_;  ///< per body slot: bit set of colours in use
  std::uint32_t live_count_{0};
  std::uint32_t bouncing_count_{0};
  std::uint64_t version_{0};
  std::uint64_t frame_{0};
};

}  // namespace msd_sim
