#include <algorithm>
#include <cmath>
#include <limits>

#include "msd-sim/src/Physics/Constraints/Joints/ExtraRows.hpp"
#include "msd-sim/src/Physics/Constraints/Joints/JointComponent.hpp"
#include "msd-sim/src/Physics/Constraints/Joints/Tolerances.hpp"

namespace msd_sim {

namespace {

std::uint32_t freeRowCount(const JointDefinition& joint) {
  auto count = static_cast<std::uint32_t>(holdingRowCount(joint));
  const ExtraRows extra = extraRows(joint);
  for (const SystemRow& row : extra.all()) count += isBounded(row) ? 0u : 1u;
  return count;
}

}  // namespace

void JointComponent::addRows(Link& link, const JointRecord& record) {
  const JointDefinition& joint = record.definition;
  link.row = static_cast<std::uint32_t>(rows_.size());
  link.bounded = static_cast<std::uint32_t>(bounded_.size());
  for (int i = 0; i < holdingRowCount(joint); ++i) {
    SystemRow row{};
    row.number = static_cast<std::uint8_t>(i);
    row.isLength = isLength(joint.kind, i);
    row.impulse = record.impulse[static_cast<std::size_t>(i)];
    rows_.push_back(row);
  }
  ExtraRows extra = extraRows(joint);
  for (SystemRow& row : extra.all()) {
    row.impulse = record.impulse[row.number];
    if (isBounded(row)) {
      bounded_.push_back(row);
      bounded_link_.push_back(static_cast<std::uint32_t>(links_.size()));
    } else {
      rows_.push_back(row);
    }
    soft_ = soft_ || row.law == RowLaw::kSpring;
  }
  link.rowCount = static_cast<std::uint32_t>(rows_.size()) - link.row;
  link.boundedCount = static_cast<std::uint32_t>(bounded_.size()) - link.bounded;
}

bool JointComponent::build(std::span<const std::uint32_t> joints,
                           std::span<const JointRecord> records, const SolverBodies& bodies,
                           double mostWork) {
  slots_.clear();
  for (const std::uint32_t j : joints) {
    slots_.push_back(records[j].definition.bodyA);
    slots_.push_back(records[j].definition.bodyB);
  }
  std::sort(slots_.begin(), slots_.end());
  slots_.erase(std::unique(slots_.begin(), slots_.end()), slots_.end());
  const auto numberIn = [&](std::uint32_t slot) {
    return static_cast<std::uint32_t>(std::lower_bound(slots_.begin(), slots_.end(), slot) -
                                      slots_.begin());
  };
  pushable_.clear();
  for (const std::uint32_t slot : slots_) {
    pushable_.push_back(slot != 0 && bodies.mass[slot].dynamic > 0.0 ? 1 : 0);
  }

  // Joints of each body, and the pairs of joints that share one.
  const auto listLinks = [&](const auto& jointOf) {
    std::vector<std::vector<std::uint32_t>> lists(slots_.size());
    for (std::uint32_t i = 0; i < joints.size(); ++i) {
      const JointDefinition& joint = records[jointOf(i)].definition;
      for (const std::uint32_t slot : {joint.bodyA, joint.bodyB}) {
        if (pushable_[numberIn(slot)] != 0) lists[numberIn(slot)].push_back(i);
      }
    }
    return lists;
  };
  const auto edgesOf = [](const std::vector<std::vector<std::uint32_t>>& lists) {
    std::vector<BlockFactor::Edge> edges;
    for (const auto& list : lists) {
      for (std::size_t e = 1; e < list.size(); ++e) {
        for (std::size_t f = 0; f < e; ++f) edges.emplace_back(list[e], list[f]);
      }
    }
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    return edges;
  };
  // A body with very many joints makes a full block of them; such are not worth listing.
  double pairs = 0.0;
  const auto lists = listLinks([&](std::uint32_t i) { return joints[i]; });
  for (const auto& list : lists) pairs += 0.5 * static_cast<double>(list.size() * list.size());
  if (pairs > mostWork) return false;

  std::vector<std::uint32_t> sizes;
  for (const std::uint32_t j : joints) sizes.push_back(freeRowCount(records[j].definition));
  const std::vector<std::uint32_t> order = BlockFactor::findOrder(sizes, edgesOf(lists), mostWork);
  if (order.size() != joints.size()) return false;

  links_.clear();
  rows_.clear();
  bounded_.clear();
  bounded_link_.clear();
  soft_ = false;
  std::vector<std::uint32_t> orderedSizes;
  for (const std::uint32_t i : order) {
    const JointDefinition& joint = records[joints[i]].definition;
    Link link{};
    link.joint = joints[i];
    link.slotA = joint.bodyA;
    link.slotB = joint.bodyB;
    link.bodyA = numberIn(joint.bodyA);
    link.bodyB = numberIn(joint.bodyB);
    addRows(link, records[joints[i]]);
    links_.push_back(link);
    orderedSizes.push_back(sizes[i]);
  }
  if (bounded_.size() > static_cast<std::size_t>(joint_tolerances::kMostBounded)) return false;

  const auto ordered = listLinks([&](std::uint32_t i) { return joints[order[i]]; });
  edges_ = edgesOf(ordered);
  factor_.analyse(orderedSizes, edges_);
  touching_.clear();
  touch_start_.assign(1, 0);
  for (const auto& list : ordered) {
    touching_.insert(touching_.end(), list.begin(), list.end());
    touch_start_.push_back(static_cast<std::uint32_t>(touching_.size()));
  }
  const std::size_t n = rows_.size(), c = bounded_.size();
  drifting_.assign(slots_.begin(), slots_.end());
  drifting_.resize((slots_.size() + SolverBodies::kBlock - 1) / SolverBodies::kBlock * SolverBodies::kBlock, 0);
  drifted_.resize(drifting_.size());
  moves_.reserve(slots_.size());
  residual_.resize(n);
  change_.resize(n);
  for (auto* vector :
       {&right_side_, &last_right_side_, &solved_, &last_solved_, &last_step_, &since_best_, &owed_, &wanted_, &since_start_, &closing_}) {
    vector->resize(n);
  }
  own_column_.resize(columnSize());
  velocities_.resize(columnSize());
  several_.resize(kPushes * n);
  several_columns_.resize(kPushes * columnSize());
  bounded_residual_.resize(c);
  bounded_wanted_.resize(c);
  bounded_change_.resize(c);
  cached_.assign(c, 0);
  hot_.reserve(c);
  columns_.resize(c * n);
  schur_.resize(c * c);
  hot_matrix_.resize(c * c);
  hot_work_.resize(c * c);
  hot_vector_.resize(3 * c);
  free_rows_.reserve(c);
  prepareMotors(joints, records, bodies);
  buildBalls(records);
  return true;
}

JointPlace JointComponent::placeOfLink(const SolverBodies& bodies, const Link& link) const {
  JointPlace place = placeOf(bodies, link.slotA, link.slotB);
  place.time = time_;
  return place;
}

void JointComponent::placeRow(const SolverBodies& bodies, const Link& link, SystemRow& row) const {
  const BodyMotion& a = bodies.motion[link.slotA];
  const BodyMotion& b = bodies.motion[link.slotB];
  const JointRow& j = row.jacobian;
  row.response = {a.inverseMass * j.linearA, inverseInertiaTimes(a, j.angularA),
                  b.inverseMass * j.linearB, inverseInertiaTimes(b, j.angularB)};
  const JointRow& r = row.response;
  row.diagonal = j.linearA.dot(r.linearA) + j.angularA.dot(r.angularA) + j.linearB.dot(r.linearB) +
                 j.angularB.dot(r.angularB);
}

void JointComponent::placeRows(const SolverBodies& bodies, std::span<const JointRecord> records) {
  for (const Link& link : links_) {
    const JointDefinition& joint = records[link.joint].definition;
    const JointPlace place = placeOfLink(bodies, link);
    JointRow holding[kMostHoldingRows];
    evaluateRows(joint, place, holding);
    const auto holdingCount = static_cast<std::uint32_t>(holdingRowCount(joint));
    const double rate = joint.constraint != nullptr ? userRate(joint, place) : 0.0;
    for (std::uint32_t i = 0; i < holdingCount; ++i) {
      rows_[link.row + i].jacobian = holding[i];
      rows_[link.row + i].rate = rate;
      placeRow(bodies, link, rows_[link.row + i]);
    }
    if (link.rowCount == holdingCount && link.boundedCount == 0) continue;
    const JointRow along = evaluateCoordinateRow(joint, place);
    const auto placeExtra = [&](SystemRow& row) {
      const double s = row.sign;
      row.jacobian = {s * along.linearA, s * along.angularA, s * along.linearB, s * along.angularB};
      row.rate = s * rate;
      placeRow(bodies, link, row);
    };
    for (std::uint32_t i = holdingCount; i < link.rowCount; ++i) placeExtra(rows_[link.row + i]);
    for (std::uint32_t i = 0; i < link.boundedCount; ++i) placeExtra(bounded_[link.bounded + i]);
  }
}

void JointComponent::softenRow(SystemRow& row, Phase phase) const {
  row.softness = 0.0;
  if (row.law != RowLaw::kSpring || !(row.diagonal > 0.0)) return;
  const double least = joint_tolerances::kNoDamping / row.diagonal;
  const double half = 0.5 * h_;
  const double give = row.inertia + (phase == Phase::kPosition
                                         ? half * (half * row.stiffness + row.damping)
                                         : half * row.damping);
  row.softness = 1.0 / std::max(give, least);
}

void JointComponent::assemble(Phase phase) {
  assembled_ = phase;
  for (SystemRow& row : bounded_) softenRow(row, phase);
  std::fill(cached_.begin(), cached_.end(), std::uint8_t{0});
  factor_.clear();
  for (std::uint32_t k = 0; k < links_.size(); ++k) {
    const Link& link = links_[k];
    double* const block = factor_.block(k, k);
    const std::uint32_t m = link.rowCount;
    for (std::uint32_t r = 0; r < m; ++r) {
      SystemRow& row = rows_[link.row + r];
      softenRow(row, phase);
      const JointRow& j = row.jacobian;
      for (std::uint32_t c = 0; c < r; ++c) {
        const JointRow& s = rows_[link.row + c].response;
        block[r * m + c] = j.linearA.dot(s.linearA) + j.angularA.dot(s.angularA) +
                           j.linearB.dot(s.linearB) + j.angularB.dot(s.angularB);
      }
      // A row that moves nothing keeps its impulse.
      block[r * m + r] = row.diagonal > 0.0
                             ? (1.0 + joint_tolerances::kProximal) * row.diagonal + row.softness
                             : 1.0;
    }
  }
  for (const auto& [i, k] : edges_) {
    const Link& li = links_[i];
    const Link& lk = links_[k];
    double* const block = factor_.block(i, k);
    const auto addShared = [&](std::uint32_t body, Vector3D JointRow::* linearI,
                               Vector3D JointRow::* angularI) {
      if (pushable_[body] == 0) return;
      const auto addSide = [&](Vector3D JointRow::* linearK, Vector3D JointRow::* angularK) {
        for (std::uint32_t r = 0; r < li.rowCount; ++r) {
          const JointRow& j = rows_[li.row + r].jacobian;
          for (std::uint32_t c = 0; c < lk.rowCount; ++c) {
            const JointRow& s = rows_[lk.row + c].response;
            block[r * lk.rowCount + c] +=
                (j.*linearI).dot(s.*linearK) + (j.*angularI).dot(s.*angularK);
          }
        }
      };
      if (lk.bodyA == body) addSide(&JointRow::linearA, &JointRow::angularA);
      if (lk.bodyB == body) addSide(&JointRow::linearB, &JointRow::angularB);
    };
    addShared(li.bodyA, &JointRow::linearA, &JointRow::angularA);
    addShared(li.bodyB, &JointRow::linearB, &JointRow::angularB);
  }
  factor_.factor();
}

}  // namespace msd_sim
