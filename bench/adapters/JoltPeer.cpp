// Jolt with its documented defaults: 10 velocity and 2 position iterations, one collision step, one
// broadphase layer each for what moves and what does not. Sleeping and its damping of every body off,
// because the scenes have none. Friction of a pair is the geometric mean, as ours; restitution is
// told to be.
#include <Jolt/Jolt.h>

#include <Jolt/Core/Factory.h>
#include <Jolt/Core/JobSystemSingleThreaded.h>
#include <Jolt/Core/JobSystemThreadPool.h>
#include <Jolt/Core/TempAllocator.h>
#include <Jolt/Physics/Body/BodyCreationSettings.h>
#include <Jolt/Physics/Collision/BroadPhase/BroadPhaseLayerInterfaceTable.h>
#include <Jolt/Physics/Collision/BroadPhase/ObjectVsBroadPhaseLayerFilterTable.h>
#include <Jolt/Physics/Collision/GroupFilterTable.h>
#include <Jolt/Physics/Collision/ObjectLayerPairFilterTable.h>
#include <Jolt/Physics/Collision/Shape/BoxShape.h>
#include <Jolt/Physics/Collision/Shape/CapsuleShape.h>
#include <Jolt/Physics/Collision/Shape/ConvexHullShape.h>
#include <Jolt/Physics/Collision/Shape/CylinderShape.h>
#include <Jolt/Physics/Collision/Shape/MeshShape.h>
#include <Jolt/Physics/Collision/Shape/OffsetCenterOfMassShape.h>
#include <Jolt/Physics/Collision/Shape/SphereShape.h>
#include <Jolt/Physics/Constraints/HingeConstraint.h>
#include <Jolt/Physics/Constraints/PointConstraint.h>
#include <Jolt/Physics/Constraints/SliderConstraint.h>
#include <Jolt/Physics/PhysicsSystem.h>
#include <Jolt/RegisterTypes.h>
#include <fmt/format.h>

#include <map>
#include <numbers>

#include "bench/adapters/Peer.hpp"

namespace msd_bench {

namespace {

using msd_assets::ShapeKind;

enum Layer : JPH::ObjectLayer { kStill, kMoving, kUntouched, kLayers };
constexpr JPH::BroadPhaseLayer::Type kStillBoxes = 0;
constexpr JPH::BroadPhaseLayer::Type kMovingBoxes = 1;
constexpr JPH::uint kBoxLayers = 2;

JPH::Vec3 toJolt(const msd_sim::Vector3D& v) {
  return {static_cast<float>(v.x()), static_cast<float>(v.y()), static_cast<float>(v.z())};
}
JPH::RVec3 toPosition(const msd_sim::Vector3D& v) {
  return {static_cast<JPH::Real>(v.x()), static_cast<JPH::Real>(v.y()),
          static_cast<JPH::Real>(v.z())};
}
JPH::Quat toJolt(const msd_sim::Quaternion& q) {
  return JPH::Quat{static_cast<float>(q.x()), static_cast<float>(q.y()), static_cast<float>(q.z()),
                   static_cast<float>(q.w())}
      .Normalized();
}
template <class JoltVector>
msd_sim::Vector3D fromJolt(const JoltVector& v) {
  return {static_cast<double>(v.GetX()), static_cast<double>(v.GetY()),
          static_cast<double>(v.GetZ())};
}

/// Jolt's capsules and cylinders lie along y, ours along z: such a body is turned about x.
msd_sim::Quaternion turnOf(const PeerBody& body) {
  const ShapeKind kind = body.shape->kind();
  if (kind != ShapeKind::kCapsule && kind != ShapeKind::kCylinder)
    return msd_sim::Quaternion{1.0, 0.0, 0.0, 0.0};
  const double half = std::numbers::sqrt2 / 2.0;
  return msd_sim::Quaternion{half, half, 0.0, 0.0};
}

/// Jolt's types, which must be known before anything is made and go last.
class JoltLibrary {
 public:
  JoltLibrary() {
    JPH::RegisterDefaultAllocator();
    JPH::Factory::sInstance = new JPH::Factory{};
    JPH::RegisterTypes();
  }
  ~JoltLibrary() {
    JPH::UnregisterTypes();
    delete JPH::Factory::sInstance;
    JPH::Factory::sInstance = nullptr;
  }
  JoltLibrary(const JoltLibrary&) = delete;
  JoltLibrary& operator=(const JoltLibrary&) = delete;
};

std::unique_ptr<JPH::JobSystem> makeJobs(int threads) {
  if (threads == 1) return std::make_unique<JPH::JobSystemSingleThreaded>(JPH::cMaxPhysicsJobs);
  return std::make_unique<JPH::JobSystemThreadPool>(JPH::cMaxPhysicsJobs, JPH::cMaxPhysicsBarriers,
                                                    threads - 1);
}

class JoltPeer final : public Peer {
 public:
  JoltPeer(const PeerScene& scene, int threads) : scene_{scene}, jobs_{makeJobs(threads)} {
    pairs_.EnableCollision(kMoving, kMoving);
    pairs_.EnableCollision(kMoving, kStill);
    layers_.MapObjectToBroadPhaseLayer(kStill, JPH::BroadPhaseLayer{kStillBoxes});
    layers_.MapObjectToBroadPhaseLayer(kMoving, JPH::BroadPhaseLayer{kMovingBoxes});
    layers_.MapObjectToBroadPhaseLayer(kUntouched, JPH::BroadPhaseLayer{kMovingBoxes});
    filter_ = std::make_unique<JPH::ObjectVsBroadPhaseLayerFilterTable>(layers_, kBoxLayers, pairs_,
                                                                        kLayers);
    const auto count = static_cast<JPH::uint>(scene.bodies.size());
    system_.Init(count + 1, 0, 2 * roomFor(count), roomFor(count), layers_, *filter_,
                 pairs_);
    system_.SetGravity(toJolt(scene.loaded.document.gravity));
    JPH::PhysicsSettings settings = system_.GetPhysicsSettings();
    settings.mAllowSleeping = false;
    system_.SetPhysicsSettings(settings);
    system_.SetCombineRestitution([](const JPH::Body& a, const JPH::SubShapeID&, const JPH::Body& b,
                                     const JPH::SubShapeID&) {
      return std::sqrt(a.GetRestitution() * b.GetRestitution());
    });
    for (const PeerBody& body : scene.bodies) addBody(body);
    for (const PeerJoint& joint : scene.joints) addJoint(joint);
    separateJoined();
    system_.OptimizeBroadPhase();
  }

  void step(double dt) override {
    const JPH::EPhysicsUpdateError error =
        system_.Update(static_cast<float>(dt), 1, &memory_, jobs_.get());
    if (error != JPH::EPhysicsUpdateError::None)
      throw std::runtime_error{"Jolt has no room for all contacts of the scene"};
  }

  [[nodiscard]] FrameState state(std::size_t index) const override {
    const PeerBody& peer = scene_.bodies[index];
    if (peer.isStatic()) return {.pose = peer.frame};
    const JPH::Body& body = *bodies_[index];
    const JPH::RVec3 position = body.GetPosition();
    const JPH::Quat q = body.GetRotation();
    const msd_sim::Quaternion rotation{static_cast<double>(q.GetW()), static_cast<double>(q.GetX()),
                                       static_cast<double>(q.GetY()),
                                       static_cast<double>(q.GetZ())};
    return {.pose = {fromJolt(position), (rotation * turnOf(peer).conjugate()).normalized()},
            .velocity = fromJolt(body.GetPointVelocity(position)),
            .angularVelocity = fromJolt(body.GetAngularVelocity())};
  }

  /// Jolt does not count them.
  [[nodiscard]] std::optional<std::size_t> contacts() const override { return std::nullopt; }

 private:
  /// Room for contacts: more than any of the scenes has.
  static JPH::uint roomFor(JPH::uint bodies) { return 8 * bodies + 1024; }

  static JPH::ShapeRefC made(const JPH::ShapeSettings& settings) {
    const JPH::ShapeSettings::ShapeResult result = settings.Create();
    if (result.HasError())
      throw NotServed{fmt::format("Jolt refuses a shape: {}", result.GetError().c_str())};
    return result.Get();
  }

  static JPH::ShapeRefC makeShape(const PeerBody& body) {
    const msd_assets::Shape& shape = *body.shape;
    const auto number = [](double value) { return static_cast<float>(value); };
    const auto settled = [&](JPH::ConvexShapeSettings& settings) {
      settings.SetEmbedded();
      settings.SetDensity(number(body.density));
      return made(settings);
    };
    switch (shape.kind()) {
      case ShapeKind::kSphere: {
        JPH::SphereShapeSettings ball{number(shape.as<msd_assets::Sphere>().radius)};
        return settled(ball);
      }
      case ShapeKind::kBox: {
        JPH::BoxShapeSettings box{toJolt(shape.as<msd_assets::Box>().halfExtents)};
        return settled(box);
      }
      case ShapeKind::kCapsule: {
        const auto& c = shape.as<msd_assets::Capsule>();
        JPH::CapsuleShapeSettings capsule{number(c.halfHeight), number(c.radius)};
        return settled(capsule);
      }
      case ShapeKind::kCylinder: {
        const auto& c = shape.as<msd_assets::Cylinder>();
        JPH::CylinderShapeSettings cylinder{number(c.halfHeight), number(c.radius)};
        return settled(cylinder);
      }
      case ShapeKind::kHull: {
        JPH::Array<JPH::Vec3> points;
        for (const Eigen::Vector3d& v : shape.as<msd_assets::Hull>().polyhedron->vertices())
          points.push_back(toJolt(v));
        JPH::ConvexHullShapeSettings hull{points};
        return settled(hull);
      }
      case ShapeKind::kMesh:
        return makeMesh(*shape.as<msd_assets::Mesh>().surface);
      case ShapeKind::kPlane:
      case ShapeKind::kTerrain:
      case ShapeKind::kCompound:
        break;
    }
    throw NotServed{"a shape that the Jolt adapter does not translate"};
  }

  static JPH::ShapeRefC makeMesh(const msd_assets::TriangleMesh& surface) {
    JPH::VertexList vertices;
    for (const Eigen::Vector3d& v : surface.vertices()) {
      vertices.push_back(JPH::Float3{static_cast<float>(v.x()), static_cast<float>(v.y()),
                                     static_cast<float>(v.z())});
    }
    JPH::IndexedTriangleList triangles;
    for (const auto& t : surface.triangles())
      triangles.push_back(JPH::IndexedTriangle{t[0], t[1], t[2], 0});
    JPH::MeshShapeSettings mesh{vertices, triangles};
    mesh.SetEmbedded();
    return made(mesh);
  }

  /// Masses that the scene gives: the centre moved by another shape around it, the inertia as it is.
  static void setMass(const PeerBody& body, JPH::BodyCreationSettings& settings) {
    const msd_sim::Quaternion toTurned = turnOf(body).conjugate();
    const JPH::Vec3 centre = toJolt(msd_sim::Vector3D{toTurned * body.centreOfMass});
    const JPH::Vec3 offset = centre - settings.GetShape()->GetCenterOfMass();
    if (offset.Length() > 0.0f) {
      JPH::OffsetCenterOfMassShapeSettings moved{offset, settings.GetShape()};
      moved.SetEmbedded();
      settings.SetShape(made(moved));
    }
    const msd_sim::Matrix3D turned = toTurned.toRotationMatrix();
    const msd_sim::Matrix3D i = turned * body.inertia() * turned.transpose();
    JPH::Mat44 inertia = JPH::Mat44::sIdentity();
    for (JPH::uint row = 0; row < 3; ++row) {
      for (JPH::uint column = 0; column < 3; ++column)
        inertia(row, column) = static_cast<float>(i(row, column));
    }
    settings.mOverrideMassProperties = JPH::EOverrideMassProperties::MassAndInertiaProvided;
    settings.mMassPropertiesOverride.mMass = static_cast<float>(body.mass);
    settings.mMassPropertiesOverride.mInertia = inertia;
  }

  void addBody(const PeerBody& body) {
    const JPH::ObjectLayer layer = body.isStatic()          ? kStill
                                   : body.scene->collides ? kMoving
                                                            : kUntouched;
    JPH::BodyCreationSettings settings{
        makeShape(body), toPosition(body.frame.position),
        toJolt(msd_sim::Quaternion{body.frame.orientation * turnOf(body)}),
        body.isStatic() ? JPH::EMotionType::Static : JPH::EMotionType::Dynamic, layer};
    settings.mFriction = static_cast<float>(body.friction);
    settings.mRestitution = static_cast<float>(body.restitution);
    settings.mAllowSleeping = false;
    settings.mLinearDamping = 0.0f;
    settings.mAngularDamping = 0.0f;
    if (!body.isStatic()) {
      if (body.hasOwnMass()) setMass(body, settings);
      const msd_sim::AngularRate& w = body.scene->angularVelocity;
      const msd_sim::Vector3D arm = body.frame.orientation * body.centreOfMass;
      settings.mLinearVelocity = toJolt(body.scene->linearVelocity + w.cross(arm));
      settings.mAngularVelocity = toJolt(w);
    }
    JPH::BodyInterface& bodies = system_.GetBodyInterface();
    bodies_.push_back(bodies.CreateBody(settings));
    bodies.AddBody(bodies_.back()->GetID(), JPH::EActivation::Activate);
  }

  void addJoint(const PeerJoint& joint) {
    JPH::Body& a = joint.bodyA ? *bodies_[*joint.bodyA] : JPH::Body::sFixedToWorld;
    JPH::Body& b = *bodies_[joint.bodyB];
    const JPH::RVec3 anchor = toPosition(joint.anchor);
    const JPH::Vec3 axis = toJolt(joint.axis);
    switch (joint.kind) {
      case PeerJointKind::kBall: {
        JPH::PointConstraintSettings ball;
        ball.SetEmbedded();
        ball.mPoint1 = ball.mPoint2 = anchor;
        system_.AddConstraint(ball.Create(a, b));
        return;
      }
      case PeerJointKind::kHinge: {
        JPH::HingeConstraintSettings hinge;
        hinge.SetEmbedded();
        hinge.mPoint1 = hinge.mPoint2 = anchor;
        hinge.mHingeAxis1 = hinge.mHingeAxis2 = axis;
        hinge.mNormalAxis1 = hinge.mNormalAxis2 = axis.GetNormalizedPerpendicular();
        system_.AddConstraint(hinge.Create(a, b));
        return;
      }
      case PeerJointKind::kSlider: {
        JPH::SliderConstraintSettings slider;
        slider.SetEmbedded();
        slider.mPoint1 = slider.mPoint2 = anchor;
        slider.SetSliderAxis(axis);
        system_.AddConstraint(slider.Create(a, b));
        return;
      }
    }
  }

  /// Jolt lets joined bodies collide unless a table says otherwise.
  void separateJoined() {
    const auto pairs = scene_.jointedPairs();
    if (pairs.empty()) return;
    std::map<std::size_t, JPH::CollisionGroup::SubGroupID> places;
    for (const auto& [a, b] : pairs) {
      for (const std::size_t body : {a, b})
        places.emplace(body, static_cast<JPH::CollisionGroup::SubGroupID>(places.size()));
    }
    JPH::Ref<JPH::GroupFilterTable> table =
        new JPH::GroupFilterTable{static_cast<JPH::uint>(places.size())};
    for (const auto& [a, b] : pairs) table->DisableCollision(places.at(a), places.at(b));
    for (const auto& [body, place] : places)
      bodies_[body]->SetCollisionGroup(JPH::CollisionGroup{table.GetPtr(), 0, place});
  }

  const PeerScene& scene_;
  JoltLibrary library_{};
  JPH::TempAllocatorMalloc memory_{};
  std::unique_ptr<JPH::JobSystem> jobs_;
  JPH::ObjectLayerPairFilterTable pairs_{kLayers};
  JPH::BroadPhaseLayerInterfaceTable layers_{kLayers, kBoxLayers};
  std::unique_ptr<JPH::ObjectVsBroadPhaseLayerFilterTable> filter_{};
  JPH::PhysicsSystem system_{};
  std::vector<JPH::Body*> bodies_{};
};

}  // namespace

PeerInfo peerInfo() {
  const JPH::PhysicsSettings defaults{};
  return {.name = "jolt",
          .version = fmt::format("{}.{}.{}", JPH_VERSION_MAJOR, JPH_VERSION_MINOR,
                                 JPH_VERSION_PATCH),
#ifdef JPH_DOUBLE_PRECISION
          .precision = "float, double positions",
#else
          .precision = "float",
#endif
          .settings = fmt::format("{} velocity and {} position iterations, one collision step, "
                                  "damping and sleeping off",
                                  defaults.mNumVelocitySteps, defaults.mNumPositionSteps),
          .threaded = true};
}

std::unique_ptr<Peer> makePeer(const PeerScene& scene, int threads) {
  return std::make_unique<JoltPeer>(scene, threads);
}

}  // namespace msd_bench
