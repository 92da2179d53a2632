#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "msd-assets/src/MeshIo.hpp"

/// Private to the library: what the readers share.
namespace msd_assets {

[[nodiscard]] inline std::string_view asText(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The four bytes from `at` on, least significant first.
[[nodiscard]] inline std::uint32_t littleEndian(std::span<const std::byte> bytes, std::size_t at) {
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    word |= std::to_integer<std::uint32_t>(bytes[at + i]) << (8 * i);
  }
  return word;
}

/// Found text for a message: quoted, cut to a readable length, anything unprintable as '?'.
[[nodiscard]] std::string quoteFound(std::string_view found);

/// A finite number in the C locale's notation, the whole of the token; "+1" is allowed.
[[nodiscard]] std::optional<double> parseNumber(std::string_view token);

/// Refuses files beyond the limit on bytes, before anything is done with them.
void checkFileSize(std::string_view format, std::size_t bytes);

/// Builds the mesh; what its constructor refuses becomes a MeshError of this format.
[[nodiscard]] TriangleMesh makeMesh(std::string_view format, std::vector<Eigen::Vector3d> vertices,
                                    std::vector<TriangleMesh::Triangle> triangles);

}  // namespace msd_assets
