// Bullet 3 with its documented defaults: sequential impulse, 10 iterations, split impulse, margins
// as the shapes bring them. Sleeping off. Friction and restitution of a pair are products in Bullet
// and geometric means with us, so each body gets the square root.
#include <btBulletDynamicsCommon.h>
#include <fmt/format.h>

#include <cmath>

#include "bench/adapters/Peer.hpp"

namespace msd_bench {

namespace {

using msd_assets::ShapeKind;

btVector3 toBullet(const msd_sim::Vector3D& v) {
  return {static_cast<btScalar>(v.x()), static_cast<btScalar>(v.y()), static_cast<btScalar>(v.z())};
}
msd_sim::Vector3D fromBullet(const btVector3& v) {
  return {static_cast<double>(v.x()), static_cast<double>(v.y()), static_cast<double>(v.z())};
}
btTransform toBullet(const msd_sim::Pose& pose) {
  const auto& q = pose.orientation;
  return btTransform{btQuaternion{static_cast<btScalar>(q.x()), static_cast<btScalar>(q.y()),
                                  static_cast<btScalar>(q.z()), static_cast<btScalar>(q.w())},
                     toBullet(pose.position)};
}
msd_sim::Pose fromBullet(const btTransform& transform) {
  const btQuaternion q = transform.getRotation();
  return {fromBullet(transform.getOrigin()),
          msd_sim::Quaternion{static_cast<double>(q.w()), static_cast<double>(q.x()),
                              static_cast<double>(q.y()), static_cast<double>(q.z())}
              .normalized()};
}

class BulletPeer final : public Peer {
 public:
  explicit BulletPeer(const PeerScene& scene) : scene_{scene} {
    world_.setGravity(toBullet(scene.loaded.document.gravity));
    for (const PeerBody& body : scene.bodies) addBody(body);
    for (const PeerJoint& joint : scene.joints) addJoint(joint);
  }
  ~BulletPeer() override {
    for (const auto& joint : joints_) world_.removeConstraint(joint.get());
    for (const auto& body : bodies_) world_.removeRigidBody(body.get());
  }
  BulletPeer(const BulletPeer&) = delete;
  BulletPeer& operator=(const BulletPeer&) = delete;

  void step(double dt) override {
    world_.stepSimulation(static_cast<btScalar>(dt), 0, static_cast<btScalar>(dt));
  }

  [[nodiscard]] FrameState state(std::size_t index) const override {
    const btRigidBody& body = *bodies_[index];
    const PeerBody& peer = scene_.bodies[index];
    if (peer.isStatic()) return {.pose = peer.frame};
    return frameState(peer, fromBullet(body.getWorldTransform()),
                      fromBullet(body.getLinearVelocity()), fromBullet(body.getAngularVelocity()));
  }

  [[nodiscard]] std::optional<std::size_t> contacts() const override {
    std::size_t count = 0;
    for (int i = 0; i < dispatcher_.getNumManifolds(); ++i) {
      count += static_cast<std::size_t>(const_cast<btCollisionDispatcher&>(dispatcher_)
                                            .getManifoldByIndexInternal(i)
                                            ->getNumContacts());
    }
    return count;
  }

 private:
  std::unique_ptr<btCollisionShape> makeShape(const PeerBody& body) {
    const msd_assets::Shape& shape = *body.shape;
    const auto scalar = [](double value) { return static_cast<btScalar>(value); };
    switch (shape.kind()) {
      case ShapeKind::kSphere:
        return std::make_unique<btSphereShape>(scalar(shape.as<msd_assets::Sphere>().radius));
      case ShapeKind::kBox:
        return std::make_unique<btBoxShape>(toBullet(shape.as<msd_assets::Box>().halfExtents));
      case ShapeKind::kCapsule: {
        const auto& c = shape.as<msd_assets::Capsule>();
        return std::make_unique<btCapsuleShapeZ>(scalar(c.radius), scalar(2.0 * c.halfHeight));
      }
      case ShapeKind::kCylinder: {
        const auto& c = shape.as<msd_assets::Cylinder>();
        return std::make_unique<btCylinderShapeZ>(
            btVector3{scalar(c.radius), scalar(c.radius), scalar(c.halfHeight)});
      }
      case ShapeKind::kHull: {
        auto hull = std::make_unique<btConvexHullShape>();
        const msd_sim::Pose principal = body.principal();
        for (const Eigen::Vector3d& v : shape.as<msd_assets::Hull>().polyhedron->vertices()) {
          hull->addPoint(toBullet(body.isStatic() ? v : principal.toLocal(v)), false);
        }
        hull->recalcLocalAabb();
        return hull;
      }
      case ShapeKind::kPlane: {
        const auto& plane = shape.as<msd_assets::Plane>();
        return std::make_unique<btStaticPlaneShape>(toBullet(plane.normal), scalar(plane.offset));
      }
      case ShapeKind::kMesh:
        return makeMesh(*shape.as<msd_assets::Mesh>().surface);
      case ShapeKind::kTerrain:
      case ShapeKind::kCompound:
        break;
    }
    throw NotServed{"a shape that the Bullet adapter does not translate"};
  }

  std::unique_ptr<btCollisionShape> makeMesh(const msd_assets::TriangleMesh& surface) {
    auto triangles = std::make_unique<btTriangleMesh>();
    for (const auto& t : surface.triangles()) {
      triangles->addTriangle(toBullet(surface.vertices()[t[0]]), toBullet(surface.vertices()[t[1]]),
                             toBullet(surface.vertices()[t[2]]));
    }
    meshes_.push_back(std::move(triangles));
    return std::make_unique<btBvhTriangleMeshShape>(meshes_.back().get(), true);
  }

  /// Bullet's body is its principal frame: a shape whose frame is another sits in a compound. The
  /// points of a hull have been moved instead.
  btCollisionShape* placedShape(const PeerBody& body) {
    shapes_.push_back(makeShape(body));
    btCollisionShape* shape = shapes_.back().get();
    if (body.isStatic() || body.isCentred() || body.shape->kind() == ShapeKind::kHull) return shape;
    auto compound = std::make_unique<btCompoundShape>();
    compound->addChildShape(toBullet(body.principal().inverse()), shape);
    shapes_.push_back(std::move(compound));
    return shapes_.back().get();
  }

  void addBody(const PeerBody& body) {
    btRigidBody::btRigidBodyConstructionInfo info{static_cast<btScalar>(body.mass), nullptr,
                                                  placedShape(body),
                                                  toBullet(body.principalInertia)};
    const msd_sim::Pose principal = body.frame * body.principal();
    info.m_startWorldTransform = toBullet(body.isStatic() ? body.frame : principal);
    info.m_friction = static_cast<btScalar>(std::sqrt(body.friction));
    info.m_restitution = static_cast<btScalar>(std::sqrt(body.restitution));
    auto made = std::make_unique<btRigidBody>(info);
    if (!body.isStatic()) {
      const msd_sim::Vector3D arm = principal.position - body.frame.position;
      made->setLinearVelocity(
          toBullet(body.scene->linearVelocity + body.scene->angularVelocity.cross(arm)));
      made->setAngularVelocity(toBullet(body.scene->angularVelocity));
      made->setActivationState(DISABLE_DEACTIVATION);
    }
    if (body.scene->collides) {
      world_.addRigidBody(made.get());
    } else {
      world_.addRigidBody(made.get(), 0, 0);
    }
    bodies_.push_back(std::move(made));
  }

  void addJoint(const PeerJoint& joint) {
    btRigidBody& a = joint.bodyA ? *bodies_[*joint.bodyA] : btTypedConstraint::getFixedBody();
    btRigidBody& b = *bodies_[joint.bodyB];
    joints_.push_back(makeJoint(joint, a, b));
    world_.addConstraint(joints_.back().get(), !joint.collideConnected);
  }

  static std::unique_ptr<btTypedConstraint> makeJoint(const PeerJoint& joint, btRigidBody& a,
                                                      btRigidBody& b) {
    const btTransform toA = a.getWorldTransform().inverse();
    const btTransform toB = b.getWorldTransform().inverse();
    const btVector3 anchor = toBullet(joint.anchor);
    const btVector3 axis = toBullet(joint.axis);
    switch (joint.kind) {
      case PeerJointKind::kBall:
        return std::make_unique<btPoint2PointConstraint>(a, b, toA * anchor, toB * anchor);
      case PeerJointKind::kHinge:
        return std::make_unique<btHingeConstraint>(a, b, toA * anchor, toB * anchor,
                                                   toA.getBasis() * axis, toB.getBasis() * axis);
      case PeerJointKind::kSlider:
        break;
    }
    // Bullet slides along the frames' x; limits the wrong way round leave it free.
    const msd_sim::Pose along{joint.anchor, msd_sim::Quaternion::FromTwoVectors(
                                                msd_sim::Vector3D::UnitX(), joint.axis)};
    auto slider = std::make_unique<btSliderConstraint>(a, b, toA * toBullet(along),
                                                       toB * toBullet(along), true);
    slider->setLowerLinLimit(btScalar{1});
    slider->setUpperLinLimit(btScalar{-1});
    slider->setLowerAngLimit(btScalar{0});
    slider->setUpperAngLimit(btScalar{0});
    return slider;
  }

  const PeerScene& scene_;
  btDefaultCollisionConfiguration configuration_{};
  btCollisionDispatcher dispatcher_{&configuration_};
  btDbvtBroadphase broadphase_{};
  btSequentialImpulseConstraintSolver solver_{};
  btDiscreteDynamicsWorld world_{&dispatcher_, &broadphase_, &solver_, &configuration_};
  std::vector<std::unique_ptr<btTriangleMesh>> meshes_{};
  std::vector<std::unique_ptr<btCollisionShape>> shapes_{};
  std::vector<std::unique_ptr<btRigidBody>> bodies_{};
  std::vector<std::unique_ptr<btTypedConstraint>> joints_{};
};

}  // namespace

PeerInfo peerInfo() {
  return {.name = "bullet",
          .version = fmt::format("{}.{}", btGetVersion() / 100, btGetVersion() % 100),
          .precision = btIsDoublePrecision() != 0 ? "double" : "float",
          .settings =
              "sequential impulse, 10 iterations, split impulse, default margins, sleeping off"};
}

std::unique_ptr<Peer> makePeer(const PeerScene& scene, int) {
  return std::make_unique<BulletPeer>(scene);
}

}  // namespace msd_bench
