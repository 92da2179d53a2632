#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "msd-scene/src/ReadScene.hpp"
#include "msd-study/src/CaseResult.hpp"
#include "msd-study/src/CaseTable.hpp"
#include "msd-study/src/SceneBundle.hpp"
#include "msd-study/src/SceneParameters.hpp"
#include "msd-study/src/ScenePatch.hpp"
#include "msd-study/src/StudyDocument.hpp"

namespace msd_study {

/// All that a study is made of, as text that stands alone: what is stored with the results and sent to
/// other machines.
struct StudyTexts {
  std::string source{};  ///< the study's file, for messages
  std::string study{};
  /// With its meshes; a SceneBundle where the scene's own parameters vary.
  std::string scene{};
  std::string table{};  ///< the CSV of cases, where there is one
};

/// A study that is ready to run: read, checked against its scene, its cases counted.
class Study {
 public:
  /// Throws msd_scene::SceneError for whatever is wrong with the study, its scene or its table.
  [[nodiscard]] static std::unique_ptr<Study> load(const std::filesystem::path& path);
  [[nodiscard]] static std::unique_ptr<Study> fromTexts(StudyTexts texts);
  Study(const Study&) = delete;
  Study& operator=(const Study&) = delete;

  [[nodiscard]] const StudyDocument& document() const { return document_; }
  [[nodiscard]] const msd_scene::LoadedScene& scene() const { return scene_; }
  [[nodiscard]] const CaseTable& cases() const { return *cases_; }
  /// Of each worker its own.
  [[nodiscard]] ScenePatch makePatch() const { return makePatch(scene_.document); }
  [[nodiscard]] ScenePatch makePatch(const msd_scene::SceneDocument& scene) const {
    return {document_, cases_->columns(), scene};
  }
  /// Whether cases have other values of the scene's own parameters; the scene is then expanded anew for
  /// every case.
  [[nodiscard]] bool variesParameters() const { return !parameters_.empty(); }
  /// The scene with a case's values of its own parameters, and of nothing else.
  [[nodiscard]] msd_scene::LoadedScene expandedFor(std::span<const double> values) const;
  [[nodiscard]] const StudyTexts& texts() const { return texts_; }
  /// The study's own name, or its file's.
  [[nodiscard]] std::string name() const;

  /// Runs cases of this study, which must outlive it.
  [[nodiscard]] MakeCaseFunction runners() const;

  /// The scene of a case, as a file would hold it.
  [[nodiscard]] msd_scene::SceneDocument sceneOf(std::uint64_t index) const;

 private:
  Study(StudyTexts texts, msd_scene::LoadedScene scene);

  StudyTexts texts_;
  StudyDocument document_;
  SceneParameters parameters_;
  SceneBundle bundle_;  ///< where parameters vary
  msd_scene::LoadedScene scene_;
  std::unique_ptr<CaseTable> cases_;
};

}  // namespace msd_study
