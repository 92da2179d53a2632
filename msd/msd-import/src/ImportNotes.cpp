#include "msd-import/src/ImportNotes.hpp"

#include <fmt/format.h>

#include <unordered_map>
#include <utility>

namespace msd_import {

namespace {

/// Stands among a rule's attributes for the element with all it holds.
constexpr std::string_view kWholeElement{"<>"};

/// The rules of each element, by attribute.
class RuleTable {
 public:
  explicit RuleTable(std::span<const AttributeRule> rules) {
    for (const AttributeRule& rule : rules) {
      std::string_view rest = rule.attributes;
      auto& own = elements_[rule.element];
      while (!rest.empty()) {
        const std::size_t end = std::min(rest.find(' '), rest.size());
        if (end > 0) own[rest.substr(0, end)] = &rule;
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
    }
  }

  [[nodiscard]] bool knows(std::string_view element) const { return elements_.contains(element); }

  [[nodiscard]] const AttributeRule* find(std::string_view element,
                                          std::string_view attribute) const {
    const auto own = elements_.find(element);
    if (own == elements_.end()) return nullptr;
    auto rule = own->second.find(attribute);
    if (rule == own->second.end() && attribute != kWholeElement) rule = own->second.find("*");
    return rule == own->second.end() ? nullptr : rule->second;
  }

 private:
  std::unordered_map<std::string_view, std::unordered_map<std::string_view, const AttributeRule*>>
      elements_;
};

void walk(const XmlNode& node, const RuleTable& table, NoteList& notes) {
  if (!table.knows(node.name)) {
    notes.add(node, {}, fmt::format("<{}>", node.name), "an element that is not known; left out");
    return;
  }
  // A rule for the element as a whole: everything below it shares its fate.
  if (const AttributeRule* whole = table.find(node.name, kWholeElement)) {
    notes.add(node, {}, fmt::format("<{}>", node.name), std::string{whole->why}, whole->minor);
    return;
  }
  for (const XmlAttribute& a : node.attributes) {
    const AttributeRule* rule = table.find(node.name, a.name);
    if (rule != nullptr && rule->why.empty()) continue;
    notes.add(node, a.name, fmt::format("<{}> {}", node.name, a.name),
              rule != nullptr ? std::string{rule->why} : "an attribute that is not known; left out",
              rule != nullptr && rule->minor);
  }
  for (const XmlNode& child : node.children) walk(child, table, notes);
}

}  // namespace

void NoteList::add(const XmlNode& node, std::string_view attribute, std::string what,
                   std::string why, bool minor) {
  const XmlAttribute* a = attribute.empty() ? nullptr : node.find(attribute);
  add(Place{node.file, a != nullptr ? a->line : node.line}, std::move(what), std::move(why), minor);
}

void NoteList::add(const Place& place, std::string what, std::string why, bool minor) {
  const auto [known, isNew] =
      places_.try_emplace({place.file ? *place.file : std::string{}, what, why}, notes_.size());
  if (!isNew) {
    ++notes_[known->second].count;
    return;
  }
  notes_.push_back({place, std::move(what), std::move(why), minor});
}

std::string describe(const ImportNote& note) {
  std::string text = note.place.file ? *note.place.file : std::string{};
  if (note.place.line > 0)
    text += fmt::format("{}{}", text.empty() ? "line " : ":", note.place.line);
  if (!text.empty()) text += ": ";
  text += note.what;
  if (note.count > 1) text += fmt::format(" ({} times)", note.count);
  return fmt::format("{}: {}", text, note.why);
}

void noteAttributes(const XmlNode& root, std::span<const AttributeRule> rules, NoteList& notes) {
  walk(root, RuleTable{rules}, notes);
}

}  // namespace msd_import
