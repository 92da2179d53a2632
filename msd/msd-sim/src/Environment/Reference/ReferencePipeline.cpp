#include "msd-sim/src/Environment/Reference/ReferencePipeline.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>

#include "msd-sim/src/DataTypes/UnionFind.hpp"
#include "msd-sim/src/Physics/Constraints/ContactConstraintFactory.hpp"

namespace msd_sim {

namespace {

/// Runs one part and notes how long it took.
template <class Work>
void timed(double& seconds, const Work& work) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  work();
  seconds += std::chrono::duration<double>(Clock::now() - start).count();
}

Aabb boundsOf(const AssetPhysical& asset) {
  Aabb box;
  for (const CollisionPart& part : asset.collisionParts()) {
    box = box.merged(worldBounds(part.shape, asset.pose() * part.local));
  }
  return box;
}

SurfaceMaterial geometricMeans(const SurfaceMaterial& a, const SurfaceMaterial& b) {
  return {.friction = std::sqrt(a.friction * b.friction),
          .restitution = ContactConstraintFactory::combineRestitution(a.restitution, b.restitution),
          .rollingResistance = std::sqrt(a.rollingResistance * b.rollingResistance),
          .torsionalResistance = std::sqrt(a.torsionalResistance * b.torsionalResistance)};
}

}  // namespace

void ReferencePipeline::execute(std::vector<Body> bodies, double dt,
                                const std::vector<SpatialVector>& velocityBias,
                                ImpulseMemory& memory, std::uint64_t frame) {
  detect(std::move(bodies));
  timed(seconds_.constraints, [&] { makeConstraints(); });
  timed(seconds_.islands, [&] { findIslands(); });
  timed(seconds_.solve, [&] { solve(dt, velocityBias, memory); });
  remember(memory, frame);
  applyForces();
}

void ReferencePipeline::detect(std::vector<Body> bodies) {
  bodies_ = std::move(bodies);
  seconds_ = Seconds{};
  timed(seconds_.pairs, [&] { findPairs(); });
  timed(seconds_.manifolds, [&] { findManifolds(); });
}

const InertialState& ReferencePipeline::stateOf(std::size_t body) const {
  if (body == bodies_.size()) return world_;
  const Body& b = bodies_[body];
  return b.inertial != nullptr ? std::as_const(*b.inertial).getInertialState()
                               : static_cast<const AssetEnvironment*>(b.asset)->getInertialState();
}

/// Pairs of bodies whose boxes overlap, by a sweep along x: bodies in the order of where their
/// boxes begin, each against those that begin before it ends.
void ReferencePipeline::findPairs() {
  pairs_.clear();
  std::vector<Aabb> boxes;
  for (const Body& body : bodies_) boxes.push_back(boundsOf(*body.asset));
  std::vector<std::size_t> order(bodies_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t k) {
    const double a = boxes[i].lower.x(), b = boxes[k].lower.x();
    return a < b || (a == b && i < k);
  });
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::size_t k = i + 1; k < order.size(); ++k) {
      const auto [a, b] = std::minmax(order[i], order[k]);
      if (boxes[order[k]].lower.x() > boxes[order[i]].upper.x()) break;
      if (!bodies_[a].isDynamic() && !bodies_[b].isDynamic()) continue;
      if (!boxes[a].overlaps(boxes[b])) continue;
      if (options.mayTouch && !options.mayTouch(bodies_[a].name, bodies_[b].name)) continue;
      pairs_.emplace_back(a, b);
    }
  }
  std::sort(pairs_.begin(), pairs_.end());
}

void ReferencePipeline::findManifolds() {
  manifolds_.clear();
  const CollisionHandler handler{1e-6};
  for (const auto& [a, b] : pairs_) {
    for (PartCollision& collision : handler.checkCollisions(*bodies_[a].asset, *bodies_[b].asset)) {
      manifolds_.push_back({a, b, std::move(collision)});
    }
  }
}

/// One ContactConstraint per contact point, with its own depth, and the FrictionConstraint after
/// it.
void ReferencePipeline::makeConstraints() {
  contacts_.clear();
  made_.clear();
  constraints_ = others;
  contact_of_.assign(others.size(), kNone);
  for (const Manifold& m : manifolds_) {
    const AssetPhysical &assetA = *bodies_[m.bodyA].asset, &assetB = *bodies_[m.bodyB].asset;
    const InertialState &a = stateOf(m.bodyA), &b = stateOf(m.bodyB);
    SurfaceMaterial pair =
        (options.combine ? options.combine : geometricMeans)(assetA.material(), assetB.material());
    if (options.change && !options.change(m, pair)) continue;
    auto normals = ContactConstraintFactory::createFromCollision(
        m.bodyA, m.bodyB, m.collision.result, a, b, a.position, b.position, pair.restitution,
        options.restitutionThreshold);
    for (std::size_t i = 0; i < normals.size(); ++i) {
      Contact contact;
      contact.bodyA = m.bodyA;
      contact.bodyB = m.bodyB;
      contact.point = m.collision.result.contacts[i];
      contact.normal = m.collision.result.normal;
      contact.key = {bodies_[m.bodyA].name, bodies_[m.bodyB].name, m.collision.partA,
                     m.collision.partB, contact.point.feature};
      contact.friction = pair.friction;
      contact.resists = pair.rollingResistance > 0.0 || pair.torsionalResistance > 0.0;
      contact.approach = -normals[i]->getPreImpactRelVelNormal();
      contact.constraint = constraints_.size();
      const auto add = [&](std::unique_ptr<Constraint> constraint) {
        constraints_.push_back(constraint.get());
        contact_of_.push_back(static_cast<std::uint32_t>(contacts_.size()));
        made_.push_back(std::move(constraint));
      };
      add(std::move(normals[i]));
      if (pair.friction > 0.0) {
        // Both bodies at one point: apart by the depth, the two forces would turn the pair.
        const Coordinate middle = 0.5 * (contact.point.pointA + contact.point.pointB);
        add(std::make_unique<FrictionConstraint>(m.bodyA, m.bodyB, contact.normal, middle, middle,
                                                 a.position, b.position, pair.friction));
      }
      contacts_.push_back(contact);
    }
  }
}

/// Bodies that constraints hold together; what does not move does not connect.
void ReferencePipeline::findIslands() {
  const auto count = static_cast<std::uint32_t>(bodies_.size());
  std::vector<std::uint32_t> parent(count);
  std::iota(parent.begin(), parent.end(), 0u);
  const auto isDynamic = [&](std::size_t i) { return i < count && bodies_[i].isDynamic(); };
  std::vector<std::uint8_t> held(count, 0);
  for (const Constraint* c : constraints_) {
    const bool a = isDynamic(c->bodyAIndex()),
               b = c->bodyCount() == 2 && isDynamic(c->bodyBIndex());
    if (a) held[c->bodyAIndex()] = 1;
    if (b) held[c->bodyBIndex()] = 1;
    if (a && b) {
      unite(parent, static_cast<std::uint32_t>(c->bodyAIndex()),
            static_cast<std::uint32_t>(c->bodyBIndex()));
    }
  }
  island_of_.assign(count, kNone);
  island_count_ = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (held[i] == 0) continue;
    const std::uint32_t root = findRoot(parent, i);  // the least of its group
    if (root == i) island_of_[i] = static_cast<std::uint32_t>(island_count_++);
    island_of_[i] = island_of_[root];
  }
}

/// What a contact carried when it was last there; nothing for the other constraints.
Eigen::VectorXd ReferencePipeline::warmStart(std::size_t constraint,
                                             const ImpulseMemory& memory) const {
  const Constraint& c = *constraints_[constraint];
  Eigen::VectorXd lambda = Eigen::VectorXd::Zero(c.dimension());
  if (contact_of_[constraint] == kNone) return lambda;
  const Contact& contact = contacts_[contact_of_[constraint]];
  const auto before = memory.recall(contact.key);
  if (!before) return lambda;
  if (constraint == contact.constraint) {
    lambda(0) = before->normal;
  } else {
    const auto& tangents = static_cast<const FrictionConstraint&>(c).getTangents();
    for (int k = 0; k < 2; ++k) {
      lambda(k) = tangents[static_cast<std::size_t>(k)].dot(before->tangential);
    }
  }
  return lambda;
}

/// Island by island: A λ = b with the bounds of the constraints (ConstraintSolver).
void ReferencePipeline::solve(double dt, const std::vector<SpatialVector>& velocityBias,
                              const ImpulseMemory& memory) {
  std::vector<std::reference_wrapper<const InertialState>> states;
  std::vector<double> inverseMasses;
  std::vector<Eigen::Matrix3d> inverseInertias;
  std::vector<SpatialVector> bias = velocityBias;
  for (std::size_t i = 0; i <= bodies_.size(); ++i) {
    const bool dynamic = i < bodies_.size() && bodies_[i].isDynamic();
    states.emplace_back(stateOf(i));
    inverseMasses.push_back(dynamic ? bodies_[i].inertial->getInverseMass() : 0.0);
    inverseInertias.push_back(dynamic ? bodies_[i].inertial->getInverseInertiaTensor()
                                      : Matrix3D::Zero().eval());
  }
  if (!bias.empty()) bias.resize(states.size());

  ConstraintSolver solver;
  solver.setErp(options.erp);
  solver.setTime(options.time);
  solver.setConeTolerance(options.coneTolerance, options.coneIterations);
  double largest = std::numeric_limits<double>::min();  // momentum of a body [N·s]
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (!bodies_[i].isDynamic()) continue;
    const double speed = stateOf(i).velocity.norm() + (bias.empty() ? 0.0 : bias[i].linear.norm());
    largest = std::max(largest, bodies_[i].inertial->getMass() * speed);
  }
  solver.setMaxIterations(options.coneIterations);
  solver.setConvergenceTolerance(options.coneTolerance * largest);

  start_error_.clear();
  for (const Constraint* c : others) {
    start_error_.push_back(c->evaluate(
        stateOf(c->bodyAIndex()), stateOf(c->bodyCount() == 2 ? c->bodyBIndex() : c->bodyAIndex()),
        options.time));
  }
  std::vector<std::vector<std::size_t>> islands(island_count_);
  lambda_.assign(constraints_.size(), {});
  rows_.assign(constraints_.size(), {});
  for (std::size_t c = 0; c < constraints_.size(); ++c) {
    const Constraint& constraint = *constraints_[c];
    lambda_[c].setZero(constraint.dimension());
    const std::size_t a = constraint.bodyAIndex();
    const std::size_t b = constraint.bodyCount() == 2 ? constraint.bodyBIndex() : a;
    rows_[c] = velocityJacobian(constraint, stateOf(a), stateOf(b), options.time);
    const auto islandOf = [&](std::size_t i) { return i < bodies_.size() ? island_of_[i] : kNone; };
    const std::uint32_t island = islandOf(a) != kNone ? islandOf(a) : islandOf(b);
    if (island != kNone) islands[island].push_back(c);
  }
  forces_.assign(states.size(), {});
  unsolved_ = 0;
  iterations_ = 0;
  residual_ = 0.0;
  for (const std::vector<std::size_t>& island : islands) {
    std::vector<Constraint*> list;
    std::vector<double> start;
    for (const std::size_t c : island) {
      list.push_back(constraints_[c]);
      const Eigen::VectorXd lambda = warmStart(c, memory);
      start.insert(start.end(), lambda.begin(), lambda.end());
    }
    const Eigen::VectorXd initial =
        Eigen::Map<const Eigen::VectorXd>(start.data(), static_cast<Eigen::Index>(start.size()));
    const ConstraintSolver::SolveResult result = solver.solve(
        list, states, inverseMasses, inverseInertias, states.size(), dt, initial, bias);
    Eigen::Index row = 0;
    for (const std::size_t c : island) {
      lambda_[c] = result.lambdas.segment(row, constraints_[c]->dimension());
      row += constraints_[c]->dimension();
    }
    for (std::size_t i = 0; i < states.size(); ++i) {
      forces_[i].linearForce += result.bodyForces[i].linearForce;
      forces_[i].angularTorque += result.bodyForces[i].angularTorque;
    }
    unsolved_ += result.converged ? 0 : 1;
    iterations_ = std::max(iterations_, result.iterations);
    residual_ = std::max(residual_, result.residual);
  }
}

void ReferencePipeline::remember(ImpulseMemory& memory, std::uint64_t frame) {
  for (Contact& contact : contacts_) {
    contact.normalImpulse = lambda_[contact.constraint](0);
    if (contact.friction > 0.0) {
      const auto& friction =
          static_cast<const FrictionConstraint&>(*constraints_[contact.constraint + 1]);
      const Eigen::VectorXd& t = lambda_[contact.constraint + 1];
      contact.tangentialImpulse =
          t(0) * friction.getTangents()[0] + t(1) * friction.getTangents()[1];
    }
    memory.remember(contact.key, {contact.normalImpulse, contact.tangentialImpulse}, frame);
  }
}

void ReferencePipeline::applyForces() {
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (!bodies_[i].isDynamic()) continue;
    bodies_[i].inertial->applyForce(forces_[i].linearForce);
    bodies_[i].inertial->applyTorque(forces_[i].angularTorque);
  }
}

double ReferencePipeline::deepest() const {
  double depth = 0.0;
  for (const Manifold& m : manifolds_) depth = std::max(depth, m.collision.result.penetrationDepth);
  return depth;
}

void ReferencePipeline::correct(double dt) {
  if (options.erp > 0.0) return;
  std::vector<InertialState> fixed;  // copies of what does not move
  fixed.reserve(bodies_.size() + 1);
  std::vector<std::reference_wrapper<InertialState>> states;
  std::vector<double> inverseMasses;
  std::vector<Eigen::Matrix3d> inverseInertias;
  for (std::size_t i = 0; i <= bodies_.size(); ++i) {
    const bool dynamic = i < bodies_.size() && bodies_[i].isDynamic();
    if (!dynamic) fixed.push_back(stateOf(i));
    states.emplace_back(dynamic ? bodies_[i].inertial->getInertialState() : fixed.back());
    inverseMasses.push_back(dynamic ? bodies_[i].inertial->getInverseMass() : 0.0);
    inverseInertias.push_back(dynamic ? bodies_[i].inertial->getInverseInertiaTensor()
                                      : Matrix3D::Zero().eval());
  }
  const PositionCorrector corrector{options.correction};
  corrector.correctPositions(constraints_, states, inverseMasses, inverseInertias, dt);
  std::vector<PositionCorrector::Target> targets;
  for (std::size_t c = 0; c < others.size(); ++c) {
    if (others[c]->lambdaBounds().isBoxConstrained() || others[c]->compliance(dt) > 0.0) continue;
    // What was missing before the step is taken back as fast as the constraint asks for.
    const double left = 1.0 - errorReduction(*others[c], dt);
    targets.push_back({others[c], others[c]->lambdaBounds().isUnilateral()
                                      ? (left * start_error_[c].cwiseMin(0.0)).eval()
                                      : (left * start_error_[c]).eval()});
  }
  corrector.closeJoints(targets, states, inverseMasses, inverseInertias, options.time + dt);
}

}  // namespace msd_sim
