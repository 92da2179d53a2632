#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "msd-scene/src/JsonReader.hpp"
#include "msd-scene/src/SceneDocument.hpp"

namespace msd_scene {

/// The text as a document: syntax, types, and which fields stand where. Ranges, references and
/// geometry are checked by validate(). Throws SceneError.
[[nodiscard]] SceneDocument parseScene(std::string_view text, std::string_view source);

/// The fields of one kind of object, for the documentation and its test.
struct FieldGroup {
  std::string_view object;               ///< "a body"
  std::vector<std::string_view> fields;  ///< in the order in which they are written
};
[[nodiscard]] std::vector<FieldGroup> sceneFields();

// The parts of a scene, one function per file (ParseShape.cpp, ParseBody.cpp, ParseJoint.cpp,
// ParsePotential.cpp).

[[nodiscard]] SceneShape::Variant parseShape(JsonReader& reader);
[[nodiscard]] SceneBody parseBody(JsonReader& reader);
[[nodiscard]] SceneJoint parseJoint(JsonReader& reader);
[[nodiscard]] SceneMaterial parseMaterial(JsonReader& reader);  ///< without its name
[[nodiscard]] SceneSolver parseSolver(JsonReader& reader);
[[nodiscard]] ScenePotential parsePotential(JsonReader& reader);
[[nodiscard]] std::vector<FieldGroup> shapeFields();
[[nodiscard]] std::vector<FieldGroup> bodyFields();
[[nodiscard]] std::vector<FieldGroup> jointFields();
[[nodiscard]] std::vector<FieldGroup> potentialFields();

}  // namespace msd_scene
