#!/usr/bin/env python3
"""Mechanisms that touch things, swing and hold: joint error, penetration, energy and status of every step.

    mechanism_trials.py --msd build/release/bin/msd [--methods fast,exact] [--only NAME ...] [--bench DIR ...]

One line per scene and method: the largest joint error of any step [m], the deepest penetration of any step [m], how
far T+V has climbed above what it had been (share of the largest kinetic energy; of passive mechanisms), the steps that
were not ok, and what a check of the scene says. A figure that misses its limit has a ! behind it. With --bench, the
mechanisms of make_scenes.py in these folders are run too (fast).
"""

import argparse
import json
import math
import os
import subprocess
import tempfile

DT = 1.0 / 60.0
ALONG_X = [math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0]


def scene(name, steps, restitution=0.0, friction=0.5):
    return {"version": 1, "name": name, "gravity": [0, 0, -9.81], "dt": DT, "steps": steps,
            "solver": {"sleeping": False},
            "materials": {"default": {"friction": friction, "restitution": restitution, "density": 1000.0}},
            "shapes": {"floor": {"type": "box", "halfExtents": [60, 60, 1]}}, "bodies": [], "joints": []}


def floor(s):
    s["bodies"].append({"name": "floor", "shape": "floor", "position": [0, 0, -1], "static": True})


def dropped_chain(links, radius=0.1, half=0.3, height=0.5, restitution=0.0):
    s = scene("dropped chain of %d, r %g, e %g" % (links, radius, restitution), 400, restitution)
    floor(s)
    s["shapes"]["bone"] = {"type": "capsule", "radius": radius, "halfHeight": half}
    length = 2 * half + 4 * radius
    for i in range(links):
        z = height + length * (i + 0.5)
        s["bodies"].append({"name": "b%d" % i, "shape": "bone", "position": [0, 0, z], "linearVelocity": [0.3, 0.1, 0]})
        if i:
            s["joints"].append({"type": "ball", "bodyA": "b%d" % (i - 1), "bodyB": "b%d" % i,
                                "anchor": [0, 0, z - 0.5 * length]})
    return s, "passive"


def swinging_hinges(links=5, dt=DT, steps=400):
    s = scene("%d hinged links swing, dt 1/%.0f" % (links, 1 / dt), steps)
    s["dt"] = dt
    s["shapes"]["bone"] = {"type": "capsule", "radius": 0.05, "halfHeight": 0.2}
    last = "world"
    for i in range(links):
        s["bodies"].append({"name": "b%d" % i, "shape": "bone", "position": [0.5 * i + 0.25, 0, 3], "orientation": ALONG_X})
        s["joints"].append({"type": "hinge", "bodyA": last, "bodyB": "b%d" % i, "anchor": [0.5 * i, 0, 3], "axis": [0, 1, 0]})
        last = "b%d" % i
    return s, "swings"


def wrecking_ball(ratio=200, links=10):
    s = scene("wrecking ball, %d:1 on %d links" % (ratio, links), 400)
    floor(s)
    s["shapes"].update({"bone": {"type": "capsule", "radius": 0.05, "halfHeight": 0.1},
                        "ball": {"type": "sphere", "radius": 0.5},
                        "brick": {"type": "box", "halfExtents": [0.2, 0.4, 0.2]}})
    last, length, height = "world", 0.3, 0.3 * links + 2.0
    for i in range(links + 1):
        ball = i == links
        x = -length * i - (0.5 if ball else 0.5 * length)
        s["bodies"].append({"name": "b%d" % i, "shape": "ball" if ball else "bone", "mass": 2.0 * ratio if ball else 2.0,
                            "position": [x, 0, height], "orientation": ALONG_X})
        s["joints"].append({"type": "ball", "bodyA": last, "bodyB": "b%d" % i, "anchor": [-length * i, 0, height]})
        last = "b%d" % i
    for row in range(8):
        for k in range(6):
            s["bodies"].append({"name": "w%d_%d" % (row, k), "shape": "brick", "mass": 4.0,
                                "position": [0.65, (k - 2.5) * 0.82 + (0.41 if row % 2 else 0), 0.2 + 0.4 * row]})
    return s, "swings"


def gripper():
    s = scene("gripper, velocity motors", 240, friction=0.8)
    floor(s)
    s["shapes"].update({"box": {"type": "box", "halfExtents": [0.05, 0.05, 0.05]},
                        "palm": {"type": "box", "halfExtents": [0.2, 0.06, 0.03]},
                        "finger": {"type": "box", "halfExtents": [0.015, 0.04, 0.12]}})
    s["bodies"] += [{"name": "box", "shape": "box", "position": [0, 0, 0.05], "mass": 1},
                    {"name": "palm", "shape": "palm", "position": [0, 0, 0.35], "mass": 2},
                    {"name": "left", "shape": "finger", "position": [-0.115, 0, 0.17], "mass": 1},
                    {"name": "right", "shape": "finger", "position": [0.115, 0, 0.17], "mass": 1}]
    slide = {"mode": "velocity", "maxForce": 30, "targets": [{"at": 0, "value": 0.1}]}
    lift = {"mode": "velocity", "maxForce": 200,
            "targets": [{"at": 1.0, "value": 0}, {"at": 1.01, "value": 0.1}, {"at": 3, "value": 0.1}, {"at": 3.01, "value": 0}]}
    s["joints"] += [
        {"type": "slider", "bodyA": "world", "bodyB": "palm", "anchor": [0, 0, 0.35], "axis": [0, 0, 1], "name": "lift", "motor": lift},
        {"type": "slider", "bodyA": "palm", "bodyB": "left", "anchor": [-0.115, 0, 0.3], "axis": [1, 0, 0], "name": "left", "motor": slide},
        {"type": "slider", "bodyA": "palm", "bodyB": "right", "anchor": [0.115, 0, 0.3], "axis": [-1, 0, 0], "name": "right", "motor": slide}]
    s["expect"] = [{"body": "box", "quantity": "position.z", "min": 0.2}]
    return s, "driven"


def finger():
    s = scene("finger of 10 N, box against a wall", 240)
    floor(s)
    s["shapes"].update({"box": {"type": "box", "halfExtents": [0.1, 0.1, 0.1]}, "wall": {"type": "box", "halfExtents": [0.1, 1, 1]},
                        "tip": {"type": "box", "halfExtents": [0.05, 0.05, 0.05]}})
    s["bodies"] += [{"name": "wall", "shape": "wall", "position": [0.5, 0, 1], "static": True},
                    {"name": "box", "shape": "box", "position": [0.2, 0, 0.1], "mass": 2},
                    {"name": "tip", "shape": "tip", "position": [0, 0, 0.1], "mass": 0.5}]
    s["joints"].append({"type": "slider", "bodyA": "world", "bodyB": "tip", "anchor": [0, 0, 0.1], "axis": [1, 0, 0],
                        "motor": {"mode": "velocity", "maxForce": 10, "targets": [{"at": 0, "value": 0.3}]}})
    s["expect"] = [{"body": "box", "quantity": "position.x", "value": 0.3, "tolerance": 0.002}]
    return s, "driven"


def arm():
    s = scene("arm of 6 links, 4 Hz", 300)
    s["shapes"]["bone"] = {"type": "capsule", "radius": 0.05, "halfHeight": 0.1}
    last = "world"
    for i in range(6):
        s["bodies"].append({"name": "b%d" % i, "shape": "bone", "mass": 2, "position": [0.3 * i + 0.15, 0, 1], "orientation": ALONG_X})
        s["joints"].append({"type": "hinge", "bodyA": last, "bodyB": "b%d" % i, "anchor": [0.3 * i, 0, 1], "axis": [0, 1, 0],
                            "name": "j%d" % i, "motor": {"mode": "position", "targets": [{"at": 0, "value": 0}]}})
        s.setdefault("expect", []).append({"joint": "j%d" % i, "quantity": "coordinate", "value": 0, "tolerance": 0.01})
        last = "b%d" % i
    return s, "driven"


TRIALS = [lambda: dropped_chain(10), lambda: dropped_chain(10, restitution=0.5), lambda: dropped_chain(10, 0.05, 0.1),
          lambda: dropped_chain(20), lambda: dropped_chain(40), lambda: dropped_chain(40, restitution=0.5),
          lambda: dropped_chain(30, 0.03, 0.06),
          swinging_hinges, lambda: swinging_hinges(10), lambda: swinging_hinges(5, 1 / 240, 14400),
          gripper, finger, lambda: wrecking_ball(100, 6), wrecking_ball, lambda: wrecking_ball(300, 14), arm]

LIMITS = {"fast": 1e-4, "exact": 1e-6}


def measure(msd, path, method, kind, deepest):
    report = path + ".report.json"
    command = [msd, "run", path, "--threads", "1", "--method", method, "--json", "--report", report]
    done = subprocess.run(command, capture_output=True, text=True)
    if not os.path.exists(report):
        return "no report: " + done.stderr.strip()[:200]
    with open(report) as f:
        data = json.load(f)
    os.remove(report)
    of = {c: i for i, c in enumerate(data["columns"])}
    rows = data["rows"]
    column = lambda name: [r[of[name]] for r in rows]
    energy = [t + v for t, v in zip(column("kinetic"), column("potential"))]
    least, climb = energy[0], 0.0
    for e in energy:
        climb, least = max(climb, e - least), min(least, e)
    climb /= max(max(column("kinetic")), 1e-300)
    joints, depth = max(column("joint_error")), max(column("deepest_penetration"))
    bad = sum(1 for s in column("status") if s != "ok")
    mark = lambda value, limit: "!" if value > limit else " "
    text = "%9.2e%s %8.2f mm%s " % (joints, mark(joints, LIMITS[method]), 1e3 * depth, mark(depth, deepest))
    text += "%9.1e%s " % (climb, mark(climb, 5e-3 if kind == "swings" else 1e-4)) if kind != "driven" else " " * 11
    faults = {}
    for f in column("faults"):
        if f:
            faults[f] = faults.get(f, 0) + 1
    text += "%5d%s/%d " % (bad, mark(bad, 0), len(rows))
    checks = data["summary"].get("expect", [])
    failed = [c for c in checks if not c.get("holds", c.get("passed", True))]
    text += "%s %8.3f ms  %s" % ("!check" if failed else "      ", data["summary"]["all"]["mean_ms"], faults or "")
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--msd", required=True)
    parser.add_argument("--methods", default="fast,exact")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--bench", nargs="*", default=[])
    a = parser.parse_args()
    print("%-40s %-6s %9s  %11s  %9s  not ok" % ("scene", "method", "joints", "depth", "rise"))
    with tempfile.TemporaryDirectory() as folder:
        for make in TRIALS:
            s, kind = make()
            if a.only and not any(o in s["name"] for o in a.only):
                continue
            path = os.path.join(folder, "scene.json")
            with open(path, "w") as f:
                json.dump(s, f)
            for method in a.methods.split(","):
                print("%-40s %-6s %s" % (s["name"], method, measure(a.msd, path, method, kind, 0.005)), flush=True)
    for bench in a.bench:
        for name in ["chain_10", "chain_40", "chains_16", "chains_64", "ragdolls"]:
            path = os.path.join(bench, name + ".json")
            if not os.path.exists(path) or (a.only and not any(o in name for o in a.only)):
                continue
            depth = 0.02 if name == "ragdolls" else 0.005
            print("%-40s %-6s %s" % (path[-40:], "fast", measure(a.msd, path, "fast", "passive", depth)), flush=True)


if __name__ == "__main__":
    main()
