#pragma once

#include <string_view>

#include "msd-study/src/StudyDocument.hpp"

namespace msd_study {

/// The text as a study: syntax, types, fields, and what can be said without the scene. Throws
/// msd_scene::SceneError, which names file, line, path, what was found and what was expected.
[[nodiscard]] StudyDocument parseStudy(std::string_view text, std::string_view source);

/// The names of all fields, for the documentation's test.
[[nodiscard]] std::vector<std::string_view> studyFieldNames();

}  // namespace msd_study
