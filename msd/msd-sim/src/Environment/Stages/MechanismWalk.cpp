#include "msd-sim/src/Environment/Stages/MechanismWalk.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "msd-sim/src/DataTypes/Arrays.hpp"
#include "msd-sim/src/DataTypes/SharedUpdate.hpp"
#include "msd-sim/src/Environment/StageTuning.hpp"
#include "msd-sim/src/Environment/WorkGrain.hpp"
#include "msd-sim/src/Physics/Constraints/Joints/JointMotion.hpp"
#include "msd-sim/src/Physics/Constraints/Joints/Tolerances.hpp"

namespace msd_sim {

namespace {

Vector3D laneOf(const double (&values)[3][kBundleLanes], int lane) {
  return {values[0][lane], values[1][lane], values[2][lane]};
}

/// The impulses with which a walk begins.
void startPoint(const WalkPoint& point, TreePoint& p) {
  for (int c = 0; c < 3; ++c) p.impulse[c] = p.start[c] = point.rows->impulse[c][point.lane];
}

/// Rows of a point where its bodies are now.
template <int kPoints>
void placePoint(const WalkPoint& point, const ContactPass& pass, TreePoint& p) {
  const auto& rows = *static_cast<const ContactRows<kPoints>*>(point.all);
  const int lane = point.lane;
  const ContactPointRows& of = rows.points[point.number];
  const Vector3D n = laneOf(rows.normal, lane), t1 = laneOf(rows.tangent, lane), t2 = n.cross(t1);
  Vector3D d = Vector3D::Zero();
  if constexpr (kPoints > 1)
    d = rows.tangential.x[point.number][lane] * t1 + rows.tangential.y[point.number][lane] * t2;
  const Vector3D arms[2] = {laneOf(rows.arm0, lane) + laneOf(rows.drift, lane) + d,
                            laneOf(rows.arm1, lane) + d};
  const Vector3D axes[3] = {n, t1, t2};
  for (int s = 0; s < 2; ++s) {
    if (p.velocity[s] == nullptr) continue;
    const int side = point.turned ? s : 1 - s;  // of the rows
    const double sign = side == 1 ? 1.0 : -1.0;
    for (int r = 0; r < 3; ++r) {
      const Vector3D moment = sign * arms[side].cross(axes[r]);
      for (int c = 0; c < 3; ++c) {
        p.rows[s][c][r] = sign * axes[r][c];
        p.rows[s][3 + c][r] = moment[c];
      }
    }
    for (int c = 0; c < 6; ++c) p.rows[s][c][3] = 0.0;
  }
  p.friction = rows.friction[lane];
  p.perSettled = std::min(pass.perSettledSpeed, pass.perSettledShare * rows.inverseSize[lane]);
  p.target = of.target[lane];
  // In phase 1 a loaded point holds on within the band, as in the contact kernels (G-6).
  const double band = -pass.band * pass.inverseH * rows.size[lane];
  p.loadedTarget = p.target >= band ? 0.0 : p.target;
  startPoint(point, p);
}

bool isOfTree(Simulation& sim, std::uint32_t slot) {
  if (sim.pushable[slot] == 0) return false;
  const std::uint32_t k = sim.joints.componentOf(slot);
  return k != JointSolver::kNoComponent && sim.joints.components()[k].isTree();
}

/// Trees of a pack, island by island.
void listTrees(Simulation& sim, const Pack& pack) {
  MechanismWalks& walks = sim.walks;
  for (std::uint32_t i = pack.component; i < pack.componentEnd; ++i) {
    const std::uint32_t k = sim.packs.components[i];
    JointComponent& component = sim.joints.components()[k];
    if (!component.isTree()) continue;
    const std::uint32_t island = sim.islands.islandOf[component.firstPushable()];
    if (walks.islands.size() == walks.packStart.back() || walks.islands.back().island != island) {
      const auto trees = static_cast<std::uint32_t>(walks.trees.size());
      walks.walkOf[island] = static_cast<std::uint32_t>(walks.islands.size());
      walks.islands.push_back({.island = island, .tree = trees, .treeEnd = trees});
    }
    WalkIsland& walk = walks.islands.back();
    walks.trees.push_back(k);
    ++walk.treeEnd;
    // From the lower end to the higher: what has been pushed last is nearest to rest where it hits.
    const std::span<const JointTree::Body> bodies = std::as_const(component).tree().bodies();
    const auto height = [&](const JointTree::Body& body) {
      return -sim.settings.gravity.dot(vectorOf(sim.solver.pose[body.slot].x));
    };
    const bool downwards = height(bodies.back()) < height(bodies.front());
    const auto count = static_cast<std::int32_t>(bodies.size()),
               first = static_cast<std::int32_t>(walk.nodes);
    for (std::int32_t b = 0; b < count; ++b) {
      const std::uint32_t slot = bodies[static_cast<std::size_t>(b)].slot;
      walks.nodeOf[slot] = first + b;
      walks.rankOf[slot] = first + (downwards ? count - 1 - b : b);
    }
    walk.nodes += static_cast<std::uint32_t>(count);
  }
}

/// Points of the contacts of a pack that touch trees.
void findPoints(Simulation& sim, std::size_t pack) {
  MechanismWalks& walks = sim.walks;
  sim.table.forContacts(
      pack, [&](std::uint32_t, LaneBodies bodyPair, auto& rows, ContactSums& sums, int lane) {
        const std::uint32_t slot[2] = {bodyPair.body0, bodyPair.body1};
        const bool is[2] = {isOfTree(sim, slot[0]), isOfTree(sim, slot[1])};
        if (!is[0] && !is[1]) return;
        using Rows = std::remove_reference_t<decltype(rows)>;
        constexpr int kPoints = Rows::kPointCount;
        auto& lanes = sim.table.lanes<kPoints>();
        BundleNotes& notes = lanes.notes[static_cast<std::size_t>(&rows - lanes.rows.data())];
        notes.walked |= static_cast<std::uint8_t>(1u << lane);
        WalkPoint point;
        point.turned = !is[1] || (is[0] && walks.rankOf[slot[0]] > walks.rankOf[slot[1]]);
        for (int s = 0; s < 2; ++s) {
          const int side = point.turned ? s : 1 - s;
          point.slot[s] = slot[side];
          point.node[s] = is[side] ? walks.nodeOf[slot[side]] : -1;
        }
        point.meets =
            is[0] && is[1] && sim.joints.componentOf(slot[0]) == sim.joints.componentOf(slot[1]);
        point.all = &rows;
        point.sums = &sums;
        point.impact = &notes.impact;
        point.lane = lane;
        point.size = rows.size[lane];
        point.place = placePoint<kPoints>;
        const std::uint32_t walk = walks.walkOf[sim.islands.islandOf[point.slot[0]]];
        ++walks.islands[walk].contacts;
        for (int i = 0; i < kPoints; ++i) {
          if (!(rows.points[i].normalMass[lane] > 0.0)) continue;
          point.rows = &rows.points[i];
          point.number = i;
          const std::int32_t second = point.node[1] >= 0
                                          ? walks.rankOf[point.slot[1]]
                                          : -static_cast<std::int32_t>(point.slot[1]) - 1;
          walks.order.push_back({walk, walks.rankOf[point.slot[0]], second,
                                 static_cast<std::uint32_t>(walks.found.size())});
          walks.found.push_back(point);
        }
      });
}

/// The way of one pass through the points of an island, there and back by the same moves. It begins
/// in each tree at its first point: while nothing has been pushed, all places know as much.
class WalkPlanner {
 public:
  WalkPlanner(Simulation& sim, WalkIsland& walk) : sim_{sim}, walks_{sim.walks}, walk_{walk} {
    walks_.at.clear();
    walks_.parents.clear();
    for (std::uint32_t t = walk.tree; t < walk.treeEnd; ++t) {
      const JointTree& tree = std::as_const(sim_.joints.components()[walks_.trees[t]]).tree();
      const auto first = static_cast<std::int32_t>(walks_.parents.size());
      for (const JointTree::Body& body : tree.bodies()) {
        walks_.parents.push_back(body.parent < 0 ? -1 : first + body.parent);
        walks_.at.push_back(first);
      }
    }
    walks_.places.assign(walks_.at.size(), -1);
  }
  void plan() {
    walk_.op = static_cast<std::uint32_t>(walks_.ops.size());
    for (std::uint32_t q = walk_.point; q < walk_.pointEnd; ++q) visit(q);
    for (std::uint32_t q = walk_.pointEnd; q-- > walk_.point;) visit(q);
    walk_.opEnd = static_cast<std::uint32_t>(walks_.ops.size());
  }

 private:
  void add(WalkOp::Kind kind, std::uint32_t index) { walks_.ops.push_back({kind, index}); }
  void visit(std::uint32_t q) {
    const WalkPoint& point = walks_.points[q];
    const std::uint32_t number = q - walk_.point;
    go(point.node[0]);
    if (point.meets) {
      add(WalkOp::Kind::kHear, number);
      go(point.node[1]);
      add(WalkOp::Kind::kMeet, number);
      go(point.node[0]);
      add(WalkOp::Kind::kAnswer, number);
      return;
    }
    if (point.node[1] >= 0) go(point.node[1]);
    add(WalkOp::Kind::kVisit, number);
  }
  /// Moves the walk in a node's tree to that node.
  void go(std::int32_t node) {
    std::int32_t& place =
        walks_.places[static_cast<std::size_t>(walks_.at[static_cast<std::size_t>(node)])];
    if (place < 0) place = node;
    std::int32_t to = node;
    walks_.way.clear();
    // Parents come before their children, so that the larger of two is not an ancestor of the
    // other.
    while (place != to) {
      if (place > to) {
        add(WalkOp::Kind::kUp, static_cast<std::uint32_t>(place));
        place = walks_.parents[static_cast<std::size_t>(place)];
      } else {
        walks_.way.push_back(to);
        to = walks_.parents[static_cast<std::size_t>(to)];
      }
    }
    while (!walks_.way.empty()) {
      add(WalkOp::Kind::kDown, static_cast<std::uint32_t>(walks_.way.back()));
      walks_.way.pop_back();
    }
    place = node;
  }

  Simulation& sim_;
  MechanismWalks& walks_;
  WalkIsland& walk_;
};

/// One island's trees and points through a phase.
class Walk {
 public:
  Walk(Simulation& sim, WalkIsland& walk, PackScratch& pack, WalkScratch& scratch,
       const ContactPass& pass, bool opens)
      : sim_{sim},
        walk_{walk},
        scratch_{scratch},
        pass_{pass},
        opens_{opens},
        phase_{static_cast<std::uint32_t>(pack.phaseSweeps.size())} {
    nodes_ = std::span{pack.treeNodes}.subspan(walk.node, walk.nodes);
    rows_ = std::span{sim.walks.points}.subspan(walk.point, walk.pointEnd - walk.point);
    points_ = std::span{pack.treePoints}.subspan(walk.place, rows_.size());
    ops_ = std::span<const WalkOp>{sim.walks.ops}.subspan(walk.op, walk.opEnd - walk.op);
  }

  /// The joints alone.
  void solveJoints(const JointSolver::Sweep& sweep) {
    const bool drifted = !opens_ || sweep.drifted;
    if (!isPlaced()) {
      forTrees(
          [&](std::uint32_t k, JointComponent& c, std::span<TreeNode> nodes, std::int32_t first) {
            (void)k;
            c.tree().load(sim_.solver, nodes, first);
            if (pass_.first && drifted) c.tree().turn(sim_.solver, nodes, sweep.carried);
          });
      sim_.kernels->tree.place(sim_.solver, nodes_);
    }
    forTrees(
        [&](std::uint32_t k, JointComponent& c, std::span<TreeNode> nodes, std::int32_t first) {
          // Parents count from the tree's own first node while it is solved alone.
          for (TreeNode& n : nodes) n.parent -= n.parent >= 0 ? first : 0;
          const JointTree::Solve s = c.treeSolve(sim_.solver, *sim_.kernels, scratch_.tree);
          const double change = !pass_.first ? c.tree().solveAgain(s, nodes)
                                : opens_     ? c.tree().solve(s, nodes)
                                             : c.tree().relax(s, nodes);
          for (TreeNode& n : nodes) n.parent += n.parent >= 0 ? first : 0;
          sim_.joints.noteSolved(k, change);
        });
  }

  /// Joints and points at once (J-49). Returns the number of passes.
  int walkPoints(const SweepBudget& budget) {
    const TreeKernels& kernels = sim_.kernels->tree;
    if (isPlaced()) {
      for (std::size_t q = 0; q < rows_.size(); ++q) startPoint(rows_[q], points_[q]);
    } else {
      kernels.respond(nodes_);
      placePoints();
      kernels.answer(sim_.solver, nodes_, points_, ops_.first(ops_.size() / 2));
      walk_.placed = phase_;
    }
    kernels.begin(nodes_);
    int pass = pass_.number;
    const auto slip = static_cast<double>(budget.slip);
    while (!settles(std::max(budget.limit(pass), budget.push), slip)) ++pass;
    kernels.end(nodes_);
    takePoints();
    return pass + 1 - pass_.number;
  }

  /// Displacements of the bodies in place of their velocities, without friction.
  void correct() {
    const TreeKernels& kernels = sim_.kernels->tree;
    forTrees([&](std::uint32_t, JointComponent& c, std::span<TreeNode> nodes, std::int32_t first) {
      c.tree().load(sim_.solver, nodes, first);
      c.tree().loadShifts(sim_.solver, nodes);
    });
    kernels.place(sim_.solver, nodes_);
    forTrees([&](std::uint32_t, JointComponent& c, std::span<TreeNode> nodes, std::int32_t first) {
      (void)first;
      c.tree().findOpenings(sim_.solver, nodes);
    });
    kernels.solve(nodes_);
    for (TreeNode& n : nodes_) {
      for (int c = 0; c < 6; ++c) n.velocity[c] += n.change[c];
    }
    kernels.respond(nodes_);
    placeShifts();
    kernels.answer(sim_.solver, nodes_, points_, ops_.first(ops_.size() / 2));
    kernels.begin(nodes_);
    int pass = 0;
    while (pass < kStageTuning.walkCorrections && !settles(kStageTuning.settledWalk, 0.0)) ++pass;
    kernels.end(nodes_);
    for (std::size_t q = 0; q < rows_.size(); ++q)
      rows_[q].rows->warmStart[rows_[q].lane] = points_[q].impulse[0];
  }

  /// Stamps bodies of no tree that the walk has pushed, for the contacts that it does not visit.
  std::uint32_t callOthers(const SweepBudget& budget) {
    const auto limit = static_cast<double>(budget.limit(pass_.number));
    std::uint32_t called = 0;
    for (std::size_t q = 0; q < rows_.size(); ++q) {
      if (points_[q].velocity[1] == nullptr || points_[q].node[1] >= 0) continue;
      const TreePoint& p = points_[q];
      const double change =
          std::fabs(p.impulse[0] - p.start[0]) * p.compliance[0][0] * p.perSettled;
      if (!(change > limit) || sim_.solver.dirty[rows_[q].slot[1]] == pass_.stamp) continue;
      sim_.solver.dirty[rows_[q].slot[1]] = pass_.stamp;
      ++called;
    }
    return called;
  }

 private:
  /// Bodies stand still in a phase: what is made of their places lasts for all of its sweeps.
  [[nodiscard]] bool isPlaced() const { return walk_.placed == phase_; }

  /// One pass, there and back; ends where all points have settled on the way there. Have they, on
  /// the last way?
  bool settles(double limit, double slip) {
    const TreeKernels& kernels = sim_.kernels->tree;
    const std::size_t half = ops_.size() / 2;
    return kernels.walk(nodes_, points_, ops_.first(half), limit, slip).unsettled == 0 ||
           kernels.walk(nodes_, points_, ops_.subspan(half), limit, slip).unsettled == 0;
  }

  template <class Visit>
  void forTrees(const Visit& visit) {
    std::int32_t first = 0;
    for (std::uint32_t t = walk_.tree; t < walk_.treeEnd; ++t) {
      const std::uint32_t k = sim_.walks.trees[t];
      JointComponent& c = sim_.joints.components()[k];
      visit(k, c, nodes_.subspan(static_cast<std::size_t>(first), c.tree().size()), first);
      first += static_cast<std::int32_t>(c.tree().size());
    }
  }

  /// The bodies of a point, and where line(slot) is what it reads and pushes of them.
  template <class Line>
  void setSides(const WalkPoint& point, TreePoint& p, const Line& line) const {
    for (int s = 0; s < 2; ++s) {
      p.slot[s] = point.slot[s];
      p.node[s] = point.node[s];
      p.velocity[s] = sim_.solver.motion[p.slot[s]].inverseMass > 0.0 ? line(p.slot[s]) : nullptr;
    }
  }

  void placePoints() {
    for (std::size_t q = 0; q < rows_.size(); ++q) {
      TreePoint& p = points_[q];
      setSides(rows_[q], p, [&](std::uint32_t slot) { return sim_.solver.motion[slot].v; });
      p.weight[0] = p.weight[1] = 1.0;
      rows_[q].place(rows_[q], pass_, p);
      if (!opens_) p.loadedTarget = p.target;
    }
  }

  /// Points as position correction takes them (P-3, P-4): in the rows stand displacements.
  void placeShifts() {
    const Vector3D up{pass_.up[0], pass_.up[1], pass_.up[2]};
    for (std::size_t q = 0; q < rows_.size(); ++q) {
      TreePoint& p = points_[q];
      const WalkPoint& point = rows_[q];
      setSides(point, p, [&](std::uint32_t slot) { return sim_.solver.shift[slot].d; });
      point.place(point, pass_, p);
      // Who lies below counts less; side 0 is pushed along its rows.
      const double above =
          p.rows[0][0][0] * up[0] + (p.rows[0][1][0] * up[1] + p.rows[0][2][0] * up[2]);
      const double less = point.meets ? 0.0 : 1.0 - pass_.support;
      p.weight[0] = 1.0 - less * std::max(-above, 0.0);
      p.weight[1] = 1.0 - less * std::max(above, 0.0);
      p.friction = 0.0;
      p.loadedTarget = p.target;
      p.perSettled = 1.0 / point.size;
      p.impulse[0] = point.rows->warmStart[point.lane];
      p.impulse[1] = p.impulse[2] = 0.0;
    }
  }

  /// Impulses into the rows, and what the joints carried of them.
  void takePoints() {
    scratch_.forces.assign(nodes_.size(), Vector3D::Zero());
    for (std::size_t q = 0; q < rows_.size(); ++q) {
      const TreePoint& p = points_[q];
      const WalkPoint& point = rows_[q];
      double d[3];
      for (int r = 0; r < 3; ++r) {
        point.rows->impulse[r][point.lane] = p.impulse[r];
        d[r] = p.impulse[r] - p.start[r];
      }
      for (int s = 0; s < 2; ++s) {
        if (p.node[s] < 0) continue;
        Vector3D& force = scratch_.forces[static_cast<std::size_t>(p.node[s])];
        for (int c = 0; c < 3; ++c)
          force[c] += p.rows[s][c][0] * d[0] + (p.rows[s][c][1] * d[1] + p.rows[s][c][2] * d[2]);
      }
      noteImpact(p, point);
    }
    if (pass_.noted) noteResiduals();
    forTrees([&](std::uint32_t, JointComponent& c, std::span<TreeNode> nodes, std::int32_t first) {
      c.tree().takeWalk(
          sim_.solver, nodes,
          std::span{scratch_.forces}.subspan(static_cast<std::size_t>(first), nodes.size()));
    });
  }
  /// (T-12)
  void noteImpact(const TreePoint& p, const WalkPoint& point) const {
    const double expected = std::max(point.rows->normalMass[point.lane] * pass_.warmStartSpeed,
                                     kRowTuning.expectedShare * p.impulse[0]);
    const auto bit = static_cast<std::uint8_t>(1u << point.lane);
    if (p.impulse[0] > 2.0 * point.rows->warmStart[point.lane] + expected) *point.impact |= bit;
  }
  void noteResiduals() const {
    for (const WalkPoint& point : rows_) point.sums->localResidual[point.lane] = 0.0;
    for (std::size_t q = 0; q < rows_.size(); ++q) {
      double& noted = rows_[q].sums->localResidual[rows_[q].lane];
      noted = std::max(noted, points_[q].localResidual);
    }
  }

  Simulation& sim_;
  WalkIsland& walk_;
  WalkScratch& scratch_;
  const ContactPass& pass_;
  bool opens_;
  std::uint32_t phase_;
  std::span<TreeNode> nodes_;
  std::span<TreePoint> points_;
  std::span<const WalkPoint> rows_;
  std::span<const WalkOp> ops_;
};

/// Has something pushed one of these bodies since the sweep before?
bool isDirty(Simulation& sim, const WalkIsland& walk, std::uint32_t stamp) {
  const auto moves = [&](std::uint32_t slot) { return sim.solver.dirty[slot] + 1 >= stamp; };
  for (std::uint32_t q = walk.point; q < walk.pointEnd; ++q) {
    const WalkPoint& p = sim.walks.points[q];
    if (moves(p.slot[0]) || moves(p.slot[1])) return true;
  }
  for (std::uint32_t t = walk.tree; t < walk.treeEnd; ++t) {
    for (const JointTree::Body& body :
         sim.joints.components()[sim.walks.trees[t]].tree().bodies()) {
      if (moves(body.slot)) return true;
    }
  }
  return false;
}

}  // namespace

namespace {

/// Room for so many, and for some more: contacts come and go.
template <class Entry>
void grow(AlignedVector<Entry>& array, std::size_t count) {
  if (array.size() < count) array.resize(count + count / 4);
}

}  // namespace

void forgetWalks(Simulation& sim) {
  const auto clear = [](auto& lanes) {
    for (BundleNotes& notes : lanes.notes) notes.walked = 0;
  };
  clear(sim.table.lanes<1>());
  clear(sim.table.lanes<2>());
  clear(sim.table.lanes<4>());
}

void listWalks(Simulation& sim) {
  MechanismWalks& walks = sim.walks;
  walks.islands.clear();
  walks.trees.clear();
  walks.points.clear();
  walks.ops.clear();
  walks.packStart.assign(1, 0);
  if (sim.joints.isEmpty()) return;
  walks.nodeOf.resize(sim.solver.size());
  walks.rankOf.resize(sim.solver.size());
  walks.walkOf.resize(sim.islands.count());
  for (std::size_t pack = 0; pack < sim.packs.packs.size(); ++pack) {
    listTrees(sim, sim.packs.packs[pack]);
    if (walks.islands.size() > walks.packStart.back()) {
      walks.found.clear();
      walks.order.clear();
      findPoints(sim, pack);
      std::sort(walks.order.begin(), walks.order.end(), [](const auto& x, const auto& y) {
        return std::tie(x.walk, x.first, x.second, x.number) <
               std::tie(y.walk, y.first, y.second, y.number);
      });
      std::size_t next = 0;
      std::uint32_t nodes = 0, points = 0;
      for (std::size_t w = walks.packStart.back(); w < walks.islands.size(); ++w) {
        WalkIsland& walk = walks.islands[w];
        walk.point = static_cast<std::uint32_t>(walks.points.size());
        for (; next < walks.order.size() && walks.order[next].walk == w; ++next) {
          walks.points.push_back(walks.found[walks.order[next].number]);
        }
        walk.pointEnd = static_cast<std::uint32_t>(walks.points.size());
        walk.node = nodes;
        walk.place = points;
        nodes += walk.nodes;
        points += walk.pointEnd - walk.point;
        WalkPlanner{sim, walk}.plan();
      }
      PackScratch& scratch = *sim.packScratch[pack];
      grow(scratch.treeNodes, nodes);
      grow(scratch.treePoints, points);
    }
    walks.packStart.push_back(static_cast<std::uint32_t>(walks.islands.size()));
  }
}

std::uint32_t walkMechanisms(Simulation& sim, std::size_t pack, const ContactPass& pass,
                             const JointSolver::Sweep& sweep, bool opens) {
  MechanismWalks& walks = sim.walks;
  if (walks.islands.empty()) return 0;
  PackScratch& scratch = *sim.packScratch[pack];
  const std::size_t first = walks.packStart[pack], count = walks.packStart[pack + 1] - first;
  if (count == 0) return 0;
  const std::size_t parts =
      sim.packs.packs[pack].shared
          ? std::min<std::size_t>(count, static_cast<std::size_t>(sim.team->threads()))
          : 1;
  while (scratch.walks.size() < parts) scratch.walks.push_back(std::make_unique<WalkScratch>());
  std::uint32_t called = 0;
  std::uint64_t visits = 0;
  int most = 0;
  const auto work = [&](std::size_t part) {
    for (std::size_t i = first + count * part / parts; i < first + count * (part + 1) / parts;
         ++i) {
      WalkIsland& island = walks.islands[i];
      if (!pass.first && !isDirty(sim, island, pass.stamp)) continue;
      Walk walk{sim, island, scratch, *scratch.walks[part], pass, opens};
      walk.solveJoints(sweep);
      if (island.point == island.pointEnd) continue;
      const SweepBudget& budget = sim.solver.budget[walks.points[island.point].slot[0]];
      const int passes = walk.walkPoints(budget);
      (void)addTo(called, walk.callOthers(budget), parts > 1);
      const auto again = static_cast<std::uint64_t>(passes - (pass.first ? 1 : 0));
      (void)addTo(visits, again * island.contacts, parts > 1);
      raise(most, passes);
    }
  };
  if (parts > 1) {
    sim.team->forBlocks(parts, work);
  } else {
    work(0);
  }
  scratch.visits += visits;
  scratch.phaseSweeps.back() += static_cast<std::uint32_t>(std::max(0, most - 1));
  return called;
}

void correctWalks(Simulation& sim, std::size_t pack, const ContactPass& pass) {
  MechanismWalks& walks = sim.walks;
  if (walks.islands.empty()) return;
  PackScratch& scratch = *sim.packScratch[pack];
  for (std::size_t i = walks.packStart[pack]; i < walks.packStart[pack + 1]; ++i) {
    WalkIsland& island = walks.islands[i];
    const std::span points =
        std::span{walks.points}.subspan(island.point, island.pointEnd - island.point);
    const bool deep = std::any_of(points.begin(), points.end(), [](const WalkPoint& p) {
      return p.rows->target[p.lane] > kStageTuning.settledWalk * p.size;
    });
    if (!deep) continue;
    if (scratch.walks.empty()) scratch.walks.push_back(std::make_unique<WalkScratch>());
    Walk{sim, island, scratch, *scratch.walks[0], pass, false}.correct();
  }
}

namespace {

/// Moves the bodies of a tree by a part of what the nodes ask for; none farther than it may go at
/// once. Returns the part of it.
double moveTree(SolverBodies& bodies, const JointTree& tree, std::span<const TreeNode> nodes,
                double part) {
  double farthest = joint_tolerances::kLargestMove;
  const std::span<const JointTree::Body> of = tree.bodies();
  for (std::size_t i = 0; i < of.size(); ++i) {
    const Eigen::Map<const Vector3D> d{nodes[i].change}, theta{nodes[i].change + 3};
    farthest = std::max(farthest, d.norm() / bodies.pose[of[i].slot].size + theta.norm());
  }
  const double share = part * joint_tolerances::kLargestMove / farthest;
  for (std::size_t i = 0; i < of.size(); ++i) {
    const Eigen::Map<const Vector3D> d{nodes[i].change}, theta{nodes[i].change + 3};
    moveBody(bodies, of[i].slot, share * d, share * theta);
  }
  return share;
}

/// Newton's method on the joints of one tree. Returns whether they are closed.
bool closeTree(Simulation& sim, JointComponent& c, std::span<TreeNode> nodes) {
  using namespace joint_tolerances;
  double worst = c.measureTree(sim.solver, sim.joints.records());
  if (worst <= kOpen) return true;
  for (int i = 0; i < kMostByMass && worst > kProjected; ++i) {
    c.tree().load(sim.solver, nodes, 0);
    sim.kernels->tree.place(sim.solver, nodes);
    c.tree().findErrors(sim.solver, nodes);
    sim.kernels->tree.solve(nodes);
    // Far from closed, a whole step may miss: half of it, and half of that, until things get
    // better.
    double part = 1.0, now = worst;
    for (int halving = 0; halving < kMostHalvings; ++halving) {
      (void)moveTree(sim.solver, c.tree(), nodes, part);
      now = c.measureTree(sim.solver, sim.joints.records());
      if (now < worst) break;
      (void)moveTree(sim.solver, c.tree(), nodes, -part);
      part *= 0.5;
    }
    if (!(now < worst)) break;
    worst = now;
  }
  return worst <= kOpen;
}

}  // namespace

void closeTrees(Simulation& sim, std::size_t pack) {
  const MechanismWalks& walks = sim.walks;
  if (walks.islands.empty()) return;
  PackScratch& scratch = *sim.packScratch[pack];
  for (std::size_t i = walks.packStart[pack]; i < walks.packStart[pack + 1]; ++i) {
    const WalkIsland& island = walks.islands[i];
    for (std::uint32_t t = island.tree; t < island.treeEnd; ++t) {
      JointComponent& c = sim.joints.components()[walks.trees[t]];
      const std::span nodes = std::span{scratch.treeNodes}.subspan(island.node, c.tree().size());
      c.tree().setOpen(!closeTree(sim, c, nodes));
    }
  }
}

}  // namespace msd_sim
