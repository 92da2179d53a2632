// One currency in the solver: the packed row of a contact is the row of the ContactConstraint of
// the same contact, J = [-nᵀ, -(r_A × n)ᵀ, nᵀ, (r_B × n)ᵀ], with the same effective mass, gap and
// velocity.

#include <gtest/gtest.h>

#include "Scenes.hpp"
#include "msd-sim/src/DataTypes/Arrays.hpp"
#include "msd-sim/src/Environment/Simulation.hpp"
#include "msd-sim/src/Physics/Constraints/ContactConstraint.hpp"

namespace msd_sim::test {
namespace {

using Row = Eigen::Matrix<double, 1, Constraint::kTwoBodyColumns>;

Shape anyShape(Random& random, int kind) {
  switch (kind) {
    case 0:
      return Sphere{random.between(0.2, 0.5)};
    case 1:
      return Box{{random.between(0.1, 0.5), random.between(0.1, 0.5), random.between(0.1, 0.5)}};
    case 2:
      return Capsule{random.between(0.1, 0.3), random.between(0.1, 0.4)};
    case 3:
      return Cylinder{random.between(0.1, 0.4), random.between(0.1, 0.4)};
    default:
      return lump(random, 14, 0.4);
  }
}

/// Bodies of all shapes, of light and heavy stuff, thrown together so that many overlap.
void fill(WorldModel& world, Random& random) {
  world.spawn(EnvironmentDescription{.shape = Box{{5, 5, 1}}, .position = {0, 0, -1}});
  for (int i = 0; i < 30; ++i) {
    Shape shape = anyShape(random, i % 5);
    if (i % 7 == 6) {
      shape = Compound{{{.shape = shape, .position = {0.1, 0, 0}},
                        {.shape = Sphere{0.2}, .position = {-0.3, 0, 0.1}}}};
    }
    world.spawn(InertialDescription{.shape = shape,
                                    .density = std::pow(10.0, random.between(1.0, 4.0)),
                                    .position = random.vector(0.8) + Vector3D{0, 0, 0.8},
                                    .orientation = random.turn(),
                                    .linearVelocity = random.vector(3.0),
                                    .angularVelocity = random.vector(5.0)});
  }
}

InertialState stateOf(const Simulation& sim, std::uint32_t slot) {
  return sim.slots[slot].inertial ? sim.slots[slot].inertial->getInertialState()
                                  : sim.slots[slot].environment->getInertialState();
}

/// Largest differences over all contacts of a world.
struct Differences {
  int points{0};
  double jacobian{0.0}, mass{0.0}, gap{0.0}, velocity{0.0};

  void add(double& worst, double difference) { worst = std::max(worst, std::abs(difference)); }
};

/// Compares point p of a contact, whose row body 0 is A and row body 1 is B.
template <class Stored, class Rows>
void compare(const Simulation& sim, LaneBodies bodyPair, const Stored& stored, const Rows& rows,
             std::size_t l, std::size_t p, Differences& worst) {
  const auto triple = [l](const auto& v) { return Vector3D{v[0][l], v[1][l], v[2][l]}; };
  const auto [a, b] = bodyPair;
  const InertialState sa = stateOf(sim, a), sb = stateOf(sim, b);
  const Vector3D n = sa.orientation * vectorOf(stored.normal);
  const Coordinate onA = sa.position + sa.orientation * vectorOf(stored.points[p].anchor0);
  const Coordinate onB = sb.position + sb.orientation * vectorOf(stored.points[p].anchor1);
  const double depth = std::max(0.0, -n.dot(onB - onA));
  const ContactConstraint contact{a,     b,           n.normalized(), onA, onB,
                                  depth, sa.position, sb.position,    0.5, 0.0};
  const Row expected = contact.jacobian(sa, sb, 0.0);

  const Vector3D t1 = triple(rows.tangent), normal = triple(rows.normal);
  const auto& point = rows.points[p];
  Vector3D place = Vector3D::Zero();
  if constexpr (requires { rows.tangential.x; }) {
    place = rows.tangential.x[p][l] * t1 + rows.tangential.y[p][l] * normal.cross(t1);
  }
  Row packed;
  packed << -normal.transpose(), -(triple(rows.arm0) + place).cross(normal).transpose(),
      normal.transpose(), (triple(rows.arm1) + place).cross(normal).transpose();
  worst.add(worst.jacobian, (packed - expected).cwiseAbs().maxCoeff());

  double inverse = 0.0;
  for (int side = 0; side < 2; ++side) {
    const BodySlot& slot = sim.slots[side == 0 ? a : b];
    if (!slot.inertial) continue;
    const Vector3D linear = expected.segment<3>(6 * side),
                   angular = expected.segment<3>(6 * side + 3);
    inverse += slot.inertial->getInverseMass() * linear.squaredNorm() +
               angular.dot(slot.inertial->getInverseInertiaTensor() * angular);
  }
  worst.add(worst.mass, point.normalMass[l] * inverse - 1.0);

  Eigen::Matrix<double, Constraint::kTwoBodyColumns, 1> v;
  v << sa.velocity, sa.angularVelocity, sb.velocity, sb.angularVelocity;
  worst.add(worst.velocity, (packed - expected).dot(v) / v.norm());

  // gapOffset = n·r_A - gap, r_A measured to the manifold's centre moved by the point.
  const double gap = n.dot(onB - onA);
  worst.add(worst.gap, (normal.dot(triple(rows.arm0) + place) - point.gapOffset[l]) - gap);
  ++worst.points;
}

TEST(PackedRows, areTheRowsOfTheContactConstraints) {
  Differences worst;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Random random{seed};
    WorldModel world{Settings{.sleeping = false}};
    fill(world, random);
    world.update(0.0);  // finds contacts and makes their rows; nothing moves
    Simulation& sim = WorldAccess::of(world);
    sim.table.forEach(
        [&](std::uint32_t id, LaneBodies bodyPair, auto& rows, ContactSums&, int lane) {
          constexpr int kPoints = std::remove_reference_t<decltype(rows)>::kPointCount;
          const auto& stored = sim.collision.contacts().numbers<kPoints>(id);
          for (std::size_t p = 0; p < kPoints; ++p) {
            if (stored.points[p].active > 0.0)
              compare(sim, bodyPair, stored, rows, static_cast<std::size_t>(lane), p, worst);
          }
        });
  }
  std::printf("%d points: Jacobian %.1e, mass %.1e, velocity %.1e, gap %.1e m\n", worst.points,
              worst.jacobian, worst.mass, worst.velocity, worst.gap);
  EXPECT_GT(worst.points, 2000);
  EXPECT_LT(worst.jacobian, 1e-12);
  EXPECT_LT(worst.mass, 1e-12);
  EXPECT_LT(worst.velocity, 1e-12);
  EXPECT_LT(worst.gap, 1e-12);
}

}  // namespace
}  // namespace msd_sim::test
