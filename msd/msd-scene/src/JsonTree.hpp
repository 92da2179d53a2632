#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "msd-scene/src/JsonReader.hpp"

namespace msd_scene {

/// A text and the places of its values, kept for messages.
class SourceText;

/// Where a value was written.
struct JsonOrigin {
  const SourceText* text{nullptr};
  std::size_t offset{0};
  const JsonOrigin* parent{nullptr};  ///< null for the top
  JsonPath::Segment step{std::size_t{0}};

  [[nodiscard]] JsonPath path() const;
};

/// A JSON value as a tree. Copies remember where the original was written.
struct JsonValue {
  JsonKind kind{JsonKind::kNull};
  bool boolean{false};
  double number{0.0};
  std::string text{};
  std::vector<std::string> keys{};  ///< of an object, one per item
  std::vector<JsonValue> items{};   ///< of an object or array
  const JsonOrigin* origin{nullptr};

  [[nodiscard]] const JsonValue* find(std::string_view key) const;
  [[nodiscard]] JsonValue* find(std::string_view key);
  void set(std::string_view key, JsonValue value);
  void erase(std::string_view key);
};

class SourceText {
 public:
  /// Reads a JSON text. Throws SceneError.
  SourceText(std::string text, std::string name);
  SourceText(const SourceText&) = delete;
  SourceText& operator=(const SourceText&) = delete;

  [[nodiscard]] const JsonValue& root() const { return root_; }
  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  JsonValue read(JsonReader& reader, const JsonOrigin* parent, JsonPath::Segment step);
  std::string text_;
  std::string name_;
  std::deque<JsonOrigin> origins_{};
  JsonValue root_{};
};

/// The tree as a JSON text, on one line per item of the two outermost levels.
[[nodiscard]] std::string writeTree(const JsonValue& value);

/// The value at a path of a tree, or the deepest one on the way to it.
[[nodiscard]] const JsonValue& deepest(const JsonValue& root, const JsonPath& path);

/// Something is wrong with a value: the message names where it was written.
[[noreturn]] void failAt(const JsonValue& value, std::string found, std::string expected);

[[nodiscard]] JsonValue jsonNumber(double number, const JsonOrigin* origin);
[[nodiscard]] JsonValue jsonText(std::string text, const JsonOrigin* origin);
[[nodiscard]] JsonValue jsonNumbers(const std::vector<double>& numbers, const JsonOrigin* origin);

}  // namespace msd_scene
