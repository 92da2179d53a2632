#include "msd-scene/src/JsonValues.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "msd-scene/src/FieldTable.hpp"
#include "msd-scene/src/JsonText.hpp"
#include "msd-scene/src/Suggestion.hpp"

namespace msd_scene {

namespace {

/// Reads exactly N numbers into `result`.
template <std::size_t N>
void readNumbers(JsonReader& reader, std::string_view unit, std::array<double, N>& result) {
  const std::size_t start = reader.offset();
  // The description of a value is only spelt out when it is wrong.
  if (reader.peek() != JsonKind::kArray) {
    reader.failValue(fmt::format("an array of {} finite numbers {}", N, unit));
  }
  const std::size_t count = reader.readArray({}, [&](std::size_t i) {
    const double value = readNumber(reader, unit);
    if (i < N) result[i] = value;
  });
  if (count != N) {
    reader.failAt(start, reader.path(), fmt::format("an array of {}", count),
                  fmt::format("an array of {} finite numbers {}", N, unit));
  }
}

constexpr std::array<Field<TimedNumber>, 2> kTimedNumberFields{{
    {"at", [](JsonReader& r, TimedNumber& t) { t.at = readNumber(r, "[s]"); }, "the moment [s]"},
    {"value",
     [](JsonReader& r, TimedNumber& t) { t.value = readNumber(r, "(in the field's unit)"); },
     "what it is then"},
}};

constexpr std::array<Field<TimedVector>, 2> kTimedVectorFields{{
    {"at", [](JsonReader& r, TimedVector& t) { t.at = readNumber(r, "[s]"); }, "the moment [s]"},
    {"value",
     [](JsonReader& r, TimedVector& t) { readNumbers(r, "(in the field's unit)", t.value); },
     "what it is then"},
}};

template <class Value, std::size_t N>
std::vector<AtTime<Value>> readTimed(JsonReader& reader,
                                     const std::array<Field<AtTime<Value>>, N>& fields) {
  std::vector<AtTime<Value>> entries;
  const std::size_t start = reader.offset();
  reader.readArray("an array of values over time", [&](std::size_t) {
    readFields(reader, "a value over time", fields, entries.emplace_back());
  });
  if (entries.empty()) {
    reader.failAt(start, reader.path(), "an empty array", "at least one value over time");
  }
  return entries;
}

}  // namespace

std::vector<TimedNumber> readTimedNumbers(JsonReader& reader) {
  return readTimed(reader, kTimedNumberFields);
}

std::vector<TimedVector> readTimedVectors(JsonReader& reader) {
  return readTimed(reader, kTimedVectorFields);
}

std::vector<std::string_view> timedFields() {
  return fieldNames(kTimedNumberFields);
}

double readNumber(JsonReader& reader, std::string_view unit) {
  if (reader.peek() != JsonKind::kNumber) {
    reader.failValue(fmt::format("a finite number {}", unit));
  }
  return reader.readNumber("a finite number");
}

Vector3D readVector3(JsonReader& reader, std::string_view unit) {
  std::array<double, 3> v{};
  readNumbers(reader, unit, v);
  return {v[0], v[1], v[2]};
}

WrittenRotation readRotation(JsonReader& reader) {
  WrittenRotation q{};
  readNumbers(reader, "(w, x, y, z)", q);
  return q;
}

Matrix3D readInertia(JsonReader& reader) {
  constexpr std::string_view kExpected =
      "3 principal values or 6 numbers xx, yy, zz, xy, xz, yz [kg·m²]";
  const std::size_t start = reader.offset();
  std::array<double, 6> t{};
  const std::size_t count = reader.readArray(kExpected, [&](std::size_t i) {
    const double value = readNumber(reader, "[kg·m²]");
    if (i < t.size()) t[i] = value;
  });
  if (count != 3 && count != 6) {
    reader.failAt(start, reader.path(), fmt::format("an array of {}", count),
                  std::string{kExpected});
  }
  Matrix3D tensor;
  tensor << t[0], t[3], t[4], t[3], t[1], t[5], t[4], t[5], t[2];
  return tensor;
}

std::vector<Coordinate> readPoints(JsonReader& reader) {
  std::vector<Coordinate> points;
  reader.readArray("an array of points",
                   [&](std::size_t) { points.push_back(readVector3(reader, "[m]")); });
  return points;
}

std::vector<std::array<std::uint32_t, 3>> readTriangles(JsonReader& reader) {
  std::vector<std::array<std::uint32_t, 3>> triangles;
  reader.readArray("an array of triangles", [&](std::size_t index) {
    if (index >= Limits::kTriangles) {
      reader.fail("one more triangle", fmt::format("at most {}", Limits::kTriangles));
    }
    const std::size_t start = reader.offset();
    std::array<std::uint32_t, 3> corners{};
    const std::size_t count = reader.readArray("an array of 3 vertex numbers", [&](std::size_t i) {
      const auto vertex = static_cast<std::uint32_t>(readWhole(reader, 0, 0xFFFFFFFEu));
      if (i < 3) corners[i] = vertex;
    });
    if (count != 3) {
      reader.failAt(start, reader.path(), fmt::format("an array of {}", count),
                    "an array of 3 vertex numbers");
    }
    triangles.push_back(corners);
  });
  return triangles;
}

SceneColour readColour(JsonReader& reader) {
  const std::size_t start = reader.offset();
  SceneColour colour{0.0, 0.0, 0.0, 1.0};
  const std::size_t count =
      reader.readArray("an array of 3 or 4 numbers: red, green, blue, opacity", [&](std::size_t i) {
        const double value = readNumber(reader, "from 0 to 1");
        if (i < colour.size()) colour[i] = value;
      });
  if (count != 3 && count != 4) {
    reader.failAt(start, reader.path(), fmt::format("an array of {}", count),
                  "3 or 4 numbers: red, green, blue, opacity");
  }
  return colour;
}

std::uint64_t readWhole(JsonReader& reader, std::uint64_t low, std::uint64_t high) {
  const auto expected = [&] { return fmt::format("a whole number from {} to {}", low, high); };
  if (reader.peek() != JsonKind::kNumber) reader.failValue(expected());
  const std::size_t start = reader.offset();
  const double value = reader.readNumber("a finite number");
  if (value != std::floor(value) || value < static_cast<double>(low) ||
      value > static_cast<double>(high)) {
    reader.failAt(start, reader.path(), numberText(value), expected());
  }
  return static_cast<std::uint64_t>(value);
}

void checkName(JsonReader& reader, std::string_view name, std::string_view what) {
  const bool hasControl =
      std::ranges::any_of(name, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
  if (name.empty() || name.size() > Limits::kNameBytes || hasControl) {
    reader.fail(
        name.size() > Limits::kNameBytes ? fmt::format("a name of {} bytes", name.size())
                                         : jsonString(name),
        fmt::format("{} of 1 to {} bytes without control characters", what, Limits::kNameBytes));
  }
}

std::string readName(JsonReader& reader, std::string_view what) {
  if (reader.peek() != JsonKind::kString) reader.failValue(what);
  std::string name = reader.readString({});
  checkName(reader, name, what);
  return name;
}

std::size_t readChoice(JsonReader& reader, std::span<const std::string_view> choices) {
  const auto expected = [&] { return fmt::format("one of {}", fmt::join(choices, ", ")); };
  if (reader.peek() != JsonKind::kString) reader.failValue(expected());
  const std::size_t start = reader.offset();
  const std::string word = reader.readString({});
  const auto found = std::ranges::find(choices, word);
  if (found == choices.end()) {
    reader.failAt(start, reader.path(), shortened(jsonString(word)),
                  expected() + suggestion(word, choices));
  }
  return static_cast<std::size_t>(found - choices.begin());
}

}  // namespace msd_scene
