#include "msd-scene/src/JsonTree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "msd-scene/src/JsonText.hpp"

namespace msd_scene {

JsonPath JsonOrigin::path() const {
  if (parent == nullptr) return {};
  const JsonPath above = parent->path();
  const auto* key = std::get_if<std::string>(&step);
  return key != nullptr ? above / *key : above / std::get<std::size_t>(step);
}

const JsonValue* JsonValue::find(std::string_view key) const {
  const auto at = std::ranges::find(keys, key);
  return at == keys.end() ? nullptr : &items[static_cast<std::size_t>(at - keys.begin())];
}

JsonValue* JsonValue::find(std::string_view key) {
  return const_cast<JsonValue*>(std::as_const(*this).find(key));
}

void JsonValue::set(std::string_view key, JsonValue value) {
  if (JsonValue* known = find(key)) {
    *known = std::move(value);
    return;
  }
  keys.emplace_back(key);
  items.push_back(std::move(value));
}

void JsonValue::erase(std::string_view key) {
  const auto at = std::ranges::find(keys, key);
  if (at == keys.end()) return;
  items.erase(items.begin() + (at - keys.begin()));
  keys.erase(at);
}

SourceText::SourceText(std::string text, std::string name)
    : text_{std::move(text)}, name_{std::move(name)} {
  JsonReader reader{text_, name_};
  root_ = read(reader, nullptr, std::size_t{0});
  reader.finish();
}

JsonValue SourceText::read(JsonReader& reader, const JsonOrigin* parent, JsonPath::Segment step) {
  JsonValue value{.kind = reader.peek()};
  const JsonOrigin* origin =
      &origins_.emplace_back(JsonOrigin{this, reader.offset(), parent, std::move(step)});
  value.origin = origin;
  switch (value.kind) {
    case JsonKind::kObject:
      reader.readObject("an object", [&](std::string_view key) {
        const std::string name{key};
        if (value.find(name) != nullptr) {
          reader.fail(fmt::format("the field {} a second time", jsonString(name)),
                      "each field once");
        }
        value.keys.push_back(name);
        value.items.push_back(read(reader, origin, name));
      });
      break;
    case JsonKind::kArray:
      reader.readArray("an array",
                       [&](std::size_t i) { value.items.push_back(read(reader, origin, i)); });
      break;
    case JsonKind::kString:
      value.text = reader.readString("a string");
      break;
    case JsonKind::kNumber:
      value.number = reader.readNumber("a finite number");
      break;
    case JsonKind::kBoolean:
      value.boolean = reader.readBoolean("true or false");
      break;
    case JsonKind::kNull:
      reader.readNull("null");
      break;
    case JsonKind::kNothing:
      reader.failValue("a value");
  }
  return value;
}

namespace {

void write(std::string& out, const JsonValue& value, int level) {
  const bool isObject = value.kind == JsonKind::kObject;
  switch (value.kind) {
    case JsonKind::kObject:
    case JsonKind::kArray:
      out += isObject ? '{' : '[';
      for (std::size_t i = 0; i < value.items.size(); ++i) {
        if (i > 0) out += ", ";
        if (level < 2) out.append(1, '\n').append(static_cast<std::size_t>(2 * (level + 1)), ' ');
        if (isObject) out += jsonString(value.keys[i]) + ": ";
        write(out, value.items[i], level + 1);
      }
      out += isObject ? '}' : ']';
      return;
    case JsonKind::kString:
      out += jsonString(value.text);
      return;
    case JsonKind::kNumber:
      out += numberText(value.number);
      return;
    case JsonKind::kBoolean:
      out += value.boolean ? "true" : "false";
      return;
    default:
      out += "null";
  }
}

}  // namespace

std::string writeTree(const JsonValue& value) {
  std::string out;
  write(out, value, 0);
  return out;
}

const JsonValue& deepest(const JsonValue& root, const JsonPath& path) {
  const JsonValue* at = &root;
  for (const JsonPath::Segment& segment : path.segments()) {
    const JsonValue* next = nullptr;
    if (const auto* key = std::get_if<std::string>(&segment)) {
      next = at->find(*key);
    } else if (const std::size_t index = std::get<std::size_t>(segment); index < at->items.size()) {
      next = &at->items[index];
    }
    if (next == nullptr) return *at;
    at = next;
  }
  return *at;
}

void failAt(const JsonValue& value, std::string found, std::string expected) {
  SceneProblem problem{.found = std::move(found), .expected = std::move(expected)};
  if (value.origin != nullptr) {
    problem.source = value.origin->text->name();
    problem.position = positionOf(value.origin->text->text(), value.origin->offset);
    problem.path = value.origin->path();
  }
  throw SceneError{std::move(problem)};
}

JsonValue jsonNumber(double number, const JsonOrigin* origin) {
  return {.kind = JsonKind::kNumber, .number = number, .origin = origin};
}

JsonValue jsonText(std::string text, const JsonOrigin* origin) {
  return {.kind = JsonKind::kString, .text = std::move(text), .origin = origin};
}

JsonValue jsonNumbers(const std::vector<double>& numbers, const JsonOrigin* origin) {
  JsonValue list{.kind = JsonKind::kArray, .origin = origin};
  for (const double number : numbers) list.items.push_back(jsonNumber(number, origin));
  return list;
}

}  // namespace msd_scene
