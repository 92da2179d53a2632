#include "msd-scene/src/ExpandScene.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "msd-scene/src/ExpandPoses.hpp"
#include "msd-scene/src/JsonText.hpp"
#include "msd-scene/src/Suggestion.hpp"

namespace msd_scene {

namespace {

constexpr std::size_t kMostValues = 20'000'000;  ///< of an expanded scene
constexpr std::size_t kMostRepeats = 1'000'000;
constexpr std::size_t kMostDepth = 16;        ///< of includes and models within each other
constexpr std::size_t kMostModels = 100'000;  ///< uses of models, those inside models included

/// Lists that includes and models add to.
constexpr auto kArrays = std::to_array<std::string_view>(
    {"pairs", "bodies", "joints", "exclude", "sensors", "expect", "use"});
constexpr auto kNamed = std::to_array<std::string_view>({"materials", "shapes", "models"});

const JsonValue& demand(const JsonValue& value, JsonKind kind, std::string_view expected) {
  if (value.kind != kind) failAt(value, "something else", std::string{expected});
  return value;
}

class Expander {
 public:
  Expander(const ExpandOptions& options, ExpandedScene& result)
      : options_{options}, result_{result} {}

  void run(std::string_view text, std::string_view source) {
    JsonValue root = load(std::string{text}, std::string{source});
    include(root, {});
    Variables scope;
    readParameters(root, options_.parameters, scope);
    for (const auto& [name, value] : options_.parameters) {
      if (scope.contains(name)) continue;
      failAt(root, fmt::format("no parameter {}", jsonString(name)), "a parameter of this scene");
    }
    result_.parameters = scope;
    result_.root = expandTop(root, scope, 0);
    result_.root.set("version", jsonNumber(1.0, result_.root.origin));
    resolveFrames(result_.root);
  }

 private:
  /// A text as a tree; it is kept for messages.
  JsonValue load(std::string text, std::string name) {
    const auto source = std::make_shared<const SourceText>(std::move(text), std::move(name));
    result_.sources.push_back(source);
    return demand(source->root(), JsonKind::kObject, "an object: a scene");
  }

  std::string readFile(const JsonValue& file) {
    demand(file, JsonKind::kString, "the name of a scene file");
    try {
      if (!options_.files) throw std::runtime_error{"this scene has no folder to read files from"};
      return options_.files(file.text);
    } catch (const std::exception& reason) {
      failAt(file, fmt::format("{} ({})", shortened(jsonString(file.text)), reason.what()),
             "a scene file inside the scene's folder");
    }
  }

  /// Mesh files of a scene in another folder are found from there.
  static void moveFiles(JsonValue& scene, const std::string& file) {
    const std::filesystem::path folder = std::filesystem::path{file}.parent_path();
    JsonValue* shapes = folder.empty() ? nullptr : scene.find("shapes");
    if (shapes == nullptr) return;
    for (JsonValue& shape : shapes->items) {
      JsonValue* mesh = shape.find("file");
      if (mesh != nullptr && mesh->kind == JsonKind::kString) {
        mesh->text = (folder / mesh->text).generic_string();
      }
    }
  }

  JsonValue loadFile(const JsonValue& file, std::vector<std::string>& open) {
    demand(file, JsonKind::kString, "the name of a scene file");
    if (std::ranges::find(open, file.text) != open.end()) {
      failAt(file, shortened(jsonString(file.text)), "a file that does not include itself");
    }
    if (open.size() > kMostDepth) failAt(file, "includes nested too deep", "fewer");
    JsonValue scene = load(readFile(file), file.text);
    moveFiles(scene, file.text);
    open.push_back(file.text);
    include(scene, open);
    open.pop_back();
    return scene;
  }

  /// Puts the content of included files before the scene's own.
  void include(JsonValue& scene, std::vector<std::string> open) {
    const JsonValue* field = scene.find("include");
    if (field == nullptr) return;
    const JsonValue list = *field;
    scene.erase("include");
    if (list.kind == JsonKind::kString) {
      merge(scene, loadFile(list, open));
      return;
    }
    demand(list, JsonKind::kArray, "the name of a scene file, or an array of names");
    for (auto file = list.items.rbegin(); file != list.items.rend(); ++file) {
      merge(scene, loadFile(*file, open));
    }
  }

  /// What `other` has and the scene lacks; lists are joined, the other's first.
  static void merge(JsonValue& scene, const JsonValue& other) {
    for (std::size_t i = 0; i < other.keys.size(); ++i) {
      const std::string& key = other.keys[i];
      const JsonValue& theirs = other.items[i];
      JsonValue* own = scene.find(key);
      if (own == nullptr) {
        if (key != "name" && key != "description") scene.set(key, theirs);
      } else if (own->kind == JsonKind::kArray && theirs.kind == JsonKind::kArray &&
                 std::ranges::find(kArrays, key) != kArrays.end()) {
        own->items.insert(own->items.begin(), theirs.items.begin(), theirs.items.end());
      } else if (own->kind == JsonKind::kObject && theirs.kind == JsonKind::kObject) {
        mergeObject(*own, theirs);
      }
    }
  }

  /// Members of `theirs` that `own` has not; those of both are merged in turn.
  static void mergeObject(JsonValue& own, const JsonValue& theirs) {
    for (std::size_t i = 0; i < theirs.keys.size(); ++i) {
      JsonValue* known = own.find(theirs.keys[i]);
      if (known == nullptr) {
        own.set(theirs.keys[i], theirs.items[i]);
      } else if (known->kind == JsonKind::kObject && theirs.items[i].kind == JsonKind::kObject) {
        mergeObject(*known, theirs.items[i]);
      }
    }
  }

  void readParameters(JsonValue& scene, const Variables& given, Variables& scope) {
    const JsonValue* parameters = scene.find("parameters");
    if (parameters == nullptr) return;
    demand(*parameters, JsonKind::kObject, "an object: parameters by name");
    for (std::size_t i = 0; i < parameters->keys.size(); ++i) {
      const std::string& name = parameters->keys[i];
      const bool good = !name.empty() &&
                        name.find_first_not_of(
                            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                            "0123456789_") == std::string::npos &&
                        !(name[0] >= '0' && name[0] <= '9');
      if (!good) {
        failAt(parameters->items[i], fmt::format("the name {}", jsonString(name)),
               "letters, digits and _ , not beginning with a digit");
      }
      const auto other = given.find(name);
      scope[name] = other != given.end() ? other->second : numberOf(parameters->items[i], scope);
    }
    scene.erase("parameters");
  }

  double numberOf(const JsonValue& value, const Variables& scope) {
    const JsonValue result = evaluated(value, scope);
    if (result.kind != JsonKind::kNumber) failAt(value, "no number", "a number or \"${...}\"");
    return result.number;
  }

  // --- values ---

  void count(const JsonValue& value) {
    if (++values_ > kMostValues) {
      failAt(value, "a scene that grows too large", fmt::format("at most {} values", kMostValues));
    }
  }

  Evaluated substituted(const JsonValue& place, std::string_view text, const Variables& scope) {
    try {
      return substitute(text, scope);
    } catch (const ExpressionError& reason) {
      failAt(place, reason.what(), {});
    }
  }

  /// A copy with every expression replaced by its value and every repetition written out.
  JsonValue evaluated(const JsonValue& value, const Variables& scope) {
    count(value);
    if (value.kind == JsonKind::kString) {
      if (value.text.find("${") == std::string::npos) return value;
      const Evaluated result = substituted(value, value.text, scope);
      return result.isNumber ? jsonNumber(result.number, value.origin)
                             : jsonText(result.text, value.origin);
    }
    if (value.kind != JsonKind::kObject && value.kind != JsonKind::kArray) return value;
    JsonValue result{.kind = value.kind, .origin = value.origin};
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      const JsonValue& item = value.items[i];
      forEachRepeat(item, scope, [&](const JsonValue& one, const Variables& inner) {
        if (value.kind == JsonKind::kObject) {
          const std::string key = substituted(one, value.keys[i], inner).text;
          if (result.find(key) != nullptr && item.find("repeat") != nullptr) {
            failAt(one, fmt::format("the name {} a second time", jsonString(key)),
                   "a name with the repetition's variable in it");
          }
          result.keys.push_back(key);
        }
        result.items.push_back(evaluated(one, inner));
      });
    }
    return result;
  }

  /// Calls onEach for an object as often as its field `repeat` says, without that field.
  template <class OnEach>
  void forEachRepeat(const JsonValue& value, const Variables& scope, OnEach&& onEach) {
    const JsonValue* repeat = value.kind == JsonKind::kObject ? value.find("repeat") : nullptr;
    if (repeat == nullptr) return onEach(value, scope);
    demand(*repeat, JsonKind::kObject, "an object: how often, by the name of a variable");
    // Counts that do not depend on one another are multiplied first: a slip costs no time.
    double product = 1.0;
    for (const JsonValue& count : repeat->items) {
      if (count.kind == JsonKind::kNumber) product *= count.number;
      if (count.kind == JsonKind::kArray) product *= static_cast<double>(count.items.size());
    }
    if (product > static_cast<double>(kMostRepeats)) {
      failAt(*repeat, fmt::format("{} repetitions", product),
             fmt::format("at most {}", kMostRepeats));
    }
    JsonValue one = value;
    one.erase("repeat");
    repeatOver(*repeat, 0, one, scope, onEach);
  }

  template <class OnEach>
  void repeatOver(const JsonValue& repeat, std::size_t place, const JsonValue& one,
                  const Variables& scope, OnEach&& onEach) {
    if (place == repeat.items.size()) return onEach(one, scope);
    for (const double number : valuesOf(repeat.items[place], scope)) {
      if (++repeats_ > kMostRepeats) failAt(repeat, "too many repetitions", "fewer");
      Variables inner = scope;
      inner[repeat.keys[place]] = number;
      repeatOver(repeat, place + 1, one, inner, onEach);
    }
  }

  /// A count n stands for 0 to n - 1; an array for its numbers.
  std::vector<double> valuesOf(const JsonValue& value, const Variables& scope) {
    const JsonValue result = evaluated(value, scope);
    std::vector<double> numbers;
    if (result.kind == JsonKind::kArray) {
      for (const JsonValue& item : result.items) numbers.push_back(numberOf(item, scope));
      return numbers;
    }
    const bool whole = result.kind == JsonKind::kNumber && result.number >= 0.0 &&
                       result.number == std::floor(result.number);
    if (!whole || result.number > static_cast<double>(kMostRepeats)) {
      failAt(value, "something else",
             fmt::format("a whole number from 0 to {} or an array of numbers", kMostRepeats));
    }
    for (double i = 0.0; i < result.number; ++i) numbers.push_back(i);
    return numbers;
  }

  // --- scenes and models ---

  /// Expands a scene or model whose parameters are in `scope`.
  JsonValue expandTop(JsonValue& scene, const Variables& scope, std::size_t depth) {
    const JsonValue models = taken(scene, "models");
    const JsonValue uses = taken(scene, "use");
    const JsonValue defaults = taken(scene, "defaults");
    JsonValue result = evaluated(scene, scope);
    if (defaults.kind != JsonKind::kNull) applyDefaults(result, evaluated(defaults, scope));
    writeOrientations(result);
    if (uses.kind == JsonKind::kNull) return result;
    demand(uses, JsonKind::kArray, "an array: which models are used, and where");
    for (const JsonValue& written : uses.items) {
      forEachRepeat(written, scope, [&](const JsonValue& use, const Variables& inner) {
        addModel(result, useOf(use, inner), use, models, inner, depth);
      });
    }
    return result;
  }

  static JsonValue taken(JsonValue& object, std::string_view key) {
    const JsonValue* field = object.find(key);
    if (field == nullptr) return {};
    JsonValue value = *field;
    object.erase(key);
    return value;
  }

  /// A use with its expressions evaluated.
  JsonValue useOf(const JsonValue& use, const Variables& scope) {
    JsonValue result =
        evaluated(demand(use, JsonKind::kObject, "an object: a model and its pose"), scope);
    writeOrientations(result);
    constexpr auto kFields = std::to_array<std::string_view>(
        {"model", "prefix", "position", "orientation", "parameters", "override"});
    for (std::size_t i = 0; i < result.keys.size(); ++i) {
      if (std::ranges::find(kFields, result.keys[i]) != kFields.end()) continue;
      failAt(result.items[i], fmt::format("the unknown field {}", jsonString(result.keys[i])),
             fmt::format("a field of a use{}", suggestion(result.keys[i], kFields)));
    }
    return result;
  }

  void addModel(JsonValue& scene, const JsonValue& use, const JsonValue& written,
                const JsonValue& models, const Variables& scope, std::size_t depth) {
    if (depth >= kMostDepth) failAt(written, "models nested too deep", "fewer");
    if (++uses_ > kMostModels)
      failAt(written, "too many models", fmt::format("at most {}", kMostModels));
    JsonValue model = findModel(use, models);
    Variables inner = scope;
    Variables given;
    if (const JsonValue* parameters = use.find("parameters")) {
      demand(*parameters, JsonKind::kObject, "an object: parameters by name");
      for (std::size_t i = 0; i < parameters->keys.size(); ++i) {
        const JsonValue* own = model.find("parameters");
        if (own == nullptr || own->find(parameters->keys[i]) == nullptr) {
          failAt(parameters->items[i],
                 fmt::format("the parameter {}", jsonString(parameters->keys[i])),
                 "a parameter of the model");
        }
        given[parameters->keys[i]] = numberOf(parameters->items[i], scope);
      }
    }
    readParameters(model, given, inner);
    // A model may use the models of the scene around it, and its own.
    if (models.kind == JsonKind::kObject) {
      JsonValue all = model.find("models") != nullptr ? *model.find("models")
                                                      : JsonValue{.kind = JsonKind::kObject};
      mergeObject(all, models);
      model.set("models", std::move(all));
    }
    JsonValue content = expandTop(model, inner, depth + 1);
    if (const JsonValue* changes = use.find("override")) override(content, *changes);
    const JsonValue* prefix = use.find("prefix");
    if (prefix != nullptr) rename(content, demand(*prefix, JsonKind::kString, "a text").text);
    place(content, poseOf(use));
    addTo(scene, content);
  }

  JsonValue findModel(const JsonValue& use, const JsonValue& models) {
    const JsonValue* name = use.find("model");
    if (name == nullptr) failAt(use, "no field \"model\"", "the name of a model");
    demand(*name, JsonKind::kString, "the name of a model, or of a file");
    const JsonValue* model = models.find(name->text);
    if (model == nullptr && name->text.find('.') != std::string::npos) {
      std::vector<std::string> open;
      return loadFile(*name, open);
    }
    if (model == nullptr) {
      const std::vector<std::string_view> known{models.keys.begin(), models.keys.end()};
      failAt(*name, shortened(jsonString(name->text)),
             fmt::format("the name of a model of this scene, or of a file{}",
                         suggestion(name->text, known)));
    }
    if (model->kind == JsonKind::kString) {
      std::vector<std::string> open;
      return loadFile(*model, open);
    }
    return demand(*model, JsonKind::kObject, "an object: a model, or the name of its file");
  }

  /// Changes things of a model by their name: {"bodies": {"foot": {"mass": 3}}}.
  static void override(JsonValue& content, const JsonValue& changes) {
    demand(changes, JsonKind::kObject, "an object: what changes in the model");
    for (std::size_t i = 0; i < changes.keys.size(); ++i) {
      JsonValue* list = content.find(changes.keys[i]);
      if (list == nullptr) failAt(changes.items[i], "no such list in the model", "one that it has");
      const JsonValue& things =
          demand(changes.items[i], JsonKind::kObject, "an object: fields by name");
      for (std::size_t k = 0; k < things.keys.size(); ++k) {
        JsonValue* thing = findThing(*list, things.keys[k]);
        if (thing == nullptr) {
          failAt(things.items[k], jsonString(things.keys[k]), "the name of something of the model");
        }
        const JsonValue& fields = demand(things.items[k], JsonKind::kObject, "an object: fields");
        for (std::size_t f = 0; f < fields.keys.size(); ++f)
          thing->set(fields.keys[f], fields.items[f]);
      }
    }
  }

  static JsonValue* findThing(JsonValue& list, std::string_view name) {
    if (list.kind == JsonKind::kObject) return list.find(name);
    for (JsonValue& item : list.items) {
      const JsonValue* own = item.find("name");
      if (own != nullptr && own->text == name) return &item;
    }
    return nullptr;
  }

  // --- names ---

  /// Puts the prefix before the names of a model's things, and before references to them. What the
  /// model does not have itself is the outer scene's.
  static void rename(JsonValue& content, const std::string& prefix) {
    if (prefix.empty()) return;
    std::map<std::string_view, std::set<std::string>> own;
    for (const std::string_view list : {"materials", "shapes", "bodies", "joints", "sensors"}) {
      const JsonValue* things = content.find(list);
      if (things == nullptr) continue;
      for (const std::string& key : things->keys) own[list].insert(key);
      for (const JsonValue& item : things->items) {
        const JsonValue* name = item.find("name");
        if (things->kind == JsonKind::kArray && name != nullptr) own[list].insert(name->text);
      }
    }
    const auto renamed = [&](JsonValue* value, std::string_view list) {
      if (value == nullptr || value->kind != JsonKind::kString) return;
      if (own[list].contains(value->text)) value->text.insert(0, prefix);
    };
    for (const std::string_view list : {"materials", "shapes"}) {
      if (JsonValue* things = content.find(list)) {
        for (std::string& key : things->keys) key.insert(0, prefix);
      }
    }
    const auto forAll = [&](std::string_view list, auto&& change) {
      JsonValue* things = content.find(list);
      if (things == nullptr) return;
      for (JsonValue& item : things->items) change(item);
    };
    const auto field = [&](JsonValue& item, std::string_view key, std::string_view list) {
      renamed(item.find(key), list);
    };
    forAll("shapes", [&](JsonValue& shape) {
      JsonValue* parts = shape.find("parts");
      if (parts == nullptr) return;
      for (JsonValue& part : parts->items) field(part, "shape", "shapes");
    });
    forAll("bodies", [&](JsonValue& body) {
      field(body, "name", "bodies");
      field(body, "shape", "shapes");
      field(body, "material", "materials");
      field(body, "frame", "bodies");
      JsonValue* visuals = body.find("visual");
      if (visuals == nullptr) return;
      for (JsonValue& visual : visuals->items) field(visual, "shape", "shapes");
    });
    forAll("joints", [&](JsonValue& joint) {
      field(joint, "name", "joints");
      for (const std::string_view key : {"bodyA", "bodyB", "frame"}) field(joint, key, "bodies");
      if (JsonValue* follows = joint.find("follows")) field(*follows, "joint", "joints");
    });
    forAll("sensors", [&](JsonValue& sensor) {
      field(sensor, "name", "sensors");
      field(sensor, "body", "bodies");
      field(sensor, "joint", "joints");
    });
    forAll("expect", [&](JsonValue& check) {
      field(check, "body", "bodies");
      field(check, "joint", "joints");
      field(check, "sensor", "sensors");
      if (JsonValue* minus = check.find("minus")) {
        field(*minus, "body", "bodies");
        field(*minus, "joint", "joints");
        field(*minus, "sensor", "sensors");
      }
    });
    forAll("exclude", [&](JsonValue& pair) {
      for (JsonValue& name : pair.items) renamed(&name, "bodies");
    });
    forAll("pairs", [&](JsonValue& pair) {
      JsonValue* names = pair.find("materials");
      if (names == nullptr) return;
      for (JsonValue& name : names->items) renamed(&name, "materials");
    });
  }

  static void place(JsonValue& content, const msd_sim::Pose& pose) {
    if (JsonValue* bodies = content.find("bodies")) {
      for (JsonValue& body : bodies->items) moveBody(body, pose);
    }
    if (JsonValue* joints = content.find("joints")) {
      for (JsonValue& joint : joints->items) {
        if (joint.find("frame") == nullptr) moveJoint(joint, pose);
      }
    }
  }

  /// Only what makes up a model is added; gravity, dt and the like are the scene's.
  static void addTo(JsonValue& scene, const JsonValue& content) {
    for (std::size_t i = 0; i < content.keys.size(); ++i) {
      const std::string& key = content.keys[i];
      const bool isArray = std::ranges::find(kArrays, key) != kArrays.end();
      if (!isArray && std::ranges::find(kNamed, key) == kNamed.end()) continue;
      JsonValue* own = scene.find(key);
      if (own == nullptr) {
        scene.set(key, content.items[i]);
        continue;
      }
      for (std::size_t k = 0; k < content.items[i].items.size(); ++k) {
        if (isArray) {
          own->items.push_back(content.items[i].items[k]);
        } else if (own->find(content.items[i].keys[k]) == nullptr) {
          own->set(content.items[i].keys[k], content.items[i].items[k]);
        }
      }
    }
  }

  // --- defaults ---

  static void applyDefaults(JsonValue& scene, const JsonValue& defaults) {
    demand(defaults, JsonKind::kObject, "an object: defaults of bodies, joints and materials");
    constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kLists{
        {{"body", "bodies"}, {"joint", "joints"}, {"material", "materials"}}};
    for (std::size_t i = 0; i < defaults.keys.size(); ++i) {
      const auto list = std::ranges::find(kLists, std::string_view{defaults.keys[i]},
                                          &std::pair<std::string_view, std::string_view>::first);
      if (list == kLists.end()) {
        failAt(defaults.items[i], fmt::format("the unknown field {}", jsonString(defaults.keys[i])),
               "body, joint or material");
      }
      const JsonValue& fields = demand(defaults.items[i], JsonKind::kObject, "an object: fields");
      JsonValue* things = scene.find(list->second);
      if (things == nullptr) continue;
      for (JsonValue& thing : things->items) fill(thing, fields, list->first);
    }
  }

  static void fill(JsonValue& thing, const JsonValue& fields, std::string_view kind) {
    constexpr auto kMoving = std::to_array<std::string_view>(
        {"mass", "inertia", "centreOfMass", "force", "torque", "forces", "torques",
         "linearVelocity", "angularVelocity", "linearDamping", "angularDamping", "continuous",
         "maySleep", "kinematic"});
    constexpr auto kCoordinate = std::to_array<std::string_view>(
        {"limit", "motor", "friction", "armature", "rest", "stiffness", "damping"});
    const JsonValue* isStatic = thing.find("static");
    const bool stands = kind == "body" && isStatic != nullptr && isStatic->boolean;
    const JsonValue* type = thing.find("type");
    const bool free =
        kind == "joint" && type != nullptr &&
        (type->text == "hinge" || type->text == "slider" || type->text == "cylindrical");
    const bool turned = thing.find("euler") != nullptr || thing.find("axisAngle") != nullptr;
    for (std::size_t i = 0; i < fields.keys.size(); ++i) {
      const std::string& key = fields.keys[i];
      if (thing.find(key) != nullptr) continue;
      if (stands && std::ranges::find(kMoving, key) != kMoving.end()) continue;
      if (kind == "joint" && !free && std::ranges::find(kCoordinate, key) != kCoordinate.end())
        continue;
      if (turned && (key == "orientation" || key == "euler" || key == "axisAngle")) continue;
      thing.set(key, fields.items[i]);
    }
  }

  const ExpandOptions& options_;
  ExpandedScene& result_;
  std::size_t values_{0};
  std::size_t repeats_{0};
  std::size_t uses_{0};
};

}  // namespace

bool isVersion2(std::string_view text) {
  JsonReader reader{text, {}};
  bool found = false;
  struct Enough {};
  try {
    reader.readObject("a scene", [&](std::string_view key) {
      if (key != "version") return reader.skipValue();
      found = reader.peek() == JsonKind::kNumber && reader.readNumber("a number") == 2.0;
      throw Enough{};
    });
  } catch (const Enough&) {
    return found;
  } catch (const SceneError&) {
    return false;
  }
  return found;
}

ExpandedScene expandScene(std::string_view text, std::string_view source,
                          const ExpandOptions& options) {
  ExpandedScene result;
  Expander{options, result}.run(text, source);
  return result;
}

}  // namespace msd_scene
