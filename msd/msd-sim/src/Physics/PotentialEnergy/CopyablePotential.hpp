#pragma once

#include <memory>

#include "msd-sim/src/Physics/PotentialEnergy/PotentialEnergy.hpp"

namespace msd_sim {

/// A field of force that a copied world can have as well (cloneWorld). Derive from it where
/// PotentialEnergy would do otherwise.
class CopyablePotential : public PotentialEnergy {
 public:
  /// The same field.
  [[nodiscard]] virtual std::unique_ptr<PotentialEnergy> clone() const = 0;
};

}  // namespace msd_sim
