#pragma once

#include <string_view>

#include "msd-sim/src/Physics/Constraints/Rows/BallRows.hpp"
#include "msd-sim/src/Physics/Constraints/Rows/BodyKernels.hpp"
#include "msd-sim/src/Physics/Constraints/Rows/ContactKernels.hpp"
#include "msd-sim/src/Physics/Constraints/Rows/TreeRows.hpp"

namespace msd_sim {

/// Vector widths the kernels are compiled for.
enum class SimdTarget : std::uint8_t {
  kAuto,      ///< the widest this machine has
  kPortable,  ///< plain double, one lane
  kAvx2,      ///< four lanes
  kAvx512,    ///< eight lanes
};

/// Every kernel of the solver, for one vector width. The results are the same bits for all.
struct Kernels {
  std::string_view name;
  BodyKernels body;
  ContactKernels<1> point;
  ContactKernels<2> line;
  ContactKernels<4> patch;
  BallKernels ball;
  TreeKernels tree;
};

/// The kernels for a target, or for the widest the machine has when it lacks that one.
[[nodiscard]] const Kernels& kernelsFor(SimdTarget target);

/// True when this machine runs the target's instructions.
[[nodiscard]] bool isSupported(SimdTarget target);

}  // namespace msd_sim
