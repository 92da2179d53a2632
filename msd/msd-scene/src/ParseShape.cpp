#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "msd-scene/src/FieldTable.hpp"
#include "msd-scene/src/JsonValues.hpp"
#include "msd-scene/src/ParseScene.hpp"

namespace msd_scene {

namespace {

using R = JsonReader;

/// A shape before its type is known: fields may come in any order, so `type` may come last.
struct RawShape {
  std::size_t type{0};
  double radius{0.0};
  Vector3D halfExtents{0.0, 0.0, 0.0};
  double halfHeight{0.0};
  std::string file{};
  Vector3D scale{1.0, 1.0, 1.0};
  std::vector<Coordinate> vertices{};
  std::vector<std::array<std::uint32_t, 3>> triangles{};
  PlaneShape plane{};
  HeightFieldShape field{};
  std::vector<SceneCompoundPart> parts{};
};

using S = RawShape;

std::array<double, 2> readCellSize(JsonReader& reader) {
  if (reader.peek() == JsonKind::kNumber) {
    const double size = readNumber(reader, "[m]");
    return {size, size};
  }
  const std::size_t start = reader.offset();
  std::array<double, 2> size{};
  const std::size_t count =
      reader.readArray("a number or an array of 2 finite numbers [m]", [&](std::size_t i) {
        const double value = readNumber(reader, "[m]");
        if (i < 2) size[i] = value;
      });
  if (count != 2) {
    reader.failAt(start, reader.path(), fmt::format("an array of {}", count),
                  "a number or an array of 2 finite numbers [m]");
  }
  return size;
}

std::vector<double> readHeights(JsonReader& reader) {
  std::vector<double> heights;
  reader.readArray("an array of heights [m]",
                   [&](std::size_t) { heights.push_back(readNumber(reader, "[m]")); });
  return heights;
}

constexpr std::array<Field<SceneCompoundPart>, 3> kPartFields{{
    {"shape", [](R& r, SceneCompoundPart& p) { p.shape = readName(r, "the name of a shape"); },
     "the name of a shape"},
    {"position", [](R& r, SceneCompoundPart& p) { p.position = readVector3(r, "[m]"); }},
    {"orientation", [](R& r, SceneCompoundPart& p) { p.orientation = readRotation(r); }},
}};

std::vector<SceneCompoundPart> readParts(JsonReader& reader) {
  std::vector<SceneCompoundPart> parts;
  reader.readArray("an array of parts", [&](std::size_t) {
    readFields(reader, "a part of a compound", kPartFields, parts.emplace_back());
  });
  return parts;
}

std::uint32_t readCount(JsonReader& reader) {
  return static_cast<std::uint32_t>(readWhole(reader, 2, 1'000'000));
}

/// One factor for all directions, or three.
Vector3D readScale(JsonReader& reader) {
  if (reader.peek() == JsonKind::kNumber) return Vector3D::Constant(readNumber(reader, "[-]"));
  return readVector3(reader, "[-]");
}

constexpr std::array<Field<S>, 15> kShapeFields{{
    {"type", [](R& r, S& s) { s.type = readChoice(r, kShapeTypes); }, "the kind of shape"},
    {"radius", [](R& r, S& s) { s.radius = readNumber(r, "[m]"); }},
    {"halfExtents", [](R& r, S& s) { s.halfExtents = readVector3(r, "[m]"); }},
    {"halfHeight", [](R& r, S& s) { s.halfHeight = readNumber(r, "[m]"); }},
    {"file", [](R& r, S& s) { s.file = readName(r, "the name of a mesh file"); }},
    {"scale", [](R& r, S& s) { s.scale = readScale(r); }},
    {"vertices", [](R& r, S& s) { s.vertices = readPoints(r); }},
    {"triangles", [](R& r, S& s) { s.triangles = readTriangles(r); }},
    {"normal", [](R& r, S& s) { s.plane.normal = readVector3(r, "(a unit vector)"); }},
    {"offset", [](R& r, S& s) { s.plane.offset = readNumber(r, "[m]"); }},
    {"columns", [](R& r, S& s) { s.field.columns = readCount(r); }},
    {"rows", [](R& r, S& s) { s.field.rows = readCount(r); }},
    {"cellSize", [](R& r, S& s) { s.field.cellSize = readCellSize(r); }},
    {"heights", [](R& r, S& s) { s.field.heights = readHeights(r); }},
    {"parts", [](R& r, S& s) { s.parts = readParts(r); }},
}};

/// In the order of kShapeTypes. A hull or mesh needs either `file` or the lists.
const std::array<KindRule, kShapeTypes.size()>& shapeRules() {
  static const std::array<KindRule, kShapeTypes.size()> kTable{{
      {{"radius"}, {}},
      {{"halfExtents"}, {}},
      {{"radius", "halfHeight"}, {}},
      {{"radius", "halfHeight"}, {}},
      {{}, {"file", "scale", "vertices"}},
      {{}, {"file", "scale", "vertices", "triangles"}},
      {{}, {"normal", "offset"}},
      {{"columns", "rows", "cellSize", "heights"}, {}},
      {{"parts"}, {}},
  }};
  return kTable;
}

void checkTypeFields(JsonReader& reader, std::size_t start, std::size_t type, FieldSet seen) {
  const KindRule& rule = shapeRules()[type];
  const JsonPath path = reader.path();
  for (const std::string_view name : rule.required) {
    if (wasGiven(kShapeFields, seen, name)) continue;
    reader.failAt(start, path, fmt::format("no field {}", jsonString(name)),
                  fmt::format("it in a shape of type {}", kShapeTypes[type]));
  }
  std::vector<std::string_view> allowed{"type"};
  allowed.insert(allowed.end(), rule.required.begin(), rule.required.end());
  allowed.insert(allowed.end(), rule.optional.begin(), rule.optional.end());
  for (const Field<S>& field : kShapeFields) {
    if (!wasGiven(kShapeFields, seen, field.name) ||
        std::ranges::find(allowed, field.name) != allowed.end())
      continue;
    reader.failAt(
        path / field.name, fmt::format("the field {}", jsonString(field.name)),
        fmt::format("only {} in a shape of type {}", fmt::join(allowed, ", "), kShapeTypes[type]));
  }
  if (rule.optional.empty() || rule.optional.front() != "file") return;
  for (const std::string_view list : rule.optional) {
    if (list == "scale") {
      if (!wasGiven(kShapeFields, seen, list) || wasGiven(kShapeFields, seen, "file")) continue;
      reader.failAt(path / list, "\"scale\" without \"file\"",
                    "vertices as they are meant: a scale is for files");
    }
    if (list == "file" ||
        wasGiven(kShapeFields, seen, list) != wasGiven(kShapeFields, seen, "file"))
      continue;
    reader.failAt(start, path,
                  wasGiven(kShapeFields, seen, "file")
                      ? fmt::format("both \"file\" and {}", jsonString(list))
                      : fmt::format("neither \"file\" nor {}", jsonString(list)),
                  wasGiven(kShapeFields, seen, "file") ? "one of the two"
                                                       : "a mesh file or the lists themselves");
  }
}

}  // namespace

SceneShape::Variant parseShape(JsonReader& reader) {
  const std::size_t start = reader.offset();
  RawShape raw;
  const FieldSet seen = readFields(reader, "a shape", kShapeFields, raw);
  checkTypeFields(reader, start, raw.type, seen);
  switch (raw.type) {
    case 0:
      return SphereShape{raw.radius};
    case 1:
      return BoxShape{raw.halfExtents};
    case 2:
      return CapsuleShape{raw.radius, raw.halfHeight};
    case 3:
      return CylinderShape{raw.radius, raw.halfHeight};
    case 4:
      return HullShape{std::move(raw.file), raw.scale, std::move(raw.vertices)};
    case 5:
      return MeshShape{std::move(raw.file), raw.scale, std::move(raw.vertices),
                       std::move(raw.triangles)};
    case 6:
      return raw.plane;
    case 7:
      return std::move(raw.field);
    default:
      return CompoundShape{std::move(raw.parts)};
  }
}

std::vector<FieldGroup> shapeFields() {
  return {{"a shape", fieldNames(kShapeFields)}, {"a part of a compound", fieldNames(kPartFields)}};
}

}  // namespace msd_scene
