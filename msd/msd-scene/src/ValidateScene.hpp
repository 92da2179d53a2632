#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "msd-scene/src/JsonPath.hpp"
#include "msd-scene/src/SceneDocument.hpp"
#include "msd-scene/src/SceneShapes.hpp"

namespace msd_scene {

/// Something about a document that is wrong, or that a user should know.
struct SceneIssue {
  enum class Severity : std::uint8_t {
    kWarning,  ///< the scene runs, but perhaps not as meant
    kError,    ///< the scene cannot be built
  };
  Severity severity{Severity::kError};
  JsonPath path{};
  std::string found{};
  std::string expected{};
};

/// What validation found, and the shapes it had to build to find it.
struct Validation {
  std::vector<SceneIssue> issues{};  ///< at most kMaxIssues of each severity
  SceneShapes shapes{};              ///< complete when there is no error

  static constexpr std::size_t kMaxIssues = 100;
  [[nodiscard]] const SceneIssue* firstError() const;
};

/// Checks what a document says: ranges of all numbers (Limits.hpp), names and references, shapes
/// that can be built, shapes that may move, masses, joints. docs/scene-format.md has the rules.
[[nodiscard]] Validation validate(const SceneDocument& document);

/// Shapes of a document that were built and checked before, for one that differs in some of them.
struct KnownShapes {
  const SceneShapes& shapes;         ///< in the order of the document's
  const std::vector<bool>& changed;  ///< those that must be built anew, compounds of them included
};

/// The same, sharing the shapes that are known instead of building them again.
[[nodiscard]] Validation validate(const SceneDocument& document, const KnownShapes& known);

}  // namespace msd_scene
