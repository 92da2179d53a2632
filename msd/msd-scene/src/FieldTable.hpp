#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "msd-scene/src/JsonReader.hpp"
#include "msd-scene/src/JsonText.hpp"
#include "msd-scene/src/Suggestion.hpp"

namespace msd_scene {

/// One field an object of the format may have, and how its value goes into T.
template <class T>
struct Field {
  std::string_view name;
  void (*read)(JsonReader&, T&);
  std::string_view required{};  ///< what the field is for, where it may not be left out
};

template <class T, std::size_t N>
[[nodiscard]] std::vector<std::string_view> fieldNames(const std::array<Field<T>, N>& fields) {
  std::vector<std::string_view> names;
  for (const Field<T>& field : fields) names.push_back(field.name);
  return names;
}

/// Which fields of a table an object had: bit i for field i.
using FieldSet = std::uint32_t;

/// Was the field of this name among them?
template <class T, std::size_t N>
[[nodiscard]] bool wasGiven(const std::array<Field<T>, N>& fields, FieldSet seen,
                            std::string_view name) {
  const auto field = std::ranges::find(fields, name, &Field<T>::name);
  return (seen >> (field - fields.begin()) & 1u) != 0;
}

/// Fields that a kind of an object must have, and those it may have, beside those of every kind.
struct KindRule {
  std::vector<std::string_view> required;
  std::vector<std::string_view> optional;
};

/// Reads an object by its table of fields. An unknown field (with the nearest known name), a field
/// given twice and a required field left out are errors. `what` is the object in words: "a body".
template <class T, std::size_t N>
FieldSet readFields(JsonReader& reader, std::string_view what,
                    const std::array<Field<T>, N>& fields, T& result) {
  static_assert(N <= 32);
  const std::size_t start = reader.offset();
  FieldSet seen = 0;
  std::size_t guess = 0;  // files mostly keep one order: the next field is tried first
  reader.readObject(fmt::format("an object: {}", what), [&](std::string_view key) {
    std::size_t i = guess;
    for (std::size_t tried = 0; tried < N && fields[i % N].name != key; ++tried) ++i;
    i %= N;
    if (fields[i].name != key) {
      reader.fail(fmt::format("the unknown field {}", shortened(jsonString(key))),
                  fmt::format("a field of {}{}", what, suggestion(key, fieldNames(fields))));
    }
    if (seen >> i & 1u) {
      reader.fail(fmt::format("the field {} a second time", jsonString(key)), "each field once");
    }
    seen |= FieldSet{1} << i;
    guess = i + 1;
    fields[i].read(reader, result);
  });
  for (std::size_t i = 0; i < N; ++i) {
    if (fields[i].required.empty() || (seen >> i & 1u) != 0) continue;
    reader.noteAt(start, reader.path(), fmt::format("no field {}", jsonString(fields[i].name)),
                  std::string{fields[i].required});
  }
  return seen;
}

}  // namespace msd_scene
