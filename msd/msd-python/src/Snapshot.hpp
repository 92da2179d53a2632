#pragma once

#include <cstddef>
#include <vector>

#include "Convert.hpp"

namespace msd_python {

/// The bytes of WorldModel::snapshot, as a type of its own.
struct Snapshot {
  std::vector<std::byte> bytes;
};

void bindSnapshot(py::module_& module);

}  // namespace msd_python
