#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "msd-assets/src/TriangleMesh.hpp"

namespace msd_assets {

/// A mesh file that cannot be read. The message names the format, the place (line or byte) and
/// what was expected there.
class MeshError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Readers are pure functions of bytes: no file access, no reference to other files is followed.
/// Coordinates are taken as metres. Memory stays within a small multiple of the input's size; files
/// of more than 2 GiB or 10,000,000 triangles are refused. All throw MeshError.

/// STL, text or binary. A file whose size fits its binary count is binary, even when it starts with
/// "solid". Corners with equal coordinates become one vertex, in the order of their appearance.
/// Normals and attributes are not used.
[[nodiscard]] TriangleMesh readStl(std::span<const std::byte> bytes);

/// OBJ: v and f lines (v, v/vt, v//vn, v/vt/vn; negative indices count backwards); polygons become
/// fans of triangles. Everything else is skipped, material files too.
[[nodiscard]] TriangleMesh readObj(std::span<const std::byte> bytes);

/// Bytes of a file that a glTF file names in its folder; throws MeshError where there is none.
using BufferLoader = std::function<std::vector<std::byte>(const std::string& uri)>;

/// glTF 2.0, text or binary: the triangles, strips and fans of the default scene as its nodes place
/// them, in rest position. Corners with equal coordinates become one vertex. glTF counts y as up;
/// coordinates are taken as they are. Buffers lie in the file; those outside are asked from `load`,
/// or refused without it. Compressed and sparse geometry is refused, looks are skipped.
[[nodiscard]] TriangleMesh readGltf(std::span<const std::byte> bytes,
                                    const BufferLoader& load = {});

/// Reads a file by its extension (.stl, .obj, .gltf, .glb). A glTF file's buffers must lie in its
/// folder or below. Throws MeshError, which names the path.
[[nodiscard]] TriangleMesh readMeshFile(const std::filesystem::path& path);

/// Binary STL, 50 bytes a triangle, for exporting what was read or built. Coordinates are rounded
/// to single precision: the format holds no more.
[[nodiscard]] std::string writeBinaryStl(const TriangleMesh& mesh);

}  // namespace msd_assets
