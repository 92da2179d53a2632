#pragma once

#include <map>
#include <stdexcept>
#include <string>

#include "msd-import/src/ImportRobot.hpp"

namespace msd_import::test {

/// Files that exist in a test alone.
inline FileFinder filesOf(std::map<std::string, std::string> files) {
  return [files = std::move(files)](const std::string& written, const std::string&) -> FoundFile {
    const auto found = files.find(written);
    if (found == files.end()) throw std::runtime_error{"no file of this name"};
    return {written, found->second};
  };
}

/// The message of the error that importing a text ends with; empty where there is none.
inline std::string errorOf(const std::string& text, const FileFinder& files = noFiles(),
                           const ImportOptions& options = {}) {
  try {
    (void)importRobot(text, "robot.xml", files, options);
  } catch (const msd_scene::SceneError& error) {
    return error.what();
  }
  return {};
}

inline const msd_scene::SceneBody& bodyNamed(const ImportedScene& robot, const std::string& name) {
  for (const auto& body : robot.scene.document.bodies) {
    if (body.name == name) return body;
  }
  throw std::out_of_range{"no body " + name};
}

inline const msd_scene::SceneJoint& jointNamed(const ImportedScene& robot,
                                               const std::string& name) {
  for (const auto& joint : robot.scene.document.joints) {
    if (joint.name == name) return joint;
  }
  throw std::out_of_range{"no joint " + name};
}

}  // namespace msd_import::test
