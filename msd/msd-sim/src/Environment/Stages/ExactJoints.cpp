// The rows of joints in an island's problem (docs/theory/exact-contact.md, section 9).
//
// A row's law, linearised where the bodies and impulses stand, reads J v + γ λ + offset = 0, with
// offset = residual - J v - γ λ of now. Phase 1 repeats this until the joints close after the
// drift; phase 2 is linear.

#include <algorithm>
#include <cmath>

#include "msd-sim/src/Environment/Stages/ExactIslandSolve.hpp"

namespace msd_sim {

namespace {

RowJacobian sideA(const JointRow& j, double scale) {
  RowJacobian row;
  row << scale * j.linearA.transpose(), scale * j.angularA.transpose();
  return row;
}

RowJacobian sideB(const JointRow& j, double scale) {
  RowJacobian row;
  row << scale * j.linearB.transpose(), scale * j.angularB.transpose();
  return row;
}

}  // namespace

void ExactIslandSolve::collectJointRows(JointComponent::Phase phase) {
  data_.jointRows.clear();
  for (JointComponent* component : data_.joints) {
    component->beginPhase(sim_.solver, sim_.joints.records(), phase);
    component->forEachRow([&](const JointComponent::Link& link, SystemRow& row, double) {
      ExactJointRow r{.row = &row, .slotA = link.slotA, .slotB = link.slotB};
      r.kind =
          row.law == RowLaw::kStop ? ExactJointRow::Kind::kStop : ExactJointRow::Kind::kBilateral;
      if (row.softness > 0.0) r.scale = std::sqrt(row.diagonal / (row.diagonal + row.softness));
      data_.jointRows.push_back(r);
    });
  }
}

double ExactIslandSolve::evaluateJoints(JointComponent::Phase phase) {
  double worst = 0.0;
  std::size_t k = 0;
  for (JointComponent* component : data_.joints) {
    worst = std::max(worst, component->evaluatePhase(sim_.solver, sim_.joints.records(), phase));
    component->forEachRow([&](const JointComponent::Link&, SystemRow& row, double residual) {
      ExactJointRow& r = data_.jointRows[k++];
      r.offset = residual - rowVelocity(r) - row.softness * row.impulse;
    });
  }
  return worst;
}

double ExactIslandSolve::rowVelocity(const ExactJointRow& r) const {
  const BodyMotion& a = sim_.solver.motion[r.slotA];
  const BodyMotion& b = sim_.solver.motion[r.slotB];
  const JointRow& j = r.row->jacobian;
  return j.linearA.dot(vectorOf(a.v)) + j.angularA.dot(vectorOf(a.w)) +
         j.linearB.dot(vectorOf(b.v)) + j.angularB.dot(vectorOf(b.w));
}

/// Rows at their bound push the bodies with a known impulse.
void ExactIslandSolve::pushBoundedRows() {
  using Kind = ExactJointRow::Kind;
  const double half = 0.5 * h_;
  for (ExactJointRow& r : data_.jointRows) {
    if (r.kind != Kind::kAtLower && r.kind != Kind::kAtUpper) continue;
    r.row->impulse = half * (r.kind == Kind::kAtLower ? r.row->lower : r.row->upper);
    const JointRow& j = r.row->jacobian;
    const auto give = [&](std::uint32_t slot, const Vector3D& linear, const Vector3D& angular) {
      if (sim_.pushable[slot] != 0) {
        msd_sim::push(sim_.solver.motion[slot], r.row->impulse * linear, r.row->impulse * angular);
      }
    };
    give(r.slotA, j.linearA, j.angularA);
    give(r.slotB, j.linearB, j.angularB);
  }
}

/// Stops are contacts without friction, the others bilateral rows.
void ExactIslandSolve::addJointRows() {
  using Kind = ExactJointRow::Kind;
  for (ExactJointRow& r : data_.jointRows) {
    if (r.kind != Kind::kStop) continue;
    const JointRow& j = r.row->jacobian;
    FrictionContact contact;
    contact.bodyA = localBody(r.slotA);
    contact.bodyB = localBody(r.slotB);
    contact.jacobianA.row(0) = sideA(j, r.scale);
    contact.jacobianB.row(0) = sideB(j, r.scale);
    const double q = r.scale * (rowVelocity(r) + r.offset);
    r.index = data_.problem.addContact(contact, {q, 0.0, 0.0}, 0.0);
    data_.warmStart.insert(data_.warmStart.end(), {r.row->impulse / r.scale, 0.0, 0.0});
  }
  for (ExactJointRow& r : data_.jointRows) {
    if (r.kind != Kind::kBilateral) continue;
    const JointRow& j = r.row->jacobian;
    const double q = r.scale * (rowVelocity(r) + r.offset);
    r.index = data_.problem.addBilateralRow(
        {localBody(r.slotA), localBody(r.slotB), sideA(j, r.scale), sideB(j, r.scale)}, q,
        r.scale * r.scale * r.row->softness);
    data_.warmStart.push_back(r.row->impulse / r.scale);
  }
}

/// Impulses back into the rows. True where a row has to change sides: a motor or brake beyond its
/// strength is held there, one that the motion no longer pulls against is let go.
bool ExactIslandSolve::takeMultipliers(const ExactResult& result) {
  using Kind = ExactJointRow::Kind;
  const double half = 0.5 * h_;
  bool changed = false;
  for (ExactJointRow& r : data_.jointRows) {
    SystemRow& row = *r.row;
    switch (r.kind) {
      case Kind::kStop:
        row.impulse = r.scale * result.impulse[3 * static_cast<std::size_t>(r.index)];
        break;
      case Kind::kBilateral:
        row.impulse = r.scale * result.multiplier[static_cast<std::size_t>(r.index)];
        if (row.number < kMostHoldingRows) break;  // holding rows have no bounds
        if (row.law == RowLaw::kSpring && !(row.upper > row.lower)) break;
        if (row.upper > row.lower && row.impulse > half * row.upper) {
          r.kind = Kind::kAtUpper;
          changed = true;
        } else if (row.upper > row.lower && row.impulse < half * row.lower) {
          r.kind = Kind::kAtLower;
          changed = true;
        }
        break;
      case Kind::kAtLower:
      case Kind::kAtUpper: {
        const double u = rowVelocity(r) + r.offset + row.softness * row.impulse;
        const bool released = r.kind == Kind::kAtUpper ? u > 0.0 : u < 0.0;
        if (released) {
          r.kind = Kind::kBilateral;
          changed = true;
        }
        break;
      }
    }
  }
  return changed;
}

}  // namespace msd_sim
