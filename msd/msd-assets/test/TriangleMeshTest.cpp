// Triangle meshes: adjacency, and what the report says of surfaces that are not what they should
// be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>

#include "msd-assets/test/MeshSamples.hpp"

namespace msd_assets::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint32_t kNone = TriangleMesh::kNoNeighbour;

/// Neighbours know each other across the same two vertices.
void expectConsistent(const TriangleMesh& mesh) {
  ASSERT_EQ(mesh.neighbours().size(), mesh.triangles().size());
  for (std::uint32_t t = 0; t < mesh.triangles().size(); ++t) {
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t other = mesh.neighbours()[t][k];
      if (other == kNone) continue;
      const std::uint32_t a = mesh.triangles()[t][k];
      const std::uint32_t b = mesh.triangles()[t][(k + 1) % 3];
      bool found = false;
      for (std::size_t j = 0; j < 3; ++j) {
        const std::uint32_t c = mesh.triangles()[other][j];
        const std::uint32_t d = mesh.triangles()[other][(j + 1) % 3];
        const bool same = (c == b && d == a) || (c == a && d == b);
        found = found || (same && mesh.neighbours()[other][j] == t);
      }
      ASSERT_TRUE(found) << "triangle " << t << " side " << k;
    }
  }
}

TEST(TriangleMesh, closedSurfacesHaveNeighboursEverywhere) {
  for (const Soup& soup : {boxSurface({1, 2, 3}), sphereSurface(3), torusSurface(12, 7)}) {
    const TriangleMesh mesh = soup.mesh();
    expectConsistent(mesh);
    EXPECT_TRUE(mesh.isClosed());
    EXPECT_FALSE(mesh.report().insideOut);
    EXPECT_THAT(mesh.report().warnings, IsEmpty());
    for (const auto& sides : mesh.neighbours()) {
      for (const std::uint32_t neighbour : sides) EXPECT_NE(neighbour, kNone);
    }
  }
}

TEST(TriangleMesh, aSquareOfTwoTrianglesIsOpen) {
  const TriangleMesh mesh{{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}, {{0, 1, 2}, {0, 2, 3}}};
  EXPECT_THAT(mesh.neighbours()[0], ElementsAre(kNone, kNone, 1));
  EXPECT_THAT(mesh.neighbours()[1], ElementsAre(0, kNone, kNone));
  EXPECT_EQ(mesh.report().borderEdges, 4u);
  EXPECT_FALSE(mesh.isClosed());
  EXPECT_THAT(mesh.report().warnings,
              ElementsAre("The surface is open: 4 edges belong to one triangle only (first at "
                          "triangle 0, vertices 0 and 1); it encloses no volume."));
}

TEST(TriangleMesh, aFinOnABoxIsNotManifold) {
  Soup soup = boxSurface({1, 1, 1});
  soup.vertices.emplace_back(2, 2, 2);
  const auto [a, b, c] = soup.triangles[0];
  soup.triangles.push_back({b, a, 8});
  const TriangleMesh mesh = soup.mesh();
  expectConsistent(mesh);
  EXPECT_EQ(mesh.report().nonManifoldEdges, 1u);
  EXPECT_EQ(mesh.report().borderEdges, 2u);
  EXPECT_EQ(mesh.neighbours()[0][0], kNone);
  EXPECT_THAT(mesh.report().warnings,
              testing::Contains(HasSubstr("1 edge belongs to more than two triangles")));
}

TEST(TriangleMesh, aTurnedTriangleFlipsThreeEdges) {
  Soup soup = boxSurface({1, 1, 1});
  std::swap(soup.triangles[4][0], soup.triangles[4][1]);
  const TriangleMesh mesh = soup.mesh();
  expectConsistent(mesh);
  EXPECT_EQ(mesh.report().flippedEdges, 3u);
  EXPECT_EQ(mesh.report().borderEdges, 0u);
  EXPECT_FALSE(mesh.isClosed());
  EXPECT_THAT(mesh.report().warnings,
              ElementsAre(HasSubstr("3 edges join triangles that face opposite sides")));
}

TEST(TriangleMesh, aSurfaceTurnedInsideOutIsReported) {
  Soup soup = sphereSurface(2);
  for (TriangleMesh::Triangle& t : soup.triangles) std::swap(t[0], t[1]);
  const TriangleMesh mesh = soup.mesh();
  EXPECT_TRUE(mesh.isClosed());
  EXPECT_TRUE(mesh.report().insideOut);
  EXPECT_THAT(mesh.report().warnings, ElementsAre(HasSubstr("inside out")));
}

TEST(TriangleMesh, trianglesWithoutAreaAreDroppedAndCounted) {
  Soup soup = boxSurface({1, 1, 1});
  const TriangleMesh::Triangle first = soup.triangles[0];
  soup.vertices.push_back((soup.vertices[0] + 3.0 * soup.vertices[1]) / 4.0);
  soup.triangles.push_back({0, 0, 1});
  soup.triangles.push_back({0, 1, 8});
  soup.triangles.push_back({0, 1, 1});
  const TriangleMesh mesh = soup.mesh();
  EXPECT_EQ(mesh.report().droppedTriangles, 3u);
  EXPECT_EQ(mesh.triangles().size(), 12u);
  EXPECT_EQ(mesh.triangles()[0], first);
  EXPECT_TRUE(mesh.isClosed());
  EXPECT_THAT(mesh.report().warnings, ElementsAre("3 triangles without area were dropped."));
}

// What counts as no area is relative: slivers of any size stay, as long as they are not flat.
TEST(TriangleMesh, sliversStayAtAnyScale) {
  for (const double scale : {1e-6, 1.0, 1e6}) {
    const TriangleMesh mesh{{{0, 0, 0}, {scale, 0, 0}, {0.5 * scale, 1e-9 * scale, 0}},
                            {{0, 1, 2}}};
    EXPECT_EQ(mesh.report().droppedTriangles, 0u) << scale;
  }
}

TEST(TriangleMesh, twoClosedPartsThatTouchInAVertexAreClosed) {
  Soup soup = boxSurface({1, 1, 1});
  const Soup other = boxSurface({1, 1, 1});
  for (TriangleMesh::Triangle t : other.triangles) {
    for (std::uint32_t& v : t) v = v == 0 ? 7 : v + 8;  // corner 0 of the second is corner 7
    soup.triangles.push_back(t);
  }
  for (const Eigen::Vector3d& v : other.vertices)
    soup.vertices.push_back(v + Eigen::Vector3d{2, 2, 2});
  const TriangleMesh mesh = soup.mesh();
  expectConsistent(mesh);
  EXPECT_TRUE(mesh.isClosed());
}

TEST(TriangleMesh, aMillionTrianglesAreReadyInLessThanTwoSeconds) {
  Soup soup = torusSurface(1000, 500);
  ASSERT_EQ(soup.triangles.size(), 1'000'000u);
  const std::clock_t start = std::clock();
  const TriangleMesh mesh{std::move(soup.vertices), std::move(soup.triangles)};
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  EXPECT_TRUE(mesh.isClosed());
  RecordProperty("processor_seconds", std::to_string(seconds));
  std::printf("1,000,000 triangles: %.3f s of processor time\n", seconds);
#ifdef NDEBUG
  EXPECT_LT(seconds, 2.0);  // measured 0.05
#endif
}

// One vertex in every triangle: the grouping must not turn quadratic.
TEST(TriangleMesh, aFanOfTwoHundredThousandTrianglesIsNoSpecialCase) {
  constexpr std::uint32_t kCount = 200'000;
  Soup soup;
  soup.vertices.emplace_back(0, 0, 1);
  for (std::uint32_t i = 0; i < kCount; ++i) {
    const double angle = 6.283185307179586 * i / kCount;
    soup.vertices.emplace_back(std::cos(angle), std::sin(angle), 0);
    soup.triangles.push_back({0, i + 1, (i + 1) % kCount + 1});
  }
  const std::clock_t start = std::clock();
  const TriangleMesh mesh = soup.mesh();
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  EXPECT_EQ(mesh.report().borderEdges, kCount);
  EXPECT_EQ(mesh.report().nonManifoldEdges, 0u);
  RecordProperty("processor_seconds", std::to_string(seconds));
#ifdef NDEBUG
  EXPECT_LT(seconds, 2.0);
#endif
}

}  // namespace
}  // namespace msd_assets::test
