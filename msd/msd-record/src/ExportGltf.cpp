// glTF 2.0, binary: a JSON chunk that describes and a chunk of arrays.
#include <cstring>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "msd-record/src/ExportMotion.hpp"
#include "msd-record/src/ShapeSurface.hpp"

namespace msd_record {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kFloat = 5126;
constexpr int kWhole = 5125;

class Gltf {
 public:
  Gltf() {
    json_ = {{"asset", {{"version", "2.0"}, {"generator", "msd"}}},
             {"scene", 0},
             {"scenes", Json::array({Json{{"nodes", Json::array({0})}}})},
             {"nodes", Json::array()},
             {"meshes", Json::array()},
             {"materials", Json::array()},
             {"accessors", Json::array()},
             {"bufferViews", Json::array()}};
  }

  Json& operator[](const char* key) { return json_[key]; }

  /// Adds to a list; returns the place.
  std::size_t add(const char* list, Json value) {
    json_[list].push_back(std::move(value));
    return json_[list].size() - 1;
  }

  /// An array of numbers, `width` of them to an element; returns its accessor.
  std::size_t numbers(const std::vector<float>& values, std::size_t width, bool bounds = false) {
    constexpr std::array<const char*, 5> kTypes{"", "SCALAR", "", "VEC3", "VEC4"};
    Json accessor{{"bufferView", view(values.data(), values.size() * sizeof(float))},
                  {"componentType", kFloat},
                  {"count", values.size() / width},
                  {"type", kTypes[width]}};
    if (bounds) {
      std::vector<float> low(width, std::numeric_limits<float>::max());
      std::vector<float> high(width, std::numeric_limits<float>::lowest());
      for (std::size_t i = 0; i < values.size(); ++i) {
        low[i % width] = std::min(low[i % width], values[i]);
        high[i % width] = std::max(high[i % width], values[i]);
      }
      accessor["min"] = low;
      accessor["max"] = high;
    }
    return add("accessors", std::move(accessor));
  }

  std::size_t wholes(const std::vector<std::uint32_t>& values) {
    return add("accessors", {{"bufferView", view(values.data(), values.size() * sizeof(values[0]))},
                             {"componentType", kWhole},
                             {"count", values.size()},
                             {"type", "SCALAR"}});
  }

  [[nodiscard]] std::string finish() {
    json_["buffers"] = Json::array({Json{{"byteLength", data_.size()}}});
    std::string text = json_.dump(-1, ' ', true, Json::error_handler_t::replace);
    text.resize((text.size() + 3) / 4 * 4, ' ');
    data_.resize((data_.size() + 3) / 4 * 4, '\0');
    std::string out;
    const auto put = [&](std::uint32_t value) {
      for (int k = 0; k < 4; ++k) out += static_cast<char>(value >> (8 * k) & 0xFFu);
    };
    put(0x46546C67);  // "glTF"
    put(2);
    put(static_cast<std::uint32_t>(12 + 8 + text.size() + 8 + data_.size()));
    put(static_cast<std::uint32_t>(text.size()));
    put(0x4E4F534A);  // "JSON"
    out += text;
    put(static_cast<std::uint32_t>(data_.size()));
    put(0x004E4942);  // "BIN"
    return out + data_;
  }

 private:
  std::size_t view(const void* data, std::size_t bytes) {
    const std::size_t offset = data_.size();
    data_.append(static_cast<const char*>(data), bytes);
    return add("bufferViews", {{"buffer", 0}, {"byteOffset", offset}, {"byteLength", bytes}});
  }
  Json json_;
  std::string data_;
};

/// A body's place over the frames.
struct Path {
  std::vector<float> places, turns;
  msd_sim::Quaternion last{1.0, 0.0, 0.0, 0.0};

  void add(const msd_sim::Pose& pose) {
    msd_sim::Quaternion q = pose.orientation;
    // Of the two quaternions of an orientation, the one near the last: viewers blend them.
    if (q.coeffs().dot(last.coeffs()) < 0.0) q.coeffs() = -q.coeffs();
    last = q;
    for (int k = 0; k < 3; ++k) places.push_back(static_cast<float>(pose.position[k]));
    for (const double c : {q.x(), q.y(), q.z(), q.w()}) turns.push_back(static_cast<float>(c));
  }
};

/// The mesh of a shape in a colour; each is written once.
class Meshes {
 public:
  Meshes(Gltf& gltf, const msd_scene::LoadedScene& scene) : gltf_{gltf}, scene_{scene} {}

  std::size_t of(const RecordedBody& body, const msd_scene::SceneBody& written) {
    std::array<double, 4> colour{0.55, 0.6, 0.65, 1.0};
    if (body.place) colour = {0.85, 0.5, 0.25, 1.0};
    if (written.colour) colour = *written.colour;
    const auto [known, isNew] = meshes_.try_emplace({body.shape, colour}, 0);
    if (isNew) known->second = make(static_cast<std::size_t>(body.shape), colour);
    return known->second;
  }

 private:
  std::size_t make(std::size_t shape, const std::array<double, 4>& colour) {
    const ShapeSurface surface = surfaceOf(scene_.shapes.at(shape));
    std::vector<float> points;
    std::vector<std::uint32_t> corners;
    for (const Eigen::Vector3d& v : surface.vertices) {
      for (int k = 0; k < 3; ++k) points.push_back(static_cast<float>(v[k]));
    }
    for (const auto& t : surface.triangles) corners.insert(corners.end(), t.begin(), t.end());
    Json material{
        {"pbrMetallicRoughness",
         {{"baseColorFactor", colour}, {"metallicFactor", 0.0}, {"roughnessFactor", 0.8}}}};
    if (colour[3] < 1.0) material["alphaMode"] = "BLEND";
    const std::size_t paint = gltf_.add("materials", std::move(material));
    const std::size_t positions = gltf_.numbers(points, 3, true);
    const std::size_t indices = gltf_.wholes(corners);
    Json primitive{
        {"attributes", {{"POSITION", positions}}}, {"indices", indices}, {"material", paint}};
    return gltf_.add("meshes", {{"name", scene_.document.shapes.at(shape).name},
                                {"primitives", Json::array({std::move(primitive)})}});
  }
  Gltf& gltf_;
  const msd_scene::LoadedScene& scene_;
  std::map<std::pair<std::int64_t, std::array<double, 4>>, std::size_t> meshes_;
};

}  // namespace

std::string toGlb(Reader& reader, std::int64_t every) {
  const std::vector<RecordedBody> bodies = reader.bodies();
  const msd_scene::LoadedScene scene = reader.scene();
  std::vector<Path> paths(bodies.size());
  std::vector<float> times;
  for (std::int64_t i = 0; i < reader.frameCount(); i += every) {
    const Frame frame = reader.frame(i);
    times.push_back(static_cast<float>(frame.entry.time));
    for (std::size_t b = 0; b < bodies.size(); ++b) {
      if (!bodies[b].place) continue;
      paths[b].add(frame.states.at(static_cast<std::size_t>(*bodies[b].place)).pose());
    }
  }
  Gltf gltf;
  constexpr double kHalf = 0.70710678118654752;
  gltf.add("nodes", {{"name", scene.document.name},
                     {"rotation", {-kHalf, 0.0, 0.0, kHalf}},
                     {"children", Json::array()}});
  Meshes meshes{gltf, scene};
  Json channels = Json::array();
  Json samplers = Json::array();
  const std::size_t clock = gltf.numbers(times, 1, true);
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    Path start;
    start.add(bodies[b].startPose);
    const std::size_t node =
        gltf.add("nodes", {{"name", bodies[b].name},
                           {"mesh", meshes.of(bodies[b], scene.document.bodies.at(b))},
                           {"translation", start.places},
                           {"rotation", start.turns}});
    gltf["nodes"][0]["children"].push_back(node);
    if (!bodies[b].place || times.empty()) continue;
    const auto animate = [&](const std::vector<float>& values, std::size_t width,
                             const char* what) {
      samplers.push_back({{"input", clock}, {"output", gltf.numbers(values, width)}});
      channels.push_back(
          {{"sampler", samplers.size() - 1}, {"target", {{"node", node}, {"path", what}}}});
    };
    animate(paths[b].places, 3, "translation");
    animate(paths[b].turns, 4, "rotation");
  }
  if (!channels.empty()) {
    gltf["animations"] =
        Json::array({Json{{"name", "run"}, {"channels", channels}, {"samplers", samplers}}});
  }
  return gltf.finish();
}

}  // namespace msd_record
