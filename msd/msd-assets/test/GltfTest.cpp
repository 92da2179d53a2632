// glTF files: what is read, what is refused and how it is said, and that no bytes whatever do harm.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numbers>

#include "msd-assets/src/MassProperties.hpp"
#include "msd-assets/src/MeshIo.hpp"

namespace msd_assets::test {
namespace {

using Eigen::Vector3d;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t byte =
          i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u;
      bits |= byte << (16 - 8 * k);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      text += i + k > bytes.size() ? '=' : kDigits[(bits >> (18 - 6 * k)) & 63];
    }
  }
  return text;
}

template <class T>
std::string bytesOf(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

/// Corners of a tetrahedron of volume 1/6, the first one twice, and its four faces.
const std::vector<float> kCorners{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, -0.0f, 0, 0};
const std::vector<std::uint16_t> kFaces{0, 2, 1, 4, 1, 3, 0, 3, 2, 1, 2, 3};

struct Parts {
  std::string data{bytesOf(kCorners) + bytesOf(kFaces)};
  std::string uri{};  ///< of the buffer; empty: its data in base64; "-": none
  std::string views{
      R"({"buffer": 0, "byteLength": 60}, {"buffer": 0, "byteOffset": 60, "byteLength": 24})"};
  std::string accessors{
      R"({"bufferView": 0, "componentType": 5126, "count": 5, "type": "VEC3"},)"
      R"({"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"})"};
  std::string primitive{
      R"("attributes": {"POSITION": 0, "NORMAL": 99}, "indices": 1, "material": 7)"};
  std::string nodes{R"({"mesh": 0})"};
  std::string more{R"("scenes": [{"nodes": [0]}])"};

  [[nodiscard]] std::string document() const {
    std::string buffer = "\"uri\": \"" + uri + "\", ";
    if (uri.empty())
      buffer = "\"uri\": \"data:application/octet-stream;base64," + base64(data) + "\", ";
    if (uri == "-") buffer.clear();
    return R"({"asset": {"version": "2.0"}, "buffers": [{)" + buffer +
           "\"byteLength\": " + std::to_string(data.size()) + "}], \"bufferViews\": [" + views +
           "], \"accessors\": [" + accessors + "], \"meshes\": [{\"primitives\": [{" + primitive +
           "}]}], \"nodes\": [" + nodes + "], " + more + "}";
  }
};

std::string word(std::size_t value) {
  const auto bits = static_cast<std::uint32_t>(value);
  return {reinterpret_cast<const char*>(&bits), sizeof bits};
}

/// The same as a binary file: header, JSON chunk, data chunk.
std::string binary(Parts parts) {
  parts.uri = "-";
  std::string json = parts.document();
  json.resize((json.size() + 3) / 4 * 4, ' ');
  return "glTF" + word(2) + word(12 + 16 + json.size() + parts.data.size()) + word(json.size()) +
         "JSON" + json + word(parts.data.size()) + std::string{"BIN\0", 4} + parts.data;
}

TriangleMesh read(std::string_view text, const BufferLoader& load = {}) {
  return readGltf(std::as_bytes(std::span{text.data(), text.size()}), load);
}

std::string refusal(std::string_view text) {
  try {
    (void)read(text);
    return "";
  } catch (const MeshError& error) {
    return error.what();
  }
}

/// Faces of the tetrahedron, welded: the fifth corner is the first again.
void expectTetrahedron(const TriangleMesh& mesh) {
  EXPECT_THAT(mesh.vertices(), ElementsAre(Vector3d(0, 0, 0), Vector3d(1, 0, 0), Vector3d(0, 1, 0),
                                           Vector3d(0, 0, 1)));
  EXPECT_THAT(mesh.triangles(), ElementsAre(ElementsAre(0, 2, 1), ElementsAre(0, 1, 3),
                                            ElementsAre(0, 3, 2), ElementsAre(1, 2, 3)));
  EXPECT_TRUE(mesh.isClosed());
  EXPECT_NEAR(computeMeshMass(mesh).volume, 1.0 / 6.0, 1e-16);
}

TEST(Gltf, textWithItsDataInsideBecomesAWeldedMesh) {
  expectTetrahedron(read(Parts{}.document()));
}

TEST(Gltf, binaryFileHoldsTheSameMesh) {
  expectTetrahedron(read(binary({})));
}

TEST(Gltf, buffersOutsideAreAskedForByTheirName) {
  const Parts parts{.uri = "corners and faces.bin"};
  std::string asked;
  const TriangleMesh mesh = read(parts.document(), [&](const std::string& uri) {
    asked = uri;
    const auto bytes = std::as_bytes(std::span{parts.data});
    return std::vector(bytes.begin(), bytes.end());
  });
  EXPECT_EQ(asked, "corners and faces.bin");
  expectTetrahedron(mesh);
  EXPECT_THAT(refusal(parts.document()), HasSubstr("no other file is read here"));
}

TEST(Gltf, indicesComeInThreeWidths) {
  const std::vector<std::uint8_t> narrow(kFaces.begin(), kFaces.end());
  const std::vector<std::uint32_t> wide(kFaces.begin(), kFaces.end());
  const auto with = [](const std::string& faces, int type) {
    const std::string size = std::to_string(faces.size());
    return Parts{
        .data = bytesOf(kCorners) + faces,
        .views =
            R"({"buffer": 0, "byteLength": 60}, {"buffer": 0, "byteOffset": 60, "byteLength": )" +
            size + "}",
        .accessors = R"({"bufferView": 0, "componentType": 5126, "count": 5, "type": "VEC3"},)"
                     R"({"bufferView": 1, "componentType": )" +
                     std::to_string(type) + R"(, "count": 12, "type": "SCALAR"})"};
  };
  expectTetrahedron(read(with(bytesOf(narrow), 5121).document()));
  expectTetrahedron(read(with(bytesOf(wide), 5125).document()));
}

// Positions between normals, 24 bytes apart, from byte 12 of the view on.
TEST(Gltf, interleavedCornersAreFoundByStrideAndOffset) {
  std::vector<float> mixed;
  for (std::size_t i = 0; i < 5; ++i) {
    mixed.insert(mixed.end(), {9, 9, 9});
    mixed.insert(mixed.end(), kCorners.begin() + static_cast<std::ptrdiff_t>(3 * i),
                 kCorners.begin() + static_cast<std::ptrdiff_t>(3 * i + 3));
  }
  const Parts parts{
      .data = bytesOf(mixed) + bytesOf(kFaces),
      .views = R"({"buffer": 0, "byteLength": 120, "byteStride": 24},)"
               R"({"buffer": 0, "byteOffset": 120, "byteLength": 24})",
      .accessors =
          R"({"bufferView": 0, "byteOffset": 12, "componentType": 5126, "count": 5, "type": "VEC3"},)"
          R"({"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"})"};
  expectTetrahedron(read(parts.document()));
}

TEST(Gltf, stripsAndFansKeepTheirSides) {
  // A square in the plane z = 0 whose triangles all face up.
  const std::vector<float> strip{0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
  const std::vector<float> fan{0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
  const auto with = [](const std::vector<float>& corners, int mode) {
    return Parts{
        .data = bytesOf(corners),
        .views = R"({"buffer": 0, "byteLength": 48})",
        .accessors = R"({"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"})",
        .primitive = R"("attributes": {"POSITION": 0}, "mode": )" + std::to_string(mode)};
  };
  EXPECT_THAT(read(with(strip, 5).document()).triangles(),
              ElementsAre(ElementsAre(0, 1, 2), ElementsAre(1, 3, 2)));
  EXPECT_THAT(read(with(fan, 6).document()).triangles(),
              ElementsAre(ElementsAre(0, 1, 2), ElementsAre(0, 2, 3)));
  EXPECT_THAT(refusal(with(fan, 3).document()), HasSubstr("no triangle"));  // a line
}

// Child of a parent: p -> T (R S p), R a quarter turn about z (x to y), S doubles x.
TEST(Gltf, nodesPlaceTheirMeshes) {
  Parts parts;
  parts.nodes = R"({"children": [1], "translation": [10, 0, 0]},)"
                R"({"mesh": 0, "rotation": [0, 0, 0.70710678, 0.70710678], "scale": [2, 1, 1]})";
  const TriangleMesh mesh = read(parts.document());
  const Vector3d x = mesh.vertices()[1], y = mesh.vertices()[2];
  EXPECT_NEAR((x - Vector3d(10, 2, 0)).norm(), 0.0, 1e-15);
  EXPECT_NEAR((y - Vector3d(9, 0, 0)).norm(), 0.0, 1e-15);
  EXPECT_NEAR(computeMeshMass(mesh).volume, 2.0 / 6.0, 1e-15);

  parts.nodes = R"({"mesh": 0, "matrix": [0, 2, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 10, 0, 0, 1]})";
  const TriangleMesh same = read(parts.document());
  EXPECT_NEAR((same.vertices()[1] - x).norm(), 0.0, 1e-15);
  EXPECT_NEAR((same.vertices()[2] - y).norm(), 0.0, 1e-15);
}

TEST(Gltf, mirroredMeshesKeepTheirOutside) {
  Parts parts;
  parts.nodes = R"({"mesh": 0, "scale": [-1, 1, 1]})";
  const TriangleMesh mesh = read(parts.document());
  EXPECT_EQ(mesh.vertices()[1], Vector3d(-1, 0, 0));
  EXPECT_NEAR(computeMeshMass(mesh).volume, 1.0 / 6.0, 1e-16);  // negative inside out
}

TEST(Gltf, onlyTheDefaultSceneCounts) {
  Parts parts;
  parts.nodes = R"({"mesh": 0}, {"mesh": 0, "translation": [5, 0, 0]})";
  parts.more = R"("scene": 1, "scenes": [{"nodes": [0]}, {"nodes": [1]}])";
  EXPECT_EQ(read(parts.document()).vertices()[0], Vector3d(5, 0, 0));
  parts.more = R"("scenes": [{"nodes": [0, 1]}])";
  EXPECT_EQ(read(parts.document()).triangles().size(), 8u);
  parts.more = R"("extras": 0)";  // no scene: every node that is no one's child
  EXPECT_EQ(read(parts.document()).triangles().size(), 8u);
  parts.nodes = "";
  EXPECT_EQ(read(parts.document()).triangles().size(), 4u);
}

TEST(Gltf, refusalsNameThePlaceAndTheExpectation) {
  const auto changed = [](const std::function<void(Parts&)>& change) {
    Parts parts;
    change(parts);
    return parts.document();
  };
  const auto replaced = [](std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
  const std::string good = Parts{}.document();
  const std::string two = binary({});
  const struct {
    std::string text;
    std::vector<std::string> parts;
  } cases[]{
      {"", {"byte 0", "JSON"}},
      {"[1, 2", {"byte", "JSON"}},
      {"[]", {"document", "an object"}},
      {"{}", {"\"asset\""}},
      {replaced(good, "\"2.0\"", "\"1.0\""), {"asset.version", "2.0"}},
      {changed(
           [](Parts& p) { p.more = R"("extensionsRequired": ["KHR_draco_mesh_compression"])"; }),
       {"extensionsRequired[0]", "KHR_draco", "no extension"}},
      {changed([](Parts& p) { p.nodes = R"({"mesh": 3})"; }), {"nodes[0].mesh", "'3'", "below 1"}},
      {changed([](Parts& p) { p.nodes = R"({"mesh": 0, "children": [0]})"; }),
       {"nodes[0]", "one place only"}},
      {changed([](Parts& p) { p.nodes = R"({"mesh": 0, "scale": [1, 2]})"; }),
       {"nodes[0].scale", "3 finite numbers"}},
      {changed([](Parts& p) { p.nodes = R"({"mesh": 0, "rotation": [1, 1, 0, 0]})"; }),
       {"nodes[0].rotation", "unit quaternion"}},
      {changed([](Parts& p) { p.nodes = R"({"mesh": 0, "translation": [1e300, 0, 0]})"; }),
       {"accessors[0]", "coordinates"}},
      {changed([](Parts& p) { p.primitive = R"("attributes": {"POSITION": -1})"; }),
       {"attributes.POSITION", "-1", "whole number"}},
      {changed([](Parts& p) { p.primitive = R"("attributes": {"POSITION": 1})"; }),
       {"accessors[1].type", "VEC3"}},
      {changed([](Parts& p) { p.primitive = R"("attributes": {"POSITION": 0}, "mode": 7)"; }),
       {"mode", "'7'"}},
      {changed([](Parts& p) { p.primitive = R"("attributes": {"POSITION": 0})"; }),
       {"three corners a triangle, not 5"}},
      {replaced(good, R"("componentType": 5126)", R"("componentType": 5122)"),
       {"accessors[0].componentType", "5122"}},
      {replaced(good, R"("count": 12)", R"("count": 13)"),
       {"accessors[1]", "24 bytes of its view"}},
      {replaced(good, R"("count": 12)", R"("count": 18446744073709551615)"), {"accessors[1]"}},
      {replaced(good, R"("count": 5)", R"("count": 4)"), {"indices below 4, not 4"}},
      {replaced(good, R"("byteOffset": 60)", R"("byteOffset": 61)"),
       {"bufferViews[1]", "84 bytes"}},
      {replaced(good, R"("byteLength": 84)", R"("byteLength": 85)"),
       {"buffers[0].byteLength", "84 bytes"}},
      {replaced(good, "base64,AAAA", "base64,A*AA"), {"buffers[0].uri", "base64 digits"}},
      {replaced(good, R"("count": 12,)", R"("count": 12, "sparse": {},)"), {"accessors[1].sparse"}},
      {replaced(two, word(2), word(3)), {"byte 4", "version 3"}},
      {two + "x", {"byte 8", "length"}},
      {replaced(two, "JSON", "NOSJ"), {"byte 16", "JSON chunk first"}},
      {"glTF" + word(2) + word(20) + word(1) + "JSON", {"byte 12", "a chunk of 1 bytes"}},
  };
  for (const auto& [text, parts] : cases) {
    const std::string said = refusal(text);
    for (const std::string& part : parts) {
      EXPECT_THAT(said, AllOf(HasSubstr("glTF: "), HasSubstr(part))) << text.substr(0, 200);
    }
  }
}

TEST(Gltf, deepAndWideDocumentsAreRefusedQuickly) {
  EXPECT_NE(refusal(std::string(3'000'000, '[')), "");
  EXPECT_THAT(refusal("[" + std::string(5'000'000, ',')), HasSubstr("5000001 values"));
  std::string deep = "{\"asset\": ";
  for (int i = 0; i < 1'000'000; ++i) deep += "[";
  for (int i = 0; i < 1'000'000; ++i) deep += "]";
  EXPECT_THAT(refusal(deep + "}"), HasSubstr("asset"));
}

/// Readers give a mesh that keeps its promises or throw MeshError; anything else ends the run.
struct Tally {
  int accepted{0};
  int refused{0};

  void add(const std::vector<char>& bytes) {
    try {
      const TriangleMesh mesh = read({bytes.data(), bytes.size()});
      for (const Vector3d& v : mesh.vertices()) ASSERT_TRUE(v.allFinite());
      for (const TriangleMesh::Triangle& t : mesh.triangles()) {
        for (const std::uint32_t v : t) ASSERT_LT(v, mesh.vertices().size());
      }
      ++accepted;
    } catch (const MeshError&) {
      ++refused;
    }
  }
};

TEST(Gltf, everyCutAndEveryFlippedBitIsReadOrRefused) {
  for (const std::string& sample : {Parts{}.document(), binary({})}) {
    Tally cuts, flips;
    for (std::size_t size = 0; size < sample.size(); ++size) {
      cuts.add({sample.begin(), sample.begin() + static_cast<std::ptrdiff_t>(size)});
    }
    EXPECT_EQ(cuts.accepted, 0);
    std::vector<char> bytes(sample.begin(), sample.end());
    for (std::size_t i = 0; i < 8 * bytes.size(); ++i) {
      bytes[i / 8] = static_cast<char>(bytes[i / 8] ^ (1 << (i % 8)));
      flips.add(bytes);
      bytes[i / 8] = static_cast<char>(bytes[i / 8] ^ (1 << (i % 8)));
    }
    EXPECT_GE(flips.accepted, 300);  // measured 759 and 691
    EXPECT_GE(flips.refused, 1000);
  }
}

class GltfFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("msd-gltf-" + std::to_string(static_cast<long>(getpid())));
    std::filesystem::create_directories(folder_ / "inside/data");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream{folder_ / name, std::ios::binary} << bytes;
  }
  [[nodiscard]] std::string refusalOf(const std::string& name) const {
    try {
      (void)readMeshFile(folder_ / name);
      return "";
    } catch (const MeshError& error) {
      return error.what();
    }
  }

  std::filesystem::path folder_;
};

TEST_F(GltfFiles, buffersAreReadFromTheFolderOfTheMeshOnly) {
  const Parts parts;
  write("inside/a.GLB", binary(parts));
  expectTetrahedron(readMeshFile(folder_ / "inside/a.GLB"));
  write("inside/data/two words.bin", parts.data);
  write("inside/b.gltf", Parts{.uri = "data/two%20words.bin"}.document());
  expectTetrahedron(readMeshFile(folder_ / "inside/b.gltf"));

  write("outside.bin", parts.data);
  std::filesystem::create_symlink("../outside.bin", folder_ / "inside/link.bin");
  for (const std::string uri :
       {"../outside.bin", "link.bin", "data/../../outside.bin", "%2e%2e/outside.bin", "/etc/passwd",
        "file:///etc/passwd", "https://example.org/x.bin", "none.bin", "data", ""}) {
    write("inside/c.gltf", Parts{.uri = uri.empty() ? "%00" : uri}.document());
    EXPECT_THAT(refusalOf("inside/c.gltf"), AllOf(HasSubstr("c.gltf"), HasSubstr("expected")))
        << uri;
  }
}

}  // namespace
}  // namespace msd_assets::test
