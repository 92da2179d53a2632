#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "msd-assets/src/Shape.hpp"
#include "msd-scene/src/BuildScene.hpp"
#include "msd-scene/src/ReadScene.hpp"

namespace msd_view {

/// What stays the same while a scene runs: who is there and what they look like.
struct SceneInfo {
  /// Something to look at, on a body.
  struct Visual {
    std::uint32_t shape{0};  ///< place in `shapes`
    msd_sim::Pose pose{};    ///< in the body's frame
    std::optional<msd_scene::SceneColour> colour{};
  };
  struct Body {
    std::string name{};
    std::uint32_t shape{0};  ///< place in `shapes`
    bool isStatic{false};
    bool isKinematic{false};
    double mass{0.0};                                         ///< [kg]; 0 for static bodies
    msd_sim::Coordinate centre{msd_sim::Coordinate::Zero()};  ///< of mass, in the shape's frame [m]
    msd_sim::Matrix3D inertia{msd_sim::Matrix3D::Zero()};     ///< about it, body axes [kg·m²]
    msd_sim::Force constantForce{msd_sim::Force::Zero()};     ///< of the scene [N]
    std::optional<msd_scene::SceneColour> colour{};
    std::optional<std::vector<Visual>> visual{};  ///< none: the shape itself is shown
  };
  struct Joint {
    static constexpr std::uint32_t kWorld = 0xFFFFFFFFu;
    std::string name{};
    msd_sim::JointKind kind{msd_sim::JointKind::kBall};
    std::uint32_t bodyA{kWorld};
    std::uint32_t bodyB{kWorld};
    msd_sim::Coordinate anchorA{
        msd_sim::Coordinate::Zero()};  ///< in A's frame; world where A is it
    msd_sim::Coordinate anchorB{msd_sim::Coordinate::Zero()};  ///< in B's frame
    msd_sim::Vector3D axis{msd_sim::Vector3D::UnitZ()};        ///< in A's frame
    std::optional<msd_scene::SceneLimit> limit{};
    std::optional<msd_scene::SceneMotor> motor{};
    std::string follows{};  ///< the joint whose coordinate it follows

    /// Has one coordinate that is free: an angle or a travel.
    [[nodiscard]] bool hasCoordinate() const {
      using msd_sim::JointKind;
      return kind == JointKind::kHinge || kind == JointKind::kSlider;
    }
  };

  std::string name{};
  std::string description{};
  std::string file{};  ///< as the user named it
  msd_sim::Acceleration gravity{msd_sim::Acceleration::Zero()};
  double dt{0.0};  ///< [s]
  std::uint64_t steps{0};
  bool isLive{true};
  std::optional<msd_scene::SceneCamera> camera{};
  std::vector<msd_assets::Shape> shapes{};
  std::vector<std::string> shapeNames{};
  std::vector<Body> bodies{};
  std::vector<Joint> joints{};
  std::vector<std::string> warnings{};
  /// Positions in the stream are relative to this point, so that single precision shows scenes far
  /// from the origin as well [m].
  msd_sim::Coordinate origin{msd_sim::Coordinate::Zero()};
};

[[nodiscard]] SceneInfo describeScene(const msd_scene::LoadedScene& loaded,
                                      const msd_scene::SceneWorld& scene, std::string file);

/// World bounds of a body's shape at a pose; for a plane, empty.
[[nodiscard]] msd_sim::Aabb tightBounds(const msd_assets::Shape& shape, const msd_sim::Pose& pose);

}  // namespace msd_view
