#!/usr/bin/env python3
"""What each number of the fast solver does: doubled, halved, measured.

    tools/measure_tuning.py MSD [--scenes NAME:STEPS,...] [--only FIELD,...] [--page docs/tuning.md] [--check]

MSD is a build for experiments: cmake --preset release -B build/tunable -DMSD_TUNABLE=ON, target msd. For every field of
Physics/Solver/SolverTuning.hpp each scene of `msd bench` runs with the field as it is, doubled and halved. Of each run: processor
time, deepest penetration over all steps, mean over the steps of the deepest one, and the work that position correction did. Each is told
as a factor against the field as it is, the geometric mean over the scenes with the scene that it changes most. The
table between the marks of the page is written anew; with --only, the other rows stay. --check runs nothing: it fails where the page lacks a number of the
header, or shows another value.
"""
import argparse
import datetime
import json
import math
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEADER = ROOT / "msd/msd-sim/src/Physics/Solver/SolverTuning.hpp"
FIELD = re.compile(r"^\s+(int|double|std::uint32_t) (\w+)\{([^}]+)\};\s*(?:///<\s*(.*))?$")
MOST_FIELDS = 20
BEGIN, END = "<!-- tuning: begin -->", "<!-- tuning: end -->"
SCENES = "blast:150,collapse:150,ragdolls:120,chains_16:200"
FIGURES = {"time": "time", "deepest": "deepest", "mean": "mean", "work": "position work"}
FLOOR = {"time": 1e-3, "deepest": 1e-6, "mean": 1e-6, "work": 1e-3}  # [s], [m], [m], [J]: smaller is nothing


def fields():
    """(type, name, value, comment) of each number, in the header's order; a comment may go on in the next lines."""
    found = []
    for line in HEADER.read_text().splitlines():
        match = FIELD.match(line)
        more = re.match(r"^\s{20,}///< (.*)$", line)
        if match:
            found.append([match.group(1), match.group(2), match.group(3), match.group(4) or ""])
        elif more and found:
            found[-1][3] += " " + more.group(1)
    return found


def run(msd, scene, steps, tuning, folder):
    """Figures of one run, or None where it fails."""
    report = folder / "report.json"
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [msd, "run", str(scene), "--no-sleep", "--quiet", "--threads", "1", "--steps", str(steps), "--report", str(report)]
    done = subprocess.run(command, capture_output=True, text=True, env=dict(os.environ, MSD_TUNING=tuning), check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        return None
    data = json.loads(report.read_text())
    column = {name: [row[i] for row in data["rows"]] for i, name in enumerate(data["columns"])}
    depths = column["deepest_penetration"]
    return {"time": after.ru_utime - before.ru_utime, "deepest": max(depths), "mean": sum(depths) / len(depths),
            "work": sum(abs(w) for w in column["position_work"])}


def factor(figure, now, base):
    return (max(now[figure], FLOOR[figure])) / max(base[figure], FLOOR[figure])


def shown(value):
    return f"{value:.2f}" if value < 10 else f"{value:.0f}"


def cell(figure, runs):
    """Geometric mean of the factors, and the scene that is changed most where it is by a tenth or more."""
    factors = {scene: factor(figure, now, base) for scene, (now, base) in runs.items() if now and base}
    if not factors:
        return "fails"
    mean = math.exp(sum(math.log(f) for f in factors.values()) / len(factors))
    worst = max(factors, key=lambda scene: abs(math.log(factors[scene])))
    note = f" ({worst} {shown(factors[worst])})" if abs(math.log(factors[worst])) > math.log(1.1) else ""
    failed = [scene for scene, (now, base) in runs.items() if not now or not base]
    return shown(mean) + note + (f", {', '.join(failed)} fails" if failed else "")


def changed(kind, value, times):
    number = float(value) * times
    return str(max(1, round(number))) if kind != "double" else repr(number)


def measure(options):
    names = [part.split(":") for part in options.scenes.split(",")]
    chosen = options.only.split(",") if options.only else None
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        only = ",".join(name for name, _ in names)
        subprocess.run([options.msd, "bench", "--write", str(folder), "--scenes", only], check=True, capture_output=True)
        for kind, name, value, comment in fields():
            if chosen and name not in chosen:
                continue
            base = {scene: run(options.msd, folder / f"{scene}.json", steps, "", folder) for scene, steps in names}
            row = [name, value, comment]
            for times in (2.0, 0.5):
                tuning = f"{name}={changed(kind, value, times)}"
                runs = {scene: (run(options.msd, folder / f"{scene}.json", steps, tuning, folder), base[scene]) for scene, steps in names}
                row.append({figure: cell(figure, runs) for figure in FIGURES})
                print(tuning, row[-1], flush=True)
            rows.append(row)
    return rows, ", ".join(f"{name} ({steps} steps)" for name, steps in names)


def kept(page):
    """Rows of the page by the name of their field."""
    return {match.group(1): match.group(0) for match in re.finditer(r"^\| `(\w+)` \|.*\n", page, re.M)}


def table(rows, scenes, old):
    text = (f"Measured {datetime.date.today()} on {scenes}. Factors against the default; in brackets the scene that changes most, where "
            "it does by a tenth.\n\n| number | default | what it is |")
    text += "".join(f" {word} ×2, ×½ |" for word in FIGURES.values()) + "\n|---|---|---|" + "---|" * len(FIGURES) + "\n"
    new = {name: f"| `{name}` | {value} | {comment} |" + "".join(f" {double[f]}; {half[f]} |" for f in FIGURES) + "\n"
           for name, value, comment, double, half in rows}
    return text + "".join(new.get(name) or old.get(name, "") for _, name, _, _ in fields())


def check(page):
    text = page.read_text()
    problems = [f"{page}: no row `{name}` | {value} (tools/measure_tuning.py writes it)"
                for _, name, value, _ in fields() if f"| `{name}` | {value} |" not in text]
    if len(fields()) > MOST_FIELDS:
        problems.append(f"{HEADER}: {len(fields())} numbers, at most {MOST_FIELDS} are allowed")
    if problems:
        sys.exit("\n".join(problems))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("msd", nargs="?")
    parser.add_argument("--scenes", default=SCENES)
    parser.add_argument("--only")
    parser.add_argument("--page", type=pathlib.Path, default=ROOT / "docs/tuning.md")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if options.check:
        return check(options.page)
    if not options.msd:
        parser.error("the path of a build for experiments is missing")
    rows, scenes = measure(options)
    text = options.page.read_text()
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    options.page.write_text(text[:begin] + "\n" + table(rows, scenes, kept(text)) + text[end:])
    return None


if __name__ == "__main__":
    main()
