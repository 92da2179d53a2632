#include "msd-sim/src/Physics/Constraints/Joints/JointTree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "msd-sim/src/DataTypes/Arrays.hpp"
#include "msd-sim/src/Physics/Constraints/Joints/JointMotion.hpp"
#include "msd-sim/src/Physics/Constraints/Joints/Tolerances.hpp"

namespace msd_sim {

namespace {

Eigen::Map<const Vector3D> three(const double* numbers) {
  return Eigen::Map<const Vector3D>(numbers);
}
Eigen::Map<Vector3D> three(double* numbers) {
  return Eigen::Map<Vector3D>(numbers);
}

double largestOf(const Vector3D& v) {
  return std::max({std::fabs(v.x()), std::fabs(v.y()), std::fabs(v.z())});
}

void turnBody(BodyMotion& m, const Vector3D& torque) {
  const Vector3D turn = inverseInertiaTimes(m, torque);
  for (int c = 0; c < 3; ++c) m.w[c] += turn[c];
}

/// How far the anchor on a body is from that on its parent [m].
Vector3D openingOf(const BodyPose& b, const BodyPose& p, const JointTree::Joint& joint) {
  return (vectorOf(b.x) - vectorOf(p.x)) +
         (quaternionOf(b.q) * joint.anchor - quaternionOf(p.q) * joint.parentAnchor);
}

/// The same with the arms of a node.
Vector3D openingAt(const SolverBodies& bodies, const JointTree::Body& body, const TreeNode& node) {
  return (vectorOf(bodies.pose[body.slot].x) - vectorOf(bodies.pose[body.parentSlot].x)) +
         (three(node.arm) - three(node.parentArm));
}

/// Torques of a joint's impulse where its bodies stand.
void findTorques(const SolverBodies& bodies, JointTree::Body& body) {
  JointTree::Joint& joint = body.joint;
  const Vector3D arm = quaternionOf(bodies.pose[body.slot].q) * joint.anchor;
  const Vector3D parentArm = quaternionOf(bodies.pose[body.parentSlot].q) * joint.parentAnchor;
  joint.torque = arm.cross(joint.impulse);
  joint.parentTorque = -parentArm.cross(joint.impulse);
}

}  // namespace

void JointTree::build(std::span<const Edge> edges) {
  bodies_.clear();
  // Ends of edges by body.
  struct End {
    std::uint32_t slot, edge;
  };
  std::vector<End> ends;
  std::size_t inner = 0, fixed = 0;
  std::uint32_t holder = 0;
  for (std::uint32_t e = 0; e < edges.size(); ++e) {
    const Edge& edge = edges[e];
    if (edge.pushableA) ends.push_back({edge.slotA, e});
    if (edge.pushableB) ends.push_back({edge.slotB, e});
    if (edge.pushableA && edge.pushableB) {
      if (edge.slotA == edge.slotB) return;
      ++inner;
    } else {
      ++fixed;
      holder = e;
    }
  }
  std::sort(ends.begin(), ends.end(), [](const End& x, const End& y) {
    return x.slot != y.slot ? x.slot < y.slot : x.edge < y.edge;
  });
  std::size_t count = 0;
  for (std::size_t i = 0; i < ends.size(); ++i) count += i == 0 || ends[i].slot != ends[i - 1].slot;
  if (inner + 1 != count || fixed > 1) return;
  const auto endsOf = [&](std::uint32_t slot) {
    const auto first = std::lower_bound(ends.begin(), ends.end(), slot,
                                        [](const End& e, std::uint32_t s) { return e.slot < s; });
    auto last = first;
    while (last != ends.end() && last->slot == slot) ++last;
    return std::span{first, last};
  };
  // What is held comes first, else an end.
  Body root;
  root.slot = ends[0].slot;
  if (fixed == 1) {
    const Edge& edge = edges[holder];
    root.slot = edge.pushableA ? edge.slotA : edge.slotB;
    root.parentSlot = edge.pushableA ? edge.slotB : edge.slotA;
    root.jointed = true;
    root.joint.link = holder;
    root.joint.sign = edge.pushableA ? -1.0 : 1.0;
  } else {
    for (std::size_t i = 0; i < ends.size(); ++i) {
      if (endsOf(ends[i].slot).size() > 1) continue;
      root.slot = ends[i].slot;
      break;
    }
  }
  bodies_.reserve(count);
  std::vector<Body> waiting{root};
  while (!waiting.empty()) {
    const Body body = waiting.back();
    waiting.pop_back();
    const auto me = static_cast<std::int32_t>(bodies_.size());
    bodies_.push_back(body);
    if (bodies_.size() > count) break;  // goes round
    const std::span of = endsOf(body.slot);
    for (std::size_t i = of.size(); i-- > 0;) {
      const Edge& edge = edges[of[i].edge];
      if (!edge.pushableA || !edge.pushableB || (body.jointed && of[i].edge == body.joint.link))
        continue;
      Body child;
      child.slot = edge.slotA == body.slot ? edge.slotB : edge.slotA;
      child.parent = me;
      child.parentSlot = body.slot;
      child.jointed = true;
      child.joint.link = of[i].edge;
      child.joint.sign = edge.slotB == child.slot ? 1.0 : -1.0;
      waiting.push_back(child);
    }
  }
  if (bodies_.size() != count) bodies_.clear();
}

void JointTree::start(const SolverBodies& bodies) {
  for (Body& body : bodies_) {
    Joint& joint = body.joint;
    joint.sum = joint.torqueSum = joint.parentTorqueSum = Vector3D::Zero();
    if (body.jointed) findTorques(bodies, body);
  }
}

void JointTree::load(SolverBodies& bodies, std::span<TreeNode> nodes, std::int32_t first) const {
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const Body& body = bodies_[i];
    TreeNode& n = nodes[i];
    n.slot = body.slot;
    n.velocity = bodies.motion[body.slot].v;
    n.parent = body.parent < 0 ? -1 : body.parent + first;
    n.held = body.parent < 0 && body.jointed;
    if (!body.jointed) continue;
    three(n.arm) = quaternionOf(bodies.pose[body.slot].q) * body.joint.anchor;
    three(n.parentArm) = quaternionOf(bodies.pose[body.parentSlot].q) * body.joint.parentAnchor;
  }
}

void JointTree::loadShifts(SolverBodies& bodies, std::span<TreeNode> nodes) const {
  for (std::size_t i = 0; i < bodies_.size(); ++i)
    nodes[i].velocity = bodies.shift[bodies_[i].slot].d;
}

void JointTree::turn(SolverBodies& bodies, std::span<const TreeNode> nodes, double carried) {
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    Body& body = bodies_[i];
    if (!body.jointed) continue;
    Joint& joint = body.joint;
    joint.impulse *= carried;
    const Vector3D torque = three(nodes[i].arm).cross(joint.impulse);
    const Vector3D parentTorque = -three(nodes[i].parentArm).cross(joint.impulse);
    turnBody(bodies.motion[body.slot], torque - carried * joint.torque);
    if (body.parent >= 0)
      turnBody(bodies.motion[body.parentSlot], parentTorque - carried * joint.parentTorque);
    joint.torque = torque;
    joint.parentTorque = parentTorque;
  }
}

Vector3D JointTree::velocityOf(const SolverBodies& bodies, std::size_t i,
                               const TreeNode& node) const {
  const BodyMotion& b = bodies.motion[bodies_[i].slot];
  const BodyMotion& p = bodies.motion[bodies_[i].parentSlot];
  return (vectorOf(b.v) - vectorOf(p.v)) +
         (vectorOf(b.w).cross(three(node.arm)) - vectorOf(p.w).cross(three(node.parentArm)));
}

/// Velocities of the joints against what is wanted of them, as errors of the nodes.
void JointTree::findVelocityErrors(const SolverBodies& bodies, std::span<TreeNode> nodes,
                                   const Vector3D Joint::*wanted) const {
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (!bodies_[i].jointed) continue;
    three(nodes[i].error) = velocityOf(bodies, i, nodes[i]) - bodies_[i].joint.*wanted;
  }
}

/// Errors after the drift as velocities; returns the largest in units of what counts as closed.
double JointTree::evaluate(const Solve& s, std::span<TreeNode> nodes) const {
  using namespace joint_tolerances;
  TreeScratch& scratch = s.scratch;
  scratch.slots.clear();
  for (const Body& body : bodies_) scratch.slots.push_back(static_cast<std::int32_t>(body.slot));
  const std::size_t root = scratch.slots.size();
  if (bodies_[0].jointed) scratch.slots.push_back(static_cast<std::int32_t>(bodies_[0].parentSlot));
  while (scratch.slots.size() % SolverBodies::kBlock != 0) scratch.slots.push_back(0);
  if (scratch.drifted.size() < scratch.slots.size()) scratch.drifted.resize(scratch.slots.size());
  if (bodies_[0].jointed && bodies_[0].parentSlot == 0) scratch.drifted[root] = s.bodies.pose[0];
  s.kernels.body.predict(s.bodies, scratch.slots, s.h, scratch.drifted);
  const double inverseH = 1.0 / s.h;
  double worst = 0.0;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const Body& body = bodies_[i];
    if (!body.jointed) continue;
    const BodyPose& b = scratch.drifted[i];
    const BodyPose& p =
        scratch.drifted[body.parent < 0 ? root : static_cast<std::size_t>(body.parent)];
    const Vector3D xB = vectorOf(b.x), xP = vectorOf(p.x);
    const Vector3D error = openingOf(b, p, body.joint) - body.joint.keep;
    three(nodes[i].error) = inverseH * error;
    const double closed =
        kClosed * body.joint.size + kRoundingOfPlaces * (largestOf(xB) + largestOf(xP));
    worst = std::max(worst, largestOf(error) / closed);
  }
  return worst;
}

/// Takes the errors of the nodes away; returns the largest.
double JointTree::solveOnce(const Solve& s, std::span<TreeNode> nodes) {
  double largest = 0.0;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (bodies_[i].jointed) largest = std::max(largest, largestOf(three(nodes[i].error)));
  }
  s.kernels.tree.solve(nodes);
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    double* const v = s.bodies.motion[bodies_[i].slot].v;
    double* const w = s.bodies.motion[bodies_[i].slot].w;
    for (int c = 0; c < 3; ++c) {
      v[c] += nodes[i].change[c];
      w[c] += nodes[i].change[3 + c];
    }
    bodies_[i].joint.impulse += three(nodes[i].impulse);
  }
  return largest;
}

void JointTree::keepWanted(const SolverBodies& bodies, std::span<const TreeNode> nodes) {
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (bodies_[i].jointed) bodies_[i].joint.wanted = velocityOf(bodies, i, nodes[i]);
  }
}

void JointTree::save(const SolverBodies& bodies, std::vector<TreeScratch::Kept>& to) const {
  to.resize(std::max(to.size(), bodies_.size()));
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const BodyMotion& m = bodies.motion[bodies_[i].slot];
    std::copy(m.v, m.v + 3, to[i].velocity);
    std::copy(m.w, m.w + 3, to[i].velocity + 3);
    to[i].impulse = bodies_[i].joint.impulse;
  }
}

void JointTree::restore(SolverBodies& bodies, const std::vector<TreeScratch::Kept>& from) {
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    BodyMotion& m = bodies.motion[bodies_[i].slot];
    std::copy(from[i].velocity, from[i].velocity + 3, m.v);
    std::copy(from[i].velocity + 3, from[i].velocity + 6, m.w);
    bodies_[i].joint.impulse = from[i].impulse;
  }
}

/// (J-42): a substep in which links turn so far that their joints cannot be closed after it. What
/// its impulses did is taken back; joints keep their velocities instead, and are closed at the end
/// of the step (J-26).
double JointTree::giveUp(const Solve& s, std::span<TreeNode> nodes) {
  s.faults = {true, true, true};
  restore(s.bodies, s.scratch.start);
  findVelocityErrors(s.bodies, nodes, &Joint::closing);
  return solveOnce(s, nodes);
}

double JointTree::solve(const Solve& s, std::span<TreeNode> nodes) {
  using namespace joint_tolerances;
  s.faults.gaveUp = false;
  const double reach = s.correctionSpeed * s.h;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    Body& body = bodies_[i];
    if (!body.jointed) continue;
    const double limit = reach * body.joint.size;
    const Vector3D error = openingAt(s.bodies, body, nodes[i]);
    const Vector3D closes = error.cwiseMax(-limit).cwiseMin(limit);
    body.joint.keep = error - closes;
    body.joint.closing = -closes / s.h;
  }
  save(s.bodies, s.scratch.start);
  double change = 0.0, last = 0.0, best = std::numeric_limits<double>::infinity();
  if (s.touched) {
    // Contacts push the joints about: these need not be closer than the end of the step makes them
    // (J-26).
    const double near = kNear * s.h / kClosed;
    for (int i = 0; i < kMostRough; ++i) {
      const double worst = evaluate(s, nodes);
      if (i > 0 && worst > kSlow * last && worst > near) {
        change = giveUp(s, nodes);
        break;
      }
      if (worst <= near) break;
      change = std::max(change, solveOnce(s, nodes));
      if (worst * kSlow * kSlow <= near) break;
      last = worst;
    }
    keepWanted(s.bodies, nodes);
    return change;
  }
  bool isBest = false;
  for (int i = 0; i < kMostNewton; ++i) {
    const double worst = evaluate(s, nodes);
    s.faults.stiff = s.faults.stiff || (i > 0 && worst > kSlow * last && last > kClear);
    isBest = worst < best;
    if (isBest) {
      best = worst;
      save(s.bodies, s.scratch.best);
    }
    if (best <= 1.0 || (i > 2 && worst > 0.5 * last)) break;
    last = worst;
    change = std::max(change, solveOnce(s, nodes));
    isBest = false;
  }
  if (!isBest) restore(s.bodies, s.scratch.best);
  s.faults.stiff = s.faults.stiff || kClosed * best > kStiff;
  if (kClosed * best > kStiffRough) change = giveUp(s, nodes);
  keepWanted(s.bodies, nodes);
  return change;
}

double JointTree::relax(const Solve& s, std::span<TreeNode> nodes) {
  using namespace joint_tolerances;
  s.faults.gaveUp = false;
  double change = 0.0, last = 0.0;
  for (int i = 0; i < kMostNewton; ++i) {
    double worst = 0.0, speed = 0.0;
    for (std::size_t k = 0; k < bodies_.size(); ++k) {
      const Body& body = bodies_[k];
      if (!body.jointed) continue;
      const BodyMotion& b = s.bodies.motion[body.slot];
      const BodyMotion& p = s.bodies.motion[body.parentSlot];
      const Vector3D u = velocityOf(s.bodies, k, nodes[k]);
      three(nodes[k].error) = u;
      worst = std::max(worst, largestOf(u));
      speed = std::max({speed, largestOf(vectorOf(b.v)), largestOf(vectorOf(p.v)),
                        body.joint.size * largestOf(vectorOf(b.w)),
                        body.joint.size * largestOf(vectorOf(p.w))});
    }
    if (speed > 0.0) {
      worst /= kStill * speed;
    } else if (worst > 0.0) {
      worst = 2.0;
    }
    if (worst <= 1.0 || (i > 1 && worst > 0.5 * last)) break;
    last = worst;
    change = std::max(change, solveOnce(s, nodes));
    if (s.touched) break;
  }
  for (Body& body : bodies_) body.joint.wanted = Vector3D::Zero();
  return change;
}

double JointTree::solveAgain(const Solve& s, std::span<TreeNode> nodes) {
  findVelocityErrors(s.bodies, nodes, &Joint::wanted);
  double worst = 0.0;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (bodies_[i].jointed)
      worst = std::max(worst, largestOf(three(nodes[i].error)) / bodies_[i].joint.size);
  }
  return worst > joint_tolerances::kNear ? solveOnce(s, nodes) : 0.0;
}

void JointTree::takeWalk(const SolverBodies& bodies, std::span<const TreeNode> nodes,
                         std::span<Vector3D> forces) {
  // The momentum of a body, and of all that hangs on it, comes from points and from its joint.
  for (std::size_t i = bodies_.size(); i-- > 0;) {
    Body& body = bodies_[i];
    const BodyMotion& m = bodies.motion[body.slot];
    if (!body.jointed) break;
    const Vector3D change = (vectorOf(m.v) - three(nodes[i].change)) / m.inverseMass - forces[i];
    body.joint.impulse += change;
    if (body.parent >= 0) forces[static_cast<std::size_t>(body.parent)] -= change;
  }
}

void JointTree::conclude(const SolverBodies& bodies, const PhaseEnd& end, JointWorks& works) {
  for (Body& body : bodies_) {
    if (!body.jointed) continue;
    Joint& joint = body.joint;
    findTorques(bodies, body);
    joint.sum += joint.impulse;
    joint.torqueSum += joint.torque;
    joint.parentTorqueSum += joint.parentTorque;
    const MeanMotion b{bodies, body.slot, end}, p{bodies, body.parentSlot, end};
    const double onBody = joint.impulse.dot(b.v) + joint.torque.dot(b.w);
    const double onParent = joint.parentTorque.dot(p.w) - joint.impulse.dot(p.v);
    works.both += onBody + onParent;
    if (body.parent < 0) works.driven -= onParent;
  }
}

Vector3D JointTree::errorOf(const SolverBodies& bodies, const Body& body) {
  return openingOf(bodies.pose[body.slot], bodies.pose[body.parentSlot], body.joint);
}

void JointTree::findErrors(const SolverBodies& bodies, std::span<TreeNode> nodes) const {
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (bodies_[i].jointed) three(nodes[i].error) = errorOf(bodies, bodies_[i]);
  }
}

void JointTree::findOpenings(const SolverBodies& bodies, std::span<TreeNode> nodes) const {
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const Body& body = bodies_[i];
    if (!body.jointed) continue;
    const BodyShift& b = bodies.shift[body.slot];
    Vector3D moved = vectorOf(b.d) + vectorOf(b.theta).cross(three(nodes[i].arm));
    if (body.parent >= 0) {
      const BodyShift& p = bodies.shift[body.parentSlot];
      moved -= vectorOf(p.d) + vectorOf(p.theta).cross(three(nodes[i].parentArm));
    }
    three(nodes[i].error) = openingAt(bodies, body, nodes[i]) + moved;
  }
}

}  // namespace msd_sim
