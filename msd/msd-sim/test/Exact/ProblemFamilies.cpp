#include "ProblemFamilies.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <numeric>
#include <utility>
#include <vector>

namespace msd_sim::families {
namespace {

using Eigen::Vector3d;

constexpr double kStep = 1.0 / 60.0;  // [s]
constexpr double kGravity = 9.81;     // [m/s²]
constexpr double kDensity = 1000.0;   // [kg/m³]
const Vector3d kDown{0.0, 0.0, -kGravity* kStep};

/// Uniform in [-1, 1], the same on every platform (std::uniform_real_distribution is not).
double symmetricUniform(std::mt19937& generator) {
  return static_cast<double>(generator()) / 2147483648.0 - 1.0;
}

Vector3d randomDirection(std::mt19937& generator) {
  for (;;) {
    const Vector3d v{symmetricUniform(generator), symmetricUniform(generator),
                     symmetricUniform(generator)};
    const double length = v.norm();
    if (length > 0.1 && length <= 1.0) return v / length;
  }
}

}  // namespace

int SceneBuilder::add(const Vector3d& position, double mass, const Vector3d& inertia) {
  bodies_.push_back({position, kDown, Vector3d::Zero()});
  return problem_.addBody({1.0 / mass, Eigen::Matrix3d{inertia.cwiseInverse().asDiagonal()}});
}

int SceneBuilder::addBox(const Vector3d& position, const Vector3d& h, double mass) {
  const Vector3d square = h.cwiseProduct(h);
  return add(
      position, mass,
      mass / 3.0 *
          Vector3d{square.y() + square.z(), square.x() + square.z(), square.x() + square.y()});
}

int SceneBuilder::addSphere(const Vector3d& position, double radius, double mass) {
  return add(position, mass, Vector3d::Constant(0.4 * mass * radius * radius));
}

SceneBuilder::Body SceneBuilder::bodyOrGround(int index) const {
  return index < 0 ? Body{} : bodies_[index];
}

void SceneBuilder::addContact(int a, int b, const Vector3d& point, const Vector3d& normal,
                              double mu, double normalOffset) {
  const Body bodyA = bodyOrGround(a);
  const Body bodyB = bodyOrGround(b);
  const Vector3d t1 = normal.unitOrthogonal();
  const Vector3d axes[3] = {normal, t1, normal.cross(t1)};
  FrictionContact rows;
  rows.bodyA = a;
  rows.bodyB = b;
  Vector3d q;
  for (int i = 0; i < 3; ++i) {
    rows.jacobianA.row(i) << -axes[i].transpose(),
        -((point - bodyA.position).cross(axes[i])).transpose();
    rows.jacobianB.row(i) << axes[i].transpose(),
        ((point - bodyB.position).cross(axes[i])).transpose();
    q[i] = rows.jacobianA.row(i).leftCols<3>().dot(bodyA.velocity) +
           rows.jacobianA.row(i).rightCols<3>().dot(bodyA.spin) +
           rows.jacobianB.row(i).leftCols<3>().dot(bodyB.velocity) +
           rows.jacobianB.row(i).rightCols<3>().dot(bodyB.spin);
  }
  q[0] += normalOffset;
  problem_.addContact(rows, q, mu);
}

void SceneBuilder::addBilateralRow(int a, int b, const Vector3d& point, const Vector3d& direction) {
  const Body bodyA = bodyOrGround(a);
  const Body bodyB = bodyOrGround(b);
  BilateralRow row;
  row.bodyA = a;
  row.bodyB = b;
  row.jacobianA << -direction.transpose(), -((point - bodyA.position).cross(direction)).transpose();
  row.jacobianB << direction.transpose(), ((point - bodyB.position).cross(direction)).transpose();
  const double q = row.jacobianA.leftCols<3>().dot(bodyA.velocity) +
                   row.jacobianA.rightCols<3>().dot(bodyA.spin) +
                   row.jacobianB.leftCols<3>().dot(bodyB.velocity) +
                   row.jacobianB.rightCols<3>().dot(bodyB.spin);
  problem_.addBilateralRow(row, q);
}

void SceneBuilder::addBallJoint(int a, int b, const Vector3d& point) {
  for (int i = 0; i < 3; ++i) addBilateralRow(a, b, point, Vector3d::Unit(i));
}

FrictionProblem makePyramid(int base, double mu) {
  SceneBuilder scene;
  const double h = 0.5;       // half extent [m]
  const double pitch = 1.05;  // [m]
  std::vector<std::vector<int>> layers(base);
  std::vector<Vector3d> position;
  for (int l = 0; l < base; ++l) {
    for (int i = 0; i < base - l; ++i) {
      position.emplace_back((i + 0.5 * l) * pitch, 0.0, h + 2.0 * h * l);
      layers[l].push_back(scene.addBox(position.back(), Vector3d::Constant(h), kDensity));
    }
  }
  const auto addFace = [&](int below, int above) {
    const Vector3d upper = position[above];
    const double lowerX = below < 0 ? upper.x() : position[below].x();
    const double x0 = std::max(upper.x(), lowerX) - h;
    const double x1 = std::min(upper.x(), lowerX) + h;
    for (const double x : {x0, x1}) {
      for (const double y : {-h, h}) {
        scene.addContact(below, above, {x, y, upper.z() - h}, Vector3d::UnitZ(), mu);
      }
    }
  };
  for (int l = 0; l < base; ++l) {
    for (int i = 0; i < base - l; ++i) {
      if (l == 0) {
        addFace(-1, layers[l][i]);
      } else {
        addFace(layers[l - 1][i], layers[l][i]);
        addFace(layers[l - 1][i + 1], layers[l][i]);
      }
    }
  }
  return std::move(scene.problem());
}

FrictionProblem makeStack(int height, double ratio, double mu) {
  SceneBuilder scene;
  const double h = 0.5;
  for (int l = 0; l < height; ++l) {
    const double mass = l + 1 == height ? ratio * kDensity : kDensity;
    scene.addBox({0.0, 0.0, h + 2.0 * h * l}, Vector3d::Constant(h), mass);
    for (const double x : {-h, h}) {
      for (const double y : {-h, h}) {
        scene.addContact(l - 1, l, {x, y, 2.0 * h * l}, Vector3d::UnitZ(), mu);
      }
    }
  }
  return std::move(scene.problem());
}

FrictionProblem makeManyFeet(int feet, double mu, double push) {
  SceneBuilder scene;
  const Vector3d h{1.0, 1.0, 0.1};
  const int slab = scene.addBox({0.0, 0.0, h.z()}, h, 800.0);
  scene.body(slab).velocity += Vector3d{0.6, 0.8, 0.0} * push * kGravity * kStep;
  for (int i = 0; i < feet; ++i) {
    for (int j = 0; j < feet; ++j) {
      const double x = -1.0 + 2.0 * i / std::max(feet - 1, 1);
      const double y = -1.0 + 2.0 * j / std::max(feet - 1, 1);
      scene.addContact(-1, slab, {x, y, 0.0}, Vector3d::UnitZ(), mu);
    }
  }
  return std::move(scene.problem());
}

FrictionProblem makeWedge(int spheres, double mu) {
  // Unit spheres in a row between two leaning walls, each touching both walls and its neighbours;
  // the first and last touch an end wall.
  SceneBuilder scene;
  const double lean = std::numbers::pi / 6.0;
  const Vector3d left{std::cos(lean), 0.0, std::sin(lean)};
  const Vector3d right{-std::cos(lean), 0.0, std::sin(lean)};
  for (int i = 0; i < spheres; ++i) {
    const Vector3d centre{0.0, 2.0 * i, 0.0};
    const int ball = scene.addSphere(centre, 1.0, i == spheres / 2 ? 1e6 : 1e3);
    scene.body(ball).velocity += Vector3d{0.0, 0.02 * (i % 3 - 1), 0.0};
    scene.addContact(-1, ball, centre - left, left, mu);
    scene.addContact(-1, ball, centre - right, right, mu);
    if (i == 0) scene.addContact(-1, ball, centre - Vector3d::UnitY(), Vector3d::UnitY(), mu);
    if (i > 0) {
      scene.addContact(ball - 1, ball, centre - Vector3d::UnitY(), Vector3d::UnitY(), mu);
    }
    if (i + 1 == spheres) {
      scene.addContact(-1, ball, centre + Vector3d::UnitY(), -Vector3d::UnitY(), mu);
    }
  }
  return std::move(scene.problem());
}

FrictionProblem makeRandomPile(int bodies, int contactsPerBody, double mu, std::uint32_t seed) {
  std::mt19937 generator{seed};
  SceneBuilder scene;
  for (int i = 0; i < bodies; ++i) {
    const Vector3d centre{3.0 * symmetricUniform(generator), 3.0 * symmetricUniform(generator),
                          3.0 * symmetricUniform(generator)};
    const double mass = std::pow(10.0, 1.5 * symmetricUniform(generator) + 1.0);
    const Vector3d half = Vector3d::Constant(0.5) + 0.3 * randomDirection(generator);
    const int body = scene.addBox(centre, half, mass);
    scene.body(body).velocity += 0.3 * randomDirection(generator);
    scene.body(body).spin = 0.3 * randomDirection(generator);
    for (int k = 0; k < contactsPerBody; ++k) {
      const int other = static_cast<int>(generator() % static_cast<std::uint32_t>(i + 1)) - 1;
      // Normals lean upwards, so that the pile holds something up.
      Vector3d normal = randomDirection(generator) + Vector3d{0.0, 0.0, 0.8};
      normal.normalize();
      const Vector3d arm = 0.5 * randomDirection(generator);
      scene.addContact(other, body, centre + arm - 0.4 * normal, normal,
                       mu * (1.0 + 0.5 * symmetricUniform(generator)));
    }
  }
  return std::move(scene.problem());
}

FrictionProblem makeRedundantChain(int links, double mu) {
  SceneBuilder scene;
  const Vector3d h{0.5, 0.1, 0.1};
  for (int i = 0; i < links; ++i) {
    scene.addBox({0.5 + i, 0.0, 0.1}, h, i + 1 == links ? 100.0 : 1.0);
    for (int copy = 0; copy < 2; ++copy) {
      scene.addBallJoint(i - 1, i, {static_cast<double>(i), 0.0, 0.1});
    }
  }
  const int last = links - 1;
  for (const double x : {links - 1.0, links + 0.0}) {
    for (const double y : {-0.1, 0.1}) {
      scene.addContact(-1, last, {x, y, 0.0}, Vector3d::UnitZ(), mu);
    }
  }
  return std::move(scene.problem());
}

FrictionProblem disturb(const FrictionProblem& original, double amount, std::uint32_t seed) {
  const FrictionProblem problem = original.toAssembled();
  const int contacts = problem.contactCount();
  const BlockMatrix& w = problem.matrix();
  std::mt19937 generator{seed};
  std::vector<int> order(contacts);
  std::iota(order.begin(), order.end(), 0);
  for (int i = contacts - 1; i > 0; --i) {
    std::swap(order[i], order[generator() % static_cast<std::uint32_t>(i + 1)]);
  }
  std::vector<int> place(contacts);
  for (int i = 0; i < contacts; ++i) place[order[i]] = i;

  std::vector<double> impulse(3 * static_cast<std::size_t>(contacts));
  for (double& value : impulse) value = symmetricUniform(generator);
  std::vector<double> velocity(impulse.size());
  problem.computeVelocity(impulse, {}, {}, velocity, {});
  double size = 0.0;
  double change = 0.0;
  for (std::size_t i = 0; i < velocity.size(); ++i) {
    velocity[i] -= problem.q()[i];
    change += velocity[i] * velocity[i];
    size += problem.q()[i] * problem.q()[i];
  }
  const double factor = change > 0.0 ? amount * std::sqrt(size / change) : 0.0;
  const double frictionScale = 1.0 + 0.2 * symmetricUniform(generator);

  std::vector<Eigen::Matrix3d> turn(contacts);
  for (Eigen::Matrix3d& matrix : turn) {
    const double angle = std::numbers::pi * symmetricUniform(generator);
    matrix = Eigen::AngleAxisd(angle, Vector3d::UnitX()).toRotationMatrix();
  }

  BlockMatrix result;
  result.rowStart.push_back(0);
  std::vector<double> q;
  std::vector<double> mu;
  std::vector<std::pair<int, int>> row;
  for (int i = 0; i < contacts; ++i) {
    const int from = order[i];
    row.clear();
    for (int k = w.rowStart[from]; k < w.rowStart[from + 1]; ++k) {
      row.emplace_back(place[w.column[k]], k);
    }
    std::sort(row.begin(), row.end());
    for (const auto& [column, k] : row) {
      result.column.push_back(column);
      result.block.emplace_back(turn[from] * w.block[k] * turn[w.column[k]].transpose());
    }
    result.rowStart.push_back(static_cast<int>(result.column.size()));
    Vector3d value;
    for (int a = 0; a < 3; ++a) {
      value[a] = problem.q()[3 * from + a] + factor * velocity[3 * from + a];
    }
    value = turn[from] * value;
    q.insert(q.end(), value.data(), value.data() + 3);
    mu.push_back(frictionScale * problem.mu()[from]);
  }
  return FrictionProblem::assembled(std::move(result), std::move(q), std::move(mu));
}

}  // namespace msd_sim::families
