#include "msd-sim/src/Environment/WorldInputs.hpp"

#include <new>

#include "msd-sim/src/Environment/Simulation.hpp"

namespace msd_sim {

namespace {

Vector3D vectorAt(const WorldInput& input, std::size_t first) {
  return {input.values[first], input.values[first + 1], input.values[first + 2]};
}

void pushBody(Simulation& sim, const WorldInput& input) {
  BodySlot& slot = sim.slots[input.index];
  switch (input.kind) {
    case WorldInput::Kind::kForce:
      slot.inertial->applyForce(vectorAt(input, 0));
      break;
    case WorldInput::Kind::kForceAt:
      slot.inertial->applyForceAtPoint(vectorAt(input, 0), vectorAt(input, 3));
      break;
    default:
      slot.inertial->applyTorque(vectorAt(input, 0));
  }
  slot.forced = true;
  callAwake(sim, input.index);
}

void aimMotor(Simulation& sim, const WorldInput& input) {
  JointSlot& slot = sim.jointSlots[input.index];
  JointMotor& motor = *slot.description.motor;
  motor.target = input.values[0];
  motor.targetVelocity = input.values[1];
  JointDefinition joint = sim.joints.record(slot.joint).definition;
  joint.motor = motor;
  sim.joints.redefine(slot.joint, joint);
  callAwake(sim, joint.bodyA);
  callAwake(sim, joint.bodyB);
}

void moveBody(Simulation& sim, const WorldInput& input) {
  const auto& v = input.values;
  BodySlot& slot = sim.slots[input.index];
  slot.target = Pose{vectorAt(input, 0), Quaternion{v[3], v[4], v[5], v[6]}};
  slot.stopsAfterward = false;
  aimAtTarget(sim, input.index, v[7]);
  writeVelocityToAsset(sim, input.index);
  sim.recordsValid = false;
  sim.looseValid = false;
}

}  // namespace

void applyInput(Simulation& sim, const WorldInput& input) {
  switch (input.kind) {
    case WorldInput::Kind::kMotorTarget:
      return aimMotor(sim, input);
    case WorldInput::Kind::kMove:
      return moveBody(sim, input);
    default:
      return pushBody(sim, input);
  }
}

void takeInput(Simulation& sim, WorldInput input) {
  applyInput(sim, input);
  StepUndo& undo = sim.undo;
  // Where there are so many that the state itself would take no more room, the next step keeps
  // that.
  if (undo.inputs.size() * sizeof(WorldInput) >= undo.state.bytes().size()) undo.valid = false;
  if (!undo.valid) return;
  input.step = static_cast<std::uint32_t>(undo.steps.size());
  try {
    undo.inputs.push_back(input);
  } catch (const std::bad_alloc&) {
    undo.valid = false;
  }
}

}  // namespace msd_sim
