#include "msd-sim/src/Environment/StepUndo.hpp"

#include "msd-sim/src/Environment/Simulation.hpp"
#include "msd-sim/src/Environment/WorldBytes.hpp"

namespace msd_sim {

bool callsUserCode(const Simulation& sim) {
  return !sim.potentials.empty() || !sim.constraints.empty() || sim.settings.combine || sim.contactCallback;
}

void keepForUndo(Simulation& sim) {
  StepUndo& undo = sim.undo;
  undo.report = sim.report;
  const std::size_t every = sim.step <= StepUndo::kFirst ? StepUndo::kFirst : StepUndo::kKeepEvery;
  if (undo.valid && undo.steps.size() < every && !callsUserCode(sim)) return;
  undo.valid = false;
  undo.steps.clear();
  undo.steps.reserve(StepUndo::kKeepEvery);
  undo.inputs.clear();
  undo.removed = sim.eventScratch.removed;
  undo.state.clear();
  saveWorld(undo.state, sim);
  undo.state.reserve(undo.state.bytes().size() / 4);
  undo.valid = true;
}

void noteStep(Simulation& sim, double dt) {
  sim.undo.steps.push_back(dt);
}

// What the steps need was there when they were taken first: nothing new is allocated. Should they fail all
// the same, the world stays where the last of them left it, which is whole.
void goBack(Simulation& sim) {
  StepUndo& undo = sim.undo;
  loadWorld(undo.state.bytes(), sim);
  sim.eventScratch.removed = undo.removed;
  std::size_t given = 0;
  const auto giveInputs = [&](std::size_t step) {
    for (; given < undo.inputs.size() && undo.inputs[given].step == step; ++given) {
      applyInput(sim, undo.inputs[given]);
    }
  };
  for (std::size_t i = 0; i < undo.steps.size(); ++i) {
    giveInputs(i);
    advance(sim, undo.steps[i]);
  }
  giveInputs(undo.steps.size());
  sim.events.clear();
  sim.report = undo.report;
  undo.valid = false;  // the next step keeps this state: failing again then costs little
}

}  // namespace msd_sim
