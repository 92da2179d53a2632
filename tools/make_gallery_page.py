#!/usr/bin/env python3
"""Write docs/gallery.md, and take its pictures.

Usage: make_gallery_page.py [--pictures MSD] [--compare] [NAME ...]

Descriptions and expected values are read from the scenes themselves, so the page says what the tests check.
--pictures takes the pictures with that `msd` (needs Chromium; NAMEs: only these); --compare writes nothing
and fails where the page differs or a picture is missing. Only the standard library is used.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SIZE = "560x350"
LARGE = {"pile_10000": "tools/make_gallery.py --large --out large"}


def times(start, stop, step):
    """Moments of a trail, the last one excluded."""
    count = round((stop - start) / step)
    return "--trail " + ",".join("%g" % round(start + i * step, 4) for i in range(count))


# Chapters; in each, the scene, the moment of its picture [s] and how it is taken.
CHAPTERS = [
    ("Things that stand, and things that fall", [
        ("arch_stands", 5, "--show forces --arrows 0.35"),
        ("arch_falls", 0.9, ""),
        ("book_overhang_stands", 5, ""),
        ("book_overhang_falls", 0.8, ""),
        ("heavy_on_light", 5, "--show forces --arrows 3"),
        ("stack_of_ten", 5, "--show forces"),
        ("wall_under_impact", 0.6, ""),
        ("domino_run", 3, ""),
        ("demo", 13.5, ""),
    ]),
    ("Friction", [
        ("pinched_block_held", 3, "--show forces"),
        ("pinched_block_slips", 0.5, "--show forces " + times(0, 0.5, 0.125)),
        ("incline_sticks", 4, "--show forces,cones"),
        ("incline_slides", 4, times(0, 4, 1)),
        ("sliding_block", 1.1, times(0, 1.1, 0.1)),
        ("rolling_sphere", 2, times(0, 2, 0.125)),
        ("ball_on_turntable", 6.6, times(0, 6.6, 0.3)),
        ("tippe_top", 2.5, "--show centres"),
    ]),
    ("Impacts", [
        ("bouncing_ball", 3.6, times(0, 3.6, 0.05)),
        ("glancing_blow", 1, times(0, 1, 0.125)),
        ("newtons_cradle", 0.9, "--trail 0,0.2"),
    ]),
    ("Free motion", [
        ("free_flight", 1.9, times(0, 1.9, 0.1)),
        ("dzhanibekov_nut", 14.14, times(0, 14.14, 1.5708)),
    ]),
    ("Joints", [
        ("pendulum", 0.72, "--show joints " + times(0, 0.72, 0.06)),
        ("spring_oscillator", 0.31, "--show joints " + times(0, 0.31, 0.0625)),
        ("four_bar_linkage", 1, "--show joints " + times(0, 1, 0.25)),
        ("long_chain", 5, "--show joints"),
    ]),
    ("Mechanisms", [
        ("robot_arm", 5, ""),
        ("gripper", 4.5, ""),
        ("vehicle", 2.5, ""),
    ]),
    ("Robots", [
        ("robots/humanoid_falls", 3.5, "--trail 0,0.4"),
        ("robots/quadruped_stands", 4, "--show forces --arrows 0.15"),
        ("robots/allegro_holds_ball", 4, ""),
        ("robots/r2d2_stands", 3, "--show forces --arrows 0.1"),
        ("robots/kuka_tracks_sine", 3.5, times(0, 0.6, 0.2)),
    ]),
    ("Many", [
        ("galton_board", 4, "--hide front"),
        ("terrain", 2, ""),
        ("pile_10000", 1.2, ""),
    ]),
]

# Studies; of each, what is drawn (msd plot's --x and --y, empty for the histogram) and what it shows.
STUDIES = [
    ("gripper", "--y success", "success_over_friction_force", "Yellow grips hold. The boundary is the hyperbola µ F = m g / 2."),
    ("dice", "--y face", "face_histogram", "How often each face came up."),
    ("loaded_dice", "--y face", "face_histogram", "The face opposite the heavy one comes most often."),
    ("arch", "--y fastest", "fastest_over_thickness", "Largest kinetic energy of the run: an arch that stands never had any."),
]

UNITS = {"position": "m", "speed": "m/s", "linearVelocity": "m/s", "angularVelocity": "rad/s",
         "angularSpeed": "rad/s", "contactForce": "N", "force": "N", "torque": "N·m", "jointError": "m",
         "deepestPenetration": "m", "motorForce": "N or N·m", "kineticEnergy": "J", "potentialEnergy": "J", "mechanicalEnergy": "J"}


# Rows of a table; more of one kind tell nothing new.
MOST_ROWS = 14


def plain(name):
    """A scene's name as that of a file."""
    return name.replace("/", "_")


def number(value):
    return "0" if abs(value) < 1e-12 else "%.6g" % value


def expectation(check):
    """One row of a scene's table of expected values."""
    whose = check.get("body") or check.get("joint") or check.get("sensor") or "the scene"
    unit = UNITS.get(check["quantity"].split(".")[0], "-")
    if "value" in check:
        outcome = number(check["value"])
        if check.get("tolerance"):
            outcome += " ± " + number(check["tolerance"])
    else:
        bounds = [sign + " " + number(check[key]) for key, sign in (("min", "≥"), ("max", "≤")) if key in check]
        outcome = ", ".join(bounds)
    at = check.get("at", "end")
    when = "%.4g s" % at if not isinstance(at, str) else {"end": "the end", "max": "largest", "min": "smallest", "range": "range"}[at]
    if check.get("minus") == "start":
        when += ", less the start"
    return "| %s | %s | %s | %s | %s |" % (whose, check["quantity"], when, outcome, unit)


def section(name, at, options, folder):
    large = name in LARGE
    file = ("large/" if large else "scenes/") + name + ".json"
    with open(os.path.join(folder if large else ROOT, file), encoding="utf-8") as stream:
        scene = json.load(stream)
    snapshot = "msd snapshot %s --at %g %s-o %s.png" % (file, at, options + " " if options else "", plain(name))
    commands = ([LARGE[name]] if large else []) + ["msd run %s --expect" % file, snapshot]
    mark = "skip the scene is made, run and checked by Scene." + name if large else "help"
    lines = ["### " + name, "", scene["description"], "", "![%s](images/gallery/%s.png)" % (name, plain(name)), "",
             "<!-- page-test: %s -->" % mark, "```sh", *commands, "```", ""]
    if scene.get("expect"):
        lines += ["| of | expected | at | value | unit |", "|---|---|---|---|---|",
                  *map(expectation, scene["expect"][:MOST_ROWS]), ""]
        more = len(scene["expect"]) - MOST_ROWS
        if more > 0:
            lines += ["and %d more in the file." % more, ""]
    return lines


def study_section(name, options, plot, what):
    with open(os.path.join(ROOT, "studies", name + ".json"), encoding="utf-8") as stream:
        study = json.load(stream)
    return ["### studies/" + name, "", study["description"], "", "![%s](images/studies/%s.svg)" % (name, name), "",
            what, "", "<!-- page-test: help -->", "```sh", "msd sweep studies/%s.json --expect" % name,
            "msd plot %s.db %s -o plots" % (name, options), "```", ""]


def page(folder):
    lines = ["# Gallery", "",
             "Scenes whose outcome is known beforehand. Each is a file, a picture and a test: the tables give what mechanics "
             "expects (closed forms, or the exact equations of motion integrated with a tiny step; never the engine itself), and "
             "`msd run SCENE --expect` fails where the simulation says otherwise. `msd view SCENE` shows them moving; in the "
             "pictures, pale copies are other moments.", "",
             "The page is written by `tools/make_gallery_page.py`.", ""]
    for chapter, scenes in CHAPTERS:
        lines += ["## " + chapter, ""]
        for name, at, options in scenes:
            lines += section(name, at, options, folder)
    lines += ["## Studies", "", "Many runs of one scene: [studies](studies.md). Each fails, by `--expect`, where its outcome is not "
              "the expected one.", ""]
    for study in STUDIES:
        lines += study_section(*study)
    return "\n".join(lines).rstrip() + "\n"


def study_picture(msd, name, options, plot, _):
    """Runs the study and keeps its plot."""
    with tempfile.TemporaryDirectory() as folder:
        results = os.path.join(folder, name + ".db")
        subprocess.run([msd, "sweep", os.path.join(ROOT, "studies", name + ".json"), "-o", results, "--expect"], check=True)
        subprocess.run([msd, "plot", results, *options.split(), "-o", folder], check=True)
        output = os.path.join(ROOT, "docs", "images", "studies", name + ".svg")
        os.makedirs(os.path.dirname(output), exist_ok=True)
        shutil.copyfile(os.path.join(folder, plot + ".svg"), output)


def picture(msd, name, at, options, folder):
    file = os.path.join(folder, "large", name + ".json") if name in LARGE else os.path.join(ROOT, "scenes", name + ".json")
    output = os.path.join(ROOT, "docs", "images", "gallery", plain(name) + ".png")
    subprocess.run([msd, "snapshot", file, "--at", "%g" % at, "--size", SIZE, *options.split(), "-o", output], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--pictures", metavar="MSD", help="take the pictures with this msd")
    parser.add_argument("--compare", action="store_true", help="write nothing; fail where the page differs")
    arguments = parser.parse_args()
    target = os.path.join(ROOT, "docs", "gallery.md")
    listed = {name: (at, options) for _, scenes in CHAPTERS for name, at, options in scenes}
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, os.path.join(ROOT, "tools", "make_gallery.py"), "--large", "--out",
                        os.path.join(folder, "large")], check=True, stdout=subprocess.DEVNULL)
        text = page(folder)
        if arguments.compare:
            missing = [name for name in listed
                       if not os.path.exists(os.path.join(ROOT, "docs", "images", "gallery", plain(name) + ".png"))]
            missing += ["studies/" + study[0] for study in STUDIES
                        if not os.path.exists(os.path.join(ROOT, "docs", "images", "studies", study[0] + ".svg"))]
            shipped = {below + file[:-5] for below in ("", "robots/")
                       for file in os.listdir(os.path.join(ROOT, "scenes", below)) if file.endswith(".json")}
            for name in sorted(shipped - set(listed)):
                print("no place in the gallery for scenes/%s.json: CHAPTERS in tools/make_gallery_page.py" % name)
            for name in missing:
                print("no picture of %s: tools/make_gallery_page.py --pictures msd %s" % (name, name))
            with open(target, encoding="utf-8") as stream:
                same = stream.read() == text
            if not same:
                print("docs/gallery.md is not what tools/make_gallery_page.py writes")
            return 0 if same and not missing and shipped <= set(listed) else 1
        with open(target, "w", encoding="utf-8") as stream:
            stream.write(text)
        if arguments.pictures:
            os.makedirs(os.path.join(ROOT, "docs", "images", "gallery"), exist_ok=True)
            studies = {"studies/" + study[0]: study for study in STUDIES}
            for name in arguments.names or [*listed, *studies]:
                if name in studies:
                    study_picture(arguments.pictures, *studies[name])
                else:
                    picture(arguments.pictures, name, *listed[name], folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
