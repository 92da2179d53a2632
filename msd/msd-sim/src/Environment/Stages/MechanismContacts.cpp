#include "msd-sim/src/Environment/Stages/MechanismContacts.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "msd-sim/src/Environment/WorkGrain.hpp"
#include "msd-sim/src/Physics/Solver/SolverTuning.hpp"

namespace msd_sim {

namespace {

using Wrench = JointComponent::Wrench;

Vector3D laneOf(const double (&values)[3][kBundleLanes], int lane) {
  return {values[0][lane], values[1][lane], values[2][lane]};
}

/// Point i of a contact's lane as a row: n on body 1, -n on body 0, at the arms of now.
template <int kPoints>
void place(const ContactRows<kPoints>& rows, int lane, int i, MechanismPoint& point) {
  const Vector3D n = laneOf(rows.normal, lane), t1 = laneOf(rows.tangent, lane);
  Vector3D d = Vector3D::Zero();
  if constexpr (kPoints > 1) d = rows.tangential.x[i][lane] * t1 + rows.tangential.y[i][lane] * n.cross(t1);
  const Vector3D arm1 = laneOf(rows.arm1, lane) + d;
  const Vector3D arm0 = laneOf(rows.arm0, lane) + laneOf(rows.drift, lane) + d;
  point.side[0] = {point.body[0], -n, -arm0.cross(n)};
  point.side[1] = {point.body[1], n, arm1.cross(n)};
}

double velocityOf(const SolverBodies& solver, const MechanismPoint& point) {
  // The forces of both sides are opposite.
  const BodyMotion& a = solver.motion[point.body[0]];
  const BodyMotion& b = solver.motion[point.body[1]];
  return point.side[1].linear.dot(vectorOf(b.v) - vectorOf(a.v)) + point.side[1].angular.dot(vectorOf(b.w)) +
         point.side[0].angular.dot(vectorOf(a.w));
}

/// Calls visit(component, its wrenches, where its column stands) for the mechanisms of a point, and other(wrench)
/// for a side that hangs on nothing. Both sides may belong to one mechanism.
template <class Visit, class Other>
void forMechanisms(Simulation& sim, const MechanismPoint& point, const Visit& visit, const Other& other) {
  const auto componentOf = [&](const Wrench& w) {
    return sim.solver.motion[w.slot].inverseMass > 0.0 ? sim.joints.componentOf(w.slot) : JointSolver::kNoComponent;
  };
  const std::uint32_t k0 = componentOf(point.side[0]), k1 = componentOf(point.side[1]);
  const auto all = std::span{sim.joints.components()};
  const std::span<const Wrench> sides{point.side};
  if (k0 == k1 && k0 != JointSolver::kNoComponent) {
    visit(all[k0], sides, point.column[0]);
    return;
  }
  const std::uint32_t of[2] = {k0, k1};
  for (std::size_t i = 0; i < 2; ++i) {
    if (of[i] != JointSolver::kNoComponent) {
      visit(all[of[i]], sides.subspan(i, 1), point.column[i]);
    } else if (sim.solver.motion[sides[i].slot].inverseMass > 0.0) {
      other(sides[i]);
    }
  }
}

bool keepsColumns(const JointComponent& c) { return c.columnSize() <= kWorkGrain.keptColumns; }

double* columnAt(Simulation& sim, JointComponent& c, std::size_t column) {
  return keepsColumns(c) ? sim.mechanismPoints.columns.data() + column : c.ownColumn();
}

/// How far both sides give way to a unit impulse; fills their columns.
double complianceOf(Simulation& sim, const MechanismPoint& point) {
  double sum = 0.0;
  forMechanisms(
      sim, point,
      [&](JointComponent& c, std::span<const Wrench> wrenches, std::size_t column) {
        sum += c.respond(sim.solver, wrenches, columnAt(sim, c, column));
      },
      [&](const Wrench& w) {
        const BodyMotion& m = sim.solver.motion[w.slot];
        sum += m.inverseMass + w.angular.dot(inverseInertiaTimes(m, w.angular));
      });
  return sum;
}

void give(Simulation& sim, MechanismPoint& point, double impulse) {
  forMechanisms(
      sim, point,
      [&](JointComponent& c, std::span<const Wrench> wrenches, std::size_t column) {
        if (!keepsColumns(c)) c.respond(sim.solver, wrenches, columnAt(sim, c, column));
        c.give(sim.solver, columnAt(sim, c, column), impulse);
      },
      [&](const Wrench& w) { push(sim.solver.motion[w.slot], impulse * w.linear, impulse * w.angular); });
  point.given += impulse;
}

/// The joints learn what the contacts gave.
void settleJoints(Simulation& sim, std::span<MechanismPoint> points) {
  const auto ignore = [](const Wrench&) {};
  for (MechanismPoint& point : points) {
    if (point.given == 0.0) continue;
    forMechanisms(
        sim, point,
        [&](JointComponent& c, std::span<const Wrench> wrenches, std::size_t) { c.owe(wrenches, point.given); }, ignore);
  }
  for (MechanismPoint& point : points) {
    if (point.given == 0.0) continue;
    forMechanisms(sim, point, [](JointComponent& c, std::span<const Wrench>, std::size_t) { c.settle(); }, ignore);
    point.given = 0.0;
  }
}

/// One point: returns the change of its velocity against what counts as settled.
double visit(Simulation& sim, MechanismPoint& point, const ContactPass& pass, bool opens) {
  ContactPointRows& p = *point.rows;
  const int l = point.lane;
  double& impulse = p.impulse[0][l];
  // In phase 1 a loaded point holds on within the band, as in the contact kernels (G-6).
  const double band = -pass.band * pass.inverseH * point.size;
  const double target = opens && impulse > 0.0 && p.target[l] >= band ? 0.0 : p.target[l];
  const double error = target - velocityOf(sim.solver, point);
  const double settled = point.settled;
  if (error <= settled && (impulse <= 0.0 || error >= -settled)) return 0.0;
  if (point.compliance <= 0.0) point.compliance = complianceOf(sim, point);
  if (!(point.compliance > 0.0)) return 0.0;
  const double change = std::max(error / point.compliance, -impulse);
  if (change == 0.0) return 0.0;
  impulse += change;
  give(sim, point, change);
  return std::abs(change) * point.compliance / settled;
}

/// Visits of one island's points, numbered: a point between bodies that nothing has pushed since its last visit has
/// settled as it did then.
class IslandVisits {
 public:
  IslandVisits(Simulation& sim, std::span<MechanismPoint> points, const ContactPass& pass, bool opens)
      : sim_{sim}, pass_{pass}, opens_{opens} {
    for (MechanismPoint& point : points) {
      point.seen = 0;
      for (const std::uint32_t key : point.key) {
        if (key != 0) sim.mechanismPoints.changed[key] = 1;
      }
    }
  }

  /// Returns whether the point had not settled.
  bool visitPoint(MechanismPoint& point) {
    std::uint32_t* const changed = sim_.mechanismPoints.changed.data();
    const auto last = [&](std::uint32_t key) { return key != 0 ? changed[key] : 0u; };
    if (std::max(last(point.key[0]), last(point.key[1])) <= point.seen) return false;
    const double localResidual = visit(sim_, point, pass_, opens_);
    if (localResidual > 0.0) {
      ++now_;
      for (const std::uint32_t key : point.key) {
        if (key != 0) changed[key] = now_;
      }
    }
    point.seen = now_;
    return localResidual > kTuning.mechanismResidual;
  }

 private:
  Simulation& sim_;
  const ContactPass& pass_;
  bool opens_;
  std::uint32_t now_{1};
};

/// Brings a point to where its rows are now; returns whether these have moved since.
bool placeAnew(MechanismPoint& point) {
  const Wrench before[2] = {point.side[0], point.side[1]};
  point.placeNow();
  const auto isSame = [&](int i) {
    return before[i].linear == point.side[i].linear && before[i].angular == point.side[i].angular;
  };
  return !isSame(0) || !isSame(1);
}

/// Points where the bodies stand when a phase begins. Phase 1 finds them where phase 2 of the substep before has left
/// them, unless their contact was looked at again (K-17), and with them the answers of mechanisms whose rows are the same in both.
void placePoints(Simulation& sim, std::span<MechanismPoint> points, const ContactPass& pass, bool stayed) {
  const auto isSoft = [&](std::uint32_t slot) {
    const std::uint32_t k = sim.joints.componentOf(slot);
    return k != JointSolver::kNoComponent && sim.joints.components()[k].isSoft();
  };
  for (MechanismPoint& point : points) {
    point.settled = 1.0 / std::min(pass.perSettledSpeed, pass.perSettledShare / point.size);
    if (!stayed) point.placeNow();
    // Found where it is needed.
    if (!stayed || placeAnew(point) || isSoft(point.body[0]) || isSoft(point.body[1])) point.compliance = 0.0;
  }
}

/// Sweeps one island's points forth and back until they have settled; returns how many had not.
std::uint32_t sweepIsland(Simulation& sim, std::span<MechanismPoint> points, const ContactPass& pass, bool opens) {
  if (pass.first) placePoints(sim, points, pass, opens && !pass.opening);
  IslandVisits visits{sim, points, pass, opens};
  std::uint32_t unsettled = 0;
  for (int sweep = 0; sweep < kTuning.mechanismSweeps; ++sweep) {
    std::uint32_t moved = 0;
    const auto step = [&](MechanismPoint& point) {
      if (visits.visitPoint(point)) ++moved;
    };
    if (sweep % 2 == 0) {
      for (MechanismPoint& point : points) step(point);
    } else {
      for (std::size_t i = points.size(); i-- > 0;) step(points[i]);
    }
    unsettled = std::max(unsettled, moved);
    if (moved == 0) break;
  }
  settleJoints(sim, points);
  return unsettled;
}

/// Room for the answers of all points.
void placeColumns(Simulation& sim) {
  MechanismPoints& list = sim.mechanismPoints;
  std::size_t size = 0;
  for (MechanismPoint& point : list.points) {
    for (int i = 0; i < 2; ++i) {
      const std::uint32_t k = sim.joints.componentOf(point.body[i]);
      point.column[i] = size;
      point.key[i] = sim.pushable[point.body[i]] != 0 ? point.body[i] : 0;
      if (k == JointSolver::kNoComponent) continue;
      if (keepsColumns(sim.joints.components()[k])) size += sim.joints.components()[k].columnSize();
      point.key[i] = sim.joints.components()[k].firstPushable();
    }
  }
  list.changed.resize(sim.solver.size());
  if (list.columns.size() < size) list.columns.resize(2 * size);  // points become more and fewer
}

}  // namespace

void MechanismPoint::placeNow() { placer(*this); }

namespace {

/// The points of the contacts of a pack that push mechanisms, by island and contact, so that the order is the
/// island's own.
void findPoints(Simulation& sim, std::size_t pack, std::vector<std::pair<std::uint32_t, MechanismPoint>>& found) {
  found.clear();
  sim.table.forContacts(pack, [&](std::uint32_t id, LaneBodies bodyPair, auto& rows, ContactSums&, int lane) {
    const auto [a, b] = bodyPair;
    const auto isPart = [&](std::uint32_t slot) {
      return sim.pushable[slot] != 0 && sim.joints.componentOf(slot) != JointSolver::kNoComponent;
    };
    if (!isPart(a) && !isPart(b)) return;
    using Rows = std::remove_reference_t<decltype(rows)>;
    constexpr int kPoints = Rows::kPointCount;
    for (int i = 0; i < kPoints; ++i) {
      if (!(rows.points[i].normalMass[lane] > 0.0)) continue;
      MechanismPoint point;
      point.contact = id;
      point.body[0] = a;
      point.body[1] = b;
      point.rows = &rows.points[i];
      point.all = &rows;
      point.lane = lane;
      point.number = i;
      point.size = rows.size[lane];
      point.placer = [](MechanismPoint& p) { place(*static_cast<Rows*>(p.all), p.lane, p.number, p); };
      found.emplace_back(sim.islands.islandOf[sim.pushable[a] != 0 ? a : b], point);
    }
  });
  // Contacts of the same two bodies stay in the order of their colours, which is the island's own too.
  for (std::size_t i = 0; i < found.size(); ++i) found[i].second.seen = static_cast<std::uint32_t>(i);
  std::sort(found.begin(), found.end(), [](const auto& x, const auto& y) {
    const auto key = [](const auto& e) {
      return std::tuple{e.first, std::min(e.second.body[0], e.second.body[1]),
                        std::max(e.second.body[0], e.second.body[1]), e.second.seen};
    };
    return key(x) < key(y);
  });
}

}  // namespace

void listMechanismPoints(Simulation& sim) {
  MechanismPoints& list = sim.mechanismPoints;
  list.points.clear();
  list.start.clear();
  list.packStart.clear();
  if (sim.joints.isEmpty()) return;
  // Points become more and fewer; room for many from the start.
  constexpr std::size_t kPointsPerJoint = 32;
  const std::size_t room = kPointsPerJoint * (sim.joints.records().size() + 1);
  list.found.reserve(room);
  list.points.reserve(room);
  list.start.reserve(room);
  list.packStart.reserve(room);
  for (std::size_t pack = 0; pack < sim.packs.packs.size(); ++pack) {
    list.packStart.push_back(static_cast<std::uint32_t>(list.start.size()));
    if (sim.packs.packs[pack].component == sim.packs.packs[pack].componentEnd) continue;
    findPoints(sim, pack, list.found);
    for (std::size_t i = 0; i < list.found.size(); ++i) {
      if (i == 0 || list.found[i].first != list.found[i - 1].first) {
        list.start.push_back(static_cast<std::uint32_t>(list.points.size()));
      }
      list.points.push_back(list.found[i].second);
    }
  }
  list.packStart.push_back(static_cast<std::uint32_t>(list.start.size()));
  list.start.push_back(static_cast<std::uint32_t>(list.points.size()));
  placeColumns(sim);
}

std::uint32_t sweepMechanisms(Simulation& sim, std::size_t pack, const ContactPass& pass, bool opens) {
  MechanismPoints& list = sim.mechanismPoints;
  if (list.points.empty()) return 0;
  std::atomic<std::uint32_t> unsettled{0};
  const std::size_t first = list.packStart[pack];
  sim.team->forBlocks(list.packStart[pack + 1] - first, [&](std::size_t block) {
    const std::size_t k = first + block;
    const std::span<MechanismPoint> points =
        std::span{list.points}.subspan(list.start[k], list.start[k + 1] - list.start[k]);
    const std::uint32_t slot = points[0].body[sim.pushable[points[0].body[0]] != 0 ? 0 : 1];
    const bool dirty = pass.first || std::any_of(points.begin(), points.end(), [&](const MechanismPoint& p) {
      return std::max(sim.solver.dirty[p.body[0]], sim.solver.dirty[p.body[1]]) + 1 >= pass.stamp;
    });
    if (!dirty) return;
    const std::uint32_t moved = sweepIsland(sim, points, pass, opens);
    if (moved == 0 || std::isinf(sim.solver.budget[slot].limit(pass.number))) return;
    for (const MechanismPoint& p : points) {
      for (const std::uint32_t body : p.body) {
        if (sim.solver.motion[body].inverseMass > 0.0) sim.solver.dirty[body] = pass.stamp;
      }
    }
    unsettled.fetch_add(moved, std::memory_order_relaxed);
  });
  return unsettled.load(std::memory_order_relaxed);
}

}  // namespace msd_sim
