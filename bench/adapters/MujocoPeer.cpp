// MuJoCo with its documented defaults: Newton, at most 100 iterations, pyramidal cone, Euler. It
// has no static triangle mesh, and a dense matrix of all constraint rows, so that it serves small
// scenes only. Restitution has no counterpart in its soft contacts; scenes with a bounce are not
// served.
#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <unistd.h>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "bench/adapters/Peer.hpp"

namespace msd_bench {

namespace {

using msd_assets::ShapeKind;

constexpr std::size_t kMostBodies = 600;

std::string numbers(const msd_sim::Vector3D& v) {
  return fmt::format("{:.17g} {:.17g} {:.17g}", v.x(), v.y(), v.z());
}
std::string numbers(const msd_sim::Quaternion& q) {
  return fmt::format("{:.17g} {:.17g} {:.17g} {:.17g}", q.w(), q.x(), q.y(), q.z());
}

/// Writes a scene as MJCF. Bodies are placed by their principal frames, with explicit inertia.
class Mjcf {
 public:
  explicit Mjcf(const PeerScene& scene) : scene_{scene} {
    const auto& document = scene.loaded.document;
    for (std::size_t i = 0; i < scene.bodies.size(); ++i) addBody(i);
    // Room for the contacts of a dense pile; MuJoCo's memory grows with its square.
    const std::size_t contacts = 12 * scene.bodies.size() + 100;
    text_ = fmt::format(
        "<mujoco><option timestep=\"{:.17g}\" gravity=\"{}\"/><size nconmax=\"{}\" njmax=\"{}\"/>"
        "<asset>{}</asset><worldbody>{}</worldbody>",
        document.dt, numbers(document.gravity), contacts, 4 * contacts + 6 * scene.joints.size(),
        assets_, bodies_);
    addJoints();
    text_ += "</mujoco>";
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string geometry(std::size_t index) {
    const PeerBody& body = scene_.bodies[index];
    const msd_assets::Shape& shape = *body.shape;
    switch (shape.kind()) {
      case ShapeKind::kSphere:
        return fmt::format("type=\"sphere\" size=\"{:.17g}\"",
                           shape.as<msd_assets::Sphere>().radius);
      case ShapeKind::kBox:
        return fmt::format("type=\"box\" size=\"{}\"",
                           numbers(shape.as<msd_assets::Box>().halfExtents));
      case ShapeKind::kCapsule: {
        const auto& c = shape.as<msd_assets::Capsule>();
        return fmt::format("type=\"capsule\" size=\"{:.17g} {:.17g}\"", c.radius, c.halfHeight);
      }
      case ShapeKind::kCylinder: {
        const auto& c = shape.as<msd_assets::Cylinder>();
        return fmt::format("type=\"cylinder\" size=\"{:.17g} {:.17g}\"", c.radius, c.halfHeight);
      }
      case ShapeKind::kHull:
        return hull(index);
      default:
        throw NotServed{"MuJoCo has no static triangle mesh"};
    }
  }

  std::string hull(std::size_t index) {
    const PeerBody& body = scene_.bodies[index];
    assets_ += fmt::format("<mesh name=\"m{}\" vertex=\"", index);
    for (const Eigen::Vector3d& v : body.shape->as<msd_assets::Hull>().polyhedron->vertices()) {
      assets_ += numbers(body.isStatic() ? v : body.principal().toLocal(v)) + " ";
    }
    assets_ += "\"/>";
    return fmt::format("type=\"mesh\" mesh=\"m{}\"", index);
  }

  void addBody(std::size_t index) {
    const PeerBody& body = scene_.bodies[index];
    if (body.restitution > 0.0) throw NotServed{"MuJoCo's contacts have no restitution"};
    const bool moved =
        !body.isStatic() && !body.isCentred() && body.shape->kind() != ShapeKind::kHull;
    const msd_sim::Pose place = moved ? body.principal().inverse() : msd_sim::Pose{};
    const std::string geom =
        fmt::format("<geom {} pos=\"{}\" quat=\"{}\" friction=\"{:.17g} 0 0\" condim=\"3\"{}/>", geometry(index),
                    numbers(place.position), numbers(place.orientation), body.friction, body.scene->collides ? "" : " contype=\"0\" conaffinity=\"0\"");
    const msd_sim::Pose pose = body.isStatic() ? body.frame : body.frame * body.principal();
    bodies_ += fmt::format("<body name=\"b{}\" pos=\"{}\" quat=\"{}\">", index,
                           numbers(pose.position), numbers(pose.orientation));
    if (!body.isStatic()) {
      bodies_ +=
          fmt::format("<freejoint/><inertial pos=\"0 0 0\" mass=\"{:.17g}\" diaginertia=\"{}\"/>",
                      body.mass, numbers(body.principalInertia));
    }
    bodies_ += geom + "</body>";
  }

  void addJoints() {
    if (scene_.joints.empty()) return;
    std::string connections;
    for (const PeerJoint& joint : scene_.joints) {
      if (joint.kind == PeerJointKind::kSlider)
        throw NotServed{"MuJoCo ties free bodies together by points: it has no slider for them"};
      connections += connection(joint, joint.anchor);
      // A hinge is two points of its axis.
      if (joint.kind == PeerJointKind::kHinge)
        connections += connection(joint, joint.anchor + joint.axis);
    }
    std::string exclusions;
    for (const auto& [a, b] : scene_.jointedPairs())
      exclusions += fmt::format("<exclude body1=\"b{}\" body2=\"b{}\"/>", a, b);
    text_ += fmt::format("<equality>{}</equality><contact>{}</contact>", connections, exclusions);
  }

  [[nodiscard]] std::string connection(const PeerJoint& joint,
                                       const msd_sim::Coordinate& point) const {
    const PeerBody& b = scene_.bodies[joint.bodyB];
    const msd_sim::Pose pose = b.isStatic() ? b.frame : b.frame * b.principal();
    return fmt::format("<connect body1=\"b{}\" body2=\"{}\" anchor=\"{}\"/>", joint.bodyB,
                       joint.bodyA ? fmt::format("b{}", *joint.bodyA) : std::string{"world"},
                       numbers(pose.toLocal(point)));
  }

  const PeerScene& scene_;
  std::string assets_{};
  std::string bodies_{};
  std::string text_{};
};

class MujocoPeer final : public Peer {
 public:
  explicit MujocoPeer(const PeerScene& scene) : scene_{scene} {
    // MuJoCo ends the process on errors of its own; ours says why first.
    mju_user_error = [](const char* message) {
      throw NotServed{fmt::format("MuJoCo: {}", message)};
    };
    mju_user_warning = [](const char*) {};
    load(Mjcf{scene}.text());
    data_ = mj_makeData(model_);
    if (data_ == nullptr) throw NotServed{"MuJoCo cannot allocate its matrix of constraint rows"};
    int free = 0;
    for (const PeerBody& body : scene.bodies) {
      joint_.push_back(body.isStatic() ? -1 : free++);
      if (!body.isStatic()) setVelocity(body, joint_.back());
    }
    mj_forward(model_, data_);
  }
  ~MujocoPeer() override {
    mj_deleteData(data_);
    mj_deleteModel(model_);
  }
  MujocoPeer(const MujocoPeer&) = delete;
  MujocoPeer& operator=(const MujocoPeer&) = delete;

  void step(double) override { mj_step(model_, data_); }

  [[nodiscard]] FrameState state(std::size_t index) const override {
    const PeerBody& peer = scene_.bodies[index];
    if (peer.isStatic()) return {.pose = peer.frame};
    const mjtNum* p = data_->qpos + 7 * joint_[index];
    const mjtNum* v = data_->qvel + 6 * joint_[index];
    const msd_sim::Pose pose{{p[0], p[1], p[2]}, {p[3], p[4], p[5], p[6]}};
    // The angular velocity of a free joint is in the body's axes.
    return frameState(peer, pose, {v[0], v[1], v[2]},
                      pose.orientation * msd_sim::Vector3D{v[3], v[4], v[5]});
  }

  [[nodiscard]] std::optional<std::size_t> contacts() const override {
    return static_cast<std::size_t>(data_->ncon);
  }

 private:
  void load(const std::string& text) {
    std::string path = (std::filesystem::temp_directory_path() / "msd-peer-XXXXXX.xml").string();
    const int file = ::mkstemps(path.data(), 4);
    if (file < 0) throw std::runtime_error{"cannot write a temporary file"};
    ::close(file);
    std::ofstream{path} << text;
    char error[1000] = "";
    model_ = mj_loadXML(path.c_str(), nullptr, error, sizeof error);
    std::filesystem::remove(path);
    if (model_ == nullptr) throw NotServed{fmt::format("MuJoCo refuses the scene: {}", error)};
  }

  void setVelocity(const PeerBody& body, int joint) {
    const msd_sim::Pose pose = body.frame * body.principal();
    const msd_sim::AngularRate& w = body.scene->angularVelocity;
    const msd_sim::Vector3D linear =
        body.scene->linearVelocity + w.cross(pose.position - body.frame.position);
    const msd_sim::Vector3D angular = pose.orientation.conjugate() * w;
    std::copy_n(linear.data(), 3, data_->qvel + 6 * joint);
    std::copy_n(angular.data(), 3, data_->qvel + 6 * joint + 3);
  }

  const PeerScene& scene_;
  mjModel* model_{nullptr};
  mjData* data_{nullptr};
  std::vector<int> joint_{};
};

}  // namespace

PeerInfo peerInfo() {
  return {.name = "mujoco",
          .version = mj_versionString(),
          .precision = "double",
          .settings = "Newton, at most 100 iterations, pyramidal cone, Euler"};
}

std::unique_ptr<Peer> makePeer(const PeerScene& scene, int) {
  if (scene.bodies.size() > kMostBodies) {
    throw NotServed{fmt::format(
        "MuJoCo's matrix of constraint rows is dense: scenes of more than {} bodies are left out",
        kMostBodies)};
  }
  return std::make_unique<MujocoPeer>(scene);
}

}  // namespace msd_bench
