// Mesh files: what is read, what is refused and how it is said, and that no bytes whatever do harm.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <clocale>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "msd-assets/src/MassProperties.hpp"
#include "msd-assets/src/MeshIo.hpp"
#include "msd-assets/test/MeshSamples.hpp"
#include "msd-assets/test/PointSets.hpp"

namespace msd_assets::test {
namespace {

using Eigen::Vector3d;
using testing::ElementsAre;
using testing::HasSubstr;

enum class Format { kStl, kObj };

TriangleMesh read(Format format, std::string_view text) {
  const std::span<const char> characters{text.data(), text.size()};
  const auto bytes = std::as_bytes(characters);
  return format == Format::kStl ? readStl(bytes) : readObj(bytes);
}

/// The message of the refusal, or "" when the text was accepted.
std::string refusal(Format format, std::string_view text) {
  try {
    (void)read(format, text);
    return "";
  } catch (const MeshError& error) {
    return error.what();
  }
}

const std::string kTextStl =
    "solid a tetrahedron\n"
    "  facet normal 0 0 -1\n    outer loop\n      vertex 0 0 0\n      vertex 0 1 0\n"
    "      vertex 1 0 0\n    endloop\n  endfacet\n"
    "  facet normal nan nan nan\n    outer loop\n      vertex 0 0 0\n      vertex 1 0 0\n"
    "      vertex 0 0 1e0\n    endloop\n  endfacet\n"
    "  FACET NORMAL 0 0 0\r\n OUTER LOOP\r\n VERTEX -0 0 0\r\n VERTEX 0 0 +1.0\r\n VERTEX 0 1 0\r\n"
    " ENDLOOP\r\n ENDFACET\r\n"
    "facet normal 1 1 1 outer loop vertex 1 0 0 vertex 0 1 0 vertex 0 0 1 endloop endfacet\n"
    "endsolid a tetrahedron\n";

const std::string kObj =
    "# a comment\nmtllib ../../etc/passwd\no thing\n"
    "v 0 0 0\nv 1 0 0 1.0\nv 0 1 0 0.5 0.5 0.5\nvt 0 0\nvn 0 0 1\n"
    "usemtl red\ns off\nf 1 3 2\n"
    "v 0 0 1\nf 1/1 2/1 4/1\nf 1//1 -1//1 3//1\nf 2/1/1 \\\n  3/1/1 4/1/1 # the last\n";

std::string binaryTetrahedron() {
  return writeBinaryStl(read(Format::kStl, kTextStl));
}

TEST(MeshIo, textStlBecomesAWeldedMesh) {
  const TriangleMesh mesh = read(Format::kStl, kTextStl);
  EXPECT_THAT(mesh.vertices(), ElementsAre(Vector3d(0, 0, 0), Vector3d(0, 1, 0), Vector3d(1, 0, 0),
                                           Vector3d(0, 0, 1)));
  EXPECT_THAT(mesh.triangles(), ElementsAre(ElementsAre(0, 1, 2), ElementsAre(0, 2, 3),
                                            ElementsAre(0, 3, 1), ElementsAre(2, 1, 3)));
  EXPECT_TRUE(mesh.isClosed());
  EXPECT_FALSE(std::signbit(mesh.vertices()[0].x()));
  EXPECT_NEAR(computeMeshMass(mesh).volume, 1.0 / 6.0, 1e-16);
}

TEST(MeshIo, objBecomesTheSameMesh) {
  const TriangleMesh mesh = read(Format::kObj, kObj);
  EXPECT_EQ(mesh.vertices().size(), 4u);
  EXPECT_THAT(mesh.triangles(), ElementsAre(ElementsAre(0, 2, 1), ElementsAre(0, 1, 3),
                                            ElementsAre(0, 3, 2), ElementsAre(1, 2, 3)));
  EXPECT_TRUE(mesh.isClosed());
  EXPECT_NEAR(computeMeshMass(mesh).volume, 1.0 / 6.0, 1e-16);
}

TEST(MeshIo, objPolygonsBecomeFansAndMayPrecedeTheirVertices) {
  const TriangleMesh mesh =
      read(Format::kObj, "f 1 2 3 4 5\nv 0 0 0\nv 2 0 0\nv 3 2 0\nv 1 3 0\nv -1 2 0\n");
  EXPECT_THAT(mesh.triangles(),
              ElementsAre(ElementsAre(0, 1, 2), ElementsAre(0, 2, 3), ElementsAre(0, 3, 4)));
}

TEST(MeshIo, binaryStlIsKnownByItsSizeEvenWhenItStartsWithSolid) {
  std::string bytes = binaryTetrahedron();
  ASSERT_EQ(bytes.size(), 84u + 4 * 50);
  std::memcpy(bytes.data(), "solid exported by something", 27);
  EXPECT_EQ(read(Format::kStl, bytes).triangles().size(), 4u);
}

TEST(MeshIo, binaryStlKeepsEveryFloatAcrossRoundTrips) {
  for (const Soup& soup : {boxSurface({0.1, 0.2, 0.3}), sphereSurface(3), torusSurface(20, 9)}) {
    const std::string once = writeBinaryStl(soup.mesh());
    const TriangleMesh back = read(Format::kStl, once);
    EXPECT_EQ(back.triangles().size(), soup.triangles.size());
    EXPECT_EQ(back.vertices().size(), soup.vertices.size());
    EXPECT_TRUE(back.isClosed());
    EXPECT_TRUE(writeBinaryStl(back) == once);
    const double expected = computeMeshMass(soup.mesh()).volume;
    EXPECT_NEAR(computeMeshMass(back).volume / expected, 1.0, 1e-6);  // measured 7e-8: float
  }
}

TEST(MeshIo, severalSolidsInOneFileAreOneMesh) {
  const TriangleMesh mesh =
      read(Format::kStl, kTextStl +
                             "solid b\nfacet normal 0 0 0 outer loop "
                             "vertex 7 0 0 vertex 8 0 0 vertex 7 1 0 endloop endfacet endsolid");
  EXPECT_EQ(mesh.triangles().size(), 5u);
}

TEST(MeshIo, numbersDoNotDependOnTheLocale) {
  const std::string old = std::setlocale(LC_ALL, nullptr);
  for (const char* locale : {"de_DE.UTF-8", "fr_FR.UTF-8", "C"}) {
    if (std::setlocale(LC_ALL, locale) == nullptr) continue;
    const TriangleMesh mesh = read(Format::kObj, "v 0.5 0 0\nv 1.5 0 0\nv 0 2.25 0\nf 1 2 3\n");
    EXPECT_EQ(mesh.vertices()[2], Vector3d(0, 2.25, 0));
  }
  std::setlocale(LC_ALL, old.c_str());
  EXPECT_THAT(refusal(Format::kObj, "v 0,5 0 0\n"), HasSubstr("'0,5'"));
}

struct BadFile {
  Format format;
  std::string text;
  std::vector<std::string> parts;  ///< all of which the message must hold
};

std::string binaryWithCount(std::uint32_t count) {
  std::string bytes = binaryTetrahedron();
  std::memcpy(bytes.data() + 80, &count, 4);
  return bytes;
}

std::string binaryWithFloat(std::size_t at, float value) {
  std::string bytes = binaryTetrahedron();
  std::memcpy(bytes.data() + at, &value, 4);
  return bytes;
}

TEST(MeshIo, refusalsNameTheFormatThePlaceAndTheExpectation) {
  const std::string facet = "solid\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n";
  const std::vector<BadFile> files{
      {Format::kStl, "", {"STL: byte 0", "the file ends", "'solid'"}},
      {Format::kStl, "hello", {"STL: byte 5", "expected 'solid' (text) or an 80-byte header"}},
      {Format::kStl, std::string(80, 'x'), {"STL: byte 80", "expected"}},
      {Format::kStl,
       "solid" + std::string(75, ' '),
       {"STL (text): line 1", "the end", "'facet' or 'endsolid'"}},
      {Format::kStl,
       std::string(84, '\0'),
       {"STL (binary): byte 80", "0 triangles", "expected 1 to 10000000"}},
      {Format::kStl,
       binaryWithCount(842413622),
       {"STL (binary): byte 80", "842413622", "284 bytes", "hold 4.00", "42120681184 bytes"}},
      {Format::kStl, binaryWithCount(0xFFFFFFFFu), {"byte 80", "4294967295", "214748364834 bytes"}},
      {Format::kStl, binaryWithCount(3), {"byte 80", "counts 3", "hold 4.00"}},
      {Format::kStl, binaryTetrahedron() + "x", {"byte 80", "counts 4", "285 bytes"}},
      {Format::kStl,
       binaryWithFloat(84 + 12, std::nanf("")),
       {"STL (binary): byte 96", "nan", "a finite number"}},
      {Format::kStl,
       binaryWithFloat(84 + 50 + 20, HUGE_VALF),
       {"byte 154", "inf", "a finite number"}},
      {Format::kStl,
       binaryWithFloat(84 + 12, 1e30f),
       {"STL (binary)", "TriangleMesh.vertices[0]", "at most 1e+09 m"}},
      {Format::kStl, "solid x\nfacets", {"line 2", "'facets'", "'facet' or 'endsolid'"}},
      {Format::kStl, "solid x\nendsolid x\n", {"STL (text): line", "at least one facet"}},
      {Format::kStl,
       "solid x\nendsolid x\nfacet",
       {"line 3", "'facet'", "'solid' or the end of the file"}},
      {Format::kStl, facet + "vertex 1 0\nendloop", {"line 7", "'endloop'", "a finite number"}},
      {Format::kStl, facet + "vertex 1 0 nan\n", {"line 6", "'nan'", "a finite number"}},
      {Format::kStl, facet + "vertex 1 0 1e999\n", {"line 6", "'1e999'", "a finite number"}},
      {Format::kStl, facet + "vertex 1 0 0x1\n", {"line 6", "'0x1'", "a finite number"}},
      {Format::kStl, facet + "vertex 1 0 +-1\n", {"line 6", "'+-1'", "a finite number"}},
      {Format::kStl, facet + "endloop\n", {"line 6", "'endloop'", "'vertex'"}},
      {Format::kStl, facet + "vertex 0 1 0\nvertex 1 1 0\n", {"line 7", "'vertex'", "'endloop'"}},
      {Format::kStl,
       facet + "vertex 0 1 0\nendloop\nendfacet\n",
       {"line 9", "the end", "'facet' or 'endsolid'"}},
      {Format::kStl,
       facet + "vertex 2 0 0\nendloop\nendfacet\nendsolid",
       {"STL (text)", "1 triangles without area"}},
      {Format::kObj, "", {"OBJ: line 1", "at least one face"}},
      {Format::kObj, "v 0 0 0\nv 1 0 0\n", {"OBJ: line 3", "at least one face"}},
      {Format::kObj, "v 0 0\n", {"OBJ: line 1", "the end", "a finite number"}},
      {Format::kObj, "\n\nv 0 0 inf\n", {"line 3", "'inf'", "a finite number"}},
      {Format::kObj, "v 0 0 0 red\n", {"line 1", "'red'", "a finite number"}},
      {Format::kObj, "v 0 0 0\nf 1 1\n", {"line 2", "at least 3 corners, not 2"}},
      {Format::kObj, "v 0 0 0\nf\n", {"line 2", "at least 3 corners, not 0"}},
      {Format::kObj, "v 0 0 0\nf 0 1 1\n", {"line 2", "'0'", "indices other than 0"}},
      {Format::kObj, "v 0 0 0\nf 1 1 -2\n", {"line 2", "'-2'", "one of the 1 vertices so far"}},
      {Format::kObj, "v 0 0 0\nf 1 2 3\nv 1 0 0\n", {"line 2", "vertex 3", "up to 2"}},
      {Format::kObj,
       "v 0 0 0\nf 1 1 99999999999999999999\n",
       {"line 2", "'99999999999999999999'", "a corner as"}},
      {Format::kObj,
       "v 0 0 0\nf 1 1 9223372036854775807\n",
       {"line 2", "'9223372036854775807'", "index"}},
      {Format::kObj,
       "v 0 0 0\nf 1 1 -9223372036854775808\n",
       {"line 2", "'-9223372036854775808'", "index"}},
      {Format::kObj, "v 0 0 0\nf 1 1 1/\n", {"line 2", "'1/'", "v//vn"}},
      {Format::kObj, "v 0 0 0\nf 1 1 1/2/\n", {"line 2", "'1/2/'", "v//vn"}},
      {Format::kObj, "v 0 0 0\nf 1 1 1/2/3/4\n", {"line 2", "'1/2/3/4'", "v//vn"}},
      {Format::kObj, "v 0 0 0\nf 1 1 \x01\x80z\n", {"line 2", "'??z'", "a corner as"}},
      {Format::kObj,
       "v 0 0 0\nv 1 0 0\nf 1 1 " + std::string(5000, '9') + "\n",
       {"line 3", "9...'", "a corner as"}},
      {Format::kObj, "v 0 0 0\nv 1 0 0\nf 1 2 1\n", {"OBJ", "1 triangles without area"}},
      {Format::kObj,
       "v 0 0 0\nv 1 0 0\nv 0 2e9 0\nf 1 2 3\n",
       {"OBJ", "TriangleMesh.vertices[2]", "at most 1e+09 m"}},
  };
  for (const BadFile& file : files) {
    const std::string message = refusal(file.format, file.text);
    EXPECT_NE(message, "") << file.text.substr(0, 100);
    EXPECT_LT(message.size(), 300u);
    for (const std::string& part : file.parts) EXPECT_THAT(message, HasSubstr(part));
  }
}

/// Readers either give a mesh that keeps its promises or throw MeshError; anything else ends the
/// test run. Counts both, so that a test can tell that it tested something.
struct Tally {
  int accepted{0};
  int refused{0};

  void add(Format format, std::string_view bytes) {
    try {
      const TriangleMesh mesh = read(format, bytes);
      ASSERT_FALSE(mesh.triangles().empty());
      ASSERT_EQ(mesh.neighbours().size(), mesh.triangles().size());
      for (const Vector3d& v : mesh.vertices()) ASSERT_TRUE(v.allFinite());
      for (const TriangleMesh::Triangle& t : mesh.triangles()) {
        for (const std::uint32_t v : t) ASSERT_LT(v, mesh.vertices().size());
      }
      ++accepted;
    } catch (const MeshError& error) {
      ASSERT_GT(std::strlen(error.what()), 10u);
      ++refused;
    }
  }
};

std::vector<std::pair<Format, std::string>> samples() {
  std::string disguised = binaryTetrahedron();
  std::memcpy(disguised.data(), "solid", 5);
  return {{Format::kStl, kTextStl},
          {Format::kObj, kObj},
          {Format::kStl, binaryTetrahedron()},
          {Format::kStl, disguised},
          {Format::kStl, writeBinaryStl(boxSurface({1, 2, 3}).mesh())}};
}

TEST(MeshIo, everySampleCutAtEveryByteIsReadOrRefused) {
  for (const auto& [format, bytes] : samples()) {
    Tally tally;
    // Exact copies on the heap, so that a sanitizer sees a read past the end.
    for (std::size_t size = 0; size <= bytes.size(); ++size) {
      const std::vector<char> cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
      tally.add(format, {cut.data(), cut.size()});
    }
    EXPECT_GE(tally.accepted, 1);
    EXPECT_GE(tally.refused, 80);
  }
}

TEST(MeshIo, everySampleWithEveryBitFlippedIsReadOrRefused) {
  for (const auto& [format, bytes] : samples()) {
    Tally tally;
    std::vector<char> flipped(bytes.begin(), bytes.end());
    for (std::size_t i = 0; i < 8 * bytes.size(); ++i) {
      flipped[i / 8] = static_cast<char>(flipped[i / 8] ^ (1 << (i % 8)));
      tally.add(format, {flipped.data(), flipped.size()});
      flipped[i / 8] = static_cast<char>(flipped[i / 8] ^ (1 << (i % 8)));
    }
    EXPECT_GE(tally.accepted, 100);
    EXPECT_GE(tally.refused, 30);
  }
}

// Whatever is accepted can be written, and what was written once is read and written unchanged.
TEST(MeshIo, whatIsAcceptedSurvivesRoundTrips) {
  Random random{31};
  const std::string original = binaryTetrahedron();
  int accepted = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = original;
    for (int k = 0; k < 3; ++k) {
      bytes[static_cast<std::size_t>(84 + random.below(200))] = static_cast<char>(random.bits());
    }
    if (refusal(Format::kStl, bytes).empty()) {
      const std::string written = writeBinaryStl(read(Format::kStl, bytes));
      ASSERT_TRUE(writeBinaryStl(read(Format::kStl, written)) == written);
      ++accepted;
    }
  }
  EXPECT_GE(accepted, 1000);
}

class MeshFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("msd-mesh-" + std::to_string(static_cast<long>(getpid())));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path write(const std::string& name, const std::string& bytes) const {
    std::ofstream{folder_ / name, std::ios::binary} << bytes;
    return folder_ / name;
  }
  static std::string refusalOf(const std::filesystem::path& path) {
    try {
      (void)readMeshFile(path);
      return "";
    } catch (const MeshError& error) {
      return error.what();
    }
  }

  std::filesystem::path folder_;
};

TEST_F(MeshFile, theExtensionChoosesTheReader) {
  EXPECT_EQ(readMeshFile(write("a.stl", kTextStl)).triangles().size(), 4u);
  EXPECT_EQ(readMeshFile(write("b.STL", binaryTetrahedron())).triangles().size(), 4u);
  EXPECT_EQ(readMeshFile(write("c.Obj", kObj)).triangles().size(), 4u);
}

TEST_F(MeshFile, refusalsNameThePath) {
  const auto inFolder = [&](const char* name) { return (folder_ / name).string(); };
  EXPECT_THAT(refusalOf(write("bad.obj", "v 0 0\n")),
              testing::AllOf(HasSubstr(inFolder("bad.obj")), HasSubstr("OBJ: line 1")));
  EXPECT_THAT(refusalOf(write("what.ply", "ply")),
              testing::AllOf(HasSubstr(inFolder("what.ply")), HasSubstr("'.ply'"),
                             HasSubstr("expected .stl, .obj, .gltf or .glb")));
  EXPECT_THAT(refusalOf(folder_ / "missing.stl"), HasSubstr("expected a file that exists"));
  std::filesystem::create_directories(folder_ / "folder.stl");
  EXPECT_THAT(refusalOf(folder_ / "folder.stl"), HasSubstr("not a folder"));
  EXPECT_THAT(refusalOf("/dev/zero.obj"), HasSubstr("expected a file that exists"));
  EXPECT_THAT(refusalOf(write("empty.stl", "")), HasSubstr("byte 0"));
}

// A sparse file takes no disk: the size is refused before a byte is read.
TEST_F(MeshFile, filesOfMoreThanTwoGibibytesAreRefusedUnread) {
  const std::filesystem::path path = write("large.stl", "solid");
  std::error_code error;
  std::filesystem::resize_file(path, (std::uintmax_t{2} << 30) + 1, error);
  if (error) GTEST_SKIP() << "large sparse file: " << error.message();
  EXPECT_THAT(refusalOf(path), HasSubstr("2147483649 bytes; expected at most 2147483648"));
}

}  // namespace
}  // namespace msd_assets::test
