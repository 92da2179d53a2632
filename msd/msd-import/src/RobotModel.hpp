#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "msd-import/src/ImportNote.hpp"
#include "msd-sim/src/DataTypes/Pose.hpp"

/// A robot as both file formats describe one: a tree of links, each placed in its parent by zero or
/// more joints. Lengths [m], masses [kg], angles [rad].
namespace msd_import {

using msd_sim::Matrix3D;
using msd_sim::Pose;
using msd_sim::Quaternion;
using msd_sim::Vector3D;

enum class GeometryKind : std::uint8_t {
  kSphere,     ///< size: radius
  kBox,        ///< size: half extents
  kCapsule,    ///< along z; size: radius, half length without the caps
  kCylinder,   ///< along z; size: radius, half length
  kEllipsoid,  ///< size: half axes
  kPlane,      ///< z > 0 is free
  kMesh,
  kField,
};

/// Points, and the triangles of their surface where the file has them; in metres, scaled.
struct RobotMesh {
  std::string name{};
  std::vector<Vector3D> vertices{};
  std::vector<std::array<std::uint32_t, 3>> triangles{};  ///< may be empty: the hull of the points
};

/// A terrain of `rows` × `columns` heights, from -sizeX to sizeX and -sizeY to sizeY.
struct RobotField {
  std::uint32_t columns{0};
  std::uint32_t rows{0};
  double halfX{0.0};
  double halfY{0.0};
  std::vector<double> heights{};  ///< x running fastest [m]
};

struct RobotGeometry {
  GeometryKind kind{GeometryKind::kSphere};
  Vector3D size{Vector3D::Zero()};
  std::shared_ptr<const RobotMesh> mesh{};
  std::shared_ptr<const RobotField> field{};
};

using Colour = std::array<double, 4>;  ///< red, green, blue, opacity, each 0 to 1

struct RobotGeom {
  std::string name{};
  Pose pose{};  ///< in the link's frame
  RobotGeometry geometry{};
  bool collides{true};
  std::uint32_t contype{1};      ///< two geoms touch when one's contype meets the other's
  std::uint32_t conaffinity{1};  ///< conaffinity
  int priority{0};               ///< the friction of the higher one counts, of equals the larger
  double friction{1.0};          ///< sliding
  double torsional{0.0};         ///< [m]
  double rolling{0.0};           ///< [m]
  int freedoms{6};               ///< 1: no friction, 3: sliding, 4: and spinning, 6: and rolling
  std::optional<Colour> colour{};
  bool visible{true};
  Place place{};
};

struct RobotInertia {
  double mass{0.0};
  Vector3D centre{Vector3D::Zero()};   ///< in the link's frame
  Matrix3D inertia{Matrix3D::Zero()};  ///< about the centre, link axes [kg·m²]
};

enum class RobotJointKind : std::uint8_t { kHinge, kSlide, kBall, kFree };

struct RobotJoint {
  std::string name{};
  RobotJointKind kind{RobotJointKind::kHinge};
  Vector3D anchor{Vector3D::Zero()};  ///< in the link's frame
  Vector3D axis{0.0, 0.0, 1.0};       ///< unit, in the link's frame
  double reference{0.0};              ///< coordinate at which the link stands as written
  std::optional<double> lower{};      ///< [rad] or [m]
  std::optional<double> upper{};
  double damping{0.0};          ///< [N·m·s/rad] or [N·s/m]
  double friction{0.0};         ///< [N·m] or [N]
  double armature{0.0};         ///< [kg·m²] or [kg]
  double stiffness{0.0};        ///< of a spring in the joint [N·m/rad] or [N/m]
  double springReference{0.0};  ///< coordinate at which it is at rest
  double effort{std::numeric_limits<double>::infinity()};  ///< [N·m] or [N]
  Place place{};

  [[nodiscard]] std::size_t positions() const {
    return kind == RobotJointKind::kFree ? 7 : kind == RobotJointKind::kBall ? 4 : 1;
  }
  [[nodiscard]] std::size_t freedoms() const {
    return kind == RobotJointKind::kFree ? 6 : kind == RobotJointKind::kBall ? 3 : 1;
  }
};

struct RobotSite {
  std::string name{};
  Pose pose{};
  RobotGeometry geometry{};
  Place place{};
};

/// A link that has no joint of its own is fixed to its parent.
struct RobotLink {
  std::string name{};
  std::size_t parent{kWorld};
  Pose pose{};  ///< in the parent's frame, where all joints are at their reference
  std::vector<RobotJoint> joints{};
  RobotInertia inertia{};
  std::vector<RobotGeom> geoms{};
  std::vector<RobotSite> sites{};
  Place place{};

  static constexpr std::size_t kWorld = static_cast<std::size_t>(-1);
};

/// Two points of links that stay together, or two links that keep their relative pose.
struct RobotWeld {
  std::string name{};
  std::size_t linkA{RobotLink::kWorld};
  std::size_t linkB{0};
  Vector3D anchor{Vector3D::Zero()};  ///< in A's frame
  bool keepsOrientation{false};
  Place place{};
};

/// Coordinate of `follower` = offset + ratio · coordinate of `leader`, both from their reference.
/// Where `startsClosed`, the follower stands so at the start; otherwise it is pulled there.
struct RobotCoupling {
  std::string name{};
  std::string follower{};
  std::string leader{};  ///< empty: the coordinate is held at the offset
  double offset{0.0};
  double ratio{1.0};
  bool startsClosed{false};
  Place place{};
};

/// A sum of coordinates that actuators push: the force on each joint is its coefficient's share.
struct RobotSum {
  struct Term {
    std::string joint{};
    double coefficient{1.0};
  };
  std::string name{};
  std::vector<Term> terms{};
  Place place{};
};

/// A string between two points that is never longer than `length`.
struct RobotString {
  std::string name{};
  std::size_t linkA{RobotLink::kWorld};
  std::size_t linkB{0};
  Vector3D pointA{Vector3D::Zero()};  ///< in A's frame
  Vector3D pointB{Vector3D::Zero()};
  double length{0.0};
  Place place{};
};

/// Drives a joint: force = gain · control - kp · position - kd · velocity, cut to ± maxForce.
struct RobotActuator {
  enum class Kind : std::uint8_t { kForce, kPosition, kVelocity };
  std::string name{};
  std::string joint{};
  std::string sum{};  ///< of a force: name of the sum that it pushes, in place of a joint
  Kind kind{Kind::kForce};
  double gear{1.0};
  double kp{0.0};            ///< position: [N·m/rad] or [N/m]
  double kd{0.0};            ///< position and velocity: [N·m·s/rad] or [N·s/m]
  double dampingRatio{0.0};  ///< position: where kd is not given, of the joint as it stands [-]
  double control{0.0};       ///< at the start
  double maxForce{std::numeric_limits<double>::infinity()};
  Place place{};
};

struct RobotSensor {
  std::string name{};
  std::string type{};    ///< as the scene writes it
  std::string object{};  ///< link, joint or site
  enum class Of : std::uint8_t { kLink, kJoint, kSite, kGeom } of{Of::kSite};
  bool ofCentre{false};  ///< of a link: its centre of mass, not its frame
  Place place{};
};

struct RobotKeyframe {
  std::string name{};
  std::vector<double> positions{};   ///< empty: as written
  std::vector<double> velocities{};  ///< empty: at rest
  std::vector<double> controls{};
  Place place{};
};

struct RobotModel {
  std::string name{};
  Vector3D gravity{0.0, 0.0, -9.81};
  double dt{1.0 / 240.0};
  std::vector<RobotLink> links{};  ///< parents before children
  std::vector<RobotGeom> worldGeoms{};
  std::vector<RobotSite> worldSites{};
  std::vector<RobotWeld> welds{};
  std::vector<RobotCoupling> couplings{};
  std::vector<RobotSum> sums{};
  std::vector<RobotString> strings{};
  std::vector<RobotActuator> actuators{};
  std::vector<RobotSensor> sensors{};
  std::vector<std::array<std::size_t, 2>> excludes{};  ///< links that do not touch each other
  std::vector<RobotKeyframe> keyframes{};
  /// Of two surfaces that touch the larger friction counts, not the geometric mean.
  bool largerFrictionCounts{false};
  /// Meshes of links that stand still are taken as surfaces, and no link touches the base.
  bool staticMeshesAreConcave{false};
  bool contacts{true};
  std::vector<ImportNote> notes{};
};

}  // namespace msd_import
