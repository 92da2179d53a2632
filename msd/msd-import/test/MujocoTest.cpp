// MuJoCo reads the same files: masses, inertias, poses, mass matrix and bias forces must be the
// same numbers. Files that the installed MuJoCo does not read (newer attributes) are left out.
// Masses from meshes are not compared: MuJoCo 2 takes the volume of the box of the same inertia, in
// single precision.
#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <random>
#include <string>

#include "msd-import/src/ImportRobot.hpp"
#include "msd-import/src/RobotKinematics.hpp"
#include "msd-import/src/RobotModel.hpp"
#include "msd-import/test/RobotData.hpp"
#include "msd-import/test/RobotDynamics.hpp"
#include "msd-scene/src/BuildScene.hpp"
#include "msd-scene/src/ReadScene.hpp"

namespace msd_import::test {
namespace {

using Model = std::unique_ptr<mjModel, decltype(&mj_deleteModel)>;
using Data = std::unique_ptr<mjData, decltype(&mj_deleteData)>;

bool isMesh(const RobotGeom& geom) {
  return geom.geometry.kind == GeometryKind::kMesh;
}

struct Pair {
  std::filesystem::path file;
  Model model{nullptr, &mj_deleteModel};
  Data data{nullptr, &mj_deleteData};
  RobotModel robot;
  bool hasMeshMass{false};  ///< some mass comes from a mesh
};

/// All MJCF files that both read.
const std::vector<Pair>& pairs() {
  static const std::vector<Pair> kPairs = [] {
    std::vector<Pair> result;
    for (const auto& file : robotFiles()) {
      if (file.extension() != ".xml") continue;
      char error[1000] = "";
      Pair pair{.file = file};
      pair.model.reset(mj_loadXML(file.c_str(), nullptr, error, sizeof error));
      if (pair.model == nullptr) continue;
      pair.data.reset(mj_makeData(pair.model.get()));
      pair.robot = readRobot(msd_scene::readTextFile(file), file.string(), filesOnDisk({}));
      for (const RobotLink& link : pair.robot.links) {
        pair.hasMeshMass |= std::ranges::any_of(link.geoms, isMesh);
      }
      result.push_back(std::move(pair));
    }
    return result;
  }();
  return kPairs;
}

void fillState(const Pair& pair, std::mt19937& random) {
  std::uniform_real_distribution<double> uniform{-1.0, 1.0};
  mjData* d = pair.data.get();
  const mjModel* m = pair.model.get();
  for (int i = 0; i < m->nq; ++i) d->qpos[i] = m->qpos0[i] + uniform(random);
  for (int i = 0; i < m->nv; ++i) d->qvel[i] = uniform(random);
  mj_normalizeQuat(m, d->qpos);
  mj_forward(m, d);
}

std::span<const double> positionsOf(const Pair& pair) {
  return {pair.data->qpos, static_cast<std::size_t>(pair.model->nq)};
}

class Mujoco : public testing::Test {
 protected:
  void SetUp() override {
    if (pairs().empty()) GTEST_SKIP() << "no robots beside the checkout (MSD_EXTERNAL_DATA)";
  }
};

TEST_F(Mujoco, hasTheSameBodiesMassesAndInertias) {
  double worst = 0.0;
  for (const Pair& pair : pairs()) {
    SCOPED_TRACE(pair.file.string());
    const mjModel* m = pair.model.get();
    ASSERT_EQ(static_cast<std::size_t>(m->nbody), pair.robot.links.size() + 1);
    constexpr double tolerance = 1e-9;  // largest difference measured: 9.9e-16
    for (int b = 1; b < m->nbody; ++b) {
      const RobotLink& link = pair.robot.links[static_cast<std::size_t>(b) - 1];
      const RobotInertia& ours = link.inertia;
      if (std::ranges::any_of(link.geoms, isMesh)) continue;
      const Eigen::Map<const Eigen::Vector3d> centre{m->body_ipos + 3 * b};
      const mjtNum* q = m->body_iquat + 4 * b;
      const Matrix3D r = Quaternion{q[0], q[1], q[2], q[3]}.toRotationMatrix();
      const Matrix3D inertia =
          r * Eigen::Map<const Eigen::Vector3d>{m->body_inertia + 3 * b}.asDiagonal() *
          r.transpose();
      const double scale = std::max(inertia.norm(), 1e-12);
      EXPECT_NEAR(ours.mass, m->body_mass[b], tolerance * std::max(m->body_mass[b], 1e-9));
      if (!(m->body_mass[b] > 0.0)) continue;
      EXPECT_LT((ours.centre - centre).norm(), tolerance) << b;
      EXPECT_LT((ours.inertia - inertia).norm(), tolerance * scale) << b;
      worst = std::max(worst, (ours.inertia - inertia).norm() / scale);
    }
  }
  std::printf("%zu files, largest difference of inertias %.2g\n", pairs().size(), worst);
}

TEST_F(Mujoco, placesEveryBodyAlikeAtRandomPositions) {
  std::mt19937 random{1};
  double worst = 0.0;
  for (const Pair& pair : pairs()) {
    SCOPED_TRACE(pair.file.string());
    ASSERT_EQ(positionCount(pair.robot), static_cast<std::size_t>(pair.model->nq));
    for (int trial = 0; trial < 100; ++trial) {
      fillState(pair, random);
      const PlacedRobot placed = placeRobot(pair.robot, positionsOf(pair));
      for (int b = 1; b < pair.model->nbody; ++b) {
        const Pose& pose = placed.links[static_cast<std::size_t>(b) - 1];
        const Eigen::Map<const Eigen::Vector3d> position{pair.data->xpos + 3 * b};
        const mjtNum* q = pair.data->xquat + 4 * b;
        const double turn = pose.orientation.angularDistance(Quaternion{q[0], q[1], q[2], q[3]});
        worst = std::max({worst, (pose.position - position).norm()});
        ASSERT_LT((pose.position - position).norm(), 1e-9);  // measured: 1.4e-15 m
        ASSERT_LT(turn, 1e-7);
      }
    }
  }
  std::printf("largest distance %.2g m\n", worst);
}

TEST_F(Mujoco, hasTheSameMassMatrixAndBiasForces) {
  std::mt19937 random{2};
  double worst = 0.0;
  for (const Pair& pair : pairs()) {
    if (pair.hasMeshMass) continue;
    SCOPED_TRACE(pair.file.string());
    const int n = pair.model->nv;
    // Freedoms of free joints have no armature here; nor do the files give them any.
    for (int trial = 0; trial < 20 && n > 0; ++trial) {
      fillState(pair, random);
      const RobotDynamics ours = computeDynamics(pair.robot, positionsOf(pair),
                                                 {pair.data->qvel, static_cast<std::size_t>(n)});
      Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> mass(n, n);
      mj_fullM(pair.model.get(), mass.data(), pair.data->qM);
      const Eigen::Map<const Eigen::VectorXd> bias{pair.data->qfrc_bias, n};
      const double massScale = mass.cwiseAbs().maxCoeff();
      const double biasScale = std::max(bias.cwiseAbs().maxCoeff(), massScale);
      const double massError = (ours.massMatrix - mass).cwiseAbs().maxCoeff() / massScale;
      const double biasError = (ours.bias - bias).cwiseAbs().maxCoeff() / biasScale;
      worst = std::max({worst, massError, biasError});
      ASSERT_LT(massError, 1e-8);  // measured: 1.1e-15
      ASSERT_LT(biasError, 1e-8);
    }
  }
  std::printf("largest relative difference %.2g\n", worst);
}

/// Without contacts, stops, motors, dry friction and equality constraints.
void bareModel(mjModel& m) {
  m.opt.disableflags |=
      mjDSBL_CONTACT | mjDSBL_LIMIT | mjDSBL_ACTUATION | mjDSBL_FRICTIONLOSS | mjDSBL_EQUALITY;
  m.opt.integrator = mjINT_RK4;
  m.opt.timestep = 5e-4;
}

msd_scene::SceneWorld bareWorld(const Pair& pair) {
  ImportedScene imported = importRobotFile(pair.file);
  msd_scene::SceneDocument& document = imported.scene.document;
  for (auto& body : document.bodies) body.collides = false;
  for (auto& joint : document.joints) {
    joint.motor.reset();
    joint.limit.reset();
    joint.friction = 0.0;
  }
  document.expect.clear();
  return msd_scene::buildWorld(document, {.dt = 5e-4, .threads = 1, .sleeping = false});
}

/// The motion of a body at a point: spin, and the speed there.
struct Motion {
  Eigen::Vector3d spin, speed, point;
  [[nodiscard]] Eigen::Vector3d at(const Eigen::Vector3d& p) const {
    return speed + spin.cross(p - point);
  }
};

Motion motionOf(const Pair& pair, int body) {
  mjtNum motion[6];
  mj_objectVelocity(pair.model.get(), pair.data.get(), mjOBJ_XBODY, body, motion, 0);
  return {Eigen::Vector3d{motion}, Eigen::Vector3d{motion + 3},
          Eigen::Vector3d{pair.data->xpos + 3 * body}};
}

void setMotion(msd_scene::SceneWorld& scene, msd_sim::BodyId body, const Motion& motion) {
  auto state = scene.world.inertial(body).getInertialState();
  state.velocity = motion.at(state.position);
  state.angularVelocity = motion.spin;
  scene.world.setState(body, state);
}

/// Bodies between several joints of one body turn with the joints before them.
void setBetween(const Pair& pair, msd_scene::SceneWorld& scene, int body) {
  const mjModel* m = pair.model.get();
  const Motion whole = motionOf(pair, body);
  Eigen::Vector3d spin = motionOf(pair, m->body_parentid[body]).spin;
  const int first = m->body_jntadr[body];
  for (int k = first; k + 1 < first + m->body_jntnum[body]; ++k) {
    const Eigen::Vector3d axis{pair.data->xaxis + 3 * k}, anchor{pair.data->xanchor + 3 * k};
    spin += axis * pair.data->qvel[m->jnt_dofadr[k]];
    const char* joint = mj_id2name(m, mjOBJ_JOINT, k);
    const auto found = scene.bodyByName.find(std::string{mj_id2name(m, mjOBJ_BODY, body)} + "_at_" +
                                             (joint == nullptr ? "" : joint));
    if (found == scene.bodyByName.end()) continue;
    setMotion(scene, found->second, {spin, whole.at(anchor), anchor});
  }
}

/// Gives the bodies the velocities they have in MuJoCo; false where one is not there.
bool setVelocities(const Pair& pair, msd_scene::SceneWorld& scene,
                   std::vector<std::pair<int, msd_sim::BodyId>>& moving) {
  for (int b = 1; b < pair.model->nbody; ++b) {
    if (pair.model->body_jntnum[b] == 0) continue;
    const char* name = mj_id2name(pair.model.get(), mjOBJ_BODY, b);
    const auto found = name == nullptr ? scene.bodyByName.end() : scene.bodyByName.find(name);
    if (found == scene.bodyByName.end()) return false;
    setMotion(scene, found->second, motionOf(pair, b));
    setBetween(pair, scene, b);
    moving.emplace_back(b, found->second);
  }
  return true;
}

TEST_F(Mujoco, movesAlikeWithoutContact) {
  std::mt19937 random{3};
  std::uniform_real_distribution<double> uniform{-0.5, 0.5};
  double worst = 0.0;
  int compared = 0;
  for (const Pair& pair : pairs()) {
    mjModel* m = pair.model.get();
    mjData* d = pair.data.get();
    // Fluids, tendons and equality constraints are not carried over, or not all.
    if (pair.hasMeshMass || m->opt.density > 0.0 || m->opt.viscosity > 0.0 || m->ntendon > 0 ||
        m->neq > 0)
      continue;
    SCOPED_TRACE(pair.file.string());
    const auto flags = m->opt;
    bareModel(*m);
    mj_resetData(m, d);
    for (int i = 0; i < m->nv; ++i) d->qvel[i] = uniform(random);
    mj_forward(m, d);
    msd_scene::SceneWorld scene = bareWorld(pair);
    std::vector<std::pair<int, msd_sim::BodyId>> moving;
    if (m->nv > 0 && setVelocities(pair, scene, moving)) {
      for (int i = 0; i < 2000; ++i) {
        mj_step(m, d);
        scene.advance();
      }
      mj_forward(m, d);
      for (const auto& [b, id] : moving) {
        const Eigen::Map<const Eigen::Vector3d> theirs{d->xpos + 3 * b};
        const double distance =
            (scene.world.asset(id).getReferenceFrame().pose().position - theirs).norm();
        EXPECT_LT(distance, 1e-4) << scene.world.name(id);  // measured: 2.2e-5 m (acrobot)
        worst = std::max(worst, distance);
      }
      ++compared;
    }
    m->opt = flags;
  }
  EXPECT_GE(compared, 5);
  std::printf("%d files, largest distance after 1 s %.2g m\n", compared, worst);
}

}  // namespace
}  // namespace msd_import::test
