#include <pybind11/stl.h>

#include "Convert.hpp"
#include "World.hpp"
#include "msd-assets/src/MeshIo.hpp"
#include "msd-record/src/RecordError.hpp"
#include "msd-scene/src/SceneError.hpp"
#include "msd-sim/src/Physics/Constraints/Exact/ProblemFile.hpp"

namespace msd_python {

/// std::invalid_argument becomes ValueError, std::out_of_range IndexError, everything else RuntimeError:
/// always with the engine's own text. These have names of their own.
void bindErrors(py::module_& module) {
  const auto document = [&](const char* name, const char* text) {
    module.attr(name).attr("__doc__") = text;
    module.attr(name).attr("__module__") = "msd";
  };
  py::register_exception<msd_scene::SceneError>(module, "SceneError", PyExc_ValueError);
  document("SceneError", "A scene that cannot be read or built: where, what was found, what was expected.");
  py::register_exception<msd_record::RecordError>(module, "RecordError", PyExc_RuntimeError);
  document("RecordError", "A file that is not a recording, or one that cannot be read or made.");
  py::register_exception<msd_assets::MeshError>(module, "MeshError", PyExc_ValueError);
  document("MeshError", "A mesh file that cannot be read.");
  py::register_exception<msd_sim::ProblemFileError>(module, "ProblemFileError", PyExc_ValueError);
  document("ProblemFileError", "A text that is no friction problem.");
  py::register_exception<StaleViewError>(module, "StaleViewError", PyExc_RuntimeError);
  document("StaleViewError", "An array of a world whose bodies have changed since it was made.");
  py::register_exception<BusyError>(module, "BusyError", PyExc_RuntimeError);
  document("BusyError", "A world that another thread is stepping.");
}

}  // namespace msd_python
