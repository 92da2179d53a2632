#include "msd-import/src/XmlTree.hpp"

#include <fmt/format.h>
#include <tinyxml2.h>

#include <algorithm>
#include <utility>

#include "msd-scene/src/JsonText.hpp"

namespace msd_import {

namespace {

using msd_scene::SceneError;
using Source = std::shared_ptr<const std::string>;

[[noreturn]] void failLine(const Source& file, int line, std::string found, std::string expected) {
  throw SceneError{{.source = *file,
                    .position = {static_cast<std::size_t>(std::max(line, 0)), 0},
                    .found = std::move(found),
                    .expected = std::move(expected)}};
}

/// Copies tinyxml2's tree, whose depth it bounds itself, into ours.
class TreeBuilder {
 public:
  explicit TreeBuilder(Source file) : file_{std::move(file)} {}

  XmlNode build(const tinyxml2::XMLElement& element, std::size_t depth) {
    if (++count_ > XmlLimits::kElements || depth > XmlLimits::kDepth) {
      failLine(file_, element.GetLineNum(),
               depth > XmlLimits::kDepth ? "elements nested too deep" : "too many elements",
               fmt::format("at most {} levels and {} elements", XmlLimits::kDepth,
                           XmlLimits::kElements));
    }
    XmlNode node{.name = element.Name(), .file = file_, .line = element.GetLineNum()};
    for (const auto* a = element.FirstAttribute(); a != nullptr; a = a->Next()) {
      if (node.find(a->Name()) != nullptr) {
        failLine(file_, a->GetLineNum(),
                 fmt::format("the attribute \"{}\" of <{}> a second time", a->Name(), node.name),
                 "each attribute once");
      }
      node.attributes.push_back({a->Name(), textOf(*a, node), a->GetLineNum()});
    }
    for (const auto* c = element.FirstChild(); c != nullptr; c = c->NextSibling()) {
      if (c->ToUnknown() != nullptr) refuseUnknown(*c);
      if (const auto* child = c->ToElement()) node.children.push_back(build(*child, depth + 1));
    }
    return node;
  }

  /// The value as XML has it: white space is a space, and other control characters do not occur. A
  /// name leaves room for what is put behind it.
  [[nodiscard]] std::string textOf(const tinyxml2::XMLAttribute& a, const XmlNode& node) const {
    std::string text{a.Value()};
    const std::string_view attribute{a.Name()};
    if ((attribute == "name" || attribute == "model") && text.size() > XmlLimits::kNameBytes) {
      failLine(file_, a.GetLineNum(), fmt::format("a name of {} bytes", text.size()),
               fmt::format("at most {} bytes", XmlLimits::kNameBytes));
    }
    for (char& c : text) {
      if (c == '\t' || c == '\n' || c == '\r') c = ' ';
      if (static_cast<unsigned char>(c) >= 0x20) continue;
      failLine(
          file_, a.GetLineNum(),
          fmt::format("a control character in the attribute \"{}\" of <{}>", a.Name(), node.name),
          "text: XML has no control characters but tabs and ends of lines");
    }
    return text;
  }

  /// A document type by its name alone declares nothing; anything else might.
  void refuseUnknown(const tinyxml2::XMLNode& node) const {
    const std::string_view text{node.Value() == nullptr ? "" : node.Value()};
    if (text.starts_with("DOCTYPE ") && text.find_first_of("[<&\"'") == std::string_view::npos)
      return;
    failLine(file_, node.GetLineNum(), "a document type or entity declaration",
             "plain XML: declarations are not followed");
  }

 private:
  Source file_;
  std::size_t count_{0};
};

}  // namespace

const XmlAttribute* XmlNode::find(std::string_view attribute) const {
  const auto found = std::ranges::find(attributes, attribute, &XmlAttribute::name);
  return found == attributes.end() ? nullptr : &*found;
}

const XmlNode* XmlNode::child(std::string_view childName) const {
  const auto found = std::ranges::find(children, childName, &XmlNode::name);
  return found == children.end() ? nullptr : &*found;
}

std::string_view XmlNode::text(std::string_view attribute) const {
  const XmlAttribute* found = find(attribute);
  return found == nullptr ? std::string_view{} : std::string_view{found->value};
}

XmlNode parseXml(std::string_view text, std::string_view file) {
  const auto source = std::make_shared<const std::string>(file);
  if (text.size() > XmlLimits::kFileBytes) {
    failLine(source, 0, fmt::format("{} bytes", text.size()),
             fmt::format("at most {} bytes", XmlLimits::kFileBytes));
  }
  if (const std::size_t end = msd_scene::validUtf8Length(text); end != text.size()) {
    failLine(source, 1 + static_cast<int>(std::ranges::count(text.substr(0, end), '\n')),
             "bytes that are not valid UTF-8", "UTF-8");
  }
  tinyxml2::XMLDocument document;
  document.Parse(text.data(), text.size());
  TreeBuilder builder{source};
  for (const auto* n = document.FirstChild(); n != nullptr; n = n->NextSibling()) {
    if (n->ToUnknown() != nullptr) builder.refuseUnknown(*n);
  }
  if (document.Error()) {
    std::string reason = document.ErrorName();
    if (reason.starts_with("XML_")) reason.erase(0, 4);
    std::ranges::replace(reason, '_', ' ');
    std::ranges::transform(reason, reason.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
    failLine(source, document.ErrorLineNum(), "text that is not well-formed XML",
             fmt::format("XML ({})", reason));
  }
  const tinyxml2::XMLElement* root = document.RootElement();
  if (root == nullptr) failLine(source, 1, "no element", "<robot> or <mujoco>");
  return builder.build(*root, 1);
}

std::string inQuotes(std::string_view text) {
  return msd_scene::shortened(msd_scene::jsonString(text));
}

std::string describe(const XmlNode& node) {
  const std::string_view name = node.text("name");
  return name.empty()
             ? fmt::format("<{}>", node.name)
             : fmt::format("<{}> {}", node.name, msd_scene::shortened(msd_scene::jsonString(name)));
}

void failAt(const XmlNode& node, std::string_view attribute, std::string found,
            std::string expected) {
  msd_scene::JsonPath path = msd_scene::JsonPath{} / node.name;
  if (!node.text("name").empty()) path = path / node.text("name");
  int line = node.line;
  if (!attribute.empty()) {
    path = path / attribute;
    if (const XmlAttribute* a = node.find(attribute)) line = a->line;
  }
  throw SceneError{{.source = node.file ? *node.file : std::string{},
                    .position = {static_cast<std::size_t>(std::max(line, 0)), 0},
                    .path = path,
                    .found = std::move(found),
                    .expected = std::move(expected)}};
}

}  // namespace msd_import
