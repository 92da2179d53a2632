#include "msd-study/src/ScenePatch.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "msd-scene/src/JsonText.hpp"
#include "msd-scene/src/JsonValues.hpp"
#include "msd-scene/src/ParseScene.hpp"
#include "msd-scene/src/SceneError.hpp"
#include "msd-scene/src/SceneShapes.hpp"
#include "msd-scene/src/Suggestion.hpp"
#include "msd-scene/src/WriteScene.hpp"
#include "msd-study/src/SceneParameters.hpp"
#include "msd-study/src/ScenePath.hpp"

namespace msd_study {

namespace {

using Json = nlohmann::ordered_json;
using msd_scene::JsonPath;
using msd_scene::JsonReader;
using msd_scene::jsonString;
using msd_scene::SceneDocument;
using msd_scene::SceneError;
using Part = ScenePatch::Part;

constexpr std::array<std::string_view, 9> kStarts{
    "bodies", "joints", "materials", "shapes", "solver", "gravity", "dt", "steps", "parameters"};

/// A leaf of an element's JSON and what goes there.
struct Leaf {
  JsonPath inside;          ///< from the element
  std::size_t column{0};    ///< first value
  std::size_t count{1};     ///< 4: a rotation as an array
  double scale{1.0};
  double offset{0.0};
  const std::vector<std::string>* choices{nullptr};
};

[[noreturn]] void fail(const std::string& parameter, std::string found, std::string expected) {
  throw SceneError{{.path = JsonPath{} / "parameters" / parameter / "path",
                    .found = std::move(found),
                    .expected = std::move(expected)}};
}

/// Place of a thing that a path names by number or by name.
template <class Things>
std::size_t findThing(const std::string& parameter, const Things& things,
                      const JsonPath::Segment& segment, std::string_view what) {
  if (const auto* index = std::get_if<std::size_t>(&segment)) {
    if (*index < things.size()) return *index;
    fail(parameter, fmt::format("{} number {}", what, *index),
         fmt::format("a number below {}", things.size()));
  }
  const std::string& name = std::get<std::string>(segment);
  const msd_scene::NameTable table{things};
  const std::size_t place = table.find(name);
  if (place == msd_scene::NameTable::npos) {
    fail(parameter, jsonString(name),
         fmt::format("the name of a {} of the scene{}", what,
                     msd_scene::suggestion(name, table.names())));
  }
  return place;
}

/// The JSON of a document that holds one thing only.
Json writtenAlone(const SceneDocument& alone) {
  return Json::parse(msd_scene::writeScene(alone, {.embedMeshes = true}));
}

Json elementJson(const SceneDocument& scene, Part part, std::size_t place) {
  SceneDocument alone;
  switch (part) {
    case Part::kTop:
      return {{"gravity", {scene.gravity.x(), scene.gravity.y(), scene.gravity.z()}},
              {"dt", scene.dt},
              {"steps", scene.steps}};
    case Part::kSolver: {
      alone.solver = scene.solver;
      const Json written = writtenAlone(alone);
      return written.contains("solver") ? written["solver"] : Json::object();
    }
    case Part::kMaterial:
      alone.materials.push_back(scene.materials[place]);
      return writtenAlone(alone)["materials"].front();
    case Part::kShape:
      alone.shapes.push_back(scene.shapes[place]);
      return writtenAlone(alone)["shapes"].front();
    case Part::kBody:
      alone.bodies.push_back(scene.bodies[place]);
      return writtenAlone(alone)["bodies"][0];
    case Part::kJoint:
      alone.joints.push_back(scene.joints[place]);
      return writtenAlone(alone)["joints"][0];
  }
  return {};
}

/// What stands for an array that a scene leaves out.
Json usualArray(std::string_view field) {
  if (field == "orientation") return {1.0, 0.0, 0.0, 0.0};
  for (const std::string_view zero :
       {"position", "linearVelocity", "angularVelocity", "force", "torque"}) {
    if (field == zero) return {0.0, 0.0, 0.0};
  }
  return {};
}

/// The place a path leads to, made where an optional field was left out. Null: it leads nowhere.
Json* findLeaf(Json& element, const JsonPath& inside) {
  Json* at = &element;
  for (const JsonPath::Segment& segment : inside.segments()) {
    if (const auto* index = std::get_if<std::size_t>(&segment)) {
      if (!at->is_array() || *index >= at->size()) return nullptr;
      at = &(*at)[*index];
      continue;
    }
    const std::string& key = std::get<std::string>(segment);
    if (!at->is_object()) return nullptr;
    if (!at->contains(key)) (*at)[key] = usualArray(key);
    at = &(*at)[key];
  }
  return at;
}

void setLeaf(Json& at, const Leaf& leaf, std::span<const double> values) {
  if (leaf.choices != nullptr) {
    at = Json::parse((*leaf.choices)[static_cast<std::size_t>(values[leaf.column])]);
    return;
  }
  const auto value = [&](std::size_t i) {
    return leaf.scale * values[leaf.column + i] + leaf.offset;
  };
  if (leaf.count == 1) {
    at = value(0);
    return;
  }
  at = Json::array();
  for (std::size_t i = 0; i < leaf.count; ++i) at.push_back(value(i));
}

std::string firstKey(const JsonPath& path) {
  if (path.segments().empty()) return {};
  const auto* key = std::get_if<std::string>(&path.segments().front());
  return key == nullptr ? std::string{} : *key;
}

JsonPath parsedPath(const std::string& parameter, const std::string& text) {
  try {
    return parsePath(text);
  } catch (const std::invalid_argument& reason) {
    fail(parameter, reason.what(), "a path such as bodies.cube.position[2]");
  }
}

JsonPath headOf(const JsonPath& path, std::size_t count) {
  JsonPath head;
  for (std::size_t i = 0; i < count; ++i) {
    std::visit([&](const auto& s) { head = head / s; }, path.segments()[i]);
  }
  return head;
}

JsonPath tailOf(const JsonPath& path, std::size_t from) {
  JsonPath tail;
  for (std::size_t i = from; i < path.segments().size(); ++i) {
    std::visit([&](const auto& s) { tail = tail / s; }, path.segments()[i]);
  }
  return tail;
}

/// The element that a path leads into.
struct Place {
  Part part{Part::kTop};
  std::size_t place{0};  ///< in the document's list of such things
  std::size_t used{0};   ///< segments of the path that lead to the element
};

/// `text` is the path as it was written.
Place findPlace(const std::string& parameter, const JsonPath& path, const std::string& text,
                const SceneDocument& scene) {
  const std::string start = firstKey(path);
  if (start == "solver") return {Part::kSolver, 0, 1};
  if (start == "gravity" || start == "dt" || start == "steps") return {Part::kTop, 0, 0};
  if (std::ranges::find(kStarts, start) == kStarts.end()) {
    fail(parameter, jsonString(text),
         fmt::format("a path that starts with {}{}", fmt::join(kStarts, ", "),
                     msd_scene::suggestion(start, kStarts)));
  }
  if (path.segments().size() < 3) {
    fail(parameter, jsonString(text), "the value of a thing, such as its mass");
  }
  const JsonPath::Segment& which = path.segments()[1];
  if (start == "bodies") {
    return {Part::kBody, findThing(parameter, scene.bodies, which, "body"), 2};
  }
  if (start == "joints") {
    return {Part::kJoint, findThing(parameter, scene.joints, which, "joint"), 2};
  }
  if (start == "materials") {
    return {Part::kMaterial, findThing(parameter, scene.materials, which, "material"), 2};
  }
  return {Part::kShape, findThing(parameter, scene.shapes, which, "shape"), 2};
}

}  // namespace

struct ScenePatch::Element {
  Part part{Part::kTop};
  std::size_t place{0};
  JsonPath path{};  ///< of the element in the scene, for messages
  Json json{};
  std::vector<Leaf> leaves{};

  void readBack(JsonReader& reader, SceneDocument& scene) const {
    switch (part) {
      case Part::kTop:
        reader.readObject("an object", [&](std::string_view key) {
          if (key == "gravity") {
            scene.gravity = msd_scene::readVector3(reader, "[m/s²]");
          } else if (key == "dt") {
            scene.dt = msd_scene::readNumber(reader, "[s]");
          } else {
            scene.steps = msd_scene::readWhole(reader, 0, 1'000'000'000);
          }
        });
        break;
      case Part::kSolver:
        scene.solver = msd_scene::parseSolver(reader);
        break;
      case Part::kMaterial: {
        std::string name = std::move(scene.materials[place].name);
        scene.materials[place] = msd_scene::parseMaterial(reader);
        scene.materials[place].name = std::move(name);
        break;
      }
      case Part::kShape:
        scene.shapes[place].geometry = msd_scene::parseShape(reader);
        break;
      case Part::kBody:
        scene.bodies[place] = msd_scene::parseBody(reader);
        break;
      case Part::kJoint:
        scene.joints[place] = msd_scene::parseJoint(reader);
        break;
    }
  }

  void apply(std::span<const double> values, SceneDocument& scene) {
    for (const Leaf& leaf : leaves) setLeaf(*findLeaf(json, leaf.inside), leaf, values);
    const std::string text = json.dump();
    try {
      JsonReader reader{text, {}};
      readBack(reader, scene);
    } catch (const SceneError& error) {
      msd_scene::SceneProblem problem = error.problem();
      JsonPath whole = path;
      for (const JsonPath::Segment& s : problem.path.segments()) {
        std::visit([&](const auto& part_) { whole = whole / part_; }, s);
      }
      problem.path = whole;
      problem.position = {};
      throw SceneError{problem};
    }
  }
};

ScenePatch::ScenePatch(const StudyDocument& study, const std::vector<CaseColumn>& columns,
                       const SceneDocument& scene) {
  std::size_t column = 0;
  for (const StudyParameter& parameter : study.parameters) {
    const std::size_t width = parameter.source == Source::kRotation ? 4 : 1;
    for (const StudyTarget& target : parameter.targets) {
      if (isSceneParameter(target)) {
        changes_start_only_ = false;
        continue;
      }
      const JsonPath path = parsedPath(parameter.name, target.path);
      const Place at = findPlace(parameter.name, path, target.path, scene);
      Element& element = elementAt(at.part, at.place);
      if (element.json.is_null()) {
        element.json = elementJson(scene, at.part, at.place);
        element.path = headOf(path, at.used);
      }
      Leaf leaf{.inside = tailOf(path, at.used),
                .column = column,
                .count = width,
                .scale = target.scale,
                .offset = target.offset,
                .choices = parameter.choices.empty() ? nullptr : &parameter.choices};
      if (firstKey(leaf.inside) == "name" || findLeaf(element.json, leaf.inside) == nullptr) {
        fail(parameter.name, jsonString(target.path),
             fmt::format("a value that the scene has; this part of it reads {}",
                         msd_scene::shortened(element.json.dump())));
      }
      element.leaves.push_back(std::move(leaf));
    }
    column += width;
  }
  if (column != columns.size()) throw std::logic_error{"columns are not those of the study"};
  sortChanges(scene);
}

ScenePatch::Element& ScenePatch::elementAt(Part part, std::size_t place) {
  for (const auto& element : elements_) {
    if (element->part == part && element->place == place) return *element;
  }
  Element& element = *elements_.emplace_back(std::make_unique<Element>());
  element.part = part;
  element.place = place;
  return element;
}

ScenePatch::~ScenePatch() = default;
ScenePatch::ScenePatch(ScenePatch&&) noexcept = default;

void ScenePatch::sortChanges(const SceneDocument& scene) {
  changed_shapes_.assign(scene.shapes.size(), false);
  for (const auto& element : elements_) {
    if (element->part == Part::kShape) changed_shapes_[element->place] = true;
    if (element->part == Part::kTop) continue;
    if (element->part != Part::kBody) {
      changes_start_only_ = false;
      continue;
    }
    const msd_scene::SceneBody& body = scene.bodies[element->place];
    const bool isJoined = std::ranges::any_of(scene.joints, [&](const auto& joint) {
      return joint.bodyA == body.name || joint.bodyB == body.name;
    });
    for (const Leaf& leaf : element->leaves) {
      const std::string key = firstKey(leaf.inside);
      const bool places = key == "position" || key == "orientation";
      const bool moves = key == "linearVelocity" || key == "angularVelocity" || key == "force" ||
                         key == "torque";
      if (body.isStatic || !(moves || (places && !isJoined))) changes_start_only_ = false;
    }
    moved_bodies_.push_back(element->place);
  }
  const msd_scene::NameTable names{scene.shapes};
  for (std::size_t i = 0; i < scene.shapes.size(); ++i) {
    const auto* compound = std::get_if<msd_scene::CompoundShape>(&scene.shapes[i].geometry);
    if (compound == nullptr) continue;
    for (const auto& part : compound->parts) {
      if (changed_shapes_[names.find(part.shape)]) changed_shapes_[i] = true;
    }
  }
}

void ScenePatch::apply(std::span<const double> values, SceneDocument& scene) {
  for (const auto& element : elements_) element->apply(values, scene);
}

}  // namespace msd_study
