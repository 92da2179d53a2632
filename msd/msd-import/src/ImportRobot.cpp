#include "msd-import/src/ImportRobot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "msd-import/src/MjcfReader.hpp"
#include "msd-import/src/RobotDocument.hpp"
#include "msd-import/src/UrdfReader.hpp"
#include "msd-scene/src/ValidateScene.hpp"
#include "msd-scene/src/WriteScene.hpp"

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

SceneProblem warningOf(const ImportNote& note) {
  return {.source = note.place.file ? *note.place.file : std::string{},
          .position = {static_cast<std::size_t>(std::max(note.place.line, 0)), 0},
          .found = note.count > 1 ? fmt::format("{} ({} times)", note.what, note.count) : note.what,
          .expected = fmt::format("only what can be carried over: {}", note.why)};
}

constexpr std::string_view kStandardInput = "-";

/// Does a text begin as XML does?
bool isXml(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  return first != std::string_view::npos && text[first] == '<';
}

/// A robot's names mean themselves: ${ in them is no expression.
std::string withoutExpressions(std::string text) {
  for (std::size_t at = text.find("${"); at != std::string::npos; at = text.find("${", at + 3)) {
    text.insert(at, 1, '$');
  }
  return text;
}

}  // namespace

RobotModel readRobot(std::string_view text, std::string_view source, const FileFinder& files,
                     const ImportOptions& options) {
  const XmlNode root = parseXml(text, source);
  if (root.name == "robot") return readUrdf(root, files, options);
  if (root.name == "mujoco") return readMjcf(root, files);
  failAt(root, {}, fmt::format("the root element <{}>", root.name),
         "<robot> (URDF) or <mujoco> (MJCF)");
}

ImportedScene importRobot(std::string_view text, std::string_view source, const FileFinder& files,
                          const ImportOptions& options) {
  RobotDocument robot = makeDocument(readRobot(text, source, files, options), options);
  if (options.strict) refuseNotes(robot.notes);
  if (robot.document.name.empty()) {
    robot.document.name = std::filesystem::path{std::string{source}}.stem().string();
    std::ranges::replace_if(
        robot.document.name, [](unsigned char c) { return c < 0x20; }, '_');
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
  const bool isInput = path == kStandardInput;
  return importRobot(msd_scene::readTextFile(isInput ? "/dev/stdin" : path),
                     isInput ? "standard input" : path.string(), filesOnDisk(options.searchPaths),
                     options);
}

bool isRobotFile(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::ranges::transform(extension, extension.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  return extension == ".urdf" || extension == ".xml" || extension == ".mjcf";
}

msd_scene::SceneResolver scenesAndRobotsInFolder(const std::filesystem::path& folder,
                                                 std::vector<SceneProblem>& warnings) {
  return [folder, scenes = msd_scene::scenesInFolder(folder), &warnings](const std::string& file) {
    const std::string text = scenes(file);
    if (!isRobotFile(file)) return text;
    const ImportedScene robot = importRobot(text, (folder / file).string(), filesOnDisk({}));
    for (const ImportNote& note : robot.notes) {
      if (!note.minor) warnings.push_back(warningOf(note));
    }
    return withoutExpressions(msd_scene::writeScene(robot.scene.document, {.embedMeshes = true}));
  };
}

msd_scene::LoadedScene loadAnyFile(const std::filesystem::path& path, const ImportOptions& options,
                                   const msd_scene::Variables& parameters) {
  const bool isInput = path == kStandardInput;
  const std::string text = msd_scene::readTextFile(isInput ? "/dev/stdin" : path);
  const std::string source = isInput ? "standard input" : path.string();
  if (isInput ? !isXml(text) : !isRobotFile(path)) {
    const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
    std::vector<SceneProblem> warnings;
    msd_scene::LoadedScene scene = msd_scene::loadScene(
        std::as_bytes(std::span{text}), source, msd_scene::meshesInFolder(folder),
        {.parameters = parameters, .files = scenesAndRobotsInFolder(folder, warnings)});
    scene.warnings.insert(scene.warnings.end(), warnings.begin(), warnings.end());
    return scene;
  }
  if (!parameters.empty()) {
    throw SceneError{{.source = source,
                      .found = fmt::format("no parameter \"{}\"", parameters.begin()->first),
                      .expected = "no parameters: a robot file has none"}};
  }
  ImportedScene imported = importRobot(text, source, filesOnDisk(options.searchPaths), options);
  for (const ImportNote& note : imported.notes) {
    if (!note.minor) imported.scene.warnings.push_back(warningOf(note));
  }
  return std::move(imported.scene);
}

}  // namespace msd_import
