#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "msd-assets/src/Check.hpp"
#include "msd-assets/src/GltfFile.hpp"
#include "msd-assets/src/MeshReaders.hpp"
#include "msd-assets/src/VertexCollector.hpp"

namespace msd_assets {

namespace {

using Triangle = TriangleMesh::Triangle;
using Transform = Eigen::Affine3d;

// Numbers of the format.
enum ComponentType : std::uint64_t { kByte = 5121, kShort = 5123, kInt = 5125, kFloat = 5126 };
enum Mode : std::uint64_t { kTriangles = 4, kStrip = 5, kFan = 6 };

std::size_t componentBytes(std::uint64_t type) {
  return type == kByte ? 1 : type == kShort ? 2 : 4;
}

/// The bytes of an accessor's elements: element i starts at i * stride.
struct Elements {
  std::span<const std::byte> bytes;
  std::size_t stride{0};
  std::size_t count{0};
  std::uint64_t type{0};
};

class GltfParser {
 public:
  explicit GltfParser(const GltfFile& file)
      : file_{file},
        views_{file.root().list("bufferViews")},
        accessors_{file.root().list("accessors")},
        meshes_{file.root().list("meshes")},
        nodes_{file.root().list("nodes")},
        vertices_{1024},
        visited_(nodes_.size(), false) {}

  TriangleMesh parse() {
    checkVersion();
    checkExtensions();
    if (nodes_.empty()) {
      for (const GltfPlace& mesh : meshes_) addMesh(mesh, Transform::Identity());
    } else {
      for (const std::size_t root : roots()) addTree(root);
    }
    if (triangles_.empty()) {
      throw MeshError{"glTF: no triangle in the default scene; expected at least one"};
    }
    return makeMesh("glTF", vertices_.take(), std::move(triangles_));
  }

 private:
  void checkVersion() const {
    const std::optional<GltfPlace> asset = file_.root().find("asset");
    if (!asset) file_.root().fail("a member \"asset\"");
    if (!asset->text("version").starts_with("2.")) asset->find("version")->fail("\"2.0\"");
  }

  /// What only concerns the looks of a surface may be required; what changes how its corners are
  /// stored may not.
  void checkExtensions() const {
    for (const GltfPlace& extension : file_.root().list("extensionsRequired")) {
      const std::string name = extension.asText();
      constexpr std::array<std::string_view, 3> kHarmless{"KHR_materials_", "KHR_texture_",
                                                          "KHR_lights_"};
      const bool harmless = std::any_of(kHarmless.begin(), kHarmless.end(), [&](const auto prefix) {
        return std::string_view{name}.starts_with(prefix);
      });
      if (!harmless) extension.fail("a file that needs no extension of its geometry");
    }
  }

  /// Nodes of the default scene; without scenes those that are no one's child.
  [[nodiscard]] std::vector<std::size_t> roots() const {
    const std::vector<GltfPlace> scenes = file_.root().list("scenes");
    std::vector<std::size_t> roots;
    if (!scenes.empty()) {
      const std::size_t scene =
          file_.root().find("scene") ? file_.root().index("scene", scenes.size()) : 0;
      for (const GltfPlace& node : scenes[scene].list("nodes")) {
        roots.push_back(node.asIndex(nodes_.size()));
      }
      return roots;
    }
    std::vector<bool> isChild(nodes_.size(), false);
    for (const GltfPlace& node : nodes_) {
      for (const GltfPlace& child : node.list("children"))
        isChild[child.asIndex(nodes_.size())] = true;
    }
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (!isChild[i]) roots.push_back(i);
    }
    return roots;
  }

  /// A node and what hangs below it, parents before children, in the order of the file.
  void addTree(std::size_t root) {
    std::vector<std::pair<std::size_t, Transform>> waiting{{root, Transform::Identity()}};
    while (!waiting.empty()) {
      const auto [index, parent] = waiting.back();
      waiting.pop_back();
      const GltfPlace& node = nodes_[index];
      if (visited_[index]) node.fail("a node that hangs in one place only");
      visited_[index] = true;
      const Transform place = parent * transformOf(node);
      if (node.find("mesh")) addMesh(meshes_[node.index("mesh", meshes_.size())], place);
      const std::vector<GltfPlace> children = node.list("children");
      for (std::size_t i = children.size(); i-- > 0;) {
        waiting.emplace_back(children[i].asIndex(nodes_.size()), place);
      }
    }
  }

  /// A matrix, column by column, or T · R · S.
  static Transform transformOf(const GltfPlace& node) {
    Transform transform = Transform::Identity();
    if (node.find("matrix")) {
      const std::vector<double> m = node.numbers("matrix", 16, {});
      transform.matrix() = Eigen::Map<const Eigen::Matrix4d>(m.data());
      if (transform.matrix().row(3) != Eigen::RowVector4d{0.0, 0.0, 0.0, 1.0}) {
        node.find("matrix")->fail("a last row of 0, 0, 0, 1");
      }
      return transform;
    }
    const std::vector<double> t = node.numbers("translation", 3, {0.0, 0.0, 0.0});
    const std::vector<double> q = node.numbers("rotation", 4, {0.0, 0.0, 0.0, 1.0});
    const std::vector<double> s = node.numbers("scale", 3, {1.0, 1.0, 1.0});
    const Eigen::Quaterniond rotation{q[3], q[0], q[1], q[2]};
    if (!(std::abs(rotation.norm() - 1.0) <= kRotationSlack)) {
      node.find("rotation")->fail("a unit quaternion x, y, z, w");
    }
    transform.translate(Eigen::Vector3d{t[0], t[1], t[2]});
    transform.rotate(rotation.normalized());
    transform.scale(Eigen::Vector3d{s[0], s[1], s[2]});
    return transform;
  }

  void addMesh(const GltfPlace& mesh, const Transform& place) {
    for (const GltfPlace& primitive : mesh.list("primitives")) addPrimitive(primitive, place);
  }

  void addPrimitive(const GltfPlace& primitive, const Transform& place) {
    const std::uint64_t mode = primitive.whole("mode", kTriangles);
    const std::optional<GltfPlace> attributes = primitive.find("attributes");
    // Points and lines have no surface.
    if (mode < kTriangles || !attributes || !attributes->find("POSITION")) return;
    if (mode > kFan) primitive.find("mode")->fail("a number up to 6");
    const std::vector<std::uint32_t> corners = readPositions(*attributes, place);
    // A mirror turns the surface inside out unless its corners are taken the other way round.
    const bool mirrored = place.linear().determinant() < 0.0;
    const Elements indices = primitive.find("indices") ? readIndices(primitive) : Elements{};
    const std::size_t count = primitive.find("indices") ? indices.count : corners.size();
    const auto corner = [&](std::size_t i) {
      if (indices.count == 0) return corners[i];
      const std::uint32_t index = indexAt(indices, i);
      if (index >= corners.size()) {
        primitive.find("indices")->fail(
            fmt::format("indices below {}, not {} (element {})", corners.size(), index, i));
      }
      return corners[index];
    };
    const auto add = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
      if (triangles_.size() == tolerances::kMaxTriangles) {
        primitive.fail(fmt::format("at most {} triangles", tolerances::kMaxTriangles));
      }
      triangles_.push_back(mirrored ? Triangle{a, c, b} : Triangle{a, b, c});
    };
    if (mode == kTriangles) {
      if (count % 3 != 0) primitive.fail(fmt::format("three corners a triangle, not {}", count));
      for (std::size_t i = 0; i + 2 < count; i += 3) add(corner(i), corner(i + 1), corner(i + 2));
    } else {
      for (std::size_t i = 0; i + 2 < count; ++i) {
        if (mode == kFan) {
          add(corner(0), corner(i + 1), corner(i + 2));
        } else {
          add(corner(i), corner(i + 1 + i % 2), corner(i + 2 - i % 2));
        }
      }
    }
  }

  /// Numbers of the vertices, moved to where the node puts them.
  std::vector<std::uint32_t> readPositions(const GltfPlace& attributes, const Transform& place) {
    const GltfPlace& accessor = accessors_[attributes.index("POSITION", accessors_.size())];
    if (accessor.text("type") != "VEC3") accessor.find("type")->fail("\"VEC3\" for positions");
    const Elements e = elementsOf(accessor, 3);
    if (e.type != kFloat) accessor.find("componentType")->fail("5126 (float) for positions");
    read_positions_ += e.count;
    if (read_positions_ > 3 * tolerances::kMaxTriangles) {
      accessor.fail(fmt::format("at most {} positions", 3 * tolerances::kMaxTriangles));
    }
    std::vector<std::uint32_t> numbers;
    numbers.reserve(e.count);
    for (std::size_t i = 0; i < e.count; ++i) {
      Eigen::Vector3d p;
      for (std::size_t c = 0; c < 3; ++c) {
        p[static_cast<int>(c)] =
            static_cast<double>(std::bit_cast<float>(littleEndian(e.bytes, i * e.stride + 4 * c)));
      }
      const Eigen::Vector3d moved = place * p;
      if (!check::isPoint(moved)) accessor.fail(check::coordinateRange());
      numbers.push_back(vertices_.add(moved));
    }
    return numbers;
  }

  [[nodiscard]] Elements readIndices(const GltfPlace& primitive) const {
    const GltfPlace& accessor = accessors_[primitive.index("indices", accessors_.size())];
    if (accessor.text("type") != "SCALAR") accessor.find("type")->fail("\"SCALAR\" for indices");
    const Elements e = elementsOf(accessor, 1);
    if (e.type == kFloat) accessor.find("componentType")->fail("5121, 5123 or 5125 for indices");
    return e;
  }

  [[nodiscard]] static std::uint32_t indexAt(const Elements& e, std::size_t i) {
    std::uint32_t value = 0;
    for (std::size_t b = 0; b < componentBytes(e.type); ++b) {
      value |= std::to_integer<std::uint32_t>(e.bytes[i * e.stride + b]) << (8 * b);
    }
    return value;
  }

  /// Where an accessor's elements lie; all of them inside its buffer.
  [[nodiscard]] Elements elementsOf(const GltfPlace& accessor, std::size_t components) const {
    Elements e;
    e.type = accessor.whole("componentType");
    if (e.type != kByte && e.type != kShort && e.type != kInt && e.type != kFloat) {
      accessor.find("componentType")->fail("5121, 5123, 5125 or 5126");
    }
    if (accessor.find("sparse"))
      accessor.find("sparse")->fail("an accessor that lists all elements");
    const GltfPlace& view = views_[accessor.index("bufferView", views_.size())];
    const std::span<const std::byte> buffer =
        file_.buffers[view.index("buffer", file_.buffers.size())];
    const std::uint64_t from = view.whole("byteOffset", 0), length = view.whole("byteLength");
    if (from > buffer.size() || length > buffer.size() - from) {
      view.fail(fmt::format("a part of the buffer's {} bytes", buffer.size()));
    }
    const std::size_t size = components * componentBytes(e.type);
    e.stride = view.whole("byteStride", size);
    const std::uint64_t offset = accessor.whole("byteOffset", 0), count = accessor.whole("count");
    if (e.stride < size || e.stride > kLongestStride) {
      view.find("byteStride")->fail(fmt::format("{} to {}", size, kLongestStride));
    }
    if (count == 0) accessor.find("count")->fail("at least 1");
    if (offset > length || length - offset < size ||
        (count - 1) > (length - offset - size) / e.stride) {
      accessor.fail(fmt::format("elements inside the {} bytes of its view", length));
    }
    e.count = static_cast<std::size_t>(count);
    e.bytes = buffer.subspan(from + offset, (e.count - 1) * e.stride + size);
    return e;
  }

  static constexpr std::uint64_t kLongestStride = 252;  // of the format
  // Rotations are often written with four digits; what is farther from 1 is no rotation.
  static constexpr double kRotationSlack = 1e-3;

  const GltfFile& file_;
  std::vector<GltfPlace> views_, accessors_, meshes_, nodes_;
  VertexCollector vertices_;
  std::vector<Triangle> triangles_;
  std::vector<bool> visited_;      ///< per node
  std::size_t read_positions_{0};  ///< over all instances of all meshes
};

}  // namespace

TriangleMesh readGltf(std::span<const std::byte> bytes, const BufferLoader& load) {
  checkFileSize("glTF", bytes.size());
  const GltfFile file = openGltf(bytes, load);
  return GltfParser{file}.parse();
}

}  // namespace msd_assets
