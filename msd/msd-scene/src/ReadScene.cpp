#include "msd-scene/src/ReadScene.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <utility>

#include "msd-assets/src/MeshIo.hpp"
#include "msd-scene/src/ExpandScene.hpp"
#include "msd-scene/src/JsonReader.hpp"
#include "msd-scene/src/JsonText.hpp"
#include "msd-scene/src/Limits.hpp"
#include "msd-scene/src/ParseScene.hpp"
#include "msd-scene/src/ValidateScene.hpp"

namespace msd_scene {

namespace {

namespace fs = std::filesystem;

std::string_view asText(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

SceneProblem located(const SceneIssue& issue, std::string_view text, std::string_view source) {
  return {.source = std::string{source},
          .position = findPosition(text, issue.path),
          .path = issue.path,
          .found = issue.found,
          .expected = issue.expected};
}

/// Fills hulls and meshes that name a file.
void resolveMeshes(SceneDocument& document, const MeshResolver& meshes, std::string_view text,
                   std::string_view source) {
  for (SceneShape& shape : document.shapes) {
    auto* hull = std::get_if<HullShape>(&shape.geometry);
    auto* mesh = std::get_if<MeshShape>(&shape.geometry);
    const std::string* file = hull ? &hull->file : mesh ? &mesh->file : nullptr;
    if (file == nullptr || file->empty()) continue;
    try {
      const msd_assets::TriangleMesh surface = meshes(*file);
      std::vector<Coordinate>& vertices = hull ? hull->vertices : mesh->vertices;
      const Vector3D& scale = hull ? hull->scale : mesh->scale;
      vertices.assign(surface.vertices().begin(), surface.vertices().end());
      for (Coordinate& v : vertices) v = v.cwiseProduct(scale);
      if (mesh) {
        mesh->triangles.assign(surface.triangles().begin(), surface.triangles().end());
        // A mirrored surface is turned inside out again.
        if (scale.prod() < 0.0) {
          for (auto& t : mesh->triangles) std::swap(t[1], t[2]);
        }
      }
    } catch (const std::bad_alloc&) {
      throw;  // no fault of the file
    } catch (const std::exception& reason) {
      const JsonPath path = JsonPath{} / "shapes" / shape.name / "file";
      throw SceneError{
          located({.path = path,
                   .found = fmt::format("{} ({})", shortened(jsonString(*file)), reason.what()),
                   .expected = "an STL, OBJ or glTF file inside the scene's folder"},
                  text, source)};
    }
  }
}

[[noreturn]] void failFile(const fs::path& path, std::string found, std::string expected) {
  throw SceneError{
      {.source = path.string(), .found = std::move(found), .expected = std::move(expected)}};
}

/// `file` below `folder`, both with links resolved.
fs::path resolveInside(const fs::path& folder, const std::string& file) {
  const fs::path relative{file};
  if (file.find("://") != std::string::npos) throw std::runtime_error{"a URL is not followed"};
  if (relative.is_absolute() || file.starts_with('\\') || file.find('\0') != std::string::npos) {
    throw std::runtime_error{"an absolute path is not followed"};
  }
  for (const fs::path& part : relative) {
    if (part == "..") throw std::runtime_error{"\"..\" is not followed"};
  }
  std::error_code error;
  const fs::path root = fs::canonical(folder, error);
  if (error) throw std::runtime_error{"the scene's folder cannot be found: " + error.message()};
  const fs::path target = fs::canonical(root / relative, error);
  if (error) throw std::runtime_error{error.message()};
  const auto [end, unused] = std::mismatch(root.begin(), root.end(), target.begin(), target.end());
  if (end != root.end()) throw std::runtime_error{"it leads out of the scene's folder"};
  if (!fs::is_regular_file(target, error)) throw std::runtime_error{"not a file"};
  const auto bytes = fs::file_size(target, error);
  if (error || bytes > Limits::kMeshFileBytes) {
    throw std::runtime_error{fmt::format("larger than {} bytes", Limits::kMeshFileBytes)};
  }
  return target;
}

}  // namespace

MeshResolver meshesInFolder(fs::path folder) {
  return [folder = std::move(folder)](const std::string& file) {
    return msd_assets::readMeshFile(resolveInside(folder, file));
  };
}

SceneResolver scenesInFolder(fs::path folder) {
  return [folder = std::move(folder)](const std::string& file) {
    return readTextFile(resolveInside(folder, file));
  };
}

MeshResolver noMeshes() {
  return [](const std::string&) -> msd_assets::TriangleMesh {
    throw std::runtime_error{"this scene has no folder to read files from"};
  };
}

namespace {

/// A problem of an expanded scene, at the place where its cause was written.
SceneProblem relocated(SceneProblem problem, const ExpandedScene& expanded) {
  const JsonOrigin* origin = deepest(expanded.root, problem.path).origin;
  if (origin == nullptr) return problem;
  problem.source = origin->text->name();
  problem.position = positionOf(origin->text->text(), origin->offset);
  problem.path = origin->path();
  return problem;
}

LoadedScene loadPlain(std::string_view text, std::string_view source, const MeshResolver& meshes);

LoadedScene loadExpanded(std::string_view text, std::string_view source, const MeshResolver& meshes,
                         const ExpandOptions& options) {
  const ExpandedScene expanded = expandScene(text, source, options);
  try {
    LoadedScene scene = loadPlain(writeTree(expanded.root), source, meshes);
    for (SceneProblem& warning : scene.warnings) warning = relocated(std::move(warning), expanded);
    scene.parameters = expanded.parameters;
    return scene;
  } catch (const SceneError& error) {
    std::vector<SceneProblem> others = error.others();
    for (SceneProblem& other : others) other = relocated(std::move(other), expanded);
    throw SceneError{relocated(error.problem(), expanded), std::move(others)};
  }
}

}  // namespace

LoadedScene loadScene(std::span<const std::byte> bytes, std::string_view source,
                      const MeshResolver& meshes, const ExpandOptions& expand) {
  const std::string_view text = asText(bytes);
  if (text.size() > Limits::kFileBytes) {
    throw SceneError{{.source = std::string{source},
                      .found = fmt::format("{} bytes", text.size()),
                      .expected = fmt::format("at most {} bytes", Limits::kFileBytes)}};
  }
  if (isVersion2(text)) return loadExpanded(text, source, meshes, expand);
  if (!expand.parameters.empty()) {
    throw SceneError{
        {.source = std::string{source},
         .found = fmt::format("no parameter {}", jsonString(expand.parameters.begin()->first)),
         .expected = "a scene of version 2, which may have parameters"}};
  }
  return loadPlain(text, source, meshes);
}

namespace {

LoadedScene loadPlain(std::string_view text, std::string_view source, const MeshResolver& meshes) {
  LoadedScene scene{.document = parseScene(text, source)};
  resolveMeshes(scene.document, meshes, text, source);
  Validation validation = validate(scene.document);
  if (const SceneIssue* first = validation.firstError()) {
    std::vector<SceneProblem> others;
    for (const SceneIssue& issue : validation.issues) {
      if (&issue != first && issue.severity == SceneIssue::Severity::kError) {
        others.push_back(located(issue, text, source));
      }
    }
    throw SceneError{located(*first, text, source), std::move(others)};
  }
  scene.shapes = std::move(validation.shapes);
  for (const SceneIssue& issue : validation.issues) {
    scene.warnings.push_back(located(issue, text, source));
  }
  return scene;
}

}  // namespace

SceneDocument readScene(std::span<const std::byte> bytes, const fs::path& folder) {
  return loadScene(bytes, {}, meshesInFolder(folder), {.files = scenesInFolder(folder)}).document;
}

std::string readTextFile(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) {
    failFile(path,
             error && error != std::errc::no_such_file_or_directory ? error.message()
                                                                    : "no file of this name",
             "a scene file");
  }
  if (fs::is_directory(status)) failFile(path, "a directory", "a scene file");
  const auto close = [](std::FILE* f) { std::fclose(f); };
  const std::unique_ptr<std::FILE, decltype(close)> file{std::fopen(path.c_str(), "rb"), close};
  if (!file) failFile(path, std::strerror(errno), "a file that can be read");
  if (fs::is_regular_file(status) && fs::file_size(path, error) > Limits::kFileBytes && !error) {
    failFile(path, fmt::format("{} bytes", fs::file_size(path, error)),
             fmt::format("at most {} bytes", Limits::kFileBytes));
  }
  // Read in pieces: a pipe has no size, and a file may grow while it is read.
  std::string text;
  constexpr std::size_t kPiece = 1u << 20;
  for (;;) {
    const std::size_t before = text.size();
    text.resize(before + kPiece);
    const std::size_t got = std::fread(text.data() + before, 1, kPiece, file.get());
    text.resize(before + got);
    if (text.size() > Limits::kFileBytes) {
      failFile(path, "more bytes than that", fmt::format("at most {}", Limits::kFileBytes));
    }
    if (got < kPiece) break;
  }
  if (std::ferror(file.get())) failFile(path, std::strerror(errno), "a file that can be read");
  return text;
}

LoadedScene loadSceneFile(const fs::path& path) {
  return loadSceneFile(path, {});
}

LoadedScene loadSceneFile(const fs::path& path, const Variables& parameters) {
  const std::string text = readTextFile(path);
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path{"."};
  return loadScene(std::as_bytes(std::span{text}), path.string(), meshesInFolder(folder),
                   {.parameters = parameters, .files = scenesInFolder(folder)});
}

}  // namespace msd_scene
