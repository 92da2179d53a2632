#!/usr/bin/env python3
"""Write the scenes of studies/ that are made by formula, and the studies that speak of their numbers.

Usage: make_studies.py [--compare]

--compare writes nothing and fails where a file differs. Only the standard library is used.
"""

import argparse
import json
import math
import os
import sys

ROOT = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "studies")


def rounded(value):
    return float("%.12g" % value)


def text(document):
    """JSON with one thing a line."""
    def line(value):
        return json.dumps(value, ensure_ascii=False)
    out = []
    for key, value in document.items():
        if isinstance(value, dict) and value and all(isinstance(v, (dict, list)) for v in value.values()):
            rows = ",\n".join("    %s: %s" % (line(k), line(v)) for k, v in value.items())
            out.append("  %s: {\n%s\n  }" % (line(key), rows))
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            out.append("  %s: [\n%s\n  ]" % (line(key), ",\n".join("    " + line(v) for v in value)))
        else:
            out.append("  %s: %s" % (line(key), line(value)))
    return "{\n" + ",\n".join(out) + "\n}\n"


# --- a die ---

DIE = 0.008  # half the edge [m]


def die_scene():
    return {
        "version": 1, "name": "a die",
        "description": "A die of 16 mm, thrown onto a table.",
        "dt": 0.004, "steps": 400,
        "camera": {"position": [0.5, -0.6, 0.4], "target": [0.2, 0, 0]},
        "materials": {"default": {"friction": 0.4, "restitution": 0.4, "density": 1200}},
        "shapes": {"table": {"type": "box", "halfExtents": [5, 5, 0.5]},
                   "die": {"type": "box", "halfExtents": [DIE, DIE, DIE]}},
        "bodies": [
            {"name": "table", "shape": "table", "static": True, "position": [0, 0, -0.5]},
            {"name": "die", "shape": "die", "position": [0, 0, 0.12], "linearVelocity": [0.8, 0, 0.4],
             "mass": rounded(1200 * (2 * DIE) ** 3), "centreOfMass": [0, 0, 0]}],
    }


def dice_study(name, description, cases, low, high, parameters=None):
    spin = {"uniform": [-40, 40], "unit": "rad/s"}
    check = {"measure": "face", "statistic": "chiSquare", "categories": [1, 2, 3, 4, 5, 6]}
    if low is not None:
        check["min"] = low
    if high is not None:
        check["max"] = high
    return {
        "version": 1, "name": name, "description": description, "scene": "scenes/die.json",
        "parameters": {
            "turn": {"path": "bodies.die.orientation", "rotation": "uniform"},
            "speed": {"path": "bodies.die.linearVelocity[0]", "uniform": [0.4, 1.2], "unit": "m/s"},
            "spin_x": dict(path="bodies.die.angularVelocity[0]", **spin),
            "spin_y": dict(path="bodies.die.angularVelocity[1]", **spin),
            "spin_z": dict(path="bodies.die.angularVelocity[2]", **spin),
            **(parameters or {})},
        "sampling": {"method": "random", "cases": cases, "seed": 1},
        "measure": {
            "face": {"body": "die", "quantity": "faceUp"},
            "height": {"body": "die", "quantity": "position.z"},
            "rest": {"body": "die", "quantity": "speed"},
            "distance": {"body": "die", "quantity": "position.x"},
            "bounces": {"body": "die", "event": "hit", "take": "count"}},
        "expect": [check],
    }


# --- a gripper ---

CUBE = 0.03   # half the edge of what is lifted [m]
MASS = 0.5    # [kg]
GAP = 0.01    # between finger and cube at the start [m]


def gripper_scene():
    finger = [0.005, 0.02, 0.03]
    x = CUBE + GAP + finger[0]
    motor = {"mode": "velocity", "target": 0.25, "maxForce": 10}
    return {
        "version": 1, "name": "a gripper",
        "description": "Two fingers close on a cube of 0.5 kg and lift it, where friction carries it: 2 µ F > m g.",
        "dt": 0.004, "steps": 500,
        "camera": {"position": [0.35, -0.5, 0.25], "target": [0, 0, 0.12]},
        "solver": {"sleeping": False},
        "materials": {"default": {"friction": 0.5, "restitution": 0},
                      "pad": {"friction": 0.5, "restitution": 0}},
        "shapes": {"table": {"type": "box", "halfExtents": [1, 1, 0.5]},
                   "cube": {"type": "box", "halfExtents": [CUBE, CUBE, CUBE]},
                   "finger": {"type": "box", "halfExtents": finger},
                   "palm": {"type": "box", "halfExtents": [0.06, 0.02, 0.01]}},
        "bodies": [
            {"name": "table", "shape": "table", "static": True, "position": [0, 0, -0.5]},
            {"name": "cube", "shape": "cube", "material": "pad", "mass": MASS, "position": [0, 0, CUBE]},
            {"name": "palm", "shape": "palm", "mass": 1, "position": [0, 0, 0.09]},
            {"name": "left", "shape": "finger", "material": "pad", "mass": 0.05, "position": [rounded(-x), 0, 0.04]},
            {"name": "right", "shape": "finger", "material": "pad", "mass": 0.05, "position": [rounded(x), 0, 0.04]}],
        "joints": [
            {"name": "lift", "type": "slider", "bodyA": None, "bodyB": "palm", "anchor": [0, 0, 0.09],
             "axis": [0, 0, 1], "motor": {"mode": "velocity", "target": 0.1}},
            {"name": "left", "type": "slider", "bodyA": "palm", "bodyB": "left", "anchor": [rounded(-x), 0, 0.04],
             "axis": [1, 0, 0], "motor": motor},
            {"name": "right", "type": "slider", "bodyA": "palm", "bodyB": "right", "anchor": [rounded(x), 0, 0.04],
             "axis": [-1, 0, 0], "motor": motor}],
    }


def gripper_study():
    return {
        "version": 1, "name": "gripper",
        "description": "Which grips hold: friction of the pads and force of the fingers, on a grid. A cube of mass m is "
                       "carried where 2 µ F > m g, that is µ F > 2.45 N.",
        "scene": "scenes/gripper.json",
        "parameters": {
            "friction": {"path": "materials.pad.friction", "range": {"from": 0.1, "to": 1, "count": 19}},
            "force": {"path": ["joints.left.motor.maxForce", "joints.right.motor.maxForce"],
                      "range": {"from": 1, "to": 20, "count": 20}, "unit": "N"}},
        "measure": {
            "height": {"body": "cube", "quantity": "position.z"},
            "highest": {"body": "cube", "quantity": "position.z", "take": "max"},
            "pressed": {"body": "right", "quantity": "contactForce.x", "take": "max"},
            "joint_error": {"quantity": "jointError", "take": "max"}},
        "success": [{"measure": "height", "min": 0.15}],
        "expect": [
            {"measure": "success", "statistic": "min", "min": 1,
             "where": {"friction": {"min": 0.549}, "force": {"min": 5}}},
            {"measure": "success", "statistic": "max", "max": 0,
             "where": {"friction": {"max": 0.351}, "force": {"max": 6}}}],
    }


# --- a masonry arch ---

STONES = 27
RADIUS = 2.0  # of the middle line [m]
HALF_WIDTH = 0.25
THICKNESS = 0.24


def arch_scene():
    # All stones are one shape, given from the arch's centre and turned into place.
    beta = math.pi / (2 * STONES)
    corners = [(side, y, end) for end in (-1, 1) for side in (-1, 1) for y in (-1, 1)]
    vertices = [[rounded(end * (RADIUS + side * THICKNESS / 2) * math.sin(beta)), y * HALF_WIDTH,
                 rounded((RADIUS + side * THICKNESS / 2) * math.cos(beta))] for side, y, end in corners]
    bodies = [{"name": "ground", "shape": "ground", "position": [0, 0, -1], "static": True}]
    for i in range(STONES):
        angle = math.pi / 2 - (2 * i + 1) * beta  # from the vertical, about y
        bodies.append({"name": "stone %d" % (i + 1), "shape": "stone",
                       "orientation": [rounded(math.cos(angle / 2)), 0, rounded(math.sin(angle / 2)), 0]})
    return {
        "version": 1, "name": "a masonry arch",
        "description": "A semicircle of 27 loose stones of one shape, no mortar.",
        "dt": 0.004, "steps": 1000,
        "camera": {"position": [0, -7, 1.6], "target": [0, 0, 1]},
        "solver": {"method": "exact", "sleeping": False},
        "materials": {"default": {"friction": 0.8, "restitution": 0, "density": 2400}},
        "shapes": {"ground": {"type": "box", "halfExtents": [10, 10, 1]},
                   "stone": {"type": "hull", "vertices": vertices}},
        "bodies": bodies,
    }


def arch_study():
    beta = math.pi / (2 * STONES)
    corners = [(side, y, end) for end in (-1, 1) for side in (-1, 1) for y in (-1, 1)]
    targets = []
    for i, (side, _, end) in enumerate(corners):
        for axis, unit in ((0, end * math.sin(beta)), (2, math.cos(beta))):
            targets.append({"path": "shapes.stone.vertices[%d][%d]" % (i, axis),
                            "scale": rounded(side * RADIUS / 2 * unit), "offset": rounded(RADIUS * unit)})
    return {
        "version": 1, "name": "arch",
        "description": "How thick a semicircular arch must be: it stands where thickness over radius is above 0.1075 "
                       "(Milankovitch 1907), whatever it is made of.",
        "scene": "scenes/arch.json",
        "parameters": {
            "thickness": {"path": targets, "range": {"from": 0.098, "to": 0.118, "count": 11}, "unit": "of the radius"}},
        "measure": {
            "crown": {"body": "stone 14", "quantity": "contacts"},
            "speed": {"body": "stone 14", "quantity": "speed"},
            "motion": {"quantity": "kineticEnergy"},
            "fastest": {"quantity": "kineticEnergy", "take": "max"},
            "penetration": {"quantity": "deepestPenetration", "take": "max"}},
        "success": [{"measure": "fastest", "max": 1e-3}],
        "expect": [
            {"measure": "success", "statistic": "min", "min": 1, "where": {"thickness": {"min": 0.1075}}},
            {"measure": "success", "statistic": "max", "max": 0, "where": {"thickness": {"max": 0.1065}}}],
    }


def files():
    yield "scenes/die.json", die_scene()
    yield "scenes/gripper.json", gripper_scene()
    yield "scenes/arch.json", arch_scene()
    yield "dice.json", dice_study(
        "dice", "Ten thousand throws of a fair die: every face comes equally often, as Pearson's test judges.",
        10000, 0.001, None)
    yield "loaded_dice.json", dice_study(
        "loaded dice", "A die whose centre of mass lies a fifth of its edge off the middle: the same test notices.",
        1000, None, 1e-6,
        {"load": {"path": "bodies.die.centreOfMass[2]", "values": [rounded(-0.4 * DIE)], "unit": "m"}})
    yield "gripper.json", gripper_study()
    yield "arch.json", arch_study()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compare", action="store_true")
    options = parser.parse_args()
    different = []
    for name, document in files():
        path = os.path.join(ROOT, name)
        written = text(document)
        if options.compare:
            if not os.path.exists(path) or open(path, encoding="utf-8").read() != written:
                different.append(name)
            continue
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as out:
            out.write(written)
    if different:
        sys.exit("differ from what make_studies.py writes: " + ", ".join(different))


if __name__ == "__main__":
    main()
