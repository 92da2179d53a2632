#include <fmt/format.h>

#include <cmath>

#include "msd-import/src/MjcfContext.hpp"
#include "msd-import/src/XmlValues.hpp"
#include "msd-scene/src/JsonText.hpp"

namespace msd_import {

namespace {

Quaternion fromEuler(const std::vector<double>& angles, const MjcfCompiler& compiler) {
  Quaternion result = Quaternion::Identity();
  for (std::size_t i = 0; i < 3; ++i) {
    const char axis = compiler.eulerSequence[i];
    const bool fixedAxes = axis < 'a';
    const int place = (fixedAxes ? axis - 'X' : axis - 'x');
    const Quaternion turn = rotationAbout(Vector3D::Unit(place), angles[i] * compiler.angleUnit);
    result = fixedAxes ? turn * result : result * turn;
  }
  return result.normalized();
}

Quaternion fromAxes(const XmlNode& node, const std::vector<double>& n) {
  const Vector3D x = unitOf(node, "xyaxes", {n[0], n[1], n[2]});
  const Vector3D second{n[3], n[4], n[5]};
  const Vector3D y = unitOf(node, "xyaxes", second - x.dot(second) * x);
  Matrix3D r;
  r << x, y, x.cross(y);
  return Quaternion{r}.normalized();
}

GeometryKind kindOf(const XmlNode& node) {
  const std::string_view type = node.text("type");
  if (type.empty()) return GeometryKind::kSphere;
  constexpr std::array<std::pair<std::string_view, GeometryKind>, 8> kKinds{{
      {"sphere", GeometryKind::kSphere},
      {"box", GeometryKind::kBox},
      {"capsule", GeometryKind::kCapsule},
      {"cylinder", GeometryKind::kCylinder},
      {"ellipsoid", GeometryKind::kEllipsoid},
      {"plane", GeometryKind::kPlane},
      {"mesh", GeometryKind::kMesh},
      {"hfield", GeometryKind::kField},
  }};
  for (const auto& [name, kind] : kKinds) {
    if (name == type) return kind;
  }
  failAt(node, "type", inQuotes(type),
         "sphere, capsule, ellipsoid, cylinder, box, plane, mesh or hfield");
}

template <class Map>
auto requireAsset(const XmlNode& node, std::string_view attribute, const Map& assets) {
  const std::string name = requireText(node, attribute, "the name of an asset");
  const auto found = assets.find(name);
  if (found == assets.end())
    failAt(node, attribute, inQuotes(name), "the name of an asset of this file");
  return found->second;
}

/// How many numbers of `size` a kind needs.
std::size_t sizesOf(GeometryKind kind) {
  switch (kind) {
    case GeometryKind::kSphere:
      return 1;
    case GeometryKind::kCapsule:
    case GeometryKind::kCylinder:
      return 2;
    case GeometryKind::kBox:
    case GeometryKind::kEllipsoid:
      return 3;
    default:
      return 0;
  }
}

void readSize(const XmlNode& node, bool hasEnds, RobotGeometry& g) {
  std::vector<double> size = readNumbers(node, "size");
  if (size.empty() && node.name == "site") size = {0.005, 0.005, 0.005};
  const std::size_t needed = hasEnds ? 1 : sizesOf(g.kind);
  if (size.size() > 3) failAt(node, "size", fmt::format("{} numbers", size.size()), "at most 3");
  size.resize(std::max(size.size(), std::size_t{3}), 0.0);
  for (std::size_t i = 0; i < needed; ++i) {
    if (size[i] > 0.0) continue;
    failAt(node, node.find("size") ? "size" : "",
           fmt::format("{} as number {} of a {}'s size", size[i], i + 1, node.text("type")),
           fmt::format("{} {} > 0 [m]", needed, needed == 1 ? "number" : "numbers"));
  }
  g.size = {size[0], size[1], size[2]};
}

/// The ends of a capsule, cylinder, ellipsoid or box along its z axis.
void readEnds(const XmlNode& node, const std::vector<double>& ends, RobotGeometry& g, Pose& pose) {
  const Vector3D from{ends[0], ends[1], ends[2]};
  const Vector3D to{ends[3], ends[4], ends[5]};
  const double half = 0.5 * (to - from).norm();
  pose.position = 0.5 * (from + to);
  pose.orientation = rotationFromZ(unitOf(node, "fromto", from - to));
  if (g.kind == GeometryKind::kCapsule || g.kind == GeometryKind::kCylinder) {
    g.size.y() = half;
  } else {
    g.size.y() = g.size.x();
    g.size.z() = half;
  }
}

}  // namespace

Quaternion readOrientation(const XmlNode& node, const MjcfCompiler& compiler) {
  if (const auto q = findNumbers(node, "quat", 4)) {
    const Quaternion written{(*q)[0], (*q)[1], (*q)[2], (*q)[3]};
    const double length = written.norm();
    if (!(length > 1e-12) || !std::isfinite(length)) {
      failAt(node, "quat", "a quaternion of length zero", "w, x, y, z of a rotation");
    }
    return written.normalized();
  }
  if (const auto a = findNumbers(node, "axisangle", 4)) {
    return rotationAbout(unitOf(node, "axisangle", {(*a)[0], (*a)[1], (*a)[2]}),
                         (*a)[3] * compiler.angleUnit);
  }
  if (const auto angles = findNumbers(node, "euler", 3)) return fromEuler(*angles, compiler);
  if (const auto axes = findNumbers(node, "xyaxes", 6)) return fromAxes(node, *axes);
  if (const auto z = findVector(node, "zaxis")) return rotationFromZ(unitOf(node, "zaxis", *z));
  return Quaternion::Identity();
}

Pose readPose(const XmlNode& node, const MjcfCompiler& compiler) {
  return {vectorOr(node, "pos", Vector3D::Zero()), readOrientation(node, compiler)};
}

bool isLimited(const XmlNode& node, std::string_view limited, std::string_view range,
               const MjcfCompiler& compiler) {
  const std::string_view written = node.text(limited);
  if (written == "true") return true;
  if (written == "false") return false;
  if (!written.empty() && written != "auto") {
    failAt(node, limited, inQuotes(written), "true, false or auto");
  }
  return compiler.autoLimits && node.find(range) != nullptr;
}

void readShape(const XmlNode& node, MjcfContext& context, RobotGeometry& g, Pose& pose) {
  g.kind = kindOf(node);
  // A mesh named by a geom of another type asks for the primitive that fits it best.
  if (node.find("mesh") && g.kind != GeometryKind::kMesh && node.name == "geom") {
    context.notes.add(node, "mesh", "<geom> mesh with a primitive type",
                      "the mesh itself is taken, not the primitive that fits it");
    g.kind = GeometryKind::kMesh;
  }
  pose = readPose(node, context.compiler);
  if (g.kind == GeometryKind::kMesh) {
    g.mesh = requireAsset(node, "mesh", context.meshes);
    return;
  }
  if (g.kind == GeometryKind::kField) {
    g.field = requireAsset(node, "hfield", context.fields);
    return;
  }
  if (g.kind == GeometryKind::kPlane) return;
  const auto ends = findNumbers(node, "fromto", 6);
  const bool hasEnds = ends && g.kind != GeometryKind::kSphere;
  readSize(node, hasEnds, g);
  if (hasEnds) readEnds(node, *ends, g, pose);
}

std::size_t requireLink(const XmlNode& node, std::string_view attribute,
                        const MjcfContext& context) {
  const std::string name = requireText(node, attribute, "the name of a body");
  if (name == "world") return RobotLink::kWorld;
  const auto found = context.links.find(name);
  if (found == context.links.end()) {
    failAt(node, attribute, inQuotes(name), "the name of a body of this file");
  }
  return found->second;
}

RobotJoint* findJoint(RobotModel& robot, std::string_view name) {
  if (name.empty()) return nullptr;
  for (RobotLink& link : robot.links) {
    for (RobotJoint& joint : link.joints) {
      if (joint.name == name) return &joint;
    }
  }
  return nullptr;
}

}  // namespace msd_import
