#include "msd-import/src/MjcfDefaults.hpp"

#include <algorithm>
#include <array>

#include "msd-scene/src/JsonText.hpp"

namespace msd_import {

namespace {

constexpr auto kOrientations =
    std::to_array<std::string_view>({"quat", "axisangle", "euler", "xyaxes", "zaxis"});
/// Lists of which a shorter one replaces the first numbers only.
constexpr auto kLists = std::to_array<std::string_view>(
    {"size", "friction", "gear", "gainprm", "biasprm", "dynprm", "polycoef"});
/// All of these describe one thing, an actuator, and share its defaults.
constexpr auto kActuators =
    std::to_array<std::string_view>({"general", "motor", "position", "velocity", "intvelocity",
                                     "damper", "cylinder", "muscle", "adhesion"});

template <class List>
bool contains(const List& list, std::string_view name) {
  return std::ranges::find(list, name) != list.end();
}

std::string_view kindOf(std::string_view element) {
  return contains(kActuators, element) ? std::string_view{"general"} : element;
}

/// The words of `over`, followed by those of `under` it has no counterpart for.
std::string overlaid(std::string_view under, std::string_view over) {
  const auto next = [](std::string_view& rest) {
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r\n"), rest.size()));
    const std::size_t end = std::min(rest.find_first_of(" \t\r\n"), rest.size());
    const std::string_view word = rest.substr(0, end);
    rest.remove_prefix(end);
    return word;
  };
  std::string result{over};
  for (;;) {
    const bool replaced = !next(over).empty();
    const std::string_view word = next(under);
    if (word.empty()) return result;
    if (!replaced) result.append(1, ' ').append(word);
  }
}

/// `own` on top of `base`.
XmlNode merged(const XmlNode& base, const XmlNode& own) {
  XmlNode result = own;
  const bool turns = std::ranges::any_of(
      own.attributes, [](const XmlAttribute& a) { return contains(kOrientations, a.name); });
  for (const XmlAttribute& inherited : base.attributes) {
    if (turns && contains(kOrientations, inherited.name)) continue;
    const auto known = std::ranges::find(result.attributes, inherited.name, &XmlAttribute::name);
    if (known == result.attributes.end()) {
      result.attributes.push_back(inherited);
    } else if (contains(kLists, inherited.name)) {
      known->value = overlaid(inherited.value, known->value);
    }
  }
  return result;
}

}  // namespace

void MjcfDefaults::read(const XmlNode& root) {
  for (const XmlNode& node : root.children) {
    if (node.name == "default") {
      const auto main = classes_.find("main");
      readClass(node, "main", main == classes_.end() ? Elements{} : Elements{main->second});
    }
  }
}

void MjcfDefaults::readClass(const XmlNode& node, const std::string& name,
                             const Elements& inherited) {
  Elements own = inherited;
  for (const XmlNode& child : node.children) {
    if (child.name == "default") continue;
    const std::string kind{kindOf(child.name)};
    const auto known = own.find(kind);
    XmlNode bare = child;
    bare.children.clear();
    if (known == own.end()) {
      own.emplace(kind, std::move(bare));
    } else {
      known->second = merged(known->second, bare);
    }
  }
  const std::string_view written = node.text("class");
  const std::string className = written.empty() ? name : std::string{written};
  classes_[className] = own;
  for (const XmlNode& child : node.children) {
    if (child.name != "default") continue;
    if (child.text("class").empty()) {
      failAt(child, {}, "a default inside another without \"class\"", "the name of the class");
    }
    readClass(child, std::string{child.text("class")}, own);
  }
}

XmlNode MjcfDefaults::complete(const XmlNode& node, std::string_view childClass) const {
  const std::string_view written = node.text("class");
  const std::string_view name = !written.empty()      ? written
                                : !childClass.empty() ? childClass
                                                      : std::string_view{"main"};
  const auto elements = classes_.find(name);
  if (elements == classes_.end()) {
    if (name == "main") return node;
    failAt(node, written.empty() ? std::string_view{} : std::string_view{"class"},
           "the class " + msd_scene::shortened(msd_scene::jsonString(name)),
           "the class of a <default> of this file");
  }
  const auto base = elements->second.find(kindOf(node.name));
  return base == elements->second.end() ? node : merged(base->second, node);
}

}  // namespace msd_import
