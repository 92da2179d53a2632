#pragma once

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
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
  double mass{0.0};                                       ///< 0: static [kg]
  msd_sim::Coordinate centreOfMass{0.0, 0.0, 0.0};        ///< in the body's frame [m]
  msd_sim::Vector3D principalInertia{0.0, 0.0, 0.0};      ///< [kg·m²]
  msd_sim::Quaternion principalAxes{1.0, 0.0, 0.0, 0.0};  ///< in the body's frame
  msd_sim::Pose frame{};                                  ///< of the body's frame at the start

  [[nodiscard]] bool isStatic() const { return scene->isStatic; }
  /// Pose of the frame at the centre of mass along the principal axes, in the body's frame.
  [[nodiscard]] msd_sim::Pose principal() const { return {centreOfMass, principalAxes}; }
};

struct PeerScene {
  msd_scene::LoadedScene loaded{};
  std::vector<PeerBody> bodies{};
  /// Places of a joint's bodies; the scene must have ball joints between bodies only.
  struct BallJoint {
    std::size_t bodyA;
    std::size_t bodyB;
    msd_sim::Coordinate anchor;  ///< world [m]
  };
  std::vector<BallJoint> joints{};
};

/// Reads a scene and works out masses. Throws NotServed for what no adapter has: compounds, joints
/// other than balls, forces, damping, kinematic bodies.
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
  [[nodiscard]] virtual std::size_t contacts() const = 0;
};

struct PeerInfo {
  std::string name{};  ///< "bullet"
  std::string version{};
  std::string precision{};  ///< "float" or "double"
  std::string settings{};   ///< in words
};

/// Implemented by each adapter.
[[nodiscard]] PeerInfo peerInfo();
[[nodiscard]] std::unique_ptr<Peer> makePeer(const PeerScene& scene);

}  // namespace msd_bench
