#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>

#include "msd-scene/src/JsonText.hpp"
#include "msd-scene/src/Limits.hpp"
#include "msd-scene/src/SceneValidator.hpp"

namespace msd_scene {

namespace {

constexpr Range kLength{0.0, Limits::kMaxSize, "[m]", true};

}  // namespace

void SceneValidator::checkShapes() {
  for (std::size_t i = 1; i < document_.shapes.size(); ++i) {
    const std::string& name = document_.shapes[i].name;
    if (shapes_.find(name) != i) {
      issues_.error(JsonPath{} / "shapes" / name, "the name a second time", "each name once");
    }
  }
  // Compounds are made of shapes that may stand after them, so they come last.
  result_.shapes.assign(document_.shapes.size(), msd_assets::Sphere{1.0});
  for (const bool compounds : {false, true}) {
    for (std::size_t i = 0; i < document_.shapes.size(); ++i) {
      const auto& geometry = document_.shapes[i].geometry;
      if (std::holds_alternative<CompoundShape>(geometry) == compounds) checkShape(i);
    }
  }
}

void SceneValidator::checkShape(std::size_t i) {
  if (known_ != nullptr && !known_->changed[i]) {
    result_.shapes[i] = known_->shapes[i];
    shape_is_good_[i] = true;
    return;
  }
  const SceneShape& shape = document_.shapes[i];
  const JsonPath path = JsonPath{} / "shapes" / shape.name;
  const std::size_t issuesBefore = result_.issues.size();
  std::visit([&](const auto& geometry) { checkGeometry(path, geometry); }, shape.geometry);
  if (result_.issues.size() != issuesBefore) return;
  try {
    const auto* compound = std::get_if<CompoundShape>(&shape.geometry);
    result_.shapes[i] =
        compound ? makeCompound(*compound, shapes_, result_.shapes) : makeShape(shape);
  } catch (const std::exception& reason) {
    issues_.error(path, fmt::format("numbers that make no {} ({})", typeName(shape), reason.what()),
                  fmt::format("a {} that can be built", typeName(shape)));
    return;
  }
  shape_is_good_[i] = true;
  checkSize(i);
  checkSurface(i);
}

void SceneValidator::checkGeometry(const JsonPath& path, const SphereShape& shape) {
  issues_.demand(shape.radius, kLength, [&] { return path / "radius"; });
}

void SceneValidator::checkGeometry(const JsonPath& path, const BoxShape& shape) {
  for (int axis = 0; axis < 3; ++axis) {
    issues_.demand(shape.halfExtents[axis], kLength,
                   [&] { return path / "halfExtents" / static_cast<std::size_t>(axis); });
  }
}

void SceneValidator::checkGeometry(const JsonPath& path, const CapsuleShape& shape) {
  issues_.demand(shape.radius, kLength, [&] { return path / "radius"; });
  issues_.demand(shape.halfHeight, kLength, [&] { return path / "halfHeight"; });
}

void SceneValidator::checkGeometry(const JsonPath& path, const CylinderShape& shape) {
  issues_.demand(shape.radius, kLength, [&] { return path / "radius"; });
  issues_.demand(shape.halfHeight, kLength, [&] { return path / "halfHeight"; });
}

void SceneValidator::checkPoints(const JsonPath& path, const std::vector<Coordinate>& points) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!issues_.demandVector(points[i], Limits::kMaxSize, "[m]", [&] { return path / i; })) return;
  }
}

void SceneValidator::checkScale(const JsonPath& path, const Vector3D& scale) {
  for (int i = 0; i < 3; ++i) {
    issues_.demand(std::abs(scale[i]),
                   {1.0 / Limits::kMaxSize, Limits::kMaxSize, "(or its negative)"},
                   [&] { return path / "scale"; });
  }
}

void SceneValidator::checkGeometry(const JsonPath& path, const HullShape& shape) {
  checkScale(path, shape.scale);
  if (shape.vertices.size() < 4) {
    issues_.error(shape.file.empty() ? path / "vertices" : path / "file",
                  fmt::format("{} points", shape.vertices.size()),
                  "at least 4 points that do not lie in one plane");
    return;
  }
  checkPoints(path / "vertices", shape.vertices);
}

void SceneValidator::checkGeometry(const JsonPath& path, const MeshShape& shape) {
  checkScale(path, shape.scale);
  checkPoints(path / "vertices", shape.vertices);
  if (shape.triangles.empty() || shape.triangles.size() > Limits::kTriangles) {
    issues_.error(path / "triangles", fmt::format("{} triangles", shape.triangles.size()),
                  fmt::format("1 to {}", Limits::kTriangles));
  }
  for (std::size_t i = 0; i < shape.triangles.size(); ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      if (shape.triangles[i][k] < shape.vertices.size()) continue;
      issues_.error(path / "triangles" / i / k, fmt::format("{}", shape.triangles[i][k]),
                    fmt::format("the number of a vertex, less than {}", shape.vertices.size()));
      return;
    }
  }
}

void SceneValidator::checkGeometry(const JsonPath& path, const PlaneShape& shape) {
  issues_.demandUnit(shape.normal.squaredNorm(), [&] { return path / "normal"; });
  issues_.demand(shape.offset, {-Limits::kMaxPosition, Limits::kMaxPosition, "[m]"},
                 [&] { return path / "offset"; });
}

void SceneValidator::checkGeometry(const JsonPath& path, const HeightFieldShape& shape) {
  for (std::size_t axis = 0; axis < 2; ++axis) {
    issues_.demand(shape.cellSize[axis], kLength, [&] { return path / "cellSize"; });
  }
  const std::size_t samples = std::size_t{shape.columns} * shape.rows;
  if (shape.columns < 2 || shape.rows < 2) {
    issues_.error(path, fmt::format("{} x {} samples", shape.columns, shape.rows),
                  "at least 2 x 2");
  } else if (shape.heights.size() != samples) {
    issues_.error(path / "heights", fmt::format("{} heights", shape.heights.size()),
                  fmt::format("columns x rows = {}", samples));
  }
  for (std::size_t i = 0; i < shape.heights.size(); ++i) {
    if (!issues_.demand(shape.heights[i], {-Limits::kMaxSize, Limits::kMaxSize, "[m]"},
                        [&] { return path / "heights" / i; })) {
      return;
    }
  }
}

void SceneValidator::checkGeometry(const JsonPath& path, const CompoundShape& shape) {
  if (shape.parts.empty()) issues_.error(path / "parts", "no parts", "at least one");
  for (std::size_t i = 0; i < shape.parts.size(); ++i) {
    const SceneCompoundPart& part = shape.parts[i];
    const JsonPath partPath = path / "parts" / i;
    issues_.demandVector(part.position, Limits::kMaxSize, "[m]",
                         [&] { return partPath / "position"; });
    const WrittenRotation& q = part.orientation;
    issues_.demandUnit(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3],
                       [&] { return partPath / "orientation"; });
    const std::size_t place = shapes_.find(part.shape);
    if (place == NameTable::npos) {
      missing(partPath / "shape", part.shape, shapes_, "a shape");
      continue;
    }
    const bool isCompound = std::holds_alternative<CompoundShape>(document_.shapes[place].geometry);
    if (isCompound || (shape_is_good_[place] && !result_.shapes[place].isConvex())) {
      issues_.error(partPath / "shape",
                    fmt::format("{}, a {}", shortened(jsonString(part.shape)),
                                typeName(document_.shapes[place])),
                    "a sphere, box, capsule, cylinder or hull");
    } else if (!shape_is_good_[place]) {
      issues_.error(partPath / "shape", shortened(jsonString(part.shape)),
                    "a shape without errors");
    }
  }
}

void SceneValidator::checkSize(std::size_t i) {
  if (result_.shapes[i].kind() == msd_assets::ShapeKind::kPlane) return;
  const Vector3D extents = msd_assets::localBounds(result_.shapes[i]).sizes();
  const double size = extents.maxCoeff();
  const JsonPath path = JsonPath{} / "shapes" / document_.shapes[i].name;
  const auto found = [&] { return fmt::format("a size of {} m", size); };
  // A box may be twice the largest half extent.
  if (!(size >= Limits::kMinSize && size <= 2.0 * Limits::kMaxSize)) {
    issues_.error(path, found(),
                  fmt::format("{} to {} m", Limits::kMinSize, 2.0 * Limits::kMaxSize));
  } else if (size < Limits::kSmallSize || size > Limits::kLargeSize) {
    issues_.warning(path, found(),
                    fmt::format("{} to {} m in most scenes: are the units metres?",
                                Limits::kSmallSize, Limits::kLargeSize));
  }
}

void SceneValidator::checkSurface(std::size_t i) {
  const auto* mesh = std::get_if<msd_assets::Mesh>(&result_.shapes[i].value());
  const auto isTouched = [&](const SceneBody& b) { return b.shape == document_.shapes[i].name; };
  // Of what is only looked at, none of this matters.
  if (mesh == nullptr || std::ranges::none_of(document_.bodies, isTouched)) return;
  const auto& report = mesh->surface->report();
  const JsonPath path = JsonPath{} / "shapes" / document_.shapes[i].name;
  // An open surface is a normal ground; what follows is not.
  if (report.insideOut) {
    issues_.warning(path, "a closed surface that is inside out",
                    "triangles counter-clockwise seen from outside");
  }
  if (report.flippedEdges > 0) {
    issues_.warning(
        path,
        fmt::format("{} edges between triangles of opposite orientation", report.flippedEdges),
        "one orientation all over the surface");
  }
  if (report.droppedTriangles > 0) {
    issues_.warning(path, fmt::format("{} triangles without area", report.droppedTriangles),
                    "none; they are left out");
  }
}

}  // namespace msd_scene
