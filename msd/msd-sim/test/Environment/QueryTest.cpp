// World queries against asking every shape in turn.

#include <gtest/gtest.h>

#include "Scenes.hpp"
#include "msd-sim/src/Physics/Collision/ShapeQueries.hpp"

namespace msd_sim::test {
namespace {

/// All bodies of a world as placed collision shapes (none of them a compound).
struct Everything {
  std::vector<BodyId> ids;
  std::vector<CollisionShape> shapes;
  std::vector<Pose> poses;
  explicit Everything(const WorldModel& world) {
    for (const BodyId id : world.bodies()) {
      ids.push_back(id);
      shapes.push_back(makeCollisionShape(world.asset(id).getShape()));
      poses.push_back(world.asset(id).pose());
    }
  }
};

class Queries : public ::testing::Test {
 protected:
  Queries() {
    addHeap(world_, 60);
    world_.spawn(
        EnvironmentDescription{.name = "slope", .shape = Plane{Vector3D{0.6, 0.0, 0.8}, -3.0}});
    for (int i = 0; i < 45; ++i) world_.update(1.0 / 60.0);
    // Some that the trees do not know yet.
    world_.spawn(InertialDescription{.shape = Sphere{0.4}, .position = {4.0, 0.0, 6.0}});
    InertialState moved = world_.inertial(world_.bodies()[5]).getInertialState();
    moved.position = {1.0, 1.0, 5.0};
    world_.setState(world_.bodies()[5], moved);
  }
  WorldModel world_;
};

TEST_F(Queries, raysFindWhatBruteForceFinds) {
  const Everything all{world_};
  Random random{3};
  std::vector<Ray> rays;
  for (int i = 0; i < 500; ++i) {
    Vector3D direction = random.vector(1.0);
    if (i % 10 == 0) direction = {0.0, 0.0, -1.0};
    if (direction.norm() < 0.1) continue;
    rays.push_back({random.vector(4.0) + Vector3D{0, 0, 3}, direction.normalized(), 10.0});
  }
  const auto batch = world_.rayCast(rays);
  int hits = 0;
  for (std::size_t r = 0; r < rays.size(); ++r) {
    double nearest = rays[r].length;
    bool any = false;
    for (std::size_t i = 0; i < all.ids.size(); ++i) {
      const auto hit = castRay(PlacedShape{all.shapes[i], all.poses[i]}, rays[r].origin,
                               rays[r].direction, rays[r].length);
      if (hit && hit->distance <= nearest) {
        nearest = hit->distance;
        any = true;
      }
    }
    const auto found = world_.rayCast(rays[r]);
    ASSERT_EQ(found.has_value(), any) << r;
    ASSERT_EQ(batch[r].has_value(), any) << r;
    if (!any) continue;
    ++hits;
    EXPECT_NEAR(found->distance, nearest, 1e-9);
    EXPECT_EQ(found->body, batch[r]->body);
    EXPECT_LT((found->point - (rays[r].origin + found->distance * rays[r].direction)).norm(), 1e-9);
  }
  EXPECT_GT(hits, 200);
}

TEST_F(Queries, shapeCastsFindWhatBruteForceFinds) {
  const Everything all{world_};
  Random random{4};
  int hits = 0;
  for (int i = 0; i < 120; ++i) {
    const Shape shapes[] = {Sphere{0.2}, Box{{0.1, 0.2, 0.3}}, Capsule{0.1, 0.2}};
    const ShapeCast cast{shapes[i % 3], Pose{random.vector(3.0) + Vector3D{0, 0, 4}, random.turn()},
                         random.vector(4.0)};
    const CollisionShape shape = makeCollisionShape(cast.shape);
    double first = 2.0;
    for (std::size_t k = 0; k < all.ids.size(); ++k) {
      const auto hit = castShape(PlacedShape{shape, cast.start}, cast.translation,
                                 PlacedShape{all.shapes[k], all.poses[k]});
      if (hit) first = std::min(first, hit->fraction);
    }
    const auto found = world_.shapeCast(cast);
    ASSERT_EQ(found.has_value(), first <= 1.0) << i;
    if (!found) continue;
    ++hits;
    EXPECT_NEAR(found->fraction, first, 1e-9);
  }
  EXPECT_GT(hits, 20);
}

TEST_F(Queries, overlapsFindWhatBruteForceFinds) {
  const Everything all{world_};
  Random random{5};
  std::size_t total = 0;
  for (int i = 0; i < 120; ++i) {
    const Shape shape = i % 2 == 0 ? Shape{Sphere{0.5}} : Shape{Box{{0.5, 0.3, 0.4}}};
    const Pose pose{random.vector(2.0) + Vector3D{0, 0, 1}, random.turn()};
    const CollisionShape probe = makeCollisionShape(shape);
    std::vector<BodyId> expected;
    for (std::size_t k = 0; k < all.ids.size(); ++k) {
      if (overlaps(PlacedShape{probe, pose}, PlacedShape{all.shapes[k], all.poses[k]})) {
        expected.push_back(all.ids[k]);
      }
    }
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(world_.overlap(shape, pose), expected) << i;
    total += expected.size();
  }
  EXPECT_GT(total, 50u);
}

TEST_F(Queries, closestPointsFindWhatBruteForceFinds) {
  const Everything all{world_};
  Random random{6};
  for (int i = 0; i < 200; ++i) {
    const Coordinate point = random.vector(3.0) + Vector3D{0, 0, 2};
    double nearest = 1.0;
    bool any = false;
    for (std::size_t k = 0; k < all.ids.size(); ++k) {
      const NearestPoint p = findNearestPoint(PlacedShape{all.shapes[k], all.poses[k]}, point);
      if (p.distance <= nearest) {
        nearest = p.distance;
        any = true;
      }
    }
    const auto found = world_.closestPoint(point, 1.0);
    ASSERT_EQ(found.has_value(), any) << i;
    if (found) {
      EXPECT_NEAR(found->distance, nearest, 1e-9);
    }
  }
}

TEST_F(Queries, manyAtOnceAnswerLikeOneByOneForEveryThreadCount) {
  Random random{7};
  std::vector<ShapeCast> casts;
  std::vector<OverlapProbe> probes;
  std::vector<Coordinate> points;
  for (int i = 0; i < 300; ++i) {
    const Shape shape = i % 2 == 0 ? Shape{Sphere{0.3}} : Shape{Box{{0.2, 0.3, 0.4}}};
    const Pose pose{random.vector(2.0) + Vector3D{0, 0, 2}, random.turn()};
    casts.push_back({shape, pose, random.vector(4.0)});
    probes.push_back({shape, pose});
    points.push_back(pose.position);
  }
  const QueryFilter filter{.ignore = world_.bodies()[3]};
  std::size_t hits = 0, touched = 0, near = 0;
  for (const int threads : {1, 2, 3}) {
    Settings settings = world_.settings();
    settings.threads = threads;
    world_.setSettings(settings);
    const auto swept = world_.shapeCast(casts, filter);
    const auto found = world_.overlap(probes, filter);
    const auto closest = world_.closestPoint(points, 0.5, filter);
    for (std::size_t i = 0; i < casts.size(); ++i) {
      const auto oneCast = world_.shapeCast(casts[i], filter);
      ASSERT_EQ(swept[i].has_value(), oneCast.has_value());
      if (oneCast) {
        ++hits;
        EXPECT_EQ(swept[i]->body, oneCast->body);
        EXPECT_EQ(swept[i]->fraction, oneCast->fraction);
        EXPECT_EQ(swept[i]->point, oneCast->point);
      }
      EXPECT_EQ(found[i], world_.overlap(probes[i].shape, probes[i].pose, filter));
      touched += found[i].size();
      const auto oneNear = world_.closestPoint(points[i], 0.5, filter);
      ASSERT_EQ(closest[i].has_value(), oneNear.has_value());
      if (oneNear) {
        ++near;
        EXPECT_EQ(closest[i]->body, oneNear->body);
        EXPECT_EQ(closest[i]->distance, oneNear->distance);
      }
    }
  }
  EXPECT_GT(hits, 100u);
  EXPECT_GT(touched, 100u);
  EXPECT_GT(near, 100u);
}

TEST_F(Queries, wrongQuestionsInABatchAreRefusedBeforeAnyIsAnswered) {
  const Pose wrong{{std::nan(""), 0.0, 0.0}, Quaternion::Identity()};
  const std::vector<ShapeCast> casts{{Sphere{0.1}}, {Sphere{0.1}, wrong}};
  EXPECT_THROW((void)world_.shapeCast(casts), std::invalid_argument);
  const std::vector<ShapeCast> flat{{Sphere{0.1}}, {Plane{Vector3D{0, 0, 1}, 0.0}}};
  EXPECT_THROW((void)world_.shapeCast(flat), std::invalid_argument);
  const std::vector<OverlapProbe> probes{{Sphere{0.1}}, {Sphere{0.1}, wrong}};
  EXPECT_THROW((void)world_.overlap(probes), std::invalid_argument);
  const std::vector<Coordinate> points{{0, 0, 0}, wrong.position};
  EXPECT_THROW((void)world_.closestPoint(points, 1.0), std::invalid_argument);
}

TEST_F(Queries, filtersLookThrough) {
  const Ray down{{4.0, 0.0, 20.0}, {0.0, 0.0, -1.0}, 50.0};
  const auto first = world_.rayCast(down);
  ASSERT_TRUE(first);
  EXPECT_NEAR(first->point.z(), 6.4, 1e-9);
  const auto second = world_.rayCast(down, {.ignore = first->body});
  ASSERT_TRUE(second);
  EXPECT_NE(second->body, first->body);
  EXPECT_FALSE(world_.rayCast(down, {.mask = 8}));
  EXPECT_FALSE(world_.closestPoint({0, 0, 0}, 10.0, {.mask = 8}));
}

TEST_F(Queries, doNotDisturbTheSimulation) {
  WorldModel other;
  addHeap(other, 60);
  WorldModel same;
  addHeap(same, 60);
  for (int i = 0; i < 60; ++i) {
    other.update(1.0 / 60.0);
    same.update(1.0 / 60.0);
    (void)same.rayCast(Ray{{0, 0, 5}, {0, 0, -1}, 10.0});
    (void)same.overlap(Sphere{1.0}, Pose{});
    (void)same.closestPoint({0, 0, 1}, 5.0);
    (void)same.contacts();
    ASSERT_EQ(other.stateHash(), same.stateHash());
  }
}

TEST_F(Queries, boundsHoldTheBody) {
  for (const BodyId id : world_.bodies()) {
    const Aabb box = world_.bounds(id);
    const CollisionShape shape = makeCollisionShape(world_.asset(id).getShape());
    EXPECT_TRUE(box.contains(worldBounds(shape, world_.asset(id).pose()))) << id.index;
  }
}

}  // namespace
}  // namespace msd_sim::test
