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

constexpr std::array<Field<P>, 10> kPotentialFields{{
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

const std::array<KindRule, kPotentialTypes.size()>& potentialRules() {
  static const std::array<KindRule, kPotentialTypes.size()> kTable{{
      {{"force"}, {"point"}},
      {{"centre", "strength", "radius"}, {}},
      {{"anchor", "stiffness"}, {"point", "length"}},
  }};
  return kTable;
}

}  // namespace

ScenePotential parsePotential(JsonReader& reader) {
  const std::size_t start = reader.offset();
  ScenePotential potential;
  const FieldSet seen = readFields(reader, "a potential", kPotentialFields, potential);
  const auto index = static_cast<std::size_t>(potential.kind);
  const KindRule& rule = potentialRules()[index];
  for (const std::string_view name : rule.required) {
    if (wasGiven(kPotentialFields, seen, name)) continue;
    reader.failAt(start, reader.path(), fmt::format("no field {}", jsonString(name)),
                  fmt::format("it in a potential of type {}", kPotentialTypes[index]));
  }
  for (std::size_t i = 2; i < kPotentialFields.size(); ++i) {
    const std::string_view name = kPotentialFields[i].name;
    const auto in = [&](const auto& list) { return std::ranges::find(list, name) != list.end(); };
    if (!wasGiven(kPotentialFields, seen, name) || in(rule.required) || in(rule.optional)) continue;
    reader.failAt(reader.path() / name, fmt::format("the field {}", jsonString(name)),
                  fmt::format("no such field in a potential of type {}", kPotentialTypes[index]));
  }
  return potential;
}

std::vector<FieldGroup> potentialFields() {
  return {{"a potential", fieldNames(kPotentialFields)}};
}

}  // namespace msd_scene
