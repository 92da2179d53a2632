#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "msd-sim/src/Physics/Constraints/Rows/KernelsWide.cpp"
#include "hwy/foreach_target.h"

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

MSD_KERNELS_BEGIN
Kernels makeKernels(std::string_view name) {
  return {name,
          {body_kernels::begin, body_kernels::kick, body_kernels::measureWork, body_kernels::drift, body_kernels::predict,
           body_kernels::finish, body_kernels::displace},
          contact_kernels::table<1>(),
          contact_kernels::table<2>(),
          contact_kernels::table<4>(),
          ball_kernels::table(),
          {tree_kernels::place, tree_kernels::solve, tree_kernels::respond, tree_kernels::answer, tree_kernels::begin,
           tree_kernels::walk, tree_kernels::end}};
}
MSD_KERNELS_END

#if HWY_ONCE
namespace msd_sim {

Kernels makePortableKernels();

bool isSupported(SimdTarget target) {
#if HWY_ARCH_X86
  if (target == SimdTarget::kAvx2) return true;  // the floor the project is compiled for
  if (target == SimdTarget::kAvx512) {
    return (HWY_TARGETS & HWY_AVX3) != 0 && (hwy::SupportedTargets() & HWY_AVX3) != 0;
  }
  return true;
#else
  return target == SimdTarget::kAuto || target == SimdTarget::kPortable;
#endif
}

const Kernels& kernelsFor(SimdTarget target) {
  static const Kernels kPortable = makePortableKernels();
#if HWY_ARCH_X86
#if (HWY_TARGETS & HWY_AVX3)
  if (isSupported(SimdTarget::kAvx512) &&
      (target == SimdTarget::kAvx512 || target == SimdTarget::kAuto)) {
    static const Kernels kWidest = N_AVX3::makeKernels("avx512");
    return kWidest;
  }
#endif
  static const Kernels kBaseline = N_AVX2::makeKernels("avx2");
  return target == SimdTarget::kPortable ? kPortable : kBaseline;
#else
  return kPortable;
#endif
}

}  // namespace msd_sim
#endif
