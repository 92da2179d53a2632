#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "msd-import/src/MjcfContext.hpp"
#include "msd-import/src/RobotInertia.hpp"
#include "msd-import/src/XmlValues.hpp"
#include "msd-scene/src/JsonText.hpp"

namespace msd_import {

namespace {

std::uint32_t readBits(const XmlNode& node, std::string_view attribute) {
  const double value = numberOr(node, attribute, 1.0);
  if (!(value >= 0.0 && value <= 2147483647.0) || value != std::floor(value)) {
    failAt(node, attribute, fmt::format("{}", value), "a whole number from 0 to 2147483647");
  }
  return static_cast<std::uint32_t>(value);
}

class BodyReader {
 public:
  explicit BodyReader(MjcfContext& context) : context_{context} {}

  void readWorld(const XmlNode& world) { readContent(world, RobotLink::kWorld, {}, {}); }

  void finish() {
    const MjcfCompiler& c = context_.compiler;
    double total = 0.0;
    for (RobotLink& link : context_.robot.links) {
      link.inertia.mass = std::max(link.inertia.mass, c.boundMass);
      for (int i = 0; i < 3; ++i) {
        link.inertia.inertia(i, i) = std::max(link.inertia.inertia(i, i), c.boundInertia);
      }
      total += link.inertia.mass;
    }
    if (!(c.totalMass > 0.0) || !(total > 0.0)) return;
    for (RobotLink& link : context_.robot.links) {
      link.inertia = scaled(link.inertia, c.totalMass / total);
    }
  }

 private:
  /// What a body, the world or a frame holds. `frame` is the pose of a <frame> in its body.
  void readContent(const XmlNode& node, std::size_t link, const std::string& childClass,
                   const Pose& frame) {
    for (const XmlNode& child : node.children) {
      if (child.name == "body") {
        readBody(child, link, childClass, frame);
      } else if (child.name == "frame") {
        const std::string_view own = child.text("childclass");
        readContent(child, link, own.empty() ? childClass : std::string{own},
                    frame * readPose(child, context_.compiler));
      } else if (child.name == "geom") {
        addGeom(context_.defaults.complete(child, childClass), link, frame);
      } else if (child.name == "site") {
        addSite(context_.defaults.complete(child, childClass), link, frame);
      } else if (child.name == "joint" || child.name == "freejoint") {
        if (link == RobotLink::kWorld)
          failAt(child, {}, "a joint of the world", "joints in bodies");
        addJoint(child, link, childClass, frame);
      }
    }
  }

  void readBody(const XmlNode& node, std::size_t parent, const std::string& inherited,
                const Pose& frame) {
    const std::size_t place = context_.robot.links.size();
    std::string name{node.text("name")};
    if (name.empty()) name = fmt::format("body_{}", place + 1);
    if (name == "world" || !context_.links.emplace(name, place).second) {
      failAt(node, "name", inQuotes(name), "a name that no other body has");
    }
    const std::string_view own = node.text("childclass");
    const std::string childClass = own.empty() ? inherited : std::string{own};
    context_.robot.links.push_back({.name = name,
                                    .parent = parent,
                                    .pose = frame * readPose(node, context_.compiler),
                                    .place = {node.file, node.line}});
    if (findBool(node, "mocap").value_or(false)) {
      context_.notes.add(node, "mocap", "<body> mocap", "it stands where it is written");
    }
    geomInertia_.resize(place + 1);
    readInertia(node, place);
    // Its own joints, geoms and sites first: bodies below it come after it in the list.
    XmlNode content = node;
    std::erase_if(content.children, [](const XmlNode& c) { return c.name == "body"; });
    readContent(content, place, childClass, {});
    using From = MjcfCompiler::FromGeoms;
    const From from = context_.compiler.inertiaFromGeoms;
    const bool written = node.child("inertial") != nullptr;
    if (from == From::kAlways || (from == From::kWhereMissing && !written)) {
      context_.robot.links[place].inertia = geomInertia_[place];
    }
    checkInertia(node, context_.robot.links[place].inertia);
    for (const XmlNode& child : node.children) {
      if (child.name == "body") readBody(child, place, childClass, {});
    }
  }

  void readInertia(const XmlNode& body, std::size_t place) {
    const XmlNode* node = body.child("inertial");
    if (node == nullptr) return;
    RobotInertia inertia{.mass = requireNumber(*node, "mass", "[kg]")};
    if (inertia.mass < 0.0)
      failAt(*node, "mass", fmt::format("{}", inertia.mass), "a mass >= 0 [kg]");
    if (const auto full = findNumbers(*node, "fullinertia", 6)) {
      const auto& f = *full;
      inertia.inertia << f[0], f[3], f[4], f[3], f[1], f[5], f[4], f[5], f[2];
    } else if (const auto d = findVector(*node, "diaginertia")) {
      inertia.inertia = d->asDiagonal();
    }
    context_.robot.links[place].inertia = transformed(inertia, readPose(*node, context_.compiler));
  }

  /// Moments that no body can have are balanced where the file asks for it, otherwise refused.
  void checkInertia(const XmlNode& node, RobotInertia& inertia) {
    if (!(inertia.mass > 0.0)) return;
    const Eigen::SelfAdjointEigenSolver<Matrix3D> solver{inertia.inertia};
    const Vector3D m = solver.eigenvalues();
    if (m[2] <= m[0] + m[1] + 1e-9 * std::abs(m[2])) return;
    const XmlNode* inertial = node.child("inertial");
    if (!context_.compiler.balanceInertia) {
      failAt(inertial != nullptr ? *inertial : node, {},
             fmt::format("principal moments {}, {}, {}", m[0], m[1], m[2]),
             "none larger than the sum of the others, or balanceinertia=\"true\"");
    }
    const double mean = m.mean();
    inertia.inertia = mean * Matrix3D::Identity();
  }

  void addGeom(const XmlNode& node, std::size_t link, const Pose& frame) {
    RobotGeom geom{.name = std::string{node.text("name")}, .place = {node.file, node.line}};
    readShape(node, context_, geom.geometry, geom.pose);
    geom.pose = frame * geom.pose;
    geom.contype = readBits(node, "contype");
    geom.conaffinity = readBits(node, "conaffinity");
    geom.priority = static_cast<int>(numberOr(node, "priority", 0.0));
    geom.collides = (geom.contype != 0 || geom.conaffinity != 0) && context_.robot.contacts;
    const std::vector<double> friction = readNumbers(node, "friction", 3);
    const double condim = numberOr(node, "condim", 3.0);
    const auto coefficient = [&](std::size_t i, double usual) {
      const double value = i < friction.size() ? friction[i] : usual;
      if (value < 0.0) failAt(node, "friction", fmt::format("{}", value), "numbers >= 0");
      return value;
    };
    if (condim != 1.0 && condim != 3.0 && condim != 4.0 && condim != 6.0) {
      failAt(node, "condim", fmt::format("{}", condim), "1, 3, 4 or 6");
    }
    geom.freedoms = static_cast<int>(condim);
    geom.friction = coefficient(0, 1.0);
    geom.torsional = coefficient(1, 0.005);
    geom.rolling = coefficient(2, 0.0001);
    if (const auto rgba = findNumbers(node, "rgba", 4)) {
      geom.colour = Colour{(*rgba)[0], (*rgba)[1], (*rgba)[2], (*rgba)[3]};
    } else if (const auto known = context_.materials.find(std::string{node.text("material")});
               known != context_.materials.end()) {
      geom.colour = known->second;
    }
    const int group = static_cast<int>(numberOr(node, "group", 0.0));
    geom.visible = group < 3 && !(geom.colour && (*geom.colour)[3] <= 0.0);
    if (link == RobotLink::kWorld) {
      context_.robot.worldGeoms.push_back(std::move(geom));
      return;
    }
    if (group >= context_.compiler.firstGroup && group <= context_.compiler.lastGroup) {
      geomInertia_[link] = geomInertia_[link] + massOf(node, geom);
    }
    context_.robot.links[link].geoms.push_back(std::move(geom));
  }

  RobotInertia massOf(const XmlNode& node, const RobotGeom& geom) {
    const double density = numberOr(node, "density", 1000.0);
    const std::optional<double> mass = findNumber(node, "mass");
    if (density < 0.0 || mass.value_or(0.0) < 0.0) {
      failAt(node, mass ? "mass" : "density", "a negative number", "a number >= 0");
    }
    if (mass ? *mass == 0.0 : density == 0.0) return {};
    const bool exact = context_.compiler.exactMeshInertia ||
                       (geom.geometry.mesh && context_.meshIsExact[geom.geometry.mesh->name]);
    RobotInertia inertia;
    try {
      inertia = inertiaOf(geom.geometry, geom.pose, mass ? 1.0 : density, exact);
    } catch (const std::exception& reason) {
      failAt(node, {}, fmt::format("a geom whose mass cannot be measured: {}", reason.what()),
             "a closed surface or an <inertial>");
    }
    if (!std::isfinite(inertia.mass) || !inertia.inertia.allFinite()) {
      failAt(node, "size", "a size or density too large to have a mass", "metres and kg/m³");
    }
    if (mass && inertia.mass > 0.0) inertia = scaled(inertia, *mass / inertia.mass);
    return inertia;
  }

  void addSite(const XmlNode& node, std::size_t link, const Pose& frame) {
    RobotSite site{.name = std::string{node.text("name")}, .place = {node.file, node.line}};
    readShape(node, context_, site.geometry, site.pose);
    site.pose = frame * site.pose;
    auto& sites =
        link == RobotLink::kWorld ? context_.robot.worldSites : context_.robot.links[link].sites;
    sites.push_back(std::move(site));
  }

  void addJoint(const XmlNode& written, std::size_t link, const std::string& childClass,
                const Pose& frame) {
    const bool isFree = written.name == "freejoint";
    const XmlNode node = isFree ? written : context_.defaults.complete(written, childClass);
    RobotJoint joint{.name = std::string{node.text("name")}, .place = {node.file, node.line}};
    const std::string_view type = isFree ? "free" : node.text("type");
    joint.kind = type == "free"    ? RobotJointKind::kFree
                 : type == "ball"  ? RobotJointKind::kBall
                 : type == "slide" ? RobotJointKind::kSlide
                                   : RobotJointKind::kHinge;
    if (!type.empty() && type != "free" && type != "ball" && type != "slide" && type != "hinge") {
      failAt(node, "type", inQuotes(type), "free, ball, slide or hinge");
    }
    if (joint.name.empty() && !isFree) joint.name = fmt::format("joint_{}", ++unnamed_);
    auto& joints = context_.robot.links[link].joints;
    if (joint.kind == RobotJointKind::kFree) {
      if (context_.robot.links[link].parent != RobotLink::kWorld || !joints.empty()) {
        failAt(node, {}, "a free joint below another body or beside other joints",
               "the only joint of a body of the world");
      }
      for (const std::string_view name : {"damping", "armature", "frictionloss", "stiffness"}) {
        if (numberOr(node, name, 0.0) == 0.0) continue;
        context_.notes.add(node, name, fmt::format("<joint> {} of a free joint", name),
                           "free bodies move freely");
      }
      joints.push_back(std::move(joint));
      return;
    }
    if (!joints.empty() && joints.front().kind == RobotJointKind::kFree) {
      failAt(node, {}, "a joint beside a free joint", "one or the other");
    }
    readJointValues(node, frame, joint);
    joints.push_back(std::move(joint));
  }

  void readJointValues(const XmlNode& node, const Pose& frame, RobotJoint& joint) {
    const double unit = joint.kind == RobotJointKind::kSlide ? 1.0 : context_.compiler.angleUnit;
    joint.anchor = frame.toWorld(vectorOr(node, "pos", Vector3D::Zero()));
    joint.axis = frame.orientation * unitOf(node, "axis", vectorOr(node, "axis", {0.0, 0.0, 1.0}));
    joint.reference = numberOr(node, "ref", 0.0) * unit;
    joint.springReference = numberOr(node, "springref", 0.0) * unit;
    const auto positive = [&](std::string_view attribute) {
      const double value = numberOr(node, attribute, 0.0);
      if (value < 0.0) failAt(node, attribute, fmt::format("{}", value), "a number >= 0");
      return value;
    };
    joint.stiffness = positive("stiffness");
    joint.damping = positive("damping");
    joint.armature = positive("armature");
    joint.friction = positive("frictionloss");
    if (const auto force = findNumbers(node, "actuatorfrcrange", 2)) {
      joint.effort = std::max(std::abs((*force)[0]), std::abs((*force)[1]));
    }
    if (!isLimited(node, "limited", "range", context_.compiler) || !context_.limits) return;
    const auto range = findNumbers(node, "range", 2);
    if (!range) failAt(node, "limited", "no \"range\"", "lower and upper bound");
    if (joint.kind == RobotJointKind::kBall) {
      context_.notes.add(node, "range", "<joint> range of a ball joint", "it turns without limit");
      return;
    }
    if ((*range)[0] > (*range)[1]) {
      failAt(node, "range", fmt::format("{} above {}", (*range)[0], (*range)[1]), "lower, upper");
    }
    joint.lower = (*range)[0] * unit;
    joint.upper = (*range)[1] * unit;
  }

  MjcfContext& context_;
  std::vector<RobotInertia> geomInertia_{};
  std::size_t unnamed_{0};
};

}  // namespace

void readWorldBody(const XmlNode& root, MjcfContext& context) {
  BodyReader reader{context};
  for (const XmlNode& node : root.children) {
    if (node.name == "worldbody") reader.readWorld(node);
  }
  reader.finish();
}

}  // namespace msd_import
