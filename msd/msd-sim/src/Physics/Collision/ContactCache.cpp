#include "msd-sim/src/Physics/Collision/ContactCache.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "msd-sim/src/DataTypes/Arrays.hpp"
#include "msd-sim/src/DataTypes/Pose.hpp"

namespace msd_sim {

namespace {

// Free entries of the pool below which it is left as it is.
constexpr std::size_t kManyFree = 1024;


/// Some unit vector perpendicular to n, the same for the same n.
Vector3D perpendicular(const Vector3D& n) {
  const Vector3D other = std::abs(n.x()) < 0.7 ? Vector3D::UnitX() : Vector3D::UnitY();
  return n.cross(other).normalized();
}

template <int kPoints>
void clearLane(ContactBundle<kPoints>& bundle, int lane) {
  const auto l = static_cast<std::size_t>(lane);
  bundle.body0[l] = bundle.body1[l] = 0;
  for (int c = 0; c < 3; ++c) bundle.normal[c][l] = bundle.tangent[c][l] = 0.0;
  bundle.normal[2][l] = 1.0;
  bundle.tangent[0][l] = 1.0;
  bundle.friction[l] = bundle.restitution[l] = 0.0;
  bundle.size[l] = 1.0;
  bundle.rounding0[l] = bundle.rounding1[l] = bundle.balls[l] = 0.0;
  for (int p = 0; p < kPoints; ++p) {
    bundle.active[p][l] = 0.0;
    for (int c = 0; c < 3; ++c) {
      bundle.anchor0[p][c][l] = bundle.anchor1[p][c][l] = bundle.impulse[p][c][l] = 0.0;
    }
  }
}

template <int kPoints>
void clearLane(ContactFollow<kPoints>& follow, int lane) {
  constexpr int kRows = static_cast<int>(sizeof(follow) / (kBundleLanes * sizeof(double)));
  auto* values = reinterpret_cast<double*>(&follow);
  for (int i = 0; i < kRows; ++i) values[i * kBundleLanes + lane] = 0.0;
  follow.mode[lane] = static_cast<double>(FollowMode::kStay);
}

/// Copies one lane of an array-of-lanes structure into another, double by double.
template <class Bundle>
void copyLane(const Bundle& from, int fromLane, Bundle& to, int toLane) {
  static_assert(sizeof(Bundle) % (kBundleLanes * sizeof(double)) == 0);
  const auto* source = reinterpret_cast<const double*>(&from);
  auto* target = reinterpret_cast<double*>(&to);
  for (std::size_t i = 0; i < sizeof(Bundle) / sizeof(double); i += kBundleLanes) {
    target[i + static_cast<std::size_t>(toLane)] = source[i + static_cast<std::size_t>(fromLane)];
  }
}

/// ContactBundle starts with two arrays of 32-bit numbers, which share a row of eight doubles.
template <int kPoints>
void copyLane(const ContactBundle<kPoints>& from, int fromLane, ContactBundle<kPoints>& to,
              int toLane) {
  const auto f = static_cast<std::size_t>(fromLane), t = static_cast<std::size_t>(toLane);
  to.body0[t] = from.body0[f];
  to.body1[t] = from.body1[f];
  constexpr std::size_t kHead = 2 * kBundleLanes * sizeof(std::int32_t) / sizeof(double);
  static_assert(kHead == kBundleLanes);
  const auto* source = reinterpret_cast<const double*>(&from);
  auto* target = reinterpret_cast<double*>(&to);
  for (std::size_t i = kHead; i < sizeof(ContactBundle<kPoints>) / sizeof(double);
       i += kBundleLanes) {
    target[i + t] = source[i + f];
  }
}

/// Makes an array longer. A long one gets less to spare than its own growth would leave: the arrays of
/// many colours and kinds do not all go on growing.
template <class Array>
void resizeTight(Array& array, std::size_t size) {
  constexpr std::size_t kLong = 64, kShare = 8;
  if (size > array.capacity()) array.reserve(size < kLong ? 2 * size : size + size / kShare);
  array.resize(size);
}

// A point without the same features as before takes over the impulse of an old point this near,
// relative to the smaller body's size: aligned faces change features at the slightest turn.
constexpr double kSamePoint = 0.1;

}  // namespace

/// The points of a lane before it is written anew.
struct ContactCache::OldPoints {
  static constexpr int kPoints = ContactManifold::kMaxPoints;

  Vector3D tangent;  ///< first tangent, world
  bool any{false};
  std::array<bool, kPoints> active{};
  std::array<std::uint32_t, kPoints> feature;
  std::array<Coordinate, kPoints> position;  ///< on row body 0, world [m]
  std::array<double, kPoints> normalImpulse;
  std::array<Vector3D, kPoints> tangential;  ///< on the pair's body B, world [N·s]

  template <int kLanePoints>
  void read(const ContactBundle<kLanePoints>& b, std::size_t l, const LaneMeta& meta, bool flipped,
            const SolverBodies& poses) {
    const BodyPose& p0 = poses.pose[static_cast<std::size_t>(b.body0[l])];
    const Pose pose{vectorOf(p0.x), quaternionOf(p0.q)};
    const Vector3D n = pose.orientation * Vector3D{b.normal[0][l], b.normal[1][l], b.normal[2][l]};
    tangent = pose.orientation * Vector3D{b.tangent[0][l], b.tangent[1][l], b.tangent[2][l]};
    const Vector3D second = n.cross(tangent);
    const double sign = flipped ? -1.0 : 1.0;
    for (std::size_t p = 0; p < kLanePoints; ++p) {
      active[p] = b.active[p][l] > 0.0;
      any = any || active[p];
      feature[p] = meta.feature[p];
      position[p] = pose.toWorld({b.anchor0[p][0][l], b.anchor0[p][1][l], b.anchor0[p][2][l]});
      normalImpulse[p] = b.impulse[p][0][l];
      tangential[p] = sign * (b.impulse[p][1][l] * tangent + b.impulse[p][2][l] * second);
    }
  }

  /// For each new point the old one it continues, or -1: by feature first, then by place.
  [[nodiscard]] std::array<int, kPoints> match(const ContactManifold& manifold,
                                               double reach) const {
    std::array<int, kPoints> result;
    result.fill(-1);
    std::array<bool, kPoints> taken{};
    const int count = std::min(manifold.count, kPoints);
    for (int p = 0; p < count; ++p) {
      for (std::size_t q = 0; q < kPoints; ++q) {
        if (active[q] && !taken[q] &&
            feature[q] == manifold.points[static_cast<std::size_t>(p)].feature) {
          result[static_cast<std::size_t>(p)] = static_cast<int>(q);
          taken[q] = true;
          break;
        }
      }
    }
    for (int p = 0; p < count; ++p) {
      if (result[static_cast<std::size_t>(p)] >= 0) continue;
      double nearest = reach * reach;
      const Coordinate& at = manifold.points[static_cast<std::size_t>(p)].pointA;
      for (std::size_t q = 0; q < kPoints; ++q) {
        if (!active[q] || taken[q]) continue;
        const double d2 = (position[q] - at).squaredNorm();
        if (d2 < nearest) {
          nearest = d2;
          result[static_cast<std::size_t>(p)] = static_cast<int>(q);
        }
      }
      if (result[static_cast<std::size_t>(p)] >= 0) {
        taken[static_cast<std::size_t>(result[static_cast<std::size_t>(p)])] = true;
      }
    }
    return result;
  }
};

int ContactCache::groupOf(const ContactBodies& bodies) const {
  return body_groups_[bodies.aMoves ? bodies.a : bodies.b];
}

int ContactCache::chooseColour(const ContactBodies& bodies) const {
  if (!bodies.aMoves && !bodies.bMoves) return kParked;
  std::uint64_t used = 0;
  if (bodies.aMoves) used |= body_colours_[bodies.a];
  if (bodies.bMoves) used |= body_colours_[bodies.b];
  return groupOf(bodies) * kColours + std::min(std::countr_one(used), kOverflow);
}

void ContactCache::markBodies(const ContactBodies& bodies, int colour, bool used) {
  if (isOverflow(colour) || colour == kParked) return;
  const std::uint64_t bit = std::uint64_t{1} << (colour % kColours);
  for (const auto& [body, moves] : {std::pair{bodies.a, bodies.aMoves}, {bodies.b, bodies.bMoves}}) {
    if (!moves) continue;
    if (used) {
      body_colours_[body] |= bit;
    } else {
      body_colours_[body] &= ~bit;
    }
  }
}

/// Gives the memory of a colour that became empty back, where it is much.
template <int kPoints>
void releaseColour(ContactCache::Colour<kPoints>& colour) {
  constexpr std::size_t kMany = 64;  // bundles
  if (colour.count == 0 && colour.bundles.size() >= kMany) colour = {};
}

template <int kPoints>
void ContactCache::regroupColour(int colour, const std::array<double, kGroups>& lengths) {
  Colour<kPoints>& from = colours<kPoints>()[static_cast<std::size_t>(colour)];
  const int old = groupOfColour(colour);
  for (std::uint32_t slot = from.count; slot-- > 0;) {
    const std::uint32_t id = from.meta[isOverflow(colour) ? slot * kBundleLanes : slot].contact;
    const int group = groupOf(bodies_[id]);
    if (group == old) continue;
    Contact& contact = contacts_[id];
    moveLane<kPoints>(contact, id, group * kColours + colour % kColours);
    const double before = lengths[static_cast<std::size_t>(old)];
    if (!(before > 0.0)) continue;
    const double scale = lengths[static_cast<std::size_t>(group)] / before;
    auto& bundle = colours<kPoints>()[contact.colour].bundles[bundleOf(contact)];
    for (auto& point : bundle.impulse) {
      for (auto& component : point) component[laneOf(contact)] *= scale;
    }
  }
  releaseColour(from);
}

void ContactCache::setGroups(std::span<const std::uint8_t> groupOfBody,
                             const std::array<double, kGroups>& lengths) {
  resizeBodies(groupOfBody.size());
  std::copy(groupOfBody.begin(), groupOfBody.end(), body_groups_.begin());
  const std::array<std::uint8_t, kGroups> used = used_colours_;  // what moves may use more
  for (int group = 0; group < kGroups; ++group) {
    forColoursOf(group, used[static_cast<std::size_t>(group)], [&](int colour) {
      regroupColour<4>(colour, lengths);
      regroupColour<2>(colour, lengths);
      regroupColour<1>(colour, lengths);
    });
  }
}

std::uint32_t ContactCache::add(std::uint32_t pair, const ContactBodies& bodies,
                                const ContactMaterial& material) {
  std::uint32_t id;
  if (free_.empty()) {
    id = static_cast<std::uint32_t>(contacts_.size());
    contacts_.emplace_back();
    bodies_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
  }
  Contact& contact = contacts_[id];
  contact = Contact{.pair = pair, .born = frame_};
  contact.colour = static_cast<std::uint16_t>(chooseColour(bodies));
  bodies_[id] = bodies;
  markBodies(bodies, contact.colour, true);
  openLane<1>(contact, id, bodies, material);
  contact.bounces = material.restitution > 0.0;
  if (contact.bounces) ++bouncing_count_;
  const ContactResistance resistance{.rolling = material.rollingResistance,
                                     .torsional = material.torsionalResistance,
                                     .special = material.special};
  if (resistance.isThere()) {
    if (resistances_.size() < contacts_.size()) resistances_.resize(contacts_.size());
    resistances_[id] = resistance;
    ++resisting_count_;
  }
  ++live_count_;
  ++fresh_count_;
  ++version_;
  return id;
}

void ContactCache::setCoefficients(std::uint32_t id, double friction, double restitution) {
  Contact& contact = contacts_[id];
  const bool bounces = restitution > 0.0;
  if (bounces != contact.bounces) bounces ? ++bouncing_count_ : --bouncing_count_;
  contact.bounces = bounces;
  with(id, [&](const Contact&, auto& bundle, auto& rows, ContactSums&, int lane) {
    bundle.friction[lane] = rows.friction[lane] = friction;
    bundle.restitution[lane] = restitution;
  });
}

void ContactCache::remove(std::uint32_t id) {
  Contact& contact = contacts_[id];
  markBodies(bodies_[id], contact.colour, false);
  forKind(contact.kind, [&]<int kPoints>() { closeLane<kPoints>(contact); });
  if (contact.bounces) --bouncing_count_;
  if (id < resistances_.size()) {
    if (resistances_[id].isThere()) --resisting_count_;
    resistances_[id] = {};
  }
  if (contact.touching) lost_.push_back(bodies_[id]);
  contact = Contact{};
  free_.push_back(id);
  --live_count_;
  ++version_;
}

/// Gives a contact the next free lane of its colour.
template <int kPoints>
void ContactCache::placeLane(Contact& contact) {
  Colour<kPoints>& colour = colours<kPoints>()[contact.colour];
  contact.slot = colour.count++;
  if (!isOverflow(contact.colour) && contact.colour != kParked) {
    std::uint8_t& used = used_colours_[static_cast<std::size_t>(groupOfColour(contact.colour))];
    used = std::max(used, static_cast<std::uint8_t>(contact.colour % kColours + 1));
  }
  const std::size_t bundle = bundleOf(contact);
  if (bundle < colour.bundles.size()) return;
  resizeTight(colour.bundles, bundle + 1);
  resizeTight(colour.follow, bundle + 1);
  resizeTight(colour.rows, bundle + 1);
  resizeTight(colour.who, bundle + 1);
  resizeTight(colour.bounce, bundle + 1);
  resizeTight(colour.sums, bundle + 1);
  resizeTight(colour.busy, bundle + 1);
  resizeTight(colour.meta, (bundle + 1) * kBundleLanes);
  for (int l = 0; l < kBundleLanes; ++l) {
    clearLane(colour.bundles[bundle], l);
    clearLane(colour.follow[bundle], l);
  }
}

template <int kPoints>
void ContactCache::openLane(Contact& contact, std::uint32_t id, const ContactBodies& bodies,
                            const ContactMaterial& material) {
  placeLane<kPoints>(contact);
  Colour<kPoints>& colour = colours<kPoints>()[contact.colour];
  const std::size_t bundle = bundleOf(contact);
  const int lane = laneOf(contact);
  ContactBundle<kPoints>& b = colour.bundles[bundle];
  const auto l = static_cast<std::size_t>(lane);
  clearLane(b, lane);
  clearLane(colour.follow[bundle], lane);
  b.body0[l] = static_cast<std::int32_t>(bodies.a);
  b.body1[l] = static_cast<std::int32_t>(bodies.b);
  b.friction[l] = material.friction;
  b.restitution[l] = material.restitution;
  colour.meta[bundle * kBundleLanes + l] = LaneMeta{.contact = id};
}

template <int kPoints>
void ContactCache::moveLane(Contact& contact, std::uint32_t id, int colour) {
  const Contact old = contact;
  contact.colour = static_cast<std::uint16_t>(colour);
  placeLane<kPoints>(contact);
  Colour<kPoints>& from = colours<kPoints>()[old.colour];
  Colour<kPoints>& to = colours<kPoints>()[contact.colour];
  const std::size_t f = bundleOf(old), t = bundleOf(contact);
  const int fl = laneOf(old), tl = laneOf(contact);
  copyLane(from.bundles[f], fl, to.bundles[t], tl);
  copyLane(from.follow[f], fl, to.follow[t], tl);
  copyLane(from.rows[f], fl, to.rows[t], tl);
  copyLane(from.sums[f], fl, to.sums[t], tl);
  LaneMeta& meta = to.meta[t * kBundleLanes + static_cast<std::size_t>(tl)];
  meta = from.meta[f * kBundleLanes + static_cast<std::size_t>(fl)];
  meta.contact = id;
  closeLane<kPoints>(old);
}

void ContactCache::recolour(std::uint32_t id, bool aMoves, bool bMoves) {
  Contact& contact = contacts_[id];
  markBodies(bodies_[id], contact.colour, false);
  bodies_[id].aMoves = aMoves;
  bodies_[id].bMoves = bMoves;
  const int colour = chooseColour(bodies_[id]);
  markBodies(bodies_[id], colour, true);
  ++version_;
  if (colour == contact.colour) return;
  forKind(contact.kind, [&]<int kPoints>() { moveLane<kPoints>(contact, id, colour); });
}

// From the last lane on: the lane of a contact that leaves is filled from there. Contacts of one colour share no
// body, so that their order does not matter.
template <int kPoints>
void ContactCache::lowerColour(int colour) {
  constexpr int kFull = 8;  // the first are full in any case
  if (colour % kColours < kFull) return;
  Colour<kPoints>& from = colours<kPoints>()[static_cast<std::size_t>(colour)];
  for (std::uint32_t slot = from.count; slot-- > 0;) {
    const std::uint32_t id = from.meta[isOverflow(colour) ? slot * kBundleLanes : slot].contact;
    const ContactBodies& who = bodies_[id];
    markBodies(who, colour, false);
    const int lowest = std::min(chooseColour(who), colour);
    markBodies(who, lowest, true);
    if (lowest < colour) moveLane<kPoints>(contacts_[id], id, lowest);
  }
}

void ContactCache::lowerColours() {
  // Upwards: what leaves a colour makes room for those above it, which come later.
  forEachColour([&](int colour) {
    lowerColour<4>(colour);
    lowerColour<2>(colour);
    lowerColour<1>(colour);
  });
}

template <int kPoints>
void ContactCache::closeLane(const Contact& contact) {
  Colour<kPoints>& colour = colours<kPoints>()[contact.colour];
  const std::uint32_t last = --colour.count;
  Contact lastPlace = contact;
  lastPlace.slot = last;
  const std::size_t fromBundle = bundleOf(lastPlace);
  const int fromLane = laneOf(lastPlace);
  const std::size_t from = fromBundle * kBundleLanes + static_cast<std::size_t>(fromLane);
  if (last != contact.slot) {
    const std::size_t toBundle = bundleOf(contact);
    const int toLane = laneOf(contact);
    const std::size_t to = toBundle * kBundleLanes + static_cast<std::size_t>(toLane);
    copyLane(colour.bundles[fromBundle], fromLane, colour.bundles[toBundle], toLane);
    copyLane(colour.follow[fromBundle], fromLane, colour.follow[toBundle], toLane);
    copyLane(colour.rows[fromBundle], fromLane, colour.rows[toBundle], toLane);
    copyLane(colour.sums[fromBundle], fromLane, colour.sums[toBundle], toLane);
    colour.meta[to] = colour.meta[from];
    contacts_[colour.meta[to].contact].slot = contact.slot;
  }
  clearLane(colour.bundles[fromBundle], fromLane);
  clearLane(colour.follow[fromBundle], fromLane);
  colour.meta[from] = LaneMeta{};
}

/// Moves a contact to a lane of another kind; what its points were is lost, all else stays.
void ContactCache::changeKind(Contact& contact, std::uint32_t id, Kind kind) {
  const Contact old = contact;
  ContactMaterial material;
  ContactSums sums;
  const auto fl = static_cast<std::size_t>(laneOf(old));
  forKind(old.kind, [&]<int kPoints>() {
    const Colour<kPoints>& from = colours<kPoints>()[old.colour];
    const ContactBundle<kPoints>& b = from.bundles[bundleOf(old)];
    material = {.friction = b.friction[fl], .restitution = b.restitution[fl]};
    sums = from.sums[bundleOf(old)];
    closeLane<kPoints>(old);
  });
  contact.kind = kind;
  forKind(kind, [&]<int kPoints>() {
    openLane<kPoints>(contact, id, bodies_[id], material);
    copyLane(sums, laneOf(old), colours<kPoints>()[contact.colour].sums[bundleOf(contact)],
             laneOf(contact));
  });
}

void ContactCache::update(std::uint32_t id, const ContactManifold& manifold,
                          const ContactBodies& bodies, const ContactRounding& rounding,
                          const SolverBodies& poses) {
  Contact& contact = contacts_[id];
  // What was there: the old points and impulses on the pair's body B, in the world.
  OldPoints old;
  forKind(contact.kind, [&]<int kPoints>() {
    const Colour<kPoints>& colour = colours<kPoints>()[contact.colour];
    const auto l = static_cast<std::size_t>(laneOf(contact));
    old.read(colour.bundles[bundleOf(contact)], l,
             colour.meta[bundleOf(contact) * kBundleLanes + l], contact.flipped, poses);
  });
  const Kind kind = kindFor(manifold.count);
  if (kind != contact.kind) changeKind(contact, id, kind);
  forKind(kind, [&]<int kPoints>() {
    writeLane<kPoints>(contact, manifold, bodies, rounding, poses, old);
    writeFollow<kPoints>(contact, rounding, poses);
  });
}

template <int kPoints>
void ContactCache::writeLane(Contact& contact, const ContactManifold& manifold,
                             const ContactBodies& bodies, const ContactRounding& rounding,
                             const SolverBodies& poses, const OldPoints& old) {
  Colour<kPoints>& colour = colours<kPoints>()[contact.colour];
  const std::size_t bundleIndex = bundleOf(contact);
  ContactBundle<kPoints>& b = colour.bundles[bundleIndex];
  const auto l = static_cast<std::size_t>(laneOf(contact));
  LaneMeta& meta = colour.meta[bundleIndex * kBundleLanes + l];

  // The owner of the normal becomes row body 0.
  contact.flipped = manifold.owner == NormalOwner::kBodyB;
  const std::uint32_t body0 = contact.flipped ? bodies.b : bodies.a;
  const std::uint32_t body1 = contact.flipped ? bodies.a : bodies.b;
  b.body0[l] = static_cast<std::int32_t>(body0);
  b.body1[l] = static_cast<std::int32_t>(body1);
  b.rounding0[l] = contact.flipped ? rounding.b : rounding.a;
  b.rounding1[l] = contact.flipped ? rounding.a : rounding.b;
  b.balls[l] = rounding.balls ? 1.0 : 0.0;
  const Pose pose0{vectorOf(poses.pose[body0].x), quaternionOf(poses.pose[body0].q)};
  const Pose pose1{vectorOf(poses.pose[body1].x), quaternionOf(poses.pose[body1].q)};
  const double sign = contact.flipped ? -1.0 : 1.0;
  const Vector3D normal = sign * manifold.normal;
  Vector3D t1 = old.tangent - old.tangent.dot(normal) * normal;
  const double length = t1.norm();
  t1 = old.any && length > 0.5 ? Vector3D{t1 / length} : perpendicular(normal);
  const Vector3D t2 = normal.cross(t1);
  const Quaternion toBody0 = pose0.orientation.conjugate();
  const Vector3D localNormal = toBody0 * normal, localTangent = toBody0 * t1;
  for (int c = 0; c < 3; ++c) {
    b.normal[c][l] = localNormal[c];
    b.tangent[c][l] = localTangent[c];
  }

  b.size[l] = std::min(poses.pose[body0].size, poses.pose[body1].size);
  const std::array<int, OldPoints::kPoints> match = old.match(manifold, kSamePoint * b.size[l]);
  for (std::size_t p = 0; p < kPoints; ++p) {
    const bool exists = static_cast<int>(p) < manifold.count;
    const ManifoldPoint& point = manifold.points[exists ? p : 0];
    const Coordinate anchor0 = pose0.toLocal(contact.flipped ? point.pointB : point.pointA);
    const Coordinate anchor1 = pose1.toLocal(contact.flipped ? point.pointA : point.pointB);
    b.active[p][l] = exists ? 1.0 : 0.0;
    meta.feature[p] = exists ? point.feature : 0;
    double normalImpulse = 0.0;
    Vector3D tangential = Vector3D::Zero();
    if (exists && match[p] >= 0) {
      const auto q = static_cast<std::size_t>(match[p]);
      normalImpulse = old.normalImpulse[q];
      tangential = sign * old.tangential[q];
    }
    b.impulse[p][0][l] = normalImpulse;
    b.impulse[p][1][l] = tangential.dot(t1);
    b.impulse[p][2][l] = tangential.dot(t2);
    for (int c = 0; c < 3; ++c) {
      b.anchor0[p][c][l] = anchor0[c];
      b.anchor1[p][c][l] = anchor1[c];
    }
  }
}

template <int kPoints>
void ContactCache::writeFollow(const Contact& contact, const ContactRounding& rounding,
                               const SolverBodies& poses) {
  Colour<kPoints>& colour = colours<kPoints>()[contact.colour];
  ContactFollow<kPoints>& f = colour.follow[bundleOf(contact)];
  const ContactBundle<kPoints>& b = colour.bundles[bundleOf(contact)];
  const auto l = static_cast<std::size_t>(laneOf(contact));
  f.mode[l] = static_cast<double>(rounding.follow);
  if (rounding.follow == FollowMode::kStay) return;
  const Quaternion q0 = quaternionOf(poses.pose[static_cast<std::size_t>(b.body0[l])].q);
  const Quaternion q1 = quaternionOf(poses.pose[static_cast<std::size_t>(b.body1[l])].q);
  const Vector3D n_0{b.normal[0][l], b.normal[1][l], b.normal[2][l]};
  const Vector3D n_1 = q1.conjugate() * (q0 * n_0);
  // Two balls are their centres, to the last digit.
  const double centred = rounding.balls ? 0.0 : 1.0;
  for (std::size_t p = 0; p < kPoints; ++p) {
    for (int c = 0; c < 3; ++c) {
      f.core0[p][c][l] = centred * (b.anchor0[p][c][l] - b.rounding0[l] * n_0[c]);
      f.core1[p][c][l] = centred * (b.anchor1[p][c][l] + b.rounding1[l] * n_1[c]);
    }
  }
  if constexpr (kPoints == 1) {
    const Vector3D slide0 = q0.conjugate() * (contact.flipped ? rounding.slideB : rounding.slideA);
    const Vector3D slide1 = q1.conjugate() * (contact.flipped ? rounding.slideA : rounding.slideB);
    for (int c = 0; c < 3; ++c) {
      f.slide0[c][l] = slide0[c];
      f.slide1[c][l] = slide1[c];
    }
  }
}

Vector3D ContactCache::normal(std::uint32_t id, const SolverBodies& poses) const {
  const Contact& contact = contacts_[id];
  const auto read = [&](const auto& bundle) {
    const auto l = static_cast<std::size_t>(laneOf(contact));
    const Vector3D n{bundle.normal[0][l], bundle.normal[1][l], bundle.normal[2][l]};
    const Vector3D world =
        quaternionOf(poses.pose[static_cast<std::size_t>(bundle.body0[l])].q) * n;
    return contact.flipped ? Vector3D{-world} : world;
  };
  const std::size_t bundle = bundleOf(contact);
  Vector3D result;
  forKind(contact.kind, [&]<int kPoints>() {
    result = read(colours<kPoints>()[contact.colour].bundles[bundle]);
  });
  return result;
}

template <int kPoints>
void ContactCache::sortColour(Colour<kPoints>& colour,
                              std::span<const std::uint32_t> islandOfBody) {
  lane_keys_.clear();
  bool sorted = true;
  for (std::uint32_t slot = 0; slot < colour.count; ++slot) {
    const ContactBundle<kPoints>& b = colour.bundles[slot / kBundleLanes];
    const auto a = static_cast<std::uint32_t>(b.body0[slot % kBundleLanes]);
    const auto o = static_cast<std::uint32_t>(b.body1[slot % kBundleLanes]);
    const std::uint32_t island = std::min(islandOfBody[a], islandOfBody[o]);
    const std::uint32_t body = islandOfBody[a] != island   ? o
                               : islandOfBody[o] != island ? a
                                                           : std::min(a, o);
    lane_keys_.push_back({std::uint64_t{island} << 32 | body, slot});
    sorted = sorted && (slot == 0 || lane_keys_[slot - 1] < lane_keys_[slot]);
  }
  if (sorted) return;
  std::sort(lane_keys_.begin(), lane_keys_.end());
  Spare<kPoints>& spare = std::get<Spare<kPoints>>(spares_);
  spare.bundles.assign(colour.bundles.begin(), colour.bundles.end());
  spare.follow.assign(colour.follow.begin(), colour.follow.end());
  spare_meta_.assign(colour.meta.begin(), colour.meta.end());
  for (std::uint32_t to = 0; to < colour.count; ++to) {
    const std::uint32_t from = lane_keys_[to].slot;
    copyLane(spare.bundles[from / kBundleLanes], static_cast<int>(from % kBundleLanes),
             colour.bundles[to / kBundleLanes], static_cast<int>(to % kBundleLanes));
    copyLane(spare.follow[from / kBundleLanes], static_cast<int>(from % kBundleLanes),
             colour.follow[to / kBundleLanes], static_cast<int>(to % kBundleLanes));
    colour.meta[to] = spare_meta_[from];
    contacts_[colour.meta[to].contact].slot = to;
  }
}

void ContactCache::sortLanes(std::span<const std::uint32_t> islandOfBody) {
  forEachColour([&](int colour) {
    if (isOverflow(colour)) return;
    const auto c = static_cast<std::size_t>(colour);
    sortColour<1>(points_[c], islandOfBody);
    sortColour<2>(lines_[c], islandOfBody);
    sortColour<4>(patches_[c], islandOfBody);
  });
}

int ContactCache::countColours() {
  int most = 0;
  for (int group = 0; group < kGroups; ++group) {
    std::uint8_t& used = used_colours_[static_cast<std::size_t>(group)];
    const auto isEmpty = [&](std::size_t c) {
      return points_[c].count == 0 && lines_[c].count == 0 && patches_[c].count == 0;
    };
    while (used > 0 && isEmpty(static_cast<std::size_t>(group * kColours + used - 1))) --used;
    most = std::max(most, int{used});
  }
  return most;
}

void ContactCache::expireOldEntries(std::uint64_t maxAge) {
  impulses_.expire(frame_, maxAge);
  if (free_.size() < kManyFree || free_.size() < live_count_) return;
  std::size_t end = contacts_.size();
  while (end > 0 && contacts_[end - 1].pair == kNone) --end;
  if (end == contacts_.size()) return;
  std::erase_if(free_, [end](std::uint32_t id) { return id >= end; });
  contacts_.resize(end);
  bodies_.resize(end);
  resistances_.resize(std::min(resistances_.size(), end));
}

void ContactCache::clear() {
  for (auto& colour : points_) colour = {};
  for (auto& colour : lines_) colour = {};
  for (auto& colour : patches_) colour = {};
  contacts_.clear();
  bodies_.clear();
  resistances_.clear();
  free_.clear();
  body_colours_.assign(body_colours_.size(), 0);
  used_colours_.fill(0);
  live_count_ = 0;
  bouncing_count_ = 0;
  resisting_count_ = 0;
  impulses_.clear();
  ++version_;
}

}  // namespace msd_sim
