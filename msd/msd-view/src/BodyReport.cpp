#include "msd-view/src/BodyReport.hpp"

#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

namespace msd_view {

namespace {

using nlohmann::json;

/// Contacts listed one by one; a body that touches more is summed over all of them.
constexpr std::size_t kContactsListed = 64;

json toJson(const msd_sim::Vector3D& v) {
  return {v.x(), v.y(), v.z()};
}

std::string_view stateName(msd_sim::ContactState state) {
  constexpr std::array<std::string_view, 3> kNames{"open", "stick", "slip"};
  return kNames[static_cast<std::size_t>(state)];
}

struct Energies {
  double translation{0.0};  ///< ½ m v² [J]
  double rotation{0.0};     ///< ½ ω·I ω [J]
  double potential{0.0};    ///< -m g·x, zero at the world's origin [J]
};

Energies energiesOf(const BodyFrame& state, const SceneInfo::Body& body,
                    const msd_sim::Acceleration& gravity) {
  const msd_sim::Vector3D omega = state.pose.orientation.conjugate() * state.angularVelocity;
  return {.translation = 0.5 * body.mass * state.velocity.squaredNorm(),
          .rotation = 0.5 * omega.dot(body.inertia * omega),
          .potential = -body.mass * gravity.dot(state.pose.toWorld(body.centre))};
}

json contactsJson(const Frame& frame, const SceneInfo& scene, std::uint32_t body,
                  std::size_t& count) {
  json list = json::array();
  for (const ContactFrame& contact : frame.contacts) {
    if (contact.bodyA != body && contact.bodyB != body) continue;
    if (++count > kContactsListed) continue;
    const bool isB = contact.bodyB == body;
    const std::uint32_t other = isB ? contact.bodyA : contact.bodyB;
    const float sign = isB ? 1.0f : -1.0f;
    list.push_back({{"other", other},
                    {"name", scene.bodies[other].name},
                    {"point", toJson(contact.point)},
                    {"force", toJson((sign * contact.forceOnB).cast<double>())},
                    {"normal", toJson((sign * contact.normal).cast<double>())},
                    {"gap", contact.gap},
                    {"friction", contact.friction},
                    {"slip", contact.slip.norm()},
                    {"state", stateName(contact.state)}});
  }
  return list;
}

json jointsJson(const Frame& frame, const SceneInfo& scene, std::uint32_t body) {
  json list = json::array();
  for (std::size_t i = 0; i < frame.joints.size(); ++i) {
    const SceneInfo::Joint& joint = scene.joints[i];
    if (joint.bodyA != body && joint.bodyB != body) continue;
    const double sign = joint.bodyB == body ? 1.0 : -1.0;
    list.push_back({{"name", joint.name},
                    {"kind", msd_scene::kJointTypes[static_cast<std::size_t>(joint.kind)]},
                    {"force", toJson(sign * frame.joints[i].force)},
                    {"broken", frame.joints[i].isBroken}});
  }
  return list;
}

}  // namespace

ForceBalance balanceOf(const Frame& frame, const SceneInfo& scene, std::uint32_t body) {
  ForceBalance balance;
  for (const ContactFrame& contact : frame.contacts) {
    if (contact.bodyB == body) balance.contacts += contact.forceOnB.cast<double>();
    if (contact.bodyA == body) balance.contacts -= contact.forceOnB.cast<double>();
  }
  for (std::size_t i = 0; i < frame.joints.size(); ++i) {
    if (scene.joints[i].bodyB == body) balance.joints += frame.joints[i].force;
    if (scene.joints[i].bodyA == body) balance.joints -= frame.joints[i].force;
  }
  balance.applied = scene.bodies[body].constantForce;
  if (frame.drag && frame.drag->body == body) balance.applied += frame.drag->force;
  balance.weight = scene.bodies[body].mass * scene.gravity;
  return balance;
}

std::string bodyReport(const Frame& frame, const SceneInfo& scene, std::uint32_t body) {
  const BodyFrame& state = frame.bodies[body];
  const SceneInfo::Body& info = scene.bodies[body];
  const Energies energies = energiesOf(state, info, scene.gravity);
  const ForceBalance balance = balanceOf(frame, scene, body);
  const msd_sim::Quaternion& q = state.pose.orientation;
  std::size_t count = 0;
  json contacts = contactsJson(frame, scene, body, count);
  const json message{
      {"t", "body"},
      {"body", body},
      {"index", frame.index},
      {"name", info.name},
      {"shape", msd_assets::shapeKindName(scene.shapes[info.shape].kind())},
      {"kind", info.isStatic      ? "static"
               : info.isKinematic ? "kinematic"
                                  : "moving"},
      {"mass", info.mass},
      {"position", toJson(state.pose.position)},
      {"orientation", {q.w(), q.x(), q.y(), q.z()}},
      {"velocity", toJson(state.velocity)},
      {"angularVelocity", toJson(state.angularVelocity)},
      {"awake", state.isAwake},
      {"island", state.island == BodyFrame::kNoIsland ? -1 : static_cast<int>(state.island)},
      {"translation", energies.translation},
      {"rotation", energies.rotation},
      {"potential", energies.potential},
      {"contacts", std::move(contacts)},
      {"contactCount", count},
      {"joints", jointsJson(frame, scene, body)},
      {"contactForce", toJson(balance.contacts)},
      {"jointForce", toJson(balance.joints)},
      {"appliedForce", toJson(balance.applied)},
      {"weight", toJson(balance.weight)},
      {"net", toJson(balance.sum())}};
  return message.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace msd_view
