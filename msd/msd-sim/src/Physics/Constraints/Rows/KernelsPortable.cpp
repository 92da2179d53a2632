// One lane, plain doubles: the reference that the wide kernels are compared with, bit for bit.
#define MSD_LANES_PORTABLE
#include "msd-sim/src/Physics/Constraints/Rows/Kernels.hpp"

#include "msd-sim/src/Physics/Constraints/Rows/BodyKernels-inl.hpp"
#include "msd-sim/src/Physics/Constraints/Rows/ContactLanes-inl.hpp"
#include "msd-sim/src/Physics/Constraints/Rows/ContactPrepare-inl.hpp"
#include "msd-sim/src/Physics/Constraints/Rows/ContactSweep-inl.hpp"
#include "msd-sim/src/Physics/Constraints/Rows/ContactBalls-inl.hpp"
#include "msd-sim/src/Physics/Constraints/Rows/ContactVisit-inl.hpp"
#include "msd-sim/src/Physics/Constraints/Rows/ContactStore-inl.hpp"
#include "msd-sim/src/Physics/Constraints/Rows/BallKernels-inl.hpp"
#include "msd-sim/src/Physics/Constraints/Rows/TreeKernels-inl.hpp"

namespace msd_sim {

Kernels makePortableKernels() {
  using namespace lanes_portable;
  return {"portable",
          {body_kernels::begin, body_kernels::kick, body_kernels::measureWork, body_kernels::drift, body_kernels::predict,
           body_kernels::finish, body_kernels::displace},
          contact_kernels::table<1>(),
          contact_kernels::table<2>(),
          contact_kernels::table<4>(),
          ball_kernels::table(),
          {tree_kernels::place, tree_kernels::solve, tree_kernels::respond, tree_kernels::answer, tree_kernels::begin,
           tree_kernels::walk, tree_kernels::end}};
}

}  // namespace msd_sim
