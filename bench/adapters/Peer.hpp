#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "msd-assets/src/MassProperties.hpp"
#include "msd-scene/src/ReadScene.hpp"
#include "msd-sim/src/DataTypes/Pose.hpp"

/// What another engine must do to run our scenes. One adapter is one executable: Peer.hpp's
/// interface, implemented on the engine, and AdapterMain.cpp, which reads the scene, steps, takes
/// the time and writes poses and figures in the formats of `msd run`.
namespace msd_bench {

/// The engine cannot run this scene (a shape or joint it does not have, too many bodies).
class NotServed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A body as every engine needs it: mass properties about the centre of mass, with principal axes.
struct PeerBody {
  const msd_scene::SceneBody* scene{nullptr};
  const msd_assets::Shape* shape{nullptr};
  double friction{0.0};
  double restitution{0.0};
  double density{0.0};                                    ///< [kg/m³]
  double mass{0.0};                                       ///< 0: static [kg]
  msd_sim::Coordinate centreOfMass{0.0, 0.0, 0.0};        ///< in the body's frame [m]
  msd_sim::Vector3D principalInertia{0.0, 0.0, 0.0};      ///< [kg·m²]
  msd_sim::Quaternion principalAxes{1.0, 0.0, 0.0, 0.0};  ///< in the body's frame
  msd_sim::Pose frame{};                                  ///< of the body's frame at the start

  [[nodiscard]] bool isStatic() const { return scene->isStatic; }
  /// Pose of the frame at the centre of mass along the principal axes, in the body's frame.
  [[nodiscard]] msd_sim::Pose principal() const { return {centreOfMass, principalAxes}; }
  /// About the centre of mass, in the body's axes [kg·m²].
  [[nodiscard]] msd_sim::Matrix3D inertia() const {
    const msd_sim::Matrix3D axes = principalAxes.toRotationMatrix();
    return axes * principalInertia.asDiagonal() * axes.transpose();
  }
  /// The scene gives its mass, inertia or centre of mass; otherwise shape and density do.
  [[nodiscard]] bool hasOwnMass() const {
    return scene->mass || scene->inertia || scene->centreOfMass;
  }
  /// The principal frame is that of the shape: nothing needs to be moved or turned.
  [[nodiscard]] bool isCentred() const {
    return centreOfMass.isZero(0.0) && principalAxes.vec().isZero(0.0);
  }
};

enum class PeerJointKind { kBall, kHinge, kSlider };

/// A joint between two bodies, or between the world and a body.
struct PeerJoint {
  PeerJointKind kind{PeerJointKind::kBall};
  std::optional<std::size_t> bodyA{};  ///< none: the world
  std::size_t bodyB{0};
  msd_sim::Coordinate anchor{0.0, 0.0, 0.0};  ///< world [m]
  msd_sim::Vector3D axis{0.0, 0.0, 1.0};      ///< of a hinge or slider, world, unit [-]
  bool collideConnected{false};
};

struct PeerScene {
  msd_scene::LoadedScene loaded{};
  std::vector<PeerBody> bodies{};
  std::vector<PeerJoint> joints{};

  /// The joined pairs that must not collide, lower place first.
  [[nodiscard]] std::set<std::pair<std::size_t, std::size_t>> jointedPairs() const;
};

/// Reads a scene and works out masses. Throws NotServed for what no adapter has: compounds, height
/// fields, other joints than balls, hinges and sliders, or such with limits, motors or springs,
/// forces, damping, kinematic bodies.
[[nodiscard]] PeerScene loadPeerScene(const std::string& path);

/// State of a body's frame (not of its centre of mass), world axes.
struct FrameState {
  msd_sim::Pose pose{};
  msd_sim::CoordinateRate velocity{0.0, 0.0, 0.0};
  msd_sim::AngularRate angularVelocity{0.0, 0.0, 0.0};
};

/// From the state of the principal frame at the centre of mass to that of the body's frame.
[[nodiscard]] FrameState frameState(const PeerBody& body, const msd_sim::Pose& principal,
                                    const msd_sim::CoordinateRate& velocityOfCentre,
                                    const msd_sim::AngularRate& angularVelocity);

class Peer {
 public:
  virtual ~Peer() = default;
  virtual void step(double dt) = 0;
  [[nodiscard]] virtual FrameState state(std::size_t body) const = 0;
  /// Points of contact, or pairs, as the engine counts them; none: it does not.
  [[nodiscard]] virtual std::optional<std::size_t> contacts() const = 0;
};

struct PeerInfo {
  std::string name{};  ///< "bullet"
  std::string version{};
  std::string precision{};  ///< "float" or "double"
  std::string settings{};   ///< in words
  bool threaded{false};     ///< can use more than one thread
};

/// Implemented by each adapter.
[[nodiscard]] PeerInfo peerInfo();
[[nodiscard]] std::unique_ptr<Peer> makePeer(const PeerScene& scene, int threads);

}  // namespace msd_bench
