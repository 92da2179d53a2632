#pragma once

#include <cstdint>

#include "msd-sim/src/DataTypes/Id.hpp"
#include "msd-sim/src/DataTypes/Vector3D.hpp"

namespace msd_sim {

enum class ContactState : std::uint8_t {
  kOpen,   ///< within the speculative margin, carries no force
  kStick,  ///< carries a force inside the friction cone
  kSlip,   ///< carries a force on the friction cone
};

/// One contact point as the last step left it. World frame; the force is the mean over the step.
struct ContactRecord {
  BodyId bodyA;
  BodyId bodyB;
  Coordinate point;       ///< midway between the two surfaces [m]
  Vector3D normal;        ///< unit, from A to B
  double gap;             ///< > 0 separated, < 0 penetrating [m]
  Force forceOnB;         ///< exerted by A on B [N]; A feels the opposite
  CoordinateRate slip;    ///< tangential velocity of B against A [m/s]
  double friction;        ///< coefficient of the pair [-]
  ContactState state;
  std::uint32_t feature;  ///< stays the same while the same features touch
};

/// A contact that has been found and is about to be solved, for the function that
/// WorldModel::setContactCallback was given. What it changes holds for the coming step.
struct ContactChange {
  BodyId bodyA;
  BodyId bodyB;
  Coordinate point;  ///< the deepest, or nearest, of the contact [m]
  Vector3D normal;   ///< unit, from A to B
  double gap;        ///< there; > 0 separated, < 0 penetrating [m]
  // What may be changed.
  bool enabled{true};    ///< false: the bodies pass through each other here
  double friction{0.0};  ///< of the pair [-]
  double restitution{0.0};
};

enum class ContactEventKind : std::uint8_t { kBegin, kEnd, kHit };

/// Two bodies started or stopped touching, or hit each other faster than the bounce threshold.
struct ContactEvent {
  ContactEventKind kind;
  BodyId bodyA;
  BodyId bodyB;
  Coordinate point;      ///< begin, hit: where [m]
  Vector3D normal;       ///< from A to B
  double approachSpeed;  ///< hit: before the impact, > 0 [m/s]
};

}  // namespace msd_sim
