#include "msd-sim/src/Environment/Reference/ReferenceBalance.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "msd-sim/src/Environment/Reference/JointConstraints.hpp"
#include "msd-sim/src/Environment/Reference/ReferencePipeline.hpp"
#include "msd-sim/src/Environment/Reference/StepReference.hpp"
#include "msd-sim/src/Environment/Simulation.hpp"

namespace msd_sim {

namespace {

// A friction impulse this near to its limit, relative to it, counts as on the cone.
constexpr double kOnCone = 1e-6;

const InertialState& stateOf(const Simulation& sim, std::uint32_t slot) {
  static const InertialState kWorld{};
  if (slot == 0) return kWorld;
  const BodySlot& s = sim.slots[slot];
  return s.inertial ? std::as_const(*s.inertial).getInertialState()
                    : s.environment->getInertialState();
}

void sortRecords(std::vector<ContactRecord>& records) {
  std::sort(records.begin(), records.end(), [](const ContactRecord& x, const ContactRecord& y) {
    return std::tie(x.bodyA, x.bodyB, x.feature) < std::tie(y.bodyA, y.bodyB, y.feature);
  });
}

CoordinateRate velocityAt(const InertialState& s, const Coordinate& point) {
  return s.velocity + s.angularVelocity.cross(point - s.position);
}

}  // namespace

ReferenceBalance::ReferenceBalance(Simulation& sim, const std::vector<std::uint32_t>& slots)
    : sim_{sim}, pipeline_{sim.collision.reference()}, slots_{slots} {
  for (std::size_t i = 0; i < inertialCount(); ++i) start_.push_back(stateOf(sim, slots_[i]));
  reactions_.resize(sim.joints.records().size());
  motor_.assign(sim.joints.records().size(), 0.0);
  implicit_.assign(sim.joints.records().size(), 0);
}

std::size_t ReferenceBalance::inertialCount() const {
  std::size_t count = 0;
  while (count < slots_.size() && sim_.slots[slots_[count]].inertial) ++count;
  return count;
}

void ReferenceBalance::add(const std::vector<BodyStory>& stories,
                           const std::vector<ConstraintOwner>& owners,
                           const std::vector<JointForce>& forces, double h) {
  addToLedger(sim_, pipeline_, stories, h, ledger_);
  for (const ReferencePipeline::Contact& c : pipeline_.contacts()) {
    Total& total = totals_[c.key];
    total.impulse += c.normalImpulse * c.normal + c.tangentialImpulse;
    total.normal += c.normalImpulse;
    total.approach = std::max(total.approach, c.approach);
    resists_ = resists_ || c.resists;
  }
  addJoints(owners, forces, h);
  last_ = stories;
  unsolved_ = std::max(unsolved_, pipeline_.unsolved());
  iterations_ += pipeline_.iterations();
  residual_ = std::max(residual_, pipeline_.residual());
  ++substeps_;
  const ReferencePipeline::Seconds& t = pipeline_.seconds();
  const auto at = [&](Stage stage) -> double& {
    return sim_.report.stageSeconds[static_cast<std::size_t>(stage)];
  };
  at(Stage::kBroadphase) += t.pairs;
  at(Stage::kNarrowphase) += t.manifolds;
  at(Stage::kRows) += t.constraints;
  at(Stage::kIslands) += t.islands;
  at(Stage::kSolve) += t.solve;
}

void ReferenceBalance::blame(std::uint32_t slot) {
  sim_.report.blame(StepFault::kNonFinite);
  sim_.report.failedBody = sim_.idOf(slot);
  sim_.report.failedStage = Stage::kSolve;
}

bool ReferenceBalance::isFinite() {
  for (std::size_t i = 0; i < start_.size(); ++i) {
    const AssetInertial& body = *sim_.slots[slots_[i]].inertial;
    const InertialState& s = body.getInertialState();
    bool good = s.position.allFinite() && s.velocity.allFinite() && s.angularVelocity.allFinite() &&
                s.orientation.coeffs().allFinite() && body.accumulatedForce().allFinite() &&
                body.accumulatedTorque().allFinite();
    if (good) {
      const SpatialVector field = fieldLoad(sim_, slots_[i], s);
      good = field.linear.allFinite() && field.angular.allFinite();
    }
    if (good) continue;
    blame(slots_[i]);
    return false;
  }
  return true;
}

bool ReferenceBalance::finish(double dt) {
  if (!isFinite()) return false;
  for (std::size_t i = 0; i < start_.size(); ++i) {
    const std::uint32_t slot = slots_[i];
    BodyStart& start = sim_.solver.start[slot];
    for (int c = 0; c < 3; ++c) {
      start.x[c] = start_[i].position[c];
      start.v[c] = start_[i].velocity[c];
      start.w[c] = start_[i].angularVelocity[c];
    }
    const Quaternion& q = start_[i].orientation;
    start.q[0] = q.w(), start.q[1] = q.x(), start.q[2] = q.y(), start.q[3] = q.z();
    writeStateToSolver(sim_, slot);
    sim_.solver.shift[slot] = BodyShift{};
    scatterBody(sim_, slot);
  }
  writeRecords(dt);
  writeEvents();
  finishJoints(dt);
  writeCounts();
  writeEnergy();
  return true;
}

void ReferenceBalance::look() {
  writeFound();
  writeCounts();
  sim_.report.contacts = static_cast<std::uint32_t>(sim_.reference.records.size());
  sim_.report.deepestPenetration = pipeline_.deepest();
  writeEnergy();
}

void ReferenceBalance::writeCounts() {
  StepReport& r = sim_.report;
  r.bodies = static_cast<std::uint32_t>(start_.size());
  r.awakeBodies = static_cast<std::uint32_t>(
      std::count_if(slots_.begin(), slots_.begin() + static_cast<std::ptrdiff_t>(start_.size()),
                    [&](std::uint32_t slot) { return !sim_.slots[slot].kinematic; }));
  r.pairs = static_cast<std::uint32_t>(pipeline_.pairCount());
  r.manifolds = static_cast<std::uint32_t>(pipeline_.manifoldCount());
  r.contacts = static_cast<std::uint32_t>(pipeline_.contacts().size());
  r.islands = static_cast<std::uint32_t>(pipeline_.islandCount());
  r.substeps = static_cast<std::uint32_t>(substeps_);
  r.iterations = static_cast<std::uint32_t>(iterations_);
  r.residual = residual_;
  sim_.reference.unsolvedIslands = unsolved_;
  sim_.reference.resists = resists_;
  // Others ask by body slot.
  Islands& islands = sim_.islands;
  islands.islandOf.assign(sim_.solver.size(), Islands::kNone);
  islands.version = ~std::uint64_t{0};
  for (std::size_t i = 0; i < std::min(start_.size(), pipeline_.islandOf().size()); ++i) {
    islands.islandOf[slots_[i]] = pipeline_.islandOf()[i];
  }
}

void ReferenceBalance::writeEnergy() {
  EnergyLedger& ledger = ledger_;
  double weightTimesSize = 0.0;
  for (std::size_t i = 0; i < start_.size(); ++i) {
    const std::uint32_t slot = slots_[i];
    if (sim_.slots[slot].kinematic) continue;
    const AssetInertial& body = *sim_.slots[slot].inertial;
    const InertialState& s = stateOf(sim_, slot);
    ledger.kinetic += body.kineticEnergy();
    ledger.potential +=
        -body.getMass() * sim_.settings.gravity.dot(s.position) + fieldEnergy(sim_, slot, s);
    weightTimesSize += body.getMass() * sim_.settings.gravity.norm() * sim_.solver.pose[slot].size;
  }
  for (const JointRecord& record : sim_.joints.records()) {
    if (!record.used || record.broken) continue;
    ledger.potential += record.potential;
    ledger.kinetic += record.kinetic;
  }
  ledger.scale = std::max({sim_.report.energy.scale, ledger.kinetic, weightTimesSize});
  sim_.report.energy = ledger;
}

void ReferenceBalance::addJoints(const std::vector<ConstraintOwner>& owners,
                                 const std::vector<JointForce>& forces, double h) {
  if (substeps_ == 0) {
    for (UserConstraint& user : sim_.constraints) {
      if (user.constraint != nullptr) user.impulse.setZero(user.constraint->dimension());
    }
  }
  for (std::size_t c = 0; c < owners.size(); ++c) {
    const std::size_t index = owners[c].index;
    if (owners[c].kind == ConstraintOwner::Kind::kUser) {
      sim_.constraints[index].impulse += pipeline_.impulses(c);
      continue;
    }
    const Eigen::VectorXd onB =
        pipeline_.rows(c).rightCols<6>().transpose() * pipeline_.impulses(c);
    reactions_[index].linear += onB.head<3>();
    reactions_[index].angular += onB.tail<3>();
    if (const auto* row = dynamic_cast<const CoordinateConstraint*>(pipeline_.constraints()[c])) {
      motor_[index] += row->motorImpulse(pipeline_.impulses(c)(0), h);
      if (row->law().potential > 0.0) implicit_[index] = 1;
    }
  }
  for (const JointForce& f : forces) {
    const double impulse = h * (f.force.elastic + f.force.motor);
    reactions_[f.joint].linear += impulse * f.row.linearB;
    reactions_[f.joint].angular += impulse * f.row.angularB;
    motor_[f.joint] += h * f.force.motor;
  }
}

/// Energies of the spring and of the rotor, and what they change in the ledger: a spring that the
/// step follows balances the work of its force; one that a constraint stands for, its work.
void ReferenceBalance::closeJoint(std::size_t joint, double dt) {
  JointRecord& record = sim_.joints.records()[joint];
  const JointDefinition& d = record.definition;
  const InertialState &a = stateOf(sim_, d.bodyA), &b = stateOf(sim_, d.bodyB);
  const JointPlace place = jointPlace(a, b, sim_.time + dt);
  record.coordinate = continuedCoordinate(d, evaluateCoordinate(d, place), record.coordinate);
  record.separation = evaluateSeparation(d, place);
  sim_.report.jointError = std::max(sim_.report.jointError, record.separation);
  record.motorForce = motor_[joint] / dt;
  const double potential = springEnergy(d, record.coordinate);
  record.potentialChange = potential - record.potential;
  record.potential = potential;
  const double rate = coordinateRate({record, 0, 0, a, b}, sim_.time + dt);
  const double kinetic = 0.5 * rotorInertia(d) * rate * rate;
  record.kineticChange = kinetic - record.kinetic;
  record.kinetic = kinetic;
  ledger_.change += record.potentialChange + record.kineticChange;
  ledger_.jointWork += record.kineticChange;
  (implicit_[joint] != 0 ? ledger_.jointWork : ledger_.integratorError) += record.potentialChange;
  const Vector3D arm = b.orientation * d.anchorB;
  record.reaction.linear = reactions_[joint].linear / dt;
  record.reaction.angular = reactions_[joint].angular / dt - arm.cross(record.reaction.linear);
}

void ReferenceBalance::finishJoints(double dt) {
  const auto records = sim_.joints.records();
  for (std::size_t j = 0; j < records.size(); ++j) {
    JointRecord& record = records[j];
    const JointDefinition& d = record.definition;
    if (!record.used || record.broken || d.constraint != nullptr) continue;
    closeJoint(j, dt);
    if (record.reaction.linear.norm() <= d.breakingForce &&
        record.reaction.angular.norm() <= d.breakingTorque) {
      continue;
    }
    record.broken = true;  // what its spring and rotor held is gone
    ledger_.change -= record.potential + record.kinetic;
    ledger_.jointWork -= record.potential + record.kinetic;
    record.potential = record.kinetic = record.motorForce = 0.0;
    sim_.joints.refresh();
    releasePair(sim_, d);
  }
  for (UserConstraint& user : sim_.constraints) {
    if (user.constraint != nullptr) user.impulse /= dt;
  }
}

/// Contact points as they are found, without forces.
void ReferenceBalance::writeFound() {
  std::vector<ContactRecord>& records = sim_.reference.records;
  records.clear();
  for (const ReferencePipeline::Manifold& m : pipeline_.manifolds()) {
    const bool swapped = slots_[m.bodyB] < slots_[m.bodyA];
    const CollisionResult& found = m.collision.result;
    for (std::size_t i = 0; i < found.contactCount; ++i) {
      const ContactPoint& p = found.contacts[i];
      ContactRecord record{};
      record.bodyA = sim_.idOf(slots_[swapped ? m.bodyB : m.bodyA]);
      record.bodyB = sim_.idOf(slots_[swapped ? m.bodyA : m.bodyB]);
      record.normal = swapped ? Vector3D{-found.normal} : found.normal;
      record.gap = found.normal.dot(p.pointB - p.pointA);
      record.point = 0.5 * (p.pointA + p.pointB);
      record.forceOnB.setZero();
      record.slip.setZero();
      record.state = ContactState::kOpen;
      record.feature = p.feature;
      records.push_back(record);
    }
  }
  sortRecords(records);
  listReferenceRecords(sim_);
}

/// Contact points as the step has left them: the points go with their bodies.
void ReferenceBalance::writeRecords(double dt) {
  std::vector<ContactRecord>& records = sim_.reference.records;
  records.clear();
  const auto moved = [&](std::size_t body, const Coordinate& point) -> Coordinate {
    if (body >= start_.size()) return point;
    const InertialState &from = last_[body].before, &to = last_[body].after;
    return to.position + to.orientation * (from.orientation.conjugate() * (point - from.position));
  };
  for (const ReferencePipeline::Contact& c : pipeline_.contacts()) {
    const Total& total = totals_[c.key];
    const std::uint32_t slotA = slots_[c.bodyA], slotB = slots_[c.bodyB];
    const bool swapped = slotB < slotA;
    const Coordinate onA = moved(c.bodyA, c.point.pointA), onB = moved(c.bodyB, c.point.pointB);
    ContactRecord record{};
    record.bodyA = sim_.idOf(swapped ? slotB : slotA);
    record.bodyB = sim_.idOf(swapped ? slotA : slotB);
    record.normal = swapped ? Vector3D{-c.normal} : c.normal;
    record.gap = c.normal.dot(onB - onA);
    record.point = onB - 0.5 * record.gap * c.normal;
    record.forceOnB = (swapped ? -1.0 : 1.0) / dt * total.impulse;
    record.friction = c.friction;
    record.feature = c.point.feature;
    const CoordinateRate u = velocityAt(stateOf(sim_, record.bodyB.index), record.point) -
                             velocityAt(stateOf(sim_, record.bodyA.index), record.point);
    record.slip = u - u.dot(record.normal) * record.normal;
    const double tangential = c.tangentialImpulse.norm();
    const double limit = c.friction * c.normalImpulse;
    record.state = !(total.normal > 0.0)                   ? ContactState::kOpen
                   : tangential >= (1.0 - kOnCone) * limit ? ContactState::kSlip
                                                           : ContactState::kStick;
    records.push_back(record);
  }
  sortRecords(records);
  listReferenceRecords(sim_);
}

void ReferenceBalance::writeEvents() {
  sim_.events.assign(sim_.eventScratch.removed.begin(), sim_.eventScratch.removed.end());
  sim_.eventScratch.removed.clear();
  using Pair = std::pair<std::uint32_t, std::uint32_t>;
  std::map<Pair, double> approach;  // of pairs that pushed
  for (const auto& [key, total] : totals_) {
    if (!(total.normal > 0.0)) continue;
    double& fastest = approach[std::minmax(key.bodyA, key.bodyB)];
    fastest = std::max(fastest, total.approach);
  }
  const auto strongest = [&](const Pair& pair) -> const ContactRecord* {
    const ContactRecord* best = nullptr;
    for (const ContactRecord& r : sim_.reference.records) {
      if (r.bodyA.index != pair.first || r.bodyB.index != pair.second) continue;
      if (best == nullptr || r.forceOnB.norm() > best->forceOnB.norm()) best = &r;
    }
    return best;
  };
  const auto report = [&](ContactEventKind kind, const Pair& pair, double speed) {
    ContactEvent event{
        kind, sim_.idOf(pair.first), sim_.idOf(pair.second), Coordinate::Zero(), Vector3D::Zero(),
        speed};
    const ContactRecord* record = kind == ContactEventKind::kEnd ? nullptr : strongest(pair);
    if (record != nullptr) {
      event.point = record->point;
      event.normal = record->normal;
    }
    sim_.events.push_back(event);
  };
  std::vector<Pair>& before = sim_.reference.touching;
  const double threshold = sim_.settings.restitutionThreshold;
  std::vector<Pair> now;
  for (const auto& [pair, speed] : approach) {
    now.push_back(pair);
    const bool known = std::binary_search(before.begin(), before.end(), pair);
    if (!known) report(ContactEventKind::kBegin, pair, 0.0);
    if (speed > threshold && (threshold > 0.0 || !known))
      report(ContactEventKind::kHit, pair, speed);
  }
  for (const Pair& pair : before) {
    if (approach.count(pair) == 0) report(ContactEventKind::kEnd, pair, 0.0);
  }
  before = std::move(now);
  std::sort(sim_.events.begin(), sim_.events.end(),
            [](const ContactEvent& x, const ContactEvent& y) {
              return std::tie(x.bodyA, x.bodyB, x.kind) < std::tie(y.bodyA, y.bodyB, y.kind);
            });
}

void listReferenceRecords(Simulation& sim) {
  sim.records.clear();
  for (const ContactRecord& r : sim.reference.records) {
    const auto exists = [&](BodyId id) {
      return sim.slots[id.index].isUsed() && sim.slots[id.index].generation == id.generation;
    };
    if (exists(r.bodyA) && exists(r.bodyB)) sim.records.push_back(r);
  }
  sim.recordsValid = true;
}

void forgetReference(Simulation& sim, unsigned slot) {
  sim.collision.contacts().impulses().forgetBody(slot);
  for (const auto& [a, b] : sim.reference.touching) {
    if (a != slot && b != slot) continue;
    sim.eventScratch.removed.push_back({ContactEventKind::kEnd, sim.idOf(a), sim.idOf(b),
                                        Coordinate::Zero(), Vector3D::Zero(), 0.0});
  }
  std::erase_if(sim.reference.touching,
                [&](const auto& pair) { return pair.first == slot || pair.second == slot; });
}

}  // namespace msd_sim
