#include "msd-sim/src/Physics/Collision/ContactCache.hpp"

#include <algorithm>
#include <cmath>

#include "msd-sim/src/DataTypes/Arrays.hpp"
#include "msd-sim/src/DataTypes/Pose.hpp"

namespace msd_sim {

namespace {

// Free entries of a pool below which it is left as it is.
constexpr std::size_t kManyFree = 1024;

// A point without the same features as before takes over the force of an old point this near,
// relative to the smaller body's size: aligned faces change features at the slightest turn.
constexpr double kSamePoint = 0.1;

// A tangent of the last step that is longer than this after projection is still one.
constexpr double kStillTangent = 0.5;

/// Some unit vector perpendicular to n, the same for the same n.
Vector3D perpendicular(const Vector3D& n) {
  const Vector3D other = std::abs(n.x()) < 0.7 ? Vector3D::UnitX() : Vector3D::UnitY();
  return n.cross(other).normalized();
}

void put(const Vector3D& v, double (&to)[3]) {
  for (int c = 0; c < 3; ++c) to[c] = v[c];
}

}  // namespace

std::array<int, CarriedPoints::kPoints> CarriedPoints::match(const ContactManifold& manifold,
                                                             double reach) const {
  std::array<int, kPoints> result;
  result.fill(-1);
  if (!any) return result;
  std::array<bool, kPoints> taken{};
  const std::size_t count = std::min(static_cast<std::size_t>(manifold.count), kPoints);
  for (std::size_t p = 0; p < count; ++p) {
    for (std::size_t q = 0; q < kPoints; ++q) {
      if (!active[q] || taken[q] || feature[q] != manifold.points[p].feature) continue;
      result[p] = static_cast<int>(q);
      taken[q] = true;
      break;
    }
  }
  for (std::size_t p = 0; p < count; ++p) {
    if (result[p] >= 0) continue;
    double nearest = reach * reach;
    for (std::size_t q = 0; q < kPoints; ++q) {
      if (!active[q] || taken[q]) continue;
      const double d2 = (position[q] - manifold.points[p].pointA).squaredNorm();
      if (!(d2 < nearest)) continue;
      nearest = d2;
      result[p] = static_cast<int>(q);
    }
    if (result[p] >= 0) taken[static_cast<std::size_t>(result[p])] = true;
  }
  return result;
}

CarriedPoints ContactCache::carriedBy(std::uint32_t id, const ContactPlaces& places) const {
  const Contact& book = contact(id);
  CarriedPoints carried;
  const Placement& place = book.flipped ? places.b : places.a;
  const double sign = book.flipped ? -1.0 : 1.0;
  const Matrix3D& toWorld = place.rotation;
  with(id, [&]<int kStored>(const StoredContact<kStored>& s) {
    const Vector3D n = toWorld * vectorOf(s.normal);
    carried.tangent = toWorld * vectorOf(s.tangent);
    const Vector3D second = n.cross(carried.tangent);
    carried.friction = s.friction;
    carried.restitution = s.restitution;
    for (std::size_t p = 0; p < kStored; ++p) {
      const StoredPoint& point = s.points[p];
      carried.active[p] = point.active > 0.0;
      if (!carried.active[p]) continue;
      carried.any = true;
      carried.feature[p] = book.feature[p];
      carried.position[p] = place.toWorld(vectorOf(point.anchor0));
      const double(&force)[3] = s.forces.expected[p];
      carried.normalForce[p] = force[0];
      carried.tangential[p] = sign * (force[1] * carried.tangent + force[2] * second);
    }
  });
  return carried;
}

/// A place in the pool of a kind.
template <int kPoints>
std::uint32_t ContactCache::take() {
  constexpr auto kKind = static_cast<std::size_t>(kPoints == 4 ? 2 : kPoints - 1);
  auto& pool = std::get<AlignedVector<StoredContact<kPoints>>>(numbers_);
  std::vector<std::uint32_t>& free = free_[kKind];
  records_[kKind].resize(
      pool.size());  // the same length, should memory have run out between the two
  std::uint32_t place;
  if (free.empty()) {
    place = static_cast<std::uint32_t>(pool.size());
    pool.emplace_back();
    records_[kKind].resize(pool.size());
  } else {
    place = free.back();
    free.pop_back();
  }
  return place * kNumberStep + static_cast<std::uint32_t>(kKind);
}

template <int kPoints>
void ContactCache::release(std::uint32_t id) {
  contact(id) = Contact{};
  free_[id % kNumberStep].push_back(static_cast<std::uint32_t>(indexOf(id)));
}

std::uint32_t ContactCache::add(std::uint32_t pair, const ContactBodies& bodies,
                                const ContactMaterial& material, Kind kind) {
  const std::uint32_t id = forKind(kind, [&]<int kPoints>() { return take<kPoints>(); });
  contact(id) = Contact{
      .pair = pair, .bodies = bodies, .born = frame_, .bounces = material.restitution > 0.0};
  if (material.restitution > 0.0) ++bouncing_count_;
  const ContactResistance resistance{.rolling = material.rollingResistance,
                                     .torsional = material.torsionalResistance,
                                     .special = material.special};
  if (resistance.isThere()) {
    if (free_resistances_.empty()) {
      free_resistances_.push_back(static_cast<std::uint32_t>(resistances_.size()));
      resistances_.emplace_back();
    }
    contact(id).resistance = free_resistances_.back();
    free_resistances_.pop_back();
    resistances_[contact(id).resistance] = resistance;
    ++resisting_count_;
  }
  ++live_count_;
  ++version_;
  return id;
}

void ContactCache::dropResistance(Contact& contact) {
  if (contact.resistance == kNone) return;
  resistances_[contact.resistance] = {};
  free_resistances_.push_back(contact.resistance);
  --resisting_count_;
}

void ContactCache::remove(std::uint32_t id) {
  Contact& c = contact(id);
  if (c.bounces) --bouncing_count_;
  dropResistance(c);
  if (c.touching) lost_.push_back(c.bodies);
  forKind(kindOf(id), [&]<int kPoints>() { release<kPoints>(id); });
  --live_count_;
  ++version_;
}

void ContactCache::setCoefficients(std::uint32_t id, double friction, double restitution) {
  Contact& c = contact(id);
  const bool bounces = restitution > 0.0;
  if (bounces != c.bounces) bounces ? ++bouncing_count_ : --bouncing_count_;
  c.bounces = bounces;
  with(id, [&](auto& s) {
    s.friction = friction;
    s.restitution = restitution;
  });
}

std::uint32_t ContactCache::moveTo(std::uint32_t id, Kind kind) {
  const Contact book = contact(id);
  forKind(kindOf(id), [&]<int kPoints>() { release<kPoints>(id); });
  id = forKind(kind, [&]<int kPoints>() { return take<kPoints>(); });
  contact(id) = book;
  return id;
}

void ContactCache::write(std::uint32_t id, const NewPoints& points, const ContactPlaces& places,
                         bool isNew) {
  with(id, [&]<int kPoints>(StoredContact<kPoints>& s) {
    if (isNew) s = {};
    s.friction = points.carried.friction;
    s.restitution = points.carried.restitution;
    writePoints(contact(id), s, points.manifold, points.rounding, places, points.carried);
  });
}

void ContactCache::renew(std::uint32_t id, const ContactManifold& manifold,
                         const ContactRounding& rounding, const ContactPlaces& places) {
  with(id, [&]<int kPoints>(StoredContact<kPoints>& s) {
    const CarriedPoints old = carriedBy(id, places);
    int active = 0;
    for (const StoredPoint& point : s.points) active += point.active > 0.0 ? 1 : 0;
    ContactManifold fitting = manifold;
    fitting.count = std::min(fitting.count, kPoints);
    for (; fitting.count < active; ++fitting.count) {
      fitting.points[static_cast<std::size_t>(fitting.count)] =
          fitting.points[static_cast<std::size_t>(fitting.count - 1)];
    }
    // Points that were there keep their places, and so what they carry.
    for (std::size_t p = 0; p < static_cast<std::size_t>(fitting.count); ++p) {
      const auto same =
          std::find_if(fitting.points.begin(), fitting.points.begin() + fitting.count,
                       [&](const ManifoldPoint& x) { return x.feature == contact(id).feature[p]; });
      if (same != fitting.points.begin() + fitting.count) std::swap(*same, fitting.points[p]);
    }
    ContactRounding fit = rounding;
    const bool flipped = contact(id).flipped;
    if (flipped != (manifold.owner == NormalOwner::kBodyB)) {
      fitting.owner = flipped ? NormalOwner::kBodyB : NormalOwner::kNeither;
      fit.follow = FollowMode::kStay;
    }
    // Places for several points have none for the cores that one slides between.
    if (kPoints > 1 && fit.follow == FollowMode::kCores) fit.follow = FollowMode::kStay;
    writePoints(contact(id), s, fitting, fit, places, old);
  });
}

template <int kPoints>
void ContactCache::writePoints(Contact& contact, StoredContact<kPoints>& s,
                               const ContactManifold& manifold, const ContactRounding& rounding,
                               const ContactPlaces& places, const CarriedPoints& old) {
  // The owner of the normal becomes row body 0.
  contact.flipped = manifold.owner == NormalOwner::kBodyB;
  s.rounding0 = contact.flipped ? rounding.b : rounding.a;
  s.rounding1 = contact.flipped ? rounding.a : rounding.b;
  s.balls = rounding.balls ? 1.0 : 0.0;
  const Placement& place0 = contact.flipped ? places.b : places.a;
  const Placement& place1 = contact.flipped ? places.a : places.b;
  const auto toBody0 = place0.rotation.transpose();
  const auto toBody1 = place1.rotation.transpose();
  const double sign = contact.flipped ? -1.0 : 1.0;
  const Vector3D normal = sign * manifold.normal;
  Vector3D t1 = old.tangent - old.tangent.dot(normal) * normal;
  const double length = t1.norm();
  t1 = old.any && length > kStillTangent ? Vector3D{t1 / length} : perpendicular(normal);
  const Vector3D t2 = normal.cross(t1);
  put(toBody0 * normal, s.normal);
  put(toBody0 * t1, s.tangent);

  s.size = places.size;
  const std::array<int, CarriedPoints::kPoints> match = old.match(manifold, kSamePoint * s.size);
  for (std::size_t p = 0; p < kPoints; ++p) {
    StoredPoint& to = s.points[p];
    double(&force)[3] = s.forces.expected[p];
    for (double& f : force) f = 0.0;
    if (static_cast<int>(p) >= manifold.count) {
      to = {};
      contact.feature[p] = 0;
      continue;
    }
    const ManifoldPoint& point = manifold.points[p];
    put(place0.toLocal(contact.flipped ? point.pointB : point.pointA), to.anchor0);
    put(place1.toLocal(contact.flipped ? point.pointA : point.pointB), to.anchor1);
    to.active = 1.0;
    contact.feature[p] = point.feature;
    if (match[p] < 0) continue;
    const auto q = static_cast<std::size_t>(match[p]);
    const Vector3D tangential = sign * old.tangential[q];
    put({old.normalForce[q], tangential.dot(t1), tangential.dot(t2)}, force);
  }

  s.mode = static_cast<double>(rounding.follow);
  if (rounding.follow == FollowMode::kStay) return;
  const Vector3D n_0 = vectorOf(s.normal), n_1 = toBody1 * normal;
  // Two balls are their centres, to the last digit.
  const double centred = rounding.balls ? 0.0 : 1.0;
  for (std::size_t p = 0; p < kPoints; ++p) {
    const StoredPoint& point = s.points[p];
    put(centred * (vectorOf(point.anchor0) - s.rounding0 * n_0), s.follow.core0[p]);
    put(centred * (vectorOf(point.anchor1) + s.rounding1 * n_1), s.follow.core1[p]);
  }
  if constexpr (kPoints == 1) {
    put(toBody0 * (contact.flipped ? rounding.slideB : rounding.slideA), s.follow.slide0);
    put(toBody1 * (contact.flipped ? rounding.slideA : rounding.slideB), s.follow.slide1);
  }
}

Vector3D ContactCache::normal(std::uint32_t id, const ContactPlaces& places) const {
  const bool flipped = contact(id).flipped;
  Vector3D result;
  with(id, [&](const auto& s) {
    result = (flipped ? places.b : places.a).rotation * vectorOf(s.normal);
  });
  return flipped ? Vector3D{-result} : result;
}

void ContactCache::expireOldEntries(std::uint64_t maxAge) {
  impulses_.expire(frame_, maxAge);
  const auto shrink = [&]<int kPoints>(std::size_t kind) {
    std::vector<Contact>& records = records_[kind];
    std::vector<std::uint32_t>& free = free_[kind];
    if (free.size() < kManyFree || 2 * free.size() < records.size()) return;
    std::size_t end = records.size();
    while (end > 0 && records[end - 1].pair == kNone) --end;
    if (end == records.size()) return;
    std::erase_if(free, [end](std::uint32_t place) { return place >= end; });
    records.resize(end);
    std::get<AlignedVector<StoredContact<kPoints>>>(numbers_).resize(end);
  };
  shrink.operator()<1>(0);
  shrink.operator()<2>(1);
  shrink.operator()<4>(2);
}

void ContactCache::clear() {
  const std::uint64_t version = version_, frame = frame_;
  *this = ContactCache{};
  version_ = version + 1;
  frame_ = frame;
}

}  // namespace msd_sim
