#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "msd-scene/src/SceneDocument.hpp"
#include "msd-study/src/CaseTable.hpp"
#include "msd-study/src/StudyDocument.hpp"

namespace msd_study {

/// Puts the values of a case into a scene: the bodies, joints, shapes and materials that a study's paths
/// lead to are written and read again, each alone; the rest of the document is not touched. All cases
/// touch the same things, so one document serves case after case. Paths to the scene's own parameters are
/// passed over: SceneParameters has them. Of one thread at a time.
class ScenePatch {
 public:
  /// What is written and read again as a whole.
  enum class Part { kTop, kSolver, kMaterial, kShape, kBody, kJoint };

  /// Throws msd_scene::SceneError for a path that leads nowhere.
  ScenePatch(const StudyDocument& study, const std::vector<CaseColumn>& columns,
             const msd_scene::SceneDocument& scene);
  ~ScenePatch();
  ScenePatch(ScenePatch&&) noexcept;
  ScenePatch(const ScenePatch&) = delete;
  ScenePatch& operator=(const ScenePatch&) = delete;
  ScenePatch& operator=(ScenePatch&&) = delete;

  /// Throws msd_scene::SceneError for a value of a wrong kind. Ranges are validate()'s to judge.
  void apply(std::span<const double> values, msd_scene::SceneDocument& scene);

  /// Shapes that some value changes, and compounds made of them, by place in the document.
  [[nodiscard]] const std::vector<bool>& changedShapes() const { return changed_shapes_; }
  /// Bodies whose place, velocity or constant force some value changes, by place in the document;
  /// nothing else of them changes.
  [[nodiscard]] const std::vector<std::size_t>& movedBodies() const { return moved_bodies_; }
  /// Whether all that changes is how bodies stand and move at the start, the forces on them, gravity
  /// and time: then one world serves all cases.
  [[nodiscard]] bool changesStartOnly() const { return changes_start_only_; }

 private:
  struct Element;
  Element& elementAt(Part part, std::size_t place);
  void sortChanges(const msd_scene::SceneDocument& scene);

  std::vector<std::unique_ptr<Element>> elements_;
  std::vector<bool> changed_shapes_;
  std::vector<std::size_t> moved_bodies_;
  bool changes_start_only_{true};
};

}  // namespace msd_study
