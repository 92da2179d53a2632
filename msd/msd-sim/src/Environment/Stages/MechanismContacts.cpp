#include "msd-sim/src/Environment/Stages/MechanismContacts.hpp"

#include <algorithm>
#include <array>
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
  point.side[0] = {point.body[0], point.side[0].number, -n, -arm0.cross(n)};
  point.side[1] = {point.body[1], point.side[1].number, n, arm1.cross(n)};
}

double velocityOf(const MechanismPoint& point) {
  // The forces of both sides are opposite.
  const double* const a = point.velocity[0];
  const double* const b = point.velocity[1];
  const Vector3D &n = point.side[1].linear, &turn0 = point.side[0].angular,
                 &turn1 = point.side[1].angular;
  return (n[0] * (b[0] - a[0]) + n[1] * (b[1] - a[1]) + n[2] * (b[2] - a[2])) +
         (turn1[0] * b[3] + turn1[1] * b[4] + turn1[2] * b[5]) +
         (turn0[0] * a[3] + turn0[1] * a[4] + turn0[2] * a[5]);
}

/// Calls visit(component, its wrenches, where its column stands) for the mechanisms of a point, and other(wrench)
/// for a side that hangs on nothing. Both sides may belong to one mechanism.
template <class Visit, class Other>
void forMechanisms(Simulation& sim, const MechanismPoint& point, const Visit& visit,
                   const Other& other) {
  const auto all = std::span{sim.joints.components()};
  const std::span<const Wrench> sides{point.side};
  if (point.component[0] == point.component[1] && point.component[0] != JointSolver::kNoComponent) {
    visit(all[point.component[0]], sides, point.column[0]);
    return;
  }
  for (std::size_t i = 0; i < 2; ++i) {
    if (point.component[i] != JointSolver::kNoComponent) {
      visit(all[point.component[i]], sides.subspan(i, 1), point.column[i]);
    } else if (sim.solver.motion[sides[i].slot].inverseMass > 0.0) {
      other(sides[i]);
    }
  }
}

bool keepsColumns(const JointComponent& c) { return c.columnSize() <= kWorkGrain.keptColumns; }

double* columnAt(Simulation& sim, JointComponent& c, std::size_t column) {
  return keepsColumns(c) ? sim.mechanismPoints.columns.data() + column : c.ownColumn();
}

/// Finds how far points give way to a unit impulse, and their columns: those of a mechanism several
/// at a time.
class PushList {
 public:
  explicit PushList(Simulation& sim) : sim_{sim} {}
  [[nodiscard]] bool isFull() const { return count_ + 2 > entries_.size(); }
  void add(MechanismPoint& point) {
    point.compliance = 0.0;
    forMechanisms(
        sim_, point,
        [&](JointComponent& c, std::span<const Wrench> wrenches, std::size_t column) {
          entries_[count_++] = {&c, &point, {wrenches, columnAt(sim_, c, column), 0.0}};
        },
        [&](const Wrench& w) {
          const BodyMotion& m = sim_.solver.motion[w.slot];
          point.compliance += m.inverseMass + w.angular.dot(inverseInertiaTimes(m, w.angular));
        });
  }
  void answer() {
    for (std::size_t i = 0; i < count_; ++i) {
      JointComponent* const component = entries_[i].component;
      if (component == nullptr) continue;
      JointComponent::Push pushes[JointComponent::kPushes];
      MechanismPoint* of[JointComponent::kPushes];
      std::size_t together = 0;
      const std::size_t most = keepsColumns(*component) ? JointComponent::kPushes : 1;
      for (std::size_t k = i; k < count_ && together < most; ++k) {
        if (entries_[k].component != component) continue;
        entries_[k].component = nullptr;
        of[together] = entries_[k].point;
        pushes[together++] = entries_[k].push;
      }
      component->respond(sim_.solver, {pushes, together});
      for (std::size_t k = 0; k < together; ++k) of[k]->compliance += pushes[k].compliance;
    }
    count_ = 0;
  }

 private:
  struct Entry {
    JointComponent* component;
    MechanismPoint* point;
    JointComponent::Push push;
  };
  Simulation& sim_;
  std::array<Entry, kWorkGrain.pushes> entries_;
  std::size_t count_{0};
};

void give(Simulation& sim, MechanismPoint& point, double impulse) {
  forMechanisms(
      sim, point,
      [&](JointComponent& c, std::span<const Wrench> wrenches, std::size_t column) {
        if (!keepsColumns(c)) {
          JointComponent::Push again{wrenches, c.ownColumn(), 0.0};
          c.respond(sim.solver, {&again, 1});
        }
        c.give(columnAt(sim, c, column), impulse);
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

/// What a point's velocity lacks, where it has not settled, else 0.
double errorOf(const MechanismPoint& point) {
  const bool loaded = point.impulse > 0.0;
  const double error = (loaded ? point.loadedTarget : point.target) - velocityOf(point);
  return error <= point.settled && (!loaded || error >= -point.settled) ? 0.0 : error;
}

/// Gives a point the impulse that takes its error away; returns the change of its velocity against
/// what counts as settled.
double close(Simulation& sim, MechanismPoint& point, double error) {
  const double change = std::max(error / point.compliance, -point.impulse);
  if (change == 0.0) return 0.0;
  point.impulse += change;
  give(sim, point, change);
  return std::abs(change) * point.compliance / point.settled;
}

/// Visits of one island's points, numbered: a point between bodies that nothing has pushed since its last visit has
/// settled as it did then.
class IslandVisits {
 public:
  IslandVisits(Simulation& sim, std::span<MechanismPoint> points, const ContactPass& pass,
               bool opens)
      : sim_{sim}, points_{points}, pushes_{sim} {
    for (MechanismPoint& point : points) {
      point.seen = 0;
      for (const std::uint32_t key : point.key) {
        if (key != 0) sim.mechanismPoints.changed[key] = 1;
      }
      forComponents(point, [&](JointComponent& c) { c.takeVelocities(sim.solver); });
      const ContactPointRows& p = *point.rows;
      point.impulse = p.impulse[0][point.lane];
      point.target = p.target[point.lane];
      // In phase 1 a loaded point holds on within the band, as in the contact kernels (G-6).
      const double band = -pass.band * pass.inverseH * point.size;
      point.loadedTarget = opens && point.target >= band ? 0.0 : point.target;
    }
  }
  ~IslandVisits() {
    for (MechanismPoint& point : points_) {
      if (point.given != 0.0) point.rows->impulse[0][point.lane] = point.impulse;
      forComponents(point, [&](JointComponent& c) { c.returnVelocities(sim_.solver); });
    }
  }
  IslandVisits(const IslandVisits&) = delete;
  IslandVisits& operator=(const IslandVisits&) = delete;

  /// Forth and back until all have settled, from the second sweep on at a local residual of
  /// `settled`. Returns how many had not.
  std::uint32_t sweep(double settled) {
    std::uint32_t unsettled = 0;
    for (int sweep = 0; sweep < kTuning.mostHitSweeps; ++sweep) {
      std::uint32_t moved = 0;
      double largest = 0.0;
      const auto step = [&](MechanismPoint& point) {
        const double localResidual = visitPoint(point);
        largest = std::max(largest, localResidual);
        if (localResidual > kTuning.mechanismResidual) ++moved;
      };
      if (sweep % 2 == 0) {
        for (MechanismPoint& point : points_) step(point);
      } else {
        for (std::size_t i = points_.size(); i-- > 0;) step(points_[i]);
      }
      unsettled = std::max(unsettled, moved);
      if (largest <= (sweep == 0 ? kTuning.mechanismResidual : settled)) break;
    }
    return unsettled;
  }

 private:
  /// Returns by how much the point had not settled.
  double visitPoint(MechanismPoint& point) {
    std::uint32_t* const changed = sim_.mechanismPoints.changed.data();
    const auto last = [&](std::uint32_t key) { return key != 0 ? changed[key] : 0u; };
    if (std::max(last(point.key[0]), last(point.key[1])) <= point.seen) return 0.0;
    const double error = errorOf(point);
    if (error != 0.0 && point.compliance < 0.0) askFrom(point);
    const double localResidual =
        error != 0.0 && point.compliance > 0.0 ? close(sim_, point, error) : 0.0;
    if (localResidual > 0.0) {
      ++now_;
      for (const std::uint32_t key : point.key) {
        if (key != 0) changed[key] = now_;
      }
    }
    point.seen = now_;
    return localResidual;
  }

  /// Finds the answers of a point, and of those after it that will want theirs.
  void askFrom(MechanismPoint& first) {
    pushes_.add(first);
    for (std::size_t i = static_cast<std::size_t>(&first - points_.data()) + 1;
         i < points_.size() && !pushes_.isFull(); ++i) {
      MechanismPoint& point = points_[i];
      if (point.compliance < 0.0 && errorOf(point) != 0.0) pushes_.add(point);
    }
    pushes_.answer();
  }

  template <class Visit>
  void forComponents(const MechanismPoint& point, const Visit& visit) {
    for (const std::uint32_t k : point.component) {
      if (k != JointSolver::kNoComponent) visit(sim_.joints.components()[k]);
    }
  }

  Simulation& sim_;
  std::span<MechanismPoint> points_;
  PushList pushes_;
  std::uint32_t now_{1};
};

/// Compliance of a point that has not been asked for.
constexpr double kUnknown = -1.0;

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
    if (!stayed || placeAnew(point) || isSoft(point.body[0]) || isSoft(point.body[1]))
      point.compliance = kUnknown;
  }
}

/// Sweeps one island's points; returns how many had not settled.
std::uint32_t sweepIsland(Simulation& sim, std::span<MechanismPoint> points,
                          const ContactPass& pass, bool opens, double settled) {
  if (pass.first) placePoints(sim, points, pass, opens && !pass.opening && !pass.drifted);
  const std::uint32_t unsettled = IslandVisits{sim, points, pass, opens}.sweep(settled);
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
      const bool moves = sim.solver.motion[point.body[i]].inverseMass > 0.0;
      point.component[i] = moves ? k : JointSolver::kNoComponent;
      point.velocity[i] = sim.solver.motion[point.body[i]].v;
      if (k == JointSolver::kNoComponent) continue;
      point.side[i].number = sim.joints.components()[k].numberOf(point.body[i]);
      if (moves) point.velocity[i] = sim.joints.components()[k].velocityOf(point.side[i].number);
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
    const auto componentOf = [&](std::uint32_t slot) {
      return sim.pushable[slot] != 0 ? sim.joints.componentOf(slot) : JointSolver::kNoComponent;
    };
    const auto isTree = [&](std::uint32_t k) { return k != JointSolver::kNoComponent && sim.joints.components()[k].isTree(); };
    const std::uint32_t partA = componentOf(a), partB = componentOf(b);
    if (partA == JointSolver::kNoComponent && partB == JointSolver::kNoComponent) return;
    if (isTree(partA) || isTree(partB)) return;  // a walk visits it
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
    const SweepBudget& budget = sim.solver.budget[slot];
    const std::uint32_t moved = sweepIsland(sim, points, pass, opens, budget.push);
    if (moved == 0 || std::isinf(budget.limit(pass.number))) return;
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
