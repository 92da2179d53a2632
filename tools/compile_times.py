#!/usr/bin/env python3
"""Where the time of a build goes: every file of a target compiled by itself, without ccache.

    tools/compile_times.py BUILD_FOLDER [--target msd] [--match REGEX] [--most N] [--headers]

Prints processor seconds per file, most first, and their sums by folder; --headers tells, per file, how much of it is
reading headers (-fsyntax-only). Needs compile_commands.json, which every preset writes.
"""
import argparse
import collections
import json
import pathlib
import re
import resource
import shlex
import subprocess
import sys


def seconds(command, folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(done.stderr[-2000:])
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def bare(command):
    """The compiler's own arguments: no ccache, no output."""
    words = [w for w in shlex.split(command) if not w.endswith("/ccache")]
    at = words.index("-o")
    return words[:at] + words[at + 2:]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--target", default="msd")
    parser.add_argument("--match", default="")
    parser.add_argument("--most", type=int, default=0)
    parser.add_argument("--headers", action="store_true")
    options = parser.parse_args()
    inputs = subprocess.run(["ninja", "-C", options.build, "-t", "inputs", options.target], capture_output=True, text=True, check=True).stdout
    wanted = {line.strip() for line in inputs.splitlines() if line.strip().endswith(".cpp")}
    entries = [e for e in json.loads((options.build / "compile_commands.json").read_text())
               if (e["file"] in wanted or any(e["file"].endswith(w.lstrip("./")) for w in wanted)) and re.search(options.match, e["file"])]
    if options.most:
        entries = entries[:: max(1, len(entries) // options.most)]
    rows, sums = [], collections.Counter()
    for entry in entries:
        command = bare(entry["command"])
        whole = seconds(command + ["-o", "/dev/null"], entry["directory"])
        headers = seconds(command + ["-fsyntax-only"], entry["directory"]) if options.headers else float("nan")
        place = entry["file"].split("/msd/", 1)[-1]
        rows.append((whole, headers, place))
        sums["/".join(place.split("/")[:4])] += whole
        print(f"{whole:7.1f} {headers:7.1f}  {place}", flush=True)
    print("\nby folder")
    for folder, whole in sums.most_common():
        print(f"{whole:7.1f}          {folder}")
    print(f"{sum(r[0] for r in rows):7.1f} {sum(r[1] for r in rows):7.1f}  {len(rows)} files")


if __name__ == "__main__":
    main()
