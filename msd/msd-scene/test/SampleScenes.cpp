#include "msd-scene/test/SampleScenes.hpp"

#include <stdexcept>

namespace msd_scene::test {

std::string_view fullScene() {
  return R"({
  "version": 1,
  "name": "everything",
  "description": "Every field once. Ünïcode, \"quotes\" and \u0041 too.",
  "gravity": [0, 0, -9.81],
  "dt": 0.005,
  "steps": 400,
  "solver": {"method": "exact", "substeps": 2, "iterations": 3, "exactTolerance": 1e-9,
    "exactIterations": 500, "restitutionThreshold": 0.25, "positionCorrection": 0.3,
    "baumgarte": 0.1, "correctionSpeed": 4, "sleeping": false, "sleepSpeed": 0.01, "sleepTime": 1.5,
    "sequentialImpacts": true},
  "camera": {"position": [10, -10, 6], "target": [0, 0, 1]},
  "materials": {
    "default": {"friction": 0.6, "restitution": 0.1, "density": 900},
    "rubber": {"friction": 1.1, "restitution": 0.8, "density": 1200,
      "rollingResistance": 0.002, "torsionalResistance": 0.001, "stiffness": 70000, "damping": 200}
  },
  "pairs": [
    {"materials": ["default", "rubber"], "friction": 0.7, "restitution": 0.2,
      "rollingResistance": 0.001, "torsionalResistance": 0.0005}
  ],
  "shapes": {
    "ball": {"type": "sphere", "radius": 0.5},
    "brick": {"type": "box", "halfExtents": [0.2, 0.1, 0.05]},
    "pill": {"type": "capsule", "radius": 0.1, "halfHeight": 0.3},
    "coin": {"type": "cylinder", "radius": 0.3, "halfHeight": 0.02},
    "wedge": {"type": "hull", "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]},
    "ramp": {"type": "mesh", "vertices": [[-5, -5, 0], [5, -5, 0], [5, 5, 1], [-5, 5, 1]],
      "triangles": [[0, 1, 2], [0, 2, 3]]},
    "ground": {"type": "plane", "normal": [0, 0, 1], "offset": -2},
    "hills": {"type": "heightfield", "columns": 3, "rows": 2, "cellSize": [1.5, 2],
      "heights": [0, 0.1, 0, 0.2, 0.3, 0.1]},
    "hammer": {"type": "compound", "parts": [
      {"shape": "brick", "position": [0, 0, 0.5]},
      {"shape": "pill", "position": [0, 0, 0], "orientation": [0.6, 0.8, 0, 0]}]}
  },
  "bodies": [
    {"name": "ground", "shape": "ground", "static": true},
    {"name": "terrain", "shape": "hills", "static": true, "position": [20, 0, 0]},
    {"name": "slope", "shape": "ramp", "static": true, "position": [0, 20, 0]},
    {"name": "lift", "shape": "coin", "kinematic": true, "position": [-9, 0, 1],
      "linearVelocity": [0, 0, 0.2]},
    {"name": "ball", "shape": "ball", "material": "rubber", "static": false,
      "position": [0, 0, 2], "orientation": [1, 0, 0, 0], "linearVelocity": [1, 0, 0],
      "angularVelocity": [0, 0, 3], "collides": true, "force": [0.5, 0, 0], "torque": [0, 0, 0.25],
      "forces": [{"at": 0.25, "value": [0, 0, 0]}, {"at": 0.75, "value": [0, 1, 0]}],
      "torques": [{"at": 0, "value": [0, 0, 0]}],
      "surfaceVelocity": [0.5, 0, 0], "linearDamping": 0.01, "angularDamping": 0.02, "layer": 2, "mask": 3, "continuous": true,
      "maySleep": false, "colour": [0.9, 0.2, 0.1, 0.5],
      "visual": [{"shape": "hills", "position": [0, 0, 1], "orientation": [0, 1, 0, 0], "colour": [1, 1, 0, 1]}]},
    {"name": "hammer", "shape": "hammer", "position": [3, 0, 2], "mass": 2.5,
      "inertia": [0.2, 0.25, 0.1, 0.01, 0, -0.02], "centreOfMass": [0, 0, 0.3]},
    {"name": "wedge", "shape": "wedge", "position": [-3, 0, 2]},
    {"name": "pill", "shape": "pill", "position": [-4, 0, 2]}
  ],
  "joints": [
    {"type": "ball", "bodyA": "ball", "bodyB": "wedge", "anchor": [0, 0, 2.5],
      "collideConnected": true},
    {"type": "hinge", "name": "door", "bodyA": null, "bodyB": "hammer", "anchor": [3, 0, 2],
      "axis": [0, 1, 0], "limit": {"lower": -1, "upper": 1.5}, "friction": 0.1,
      "motor": {"mode": "position", "target": 0.5, "maxForce": 20, "frequency": 2,
        "dampingRatio": 0.7, "carriesLoad": false, "inverseDynamics": true}, "armature": 0.02, "stiffness": 3,
      "damping": 0.2, "rest": 0.1, "breakingForce": 1000, "breakingTorque": 200},
    {"type": "slider", "follows": {"joint": "door", "ratio": -2, "offset": 0.5}, "bodyA": "world", "bodyB": "pill", "anchor": [-4, 0, 2], "axis": [1, 0, 0],
      "limit": {"upper": 2}, "motor": {"target": 0.1, "stiffness": 100, "damping": 10,
        "mode": "position", "feedForward": 0.5, "gear": 50, "rotorInertia": 1e-5}},
    {"type": "cylindrical", "bodyA": "pill", "bodyB": "wedge", "anchor": [-4, 0, 2],
      "axis": [0, 0, 1], "motor": {"mode": "force",
        "targets": [{"at": 0, "value": 0}, {"at": 1, "value": 0.5}]}},
    {"type": "universal", "bodyA": "pill", "bodyB": "hammer", "anchor": [0, 0, 2],
      "axis": [1, 0, 0], "axisB": [0, 1, 0]},
    {"type": "fixed", "bodyA": "pill", "bodyB": "ball", "anchor": [0, 0, 2]},
    {"type": "distance", "bodyA": "pill", "bodyB": "ball", "anchor": [0, 0, 2],
      "anchorB": [1, 0, 2], "length": 1},
    {"type": "rope", "bodyA": "pill", "bodyB": "ball", "anchor": [0, 0, 2], "anchorB": [1, 0, 2]},
    {"type": "spring", "bodyA": "pill", "bodyB": "ball", "anchor": [0, 0, 2],
      "anchorB": [1, 0, 2], "stiffness": 50, "damping": 2, "length": 0.5}
  ],
  "potentials": [
    {"type": "uniform", "bodies": ["pill", "wedge"], "force": [0, 0.5, 0], "point": [0.1, 0, 0]},
    {"type": "central", "centre": [0, 0, 50], "strength": 3, "radius": 2},
    {"type": "spring", "bodies": ["hammer"], "anchor": [3, 0, 5], "point": [0, 0, 0.2],
      "stiffness": 10, "length": 1.5}
  ],
  "exclude": [["ball", "pill"], ["hammer", "terrain"]],
  "sensors": [
    {"type": "touch", "name": "skin", "body": "ball", "position": [0, 0, -0.5],
      "orientation": [0.6, 0.8, 0, 0], "halfExtents": [0.1, 0.1, 0.2]},
    {"type": "range", "name": "eye", "body": "world", "range": 20},
    {"type": "jointPosition", "name": "angle", "joint": "door", "offset": 0.25}
  ],
  "expect": [
    {"body": "ball", "quantity": "position.z", "value": 2, "tolerance": 1, "at": 0.5,
      "reference": {"applies": true, "value": 2.1, "tolerance": 1.5}},
    {"joint": "door", "quantity": "coordinate", "min": -1, "max": 1.5,
      "reference": {"applies": false}},
    {"body": "ball", "quantity": "position.x", "max": 9, "at": "max",
      "minus": {"body": "pill", "quantity": "position.y"}},
    {"quantity": "mechanicalEnergy", "max": 1e9, "at": "range", "minus": "start",
      "reference": {"min": 0, "max": 1e10}},
    {"sensor": "angle", "quantity": "value", "min": -1, "minus": {"joint": "door", "quantity": "coordinate"}},
    {"sensor": "eye", "quantity": "value", "min": -2, "at": "min", "minus": {"sensor": "skin"}},
    {"quantity": "deepestPenetration", "max": 0.01, "at": "end"}
  ]
}
)";
}

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  if (at == std::string_view::npos) {
    throw std::logic_error{"the sample scene has no " + std::string{from}};
  }
  return std::string{text.substr(0, at)} + std::string{to} +
         std::string{text.substr(at + from.size())};
}

}  // namespace msd_scene::test
