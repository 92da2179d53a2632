#pragma once

#include <map>
#include <string>
#include <string_view>

#include "msd-import/src/XmlTree.hpp"

namespace msd_import {

/// The classes of `<default>`: what an element has where it says nothing itself. A class has all
/// that the class around it has.
class MjcfDefaults {
 public:
  /// Reads all `<default>` sections of a file.
  void read(const XmlNode& root);

  /// The element with what its class (its own `class`, or else `childClass`) adds. An unknown class
  /// is an error.
  [[nodiscard]] XmlNode complete(const XmlNode& node, std::string_view childClass) const;

 private:
  using Elements = std::map<std::string, XmlNode, std::less<>>;
  void readClass(const XmlNode& node, const std::string& name, const Elements& inherited);
  std::map<std::string, Elements, std::less<>> classes_{};
};

}  // namespace msd_import
