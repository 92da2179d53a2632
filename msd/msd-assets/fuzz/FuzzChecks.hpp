#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <stdexcept>

#include "msd-assets/src/MassProperties.hpp"
#include "msd-assets/src/MeshIo.hpp"

/// What must hold for everything that a reader accepts, whatever the bytes.
namespace msd_assets::fuzz {

inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

inline std::span<const std::byte> asBytes(const std::string& text) {
  return std::as_bytes(std::span<const char>{text.data(), text.size()});
}

inline void checkMass(const MassProperties& mass) {
  require(mass.volume > 0.0 && std::isfinite(mass.volume), "positive, finite volume");
  require(mass.centreOfMass.allFinite(), "finite centre");
  require(mass.inertia.allFinite(), "finite inertia");
  require(mass.inertia.diagonal().minCoeff() > 0.0, "positive inertia");
}

inline void checkMesh(const TriangleMesh& mesh) {
  require(!mesh.triangles().empty(), "a mesh has triangles");
  require(mesh.neighbours().size() == mesh.triangles().size(), "neighbours for every triangle");
  for (const TriangleMesh::Triangle& t : mesh.triangles()) {
    for (const std::uint32_t v : t) require(v < mesh.vertices().size(), "indices in range");
  }
  for (const auto& sides : mesh.neighbours()) {
    for (const std::uint32_t n : sides) {
      require(n == TriangleMesh::kNoNeighbour || n < mesh.triangles().size(),
              "neighbours in range");
    }
  }
  try {
    checkMass(computeMassProperties(Mesh{std::make_shared<const TriangleMesh>(mesh)}));
  } catch (const std::invalid_argument&) {  // open, flat, or out of size: said, not crashed
  }
  // What was written is read and written again without a change. Rounding to float may leave
  // nothing with an area.
  try {
    const std::string written = writeBinaryStl(mesh);
    const std::string again = writeBinaryStl(readStl(asBytes(written)));
    require(writeBinaryStl(readStl(asBytes(again))) == again, "round trips are stable");
  } catch (const MeshError&) {
  }
}

}  // namespace msd_assets::fuzz
