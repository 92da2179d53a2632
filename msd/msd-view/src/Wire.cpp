#include "msd-view/src/Wire.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace msd_view {

static_assert(std::endian::native == std::endian::little, "the stream is little endian");

namespace {

constexpr std::uint32_t kAsleepBit = 0x80000000u;

/// Appends numbers as they lie in memory.
class Writer {
 public:
  explicit Writer(std::size_t bytes) { bytes_.reserve(bytes); }

  template <class T>
  void put(T value) {
    static_assert(std::is_trivially_copyable_v<T>);
    const std::size_t at = bytes_.size();
    bytes_.resize(at + sizeof(T));
    std::memcpy(bytes_.data() + at, &value, sizeof(T));
  }
  template <class Vector>
  void putVector(const Vector& v) {
    for (int i = 0; i < 3; ++i) put(static_cast<float>(v[i]));
  }
  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

std::int16_t quantised(double component) {
  constexpr double kScale = std::numeric_limits<std::int16_t>::max();
  return static_cast<std::int16_t>(std::lround(std::clamp(component, -1.0, 1.0) * kScale));
}

}  // namespace

std::string encodePoses(const Frame& frame, const SceneInfo& scene, const PlayState& state) {
  const std::size_t count = frame.bodies.size();
  Writer out{64 + count * 24 + frame.joints.size()};
  out.put(MessageKind::kPoses);
  out.put(static_cast<std::uint32_t>(count));
  out.put(static_cast<double>(frame.index));
  out.put(static_cast<double>(state.first));
  out.put(static_cast<double>(state.last));
  out.put(static_cast<double>(frame.step));
  out.put(frame.time);
  out.put(static_cast<std::uint32_t>(state.isPlaying));
  out.put(static_cast<std::uint32_t>(frame.joints.size()));
  // The pull of the mouse, so that every viewer sees it; a body number of -1 means none.
  const DragForce drag = frame.drag.value_or(DragForce{});
  out.put(frame.drag ? static_cast<std::int32_t>(drag.body) : std::int32_t{-1});
  out.putVector(drag.point - scene.origin);
  out.putVector(drag.target - scene.origin);
  out.put(static_cast<float>(drag.force.norm()));
  for (const BodyFrame& body : frame.bodies) out.putVector(body.pose.position - scene.origin);
  for (const BodyFrame& body : frame.bodies) {
    const msd_sim::Quaternion& q = body.pose.orientation;
    for (const double c : {q.x(), q.y(), q.z(), q.w()}) out.put(quantised(c));
  }
  for (const BodyFrame& body : frame.bodies) {
    out.put(body.island | (body.isAwake ? 0u : kAsleepBit));
  }
  for (const BodyFrame& body : frame.bodies) out.put(static_cast<float>(body.velocity.norm()));
  for (const JointFrame& joint : frame.joints) out.put(static_cast<std::uint8_t>(joint.isBroken));
  return out.take();
}

std::string encodeContacts(const Frame& frame, const SceneInfo& scene) {
  Writer out{16 + frame.contacts.size() * 64};
  out.put(MessageKind::kContacts);
  out.put(static_cast<std::uint32_t>(frame.contacts.size()));
  out.put(static_cast<double>(frame.index));
  for (const ContactFrame& contact : frame.contacts) {
    out.put(contact.bodyA);
    out.put(contact.bodyB);
    out.putVector(contact.point - scene.origin);
    out.putVector(contact.normal);
    out.putVector(contact.forceOnB);
    out.put(contact.gap);
    out.put(contact.friction);
    out.put(contact.slip.norm());
    out.put(static_cast<std::uint32_t>(contact.state));
    out.put(std::uint32_t{0});
  }
  return out.take();
}

std::string encodeBounds(const Frame& frame, const SceneInfo& scene) {
  Writer out{16 + frame.bodies.size() * 24};
  out.put(MessageKind::kBounds);
  out.put(static_cast<std::uint32_t>(frame.bodies.size()));
  out.put(static_cast<double>(frame.index));
  const bool isKnown = frame.bounds.size() == frame.bodies.size();
  for (std::size_t i = 0; i < frame.bodies.size(); ++i) {
    const msd_sim::Aabb bounds =
        isKnown ? frame.bounds[i]
                : tightBounds(scene.shapes[scene.bodies[i].shape], frame.bodies[i].pose);
    out.putVector(bounds.lower - scene.origin);
    out.putVector(bounds.upper - scene.origin);
  }
  return out.take();
}

std::string encodeJoints(const Frame& frame) {
  Writer out{16 + frame.joints.size() * 16};
  out.put(MessageKind::kJoints);
  out.put(static_cast<std::uint32_t>(frame.joints.size()));
  out.put(static_cast<double>(frame.index));
  for (const JointFrame& joint : frame.joints) {
    out.put(joint.coordinate);
    out.put(joint.velocity);
    out.put(joint.motorForce);
    out.put(joint.target);
  }
  return out.take();
}

std::string encodeSeries(std::span<const SeriesRow> rows, bool reset) {
  Writer out{16 + rows.size_bytes()};
  out.put(MessageKind::kSeries);
  out.put(static_cast<std::uint32_t>(rows.size()));
  out.put(static_cast<std::uint32_t>(kColumnCount));
  out.put(static_cast<std::uint32_t>(reset));
  for (const SeriesRow& row : rows) {
    for (const double value : row.values) out.put(value);
  }
  return out.take();
}

}  // namespace msd_view
