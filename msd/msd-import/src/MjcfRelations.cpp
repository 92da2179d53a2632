#include <fmt/format.h>

#include <algorithm>

#include "msd-import/src/MjcfContext.hpp"
#include "msd-import/src/XmlValues.hpp"
#include "msd-scene/src/JsonText.hpp"

namespace msd_import {

namespace {

/// The place of a site, and the link it belongs to.
struct FoundSite {
  std::size_t link;
  Vector3D position;
};

std::optional<FoundSite> findSite(const RobotModel& robot, std::string_view name) {
  for (const RobotSite& site : robot.worldSites) {
    if (site.name == name) return FoundSite{RobotLink::kWorld, site.pose.position};
  }
  for (std::size_t i = 0; i < robot.links.size(); ++i) {
    for (const RobotSite& site : robot.links[i].sites) {
      if (site.name == name) return FoundSite{i, site.pose.position};
    }
  }
  return std::nullopt;
}

/// False, with a note, for what is switched off.
bool isActive(const XmlNode& node, MjcfContext& context) {
  if (findBool(node, "active").value_or(true)) return true;
  context.notes.add(node, "active", fmt::format("<{}> that is not active", node.name), "left out");
  return false;
}

void addWeld(const XmlNode& node, MjcfContext& context) {
  const bool weld = node.name == "weld";
  if (!node.find("body1")) {
    context.notes.add(node, {}, fmt::format("<{}> between sites", node.name), "left out");
    return;
  }
  RobotWeld result{.name = std::string{node.text("name")},
                   .linkA = requireLink(node, "body1", context),
                   .keepsOrientation = weld,
                   .place = {node.file, node.line}};
  result.linkB = node.find("body2") ? requireLink(node, "body2", context) : RobotLink::kWorld;
  if (!weld && !node.find("anchor")) failAt(node, {}, "no attribute \"anchor\"", "a point [m]");
  result.anchor = vectorOr(node, "anchor", Vector3D::Zero());
  if (const auto pose = findNumbers(node, "relpose", 7)) {
    // A zero quaternion means "as they stand".
    const double turn =
        std::abs((*pose)[3]) + std::abs((*pose)[4]) + std::abs((*pose)[5]) + std::abs((*pose)[6]);
    if (turn > 0.0) {
      context.notes.add(node, "relpose", "<weld> relpose", "the bodies are welded as they stand");
    }
  }
  if (result.linkA == result.linkB) {
    failAt(node, {}, "a body tied to itself", "two bodies, or one and the world");
  }
  context.robot.welds.push_back(std::move(result));
}

void addCoupling(const XmlNode& node, MjcfContext& context) {
  const auto joint = [&](std::string_view attribute) {
    const std::string name = requireText(node, attribute, "the name of a joint");
    const RobotJoint* found = findJoint(context.robot, name);
    if (found == nullptr)
      failAt(node, attribute, inQuotes(name), "the name of a joint of this file");
    if (found->freedoms() != 1) failAt(node, attribute, inQuotes(name), "a hinge or slide");
    return name;
  };
  RobotCoupling coupling{.name = std::string{node.text("name")},
                         .follower = joint("joint1"),
                         .place = {node.file, node.line}};
  if (node.find("joint2")) coupling.leader = joint("joint2");
  std::vector<double> c = readNumbers(node, "polycoef", 5);
  if (c.empty()) c = {0.0, 1.0};
  c.resize(5, 0.0);
  if (c[2] != 0.0 || c[3] != 0.0 || c[4] != 0.0) {
    context.notes.add(node, "polycoef", "<joint> polycoef of second or higher order", "left out");
    return;
  }
  coupling.offset = c[0];
  coupling.ratio = coupling.leader.empty() ? 0.0 : c[1];
  context.robot.couplings.push_back(std::move(coupling));
}

void addFixedTendon(const XmlNode& node, MjcfContext& context) {
  RobotSum sum{.name = std::string{node.text("name")}, .place = {node.file, node.line}};
  for (const XmlNode& term : node.children) {
    if (term.name != "joint") continue;
    const std::string name = requireText(term, "joint", "the name of a joint");
    const RobotJoint* joint = findJoint(context.robot, name);
    if (joint == nullptr) failAt(term, "joint", inQuotes(name), "the name of a joint of this file");
    if (joint->freedoms() != 1) failAt(term, "joint", inQuotes(name), "a hinge or slide");
    sum.terms.push_back({name, requireNumber(term, "coef", "a factor [-]")});
  }
  if (isLimited(node, "limited", "range", context.compiler) && context.limits) {
    context.notes.add(node, "range", "<fixed> tendon with a range", "the sum has no limits");
  }
  context.robot.sums.push_back(std::move(sum));
}

void addSpatialTendon(const XmlNode& node, MjcfContext& context) {
  const auto skip = [&](std::string_view why) {
    context.notes.add(node, {}, "<spatial> tendon", std::string{why});
  };
  const auto range = findNumbers(node, "range", 2);
  if (!isLimited(node, "limited", "range", context.compiler) || !range || !context.limits) {
    return skip("left out: only strings of limited length are carried over");
  }
  const bool plain =
      node.children.size() == 2 &&
      std::ranges::all_of(node.children, [](const XmlNode& c) { return c.name == "site"; });
  if (!plain) return skip("left out: only strings between two sites are carried over");
  std::array<FoundSite, 2> ends{};
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string name = requireText(node.children[i], "site", "the name of a site");
    const auto site = findSite(context.robot, name);
    if (!site) failAt(node.children[i], "site", inQuotes(name), "the name of a site of this file");
    ends[i] = *site;
  }
  if ((*range)[0] > 0.0) {
    context.notes.add(node, "range", "<spatial> lower bound of the length",
                      "only the upper one holds");
  }
  if (ends[1].link == RobotLink::kWorld) std::swap(ends[0], ends[1]);
  if (ends[0].link == ends[1].link || !((*range)[1] > 0.0))
    return skip("left out: it ties nothing");
  context.robot.strings.push_back({.name = std::string{node.text("name")},
                                   .linkA = ends[0].link,
                                   .linkB = ends[1].link,
                                   .pointA = ends[0].position,
                                   .pointB = ends[1].position,
                                   .length = (*range)[1],
                                   .place = {node.file, node.line}});
}

}  // namespace

void readContacts(const XmlNode& root, MjcfContext& context) {
  for (const XmlNode& section : root.children) {
    if (section.name != "contact") continue;
    for (const XmlNode& node : section.children) {
      if (node.name == "exclude") {
        context.robot.excludes.push_back(
            {requireLink(node, "body1", context), requireLink(node, "body2", context)});
      } else if (node.name == "pair") {
        context.notes.add(node, {}, "<pair>",
                          "the two geoms touch by the rules of their own bodies and materials");
      }
    }
  }
}

void readEqualities(const XmlNode& root, MjcfContext& context) {
  for (const XmlNode& section : root.children) {
    if (section.name != "equality" || !context.equalities) continue;
    for (const XmlNode& written : section.children) {
      const XmlNode node = context.defaults.complete(written, {});
      if (!isActive(node, context)) continue;
      if (node.name == "connect" || node.name == "weld") {
        addWeld(node, context);
      } else if (node.name == "joint") {
        addCoupling(node, context);
      } else {
        context.notes.add(node, {}, fmt::format("<equality> of kind <{}>", node.name), "left out");
      }
    }
  }
}

void readTendons(const XmlNode& root, MjcfContext& context) {
  for (const XmlNode& section : root.children) {
    if (section.name != "tendon") continue;
    for (const XmlNode& written : section.children) {
      const XmlNode node = context.defaults.complete(written, {});
      if (node.name == "spatial") {
        addSpatialTendon(node, context);
      } else if (node.name == "fixed") {
        addFixedTendon(node, context);
      }
    }
  }
}

}  // namespace msd_import
