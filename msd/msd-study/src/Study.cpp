#include "msd-study/src/Study.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "msd-import/src/ImportRobot.hpp"
#include "msd-scene/src/JsonReader.hpp"
#include "msd-scene/src/SceneError.hpp"
#include "msd-scene/src/WriteScene.hpp"
#include "msd-study/src/CaseRunner.hpp"
#include "msd-study/src/Measures.hpp"
#include "msd-study/src/ParseStudy.hpp"

namespace msd_study {

namespace {

namespace fs = std::filesystem;
using msd_scene::LoadedScene;
using msd_scene::SceneError;

/// A mistake that was found without the study's text at hand: its place is looked up.
[[noreturn]] void rethrowLocated(const SceneError& error, const StudyTexts& texts) {
  msd_scene::SceneProblem problem = error.problem();
  if (problem.source.empty()) problem.source = texts.source;
  if (problem.position.line == 0 && !problem.path.segments().empty()) {
    problem.position = msd_scene::findPosition(texts.study, problem.path);
  }
  throw SceneError{problem};
}

bool hasSceneParameters(const StudyDocument& document) {
  return std::ranges::any_of(document.parameters, [](const StudyParameter& parameter) {
    return std::ranges::any_of(parameter.targets, isSceneParameter);
  });
}

StudyDocument completed(StudyDocument document, LoadedScene& scene) {
  if (document.steps) scene.document.steps = *document.steps;
  return document;
}

}  // namespace

Study::Study(StudyTexts texts, LoadedScene scene)
    : texts_{std::move(texts)},
      document_{completed(parseStudy(texts_.study, texts_.source), scene)},
      parameters_{document_},
      scene_{std::move(scene)} {
  const CsvTable rows =
      document_.table.empty() ? CsvTable{} : parseCsv(texts_.table, document_.table);
  try {
    if (variesParameters()) {
      parameters_.demandThatExist(scene_.parameters);
      bundle_ = SceneBundle::parse(texts_.scene);
    }
    cases_ = std::make_unique<CaseTable>(document_, rows);
    (void)makePatch();  // finds paths that lead nowhere
    checkMeasures(document_, scene_.document);
  } catch (const SceneError& error) {
    rethrowLocated(error, texts_);
  }
}

std::unique_ptr<Study> Study::load(const fs::path& path) {
  StudyTexts texts{.source = path.string(), .study = msd_scene::readTextFile(path)};
  const StudyDocument document = parseStudy(texts.study, texts.source);
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path{"."};
  const fs::path file = folder / document.scene;
  LoadedScene scene = msd_import::loadAnyFile(file);
  texts.scene = hasSceneParameters(document) && !scene.parameters.empty()
                    ? SceneBundle::read(file).text()
                    : msd_scene::writeScene(scene.document, {.embedMeshes = true});
  if (!document.table.empty()) texts.table = msd_scene::readTextFile(folder / document.table);
  return std::unique_ptr<Study>{new Study{std::move(texts), std::move(scene)}};
}

std::unique_ptr<Study> Study::fromTexts(StudyTexts texts) {
  LoadedScene scene = SceneBundle::isBundle(texts.scene)
                          ? SceneBundle::parse(texts.scene).load({})
                          : msd_scene::loadScene(std::as_bytes(std::span{texts.scene}),
                                                 "the study's scene", msd_scene::noMeshes());
  return std::unique_ptr<Study>{new Study{std::move(texts), std::move(scene)}};
}

std::string Study::name() const {
  return document_.name.empty() ? fs::path{texts_.source}.stem().string() : document_.name;
}

MakeCaseFunction Study::runners() const {
  return [this]() -> CaseFunction {
    const auto runner = std::make_shared<CaseRunner>(*this);
    return [runner](const CaseOrder& order) { return runner->run(order); };
  };
}

LoadedScene Study::expandedFor(std::span<const double> values) const {
  LoadedScene scene = bundle_.load(parameters_.of(values));
  if (document_.steps) scene.document.steps = *document_.steps;
  checkMeasures(document_, scene.document);
  return scene;
}

msd_scene::SceneDocument Study::sceneOf(std::uint64_t index) const {
  const std::vector<double> values = cases_->values(index);
  msd_scene::SceneDocument document =
      variesParameters() ? expandedFor(values).document : scene_.document;
  document.expect.clear();
  makePatch(document).apply(values, document);
  return document;
}

}  // namespace msd_study
