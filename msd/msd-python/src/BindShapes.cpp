#include <fmt/format.h>
#include <pybind11/stl/filesystem.h>

#include "Convert.hpp"
#include "msd-assets/src/MassProperties.hpp"
#include "msd-assets/src/MeshIo.hpp"
#include "msd-assets/src/Shape.hpp"

namespace msd_python {

namespace {

using namespace msd_assets;
using msd_sim::Vector3D;

TriangleMesh makeSurface(const py::object& vertices, const py::object& triangles) {
  using Indices = py::array_t<std::uint32_t, py::array::c_style | py::array::forcecast>;
  const Indices corners = Indices::ensure(triangles);
  if (!corners || corners.ndim() != 2 || corners.shape(1) != 3) {
    PyErr_Clear();
    throw py::value_error("triangles: expected rows of three vertex numbers");
  }
  std::vector<TriangleMesh::Triangle> list;
  for (py::ssize_t i = 0; i < corners.shape(0); ++i) {
    const std::uint32_t* t = corners.data() + 3 * i;
    list.push_back({t[0], t[1], t[2]});
  }
  return TriangleMesh{toPoints(vertices, "vertices"), std::move(list)};
}

Shape makeTerrain(const py::object& heights, const py::object& cell) {
  const Array grid = Array::ensure(heights);
  if (!grid || grid.ndim() != 2) {
    PyErr_Clear();
    throw py::value_error("heights: expected a table, one row for each y [m]");
  }
  const Array size = Array::ensure(cell);
  if (!size || size.size() != 2) {
    PyErr_Clear();
    throw py::value_error("cell_size: expected two numbers, along x and y [m]");
  }
  const auto all = numbers(grid);
  return Terrain{std::make_shared<const HeightField>(
      static_cast<std::uint32_t>(grid.shape(1)), static_cast<std::uint32_t>(grid.shape(0)),
      size.data()[0], size.data()[1], std::vector<double>{all.begin(), all.end()})};
}

Shape makeCompound(const py::sequence& parts) {
  Compound compound;
  for (const py::handle& item : parts) {
    if (py::isinstance<Shape>(item)) {
      compound.parts.push_back({item.cast<Shape>()});
      continue;
    }
    const auto part = py::reinterpret_borrow<py::sequence>(item);
    if (!PySequence_Check(item.ptr()) || part.size() < 2 || part.size() > 3) {
      throw py::value_error(
          "parts: expected shapes, or (shape, position) or (shape, position, orientation)");
    }
    CompoundPart made{part[0].cast<Shape>(), toVector(part[1], "position", "m")};
    if (part.size() == 3) made.orientation = toQuaternion(part[2], "orientation");
    compound.parts.push_back(std::move(made));
  }
  return compound;
}

std::string reprOf(const Shape& shape) {
  return std::visit(
      [&](const auto& v) -> std::string {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, Sphere>) {
          return fmt::format("msd.Sphere({:g})", v.radius);
        } else if constexpr (std::is_same_v<T, Box>) {
          return fmt::format("msd.Box({})", describe(Vector3D{v.halfExtents}));
        } else if constexpr (std::is_same_v<T, Capsule>) {
          return fmt::format("msd.Capsule({:g}, {:g})", v.radius, v.halfHeight);
        } else if constexpr (std::is_same_v<T, Cylinder>) {
          return fmt::format("msd.Cylinder({:g}, {:g})", v.radius, v.halfHeight);
        } else if constexpr (std::is_same_v<T, Plane>) {
          return fmt::format("msd.Plane({}, {:g})", describe(Vector3D{v.normal}), v.offset);
        } else if constexpr (std::is_same_v<T, Hull>) {
          return fmt::format("<msd.Hull of {} vertices>", v.polyhedron->vertices().size());
        } else if constexpr (std::is_same_v<T, Mesh>) {
          return fmt::format("<msd.Mesh of {} triangles>", v.surface->triangles().size());
        } else if constexpr (std::is_same_v<T, Terrain>) {
          return fmt::format("<msd.Terrain of {} x {} samples>", v.field->columns(), v.field->rows());
        } else {
          return fmt::format("<msd.Compound of {} parts>", v.parts.size());
        }
      },
      shape.value());
}

py::array_t<double> verticesOf(const Shape& shape) {
  std::span<const Eigen::Vector3d> points;
  if (shape.kind() == ShapeKind::kHull) points = shape.as<Hull>().polyhedron->vertices();
  if (shape.kind() == ShapeKind::kMesh) points = shape.as<Mesh>().surface->vertices();
  std::vector<double> all;
  for (const Eigen::Vector3d& p : points) all.insert(all.end(), p.data(), p.data() + 3);
  return fromTable(all, 3);
}

}  // namespace

void bindShapes(py::module_& module) {
  py::class_<Shape>(module, "Shape", "A shape, as a value: made by Sphere, Box, Capsule, ...")
      .def_property_readonly(
          "kind", [](const Shape& s) { return std::string{shapeKindName(s.kind())}; },
          "\"sphere\", \"box\", ... as in scene files")
      .def_property_readonly(
          "volume", [](const Shape& s) { return computeMassProperties(s).volume; },
          "Volume [m^3]; ValueError for a shape that encloses none")
      .def_property_readonly(
          "centre_of_mass",
          [](const Shape& s) { return fromVector(computeMassProperties(s).centreOfMass); },
          "Centre of the volume in the shape's frame [m]")
      .def_property_readonly(
          "inertia", [](const Shape& s) { return fromMatrix(computeMassProperties(s).inertia); },
          "Second moments about the centre, for unit density [m^5]")
      .def_property_readonly("vertices", &verticesOf,
                             "Corners of a hull or a mesh, (n, 3) [m]; none for other shapes")
      .def("__repr__", [](const Shape& shape) { return reprOf(shape); });

  module.def(
      "Sphere", [](double radius) { return Shape{Sphere{radius}}; }, py::arg("radius"),
      "Ball about the origin; radius [m].");
  module.def(
      "Box", [](const py::object& h) { return Shape{Box{toVector(h, "half_extents", "m")}}; },
      py::arg("half_extents"), "Cuboid about the origin, edges along the axes; half extents [m].");
  module.def(
      "Capsule", [](double r, double h) { return Shape{Capsule{r, h}}; }, py::arg("radius"),
      py::arg("half_height"), "Segment along z from -half_height to +half_height, thickened by radius [m].");
  module.def(
      "Cylinder", [](double r, double h) { return Shape{Cylinder{r, h}}; }, py::arg("radius"),
      py::arg("half_height"), "Solid cylinder about the origin, axis along z [m].");
  module.def(
      "Hull",
      [](const py::object& points) { return makeHull(toPoints(points, "points")); },
      py::arg("points"), "Convex hull of points (n, 3) [m].");
  module.def(
      "Plane",
      [](const py::object& normal, double offset) {
        return Shape{Plane{toVector(normal, "normal", "-"), offset}};
      },
      py::arg("normal") = py::make_tuple(0.0, 0.0, 1.0), py::arg("offset") = 0.0,
      "Half space normal . x <= offset [m]; for static bodies.");
  module.def(
      "Mesh",
      [](const py::object& vertices, const py::object& triangles) {
        return Shape{Mesh{std::make_shared<const TriangleMesh>(makeSurface(vertices, triangles))}};
      },
      py::arg("vertices"), py::arg("triangles"),
      "Triangle surface: vertices (n, 3) [m], triangles (m, 3), counter-clockwise from outside; for static bodies.");
  module.def(
      "load_mesh",
      [](const std::filesystem::path& path) {
        return Shape{Mesh{std::make_shared<const TriangleMesh>(readMeshFile(path))}};
      },
      py::arg("path"), "A mesh from an STL, OBJ or glTF file; MeshError says what is wrong with it.");
  module.def("Terrain", &makeTerrain, py::arg("heights"), py::arg("cell_size"),
             "Heights on a grid [m], heights[j, i] at (i cell_size[0], j cell_size[1]); for static bodies.");
  module.def("Compound", &makeCompound, py::arg("parts"),
             "Convex shapes joined rigidly: shapes, (shape, position [m]) or (shape, position [m], orientation).");
}

}  // namespace msd_python
