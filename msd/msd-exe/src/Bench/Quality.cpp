#include "msd-exe/src/Bench/Quality.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "msd-assets/src/MassProperties.hpp"
#include "msd-exe/src/Bench/PairDepth.hpp"
#include "msd-exe/src/Bench/PosesFile.hpp"

namespace msd_exe {

namespace {

using msd_assets::ShapeKind;
using msd_sim::Coordinate;
using msd_sim::Vector3D;

/// A pair counts as penetrating above this depth [m].
constexpr double kPenetrating = 1e-6;
/// A body that is this far below z = 0 has left the scene [m].
constexpr double kEscapeHeight = -5.0;

struct Penetration {
  double deepest{0.0};
  double sum{0.0};
  std::size_t pairs{0};
  [[nodiscard]] double mean() const { return pairs > 0 ? sum / static_cast<double>(pairs) : 0.0; }
};

struct Energy {
  double kinetic{0.0};
  double potential{0.0};
  [[nodiscard]] double total() const { return kinetic + potential; }
};

/// The shapes of a body: one, or those of its compound, with their places in the body's frame.
struct BodyShapes {
  std::vector<std::size_t> shapes{};  ///< into the list of measured shapes
  std::vector<msd_sim::Pose> places{};
};

struct BodyMass {
  double mass{0.0};  ///< 0: static [kg]
  Coordinate centre{0.0, 0.0, 0.0};
  msd_sim::Matrix3D inertia{msd_sim::Matrix3D::Zero()};
};

class Judge {
 public:
  explicit Judge(const msd_scene::LoadedScene& scene) : scene_{scene} {
    const msd_scene::SceneDocument& document = scene.document;
    const msd_scene::NameTable shapeTable{document.shapes};
    const msd_scene::NameTable materialTable{document.materials};
    const msd_scene::NameTable bodyTable{document.bodies};
    std::vector<BodyShapes> byShape;
    for (const msd_assets::Shape& shape : scene.shapes) byShape.push_back(addShape(shape));
    for (const msd_scene::SceneBody& body : document.bodies) {
      const std::size_t shape = shapeTable.find(body.shape);
      const std::size_t place = materialTable.find(body.material);
      const double density = place == msd_scene::NameTable::npos
                                 ? msd_scene::SceneMaterial{}.density
                                 : document.materials[place].density;
      body_shapes_.push_back(byShape[shape]);
      masses_.push_back(massOf(body, scene.shapes[shape], density));
    }
    for (const msd_scene::SceneJoint& joint : document.joints) {
      const std::size_t b = bodyTable.find(joint.bodyB);
      std::optional<std::size_t> a;
      if (!joint.bodyA.empty()) {
        a = bodyTable.find(joint.bodyA);
        jointed_.insert(std::minmax(*a, b));
      }
      addAnchor(joint, a, b);
    }
  }

  [[nodiscard]] Penetration penetration(const RecordedFrame& frame) const {
    Penetration result;
    msd_sim::DynamicTree tree;
    std::vector<Part> parts = partsOf(frame);
    std::vector<std::size_t> unbounded;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (parts[i].bounds.upper.allFinite() && parts[i].bounds.lower.allFinite()) {
        tree.insert(parts[i].bounds, static_cast<std::uint32_t>(i));
      } else {
        unbounded.push_back(i);
      }
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (isStatic(parts[i].body)) continue;
      tree.query(parts[i].bounds,
                 [&](std::uint32_t other, std::int32_t) { visit(parts, i, other, result); });
      for (const std::size_t other : unbounded) visit(parts, i, other, result);
    }
    return result;
  }

  [[nodiscard]] Energy energy(const RecordedFrame& frame) const {
    Energy result;
    for (std::size_t i = 0; i < masses_.size(); ++i) {
      const BodyMass& m = masses_[i];
      const RecordedState& s = frame.bodies[i];
      if (m.mass == 0.0 || !s.isFinite()) continue;
      const Vector3D arm = s.pose.orientation * m.centre;
      const Vector3D v = s.velocity + s.angularVelocity.cross(arm);
      const Vector3D w = s.pose.orientation.conjugate() * s.angularVelocity;
      result.kinetic += 0.5 * m.mass * v.squaredNorm() + 0.5 * w.dot(m.inertia * w);
      result.potential -= m.mass * scene_.document.gravity.dot(s.pose.position + arm);
    }
    return result;
  }

  [[nodiscard]] bool hasAnchors() const { return !anchors_.empty(); }

  /// Largest distance of two anchors that should coincide; NaN stays.
  [[nodiscard]] double anchorError(const RecordedFrame& frame) const {
    double worst = 0.0;
    for (const Anchor& anchor : anchors_) {
      Vector3D apart = anchorOn(anchor.bodyB, anchor.point, frame) -
                       (anchor.bodyA ? anchorOn(*anchor.bodyA, anchor.point, frame) : anchor.point);
      if (!anchor.axis.isZero(0.0)) {
        const Vector3D axis = anchor.bodyA ? turned(*anchor.bodyA, anchor.axis, frame) : anchor.axis;
        apart -= axis.dot(apart) * axis;
      }
      const double error = apart.norm();
      if (!(error <= worst)) worst = error;
    }
    return worst;
  }

  [[nodiscard]] std::size_t escaped(const RecordedFrame& frame) const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < masses_.size(); ++i) {
      const RecordedState& s = frame.bodies[i];
      if (!isStatic(i) && (!s.isFinite() || s.pose.position.z() < kEscapeHeight)) ++count;
    }
    return count;
  }

  void measureTop(const RecordedFrame& last, Quality& quality) const {
    double top = -std::numeric_limits<double>::infinity();
    const auto& bodies = scene_.document.bodies;
    for (const auto& body : bodies) {
      if (!body.isStatic) top = std::max(top, body.position.z());
    }
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      if (bodies[i].isStatic || bodies[i].position.z() < top - 1e-6) continue;
      const Vector3D move = last.bodies[i].pose.position - bodies[i].position;
      if (std::abs(move.z()) > std::abs(quality.topSank)) quality.topSank = -move.z();
      quality.topDrifted = std::max(quality.topDrifted, std::hypot(move.x(), move.y()));
    }
  }

 private:
  struct Part {
    std::size_t body;
    std::size_t shape;
    msd_sim::Pose pose;
    msd_sim::Aabb bounds;
  };
  /// A point of both bodies that a joint keeps together, or apart along its axis alone.
  struct Anchor {
    std::optional<std::size_t> bodyA;  ///< none: the world
    std::size_t bodyB;
    Coordinate point;
    Vector3D axis;  ///< along which they may part; zero: not at all
  };

  void addAnchor(const msd_scene::SceneJoint& joint, std::optional<std::size_t> a, std::size_t b) {
    using msd_sim::JointKind;
    const Vector3D axis = joint.axis.value_or(Vector3D::Zero());
    switch (joint.kind) {
      case JointKind::kBall:
      case JointKind::kHinge:
      case JointKind::kUniversal:
      case JointKind::kFixed:
        anchors_.push_back({a, b, joint.anchor, Vector3D::Zero()});
        break;
      case JointKind::kSlider:
      case JointKind::kCylindrical:
        anchors_.push_back({a, b, joint.anchor, axis});
        break;
      default:
        break;
    }
  }

  BodyShapes addShape(const msd_assets::Shape& shape) {
    BodyShapes result;
    if (shape.kind() == ShapeKind::kCompound) {
      for (const msd_assets::CompoundPart& part : shape.as<msd_assets::Compound>().parts) {
        result.shapes.push_back(shapes_.size());
        result.places.push_back({part.position, part.orientation});
        shapes_.emplace_back(part.shape);
      }
      return result;
    }
    result.shapes.push_back(shapes_.size());
    result.places.emplace_back();
    shapes_.emplace_back(shape);
    return result;
  }

  static BodyMass massOf(const msd_scene::SceneBody& body, const msd_assets::Shape& shape,
                         double density) {
    if (body.isStatic) return {};
    const msd_assets::MassProperties m = msd_assets::computeMassProperties(shape);
    const double mass = body.mass.value_or(density * m.volume);
    return {.mass = mass,
            .centre = body.centreOfMass.value_or(m.centreOfMass),
            .inertia = body.inertia.value_or(msd_sim::Matrix3D{mass / m.volume * m.inertia})};
  }

  [[nodiscard]] bool isStatic(std::size_t body) const {
    return scene_.document.bodies[body].isStatic;
  }

  [[nodiscard]] std::vector<Part> partsOf(const RecordedFrame& frame) const {
    std::vector<Part> parts;
    for (std::size_t i = 0; i < body_shapes_.size(); ++i) {
      const RecordedState& s = frame.bodies[i];
      if (!scene_.document.bodies[i].collides || !s.isFinite() ||
          s.pose.position.z() < kEscapeHeight)
        continue;
      for (std::size_t k = 0; k < body_shapes_[i].shapes.size(); ++k) {
        const std::size_t shape = body_shapes_[i].shapes[k];
        const msd_sim::Pose pose = s.pose * body_shapes_[i].places[k];
        parts.push_back({i, shape, pose, worldBounds(shapes_[shape].collision(), pose)});
      }
    }
    return parts;
  }

  void visit(const std::vector<Part>& parts, std::size_t i, std::size_t j,
             Penetration& result) const {
    const Part& a = parts[i];
    const Part& b = parts[j];
    // Each pair once: from its lower part, or from the moving one of a static pair.
    if (a.body == b.body || (!isStatic(b.body) && j < i)) return;
    if (!jointed_.empty() && jointed_.contains(std::minmax(a.body, b.body))) return;
    const double depth = pairDepth(shapes_[a.shape], a.pose, shapes_[b.shape], b.pose);
    if (!(depth > kPenetrating)) return;
    ++result.pairs;
    result.sum += depth;
    result.deepest = std::max(result.deepest, depth);
  }

  [[nodiscard]] Coordinate anchorOn(std::size_t body, const Coordinate& point,
                                    const RecordedFrame& frame) const {
    const msd_scene::SceneBody& start = scene_.document.bodies[body];
    const msd_sim::Pose pose{start.position, msd_scene::toQuaternion(start.orientation)};
    return frame.bodies[body].pose.toWorld(pose.toLocal(point));
  }

  /// A direction that was given at the start and moves with a body.
  [[nodiscard]] Vector3D turned(std::size_t body, const Vector3D& direction,
                                const RecordedFrame& frame) const {
    const auto start = msd_scene::toQuaternion(scene_.document.bodies[body].orientation);
    return frame.bodies[body].pose.orientation * (start.conjugate() * direction);
  }

  const msd_scene::LoadedScene& scene_;
  std::vector<MeasuredShape> shapes_{};
  std::vector<BodyShapes> body_shapes_{};
  std::vector<BodyMass> masses_{};
  std::set<std::pair<std::size_t, std::size_t>> jointed_{};
  std::vector<Anchor> anchors_{};
};

}  // namespace

Quality measureQuality(const msd_scene::LoadedScene& scene, const std::filesystem::path& poses,
                       std::size_t every) {
  const std::vector<RecordedFrame> frames = readPoses(poses, scene.document.bodies.size());
  const RecordedFrame& last = frames.back();
  const Judge judge{scene};
  Quality quality;
  const Penetration final = judge.penetration(last);
  quality.lastDeepest = final.deepest;
  quality.lastMean = final.mean();
  quality.lastPairs = final.pairs;
  quality.worstDeepest = final.deepest;
  quality.worstMean = final.mean();
  std::size_t counted = 0;
  for (std::size_t f = 0; f + 1 < frames.size(); ++f) {
    if (frames[f].time < 0.5 * last.time || counted++ % every != 0) continue;
    const Penetration p = judge.penetration(frames[f]);
    quality.worstDeepest = std::max(quality.worstDeepest, p.deepest);
    quality.worstMean = std::max(quality.worstMean, p.mean());
  }
  Energy before = judge.energy(frames.front());
  quality.energyStart = before.total();
  double anchor = 0.0;
  for (const RecordedFrame& frame : frames) {
    const Energy now = judge.energy(frame);
    quality.largestRise = std::max(quality.largestRise, now.total() - before.total());
    before = now;
    if (judge.hasAnchors()) {
      const double error = judge.anchorError(frame);
      if (!(error <= anchor)) anchor = error;
    }
  }
  quality.energyEnd = before.total();
  quality.kineticEnd = before.kinetic;
  quality.escaped = judge.escaped(last);
  if (judge.hasAnchors()) {
    quality.worstAnchorError = anchor;
    quality.lastAnchorError = judge.anchorError(last);
  }
  judge.measureTop(last, quality);
  return quality;
}

}  // namespace msd_exe
