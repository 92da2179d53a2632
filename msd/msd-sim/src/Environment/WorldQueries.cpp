#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "msd-sim/src/Environment/Simulation.hpp"
#include "msd-sim/src/Environment/WorldModel.hpp"
#include "msd-sim/src/Physics/Collision/ShapeQueries.hpp"
#include "msd-sim/src/Physics/RigidBody/Validation.hpp"

namespace msd_sim {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Colliders that the trees do not hold where they are: made or moved since the last step, or
/// carried past their box by it. Queries look at them one by one, so that asking never changes the
/// trees.
std::span<const std::uint32_t> looseColliders(Simulation& sim) {
  if (!sim.looseValid.load(std::memory_order_acquire)) {
    const std::lock_guard lock{sim.lazy};
    if (sim.looseValid.load(std::memory_order_relaxed)) return sim.loose;
    sim.loose.clear();
    const auto colliders = sim.collision.colliders();
    for (std::uint32_t c = 0; c < colliders.size(); ++c) {
      if (colliders[c].exists && !sim.collision.isBoxCurrent(c, sim.travel)) sim.loose.push_back(c);
    }
    sim.looseValid.store(true, std::memory_order_release);
  }
  return sim.loose;
}

bool passes(const Simulation& sim, const Collider& collider, const QueryFilter& filter) {
  return (collider.layer & filter.mask) != 0 &&
         (filter.ignore.isNull() || sim.idOf(collider.body) != filter.ignore);
}

/// Calls visit(collider number, placed shape) for every collider that the filter lets through and
/// whose box passes test(box).
template <class Test, class Visit>
void forColliders(Simulation& sim, const QueryFilter& filter, const Test& test,
                  const Visit& visit) {
  const auto colliders = sim.collision.colliders();
  const auto look = [&](std::uint32_t id) {
    const Collider& collider = colliders[id];
    if (!passes(sim, collider, filter)) return;
    visit(id, PlacedShape{collider.shape, sim.collision.colliderPose(collider, sim.solver)});
  };
  const auto held = [&](std::uint32_t id, std::int32_t) {
    if (sim.collision.isBoxCurrent(id, sim.travel)) look(id);
  };
  sim.collision.movingTree().walk(test, held);
  sim.collision.staticTree().walk(test, held);
  for (const std::uint32_t id : looseColliders(sim)) look(id);
}

/// Does the ray meet the box before `limit`? Slabs; a direction without a component along an axis
/// must start between that axis' planes.
bool meets(const Ray& ray, const Aabb& box, double limit) {
  double enter = 0.0, leave = limit;
  for (int c = 0; c < 3; ++c) {
    if (ray.direction[c] == 0.0) {
      if (ray.origin[c] < box.lower[c] || ray.origin[c] > box.upper[c]) return false;
      continue;
    }
    const double a = (box.lower[c] - ray.origin[c]) / ray.direction[c];
    const double b = (box.upper[c] - ray.origin[c]) / ray.direction[c];
    enter = std::max(enter, std::min(a, b));
    leave = std::min(leave, std::max(a, b));
  }
  // Rounding of the planes' parameters must not lose a ray along a face.
  const double slack = 4.0 * std::numeric_limits<double>::epsilon() * (1.0 + limit);
  return enter <= leave + slack;
}

double squaredDistance(const Aabb& box, const Coordinate& p) {
  return (p - p.cwiseMax(box.lower).cwiseMin(box.upper)).squaredNorm();
}

/// Of equally good answers the collider with the smaller number wins, so that the shape of the
/// trees does not matter.
struct Best {
  double value{kInfinity};
  std::uint32_t collider{Collider::kNone};
  [[nodiscard]] bool isBeatenBy(double v, std::uint32_t c) const {
    return v < value || (v == value && c < collider);
  }
};

Ray checked(const Ray& ray) {
  return {requireFinite(ray.origin, "origin", "m"), requireDirection(ray.direction, "direction"),
          requireRange(ray.length, "length", "m", 0.0, std::numeric_limits<double>::max())};
}

std::optional<RayHit> castOne(Simulation& sim, const Ray& given, const QueryFilter& filter) {
  const Ray ray = checked(given);
  Best best{.value = ray.length};
  std::optional<RayHit> result;
  forColliders(
      sim, filter, [&](const Aabb& box) { return meets(ray, box, best.value); },
      [&](std::uint32_t id, const PlacedShape& target) {
        const auto hit = castRay(target, ray.origin, ray.direction, best.value);
        if (!hit || !best.isBeatenBy(hit->distance, id)) return;
        best = {hit->distance, id};
        result = RayHit{sim.idOf(sim.collision.colliders()[id].body), hit->distance, hit->point,
                        hit->normal};
      });
  return result;
}

/// Collision shapes of a user's shape: one, or one per part of a compound.
std::vector<std::pair<CollisionShape, Pose>> partsOf(const Shape& shape, const Pose& pose) {
  std::vector<std::pair<CollisionShape, Pose>> parts;
  if (shape.kind() != ShapeKind::kCompound) {
    parts.emplace_back(makeCollisionShape(shape), pose);
    return parts;
  }
  for (const CompoundPart& part : shape.as<Compound>().parts) {
    parts.emplace_back(makeCollisionShape(part.shape),
                       pose * Pose{part.position, part.orientation});
  }
  return parts;
}

Pose checked(const Pose& pose) {
  return {requireFinite(pose.position, "position", "m"),
          requireUnit(pose.orientation, "orientation")};
}

ShapeCast checked(const ShapeCast& cast) {
  requireFinite(cast.translation, "translation", "m");
  return {cast.shape, checked(cast.start), cast.translation};
}

std::optional<ShapeCastHit> castOne(Simulation& sim, const ShapeCast& given,
                                    const QueryFilter& filter) {
  const ShapeCast cast = checked(given);
  Best best{.value = 1.0};
  std::optional<ShapeCastHit> result;
  for (const auto& [shape, pose] : partsOf(cast.shape, cast.start)) {
    const PlacedShape moved{shape, pose};
    const Aabb start = worldBounds(shape, pose);
    forColliders(
        sim, filter,
        [&](const Aabb& box) {
          // The path up to the best hit so far, as a box.
          const Vector3D way = best.value * cast.translation;
          const Aabb path = start.merged({start.lower + way, start.upper + way});
          return path.overlaps(box);
        },
        [&](std::uint32_t id, const PlacedShape& target) {
          const auto hit = castShape(moved, cast.translation, target);
          if (!hit || !best.isBeatenBy(hit->fraction, id)) return;
          best = {hit->fraction, id};
          result = ShapeCastHit{sim.idOf(sim.collision.colliders()[id].body), hit->fraction,
                                hit->point, hit->normal};
        });
  }
  return result;
}

std::vector<BodyId> overlapOne(Simulation& sim, const Shape& shape, const Pose& pose,
                               const QueryFilter& filter) {
  std::vector<BodyId> found;
  for (const auto& [part, place] : partsOf(shape, checked(pose))) {
    const PlacedShape probe{part, place};
    const Aabb bounds = worldBounds(part, place);
    forColliders(
        sim, filter, [&](const Aabb& box) { return box.overlaps(bounds); },
        [&](std::uint32_t id, const PlacedShape& target) {
          if (!part.isConvex() && !target.shape.isConvex()) return;
          if (overlaps(probe, target)) {
            found.push_back(sim.idOf(sim.collision.colliders()[id].body));
          }
        });
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

void checkClosest(const Coordinate& point, double maxDistance) {
  requireFinite(point, "point", "m");
  if (!(maxDistance >= 0.0)) requireRange(maxDistance, "maxDistance", "m", 0.0, kInfinity);
}

std::optional<ClosestPoint> closestOne(Simulation& sim, const Coordinate& point,
                                       double maxDistance, const QueryFilter& filter) {
  checkClosest(point, maxDistance);
  Best best{.value = maxDistance};
  std::optional<ClosestPoint> result;
  forColliders(
      sim, filter,
      [&](const Aabb& box) { return squaredDistance(box, point) <= best.value * best.value; },
      [&](std::uint32_t id, const PlacedShape& target) {
        const NearestPoint nearest = findNearestPoint(target, point);
        if (!best.isBeatenBy(nearest.distance, id)) return;
        best = {nearest.distance, id};
        result = ClosestPoint{sim.idOf(sim.collision.colliders()[id].body), nearest.point,
                              nearest.distance};
      });
  return result;
}

/// The world, if it is not in the middle of a step.
Simulation& asked(Simulation& sim) {
  requireIdle(sim);
  return sim;
}

/// Answers questions 0 .. count on the world's threads; each answer is the one that asking alone
/// gives. What a question can be wrong in must have been checked before.
template <class Answer, class Ask>
std::vector<Answer> askAll(Simulation& sim, std::size_t count, const Ask& ask) {
  constexpr std::size_t kGrain = 64;
  std::vector<Answer> answers(count);
  (void)looseColliders(sim);  // made once, before the threads share it
  const WorkTeam::Session session{*sim.team};
  sim.team->forRange(count, kGrain, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) answers[i] = ask(i);
  });
  return answers;
}

void requireConvex(const Shape& shape) {
  for (const auto& [part, pose] : partsOf(shape, Pose{})) {
    if (!part.isConvex()) {
      throw std::invalid_argument{fmt::format(
          "the shape of a shape cast is a {}; expected sphere, box, capsule, cylinder, hull or a "
          "compound of these",
          msd_assets::shapeKindName(part.kind))};
    }
  }
}

}  // namespace

std::optional<RayHit> WorldModel::rayCast(const Ray& ray, const QueryFilter& filter) const {
  return castOne(asked(simulation_.inner()), ray, filter);
}

std::vector<std::optional<RayHit>> WorldModel::rayCast(std::span<const Ray> rays,
                                                       const QueryFilter& filter) const {
  for (const Ray& ray : rays) (void)checked(ray);
  return askAll<std::optional<RayHit>>(asked(simulation_.inner()), rays.size(), [&](std::size_t i) {
    return castOne(asked(simulation_.inner()), rays[i], filter);
  });
}

std::optional<ShapeCastHit> WorldModel::shapeCast(const ShapeCast& cast,
                                                  const QueryFilter& filter) const {
  requireConvex(cast.shape);
  return castOne(asked(simulation_.inner()), cast, filter);
}

std::vector<std::optional<ShapeCastHit>> WorldModel::shapeCast(std::span<const ShapeCast> casts,
                                                               const QueryFilter& filter) const {
  for (const ShapeCast& cast : casts) {
    (void)checked(cast);
    requireConvex(cast.shape);
  }
  return askAll<std::optional<ShapeCastHit>>(asked(simulation_.inner()), casts.size(), [&](std::size_t i) {
    return castOne(asked(simulation_.inner()), casts[i], filter);
  });
}

std::vector<BodyId> WorldModel::overlap(const Shape& shape, const Pose& pose,
                                        const QueryFilter& filter) const {
  return overlapOne(asked(simulation_.inner()), shape, pose, filter);
}

std::vector<std::vector<BodyId>> WorldModel::overlap(std::span<const OverlapProbe> probes,
                                                     const QueryFilter& filter) const {
  for (const OverlapProbe& probe : probes) (void)checked(probe.pose);
  return askAll<std::vector<BodyId>>(asked(simulation_.inner()), probes.size(), [&](std::size_t i) {
    return overlapOne(asked(simulation_.inner()), probes[i].shape, probes[i].pose, filter);
  });
}

std::optional<ClosestPoint> WorldModel::closestPoint(const Coordinate& point, double maxDistance,
                                                     const QueryFilter& filter) const {
  return closestOne(asked(simulation_.inner()), point, maxDistance, filter);
}

std::vector<std::optional<ClosestPoint>> WorldModel::closestPoint(
    std::span<const Coordinate> points, double maxDistance, const QueryFilter& filter) const {
  for (const Coordinate& point : points) checkClosest(point, maxDistance);
  return askAll<std::optional<ClosestPoint>>(asked(simulation_.inner()), points.size(), [&](std::size_t i) {
    return closestOne(asked(simulation_.inner()), points[i], maxDistance, filter);
  });
}

}  // namespace msd_sim
