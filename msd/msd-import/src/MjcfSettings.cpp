#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "msd-import/src/MjcfContext.hpp"
#include "msd-import/src/XmlValues.hpp"
#include "msd-scene/src/JsonText.hpp"

namespace msd_import {

namespace {

constexpr std::size_t kIncludeDepth = 32;

class Includer {
 public:
  explicit Includer(const FileFinder& files) : files_{files} {}

  /// The children of `node` with every include replaced; `open` are the files being read.
  void expand(XmlNode& node, std::vector<std::string>& open, const std::string& mainFile) {
    std::vector<XmlNode> children;
    for (XmlNode& child : node.children) {
      if (++count_ > XmlLimits::kElements) {
        failAt(child, {}, "too many elements by includes",
               fmt::format("at most {}", XmlLimits::kElements));
      }
      if (child.name != "include") {
        expand(child, open, mainFile);
        children.push_back(std::move(child));
        continue;
      }
      XmlNode included = load(child, open, mainFile);
      for (XmlNode& inner : included.children) children.push_back(std::move(inner));
    }
    node.children = std::move(children);
  }

 private:
  XmlNode load(const XmlNode& include, std::vector<std::string>& open,
               const std::string& mainFile) {
    const std::string file = requireText(include, "file", "the name of an MJCF file");
    FoundFile found;
    try {
      found = files_(file, mainFile);
    } catch (const std::exception& reason) {
      failAt(include, "file", fmt::format("{} ({})", inQuotes(file), reason.what()),
             "an MJCF file that can be read");
    }
    if (std::ranges::find(open, found.name) != open.end()) {
      failAt(include, "file", inQuotes(file), "a file that does not include itself");
    }
    if (open.size() > kIncludeDepth) {
      failAt(include, "file", "includes nested too deep", fmt::format("at most {}", kIncludeDepth));
    }
    XmlNode root = parseXml(found.bytes, found.name);
    open.push_back(found.name);
    expand(root, open, mainFile);
    open.pop_back();
    return root;
  }

  const FileFinder& files_;
  std::size_t count_{0};
};

std::string folderOf(std::string_view written) {
  return written.empty() || written.ends_with('/') ? std::string{written}
                                                   : std::string{written} + '/';
}

void readCompilerElement(const XmlNode& node, MjcfCompiler& c) {
  if (const XmlAttribute* angle = node.find("angle")) {
    if (angle->value != "radian" && angle->value != "degree") {
      failAt(node, "angle", inQuotes(angle->value), "radian or degree");
    }
    c.angleUnit = angle->value == "radian" ? 1.0 : MjcfCompiler{}.angleUnit;
  }
  if (const XmlAttribute* sequence = node.find("eulerseq")) {
    const bool good = sequence->value.size() == 3 &&
                      sequence->value.find_first_not_of("xyzXYZ") == std::string::npos;
    if (!good) failAt(node, "eulerseq", inQuotes(sequence->value), "three of x, y, z, X, Y, Z");
    c.eulerSequence = sequence->value;
  }
  if (const XmlAttribute* coordinate = node.find("coordinate")) {
    if (coordinate->value != "local") {
      failAt(node, "coordinate", inQuotes(coordinate->value),
             "\"local\": poses in the frame of the body around (\"global\" is no longer MJCF)");
    }
  }
  if (const XmlAttribute* from = node.find("inertiafromgeom")) {
    using From = MjcfCompiler::FromGeoms;
    if (from->value != "auto" && from->value != "true" && from->value != "false") {
      failAt(node, "inertiafromgeom", inQuotes(from->value), "auto, true or false");
    }
    c.inertiaFromGeoms = from->value == "auto"   ? From::kWhereMissing
                         : from->value == "true" ? From::kAlways
                                                 : From::kNever;
  }
  c.balanceInertia = findBool(node, "balanceinertia").value_or(c.balanceInertia);
  c.boundMass = numberOr(node, "boundmass", c.boundMass);
  c.boundInertia = numberOr(node, "boundinertia", c.boundInertia);
  c.totalMass = numberOr(node, "settotalmass", c.totalMass);
  c.autoLimits = findBool(node, "autolimits").value_or(c.autoLimits);
  c.exactMeshInertia = findBool(node, "exactmeshinertia").value_or(c.exactMeshInertia);
  c.stripPath = findBool(node, "strippath").value_or(c.stripPath);
  if (node.find("assetdir")) c.meshFolder = folderOf(node.text("assetdir"));
  if (node.find("meshdir")) c.meshFolder = folderOf(node.text("meshdir"));
  if (const auto groups = findNumbers(node, "inertiagrouprange", 2)) {
    c.firstGroup = static_cast<int>((*groups)[0]);
    c.lastGroup = static_cast<int>((*groups)[1]);
  }
}

void readFlag(const XmlNode& node, MjcfContext& context) {
  const auto disabled = [&](std::string_view name) {
    const std::string_view value = node.text(name);
    if (!value.empty() && value != "enable" && value != "disable") {
      failAt(node, name, inQuotes(value), "enable or disable");
    }
    return value == "disable";
  };
  if (disabled("gravity")) context.gravity = false;
  if (disabled("contact")) context.robot.contacts = false;
  if (disabled("limit")) context.limits = false;
  if (disabled("equality")) context.equalities = false;
  if (disabled("constraint")) {
    context.robot.contacts = false;
    context.limits = false;
    context.equalities = false;
  }
}

}  // namespace

XmlNode expandIncludes(const XmlNode& root, const FileFinder& files) {
  XmlNode result = root;
  std::vector<std::string> open{*root.file};
  Includer{files}.expand(result, open, *root.file);
  return result;
}

void readCompiler(const XmlNode& root, MjcfContext& context) {
  for (const XmlNode& node : root.children) {
    if (node.name == "compiler") readCompilerElement(node, context.compiler);
  }
}

void readOption(const XmlNode& root, MjcfContext& context) {
  context.robot.dt = 0.002;
  for (const XmlNode& node : root.children) {
    if (node.name != "option") continue;
    context.robot.dt = numberOr(node, "timestep", context.robot.dt);
    if (!(context.robot.dt > 0.0)) failAt(node, "timestep", "no positive number", "a step > 0 [s]");
    context.robot.gravity = vectorOr(node, "gravity", context.robot.gravity);
    for (const XmlNode& flag : node.children) {
      if (flag.name == "flag") readFlag(flag, context);
    }
  }
  if (!context.gravity) context.robot.gravity = Vector3D::Zero();
}

}  // namespace msd_import
