#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>

#include "msd-assets/src/MassProperties.hpp"
#include "msd-assets/src/MeshIo.hpp"
#include "msd-exe/src/Command.hpp"
#include "msd-exe/src/Console.hpp"
#include "msd-exe/src/RecordingInfo.hpp"
#include "msd-exe/src/SceneInput.hpp"
#include "msd-record/src/OpenRecording.hpp"
#include "msd-scene/src/ReadScene.hpp"
#include "msd-scene/src/WriteScene.hpp"
#include "msd-study/src/ResultsFile.hpp"
#include "msd-study/src/StudyTable.hpp"

namespace msd_exe {

namespace {

namespace fs = std::filesystem;
using msd_scene::SceneDocument;

template <class... Args>
void line(std::string_view label, fmt::format_string<Args...> format, Args&&... args) {
  tell("{:<12} {}\n", label, fmt::format(format, std::forward<Args>(args)...));
}

std::string vectorText(const Eigen::Vector3d& v) {
  return fmt::format("{:.6g} {:.6g} {:.6g}", v.x(), v.y(), v.z());
}

/// "3 box, 1 sphere", most frequent first.
std::string countText(const std::map<std::string_view, std::size_t>& counts) {
  std::vector<std::pair<std::size_t, std::string_view>> order;
  for (const auto& [name, count] : counts) order.emplace_back(count, name);
  std::ranges::sort(order, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  std::string text;
  for (const auto& [count, name] : order) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name);
  }
  return text.empty() ? "none" : text;
}

/// Mass of the bodies that move [kg].
double movingMass(const msd_scene::LoadedScene& scene) {
  const msd_scene::NameTable shapes{scene.document.shapes};
  const msd_scene::NameTable materials{scene.document.materials};
  std::map<std::size_t, double> volumes;
  double sum = 0.0;
  for (const msd_scene::SceneBody& body : scene.document.bodies) {
    if (body.isStatic || body.kinematic) continue;
    if (body.mass) {
      sum += *body.mass;
      continue;
    }
    const std::size_t shape = shapes.find(body.shape);
    const auto [entry, isNew] = volumes.try_emplace(shape, 0.0);
    if (isNew) entry->second = msd_assets::computeMassProperties(scene.shapes[shape]).volume;
    const std::size_t material = materials.find(body.material);
    sum += entry->second * (material == msd_scene::NameTable::npos
                                ? msd_scene::SceneMaterial{}.density
                                : scene.document.materials[material].density);
  }
  return sum;
}

void printBodies(const msd_scene::LoadedScene& scene) {
  const SceneDocument& document = scene.document;
  std::map<std::string_view, std::size_t> kinds;
  Eigen::AlignedBox3d positions;
  for (const msd_scene::SceneBody& body : document.bodies) {
    ++kinds[body.isStatic ? "static" : body.kinematic ? "kinematic" : "moving"];
    if (!body.isStatic) positions.extend(body.position);
  }
  line("bodies", "{}: {}", document.bodies.size(), countText(kinds));
  line("mass", "{:.6g} kg of moving bodies", movingMass(scene));
  if (!positions.isEmpty()) {
    line("positions", "from {} to {} m (bodies that move)", vectorText(positions.min()),
         vectorText(positions.max()));
  }
}

struct InfoOptions {
  SceneInput input{};
  bool expanded{false};
};

int describeScene(const InfoOptions& options) {
  const std::string& path = options.input.path;
  const msd_scene::LoadedScene scene = loadInput(options.input);
  if (options.expanded) {
    const std::string text = msd_scene::writeScene(scene.document);
    tell("{}", text);
    return kOk;
  }
  const SceneDocument& document = scene.document;
  line("scene", "{}", document.name.empty() ? fs::path{path}.stem().string() : document.name);
  if (!document.description.empty()) line("about", "{}", document.description);
  line("time", "{} steps of {:.6g} s = {:.6g} s", document.steps, document.dt,
       static_cast<double>(document.steps) * document.dt);
  line("gravity", "{} m/s^2", vectorText(document.gravity));
  printBodies(scene);
  std::map<std::string_view, std::size_t> shapes;
  for (const msd_scene::SceneShape& shape : document.shapes) ++shapes[msd_scene::typeName(shape)];
  line("shapes", "{}: {}", document.shapes.size(), countText(shapes));
  std::map<std::string_view, std::size_t> joints;
  for (const msd_scene::SceneJoint& joint : document.joints) {
    ++joints[msd_scene::kJointTypes[static_cast<std::size_t>(joint.kind)]];
  }
  line("joints", "{}: {}", document.joints.size(), countText(joints));
  for (const msd_scene::SceneMaterial& m : document.materials) {
    line("material", "{}: friction {:.4g}, restitution {:.4g}, density {:.6g} kg/m^3", m.name,
         m.friction, m.restitution, m.density);
  }
  if (!document.expect.empty()) line("checks", "{}", document.expect.size());
  for (const msd_scene::SceneProblem& warning : scene.warnings) {
    line("warning", "{}", msd_scene::describe(warning));
  }
  return kOk;
}

int describeMesh(const std::string& path) {
  const msd_assets::TriangleMesh mesh = [&] {
    try {
      return msd_assets::readMeshFile(path);
    } catch (const msd_assets::MeshError& error) {
      throw UsageError{error.what()};
    }
  }();
  Eigen::AlignedBox3d bounds;
  for (const Eigen::Vector3d& vertex : mesh.vertices()) bounds.extend(vertex);
  line("mesh", "{} triangles, {} vertices", mesh.triangles().size(), mesh.vertices().size());
  line("bounds", "from {} to {} m", vectorText(bounds.min()), vectorText(bounds.max()));
  line("surface", "{}", mesh.isClosed() ? "closed" : "open");
  if (mesh.isClosed()) {
    const msd_assets::MassProperties mass = msd_assets::computeMeshMass(mesh);
    line("volume", "{:.9g} m^3", mass.volume);
    line("centre", "{} m", vectorText(mass.centreOfMass));
  }
  for (const std::string& warning : mesh.report().warnings) line("warning", "{}", warning);
  return kOk;
}

int describePoses(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  std::array<std::int32_t, 2> header{};
  if (!file.read(reinterpret_cast<char*>(header.data()), sizeof header)) {
    throw UsageError{fmt::format("{}: found less than 8 bytes, expected a poses file", path)};
  }
  const auto [bodies, frames] = header;
  const std::uint64_t frameBytes = 8 * (1 + 13 * static_cast<std::uint64_t>(std::max(bodies, 0)));
  const std::uint64_t expected =
      sizeof header + frameBytes * static_cast<std::uint64_t>(std::max(frames, 0));
  const std::uint64_t size = fs::file_size(path);
  if (bodies < 0 || frames < 1 || size != expected) {
    throw UsageError{
        fmt::format("{}: found {} bytes and a header of {} bodies, {} frames; "
                    "expected a poses file (that header makes {} bytes)",
                    path, size, bodies, frames, expected)};
  }
  double first = 0.0;
  double last = 0.0;
  file.read(reinterpret_cast<char*>(&first), sizeof first);
  file.seekg(static_cast<std::streamoff>(expected - frameBytes));
  file.read(reinterpret_cast<char*>(&last), sizeof last);
  line("poses", "{} frames of {} bodies, from {:.6g} to {:.6g} s", frames, bodies, first, last);
  return kOk;
}

int describeStudy(const std::string& path) {
  const msd_study::StudyTable table = msd_study::readTable(path);
  line("study", "{}: {} of {} cases done, {}", table.name, table.rows(), table.cases, table.status);
  line("made", "{} by {}", table.created, table.build);
  for (const std::string_view kind : {"parameter", "measure"}) {
    for (const msd_study::TableColumn* column : table.ofKind(kind)) {
      line(kind, "{} [{}]", column->name, column->unit);
    }
  }
  line("next", "msd report {}", path);
  return kOk;
}

int describe(const InfoOptions& options) {
  const std::string& path = options.input.path;
  if (path == "-") return describeScene(options);
  std::string extension = fs::path{path}.extension().string();
  std::ranges::transform(extension, extension.begin(), [](unsigned char c) {
    return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  });
  std::error_code error;
  if (!fs::exists(path, error))
    throw UsageError{fmt::format(
        "{}: found no file of this name, expected a scene, recording, mesh or poses file", path)};
  if (fs::is_directory(path, error)) {
    throw UsageError{fmt::format("{}: found a directory, expected a file", path)};
  }
  constexpr std::array<std::string_view, 4> kMeshes{".stl", ".obj", ".gltf", ".glb"};
  if (std::ranges::find(kMeshes, extension) != kMeshes.end()) return describeMesh(path);
  if (extension == ".bin") return describePoses(path);
  if (msd_study::isResultsFile(path)) return describeStudy(path);
  if (extension == ".db" || msd_record::isSqliteFile(path)) return describeRecording(path);
  return describeScene(options);
}

}  // namespace

void addInfoCommand(CLI::App& parser, Action& action) {
  const auto options = std::make_shared<InfoOptions>();
  parser
      .add_option("FILE", options->input.path,
                  "scene (.json), robot (.urdf, .xml), recording (.db), mesh (.stl, .obj, .gltf, "
                  ".glb) or poses (.bin); - for a scene on standard input")
      ->required();
  parser.add_flag("--expanded", options->expanded,
                  "print the scene as the engine takes it, with nothing left to work out");
  addSceneOptions(parser, options->input);
  parser.callback([options, &action] { action = [options] { return describe(*options); }; });
}

}  // namespace msd_exe
