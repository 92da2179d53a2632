#include "msd-import/test/RobotDynamics.hpp"

#include "msd-import/src/RobotKinematics.hpp"

namespace msd_import::test {

namespace {

constexpr std::size_t kWorld = RobotLink::kWorld;

/// How one freedom moves what hangs on it: turning about an axis through a point, or along it.
struct Freedom {
  std::size_t link;
  Vector3D axis;
  Vector3D point;
  bool turns;
};

/// Motion of a link's frame, and its acceleration where no freedom accelerates.
struct Motion {
  Vector3D origin{Vector3D::Zero()};
  Vector3D v{Vector3D::Zero()}, w{Vector3D::Zero()};
  Vector3D a{Vector3D::Zero()}, alpha{Vector3D::Zero()};

  /// The same rigid body seen at another point.
  [[nodiscard]] Motion at(const Vector3D& point) const {
    const Vector3D r = point - origin;
    return {point, v + w.cross(r), w, a + alpha.cross(r) + w.cross(w.cross(r)), alpha};
  }
  /// Turning by `rate` on top of it, about this point.
  void turn(const Vector3D& rate) {
    alpha += w.cross(rate);
    w += rate;
  }
};

class Dynamics {
 public:
  Dynamics(const RobotModel& robot, std::span<const double> q, std::span<const double> v)
      : robot_{robot}, placed_{placeRobot(robot, q)}, rates_{v} {}

  RobotDynamics compute() {
    for (std::size_t i = 0; i < robot_.links.size(); ++i) moveLink(i);
    const auto n = static_cast<Eigen::Index>(freedoms_.size());
    RobotDynamics result{Eigen::MatrixXd::Zero(n, n), Eigen::VectorXd::Zero(n)};
    for (Eigen::Index k = 0; k < n; ++k)
      result.massMatrix(k, k) = armature_[static_cast<std::size_t>(k)];
    for (std::size_t i = 0; i < robot_.links.size(); ++i) addLink(i, result);
    return result;
  }

 private:
  void moveLink(std::size_t i) {
    const RobotLink& link = robot_.links[i];
    Motion m = link.parent == kWorld ? Motion{} : motions_[link.parent];
    const Pose parent = link.parent == kWorld ? Pose{} : placed_.links[link.parent];
    m = m.at((parent * link.pose).position);
    for (std::size_t k = 0; k < link.joints.size(); ++k) {
      m = moveJoint(i, link.joints[k], placed_.joints[i][k], m);
    }
    motions_.push_back(m);
  }

  double nextRate() { return rates_[at_++]; }

  Motion moveJoint(std::size_t link, const RobotJoint& joint, const PlacedJoint& placed, Motion m) {
    const Vector3D& end = placed.after.position;
    const auto add = [&](const Vector3D& axis, const Vector3D& point, bool turns) {
      freedoms_.push_back({link, axis, point, turns});
      armature_.push_back(joint.armature);
    };
    switch (joint.kind) {
      case RobotJointKind::kHinge:
        add(placed.axis, placed.anchor, true);
        m = m.at(placed.anchor);
        m.turn(placed.axis * nextRate());
        return m.at(end);
      case RobotJointKind::kSlide: {
        add(placed.axis, placed.anchor, false);
        const Vector3D rate = placed.axis * nextRate();
        m = m.at(end);
        m.a += 2.0 * m.w.cross(rate);
        m.v += rate;
        return m;
      }
      case RobotJointKind::kBall: {
        m = m.at(placed.anchor);
        Vector3D rate = Vector3D::Zero();
        for (int k = 0; k < 3; ++k) {
          const Vector3D axis = placed.after.orientation * Vector3D::Unit(k);
          add(axis, placed.anchor, true);
          rate += axis * nextRate();
        }
        m.turn(rate);
        return m.at(end);
      }
      case RobotJointKind::kFree: {
        m = Motion{.origin = end};
        for (int k = 0; k < 3; ++k) {
          add(Vector3D::Unit(k), end, false);
          m.v[k] = nextRate();
        }
        for (int k = 0; k < 3; ++k) {
          const Vector3D axis = placed.after.orientation * Vector3D::Unit(k);
          add(axis, end, true);
          m.w += axis * nextRate();
        }
        return m;
      }
    }
    return m;
  }

  [[nodiscard]] bool hangsOn(std::size_t link, std::size_t ancestor) const {
    while (link != kWorld && link != ancestor) link = robot_.links[link].parent;
    return link == ancestor;
  }

  void addLink(std::size_t i, RobotDynamics& result) const {
    const RobotInertia& body = robot_.links[i].inertia;
    if (!(body.mass > 0.0)) return;
    const Pose& pose = placed_.links[i];
    const Matrix3D r = pose.orientation.toRotationMatrix();
    const Matrix3D inertia = r * body.inertia * r.transpose();
    const Motion m = motions_[i].at(pose.toWorld(body.centre));
    const auto n = static_cast<Eigen::Index>(freedoms_.size());
    Eigen::MatrixXd jv = Eigen::MatrixXd::Zero(3, n);
    Eigen::MatrixXd jw = Eigen::MatrixXd::Zero(3, n);
    for (Eigen::Index k = 0; k < n; ++k) {
      const Freedom& f = freedoms_[static_cast<std::size_t>(k)];
      if (!hangsOn(i, f.link)) continue;
      if (f.turns) {
        jw.col(k) = f.axis;
        jv.col(k) = f.axis.cross(m.origin - f.point);
      } else {
        jv.col(k) = f.axis;
      }
    }
    result.massMatrix += body.mass * jv.transpose() * jv + jw.transpose() * inertia * jw;
    const Vector3D force = body.mass * (m.a - robot_.gravity);
    const Vector3D torque = inertia * m.alpha + m.w.cross(Vector3D{inertia * m.w});
    result.bias += jv.transpose() * force + jw.transpose() * torque;
  }

  const RobotModel& robot_;
  PlacedRobot placed_;
  std::span<const double> rates_;
  std::size_t at_{0};
  std::vector<Motion> motions_{};
  std::vector<Freedom> freedoms_{};
  std::vector<double> armature_{};
};

}  // namespace

RobotDynamics computeDynamics(const RobotModel& robot, std::span<const double> positions,
                              std::span<const double> velocities) {
  return Dynamics{robot, positions, velocities}.compute();
}

}  // namespace msd_import::test
