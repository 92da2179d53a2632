#pragma once

#include <vector>

#include "msd-sim/src/DataTypes/SpatialVector.hpp"
#include "msd-sim/src/Diagnostics/EnergyLedger.hpp"
#include "msd-sim/src/Physics/RigidBody/InertialState.hpp"

namespace msd_sim {

class ReferencePipeline;
struct Simulation;

/// What happened to one body in a step of the reference method: enough to say where its energy
/// went.
struct BodyStory {
  InertialState before;  ///< the step
  InertialState free;    ///< after integration
  InertialState after;   ///< after position correction
  SpatialVector user;    ///< forces and torques of the user [N, N·m]
  SpatialVector field;   ///< of potentials other than uniform gravity
  SpatialVector spring;  ///< of springs of joints that the step follows
  SpatialVector motor;   ///< of motors that push with a given force
};

/// Adds one step of length h to the ledger: works of what acted, each by itself
/// (docs/theory/energy.md, section on the reference method). `stories` are those of the pipeline's
/// bodies, inertial ones first.
void addToLedger(const Simulation& sim, const ReferencePipeline& pipeline,
                 const std::vector<BodyStory>& stories, double h, EnergyLedger& ledger);

}  // namespace msd_sim
