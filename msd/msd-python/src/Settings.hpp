#pragma once

#include "Convert.hpp"
#include "msd-sim/src/Environment/Settings.hpp"

namespace msd_python {

/// Sets fields by their Python names and validates the whole. Throws TypeError for a name that does not
/// exist, with those that do.
void applySettings(msd_sim::Settings& settings, const py::dict& fields);

}  // namespace msd_python
