// Every constructor against what it must refuse. A message names the quantity, its value and what
// was expected.
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "msd-assets/src/MassProperties.hpp"
#include "msd-assets/test/MeshSamples.hpp"
#include "msd-assets/test/PointSets.hpp"

namespace msd_assets::test {
namespace {

using Eigen::Quaterniond;
using Eigen::Vector3d;
using Points = std::vector<Vector3d>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

struct BadCase {
  std::string label;
  std::function<void()> call;
  std::string name;      ///< of the quantity
  std::string value;     ///< as it was found
  std::string expected;  ///< what the message asks for
};

template <class T>
std::function<void()> shape(T value) {
  return [value] { Shape{value}; };
}

std::function<void()> hull(Points points) {
  return [points = std::move(points)] { (void)ConvexPolyhedron::fromPoints(points); };
}

std::function<void()> mesh(Points vertices, std::vector<TriangleMesh::Triangle> triangles) {
  return [=] { TriangleMesh{vertices, triangles}; };
}

std::function<void()> field(std::uint32_t columns, std::uint32_t rows, double cellX, double cellY,
                            std::vector<double> heights) {
  return [=] { HeightField{columns, rows, cellX, cellY, heights}; };
}

std::function<void()> massOf(Soup soup) {
  return [soup = std::move(soup)] {
    (void)computeMassProperties(Mesh{std::make_shared<const TriangleMesh>(soup.mesh())});
  };
}

Points with(Points points, std::size_t index, const Vector3d& value) {
  points[index] = value;
  return points;
}

Points cube() {
  const ConvexPolyhedron box = ConvexPolyhedron::box({1, 1, 1});
  return {box.vertices().begin(), box.vertices().end()};
}

Points onCircle() {
  Points points;
  for (int i = 0; i < 12; ++i) points.emplace_back(std::cos(i), std::sin(i), 0.3 * std::cos(i));
  return points;
}

Compound compound(CompoundPart part) {
  return Compound{{CompoundPart{Sphere{1}}, std::move(part)}};
}

void addPrimitives(std::vector<BadCase>& cases) {
  const std::string length = "a positive, finite length";
  for (const auto& [value, text] : {std::pair{0.0, "= 0 m"},
                                    {-1.5, "= -1.5 m"},
                                    {kNaN, "nan m"},
                                    {kInf, "= inf m"},
                                    {-kInf, "= -inf m"}}) {
    const std::string tag = std::string{" "} + text;
    cases.push_back({"sphere" + tag, shape(Sphere{value}), "Sphere.radius", text, length});
    cases.push_back({"box x" + tag, shape(Box{{value, 1, 1}}), "Box.halfExtents.x", text, length});
    cases.push_back({"box y" + tag, shape(Box{{1, value, 1}}), "Box.halfExtents.y", text, length});
    cases.push_back({"box z" + tag, shape(Box{{1, 1, value}}), "Box.halfExtents.z", text, length});
    cases.push_back({"capsule r" + tag, shape(Capsule{value, 1}), "Capsule.radius", text, length});
    cases.push_back(
        {"capsule h" + tag, shape(Capsule{1, value}), "Capsule.halfHeight", text, length});
    cases.push_back(
        {"cylinder r" + tag, shape(Cylinder{value, 1}), "Cylinder.radius", text, length});
    cases.push_back(
        {"cylinder h" + tag, shape(Cylinder{1, value}), "Cylinder.halfHeight", text, length});
    cases.push_back({"box polyhedron" + tag,
                     [v = value] { (void)ConvexPolyhedron::box({1, v, 1}); },
                     "ConvexPolyhedron.halfExtents.y", text, length});
  }
  const std::string range = "a longest side between 1e-06 m and 1e+06 m";
  cases.push_back({"tiny sphere", shape(Sphere{1e-7}), "Sphere.radius", "1e-07 m", range});
  cases.push_back({"huge sphere", shape(Sphere{1e7}), "Sphere.radius", "10000000 m", range});
  cases.push_back({"huge box", shape(Box{{1, 1, 1e6}}), "Box.halfExtents", "1e+06 m", range});
  cases.push_back({"tiny capsule", shape(Capsule{1e-7, 2e-7}), "Capsule.radius", "3e-07 m", range});
  cases.push_back({"huge cylinder", shape(Cylinder{1e300, 1}), "Cylinder", "1e+300 m", range});
}

void addPlanesAndPointers(std::vector<BadCase>& cases) {
  const std::string unit = "a vector of length 1";
  cases.push_back({"zero normal", shape(Plane{{0, 0, 0}}), "Plane.normal", "(0, 0, 0)", unit});
  cases.push_back(
      {"long normal", shape(Plane{{0, 0, 2}}), "Plane.normal", "(0, 0, 2) of length 2", unit});
  cases.push_back({"short normal", shape(Plane{{0, 0, 0.99}}), "Plane.normal", "0.99", unit});
  cases.push_back({"nan normal", shape(Plane{{0, kNaN, 1}}), "Plane.normal", "(0, nan, 1)", unit});
  cases.push_back({"inf normal", shape(Plane{{kInf, 0, 0}}), "Plane.normal", "(inf, 0, 0)", unit});
  cases.push_back(
      {"overflowing normal", shape(Plane{{1e200, 0, 0}}), "Plane.normal", "1e+200", unit});
  cases.push_back({"nan offset", shape(Plane{{0, 0, 1}, kNaN}), "Plane.offset", "nan m", "finite"});
  cases.push_back(
      {"inf offset", shape(Plane{{0, 0, 1}, -kInf}), "Plane.offset", "-inf m", "finite"});
  cases.push_back(
      {"far offset", shape(Plane{{0, 0, 1}, 1e10}), "Plane.offset", "10000000000 m", "1e+09 m"});
  cases.push_back({"null hull", shape(Hull{}), "Hull.polyhedron", "null", "a convex polyhedron"});
  cases.push_back({"null mesh", shape(Mesh{}), "Mesh.surface", "null", "a triangle mesh"});
  cases.push_back({"null terrain", shape(Terrain{}), "Terrain.field", "null", "a height field"});
  Soup large = boxSurface({2e6, 1, 1});
  cases.push_back({"huge mesh", shape(Mesh{std::make_shared<const TriangleMesh>(large.mesh())}),
                   "Mesh.surface", "4e+06", "a longest side"});
  cases.push_back({"tiny terrain",
                   shape(Terrain{std::make_shared<const HeightField>(
                       2, 2, 1e-9, 1e-9, std::vector<double>{0, 0, 0, 0})}),
                   "Terrain.field", "1e-09 m", "a longest side"});
  cases.push_back(
      {"thin box as hull, too large",
       shape(Hull{std::make_shared<const ConvexPolyhedron>(ConvexPolyhedron::box({1e8, 1e8, 1}))}),
       "Hull.polyhedron", "2e+08 m", "a longest side"});
}

void addCompounds(std::vector<BadCase>& cases) {
  const std::string convex = "a sphere, box, capsule, cylinder or hull";
  const std::string unit = "a quaternion of length 1";
  cases.push_back(
      {"empty compound", shape(Compound{}), "Compound.parts", "0 parts", "at least one"});
  cases.push_back({"nested compound", shape(compound({Compound{{CompoundPart{Sphere{1}}}}})),
                   "Compound.parts[1].shape", "compound", convex});
  cases.push_back({"plane in compound", shape(compound({Plane{}})), "Compound.parts[1].shape",
                   "plane", convex});
  cases.push_back({"nan position", shape(compound({Sphere{1}, {0, kNaN, 0}})),
                   "Compound.parts[1].position", "(0, nan, 0)", "finite coordinates"});
  cases.push_back({"far position", shape(compound({Sphere{1}, {0, 0, 2e9}})),
                   "Compound.parts[1].position", "2000000000", "1e+09"});
  cases.push_back({"zero quaternion",
                   shape(compound({Sphere{1}, {0, 0, 0}, Quaterniond{0, 0, 0, 0}})),
                   "Compound.parts[1].orientation", "of length 0", unit});
  cases.push_back({"long quaternion",
                   shape(compound({Sphere{1}, {0, 0, 0}, Quaterniond{2, 0, 0, 0}})),
                   "Compound.parts[1].orientation", "(w 2, x 0, y 0, z 0) of length 2", unit});
  cases.push_back({"nan quaternion",
                   shape(compound({Sphere{1}, {0, 0, 0}, Quaterniond{1, kNaN, 0, 0}})),
                   "Compound.parts[1].orientation", "nan", unit});
}

void addHulls(std::vector<BadCase>& cases) {
  const std::string rank3 = "at least 4 points of rank 3";
  const std::string name = "ConvexPolyhedron.points";
  cases.push_back({"no points", hull({}), name, "rank 0, thickness 0 m", rank3});
  cases.push_back({"one point", hull({{1, 2, 3}}), name, "rank 0, thickness 0 m", rank3});
  cases.push_back({"three points", hull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}), name, "rank 2", rank3});
  cases.push_back({"coincident", hull(Points(9, {1, 2, 3})), name,
                   "9 points that all coincide (rank 0", rank3});
  cases.push_back({"nearly coincident",
                   hull(Points{{1, 1, 1}, {1, 1, 1 + 1e-15}, {1, 1, 1}, {1, 1, 1}}), name, "m",
                   "a longest side between"});
  cases.push_back({"collinear", hull({{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {3, 3, 3}, {0.1, 0.1, 0.1}}),
                   name, "5 points that lie on a line (rank 1", rank3});
  cases.push_back({"two points often", hull({{0, 0, 0}, {1, 2, 3}, {0, 0, 0}, {1, 2, 3}}), name,
                   "rank 1", rank3});
  cases.push_back(
      {"coplanar", hull(onCircle()), name, "12 points that lie in a plane (rank 2", rank3});
  cases.push_back({"almost coplanar", hull(with(onCircle(), 3, {0, 0, 1e-8})), name, "thickness",
                   "1e-07 of the diameter"});
  cases.push_back({"almost collinear", hull({{0, 0, 0}, {1, 0, 0}, {0.5, 1e-8, 0}, {0.5, 0, 1e-8}}),
                   name, "(rank 1, thickness 1e-08 m", rank3});
  for (const auto& [value, text] :
       {std::pair{kNaN, "nan"}, {kInf, "inf"}, {-kInf, "-inf"}, {1e10, "1e"}}) {
    for (int axis = 0; axis < 3; ++axis) {
      Vector3d bad{0.5, 0.5, 0.5};
      bad[axis] = value;
      cases.push_back({std::string{"hull point "} + text + std::to_string(axis),
                       hull(with(cube(), 5, bad)), "ConvexPolyhedron.points[5]", text,
                       "finite coordinates of at most 1e+09 m"});
    }
  }
  Points huge = cube();
  for (Vector3d& p : huge) p *= 1e7;
  cases.push_back({"huge hull", hull(huge), name, "2e+07 m", "a longest side"});
  Points tiny = cube();
  for (Vector3d& p : tiny) p *= 1e-8;
  cases.push_back({"tiny hull", hull(tiny), name, "2e-08 m", "a longest side"});
  Points denormal = cube();
  for (Vector3d& p : denormal) p *= 5e-324;
  cases.push_back({"denormal hull", hull(denormal), name, "e-323 m", "a longest side"});
  cases.push_back({"makeHull", [] { (void)makeHull(Points{{0, 0, 0}}); }, name, "rank 0", rank3});
}

void addMeshes(std::vector<BadCase>& cases) {
  const Points square{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  cases.push_back(
      {"no vertices", mesh({}, {{0, 1, 2}}), "TriangleMesh.vertices", "0 vertices", "at least 3"});
  cases.push_back(
      {"no triangles", mesh(square, {}), "TriangleMesh.triangles", "0 triangles", "at least 1"});
  cases.push_back({"index out of range", mesh(square, {{0, 1, 2}, {0, 2, 4}}),
                   "TriangleMesh.triangles[1]", "(0, 2, 4)",
                   "indices below the number of vertices, 4"});
  cases.push_back({"greatest index", mesh(square, {{0xFFFFFFFFu, 1, 2}}),
                   "TriangleMesh.triangles[0]", "4294967295", "indices below"});
  cases.push_back({"nan vertex", mesh(with(square, 2, {0, 0, kNaN}), {{0, 1, 3}}),
                   "TriangleMesh.vertices[2]", "(0, 0, nan)", "finite coordinates"});
  cases.push_back({"inf vertex", mesh(with(square, 1, {-kInf, 0, 0}), {{0, 1, 2}}),
                   "TriangleMesh.vertices[1]", "(-inf, 0, 0)", "finite coordinates"});
  cases.push_back({"far vertex", mesh(with(square, 1, {0, 1e200, 0}), {{0, 1, 2}}),
                   "TriangleMesh.vertices[1]", "1e+200", "at most 1e+09 m"});
  cases.push_back({"only flat triangles", mesh(square, {{0, 0, 1}, {2, 2, 2}}),
                   "TriangleMesh.triangles", "2 triangles without area",
                   "at least one triangle with an area"});
  cases.push_back({"too many triangles",
                   mesh(square, std::vector<TriangleMesh::Triangle>(10'000'001, {0, 1, 2})),
                   "TriangleMesh.triangles", "10000001 triangles", "at most 10000000"});
}

void addFields(std::vector<BadCase>& cases) {
  const std::vector<double> four(4, 0.0);
  cases.push_back(
      {"one column", field(1, 4, 1, 1, four), "HeightField.columns", "= 1", "at least 2"});
  cases.push_back({"no rows", field(2, 0, 1, 1, {}), "HeightField.rows", "= 0", "at least 2"});
  cases.push_back(
      {"missing heights", field(2, 3, 1, 1, four), "HeightField.heights", "4 values", "2 x 3 = 6"});
  cases.push_back({"count that overflows 32 bits", field(65536, 65536, 1, 1, {}),
                   "HeightField.heights", "0 values", "4294967296"});
  cases.push_back({"zero cell", field(2, 2, 0, 1, four), "HeightField.cellX", "= 0 m", "positive"});
  cases.push_back(
      {"negative cell", field(2, 2, 1, -2, four), "HeightField.cellY", "= -2 m", "positive"});
  cases.push_back(
      {"nan cell", field(2, 2, kNaN, 1, four), "HeightField.cellX", "nan m", "positive"});
  cases.push_back(
      {"inf cell", field(2, 2, 1, kInf, four), "HeightField.cellY", "inf m", "positive"});
  cases.push_back({"huge cell", field(2, 2, 1e300, 1, four), "HeightField.cellX", "1e+300 m",
                   "within 1e+09 m"});
  cases.push_back({"nan height", field(2, 2, 1, 1, {0, 0, 0, kNaN}),
                   "HeightField.heights[3] (column 1, row 1)", "nan m", "a finite height"});
  cases.push_back({"inf height", field(2, 2, 1, 1, {0, -kInf, 0, 0}),
                   "HeightField.heights[1] (column 1, row 0)", "-inf m", "a finite height"});
  cases.push_back({"far height", field(2, 2, 1, 1, {0, 0, 2e9, 0}), "HeightField.heights[2]",
                   "2000000000 m", "at most 1e+09 m"});
}

void addMasses(std::vector<BadCase>& cases) {
  cases.push_back({"mass of a plane", [] { (void)computeMassProperties(Plane{}); }, "Shape",
                   "plane", "a solid of finite volume"});
  cases.push_back({"mass of a terrain",
                   [] {
                     (void)computeMassProperties(Terrain{std::make_shared<const HeightField>(
                         2, 2, 1, 1, std::vector<double>(4, 0.0))});
                   },
                   "Shape", "terrain", "a solid of finite volume"});
  Soup open = boxSurface({1, 1, 1});
  open.triangles.pop_back();
  cases.push_back({"mass of an open box", massOf(open), "Mesh.surface", "3 border, 0 non-manifold",
                   "a closed surface"});
  Soup turned = boxSurface({1, 1, 1});
  std::swap(turned.triangles[0][0], turned.triangles[0][1]);
  cases.push_back({"mass of a box with a turned triangle", massOf(turned), "Mesh.surface",
                   "3 flipped", "a closed surface"});
  const Soup sheet{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}, {0, 2, 1}}};
  cases.push_back(
      {"mass of a sheet", massOf(sheet), "Mesh.surface", "volume 0 m³", "encloses a volume"});
  // A cube beside an inverted plate that is wide but holds less: positive volume, impossible
  // moments.
  Soup mixed = boxSurface({1, 1, 1});
  const Soup plate = boxSurface({10, 10, 0.005});
  for (TriangleMesh::Triangle t : plate.triangles) {
    std::swap(t[0], t[1]);
    for (std::uint32_t& v : t) v += 8;
    mixed.triangles.push_back(t);
  }
  mixed.vertices.insert(mixed.vertices.end(), plate.vertices.begin(), plate.vertices.end());
  cases.push_back({"mass of overlapping parts", massOf(mixed), "Mesh.surface", "moments of inertia",
                   "without overlapping or inside-out parts"});
}

std::vector<BadCase> allCases() {
  std::vector<BadCase> cases;
  addPrimitives(cases);
  addPlanesAndPointers(cases);
  addCompounds(cases);
  addHulls(cases);
  addMeshes(cases);
  addFields(cases);
  addMasses(cases);
  return cases;
}

TEST(BadInput, everyRefusalNamesTheQuantityTheValueAndTheExpectation) {
  const std::vector<BadCase> cases = allCases();
  EXPECT_GE(cases.size(), 110u);
  for (const BadCase& bad : cases) {
    SCOPED_TRACE(bad.label);
    try {
      bad.call();
      ADD_FAILURE() << "nothing was thrown";
    } catch (const std::invalid_argument& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find(bad.name), std::string::npos) << message;
      EXPECT_NE(message.find(bad.value), std::string::npos) << message;
      EXPECT_NE(message.find("expected"), std::string::npos) << message;
      EXPECT_NE(message.find(bad.expected), std::string::npos) << message;
      EXPECT_LT(message.size(), 300u) << message;
    }
  }
}

// The other side of each limit: what is only just allowed works and stays finite.
TEST(BadInput, whatIsJustAllowedHasFiniteMass) {
  for (const Shape& shape :
       {Shape{Sphere{0.5e-6}}, Shape{Sphere{0.5e6}}, Shape{Box{{0.5e6, 1e-300, 1}}},
        Shape{Capsule{1e-12, 1}}, Shape{Cylinder{1e-12, 1}}}) {
    const MassProperties m = computeMassProperties(shape);
    EXPECT_GT(m.volume, 0.0);
    EXPECT_TRUE(m.inertia.allFinite());
    EXPECT_TRUE(std::isfinite(boundingRadius(shape, {1e9, 0, 0})));
  }
  Points thin = cube();
  for (Vector3d& p : thin) p.z() *= 4e-7;
  const MassProperties m = computePolyhedronMass(ConvexPolyhedron::fromPoints(thin));
  EXPECT_NEAR(m.volume / 3.2e-6, 1.0, 1e-12);
}

}  // namespace
}  // namespace msd_assets::test
