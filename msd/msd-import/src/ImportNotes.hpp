#pragma once

#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "msd-import/src/RobotModel.hpp"
#include "msd-import/src/XmlTree.hpp"

namespace msd_import {

/// Gathers what is not carried over. Notes of one kind (same words, same reason) are counted, not
/// repeated; the first one's place stays.
class NoteList {
 public:
  /// `what` in words without a name, so that equal ones can be counted: "geom solref".
  void add(const XmlNode& node, std::string_view attribute, std::string what, std::string why,
           bool minor = false);
  void add(const Place& place, std::string what, std::string why, bool minor = false);

  [[nodiscard]] std::vector<ImportNote> take() { return std::move(notes_); }

 private:
  std::vector<ImportNote> notes_{};
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> places_{};
};

/// What an attribute of an element becomes.
struct AttributeRule {
  std::string_view element;
  /// Separated by spaces; "*" for all not named elsewhere, "<>" for the element with all it holds.
  std::string_view attributes;
  std::string_view why{};  ///< empty: carried over
  bool minor{false};
};

/// Goes through an element and all below it, and notes every attribute that no rule calls carried
/// over. Elements and attributes no rule knows are noted as unknown.
void noteAttributes(const XmlNode& root, std::span<const AttributeRule> rules, NoteList& notes);

}  // namespace msd_import
