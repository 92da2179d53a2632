#include "msd-import/src/RobotFiles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <stdexcept>

#include "msd-assets/src/MeshIo.hpp"
#include "msd-scene/src/ReadScene.hpp"

namespace msd_import {

namespace {

namespace fs = std::filesystem;

bool isFile(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

/// The folders above a file, nearest first.
std::vector<fs::path> foldersAbove(const fs::path& file) {
  std::vector<fs::path> folders;
  std::error_code error;
  fs::path folder = fs::absolute(file, error).parent_path();
  while (!error && !folder.empty()) {
    folders.push_back(folder);
    if (folder == folder.parent_path()) break;
    folder = folder.parent_path();
  }
  return folders;
}

std::optional<fs::path> findInPackage(const fs::path& name, std::vector<fs::path> roots) {
  const fs::path package = name.empty() ? fs::path{} : *name.begin();
  const fs::path inside = name.lexically_relative(package);
  for (const fs::path& root : roots) {
    if (isFile(root / name)) return root / name;
    if (root.filename() == package && isFile(root / inside)) return root / inside;
  }
  // A package that was unpacked without its folder.
  for (const fs::path& root : roots) {
    if (isFile(root / inside)) return root / inside;
  }
  return std::nullopt;
}

std::optional<fs::path> findFile(std::string written, const fs::path& from,
                                 const std::vector<fs::path>& searchPaths) {
  std::ranges::replace(written, '\\', '/');
  for (const std::string_view scheme : {"package://", "model://"}) {
    if (!written.starts_with(scheme)) continue;
    std::vector<fs::path> roots{searchPaths};
    const std::vector<fs::path> above = foldersAbove(from);
    roots.insert(roots.end(), above.begin(), above.end());
    return findInPackage(written.substr(scheme.size()), std::move(roots));
  }
  if (written.starts_with("file://")) written.erase(0, 7);
  if (written.find("://") != std::string::npos) throw std::runtime_error{"a URL is not followed"};
  const fs::path path{written};
  if (path.is_absolute()) return isFile(path) ? std::optional{path} : std::nullopt;
  if (isFile(from.parent_path() / path)) return from.parent_path() / path;
  for (const fs::path& root : searchPaths) {
    if (isFile(root / path)) return root / path;
  }
  return std::nullopt;
}

/// A file that is missing may have been kept one folder higher: a/b/c.stl as a/c.stl or c.stl.
std::optional<fs::path> findHigher(const std::string& written, const fs::path& from) {
  if (written.find("://") != std::string::npos) return std::nullopt;
  const fs::path path{written};
  for (fs::path folder = path.parent_path(); folder.has_relative_path();) {
    folder = folder.parent_path();
    const fs::path place = from.parent_path() / folder / path.filename();
    if (isFile(place)) return place;
  }
  return std::nullopt;
}

}  // namespace

FileFinder filesOnDisk(std::vector<fs::path> searchPaths) {
  return [searchPaths = std::move(searchPaths)](const std::string& written,
                                                const std::string& from) -> FoundFile {
    if (written.find('\0') != std::string::npos)
      throw std::runtime_error{"a name with a zero byte"};
    auto path = findFile(written, from, searchPaths);
    const bool elsewhere = !path;
    if (!path) path = findHigher(written, from);
    if (!path) throw std::runtime_error{"no file of this name"};
    return {path->lexically_normal().string(), msd_scene::readTextFile(*path), elsewhere};
  };
}

FileFinder noFiles() {
  return [](const std::string&, const std::string&) -> FoundFile {
    throw std::runtime_error{"this robot has no folder to read files from"};
  };
}

RobotMesh readRobotMesh(const FoundFile& file, const Vector3D& scale) {
  std::string extension = fs::path{file.name}.extension().string();
  std::ranges::transform(extension, extension.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  const auto bytes = std::as_bytes(std::span{file.bytes});
  const auto read = [&]() -> msd_assets::TriangleMesh {
    if (extension == ".stl") return msd_assets::readStl(bytes);
    if (extension == ".obj") return msd_assets::readObj(bytes);
    if (extension == ".gltf" || extension == ".glb") return msd_assets::readGltf(bytes);
    throw std::runtime_error{fmt::format(
        "a mesh of the kind \"{}\", which must be converted: STL, OBJ and glTF are read",
        extension)};
  };
  const msd_assets::TriangleMesh surface = read();
  RobotMesh mesh{.name = fs::path{file.name}.stem().string()};
  mesh.vertices.reserve(surface.vertices().size());
  for (const Eigen::Vector3d& v : surface.vertices())
    mesh.vertices.push_back(v.cwiseProduct(scale));
  mesh.triangles.assign(surface.triangles().begin(), surface.triangles().end());
  if (scale.x() * scale.y() * scale.z() < 0.0) {
    for (auto& t : mesh.triangles) std::swap(t[1], t[2]);
  }
  return mesh;
}

}  // namespace msd_import
