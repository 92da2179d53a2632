#pragma once

namespace msd_sim {

/// Works of a step's impulses of joints on the bodies, phase by phase (L-7).
struct JointWorks {
  double both{0.0};    ///< on both bodies of every joint [J]
  double driven{0.0};  ///< of those bodies that cannot be pushed [J]
  void add(const JointWorks& more) {
    both += more.both;
    driven += more.driven;
  }
};

/// What phase 1 could not do in a step.
struct JointFaults {
  bool stiff{false};       ///< some substep did not close the joints, or only just (J-22)
  bool gaveUp{false};      ///< the running phase keeps velocities (J-42)
  bool hasGivenUp{false};  ///< some phase did
};

}  // namespace msd_sim
