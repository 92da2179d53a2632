#pragma once

#include <cstddef>
#include <vector>

#include "msd-sim/src/DataTypes/Bytes.hpp"
#include "msd-sim/src/Diagnostics/StepReport.hpp"
#include "msd-sim/src/Environment/ContactRecord.hpp"
#include "msd-sim/src/Environment/WorldInputs.hpp"

namespace msd_sim {

struct Simulation;

/// What brings a world back to where it was before a step that failed or threw.
///
/// A step changes contacts, boxes and impulses all along, and to copy them before every step would cost a
/// settled pile a fifth of its time. So the state is kept once in a while, with the lengths of the steps
/// since and the inputs before each; going back is to that state, and through the same steps, which give the
/// same bits. Where a step calls code of the user, which need not give the same twice, the state is kept
/// before every step, and so it is after every other change from outside.
struct StepUndo {
  /// Steps between two keepings: one step in so many takes about half as long again.
  static constexpr std::size_t kKeepEvery = 192;
  /// And between the first two: bodies have met by then, and the memory that is taken does for long.
  static constexpr std::size_t kFirst = 16;

  ByteWriter state;                   ///< as saveWorld wrote it
  std::vector<ContactEvent> removed;  ///< EventScratch::removed at that time
  std::vector<double> steps;          ///< lengths of the steps since [s]
  std::vector<WorldInput> inputs;     ///< what the user gave before them, in order
  StepReport report;                  ///< of the last step that came to its end
  bool valid{false};                  ///< nothing but these steps has changed the world since
};

/// Does a step call fields, constraints or rules of the user's own?
[[nodiscard]] bool callsUserCode(const Simulation& sim);
/// Before a step: sees to it that the world can come back here. Throws std::bad_alloc, changing nothing,
/// where there is no memory for that.
void keepForUndo(Simulation& sim);
/// After a step of dt [s] that came to its end.
void noteStep(Simulation& sim, double dt);
/// Back to where keepForUndo was called last.
void goBack(Simulation& sim);

}  // namespace msd_sim
