#include "msd-import/src/UrdfReader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "msd-import/src/XmlValues.hpp"
#include "msd-scene/src/JsonText.hpp"

namespace msd_import {

namespace {

constexpr std::string_view kNotMotion{"a matter of other tools"};
constexpr std::string_view kMotors{"bounds a motor, and the file has none"};

constexpr auto kRules = std::to_array<AttributeRule>({
    {"robot", "name version"},
    {"robot", "*", "a name space", true},
    {"link", "name"},
    {"link", "type concave", kNotMotion},
    {"inertial", "name"},
    {"origin", "xyz rpy"},
    {"mass", "value"},
    {"inertia", "ixx ixy ixz iyy iyz izz"},
    {"visual", "name"},
    {"collision", "name"},
    {"collision", "group concave", "every geometry is convex, and touches all others"},
    {"geometry", ""},
    {"box", "size"},
    {"cylinder", "radius length"},
    {"sphere", "radius"},
    {"capsule", "radius length"},
    {"mesh", "filename scale"},
    {"material", "name"},
    {"color", "rgba"},
    {"texture", "<>", "bodies have one colour", true},
    {"specular", "<>", "bodies have one colour", true},
    {"joint", "name type"},
    {"parent", "link"},
    {"child", "link"},
    {"axis", "xyz"},
    {"limit", "lower upper"},
    {"limit", "effort velocity", kMotors, true},
    {"dynamics", "damping friction"},
    {"joint_properties", "damping friction"},
    {"mimic", "joint multiplier offset"},
    {"safety_controller", "<>", "a matter of the controller", true},
    {"calibration", "<>", "a matter of the controller", true},
    {"contact", ""},
    {"lateral_friction", "value"},
    {"rolling_friction", "value"},
    {"spinning_friction", "value"},
    {"restitution", "value", "contacts of imported robots do not bounce"},
    {"stiffness", "value", "contacts are rigid"},
    {"damping", "value", "contacts are rigid"},
    {"contact_cfm", "<>", "contacts are rigid"},
    {"contact_erp", "<>", "contacts are rigid"},
    {"inertia_scaling", "<>", "inertias are taken as written"},
    {"transmission", "<>", "transmissions are a matter of the controller"},
    {"gazebo", "<>", "an extension of another simulator"},
    {"sensor", "<>", "an extension of another tool"},
    {"static", "<>", "an extension of another tool"},
});

Pose readOrigin(const XmlNode& parent) {
  const XmlNode* origin = parent.child("origin");
  if (origin == nullptr) return {};
  const Vector3D rpy = vectorOr(*origin, "rpy", Vector3D::Zero());
  // Fixed axes: about x, then y, then z.
  const Quaternion turn = rotationAbout(Vector3D::UnitZ(), rpy.z()) *
                          rotationAbout(Vector3D::UnitY(), rpy.y()) *
                          rotationAbout(Vector3D::UnitX(), rpy.x());
  return {vectorOr(*origin, "xyz", Vector3D::Zero()), turn.normalized()};
}

double positive(const XmlNode& node, std::string_view attribute) {
  const double value = requireNumber(node, attribute, "> 0 [m]");
  if (!(value > 0.0)) failAt(node, attribute, fmt::format("{}", value), "a number > 0 [m]");
  return value;
}

/// Files that xacro wrote may still hold `$(optenv NAME VALUE)`: the value counts.
void fillVariables(XmlNode& node) {
  constexpr std::string_view kOpen{"$(optenv "};
  for (XmlAttribute& a : node.attributes) {
    const std::size_t start = a.value.find(kOpen);
    const std::size_t end = start == std::string::npos ? start : a.value.find(')', start);
    if (end == std::string::npos) continue;
    const std::string inside = a.value.substr(start + kOpen.size(), end - start - kOpen.size());
    const std::size_t space = inside.find(' ');
    const std::string value = space == std::string::npos ? std::string{} : inside.substr(space + 1);
    a.value.replace(start, end + 1 - start, value);
  }
  for (XmlNode& child : node.children) fillVariables(child);
}

class UrdfReader {
 public:
  UrdfReader(const XmlNode& root, const FileFinder& files, const ImportOptions& options)
      : root_{root}, files_{files}, options_{options} {}

  RobotModel read() {
    robot_.name = root_.text("name");
    robot_.staticMeshesAreConcave = true;
    noteAttributes(root_, kRules, notes_);
    for (const XmlNode& node : root_.children) {
      if (node.name == "material") readMaterial(node);
    }
    for (const XmlNode& node : root_.children) {
      if (node.name == "link") addLink(node);
      if (node.name == "joint") addJoint(node);
    }
    if (links_.empty()) failAt(root_, {}, "no <link>", "at least one");
    orderLinks();
    readMimics();
    placeBase();
    robot_.notes = notes_.take();
    return std::move(robot_);
  }

 private:
  struct Connection {
    const XmlNode* node;
    std::string parent;
    std::string child;
  };

  void readMaterial(const XmlNode& node) {
    const XmlNode* colour = node.child("color");
    if (colour == nullptr) return;
    if (const auto rgba = findNumbers(*colour, "rgba", 4)) {
      colours_[std::string{node.text("name")}] = {(*rgba)[0], (*rgba)[1], (*rgba)[2], (*rgba)[3]};
    }
  }

  void addLink(const XmlNode& node) {
    const std::string name = requireText(node, "name", "the link's name");
    if (!links_.emplace(name, &node).second) {
      failAt(node, "name", msd_scene::jsonString(name), "a name that no other link has");
    }
    for (const XmlNode& visual : node.children) {
      if (visual.name != "visual") continue;
      if (const XmlNode* material = visual.child("material")) readMaterial(*material);
    }
  }

  void addJoint(const XmlNode& node) {
    const std::string name = requireText(node, "name", "the joint's name");
    if (!jointNames_.insert(name).second) {
      failAt(node, "name", msd_scene::jsonString(name), "a name that no other joint has");
    }
    const auto end = [&](std::string_view which) {
      const XmlNode* element = node.child(which);
      if (element == nullptr) {
        failAt(node, {}, fmt::format("no <{}>", which), fmt::format("<{} link=\"...\"/>", which));
      }
      return requireText(*element, "link", "the name of a link");
    };
    connections_.push_back({&node, end("parent"), end("child")});
  }

  /// Parents before children, and every link in one tree.
  void orderLinks() {
    std::map<std::string, const Connection*> above;
    std::map<std::string, std::vector<const Connection*>> below;
    for (const Connection& c : connections_) {
      for (const std::string* end : {&c.parent, &c.child}) {
        if (!links_.contains(*end)) {
          failAt(*c.node, {}, fmt::format("the link {}", msd_scene::jsonString(*end)),
                 "the name of a link of this robot");
        }
      }
      if (!above.emplace(c.child, &c).second) {
        failAt(*c.node, {}, fmt::format("a second parent of {}", msd_scene::jsonString(c.child)),
               "one joint above each link: the links of a URDF file are a tree");
      }
      below[c.parent].push_back(&c);
    }
    std::vector<const XmlNode*> roots;
    for (const XmlNode& node : root_.children) {
      if (node.name == "link" && !above.contains(std::string{node.text("name")})) {
        roots.push_back(&node);
      }
    }
    if (roots.empty()) failAt(root_, {}, "links that form a ring", "one link without a parent");
    for (const XmlNode* root : roots) placeLink(*root, RobotLink::kWorld, nullptr, below);
    if (robot_.links.size() != links_.size()) {
      failAt(root_, {}, "links that form a ring", "every link below one that has no parent");
    }
  }

  void placeLink(const XmlNode& first, std::size_t firstParent, const Connection* firstJoint,
                 const std::map<std::string, std::vector<const Connection*>>& below) {
    struct Task {
      const XmlNode* node;
      std::size_t parent;
      const Connection* joint;
    };
    std::vector<Task> tasks{{&first, firstParent, firstJoint}};
    while (!tasks.empty()) {
      const Task task = tasks.back();
      tasks.pop_back();
      const std::size_t place = robot_.links.size();
      robot_.links.push_back(readLink(*task.node));
      robot_.links.back().parent = task.parent;
      if (task.joint != nullptr) readJoint(*task.joint->node, robot_.links.back());
      const auto children = below.find(robot_.links.back().name);
      if (children == below.end()) continue;
      // The last one pushed comes first: the file's order is kept.
      for (auto c = children->second.rbegin(); c != children->second.rend(); ++c) {
        tasks.push_back({links_.at((*c)->child), place, *c});
      }
    }
  }

  RobotLink readLink(const XmlNode& node) {
    RobotLink link{.name = std::string{node.text("name")}, .place = {node.file, node.line}};
    if (const XmlNode* inertial = node.child("inertial")) link.inertia = readInertial(*inertial);
    double friction = 0.5;
    double rolling = 0.0;
    double torsional = 0.0;
    if (const XmlNode* contact = node.child("contact")) {
      const auto value = [&](std::string_view name, double& into) {
        const XmlNode* element = contact->child(name);
        if (element != nullptr) into = std::max(0.0, requireNumber(*element, "value", "[-]"));
      };
      value("lateral_friction", friction);
      value("rolling_friction", rolling);
      value("spinning_friction", torsional);
    }
    for (const XmlNode& child : node.children) {
      const bool visual = child.name == "visual";
      if (!visual && child.name != "collision") continue;
      RobotGeom geom{.name = std::string{child.text("name")},
                     .pose = readOrigin(child),
                     .collides = !visual,
                     .friction = friction,
                     .torsional = torsional,
                     .rolling = rolling,
                     .visible = visual,
                     .place = {child.file, child.line}};
      if (visual) geom.colour = colourOf(child);
      if (readGeometry(child, visual, geom.geometry)) link.geoms.push_back(std::move(geom));
    }
    return link;
  }

  std::optional<Colour> colourOf(const XmlNode& visual) const {
    const XmlNode* material = visual.child("material");
    if (material == nullptr) return std::nullopt;
    const auto known = colours_.find(std::string{material->text("name")});
    return known == colours_.end() ? std::nullopt : std::optional{known->second};
  }

  RobotInertia readInertial(const XmlNode& node) {
    RobotInertia result;
    if (const XmlNode* mass = node.child("mass")) {
      result.mass = requireNumber(*mass, "value", "[kg]");
      if (result.mass < 0.0)
        failAt(*mass, "value", fmt::format("{}", result.mass), "a mass >= 0 [kg]");
    }
    if (const XmlNode* inertia = node.child("inertia")) {
      const auto value = [&](std::string_view name) { return numberOr(*inertia, name, 0.0); };
      const double xx = value("ixx"), yy = value("iyy"), zz = value("izz");
      const double xy = value("ixy"), xz = value("ixz"), yz = value("iyz");
      result.inertia << xx, xy, xz, xy, yy, yz, xz, yz, zz;
    }
    const Pose frame = readOrigin(node);
    const Matrix3D r = frame.orientation.toRotationMatrix();
    const Matrix3D turned = r * result.inertia * r.transpose();
    result.inertia = 0.5 * (turned + turned.transpose());
    result.centre = frame.position;
    return result;
  }

  /// False where a mesh that is only looked at cannot be read.
  bool readGeometry(const XmlNode& parent, bool visual, RobotGeometry& result) {
    const XmlNode* geometry = parent.child("geometry");
    if (geometry == nullptr || geometry->children.empty()) {
      failAt(parent, {}, "no geometry", "<geometry> with a box, cylinder, sphere, capsule or mesh");
    }
    const XmlNode& shape = geometry->children.front();
    if (shape.name == "box") {
      const auto size = findVector(shape, "size");
      if (!size) failAt(shape, {}, "no attribute \"size\"", "three edges [m]");
      if (!(size->minCoeff() > 0.0)) failAt(shape, "size", "an edge of zero", "edges > 0 [m]");
      result = {.kind = GeometryKind::kBox, .size = 0.5 * *size};
    } else if (shape.name == "sphere") {
      result = {.kind = GeometryKind::kSphere, .size = {positive(shape, "radius"), 0.0, 0.0}};
    } else if (shape.name == "cylinder" || shape.name == "capsule") {
      result = {.kind = shape.name == "capsule" ? GeometryKind::kCapsule : GeometryKind::kCylinder,
                .size = {positive(shape, "radius"), 0.5 * positive(shape, "length"), 0.0}};
    } else if (shape.name == "mesh") {
      return readMesh(shape, visual, result);
    } else {
      failAt(shape, {}, fmt::format("a geometry called <{}>", shape.name),
             "box, cylinder, sphere, capsule or mesh");
    }
    return true;
  }

  bool readMesh(const XmlNode& node, bool visual, RobotGeometry& result) {
    const std::string file = requireText(node, "filename", "the name of a mesh file");
    const Vector3D scale = vectorOr(node, "scale", Vector3D::Ones());
    if (!(scale.cwiseAbs().minCoeff() > 0.0))
      failAt(node, "scale", "a zero", "numbers other than 0");
    const std::string key = fmt::format("{} {} {} {}", file, scale.x(), scale.y(), scale.z());
    auto& mesh = meshes_[key];
    try {
      if (!mesh) {
        const FoundFile found = files_(file, *node.file);
        if (found.elsewhere) {
          notes_.add(node, "filename", fmt::format("<mesh> {}", msd_scene::jsonString(file)),
                     fmt::format("there is no such file; {} is taken", found.name));
        }
        mesh = std::make_shared<const RobotMesh>(readRobotMesh(found, scale));
      }
    } catch (const std::exception& reason) {
      if (!visual) {
        failAt(node, "filename",
               fmt::format("{} ({})", msd_scene::shortened(msd_scene::jsonString(file)),
                           reason.what()),
               "a mesh file that can be read");
      }
      notes_.add(node, "filename", fmt::format("<mesh> {}", msd_scene::jsonString(file)),
                 fmt::format("only looked at, and it cannot be read ({})", reason.what()), true);
      return false;
    }
    result = {.kind = GeometryKind::kMesh, .mesh = mesh};
    return true;
  }

  void readJoint(const XmlNode& node, RobotLink& link) {
    const std::string type = requireText(node, "type", "the kind of joint");
    link.pose = readOrigin(node);
    RobotJoint joint{.name = std::string{node.text("name")}, .place = {node.file, node.line}};
    const auto axis = [&] {
      const XmlNode* element = node.child("axis");
      return element == nullptr
                 ? Vector3D{1.0, 0.0, 0.0}
                 : unitOf(*element, "xyz", vectorOr(*element, "xyz", {1.0, 0.0, 0.0}));
    };
    if (type == "fixed") return;
    if (type == "floating") {
      // A free link below another: it stands in the world.
      joint.kind = RobotJointKind::kFree;
      link.joints.push_back(joint);
      return;
    }
    if (type == "planar") return addPlanar(node, axis(), std::move(joint), link);
    if (type == "spherical") {
      joint.kind = RobotJointKind::kBall;
    } else if (type == "prismatic") {
      joint.kind = RobotJointKind::kSlide;
    } else if (type != "revolute" && type != "continuous") {
      failAt(node, "type", msd_scene::jsonString(type),
             "revolute, continuous, prismatic, fixed, floating, planar or spherical");
    }
    joint.axis = axis();
    readLimits(node, type, joint);
    readDynamics(node, joint);
    link.joints.push_back(std::move(joint));
  }

  /// Two slides across the axis, and a turn about it.
  void addPlanar(const XmlNode& node, const Vector3D& normal, RobotJoint joint, RobotLink& link) {
    const Quaternion frame = rotationFromZ(normal);
    readDynamics(node, joint);
    const std::string name = joint.name;
    joint.kind = RobotJointKind::kSlide;
    joint.name = name + "_x";
    joint.axis = frame * Vector3D::UnitX();
    link.joints.push_back(joint);
    joint.name = name + "_y";
    joint.axis = frame * Vector3D::UnitY();
    link.joints.push_back(joint);
    joint.kind = RobotJointKind::kHinge;
    joint.name = name;
    joint.axis = normal;
    link.joints.push_back(joint);
  }

  void readLimits(const XmlNode& node, const std::string& type, RobotJoint& joint) {
    const XmlNode* limit = node.child("limit");
    if (limit == nullptr) {
      if (type == "revolute" || type == "prismatic") {
        notes_.add(node, {}, fmt::format("<joint> of type {} without <limit>", type),
                   "it moves without limit");
      }
      return;
    }
    joint.effort = numberOr(*limit, "effort", joint.effort);
    if (type != "revolute" && type != "prismatic") return;
    joint.lower = numberOr(*limit, "lower", 0.0);
    joint.upper = numberOr(*limit, "upper", 0.0);
    if (*joint.lower > *joint.upper) {
      notes_.add(*limit, "lower", "<limit> with lower above upper", "it moves without limit");
      joint.lower.reset();
      joint.upper.reset();
    }
  }

  static void readDynamics(const XmlNode& node, RobotJoint& joint) {
    for (const std::string_view name : {"dynamics", "joint_properties"}) {
      const XmlNode* dynamics = node.child(name);
      if (dynamics == nullptr) continue;
      const auto value = [&](std::string_view attribute) {
        const double number = numberOr(*dynamics, attribute, 0.0);
        if (number < 0.0) failAt(*dynamics, attribute, fmt::format("{}", number), "a number >= 0");
        return number;
      };
      joint.damping = value("damping");
      joint.friction = value("friction");
    }
  }

  void readMimics() {
    for (const Connection& c : connections_) {
      const XmlNode* mimic = c.node->child("mimic");
      if (mimic == nullptr) continue;
      const std::string leader = requireText(*mimic, "joint", "the name of a joint");
      if (!jointNames_.contains(leader)) {
        failAt(*mimic, "joint", msd_scene::jsonString(leader), "the name of a joint of this robot");
      }
      robot_.couplings.push_back({.name = fmt::format("{}_mimic", c.node->text("name")),
                                  .follower = std::string{c.node->text("name")},
                                  .leader = leader,
                                  .offset = numberOr(*mimic, "offset", 0.0),
                                  .ratio = numberOr(*mimic, "multiplier", 1.0),
                                  .startsClosed = true,
                                  .place = {mimic->file, mimic->line}});
    }
  }

  /// A root with mass is free, unless it is the world or is told to stand still.
  void placeBase() {
    std::vector<double> mass(robot_.links.size(), 0.0);
    for (std::size_t i = robot_.links.size(); i-- > 0;) {
      const RobotLink& link = robot_.links[i];
      mass[i] += link.inertia.mass;
      if (link.parent != RobotLink::kWorld && link.joints.empty()) mass[link.parent] += mass[i];
    }
    for (std::size_t i = 0; i < robot_.links.size(); ++i) {
      RobotLink& link = robot_.links[i];
      if (link.parent != RobotLink::kWorld) continue;
      if (options_.fixedBase || link.name == "world" || !(mass[i] > 0.0)) continue;
      link.joints.push_back(
          {.name = link.name + "_free", .kind = RobotJointKind::kFree, .place = link.place});
    }
  }

  const XmlNode& root_;
  const FileFinder& files_;
  const ImportOptions& options_;
  RobotModel robot_{};
  NoteList notes_{};
  std::map<std::string, const XmlNode*> links_{};
  std::set<std::string> jointNames_{};
  std::vector<Connection> connections_{};
  std::map<std::string, Colour> colours_{};
  std::map<std::string, std::shared_ptr<const RobotMesh>> meshes_{};
};

}  // namespace

RobotModel readUrdf(const XmlNode& root, const FileFinder& files, const ImportOptions& options) {
  XmlNode filled = root;
  fillVariables(filled);
  return UrdfReader{filled, files, options}.read();
}

}  // namespace msd_import
