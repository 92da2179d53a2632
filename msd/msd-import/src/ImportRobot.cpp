#include "msd-import/src/ImportRobot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "msd-import/src/MjcfReader.hpp"
#include "msd-import/src/RobotDocument.hpp"
#include "msd-scene/src/ValidateScene.hpp"

namespace msd_import {

namespace {

using msd_scene::SceneError;
using msd_scene::SceneProblem;

/// Where the thing that an issue of the document speaks of was written.
Place placeOf(const msd_scene::JsonPath& path, const RobotDocument& robot) {
  const auto& segments = path.segments();
  if (segments.size() < 2) return {};
  const auto* list = std::get_if<std::string>(&segments[0]);
  if (const auto* index = std::get_if<std::size_t>(&segments[1])) {
    const auto& places = *list == "bodies" ? robot.bodyPlaces : robot.jointPlaces;
    return (*list == "bodies" || *list == "joints") && *index < places.size() ? places[*index]
                                                                              : Place{};
  }
  const auto shape = robot.shapePlaces.find(std::get<std::string>(segments[1]));
  return *list == "shapes" && shape != robot.shapePlaces.end() ? shape->second : Place{};
}

SceneProblem located(const msd_scene::SceneIssue& issue, const RobotDocument& robot,
                     std::string_view source) {
  const Place place = placeOf(issue.path, robot);
  return {.source = place.file ? *place.file : std::string{source},
          .position = {static_cast<std::size_t>(std::max(place.line, 0)), 0},
          .path = issue.path,
          .found = issue.found,
          .expected = issue.expected};
}

void refuseNotes(const std::vector<ImportNote>& notes) {
  const auto first = std::ranges::find(notes, false, &ImportNote::minor);
  if (first == notes.end()) return;
  throw SceneError{{.source = first->place.file ? *first->place.file : std::string{},
                    .position = {static_cast<std::size_t>(std::max(first->place.line, 0)), 0},
                    .found = fmt::format("{} ({})", first->what, first->why),
                    .expected = "only what can be carried over"}};
}

}  // namespace

RobotModel readRobot(std::string_view text, std::string_view source, const FileFinder& files,
                     const ImportOptions& options) {
  const XmlNode root = parseXml(text, source);
  if (root.name == "robot") return readUrdf(root, files, options);
  if (root.name == "mujoco") return readMjcf(root, files);
  failAt(root, {}, fmt::format("the root element <{}>", root.name), "<robot> (URDF) or <mujoco> (MJCF)");
}

ImportedScene importRobot(std::string_view text, std::string_view source, const FileFinder& files,
                          const ImportOptions& options) {
  RobotDocument robot = makeDocument(readRobot(text, source, files, options), options);
  if (options.strict) refuseNotes(robot.notes);
  if (robot.document.name.empty()) {
    robot.document.name = std::filesystem::path{std::string{source}}.stem().string();
  }
  msd_scene::Validation validation = msd_scene::validate(robot.document);
  if (const msd_scene::SceneIssue* error = validation.firstError()) {
    throw SceneError{located(*error, robot, source)};
  }
  ImportedScene result{.notes = std::move(robot.notes)};
  for (const msd_scene::SceneIssue& issue : validation.issues) {
    result.scene.warnings.push_back(located(issue, robot, source));
  }
  result.scene.shapes = std::move(validation.shapes);
  result.scene.document = std::move(robot.document);
  return result;
}

ImportedScene importRobotFile(const std::filesystem::path& path, const ImportOptions& options) {
  return importRobot(msd_scene::readTextFile(path), path.string(),
                     filesOnDisk(options.searchPaths), options);
}

bool isRobotFile(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::ranges::transform(extension, extension.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  return extension == ".urdf" || extension == ".xml" || extension == ".mjcf";
}

msd_scene::LoadedScene loadAnyFile(const std::filesystem::path& path, const ImportOptions& options) {
  if (!isRobotFile(path)) return msd_scene::loadSceneFile(path);
  ImportedScene imported = importRobotFile(path, options);
  for (const ImportNote& note : imported.notes) {
    if (note.minor) continue;
    imported.scene.warnings.push_back(
        {.source = note.place.file ? *note.place.file : std::string{},
         .position = {static_cast<std::size_t>(std::max(note.place.line, 0)), 0},
         .found = note.count > 1 ? fmt::format("{} ({} times)", note.what, note.count) : note.what,
         .expected = fmt::format("only what can be carried over: {}", note.why)});
  }
  return std::move(imported.scene);
}

}  // namespace msd_import
