#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "msd-scene/src/SceneError.hpp"

namespace msd_import {

/// An attribute of an element, and where it stands.
struct XmlAttribute {
  std::string name{};
  std::string value{};
  int line{0};
};

/// An element of a robot file. Text between elements is not kept: neither format uses it.
struct XmlNode {
  std::string name{};
  std::shared_ptr<const std::string> file{};  ///< the file's name, for messages
  int line{0};
  std::vector<XmlAttribute> attributes{};
  std::vector<XmlNode> children{};

  [[nodiscard]] const XmlAttribute* find(std::string_view attribute) const;
  /// The first child of this name, or null.
  [[nodiscard]] const XmlNode* child(std::string_view childName) const;
  /// The attribute's value, or an empty string.
  [[nodiscard]] std::string_view text(std::string_view attribute) const;
};

/// What a robot file may hold; what is larger is refused.
struct XmlLimits {
  static constexpr std::size_t kFileBytes = 64u << 20;
  static constexpr std::size_t kElements = 1'000'000;  ///< of one file with all it includes
  static constexpr std::size_t kDepth = 200;
  static constexpr std::size_t kNameBytes = 240;
};

/// The root element of a text. Throws msd_scene::SceneError with file and line for what is not
/// well-formed XML, for an attribute given twice, and for a document type (whose entities could be
/// used to blow a small file up).
[[nodiscard]] XmlNode parseXml(std::string_view text, std::string_view file);

/// Something is wrong with an element or one of its attributes.
[[noreturn]] void failAt(const XmlNode& node, std::string_view attribute, std::string found,
                         std::string expected);

/// A name as messages write it: quoted, and cut where it is long.
[[nodiscard]] std::string inQuotes(std::string_view text);

/// `geom "floor"`: the element in words.
[[nodiscard]] std::string describe(const XmlNode& node);

}  // namespace msd_import
