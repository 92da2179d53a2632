#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

#include "msd-sim/src/DataTypes/AlignedVector.hpp"
#include "msd-sim/src/DataTypes/Bytes.hpp"
#include "msd-sim/src/DataTypes/SpatialVector.hpp"
#include "msd-sim/src/DataTypes/WorkTeam.hpp"
#include "msd-sim/src/Physics/Collision/Collider.hpp"
#include "msd-sim/src/Physics/Collision/ContactCache.hpp"
#include "msd-sim/src/Physics/Collision/ContactManifold.hpp"
#include "msd-sim/src/Physics/Collision/DynamicTree.hpp"
#include "msd-sim/src/Physics/Collision/ManifoldCache.hpp"
#include "msd-sim/src/Physics/Collision/PairRest.hpp"
#include "msd-sim/src/Physics/Collision/PairTable.hpp"
#include "msd-sim/src/Physics/Collision/TriangleMemory.hpp"

namespace msd_sim {

class AssetEnvironment;
class AssetInertial;
class ReferencePipeline;

/// How far a body has moved, and what it does in the coming step, so that pairs know when to look
/// again (docs/theory/collision.md, K-2 and K-15).
///
/// `sum` only ever grows: no point of the body has moved farther in total. A pair that was d apart
/// when its sums were s cannot touch while sum(A) + sum(B) - s and what both do in the step add up
/// to less than d.
struct alignas(64) BodyTravel {
  double sum{0.0};     ///< [m]
  double turned{0.0};  ///< the part of it that is turning [m]
  double path[3]{};    ///< of the centre in the step, at the velocity it has [m]
  double turn{0.0};    ///< most that turning moves any point in the step [m]
  double fall{0.0};    ///< most that the loads move it in the step besides [m]
  double size{0.0};    ///< of the body; 0 where it cannot be pushed [m]

  /// Most that any point moves in the step on its own [m].
  [[nodiscard]] double coming() const {
    return std::sqrt(path[0] * path[0] + path[1] * path[1] + path[2] * path[2]) + turn + fall;
  }
};

/// Most that hits move a body in the step besides, along each axis and against it (K-15) [m].
struct BodyHit {
  float up[3]{};
  float down[3]{};
  float unused[2]{};

  /// Whichever way [m].
  [[nodiscard]] double most() const {
    double square = 0.0;
    for (int c = 0; c < 3; ++c) {
      const double x{std::max(up[c], down[c])};
      square += x * x;
    }
    return std::sqrt(square);
  }
  /// Along a direction [m].
  [[nodiscard]] double along(const Vector3D& n) const {
    double sum = 0.0;
    for (int c = 0; c < 3; ++c)
      sum += n[c] > 0.0 ? n[c] * static_cast<double>(up[c]) : -n[c] * static_cast<double>(down[c]);
    return sum;
  }
};

/// The step for the narrowphase.
struct CollisionStep {
  const SolverBodies& bodies;
  std::span<BodyTravel> travel;
  std::span<const std::uint8_t> pushable;
  double dt{0.0};  ///< [s]
};

/// Finds contacts: broadphase, narrowphase, and the contacts that persist
/// (docs/theory/collision.md).
///
/// Works on colliders, poses and travels; what a body is made of or moved by is not its business.
class CollisionPipeline {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;

  /// A pair of colliders with overlapping fat boxes.
  struct Pair {
    std::uint32_t colliderA{0};
    std::uint32_t colliderB{0};
    std::uint32_t firstContact{ContactCache::kNone};
    std::uint32_t memory{kNone};  ///< place in memories_; of pairs with a surface
    bool touching{false};  ///< some contact carried an impulse in the last step that was recorded
    ManifoldCache cache{};
    PairRest rest{};
  };

  /// When a pair must be tested again: what every step asks of every pair, apart from the rest.
  struct PairClock {
    /// When the reaches of both bodies add up to more [m].
    double limit{-std::numeric_limits<double>::infinity()};
    /// When what both bodies have moved adds up to more [m]; infinite without contact.
    double movedLimit{std::numeric_limits<double>::infinity()};
    std::uint32_t bodyA{0};
    std::uint32_t bodyB{0};
    /// Direction from A to B along which they touched or were apart when it was tested, world; zero
    /// where none is known.
    float normal[3]{};
    float gap{0.0f};          ///< along it, then [m]
    float place{0.0f};        ///< of B's centre from A's along it, then [m]
    float restitution{0.0f};  ///< of the pair, once it has touched
    /// Of convex shapes that were apart along the normal: what turning had moved their bodies'
    /// points then, added up (K-21) [m]; else negative.
    double turned{-1.0};
    [[nodiscard]] bool hasNormal() const {
      return normal[0] != 0.0f || normal[1] != 0.0f || normal[2] != 0.0f;
    }
    [[nodiscard]] bool touches() const {
      return movedLimit < std::numeric_limits<double>::infinity();
    }
  };

  /// Two bodies (slots) of a pair that was removed while it touched.
  struct EndedPair {
    std::uint32_t bodyA;
    std::uint32_t bodyB;
  };

  /// May these two bodies collide at all (joints, user rules)?
  struct PairRule {
    virtual ~PairRule() = default;
    [[nodiscard]] virtual bool allows(std::uint32_t bodyA, std::uint32_t bodyB) const = 0;
  };

  /// Coefficients of a pair from those of its two sides; geometric means where it is empty.
  using Combination =
      std::function<ContactMaterial(const ContactMaterial& a, const ContactMaterial& b)>;
  /// Counts for contacts made from now on.
  void setCombination(Combination combination) { combination_ = std::move(combination); }
  /// A combination out of range since the last call: its two sides and what it came to. The contact
  /// took the geometric means.
  struct BadCombination {
    ContactMaterial a, b, result;
  };
  [[nodiscard]] std::optional<BadCombination> takeBadCombination() {
    return std::exchange(bad_combination_, std::nullopt);
  }

  std::uint32_t addCollider(const Collider& collider);
  void removeCollider(std::uint32_t collider);

  [[nodiscard]] std::span<const Collider> colliders() const { return colliders_; }
  /// Of the contacts that are found from now on.
  void setMaterial(std::uint32_t collider, const ContactMaterial& material) {
    colliders_[collider].material = material;
  }
  /// Coefficients that the contacts of a pair are made with.
  [[nodiscard]] ContactMaterial materialOf(std::uint32_t pair) {
    return combine(colliders_[pairs_[pair].colliderA].material,
                   colliders_[pairs_[pair].colliderB].material);
  }
  [[nodiscard]] std::span<const Pair> pairs() const { return pairs_; }
  [[nodiscard]] std::span<Pair> pairs() { return pairs_; }
  /// Pairs that the last testPairs looked at, in the order of their contacts' places.
  [[nodiscard]] std::span<const std::uint32_t> testedPairs() const { return due_; }
  /// Touching pairs that were removed since the list was last cleared.
  [[nodiscard]] std::vector<EndedPair>& endedPairs() { return ended_; }
  /// Index of the pair of two colliders, or kNone.
  [[nodiscard]] std::uint32_t findPair(std::uint32_t a, std::uint32_t b) const {
    return table_.find({std::min(a, b), std::max(a, b)});
  }
  /// True while the collider's tree box holds it.
  [[nodiscard]] bool isBoxCurrent(std::uint32_t collider,
                                  std::span<const BodyTravel> travel) const {
    const Collider& c = colliders_[collider];
    return c.leaf != DynamicTree::kNull && travel[c.body].sum <= c.travelLimit;
  }
  /// The fat box in the tree.
  [[nodiscard]] const Aabb& box(std::uint32_t collider) const {
    const Collider& c = colliders_[collider];
    return (c.moves ? moving_ : static_).box(c.leaf);
  }
  [[nodiscard]] ContactCache& contacts() { return contacts_; }
  [[nodiscard]] const ContactCache& contacts() const { return contacts_; }
  [[nodiscard]] const DynamicTree& movingTree() const { return moving_; }
  [[nodiscard]] const DynamicTree& staticTree() const { return static_; }

  /// Broadphase: new fat boxes for what may leave its old one in the step, and the new pairs that
  /// follow.
  void findPairs(const SolverBodies& bodies, std::span<const BodyTravel> travel,
                 const PairRule& rule, WorkTeam& team);

  /// Narrowphase: tests the pairs whose limit has passed and brings their contacts up to date.
  void testPairs(const CollisionStep& step, WorkTeam& team);

  /// Forgets pairs, contacts and boxes of a body's colliders so that they are found afresh; for a
  /// body that was moved from outside or whose kind of motion changed.
  void refreshBody(std::uint32_t firstCollider);
  /// Calls visit(otherBody) for each pair of one body, given by its first collider.
  template <class Visit>
  void forEachPairOf(std::uint32_t firstCollider, const Visit& visit) const {
    for (const std::uint32_t pair : pairsOf(firstCollider)) visit(otherBody(pair, firstCollider));
  }
  /// Removes the pairs (with contacts) of one body. Calls visit(otherBody) for each.
  template <class Visit>
  void removePairsOf(std::uint32_t firstCollider, const Visit& visit) {
    const std::vector<std::uint32_t> mine = pairsOf(firstCollider);
    // From the last on: the place of a pair that goes is taken by the last one.
    for (const std::uint32_t pair : std::views::reverse(mine)) {
      visit(otherBody(pair, firstCollider));
      removePair(pair);
    }
  }
  /// The pairs of a body, given by its first collider, ascending.
  [[nodiscard]] std::vector<std::uint32_t> pairsOf(std::uint32_t firstCollider) const;

  // --- the reference method (Environment/Reference, docs/reference-method.md) ---

  /// Finds what touches among the bodies, solves the contacts together with their friction, and
  /// adds the forces to the bodies' accumulators. `velocityBias`: what the loads will add to the
  /// velocity of every inertial body, M⁻¹F dt; not multiplied by 1 + e. Velocities and positions
  /// stay.
  void execute(std::span<AssetInertial> inertialAssets,
               std::span<const AssetEnvironment> environmentalAssets, double dt,
               const std::vector<SpatialVector>& velocityBias = {});
  /// The same for bodies that lie anywhere. `names`, inertial ones first: by which contacts are
  /// remembered from call to call; empty: their places in the lists.
  void execute(std::span<AssetInertial* const> inertialAssets,
               std::span<const AssetEnvironment* const> environmentalAssets, double dt,
               const std::vector<SpatialVector>& velocityBias = {},
               std::span<const std::uint32_t> names = {});
  void advanceFrame() { contacts_.advanceFrame(); }
  void expireOldEntries() { contacts_.expireOldEntries(); }
  /// Did the last execute find any contact?
  [[nodiscard]] bool hadCollisions() const;
  /// What execute works with, and what it found.
  [[nodiscard]] ReferencePipeline& reference();

  /// Everything that decides the future, into bytes and back (Environment/WorldSnapshot.cpp).
  /// `load` throws std::invalid_argument on bytes that do not fit these colliders; the pipeline it
  /// is called on is then of no further use.
  void save(ByteWriter& out) const;
  void load(ByteReader& in);
  /// What is wrong with pairs, boxes and contacts of a world of so many body slots, or nothing.
  [[nodiscard]] const char* findFault(std::size_t bodies) const;

  [[nodiscard]] Pose colliderPose(const Collider& collider, const SolverBodies& bodies) const;

  /// Brings the contacts of a pair up to date within a step of which the share `left` is still to
  /// come (K-17): each keeps its kind and its row bodies. Calls for different pairs may run side by
  /// side.
  void lookAgain(std::uint32_t pair, const CollisionStep& step, double left);

  /// Pairs whose shapes the last testPairs tested.
  [[nodiscard]] std::uint32_t testCount() const { return tests_; }

  /// How deep the shapes of a pair overlap where the bodies stand [m]. Changes nothing.
  [[nodiscard]] double penetration(std::uint32_t pair, const SolverBodies& bodies) const;

 private:
  /// Brings the colliders that got a new box into an order in which neighbours follow each other.
  void sortMoved(const SolverBodies& bodies, WorkTeam& team);
  void sortByCode();
  /// Brings new pairs into the order of their colliders.
  void sortFresh();
  void addPair(const PairTable::Key& key);
  /// May the collider leave its fat box in the coming step, or is the box far too large?
  [[nodiscard]] bool needsBox(Collider& collider, const BodyTravel& travel) const;
  /// A new fat box for a collider, which notes how far it will do (K-3).
  [[nodiscard]] Aabb fatBox(Collider& collider, const BodyTravel& travel) const;
  /// Puts the new boxes into the trees.
  void placeBoxes(WorkTeam& team);
  void queryPairs(const PairRule& rule, WorkTeam& team);
  /// Calls visit(pair's key) for all that may collide with a collider that got a new box.
  template <class Visit>
  void visitNeighbours(std::uint32_t collider, const PairRule& rule, const Visit& visit) const;
  /// The same where very many do: of those that lie in its very middle, a few.
  void queryMany(std::uint32_t collider, const PairRule& rule, std::vector<PairTable::Key>& found);
  /// The body beside that of a collider in a pair.
  [[nodiscard]] std::uint32_t otherBody(std::uint32_t pair, std::uint32_t collider) const {
    const std::uint32_t body = colliders_[collider].body;
    return clocks_[pair].bodyA == body ? clocks_[pair].bodyB : clocks_[pair].bodyA;
  }
  void linkPair(std::uint32_t pair);
  void unlinkPair(std::uint32_t pair);
  [[nodiscard]] const char* findPairFault(std::uint32_t pair) const;
  [[nodiscard]] bool mayCollide(std::uint32_t a, std::uint32_t b, const PairRule& rule) const;
  void removePair(std::uint32_t pair);
  /// What one test finds.
  struct Found;
  /// What the tests of a block of pairs leave for later.
  struct BlockFinds {
    struct Pair {
      std::uint32_t index;
      std::uint32_t first;  ///< manifold
      std::uint32_t count;
    };
    /// Where a manifold goes.
    struct Target {
      std::uint32_t contact;  ///< that it continues, or none; that it was given, once it was
      bool isNew;             ///< the contact has no points yet
      float spare;            ///< (K-20) [m]
      CarriedPoints carried;
    };
    std::uint32_t tests{0};  ///< of shapes
    std::vector<Pair> pairs;
    std::vector<ContactManifold> manifolds;
    std::vector<ContactRounding> roundings;
    std::vector<Target> targets;
  };
  enum class Verdict : std::uint8_t { kWaits, kDue, kParted };
  /// Tests the pairs that the last findPairs found.
  void testNew(const CollisionStep& step, WorkTeam& team);
  /// Tests the pairs that are listed.
  void testDue(const CollisionStep& step, WorkTeam& team);
  /// What hits may add to the motion of bodies in the step (K-15).
  void spreadHits(const CollisionStep& step, WorkTeam& team);
  /// Lists the pairs whose limit has passed, and drops those whose boxes have parted.
  void findDue(const CollisionStep& step, WorkTeam& team);
  [[nodiscard]] Verdict judge(std::uint32_t pair, const CollisionStep& step) const;
  /// Brings the pairs to test into the order of their bodies.
  void sortDue(std::span<const std::uint8_t> pushable);
  /// Fetch what the test of a pair will read: the pair; then what it names; then what that names.
  void fetchBooks(std::uint32_t pair) const;
  void fetchPair(std::uint32_t pair, const CollisionStep& step) const;
  void fetchContact(std::uint32_t contact) const;
  void fetchShapes(std::uint32_t pair) const;
  /// Tests some pairs side by side and brings their contacts up to date.
  void testWave(std::span<const std::uint32_t> due, const CollisionStep& step, WorkTeam& team);
  /// False where its contacts serve on: both bodies have moved, but hardly against each other.
  bool testPair(std::uint32_t pair, const CollisionStep& step, Found& found);
  /// Drops the manifolds none of whose points can act in the step (K-16).
  void dropIdle(const Collider& a, const Collider& b, const PairClock& clock,
                const CollisionStep& step, Found& found) const;
  /// For each manifold of a test the contact that it continues, or none. Returns how many the pair
  /// has.
  std::size_t matchContacts(const Pair& pair, const Found& found, std::span<std::uint32_t> matched,
                            const ContactPlaces& places) const;
  /// Takes over what a test found where no contact comes, goes or changes its kind, and leaves the
  /// rest for later.
  void applyInPlace(std::uint32_t pair, const Found& found, const SolverBodies& bodies,
                    BlockFinds& left);
  /// Contacts of a pair come, go and change their kind; their points are written later.
  void applyManifolds(const BlockFinds::Pair& pair, BlockFinds& left);
  /// Writes points of contacts that have come or changed.
  void writePoints(const BlockFinds& left, const SolverBodies& bodies);
  [[nodiscard]] ContactMaterial combine(const ContactMaterial& a, const ContactMaterial& b);
  /// (K-2): most that two points of the bodies of a pair come against each other in the step [m].
  [[nodiscard]] double relativeComing(const PairClock& clock,
                                      std::span<const BodyTravel> travel) const;
  /// (K-21): need two convex shapes that were apart no test in this step?
  [[nodiscard]] bool staysApart(const PairClock& clock, const CollisionStep& step) const;
  /// How far hits bring the bodies of a pair against each other along a direction from A to B in
  /// the step [m].
  [[nodiscard]] double hitsAlong(const PairClock& clock, const Vector3D& n) const {
    return hits_[clock.bodyA].along(n) + hits_[clock.bodyB].along(-n);
  }
  /// Where all bodies stand at the start of the step.
  void placeBodies(const SolverBodies& bodies, WorkTeam& team);
  /// Where a collider stands at the start of the step; `room` is for one that is not its body's
  /// centre.
  [[nodiscard]] const Placement& placeOf(const Collider& collider, Placement& room) const {
    const Placement& body = standing_[collider.body];
    if (collider.isCentred) return body;
    return room = Placement{static_cast<const Pose&>(body) * collider.local};
  }
  /// The same for the bodies of a pair.
  [[nodiscard]] ContactPlaces placesOf(std::uint32_t pair, const SolverBodies& bodies) const {
    const std::uint32_t a = clocks_[pair].bodyA, b = clocks_[pair].bodyB;
    return {standing_[a], standing_[b], std::min(bodies.pose[a].size, bodies.pose[b].size)};
  }

  AlignedVector<Collider> colliders_;
  std::vector<std::uint32_t> free_colliders_;
  DynamicTree moving_;
  DynamicTree static_;
  PairTable table_;
  AlignedVector<Pair> pairs_;        ///< parallel to table_
  AlignedVector<PairClock> clocks_;  ///< parallel to pairs_
  /// Lists of the pairs of each collider, one through either side of a pair: 2 × pair + side.
  struct PairLinks {
    std::uint32_t next[2];
    std::uint32_t previous[2];
  };
  std::vector<PairLinks> links_;  ///< parallel to pairs_
  AlignedVector<TriangleMemory> memories_;
  std::vector<std::uint32_t> free_memories_;
  ContactCache contacts_;
  Combination combination_;
  /// Workspace of execute. It decides nothing of the future, and every pipeline has its own: a copy
  /// starts without.
  struct Workspace {
    std::shared_ptr<ReferencePipeline> pipeline;
    Workspace() = default;
    Workspace(const Workspace&) {}
    // NOLINTNEXTLINE(bugprone-unhandled-self-assignment): it forgets what it has in any case
    Workspace& operator=(const Workspace&) {
      pipeline.reset();
      return *this;
    }
    Workspace(Workspace&&) noexcept = default;
    Workspace& operator=(Workspace&&) noexcept = default;
    ~Workspace() = default;
  };
  Workspace reference_;
  std::optional<BadCombination> bad_combination_;

  std::vector<Placement> standing_;    ///< per body, at the start of the step
  std::vector<BodyHit> hits_;          ///< per body, of the running step
  std::vector<std::uint32_t> moved_;   ///< colliders that got a new box
  std::vector<Aabb> boxes_;            ///< of these
  std::vector<std::uint64_t> places_;  ///< of these: place on a curve, collider
  std::vector<std::uint64_t> sorted_places_;
  std::vector<std::uint8_t> is_moved_;              ///< per collider
  std::vector<std::uint8_t> has_moved_;             ///< per body: one of its colliders has
  std::vector<std::vector<PairTable::Key>> found_;  ///< per block of moved colliders
  std::vector<PairTable::Key> fresh_;
  std::vector<PairTable::Key> sorted_fresh_;
  std::vector<std::uint32_t> fresh_start_;  ///< per collider: where its new pairs begin
  std::vector<std::uint32_t> due_;          ///< pairs to test
  std::vector<EndedPair> ended_;
  std::vector<Verdict> verdicts_;          ///< of every pair
  std::vector<std::uint32_t> due_sorted_;  ///< those to be tested, by body
  std::vector<std::uint32_t> due_start_;   ///< of these: where each body's begin
  std::vector<BlockFinds> finds_;          ///< per block of a wave of pairs to test
  std::uint32_t tests_{0};                 ///< of shapes, by the last testPairs
  std::size_t tested_pairs_{0};            ///< those from here on are new
};

}  // namespace msd_sim
