#pragma once

#include <memory>

#include "msd-sim/src/Physics/Constraints/Constraint.hpp"

namespace msd_sim {

/// A constraint that a copied world can have as well (cloneWorld). Derive from it where Constraint
/// would do otherwise.
class CopyableConstraint : public Constraint {
 public:
  using Constraint::Constraint;
  /// The same constraint.
  [[nodiscard]] virtual std::unique_ptr<Constraint> clone() const = 0;
};

}  // namespace msd_sim
