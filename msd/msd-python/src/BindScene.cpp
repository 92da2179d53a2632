#include <fmt/format.h>
#include <pybind11/stl.h>

#include "Convert.hpp"
#include "World.hpp"
#include "msd-import/src/ImportRobot.hpp"
#include "msd-scene/src/ReadScene.hpp"
#include "msd-scene/src/WriteScene.hpp"

namespace msd_python {

namespace {

using Loaded = std::shared_ptr<const msd_scene::LoadedScene>;

/// A scene that was read and validated: what Python's Scene hands over.
struct CompiledScene {
  Loaded loaded;
};

CompiledScene compile(const std::string& text, const std::string& source, const std::optional<std::string>& folder,
                      const std::map<std::string, double>& parameters) {
  const std::span<const char> characters{text.data(), text.size()};
  std::vector<msd_scene::SceneProblem> warnings;
  msd_scene::ExpandOptions expand{.parameters = {parameters.begin(), parameters.end()}};
  if (folder) expand.files = msd_import::scenesAndRobotsInFolder(*folder, warnings);
  msd_scene::LoadedScene scene =
      msd_scene::loadScene(std::as_bytes(characters), source,
                           folder ? msd_scene::meshesInFolder(*folder) : msd_scene::noMeshes(), expand);
  scene.warnings.insert(scene.warnings.end(), warnings.begin(), warnings.end());
  return {std::make_shared<const msd_scene::LoadedScene>(std::move(scene))};
}

CompiledScene importRobot(const std::string& path, bool strict, bool fixedBase, const std::string& keyframe,
                          const std::vector<std::string>& search) {
  return {std::make_shared<const msd_scene::LoadedScene>(
      msd_import::loadAnyFile(path, {.searchPaths = {search.begin(), search.end()},
                                     .fixedBase = fixedBase,
                                     .keyframe = keyframe,
                                     .strict = strict}))};
}

std::shared_ptr<World> build(const CompiledScene& scene, const std::optional<std::string>& method,
                             std::optional<double> dt, std::optional<int> substeps, std::optional<int> iterations,
                             std::optional<int> threads, std::optional<bool> sleeping, std::optional<bool> hash) {
  msd_scene::SettingsOverrides overrides{.dt = dt,
                                         .substeps = substeps,
                                         .iterations = iterations,
                                         .threads = threads,
                                         .sleeping = sleeping,
                                         .hashEveryStep = hash};
  if (method) overrides.method = toMethod(*method);
  return std::make_shared<World>(scene.loaded, overrides);
}

}  // namespace

void bindScene(py::module_& module) {
  py::class_<CompiledScene>(module, "CompiledScene", "A scene that was read and validated.")
      .def(py::init(&compile), py::arg("text"), py::arg("source"), py::arg("folder"),
           py::arg("parameters") = std::map<std::string, double>{})
      .def_static("import_robot", &importRobot, py::arg("path"), py::kw_only(), py::arg("strict"),
                  py::arg("fixed_base"), py::arg("keyframe"), py::arg("search"))
      .def("world", &build, py::kw_only(), py::arg("method") = py::none(), py::arg("dt") = py::none(),
           py::arg("substeps") = py::none(), py::arg("iterations") = py::none(), py::arg("threads") = py::none(),
           py::arg("sleeping") = py::none(), py::arg("hash_every_step") = py::none())
      .def_property_readonly("warnings",
                             [](const CompiledScene& scene) {
                               std::vector<std::string> texts;
                               for (const auto& warning : scene.loaded->warnings) {
                                 texts.push_back(msd_scene::describe(warning));
                               }
                               return texts;
                             })
      .def(
          "text",
          [](const CompiledScene& scene, bool embedMeshes) {
            return msd_scene::writeScene(scene.loaded->document, {.embedMeshes = embedMeshes});
          },
          py::arg("embed_meshes") = false)
      .def("__repr__", [](const CompiledScene& scene) {
        return fmt::format("<msd.CompiledScene \"{}\">", scene.loaded->document.name);
      });
}

}  // namespace msd_python
