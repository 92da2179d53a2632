#include "msd-study/src/SceneBundle.hpp"

#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "msd-import/src/ImportRobot.hpp"

namespace msd_study {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::string_view kMark = "{\"msd-scene-bundle\":1,";

Json written(const msd_assets::TriangleMesh& mesh) {
  Json vertices = Json::array();
  for (const Eigen::Vector3d& v : mesh.vertices()) vertices.push_back({v.x(), v.y(), v.z()});
  Json triangles = Json::array();
  for (const auto& t : mesh.triangles()) triangles.push_back(t);
  return {{"vertices", std::move(vertices)}, {"triangles", std::move(triangles)}};
}

msd_assets::TriangleMesh meshOf(const Json& json) {
  std::vector<Eigen::Vector3d> vertices;
  for (const Json& v : json.at("vertices")) {
    vertices.emplace_back(v.at(0).get<double>(), v.at(1).get<double>(), v.at(2).get<double>());
  }
  return {std::move(vertices),
          json.at("triangles").get<std::vector<msd_assets::TriangleMesh::Triangle>>()};
}

/// What `name` stands for among files that were kept.
template <class Files>
const auto& kept(const Files& files, const std::string& name) {
  const auto found = files.find(name);
  if (found == files.end()) {
    throw std::runtime_error{"not among the files that the study's scene reads as it was written"};
  }
  return found->second;
}

}  // namespace

SceneBundle SceneBundle::read(const fs::path& path) {
  SceneBundle bundle;
  bundle.source_ = path.string();
  bundle.scene_ = msd_scene::readTextFile(path);
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path{"."};
  const msd_scene::MeshResolver meshes = msd_scene::meshesInFolder(folder);
  std::vector<msd_scene::SceneProblem> notes;
  const msd_scene::SceneResolver scenes = msd_import::scenesAndRobotsInFolder(folder, notes);
  static_cast<void>(
      msd_scene::loadScene(std::as_bytes(std::span{bundle.scene_}), bundle.source_,
                           [&](const std::string& file) {
                             return bundle.meshes_.try_emplace(file, meshes(file)).first->second;
                           },
                           {.parameters = {}, .files = [&](const std::string& file) {
                              return bundle.files_.try_emplace(file, scenes(file)).first->second;
                            }}));
  return bundle;
}

bool SceneBundle::isBundle(std::string_view text) {
  return text.starts_with(kMark);
}

SceneBundle SceneBundle::parse(std::string_view text) {
  SceneBundle bundle;
  try {
    const Json json = Json::parse(text);
    bundle.source_ = json.at("source").get<std::string>();
    bundle.scene_ = json.at("scene").get<std::string>();
    for (const auto& [name, file] : json.at("files").items()) {
      bundle.files_.emplace(name, file.get<std::string>());
    }
    for (const auto& [name, mesh] : json.at("meshes").items()) {
      bundle.meshes_.emplace(name, meshOf(mesh));
    }
  } catch (const std::exception& reason) {
    throw msd_scene::SceneError{{.source = "the study's scene",
                                 .found = reason.what(),
                                 .expected = "a scene with its files, as msd sweep stores it"}};
  }
  return bundle;
}

std::string SceneBundle::text() const {
  Json files = Json::object();
  for (const auto& [name, text] : files_) files[name] = text;
  Json meshes = Json::object();
  for (const auto& [name, mesh] : meshes_) meshes[name] = written(mesh);
  return Json{{"msd-scene-bundle", 1},
              {"source", source_},
              {"scene", scene_},
              {"files", std::move(files)},
              {"meshes", std::move(meshes)}}
      .dump();
}

msd_scene::LoadedScene SceneBundle::load(const msd_scene::Variables& parameters) const {
  return msd_scene::loadScene(std::as_bytes(std::span{scene_}), source_,
                              [this](const std::string& file) { return kept(meshes_, file); },
                              {.parameters = parameters, .files = [this](const std::string& file) {
                                 return kept(files_, file);
                               }});
}

}  // namespace msd_study
