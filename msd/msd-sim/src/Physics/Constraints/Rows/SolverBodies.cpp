#include "msd-sim/src/Physics/Constraints/Rows/SolverBodies.hpp"

namespace msd_sim {

void SolverBodies::resize(std::size_t count) {
  const std::size_t whole = (count + kBlock - 1) / kBlock * kBlock;
  if (whole <= size()) return;
  motion.resize(whole);
  turn.resize(whole);
  pose.resize(whole);
  mass.resize(whole);
  load.resize(whole);
  kick.resize(whole);
  before.resize(whole);
  mean.resize(whole);
  warmStart.resize(whole);
  start.resize(whole);
  shift.resize(whole);
  dirty.resize(whole);
  budget.resize(whole);
  hasTurned.resize(whole);
}

}  // namespace msd_sim
