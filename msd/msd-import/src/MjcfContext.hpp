#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "msd-import/src/ImportNotes.hpp"
#include "msd-import/src/MjcfDefaults.hpp"
#include "msd-import/src/RobotFiles.hpp"
#include "msd-import/src/RobotModel.hpp"
#include "msd-import/src/XmlTree.hpp"

namespace msd_import {

/// `<compiler>`: how the rest of the file is to be read.
struct MjcfCompiler {
  double angleUnit{0.017453292519943295};  ///< radians per unit of angle
  std::string eulerSequence{"xyz"};
  enum class FromGeoms {
    kNever,
    kWhereMissing,
    kAlways
  } inertiaFromGeoms{FromGeoms::kWhereMissing};
  bool balanceInertia{false};
  double boundMass{0.0};
  double boundInertia{0.0};
  double totalMass{-1.0};
  bool autoLimits{true};
  bool exactMeshInertia{false};
  bool stripPath{false};
  std::string meshFolder{};
  int firstGroup{0};  ///< geoms of these groups have mass
  int lastGroup{5};
};

/// A file as it is read, and what has been understood of it so far.
struct MjcfContext {
  const FileFinder& files;
  std::string mainFile{};
  MjcfCompiler compiler{};
  MjcfDefaults defaults{};
  RobotModel robot{};
  NoteList notes{};
  std::map<std::string, std::shared_ptr<const RobotMesh>> meshes{};
  std::map<std::string, bool> meshIsExact{};
  std::map<std::string, std::shared_ptr<const RobotField>> fields{};
  std::map<std::string, Colour> materials{};
  std::map<std::string, std::size_t> links{};
  bool gravity{true};
  bool limits{true};
  bool equalities{true};
};

// --- one function per part of a file ---

/// Replaces every <include> by what it names. Throws for a file that includes itself.
[[nodiscard]] XmlNode expandIncludes(const XmlNode& root, const FileFinder& files);
/// Notes what is not carried over (MjcfRules.cpp).
void noteMjcf(const XmlNode& root, NoteList& notes);
void readCompiler(const XmlNode& root, MjcfContext& context);  // MjcfSettings.cpp
void readOption(const XmlNode& root, MjcfContext& context);
void readAssets(const XmlNode& root, MjcfContext& context);     // MjcfAssets.cpp
void readWorldBody(const XmlNode& root, MjcfContext& context);  // MjcfBodies.cpp
void readContacts(const XmlNode& root, MjcfContext& context);   // MjcfRelations.cpp
void readEqualities(const XmlNode& root, MjcfContext& context);
void readTendons(const XmlNode& root, MjcfContext& context);
void readActuators(const XmlNode& root, MjcfContext& context);  // MjcfActuators.cpp
void readSensors(const XmlNode& root, MjcfContext& context);
void readKeyframes(const XmlNode& root, MjcfContext& context);

// --- values with MJCF's meaning (MjcfValues.cpp) ---

/// quat, axisangle, euler, xyaxes or zaxis.
[[nodiscard]] Quaternion readOrientation(const XmlNode& node, const MjcfCompiler& compiler);
/// `pos` and the orientation.
[[nodiscard]] Pose readPose(const XmlNode& node, const MjcfCompiler& compiler);
/// Is a range in force: `limited`, or, where that is left open, whether a range is given.
[[nodiscard]] bool isLimited(const XmlNode& node, std::string_view limited, std::string_view range,
                             const MjcfCompiler& compiler);
/// Type, size, fromto, mesh and hfield of a geom or site, and its pose.
void readShape(const XmlNode& node, MjcfContext& context, RobotGeometry& geometry, Pose& pose);
/// The link a name refers to ("world" is RobotLink::kWorld).
[[nodiscard]] std::size_t requireLink(const XmlNode& node, std::string_view attribute,
                                      const MjcfContext& context);
/// The joint of a name, or null.
[[nodiscard]] RobotJoint* findJoint(RobotModel& robot, std::string_view name);

}  // namespace msd_import
