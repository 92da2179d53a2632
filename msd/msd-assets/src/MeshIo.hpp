#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>

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
/// of more than 2 GiB or 10,000,000 triangles are refused. Both throw MeshError.

/// STL, text or binary. A file whose size fits its binary count is binary, even when it starts with
/// "solid". Corners with equal coordinates become one vertex, in the order of their appearance.
/// Normals and attributes are not used.
[[nodiscard]] TriangleMesh readStl(std::span<const std::byte> bytes);

/// OBJ: v and f lines (v, v/vt, v//vn, v/vt/vn; negative indices count backwards); polygons become
/// fans of triangles. Everything else is skipped, material files too.
[[nodiscard]] TriangleMesh readObj(std::span<const std::byte> bytes);

/// Reads a file by its extension (.stl, .obj). Throws MeshError, which names the path.
[[nodiscard]] TriangleMesh readMeshFile(const std::filesystem::path& path);

/// Binary STL, 50 bytes a triangle, for exporting what was read or built. Coordinates are rounded
/// to single precision: the format holds no more.
[[nodiscard]] std::string writeBinaryStl(const TriangleMesh& mesh);

}  // namespace msd_assets
