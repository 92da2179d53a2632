// Box3D with its documented defaults: soft contacts, 4 substeps, continuous collision on. Sleeping
// off. Its friction of a pair is the geometric mean, as ours; its restitution would be the greater
// of the two, so that it is told ours.
#include <box3d/box3d.h>
#include <fmt/format.h>

#include <cmath>

#include "bench/adapters/Peer.hpp"

namespace msd_bench {

namespace {

using msd_assets::ShapeKind;

constexpr int kSubsteps = 4;

b3Vec3 toBox3d(const msd_sim::Vector3D& v) {
  return {static_cast<float>(v.x()), static_cast<float>(v.y()), static_cast<float>(v.z())};
}
b3Quat toBox3d(const msd_sim::Quaternion& q) {
  return {toBox3d(msd_sim::Vector3D{q.vec()}), static_cast<float>(q.w())};
}
msd_sim::Vector3D fromBox3d(const b3Vec3& v) {
  return {static_cast<double>(v.x), static_cast<double>(v.y), static_cast<double>(v.z)};
}
b3Pos toPosition(const msd_sim::Coordinate& p) {
  const b3Vec3 v = toBox3d(p);
  return {v.x, v.y, v.z};
}

class Box3dPeer final : public Peer {
 public:
  Box3dPeer(const PeerScene& scene, int threads) : scene_{scene} {
    b3WorldDef def = b3DefaultWorldDef();
    def.gravity = toBox3d(scene.loaded.document.gravity);
    def.enableSleep = false;
    def.workerCount = static_cast<std::uint32_t>(threads);
    def.restitutionCallback = [](float a, std::uint64_t, float b, std::uint64_t) {
      return std::sqrt(a * b);
    };
    world_ = b3CreateWorld(&def);
    for (const PeerBody& body : scene.bodies) addBody(body);
    for (const PeerJoint& joint : scene.joints) addJoint(joint);
  }
  ~Box3dPeer() override {
    b3DestroyWorld(world_);
    for (b3MeshData* mesh : meshes_) b3DestroyMesh(mesh);
  }
  Box3dPeer(const Box3dPeer&) = delete;
  Box3dPeer& operator=(const Box3dPeer&) = delete;

  void step(double dt) override { b3World_Step(world_, static_cast<float>(dt), kSubsteps); }

  [[nodiscard]] FrameState state(std::size_t index) const override {
    const PeerBody& peer = scene_.bodies[index];
    if (peer.isStatic()) return {.pose = peer.frame};
    const b3BodyId body = bodies_[index];
    const b3Pos p = b3Body_GetPosition(body);
    const b3Quat q = b3Body_GetRotation(body);
    const msd_sim::Quaternion rotation{static_cast<double>(q.s), static_cast<double>(q.v.x),
                                       static_cast<double>(q.v.y), static_cast<double>(q.v.z)};
    return {.pose = {{static_cast<double>(p.x), static_cast<double>(p.y), static_cast<double>(p.z)},
                     rotation.normalized()},
            .velocity = fromBox3d(b3Body_GetLocalPointVelocity(body, {0.0f, 0.0f, 0.0f})),
            .angularVelocity = fromBox3d(b3Body_GetAngularVelocity(body))};
  }

  [[nodiscard]] std::optional<std::size_t> contacts() const override {
    return static_cast<std::size_t>(b3World_GetCounters(world_).contactCount);
  }

 private:
  void addBody(const PeerBody& body) {
    b3BodyDef def = b3DefaultBodyDef();
    def.type = body.isStatic() ? b3_staticBody : b3_dynamicBody;
    def.position = toPosition(body.frame.position);
    def.rotation = toBox3d(body.frame.orientation);
    // The velocity of a definition is that of the centre of mass.
    const msd_sim::AngularRate& w = body.scene->angularVelocity;
    const msd_sim::Vector3D arm = body.frame.orientation * body.centreOfMass;
    def.linearVelocity = toBox3d(body.scene->linearVelocity + w.cross(arm));
    def.angularVelocity = toBox3d(w);
    bodies_.push_back(b3CreateBody(world_, &def));
    addShape(body, bodies_.back());
    if (!body.isStatic() && body.hasOwnMass()) {
      const msd_sim::Matrix3D i = body.inertia();
      b3Body_SetMassData(bodies_.back(),
                         {.mass = static_cast<float>(body.mass),
                          .center = toBox3d(body.centreOfMass),
                          .inertia = {toBox3d(msd_sim::Vector3D{i.col(0)}),
                                      toBox3d(msd_sim::Vector3D{i.col(1)}),
                                      toBox3d(msd_sim::Vector3D{i.col(2)})}});
    }
  }

  void addShape(const PeerBody& body, b3BodyId id) {
    b3ShapeDef def = b3DefaultShapeDef();
    def.density = static_cast<float>(body.density);
    def.baseMaterial.friction = static_cast<float>(body.friction);
    def.baseMaterial.restitution = static_cast<float>(body.restitution);
    if (!body.scene->collides) def.filter.maskBits = 0;
    const msd_assets::Shape& shape = *body.shape;
    switch (shape.kind()) {
      case ShapeKind::kSphere: {
        const b3Sphere ball{{0.0f, 0.0f, 0.0f},
                            static_cast<float>(shape.as<msd_assets::Sphere>().radius)};
        b3CreateSphereShape(id, &def, &ball);
        return;
      }
      case ShapeKind::kBox: {
        const b3Vec3 half = toBox3d(shape.as<msd_assets::Box>().halfExtents);
        const b3BoxHull box = b3MakeBoxHull(half.x, half.y, half.z);
        b3CreateHullShape(id, &def, &box.base);
        return;
      }
      case ShapeKind::kCapsule: {
        const auto& c = shape.as<msd_assets::Capsule>();
        const float half = static_cast<float>(c.halfHeight);
        const b3Capsule capsule{
            {0.0f, 0.0f, -half}, {0.0f, 0.0f, half}, static_cast<float>(c.radius)};
        b3CreateCapsuleShape(id, &def, &capsule);
        return;
      }
      case ShapeKind::kHull:
        addHull(*shape.as<msd_assets::Hull>().polyhedron, id, def);
        return;
      case ShapeKind::kMesh:
        addMesh(*shape.as<msd_assets::Mesh>().surface, id, def);
        return;
      case ShapeKind::kCylinder:
      case ShapeKind::kPlane:
      case ShapeKind::kTerrain:
      case ShapeKind::kCompound:
        break;
    }
    throw NotServed{"a shape that the Box3D adapter does not translate"};
  }

  static void addHull(const msd_assets::ConvexPolyhedron& polyhedron, b3BodyId id,
                      const b3ShapeDef& def) {
    std::vector<b3Vec3> points;
    for (const Eigen::Vector3d& v : polyhedron.vertices()) points.push_back(toBox3d(v));
    const int count = static_cast<int>(points.size());
    b3HullData* hull = b3CreateHull(points.data(), count, count);
    if (hull == nullptr) throw NotServed{"a hull that Box3D refuses"};
    b3CreateHullShape(id, &def, hull);
    b3DestroyHull(hull);
  }

  void addMesh(const msd_assets::TriangleMesh& surface, b3BodyId id, const b3ShapeDef& def) {
    std::vector<b3Vec3> points;
    for (const Eigen::Vector3d& v : surface.vertices()) points.push_back(toBox3d(v));
    std::vector<std::int32_t> corners;
    for (const auto& t : surface.triangles()) {
      for (const std::uint32_t v : t) corners.push_back(static_cast<std::int32_t>(v));
    }
    b3MeshDef mesh{};
    mesh.vertices = points.data();
    mesh.vertexCount = static_cast<int>(points.size());
    mesh.indices = corners.data();
    mesh.triangleCount = static_cast<int>(surface.triangles().size());
    mesh.identifyEdges = true;
    meshes_.push_back(b3CreateMesh(&mesh, nullptr, 0));
    if (meshes_.back() == nullptr) throw NotServed{"a mesh that Box3D refuses"};
    b3CreateMeshShape(id, &def, meshes_.back(), {1.0f, 1.0f, 1.0f});
  }

  /// A static body without a shape, for what is joined to the world.
  b3BodyId worldBody() {
    if (!has_world_body_) {
      const b3BodyDef def = b3DefaultBodyDef();
      world_body_ = b3CreateBody(world_, &def);
      has_world_body_ = true;
    }
    return world_body_;
  }

  /// A frame of a joint in a body's axes. Box3D's hinges turn about z and its sliders move along x.
  static b3Transform localFrame(b3BodyId body, const PeerJoint& joint) {
    const msd_sim::Vector3D along = joint.kind == PeerJointKind::kSlider
                                        ? msd_sim::Vector3D{1.0, 0.0, 0.0}
                                        : msd_sim::Vector3D{0.0, 0.0, 1.0};
    const b3Quat world = toBox3d(msd_sim::Quaternion::FromTwoVectors(along, joint.axis));
    return {b3Body_GetLocalPoint(body, toPosition(joint.anchor)),
            b3InvMulQuat(b3Body_GetRotation(body), world)};
  }

  void addJoint(const PeerJoint& joint) {
    const auto place = [&](b3JointDef& base) {
      base.bodyIdA = joint.bodyA ? bodies_[*joint.bodyA] : worldBody();
      base.bodyIdB = bodies_[joint.bodyB];
      base.localFrameA = localFrame(base.bodyIdA, joint);
      base.localFrameB = localFrame(base.bodyIdB, joint);
      base.collideConnected = joint.collideConnected;
    };
    switch (joint.kind) {
      case PeerJointKind::kBall: {
        b3SphericalJointDef def = b3DefaultSphericalJointDef();
        place(def.base);
        b3CreateSphericalJoint(world_, &def);
        return;
      }
      case PeerJointKind::kHinge: {
        b3RevoluteJointDef def = b3DefaultRevoluteJointDef();
        place(def.base);
        b3CreateRevoluteJoint(world_, &def);
        return;
      }
      case PeerJointKind::kSlider: {
        b3PrismaticJointDef def = b3DefaultPrismaticJointDef();
        place(def.base);
        b3CreatePrismaticJoint(world_, &def);
        return;
      }
    }
  }

  const PeerScene& scene_;
  b3WorldId world_{};
  std::vector<b3BodyId> bodies_{};
  std::vector<b3MeshData*> meshes_{};
  b3BodyId world_body_{};
  bool has_world_body_{false};
};

}  // namespace

PeerInfo peerInfo() {
  const b3Version v = b3GetVersion();
  return {.name = "box3d",
          .version = fmt::format("{}.{}.{}", v.major, v.minor, v.revision),
          .precision = b3IsDoublePrecision() ? "float, double positions" : "float",
          .settings = fmt::format("{} substeps, soft contacts, continuous collision on, sleeping off",
                                  kSubsteps),
          .threaded = true};
}

std::unique_ptr<Peer> makePeer(const PeerScene& scene, int threads) {
  return std::make_unique<Box3dPeer>(scene, threads);
}

}  // namespace msd_bench
