#pragma once

#include <optional>
#include <vector>

#include "msd-assets/src/MassProperties.hpp"
#include "msd-scene/src/IssueList.hpp"
#include "msd-scene/src/Limits.hpp"
#include "msd-scene/src/SceneDocument.hpp"
#include "msd-scene/src/SceneShapes.hpp"
#include "msd-scene/src/ValidateScene.hpp"

namespace msd_scene {

/// The checks behind validate(), one group per part of a document.
class SceneValidator {
 public:
  SceneValidator(const SceneDocument& document, Validation& result,
                 const KnownShapes* known = nullptr);
  void run();

 private:
  void checkTop();  // ValidateScene.cpp
  void checkSolver();
  void checkCamera();
  void checkMaterials();
  void checkPairs();
  void checkExclude();
  void checkSensors();
  void checkSensor(std::size_t i);
  void checkPotentials();
  void checkExpectations();
  void checkExpectation(std::size_t i);
  void checkQuantity(const SceneExpectation& e, const JsonPath& path);

  void checkShapes();  // ValidateShapes.cpp
  void checkShape(std::size_t i);
  void checkGeometry(const JsonPath& path, const SphereShape& shape);
  void checkGeometry(const JsonPath& path, const BoxShape& shape);
  void checkGeometry(const JsonPath& path, const CapsuleShape& shape);
  void checkGeometry(const JsonPath& path, const CylinderShape& shape);
  void checkGeometry(const JsonPath& path, const HullShape& shape);
  void checkGeometry(const JsonPath& path, const MeshShape& shape);
  void checkGeometry(const JsonPath& path, const PlaneShape& shape);
  void checkGeometry(const JsonPath& path, const HeightFieldShape& shape);
  void checkGeometry(const JsonPath& path, const CompoundShape& shape);
  void checkScale(const JsonPath& path, const Vector3D& scale);
  void checkPoints(const JsonPath& path, const std::vector<Coordinate>& points);
  void checkSize(std::size_t i);
  void checkSurface(std::size_t i);

  void checkBodies();  // ValidateBodies.cpp
  void checkBody(std::size_t i);
  void checkVisuals(std::size_t i);
  void checkPlacement(std::size_t i);
  void checkStatic(std::size_t i);
  void checkMoving(std::size_t i);
  void checkMass(std::size_t i, std::size_t shape, std::size_t material);
  void checkInertia(std::size_t i);

  void checkJoints();  // ValidateJoints.cpp
  void checkJoint(std::size_t i);
  void checkJointBodies(std::size_t i);
  void checkJointGeometry(std::size_t i);
  void checkJointDrive(std::size_t i);
  void checkMotor(const JsonPath& motor, const SceneMotor& m);
  void checkFollows(std::size_t i);
  void checkJointBreaking(std::size_t i);

  /// Moments in order, none before the start.
  template <class Value>
  void checkTimes(const JsonPath& path, const std::vector<AtTime<Value>>& entries) {
    double last = 0.0;
    for (std::size_t k = 0; k < entries.size(); ++k) {
      issues_.demand(entries[k].at, {last, Limits::kMaxTime, "[s], not before the entry above"},
                     [&] { return path / k / "at"; });
      last = entries[k].at;
    }
  }

  /// Reports a reference to nothing, with the nearest name.
  void missing(const JsonPath& path, std::string_view name, const NameTable& known,
               std::string_view what);

  const SceneDocument& document_;
  Validation& result_;
  const KnownShapes* known_;  ///< null: every shape is built
  IssueList issues_;
  NameTable materials_;
  NameTable shapes_;
  NameTable bodies_;
  NameTable joints_;
  NameTable sensors_;
  std::vector<bool> shape_is_good_;
  std::vector<std::optional<msd_assets::MassProperties>> mass_;  ///< per shape, when needed
};

}  // namespace msd_scene
