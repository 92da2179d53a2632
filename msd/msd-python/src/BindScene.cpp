#include <fmt/format.h>
#include <pybind11/stl.h>

#include "Convert.hpp"
#include "World.hpp"
#include "msd-scene/src/ReadScene.hpp"
#include "msd-scene/src/WriteScene.hpp"

namespace msd_python {

namespace {

using Loaded = std::shared_ptr<const msd_scene::LoadedScene>;

/// A scene that was read and validated: what Python's Scene hands over.
struct CompiledScene {
  Loaded loaded;
};

CompiledScene compile(const std::string& text, const std::string& source, const std::optional<std::string>& folder) {
  const std::span<const char> characters{text.data(), text.size()};
  return {std::make_shared<const msd_scene::LoadedScene>(
      msd_scene::loadScene(std::as_bytes(characters), source,
                           folder ? msd_scene::meshesInFolder(*folder) : msd_scene::noMeshes()))};
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
      .def(py::init(&compile), py::arg("text"), py::arg("source"), py::arg("folder"))
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
