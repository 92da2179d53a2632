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
/// Coordinates are taken as metres. Memory stays within a small multiple of the input's size.
[[nodiscard]] TriangleMesh readStl(std::span<const std::byte> bytes);  ///< text or binary
[[nodiscard]] TriangleMesh readObj(std::span<const std::byte> bytes);  ///< faces are triangulated

/// Reads a file by its extension (.stl, .obj). Throws MeshError, which names the path.
[[nodiscard]] TriangleMesh readMeshFile(const std::filesystem::path& path);

/// Binary STL, 50 bytes a triangle, for exporting what was read or built.
[[nodiscard]] std::string writeBinaryStl(const TriangleMesh& mesh);

}  // namespace msd_assets
