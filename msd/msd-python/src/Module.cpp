#include "Convert.hpp"

#ifndef MSD_VERSION
#error "MSD_VERSION is set by CMake"
#endif

PYBIND11_MODULE(_core, module) {
  using namespace msd_python;
  module.doc() = "The engine behind the package msd.";
  module.attr("__version__") = MSD_VERSION;
  bindErrors(module);
  bindShapes(module);
  bindSettings(module);
  bindReport(module);
  bindDescriptions(module);
  declareWorld(module);
  bindBody(module);
  bindJoint(module);
  bindWorld(module);
  bindMechanism(module);
  bindQueries(module);
  bindScene(module);
  bindRecording(module);
  bindProblem(module);
  bindBatch(module);
  bindView(module);
}
