#!/usr/bin/env python3
"""Write scenes/demo.json: a ball on a ramp sets off dominoes that climb a spiral stair, the last one
nudges a wrecking ball from its ledge, and the ball swings into a round brick tower.

Usage: make_demo_scene.py [OUT.json]    (default: scenes/demo.json of this checkout)

Only the standard library is used; the same program gives the same file.
"""

import json
import math
import os
import sys

# --- what can be tuned (metres, kilograms, seconds) --------------------------------------------------

DOMINO = [0.04, 0.15, 0.25]     # half extents: along the path, across, up
SPACING = 0.21                  # of dominoes along the path
DOMINOES = 90
RISE = 0.0265                   # of the stair per domino
SPIRAL_RADIUS = 6.5             # of the path round the tower
TURN_RADIUS = 1.1               # of the last bend, towards the tower

TOWER_LAYERS, TOWER_BRICKS = 18, 7
BRICK = [0.11, 0.185, 0.1]      # half extents: radial, tangential, up
TOWER_RADIUS = 0.5              # to the middle of a brick

BALL_RADIUS = 0.45
ROPE = 3.5
SWING_START = math.radians(60)  # of the rope against the vertical
HIT_HEIGHT = 1.5               # of the ball's centre at the bottom of its swing


def quaternion_about_z(angle):
    return [math.cos(angle / 2), 0.0, 0.0, math.sin(angle / 2)]


def product(p, q):
    pw, px, py, pz = p
    qw, qx, qy, qz = q
    return [pw * qw - px * qx - py * qy - pz * qz, pw * qx + px * qw + py * qz - pz * qy,
            pw * qy - px * qz + py * qw + pz * qx, pw * qz + px * qy - py * qx + pz * qw]


def quaternion_about_y(angle):
    return [math.cos(angle / 2), 0.0, math.sin(angle / 2), 0.0]


class Scene:
    def __init__(self):
        self.shapes, self.bodies, self.joints = {}, [], []

    def body(self, name, shape, position, material, orientation=None, **more):
        entry = {"name": name, "shape": shape, "material": material, "position": position}
        if orientation:
            entry["orientation"] = orientation
        entry.update(more)
        self.bodies.append(entry)


def path_point(distance_to_end):
    """Position and heading on the path, measured backwards from its end.

    The path runs counter-clockwise on a circle of SPIRAL_RADIUS about the tower, turns left on an
    arc of TURN_RADIUS that touches the circle from inside, and ends towards the tower, at y = 0.
    """
    turn_angle = math.asin(-TURN_RADIUS / (SPIRAL_RADIUS - TURN_RADIUS))
    centre = [(SPIRAL_RADIUS - TURN_RADIUS) * math.cos(turn_angle), -TURN_RADIUS]
    arc = TURN_RADIUS * (math.pi / 2 - turn_angle)
    if distance_to_end <= arc:
        angle = math.pi / 2 - distance_to_end / TURN_RADIUS
        x, y = centre[0] + TURN_RADIUS * math.cos(angle), centre[1] + TURN_RADIUS * math.sin(angle)
    else:
        angle = turn_angle - (distance_to_end - arc) / SPIRAL_RADIUS
        x, y = SPIRAL_RADIUS * math.cos(angle), SPIRAL_RADIUS * math.sin(angle)
    return [x, y], angle + math.pi / 2


def add_wrecking_ball(scene, ledge_top):
    """The ball on its ledge, the rope, and the crane that holds it. Returns the ball's x."""
    pivot_z = HIT_HEIGHT + ROPE
    pivot_x = TOWER_RADIUS + BRICK[0] + BALL_RADIUS + 0.15
    ball_x = pivot_x + ROPE * math.sin(SWING_START)
    ball_z = pivot_z - ROPE * math.cos(SWING_START)
    assert abs(ball_z - BALL_RADIUS - ledge_top) < 1e-9, (ball_z - BALL_RADIUS, ledge_top)
    scene.shapes["wrecking_ball"] = {"type": "sphere", "radius": BALL_RADIUS}
    scene.body("wrecking_ball", "wrecking_ball", [ball_x, 0.0, ball_z], "iron", linearDamping=0.1,
               angularDamping=0.3)
    scene.joints.append({"type": "rope", "name": "rope", "bodyA": "world", "bodyB": "wrecking_ball",
                         "anchor": [pivot_x, 0.0, pivot_z], "anchorB": [ball_x, 0.0, ball_z]})
    mast_y = 2.2
    scene.shapes["mast"] = {"type": "box", "halfExtents": [0.12, 0.12, pivot_z / 2 + 0.15]}
    scene.shapes["beam"] = {"type": "box", "halfExtents": [0.12, mast_y + 0.12, 0.12]}
    for side in (-1, 1):
        scene.body("mast_%d" % (side > 0), "mast", [pivot_x, side * mast_y, pivot_z / 2 + 0.15],
                   "wood", static=True)
    scene.body("beam", "beam", [pivot_x, 0.0, pivot_z + 0.18], "wood", static=True)
    return ball_x


def add_dominoes(scene, ledge_top, end_x):
    """Dominoes on a rising stair; the last one stands at end_x, on the height of the ledge."""
    arc_end_x = (SPIRAL_RADIUS - TURN_RADIUS) * math.cos(
        math.asin(TURN_RADIUS / (SPIRAL_RADIUS - TURN_RADIUS)))
    straight = arc_end_x - end_x
    scene.shapes["domino"] = {"type": "box", "halfExtents": DOMINO}
    places = []
    for index in range(DOMINOES):
        back = (DOMINOES - 1 - index) * SPACING
        floor = max(0.05, ledge_top - RISE * (DOMINOES - 1 - index))
        if back < straight:
            place, heading = [end_x + back, 0.0], math.pi
        else:
            place, heading = path_point(back - straight)
        places.append((place, heading, floor))
        stair = "stair_%d" % index
        scene.shapes[stair] = {"type": "box", "halfExtents": [SPACING / 2, 0.22, floor / 2]}
        scene.body(stair, stair, [place[0], place[1], floor / 2], "wood",
                   quaternion_about_z(heading), static=True)
        scene.body("domino_%d" % index, "domino", [place[0], place[1], floor + DOMINO[2]], "plastic",
                   quaternion_about_z(heading))
    return places


def add_starter(scene, first):
    """A ramp behind the first domino, and the ball on it."""
    (x, y), heading, floor = first
    slope, length, radius = math.radians(22), 2.4, 0.16
    forward = [math.cos(heading), math.sin(heading)]
    scene.shapes["ramp"] = {"type": "box", "halfExtents": [length / 2, 0.3, 0.05]}
    scene.shapes["marble"] = {"type": "sphere", "radius": radius}
    # The ramp's upper face ends a little before the first domino, on its floor.
    back = 0.25 + length / 2 * math.cos(slope)
    height = floor + length / 2 * math.sin(slope) - 0.05 * math.cos(slope)
    turn = product(quaternion_about_z(heading), quaternion_about_y(slope))
    scene.body("ramp", "ramp", [x - back * forward[0], y - back * forward[1], height], "wood", turn,
               static=True)
    along = 0.42 * length
    distance = back + along * math.cos(slope) - (radius + 0.05) * math.sin(slope)
    top = height + along * math.sin(slope) + (radius + 0.05) * math.cos(slope)
    scene.body("marble", "marble", [x - distance * forward[0], y - distance * forward[1], top],
               "iron")


def add_tower(scene):
    """A round tower of staggered bricks with a roof."""
    scene.shapes["brick"] = {"type": "box", "halfExtents": BRICK}
    for layer in range(TOWER_LAYERS):
        for place in range(TOWER_BRICKS):
            angle = 2 * math.pi * (place + 0.5 * (layer % 2)) / TOWER_BRICKS
            scene.body("brick_%d_%d" % (layer, place), "brick",
                       [TOWER_RADIUS * math.cos(angle), TOWER_RADIUS * math.sin(angle),
                        BRICK[2] * (2 * layer + 1)], "brick", quaternion_about_z(angle))
    top = 2 * BRICK[2] * TOWER_LAYERS
    scene.shapes["roof_plate"] = {"type": "cylinder", "radius": 0.68, "halfHeight": 0.05}
    scene.body("roof_plate", "roof_plate", [0.0, 0.0, top + 0.05], "wood")
    ring = [[0.6 * math.cos(k * math.pi / 4), 0.6 * math.sin(k * math.pi / 4), 0.0] for k in range(8)]
    scene.shapes["roof"] = {"type": "hull", "vertices": ring + [[0.0, 0.0, 0.7]]}
    scene.body("roof", "roof", [0.0, 0.0, top + 0.1], "wood")


def rounded(value):
    if isinstance(value, float):
        return round(value, 12) + 0.0
    if isinstance(value, list):
        return [rounded(v) for v in value]
    if isinstance(value, dict):
        return {k: rounded(v) for k, v in value.items()}
    return value


def write(data, path):
    """One thing a line: readable, and changes show as changed lines."""
    def compact(value):
        return json.dumps(value, ensure_ascii=False)

    lines = []
    for key, value in data.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            inner = ",\n    ".join(compact(v) for v in value)
            lines.append("  %s: [\n    %s\n  ]" % (compact(key), inner))
        elif key in ("materials", "shapes"):
            inner = ",\n    ".join("%s: %s" % (compact(k), compact(v)) for k, v in value.items())
            lines.append("  %s: {\n    %s\n  }" % (compact(key), inner))
        else:
            lines.append("  %s: %s" % (compact(key), compact(value)))
    with open(path, "w", encoding="utf-8") as file:
        file.write("{\n" + ",\n".join(lines) + "\n}\n")


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    out = sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, "..", "scenes", "demo.json")
    scene = Scene()
    scene.shapes["ground"] = {"type": "box", "halfExtents": [30.0, 30.0, 1.0]}
    scene.body("ground", "ground", [0.0, 0.0, -1.0], "wood", static=True)
    ledge_top = HIT_HEIGHT + ROPE * (1 - math.cos(SWING_START)) - BALL_RADIUS
    ball_x = add_wrecking_ball(scene, ledge_top)
    end_x = ball_x + BALL_RADIUS + DOMINO[0] + 0.1
    # The ball stands one centimetre from the edge of its ledge.
    ledge_start, ledge_end = ball_x - 0.01, end_x - SPACING / 2
    scene.shapes["ledge"] = {"type": "box",
                             "halfExtents": [(ledge_end - ledge_start) / 2, 0.3, 0.06]}
    scene.body("ledge", "ledge", [(ledge_start + ledge_end) / 2, 0.0, ledge_top - 0.06], "wood",
               static=True)
    places = add_dominoes(scene, ledge_top, end_x)
    add_starter(scene, places[0])
    add_tower(scene)
    last = DOMINOES - 1
    data = {
        "version": 1,
        "name": "demo",
        "description": "A marble topples dominoes that climb a spiral stair; the last one nudges a "
                       "wrecking ball off its ledge, and the ball swings into a brick tower.",
        "gravity": [0.0, 0.0, -9.81],
        "dt": 1.0 / 120.0,
        "steps": 2640,
        "camera": {"position": [11.0, -9.0, 7.0], "target": [1.0, 0.0, 1.2]},
        "materials": {
            "wood": {"friction": 0.5, "restitution": 0.2, "density": 600.0},
            "plastic": {"friction": 0.4, "restitution": 0.1, "density": 900.0},
            "brick": {"friction": 0.7, "restitution": 0.05, "density": 1900.0},
            "iron": {"friction": 0.4, "restitution": 0.1, "density": 5000.0,
                     "rollingResistance": 0.002},
        },
        "shapes": scene.shapes,
        "bodies": scene.bodies,
        "joints": scene.joints,
        "expect": [
            {"body": "domino_0", "quantity": "position.z", "max": places[0][2] + DOMINO[2] - 0.05},
            {"body": "domino_%d" % last, "quantity": "position.z",
             "max": places[last][2] + DOMINO[2] - 0.05},
            {"body": "wrecking_ball", "quantity": "position.x", "max": ball_x - 1.0},
            {"body": "roof", "quantity": "position.z", "max": 2.0},
            {"quantity": "deepestPenetration", "max": 0.01},
            {"body": "roof", "quantity": "speed", "max": 0.01},
        ],
    }
    data = rounded(data)
    data["dt"] = 1.0 / 120.0
    write(data, out)
    moving = sum(1 for body in scene.bodies if not body.get("static"))
    print("%s: %d bodies, %d of them moving" % (os.path.relpath(out), len(scene.bodies), moving))


if __name__ == "__main__":
    main()
