// ODE with its documented defaults: QuickStep, 20 iterations, at most 8 contacts a pair, hash
// space. Sleeping is off by default.
#include <fmt/format.h>
#include <ode/ode.h>

#include <array>
#include <cmath>
#include <set>

#include "bench/adapters/Peer.hpp"

namespace msd_bench {

namespace {

using msd_assets::ShapeKind;

constexpr int kContactsPerPair = 8;
constexpr int kIterations = 20;

/// dCreateConvex keeps pointers, so that the arrays must live as long as the geometry.
struct ConvexData {
  std::vector<dReal> planes{};
  std::vector<dReal> points{};
  std::vector<unsigned int> polygons{};
};

struct MeshData {
  std::vector<double> vertices{};
  std::vector<dTriIndex> indices{};
  dTriMeshDataID id{nullptr};
};

void setPose(dGeomID geometry, const msd_sim::Pose& pose) {
  const auto& q = pose.orientation;
  const dQuaternion quaternion{q.w(), q.x(), q.y(), q.z()};
  dGeomSetPosition(geometry, pose.position.x(), pose.position.y(), pose.position.z());
  dGeomSetQuaternion(geometry, quaternion);
}

class OdePeer final : public Peer {
 public:
  explicit OdePeer(const PeerScene& scene) : scene_{scene} {
    dInitODE2(0);
    world_ = dWorldCreate();
    space_ = dHashSpaceCreate(nullptr);
    group_ = dJointGroupCreate(0);
    const auto& g = scene.loaded.document.gravity;
    dWorldSetGravity(world_, g.x(), g.y(), g.z());
    dWorldSetQuickStepNumIterations(world_, kIterations);
    convex_.reserve(scene.bodies.size());
    for (std::size_t i = 0; i < scene.bodies.size(); ++i) addBody(i);
    for (const PeerJoint& joint : scene.joints) addJoint(joint);
    jointed_ = scene.jointedPairs();
  }
  ~OdePeer() override {
    dJointGroupDestroy(group_);
    dSpaceDestroy(space_);
    dWorldDestroy(world_);
    for (const MeshData& mesh : meshes_) dGeomTriMeshDataDestroy(mesh.id);
    dCloseODE();
  }
  OdePeer(const OdePeer&) = delete;
  OdePeer& operator=(const OdePeer&) = delete;

  void step(double dt) override {
    dJointGroupEmpty(group_);
    contacts_ = 0;
    dSpaceCollide(space_, this, [](void* self, dGeomID a, dGeomID b) {
      static_cast<OdePeer*>(self)->touch(a, b);
    });
    dWorldQuickStep(world_, dt);
  }

  [[nodiscard]] FrameState state(std::size_t index) const override {
    const PeerBody& peer = scene_.bodies[index];
    if (peer.isStatic()) return {.pose = peer.frame};
    const dReal* p = dBodyGetPosition(bodies_[index]);
    const dReal* q = dBodyGetQuaternion(bodies_[index]);
    const dReal* v = dBodyGetLinearVel(bodies_[index]);
    const dReal* w = dBodyGetAngularVel(bodies_[index]);
    return frameState(peer, {{p[0], p[1], p[2]}, {q[0], q[1], q[2], q[3]}}, {v[0], v[1], v[2]},
                      {w[0], w[1], w[2]});
  }

  [[nodiscard]] std::optional<std::size_t> contacts() const override { return contacts_; }

 private:
  dGeomID makeHull(const PeerBody& body) {
    ConvexData& data = convex_.emplace_back();
    const auto& polyhedron = *body.shape->as<msd_assets::Hull>().polyhedron;
    const msd_sim::Pose local = body.isStatic() ? msd_sim::Pose{} : body.principal();
    for (const Eigen::Vector3d& v : polyhedron.vertices()) {
      const msd_sim::Coordinate p = local.toLocal(v);
      data.points.insert(data.points.end(), {p.x(), p.y(), p.z()});
    }
    for (const auto& face : polyhedron.faces()) {
      const msd_sim::Vector3D n = local.orientation.conjugate() * face.normal;
      data.planes.insert(data.planes.end(),
                         {n.x(), n.y(), n.z(), face.offset - face.normal.dot(local.position)});
      data.polygons.push_back(face.vertexCount);
      for (const std::uint16_t v : polyhedron.faceVertices(face)) data.polygons.push_back(v);
    }
    return dCreateConvex(space_, data.planes.data(),
                         static_cast<unsigned>(polyhedron.faces().size()), data.points.data(),
                         static_cast<unsigned>(polyhedron.vertices().size()), data.polygons.data());
  }

  dGeomID makeMesh(const msd_assets::TriangleMesh& surface) {
    MeshData& data = meshes_.emplace_back();
    for (const Eigen::Vector3d& v : surface.vertices())
      data.vertices.insert(data.vertices.end(), {v.x(), v.y(), v.z()});
    for (const auto& t : surface.triangles())
      data.indices.insert(data.indices.end(), {t[0], t[1], t[2]});
    data.id = dGeomTriMeshDataCreate();
    dGeomTriMeshDataBuildDouble(data.id, data.vertices.data(), 3 * sizeof(double),
                                static_cast<int>(data.vertices.size() / 3), data.indices.data(),
                                static_cast<int>(data.indices.size()), 3 * sizeof(dTriIndex));
    return dCreateTriMesh(space_, data.id, nullptr, nullptr, nullptr);
  }

  dGeomID makeGeometry(const PeerBody& body) {
    const msd_assets::Shape& shape = *body.shape;
    switch (shape.kind()) {
      case ShapeKind::kSphere:
        return dCreateSphere(space_, shape.as<msd_assets::Sphere>().radius);
      case ShapeKind::kBox: {
        const Eigen::Vector3d size = 2.0 * shape.as<msd_assets::Box>().halfExtents;
        return dCreateBox(space_, size.x(), size.y(), size.z());
      }
      case ShapeKind::kCapsule: {
        const auto& c = shape.as<msd_assets::Capsule>();
        return dCreateCapsule(space_, c.radius, 2.0 * c.halfHeight);
      }
      case ShapeKind::kCylinder: {
        const auto& c = shape.as<msd_assets::Cylinder>();
        return dCreateCylinder(space_, c.radius, 2.0 * c.halfHeight);
      }
      case ShapeKind::kHull:
        return makeHull(body);
      case ShapeKind::kMesh:
        return makeMesh(*shape.as<msd_assets::Mesh>().surface);
      case ShapeKind::kPlane: {
        const auto& plane = shape.as<msd_assets::Plane>();
        const msd_sim::Vector3D n = body.frame.orientation * plane.normal;
        return dCreatePlane(space_, n.x(), n.y(), n.z(), plane.offset + n.dot(body.frame.position));
      }
      case ShapeKind::kTerrain:
      case ShapeKind::kCompound:
        break;
    }
    throw NotServed{"a shape that the ODE adapter does not translate"};
  }

  void addBody(std::size_t index) {
    const PeerBody& peer = scene_.bodies[index];
    const dGeomID geometry = makeGeometry(peer);
    dGeomSetData(geometry, reinterpret_cast<void*>(index));
    if (!peer.scene->collides) dGeomDisable(geometry);
    if (peer.isStatic()) {
      if (peer.shape->kind() != ShapeKind::kPlane) setPose(geometry, peer.frame);
      bodies_.push_back(nullptr);
      return;
    }
    const dBodyID body = dBodyCreate(world_);
    dMass mass;
    const auto& inertia = peer.principalInertia;
    dMassSetParameters(&mass, peer.mass, 0, 0, 0, inertia.x(), inertia.y(), inertia.z(), 0, 0, 0);
    dBodySetMass(body, &mass);
    dGeomSetBody(geometry, body);
    if (!peer.isCentred() && peer.shape->kind() != ShapeKind::kHull) {
      const msd_sim::Pose offset = peer.principal().inverse();
      const auto& r = offset.orientation;
      const dQuaternion turned{r.w(), r.x(), r.y(), r.z()};
      dGeomSetOffsetPosition(geometry, offset.position.x(), offset.position.y(),
                             offset.position.z());
      dGeomSetOffsetQuaternion(geometry, turned);
    }
    const msd_sim::Pose pose = peer.frame * peer.principal();
    const auto& q = pose.orientation;
    const dQuaternion quaternion{q.w(), q.x(), q.y(), q.z()};
    dBodySetPosition(body, pose.position.x(), pose.position.y(), pose.position.z());
    dBodySetQuaternion(body, quaternion);
    const msd_sim::AngularRate& w = peer.scene->angularVelocity;
    const msd_sim::Vector3D v =
        peer.scene->linearVelocity + w.cross(pose.position - peer.frame.position);
    dBodySetLinearVel(body, v.x(), v.y(), v.z());
    dBodySetAngularVel(body, w.x(), w.y(), w.z());
    bodies_.push_back(body);
  }

  void addJoint(const PeerJoint& joint) {
    const dBodyID a = joint.bodyA ? bodies_[*joint.bodyA] : nullptr;
    const dBodyID b = bodies_[joint.bodyB];
    const auto& p = joint.anchor;
    const auto& n = joint.axis;
    switch (joint.kind) {
      case PeerJointKind::kBall: {
        const dJointID ball = dJointCreateBall(world_, nullptr);
        dJointAttach(ball, a, b);
        dJointSetBallAnchor(ball, p.x(), p.y(), p.z());
        break;
      }
      case PeerJointKind::kHinge: {
        const dJointID hinge = dJointCreateHinge(world_, nullptr);
        dJointAttach(hinge, a, b);
        dJointSetHingeAnchor(hinge, p.x(), p.y(), p.z());
        dJointSetHingeAxis(hinge, n.x(), n.y(), n.z());
        break;
      }
      case PeerJointKind::kSlider: {
        const dJointID slider = dJointCreateSlider(world_, nullptr);
        dJointAttach(slider, a, b);
        dJointSetSliderAxis(slider, n.x(), n.y(), n.z());
        break;
      }
    }
  }

  void touch(dGeomID a, dGeomID b) {
    const dBodyID bodyA = dGeomGetBody(a);
    const dBodyID bodyB = dGeomGetBody(b);
    if (bodyA == nullptr && bodyB == nullptr) return;
    const auto ia = reinterpret_cast<std::size_t>(dGeomGetData(a));
    const auto ib = reinterpret_cast<std::size_t>(dGeomGetData(b));
    if (!jointed_.empty() && jointed_.contains(std::minmax(ia, ib))) return;
    std::array<dContactGeom, kContactsPerPair> found;
    const int count = dCollide(a, b, kContactsPerPair, found.data(), sizeof(dContactGeom));
    for (int i = 0; i < count; ++i) {
      dContact contact{};
      contact.geom = found[static_cast<std::size_t>(i)];
      contact.surface.mode = dContactApprox1;
      contact.surface.mu = std::sqrt(scene_.bodies[ia].friction * scene_.bodies[ib].friction);
      const double bounce =
          std::sqrt(scene_.bodies[ia].restitution * scene_.bodies[ib].restitution);
      if (bounce > 0.0) {
        contact.surface.mode |= dContactBounce;
        contact.surface.bounce = bounce;
        contact.surface.bounce_vel = 0.5;
      }
      dJointAttach(dJointCreateContact(world_, group_, &contact), bodyA, bodyB);
    }
    contacts_ += static_cast<std::size_t>(count);
  }

  const PeerScene& scene_;
  dWorldID world_{nullptr};
  dSpaceID space_{nullptr};
  dJointGroupID group_{nullptr};
  std::vector<dBodyID> bodies_{};
  std::vector<ConvexData> convex_{};
  std::vector<MeshData> meshes_{};
  std::set<std::pair<std::size_t, std::size_t>> jointed_{};
  std::size_t contacts_{0};
};

}  // namespace

PeerInfo peerInfo() {
  return {
      .name = "ode",
      .version = "0.16",
      .precision = sizeof(dReal) == sizeof(double) ? "double" : "float",
      .settings = fmt::format("QuickStep, {} iterations, at most {} contacts a pair, hash space",
                              kIterations, kContactsPerPair)};
}

std::unique_ptr<Peer> makePeer(const PeerScene& scene, int) {
  return std::make_unique<OdePeer>(scene);
}

}  // namespace msd_bench
