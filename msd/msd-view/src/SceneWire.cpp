#include <array>
#include <cstring>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "msd-sim/src/Diagnostics/StepReport.hpp"
#include "msd-view/src/Wire.hpp"

namespace msd_view {

namespace {

using nlohmann::json;

json toJson(const msd_sim::Vector3D& v) {
  return {v.x(), v.y(), v.z()};
}

/// The bits of Column::kFaults, in order.
json faultNames() {
  json names = json::array();
  for (std::size_t i = 0; i < msd_sim::kFaultCount; ++i) {
    names.push_back(msd_sim::faultName(static_cast<msd_sim::StepFault>(i)));
  }
  return names;
}

/// Vertices and triangles that the JSON refers to by offset and count, in words of four bytes.
class Blob {
 public:
  template <class Points>
  json points(const Points& points) {
    const std::size_t start = words_.size();
    for (const auto& point : points) {
      for (int i = 0; i < 3; ++i) append(static_cast<float>(point[i]));
    }
    return {start, words_.size() - start};
  }
  json indices(const std::vector<std::uint32_t>& indices) {
    const std::size_t start = words_.size();
    words_.insert(words_.end(), indices.begin(), indices.end());
    return {start, indices.size()};
  }
  json floats(std::span<const double> values) {
    const std::size_t start = words_.size();
    for (const double value : values) append(static_cast<float>(value));
    return {start, values.size()};
  }
  [[nodiscard]] std::span<const std::uint32_t> words() const { return words_; }

 private:
  void append(float value) {
    std::uint32_t word = 0;
    std::memcpy(&word, &value, sizeof word);
    words_.push_back(word);
  }
  std::vector<std::uint32_t> words_;
};

json hullJson(const msd_assets::ConvexPolyhedron& hull, Blob& blob) {
  std::vector<std::uint32_t> triangles;
  for (const msd_assets::ConvexPolyhedron::Face& face : hull.faces()) {
    const auto corners = hull.faceVertices(face);
    for (std::size_t i = 2; i < corners.size(); ++i) {
      triangles.insert(triangles.end(), {corners[0], corners[i - 1], corners[i]});
    }
  }
  std::vector<std::uint32_t> edges;
  for (const msd_assets::ConvexPolyhedron::Edge& edge : hull.edges()) {
    edges.insert(edges.end(), {edge.vertex0, edge.vertex1});
  }
  return {{"type", "hull"},
          {"vertices", blob.points(hull.vertices())},
          {"triangles", blob.indices(triangles)},
          {"edges", blob.indices(edges)}};
}

json meshJson(const msd_assets::TriangleMesh& mesh, Blob& blob) {
  std::vector<std::uint32_t> triangles;
  triangles.reserve(mesh.triangles().size() * 3);
  for (const auto& triangle : mesh.triangles()) {
    triangles.insert(triangles.end(), triangle.begin(), triangle.end());
  }
  return {{"type", "mesh"},
          {"vertices", blob.points(mesh.vertices())},
          {"triangles", blob.indices(triangles)}};
}

json shapeJson(const msd_assets::Shape& shape, Blob& blob);

json compoundJson(const msd_assets::Compound& compound, Blob& blob) {
  json parts = json::array();
  for (const msd_assets::CompoundPart& part : compound.parts) {
    const Eigen::Quaterniond& q = part.orientation;
    parts.push_back({{"shape", shapeJson(part.shape, blob)},
                     {"position", toJson(part.position)},
                     {"orientation", {q.w(), q.x(), q.y(), q.z()}}});
  }
  return {{"type", "compound"}, {"parts", std::move(parts)}};
}

json shapeJson(const msd_assets::Shape& shape, Blob& blob) {
  return std::visit(
      [&](const auto& value) -> json {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, msd_assets::Sphere>) {
          return {{"type", "sphere"}, {"radius", value.radius}};
        } else if constexpr (std::is_same_v<T, msd_assets::Box>) {
          return {{"type", "box"}, {"halfExtents", toJson(value.halfExtents)}};
        } else if constexpr (std::is_same_v<T, msd_assets::Capsule>) {
          return {{"type", "capsule"}, {"radius", value.radius}, {"halfHeight", value.halfHeight}};
        } else if constexpr (std::is_same_v<T, msd_assets::Cylinder>) {
          return {{"type", "cylinder"}, {"radius", value.radius}, {"halfHeight", value.halfHeight}};
        } else if constexpr (std::is_same_v<T, msd_assets::Hull>) {
          return hullJson(*value.polyhedron, blob);
        } else if constexpr (std::is_same_v<T, msd_assets::Plane>) {
          return {{"type", "plane"}, {"normal", toJson(value.normal)}, {"offset", value.offset}};
        } else if constexpr (std::is_same_v<T, msd_assets::Mesh>) {
          return meshJson(*value.surface, blob);
        } else if constexpr (std::is_same_v<T, msd_assets::Terrain>) {
          return {{"type", "heightfield"},
                  {"columns", value.field->columns()},
                  {"rows", value.field->rows()},
                  {"cell", {value.field->cellX(), value.field->cellY()}},
                  {"heights", blob.floats(value.field->heights())}};
        } else {
          return compoundJson(value, blob);
        }
      },
      shape.value());
}

json visualsJson(const std::vector<SceneInfo::Visual>& visuals) {
  json list = json::array();
  for (const SceneInfo::Visual& visual : visuals) {
    const msd_sim::Quaternion& q = visual.pose.orientation;
    list.push_back({{"shape", visual.shape},
                    {"position", toJson(visual.pose.position)},
                    {"orientation", {q.w(), q.x(), q.y(), q.z()}}});
    if (visual.colour) list.back()["colour"] = *visual.colour;
  }
  return list;
}

json bodiesJson(const SceneInfo& scene) {
  json bodies = json::array();
  for (const SceneInfo::Body& body : scene.bodies) {
    bodies.push_back({{"name", body.name},
                      {"shape", body.shape},
                      {"static", body.isStatic},
                      {"kinematic", body.isKinematic},
                      {"mass", body.mass},
                      {"centre", toJson(body.centre)}});
    if (body.colour) bodies.back()["colour"] = *body.colour;
    if (body.visual) bodies.back()["visual"] = visualsJson(*body.visual);
  }
  return bodies;
}

json jointsJson(const SceneInfo& scene) {
  json joints = json::array();
  for (const SceneInfo::Joint& joint : scene.joints) {
    const bool onWorld = joint.bodyA == SceneInfo::Joint::kWorld;
    joints.push_back({{"name", joint.name},
                      {"kind", msd_scene::kJointTypes[static_cast<std::size_t>(joint.kind)]},
                      {"a", onWorld ? -1 : static_cast<int>(joint.bodyA)},
                      {"b", joint.bodyB},
                      {"anchorA", toJson(onWorld ? joint.anchorA - scene.origin : joint.anchorA)},
                      {"anchorB", toJson(joint.anchorB)},
                      {"axis", toJson(joint.axis)},
                      {"free", joint.hasCoordinate()}});
    json& written = joints.back();
    if (joint.limit && joint.limit->lower) written["lower"] = *joint.limit->lower;
    if (joint.limit && joint.limit->upper) written["upper"] = *joint.limit->upper;
    if (!joint.follows.empty()) written["follows"] = joint.follows;
    if (!joint.motor) continue;
    constexpr std::array<const char*, 3> kModes{"velocity", "position", "force"};
    written["motor"] = {{"mode", kModes[static_cast<std::size_t>(joint.motor->mode)]},
                        {"gear", joint.motor->gear}};
    if (joint.motor->maxForce) written["motor"]["maxForce"] = *joint.motor->maxForce;
  }
  return joints;
}

}  // namespace

std::string encodeScene(const SceneInfo& scene) {
  Blob blob;
  json shapes = json::array();
  for (const msd_assets::Shape& shape : scene.shapes) shapes.push_back(shapeJson(shape, blob));
  json description{{"name", scene.name},
                   {"description", scene.description},
                   {"file", scene.file},
                   {"gravity", toJson(scene.gravity)},
                   {"dt", scene.dt},
                   {"steps", scene.steps},
                   {"live", scene.isLive},
                   {"origin", toJson(scene.origin)},
                   {"columns", kColumnNames},
                   {"faults", faultNames()},
                   {"warnings", scene.warnings},
                   {"shapes", std::move(shapes)},
                   {"bodies", bodiesJson(scene)},
                   {"joints", jointsJson(scene)}};
  if (scene.camera) {
    description["camera"] = {{"position", toJson(scene.camera->position)},
                             {"target", toJson(scene.camera->target)}};
  }
  // Names may hold bytes that are no UTF-8; a page must still open.
  std::string text = description.dump(-1, ' ', false, json::error_handler_t::replace);
  text.resize((text.size() + 7) / 8 * 8, ' ');

  const std::uint32_t head[2]{static_cast<std::uint32_t>(MessageKind::kScene),
                              static_cast<std::uint32_t>(text.size())};
  std::string message(sizeof head + text.size() + blob.words().size_bytes(), '\0');
  std::memcpy(message.data(), head, sizeof head);
  std::memcpy(message.data() + sizeof head, text.data(), text.size());
  if (!blob.words().empty()) {
    std::memcpy(message.data() + sizeof head + text.size(), blob.words().data(),
                blob.words().size_bytes());
  }
  return message;
}

}  // namespace msd_view
