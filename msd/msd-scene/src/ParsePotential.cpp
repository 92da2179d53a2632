#include <fmt/format.h>

#include <algorithm>

#include "msd-scene/src/FieldTable.hpp"
#include "msd-scene/src/JsonValues.hpp"
#include "msd-scene/src/ParseScene.hpp"

namespace msd_scene {

namespace {

using R = JsonReader;
using P = ScenePotential;

void readBodies(JsonReader& reader, P& potential) {
  reader.readArray("an array of names of bodies", [&](std::size_t) {
    potential.bodies.push_back(readName(reader, "the name of a body"));
  });
}

constexpr std::array<Field<P>, 10> kFields{{
    {"type",
     [](R& r, P& p) { p.kind = static_cast<PotentialKind>(readChoice(r, kPotentialTypes)); },
     "the kind of potential"},
    {"bodies", readBodies},
    {"force", [](R& r, P& p) { p.force = readVector3(r, "[N]"); }},
    {"point", [](R& r, P& p) { p.point = readVector3(r, "[m]"); }},
    {"centre", [](R& r, P& p) { p.centre = readVector3(r, "[m]"); }},
    {"strength", [](R& r, P& p) { p.strength = readNumber(r, "[m³/s²]"); }},
    {"radius", [](R& r, P& p) { p.radius = readNumber(r, "[m]"); }},
    {"anchor", [](R& r, P& p) { p.anchor = readVector3(r, "[m]"); }},
    {"stiffness", [](R& r, P& p) { p.stiffness = readNumber(r, "[N/m]"); }},
    {"length", [](R& r, P& p) { p.length = readNumber(r, "[m]"); }},
}};

/// Fields that a kind must have, and those it may have beside type and bodies.
struct KindRule {
  std::vector<std::string_view> required;
  std::vector<std::string_view> optional;
};

const std::array<KindRule, kPotentialTypes.size()>& kindRules() {
  static const std::array<KindRule, kPotentialTypes.size()> kTable{{
      {{"force"}, {"point"}},
      {{"centre", "strength", "radius"}, {}},
      {{"anchor", "stiffness"}, {"point", "length"}},
  }};
  return kTable;
}

bool has(FieldSet seen, std::string_view name) {
  const auto field = std::ranges::find(kFields, name, &Field<P>::name);
  return (seen >> (field - kFields.begin()) & 1u) != 0;
}

}  // namespace

ScenePotential parsePotential(JsonReader& reader) {
  const std::size_t start = reader.offset();
  ScenePotential potential;
  const FieldSet seen = readFields(reader, "a potential", kFields, potential);
  const auto index = static_cast<std::size_t>(potential.kind);
  const KindRule& rule = kindRules()[index];
  for (const std::string_view name : rule.required) {
    if (has(seen, name)) continue;
    reader.failAt(start, reader.path(), fmt::format("no field {}", jsonString(name)),
                  fmt::format("it in a potential of type {}", kPotentialTypes[index]));
  }
  for (std::size_t i = 2; i < kFields.size(); ++i) {
    const std::string_view name = kFields[i].name;
    const auto in = [&](const auto& list) { return std::ranges::find(list, name) != list.end(); };
    if (!has(seen, name) || in(rule.required) || in(rule.optional)) continue;
    reader.failAt(reader.path() / name, fmt::format("the field {}", jsonString(name)),
                  fmt::format("no such field in a potential of type {}", kPotentialTypes[index]));
  }
  return potential;
}

std::vector<FieldGroup> potentialFields() {
  return {{"a potential", fieldNames(kFields)}};
}

}  // namespace msd_scene
