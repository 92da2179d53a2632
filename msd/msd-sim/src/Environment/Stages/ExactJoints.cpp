// The rows of joints in an island's problem (docs/theory/exact-contact.md, section 10).
//
// A row's law, linearised where the bodies and impulses stand, reads J v + γ λ + offset = 0, with
// offset = residual - J v - γ λ of now (E-12). Phase 1 repeats this until the joints close after
// the drift; phase 2 is linear.

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

/// Bounds of a row's impulse in a phase of half of h; a holding row or a free spring has none.
bool hasBounds(const SystemRow& row) {
  return row.number >= kMostHoldingRows && row.upper > row.lower;
}

}  // namespace

/// Rows where the bodies stand when a phase begins. Where nothing but one component of joints acts,
/// its own factor gives the first answer.
void ExactIslandSolve::beginJoints(JointComponent::Phase phase) {
  data_.phaseOfJoints = phase;
  data_.open = data_.wasOpen = 0.0;
  data_.direct = points_.empty() && data_.joints.size() == 1;
  if (data_.direct) return;
  for (JointComponent* component : data_.joints) {
    component->beginPhase(sim_.solver, sim_.joints.records(), phase);
  }
  listJointRows();
  keepFree();
  if (phase == JointComponent::Phase::kPosition) {
    // Linearised where the impulses of the last phase lead.
    for (JointComponent* component : data_.joints) component->giveImpulses(sim_.solver, phase);
    for (const ExactPoint& p : points_) push(p, p.place, p.impulse);
  }
  (void)evaluateJoints(phase);
  resetToFree();
}

void ExactIslandSolve::listJointRows() {
  data_.jointRows.clear();
  for (JointComponent* component : data_.joints) {
    component->forEachRow([&](const JointComponent::Link& link, SystemRow& row, double) {
      ExactJointRow r{.row = &row, .slotA = link.slotA, .slotB = link.slotB};
      r.stop = row.law == RowLaw::kStop;
      if (row.softness > 0.0) r.scale = std::sqrt(row.diagonal / (row.diagonal + row.softness));
      data_.jointRows.push_back(r);
    });
  }
}

/// The impulses that the component's own Newton's method finds, and the rows linearised there. The
/// velocities are left as they were.
void ExactIslandSolve::solveDirectly() {
  JointComponent& component = *data_.joints.front();
  component.giveImpulses(sim_.solver, data_.phaseOfJoints);
  if (data_.phaseOfJoints == JointComponent::Phase::kPosition) {
    component.solve(sim_.solver, sim_.joints.records(), true);
    data_.stiff = data_.stiff || component.isStiff();
  } else {
    component.relax(sim_.solver, sim_.joints.records(), true);
  }
  listJointRows();
  (void)evaluateJoints(data_.phaseOfJoints);
  resetToFree();
}

double ExactIslandSolve::evaluateJoints(JointComponent::Phase phase) {
  double worst = 0.0;
  for (JointComponent* component : data_.joints) {
    worst = std::max(worst, component->evaluatePhase(sim_.solver, sim_.joints.records(), phase));
  }
  takeOffsets();
  return worst;
}

/// (E-12), from residuals that the components have just found.
void ExactIslandSolve::takeOffsets() {
  std::size_t k = 0;
  for (JointComponent* component : data_.joints) {
    component->forEachRow([&](const JointComponent::Link&, SystemRow& row, double residual) {
      ExactJointRow& r = data_.jointRows[k++];
      r.offset = residual - rowVelocity(r) - row.softness * row.impulse;
    });
  }
}

/// (J-42): joints keep velocities, from no impulses at all.
void ExactIslandSolve::giveUpJoints() {
  data_.direct = false;
  data_.open = data_.wasOpen = 0.0;
  data_.stiff = true;
  for (const ExactJointRow& r : data_.jointRows) r.row->impulse = 0.0;
  for (JointComponent* component : data_.joints) component->evaluateClosing(sim_.solver, sim_.joints.records());
  takeOffsets();
}

double ExactIslandSolve::rowVelocity(const ExactJointRow& r) const {
  const BodyMotion& a = sim_.solver.motion[r.slotA];
  const BodyMotion& b = sim_.solver.motion[r.slotB];
  const JointRow& j = r.row->jacobian;
  return j.linearA.dot(vectorOf(a.v)) + j.angularA.dot(vectorOf(a.w)) +
         j.linearB.dot(vectorOf(b.v)) + j.angularB.dot(vectorOf(b.w));
}

/// Stops are contacts without friction, the others bilateral rows, some with bounds.
void ExactIslandSolve::addJointRows() {
  for (ExactJointRow& r : data_.jointRows) {
    if (!r.stop) continue;
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
  const double half = 0.5 * h_;
  for (ExactJointRow& r : data_.jointRows) {
    if (r.stop) continue;
    const JointRow& j = r.row->jacobian;
    BilateralRow row{localBody(r.slotA), localBody(r.slotB), sideA(j, r.scale),
                     sideB(j, r.scale)};
    if (hasBounds(*r.row)) {
      row.lower = half * r.row->lower / r.scale;
      row.upper = half * r.row->upper / r.scale;
    }
    const double q = r.scale * (rowVelocity(r) + r.offset);
    r.index = data_.problem.addBilateralRow(row, q, r.scale * r.scale * r.row->softness);
    data_.warmStart.push_back(r.row->impulse / r.scale);
  }
}

/// Impulses back into the rows.
void ExactIslandSolve::takeMultipliers(const ExactResult& result) {
  for (ExactJointRow& r : data_.jointRows) {
    const auto i = static_cast<std::size_t>(r.index);
    r.row->impulse = r.scale * (r.stop ? result.impulse[3 * i] : result.multiplier[i]);
  }
  data_.multiplier.assign(result.multiplier.begin(), result.multiplier.end());
}

/// (J-18): work of stops, brakes and dampers over the substep, as far as it is a loss [J].
double ExactIslandSolve::jointDissipation() const {
  double work = 0.0;
  for (const ExactJointRow& r : data_.jointRows) {
    const SystemRow& row = *r.row;
    if (row.number < kMostHoldingRows) continue;
    work += (row.first + row.impulse) / h_ * (row.after - row.start);
  }
  return std::min(work, 0.0);
}

}  // namespace msd_sim
