#include "msd-sim/src/Physics/Constraints/Joints/MechanismInertia.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "msd-sim/src/Physics/Constraints/Joints/JointCurvature.hpp"
#include "msd-sim/src/Physics/Constraints/Joints/Tolerances.hpp"

namespace msd_sim {

namespace {

using Side = std::array<double, 6>;

double dot(const Side& a, const Side& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

Side sideOf(const Vector3D& linear, const Vector3D& angular) {
  return {linear.x(), linear.y(), linear.z(), angular.x(), angular.y(), angular.z()};
}

Matrix3D matrixOf(const double (&s)[6]) {
  Matrix3D m;
  m << s[0], s[3], s[4], s[3], s[1], s[5], s[4], s[5], s[2];
  return m;
}

Side linearAngular(const BodyMotion& m) {
  return {m.v[0], m.v[1], m.v[2], m.w[0], m.w[1], m.w[2]};
}

std::uint32_t rowCountOf(const JointDefinition& joint) {
  return static_cast<std::uint32_t>(holdingRowCount(joint)) + (rotorInertia(joint) > 0.0 ? 1u : 0u);
}

}  // namespace

std::uint32_t MechanismInertia::numberOf(std::uint32_t slot) const {
  const auto place = std::lower_bound(slots_.begin(), slots_.end(), slot);
  return place != slots_.end() && *place == slot
             ? static_cast<std::uint32_t>(place - slots_.begin())
             : kNone;
}

void MechanismInertia::build(std::span<const std::uint32_t> joints,
                             std::span<const std::uint32_t> coordinates,
                             std::span<const JointRecord> records,
                             const std::function<bool(std::uint32_t)>& canBePushed) {
  slots_.clear();
  for (const std::uint32_t j : joints) {
    for (const std::uint32_t slot : {records[j].definition.bodyA, records[j].definition.bodyB}) {
      if (canBePushed(slot)) slots_.push_back(slot);
    }
  }
  std::sort(slots_.begin(), slots_.end());
  slots_.erase(std::unique(slots_.begin(), slots_.end()), slots_.end());
  bodies_.resize(slots_.size());
  const auto linkOf = [&](std::uint32_t j) {
    const JointDefinition& joint = records[j].definition;
    return Link{j, numberOf(joint.bodyA), numberOf(joint.bodyB), 0, rowCountOf(joint)};
  };
  std::vector<Link> links;
  soft_.clear();
  for (const std::uint32_t j : joints) {
    const JointDefinition& joint = records[j].definition;
    if (joint.constraint == nullptr && (joint.stiffness > 0.0 || joint.damping > 0.0)) {
      soft_.push_back(j);
    }
    if (const Link link = linkOf(j); link.rowCount > 0) links.push_back(link);
  }
  const auto listLinks = [&](const std::vector<Link>& list) {
    std::vector<std::vector<std::uint32_t>> touching(slots_.size());
    for (std::uint32_t i = 0; i < list.size(); ++i) {
      for (const std::uint32_t body : {list[i].bodyA, list[i].bodyB}) {
        if (body != kNone) touching[body].push_back(i);
      }
    }
    return touching;
  };
  const auto edgesOf = [](const std::vector<std::vector<std::uint32_t>>& touching) {
    std::vector<BlockFactor::Edge> edges;
    for (const auto& list : touching) {
      for (std::size_t e = 1; e < list.size(); ++e) {
        for (std::size_t f = 0; f < e; ++f) edges.emplace_back(list[e], list[f]);
      }
    }
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    return edges;
  };
  std::vector<std::uint32_t> sizes;
  for (const Link& link : links) sizes.push_back(link.rowCount);
  links_.clear();
  std::vector<std::uint32_t> ordered;
  std::uint32_t rows = 0;
  for (const std::uint32_t i : BlockFactor::findOrder(sizes, edgesOf(listLinks(links)),
                                                      std::numeric_limits<double>::infinity())) {
    links_.push_back(links[i]);
    links_.back().row = rows;
    rows += links[i].rowCount;
    ordered.push_back(links[i].rowCount);
  }
  const auto touching = listLinks(links_);
  edges_ = edgesOf(touching);
  factor_.analyse(ordered, edges_);
  touching_.clear();
  touch_start_.assign(1, 0);
  for (const auto& list : touching) {
    touching_.insert(touching_.end(), list.begin(), list.end());
    touch_start_.push_back(static_cast<std::uint32_t>(touching_.size()));
  }
  coordinates_.clear();
  for (const std::uint32_t j : coordinates) coordinates_.push_back(linkOf(j));
  const std::size_t n = rows, c = coordinates_.size();
  rows_.assign(n, Row{});
  along_.assign(c, Row{});
  columns_.assign(c * n, 0.0);
  right_.assign(std::max(n, c), 0.0);
  inverse_.assign(c * c, 0.0);
  mass_.assign(c * c, 0.0);
  factor_work_.assign(c * c, 0.0);
  free_.assign(c, 0.0);
}

void MechanismInertia::placeBodies(const SolverBodies& bodies) {
  for (std::size_t b = 0; b < slots_.size(); ++b) {
    const BodyMass& mass = bodies.mass[slots_[b]];
    const Matrix3D r = quaternionOf(bodies.pose[slots_[b]].q).toRotationMatrix();
    const Matrix3D inverse = r * matrixOf(mass.inverseInertia) * r.transpose();
    bodies_[b].inverseMass = 1.0 / mass.mass;
    const double six[6] = {inverse(0, 0), inverse(1, 1), inverse(2, 2),
                           inverse(0, 1), inverse(0, 2), inverse(1, 2)};
    std::copy(std::begin(six), std::end(six), bodies_[b].inverseInertia);
  }
}

void MechanismInertia::placeRow(const Link& link, const JointRow& jacobian, Row& row) const {
  const auto answer = [&](std::uint32_t body, const Side& j) -> Side {
    if (body == kNone) return {};
    const Body& b = bodies_[body];
    const double(&i)[6] = b.inverseInertia;
    return {b.inverseMass * j[0],
            b.inverseMass * j[1],
            b.inverseMass * j[2],
            i[0] * j[3] + i[3] * j[4] + i[4] * j[5],
            i[3] * j[3] + i[1] * j[4] + i[5] * j[5],
            i[4] * j[3] + i[5] * j[4] + i[2] * j[5]};
  };
  row.a = sideOf(jacobian.linearA, jacobian.angularA);
  row.b = sideOf(jacobian.linearB, jacobian.angularB);
  row.answerA = answer(link.bodyA, row.a);
  row.answerB = answer(link.bodyB, row.b);
}

void MechanismInertia::place(const SolverBodies& bodies, std::span<const JointRecord> records,
                             double time) {
  placeBodies(bodies);
  const auto rateOf = [&](std::uint32_t slot) {
    const Side s = linearAngular(bodies.motion[slot]);
    return std::pair{Vector3D{s[0], s[1], s[2]}, Vector3D{s[3], s[4], s[5]}};
  };
  for (const Link& link : links_) {
    const JointDefinition& joint = records[link.joint].definition;
    JointPlace place = placeOf(bodies, joint.bodyA, joint.bodyB);
    place.time = time;
    const auto [vA, wA] = rateOf(joint.bodyA);
    const auto [vB, wB] = rateOf(joint.bodyB);
    const JointRates rates{vA, wA, vB, wB};
    JointRow holding[kMostHoldingRows];
    double curvature[kMostHoldingRows];
    evaluateRows(joint, place, holding);
    evaluateCurvatures(joint, place, rates, curvature);
    const auto held = static_cast<std::uint32_t>(holdingRowCount(joint));
    for (std::uint32_t i = 0; i < held; ++i) {
      Row& row = rows_[link.row + i];
      placeRow(link, holding[i], row);
      row.curvature = curvature[i];
      row.softness = 0.0;
    }
    if (link.rowCount == held) continue;
    Row& row = rows_[link.row + held];  // the rotor
    placeRow(link, evaluateCoordinateRow(joint, place), row);
    row.curvature = evaluateCoordinateCurvature(joint, place, rates);
    row.softness = 1.0 / rotorInertia(joint);
  }
  for (std::size_t c = 0; c < coordinates_.size(); ++c) {
    const JointDefinition& joint = records[coordinates_[c].joint].definition;
    const JointPlace place = placeOf(bodies, joint.bodyA, joint.bodyB);
    const auto [vA, wA] = rateOf(joint.bodyA);
    const auto [vB, wB] = rateOf(joint.bodyB);
    placeRow(coordinates_[c], evaluateCoordinateRow(joint, place), along_[c]);
    along_[c].curvature = evaluateCoordinateCurvature(joint, place, {vA, wA, vB, wB});
  }
  assemble();
  coupleCoordinates();
  invert();
}

void MechanismInertia::assemble() {
  factor_.clear();
  for (std::uint32_t k = 0; k < links_.size(); ++k) {
    const Link& link = links_[k];
    double* const block = factor_.block(k, k);
    const std::uint32_t m = link.rowCount;
    for (std::uint32_t r = 0; r < m; ++r) {
      const Row& row = rows_[link.row + r];
      for (std::uint32_t c = 0; c <= r; ++c) {
        const Row& other = rows_[link.row + c];
        block[r * m + c] = dot(row.a, other.answerA) + dot(row.b, other.answerB);
      }
      double& diagonal = block[r * m + r];
      diagonal = diagonal > 0.0
                     ? (1.0 + joint_tolerances::kRedundant) * diagonal + row.softness
                     : 1.0;
    }
  }
  for (const auto& [i, k] : edges_) {
    const Link& li = links_[i];
    const Link& lk = links_[k];
    double* const block = factor_.block(i, k);
    for (std::uint32_t r = 0; r < li.rowCount; ++r) {
      const Row& row = rows_[li.row + r];
      for (std::uint32_t c = 0; c < lk.rowCount; ++c) {
        const Row& other = rows_[lk.row + c];
        double sum = 0.0;
        if (li.bodyA != kNone && li.bodyA == lk.bodyA) sum += dot(row.a, other.answerA);
        if (li.bodyA != kNone && li.bodyA == lk.bodyB) sum += dot(row.a, other.answerB);
        if (li.bodyB != kNone && li.bodyB == lk.bodyA) sum += dot(row.b, other.answerA);
        if (li.bodyB != kNone && li.bodyB == lk.bodyB) sum += dot(row.b, other.answerB);
        block[r * lk.rowCount + c] = sum;
      }
    }
  }
  factor_.factor();
}

/// Columns L⁻¹ J_h M⁻¹J_cᵀ, and S.
void MechanismInertia::coupleCoordinates() {
  const std::size_t n = rows_.size(), count = coordinates_.size();
  for (std::size_t c = 0; c < count; ++c) {
    const Link& along = coordinates_[c];
    double* const column = columns_.data() + c * n;
    std::fill(column, column + n, 0.0);
    const auto add = [&](std::uint32_t body, const Side& answer) {
      if (body == kNone) return;
      for (std::uint32_t t = touch_start_[body]; t < touch_start_[body + 1]; ++t) {
        const Link& link = links_[touching_[t]];
        for (std::uint32_t i = link.row; i < link.row + link.rowCount; ++i) {
          column[i] += dot(link.bodyA == body ? rows_[i].a : rows_[i].b, answer);
        }
      }
    };
    add(along.bodyA, along_[c].answerA);
    add(along.bodyB, along_[c].answerB);
    factor_.solveForward({column, n});
    for (std::size_t d = 0; d <= c; ++d) {
      const Link& other = coordinates_[d];
      double sum = 0.0;
      if (along.bodyA != kNone && along.bodyA == other.bodyA)
        sum += dot(along_[c].a, along_[d].answerA);
      if (along.bodyA != kNone && along.bodyA == other.bodyB)
        sum += dot(along_[c].a, along_[d].answerB);
      if (along.bodyB != kNone && along.bodyB == other.bodyA)
        sum += dot(along_[c].b, along_[d].answerA);
      if (along.bodyB != kNone && along.bodyB == other.bodyB)
        sum += dot(along_[c].b, along_[d].answerB);
      const double* const columnD = columns_.data() + d * n;
      for (std::size_t i = 0; i < n; ++i) sum -= column[i] * columnD[i];
      inverse_[c * count + d] = inverse_[d * count + c] = sum;
    }
  }
}

/// H = S⁻¹ by Cholesky, S = L Lᵀ. A coordinate that nothing can move, or that others move with it,
/// has no inverse mass of its own; a share of the largest keeps H finite.
void MechanismInertia::invert() {
  const std::size_t count = coordinates_.size();
  double largest = 0.0;
  for (std::size_t i = 0; i < count; ++i) largest = std::max(largest, inverse_[i * count + i]);
  const double least = std::max(joint_tolerances::kRedundant * largest,
                                std::numeric_limits<double>::min());
  double* const l = factor_work_.data();
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k <= i; ++k) {
      double sum = inverse_[i * count + k];
      for (std::size_t q = 0; q < k; ++q) sum -= l[i * count + q] * l[k * count + q];
      if (i == k) {
        l[i * count + i] = std::sqrt(std::max(sum, least));
      } else {
        l[i * count + k] = sum / l[k * count + k];
      }
    }
  }
  for (std::size_t c = 0; c < count; ++c) {
    double* const x = right_.data();
    for (std::size_t i = 0; i < count; ++i) {
      x[i] = i == c ? 1.0 : 0.0;
      for (std::size_t q = 0; q < i; ++q) x[i] -= l[i * count + q] * x[q];
      x[i] /= l[i * count + i];
    }
    for (std::size_t i = count; i-- > 0;) {
      for (std::size_t q = i + 1; q < count; ++q) x[i] -= l[q * count + i] * x[q];
      x[i] /= l[i * count + i];
    }
    for (std::size_t i = 0; i < count; ++i) mass_[i * count + c] = x[i];
  }
}

/// Springs and dampers push the bodies along their coordinates.
void MechanismInertia::applyJointForces(const SolverBodies& bodies,
                                        std::span<const JointRecord> records, Motion motion) {
  for (const std::uint32_t j : soft_) {
    const JointDefinition& joint = records[j].definition;
    const JointPlace place = placeOf(bodies, joint.bodyA, joint.bodyB);
    const double value = continuedCoordinate(joint, evaluateCoordinate(joint, place),
                                             records[j].coordinate);
    const double rest = joint.kind == JointKind::kSpring ? joint.length : joint.rest;
    const Link link{j, numberOf(joint.bodyA), numberOf(joint.bodyB), 0, 1};
    Row row;
    placeRow(link, evaluateCoordinateRow(joint, place), row);
    double force = -joint.stiffness * (value - rest);
    if (motion == Motion::kCounted) {
      force -= joint.damping * (dot(row.a, linearAngular(bodies.motion[joint.bodyA])) +
                                dot(row.b, linearAngular(bodies.motion[joint.bodyB])));
    }
    for (int c = 0; c < 6; ++c) {
      const auto i = static_cast<std::size_t>(c);
      if (link.bodyA != kNone) bodies_[link.bodyA].acceleration[i] += force * row.answerA[i];
      if (link.bodyB != kNone) bodies_[link.bodyB].acceleration[i] += force * row.answerB[i];
    }
  }
}

void MechanismInertia::findFreeAccelerations(const SolverBodies& bodies,
                                             std::span<const BodyLoad> loads,
                                             std::span<const JointRecord> records, Motion motion) {
  const bool counted = motion == Motion::kCounted;
  for (std::size_t b = 0; b < slots_.size(); ++b) {
    const BodyLoad& load = loads[slots_[b]];
    const BodyMotion& m = bodies.motion[slots_[b]];
    Vector3D torque{load.torque[0], load.torque[1], load.torque[2]};
    if (counted) {
      const Matrix3D r = quaternionOf(bodies.pose[slots_[b]].q).toRotationMatrix();
      const Vector3D w{m.w[0], m.w[1], m.w[2]};
      const Vector3D spin = r * (matrixOf(bodies.mass[slots_[b]].inertia) * (r.transpose() * w));
      torque -= w.cross(spin);
    }
    const Vector3D turn = matrixOf(bodies_[b].inverseInertia) * torque;
    bodies_[b].acceleration = {load.a[0], load.a[1], load.a[2], turn.x(), turn.y(), turn.z()};
  }
  applyJointForces(bodies, records, motion);
  const auto accelerationOf = [&](const Link& link, const Row& row) {
    double sum = counted ? row.curvature : 0.0;
    if (link.bodyA != kNone) sum += dot(row.a, bodies_[link.bodyA].acceleration);
    if (link.bodyB != kNone) sum += dot(row.b, bodies_[link.bodyB].acceleration);
    return sum;
  };
  const std::size_t n = rows_.size();
  for (const Link& link : links_) {
    for (std::uint32_t i = link.row; i < link.row + link.rowCount; ++i) {
      right_[i] = accelerationOf(link, rows_[i]);
    }
  }
  factor_.solveForward({right_.data(), n});
  for (std::size_t c = 0; c < coordinates_.size(); ++c) {
    const double* const column = columns_.data() + c * n;
    double sum = accelerationOf(coordinates_[c], along_[c]);
    for (std::size_t i = 0; i < n; ++i) sum -= column[i] * right_[i];
    free_[c] = sum;
  }
}

double MechanismInertia::holdingForce(std::size_t i) const {
  double force = 0.0;
  for (std::size_t c = 0; c < count(); ++c) force -= massMatrix(i, c) * free_[c];
  return force;
}

std::array<double, 6> MechanismInertia::bodyMotion(std::uint32_t slot, std::size_t i) const {
  Side motion{};
  const std::uint32_t body = numberOf(slot);
  if (body == kNone) return motion;
  const auto add = [&](const Link& link, const Row& row, double impulse) {
    for (std::size_t c = 0; c < 6; ++c) {
      if (link.bodyA == body) motion[c] += impulse * row.answerA[c];
      if (link.bodyB == body) motion[c] += impulse * row.answerB[c];
    }
  };
  // Impulses H e_i on the coordinates, and those of the holding rows that answer them.
  const std::size_t n = rows_.size();
  std::vector<double> held(n, 0.0);
  for (std::size_t c = 0; c < count(); ++c) {
    const double impulse = massMatrix(c, i);
    add(coordinates_[c], along_[c], impulse);
    for (std::size_t k = 0; k < n; ++k) held[k] -= impulse * columns_[c * n + k];
  }
  factor_.solveBackward(held);
  for (std::uint32_t t = touch_start_[body]; t < touch_start_[body + 1]; ++t) {
    const Link& link = links_[touching_[t]];
    for (std::uint32_t k = link.row; k < link.row + link.rowCount; ++k) add(link, rows_[k], held[k]);
  }
  return motion;
}

}  // namespace msd_sim
