#include "msd-import/src/MjcfReader.hpp"

#include <utility>

#include "msd-import/src/MjcfContext.hpp"

namespace msd_import {

RobotModel readMjcf(const XmlNode& written, const FileFinder& files) {
  const XmlNode root = expandIncludes(written, files);
  MjcfContext context{.files = files, .mainFile = *written.file};
  context.robot.name = root.text("model");
  context.robot.largerFrictionCounts = true;
  noteMjcf(root, context.notes);
  context.defaults.read(root);
  readCompiler(root, context);
  readOption(root, context);
  readAssets(root, context);
  readWorldBody(root, context);
  readContacts(root, context);
  readEqualities(root, context);
  readTendons(root, context);
  readActuators(root, context);
  readSensors(root, context);
  readKeyframes(root, context);
  context.robot.notes = context.notes.take();
  return std::move(context.robot);
}

}  // namespace msd_import
