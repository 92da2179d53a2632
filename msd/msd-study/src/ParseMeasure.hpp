#pragma once

#include <fmt/format.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "msd-scene/src/JsonReader.hpp"
#include "msd-scene/src/JsonText.hpp"
#include "msd-study/src/StudyDocument.hpp"

namespace msd_study {

/// The parts of a study about its results; ParseStudy.cpp has the rest.
void readMeasures(msd_scene::JsonReader& reader, StudyDocument& document);
void readSuccess(msd_scene::JsonReader& reader, StudyDocument& document);
void readChecks(msd_scene::JsonReader& reader, StudyDocument& document);
/// What success and checks name must be there.
void checkReferences(msd_scene::JsonReader& reader, const StudyDocument& document);
[[nodiscard]] std::vector<std::string_view> measureFieldNames();

/// A name that can be a column of a table and an array of a file: letters, digits and _, at most
/// 64, a letter first.
void checkColumnName(msd_scene::JsonReader& reader, std::string_view name);

/// Reads an object whose keys are names of columns. Each may occur once.
template <class OnEntry>
void readNamed(msd_scene::JsonReader& reader, std::string_view what, OnEntry&& onEntry) {
  std::set<std::string, std::less<>> names;
  reader.readObject(fmt::format("an object: {} by name", what), [&](std::string_view key) {
    checkColumnName(reader, key);
    if (!names.emplace(key).second) {
      reader.fail(fmt::format("the name {} a second time", msd_scene::jsonString(key)),
                  "each name once");
    }
    onEntry(std::string{key});
  });
}

}  // namespace msd_study
