#!/usr/bin/env python3
"""Threads against time: runs scenes with 1, 2, 4, 8 and 16 threads and prints a table for docs/benchmarks.md.

    tools/measure_threads.py SCENE.json... [--msd build/release/bin/msd] [--threads 1,2,4,8,16] [--repeat 3]

Every time is the median of the repetitions, of the mean over all steps, without sleep. The hash of the last state
must be the same for all numbers of threads; else the exit code is 1. The share of waiting (of the time of all threads
together) and the loops a step are the tool's own, from a run with --profile at the largest number of threads.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys


def run(msd, scene, threads, steps, extra=()):
    command = [msd, "run", str(scene), "--threads", str(threads), "--no-sleep", "--json", *extra]
    if steps:
        command += ["--steps", str(steps)]
    done = subprocess.run(command, capture_output=True, text=True)
    if not done.stdout.startswith("{"):
        sys.exit(f"{' '.join(command)}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def measure(options, scene):
    """The table's row of a scene, and whether all hashes agree."""
    times = {threads: [] for threads in options.threads}
    hashes = {}
    for _ in range(options.repeat):  # all numbers of threads in turn: a machine that slows down slows all
        for threads in options.threads:
            result = run(options.msd, scene, threads, options.steps)
            times[threads].append(result["all"]["mean_ms"])
            hashes[threads] = result["hash"]
    medians = [statistics.median(times[threads]) for threads in options.threads]
    watched = run(options.msd, scene, options.threads[-1], options.steps, ["--profile"]).get("sharing", {})
    agree = len(set(hashes.values())) == 1
    cells = [pathlib.Path(scene).stem, *(f"{ms:.3g}" for ms in medians), f"{medians[0] / medians[-1]:.1f}",
             f"{watched.get('loops', 0):.0f}", f"{watched.get('alone_ms', 0):.2f}",
             f"{100 * watched.get('waiting', 0):.0f} %", "yes" if agree else "NO"]
    return cells, agree


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenes", nargs="+")
    parser.add_argument("--msd", default="build/release/bin/msd")
    parser.add_argument("--threads", default="1,2,4,8,16")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--steps", type=int, default=0, help="of every scene, instead of its own")
    options = parser.parse_args()
    options.threads = [int(text) for text in options.threads.split(",")]
    head = ["scene", *(f"{threads} [ms]" for threads in options.threads), "speed-up", "loops a step", "alone [ms]",
            "waiting", "same hash"]
    print("| " + " | ".join(head) + " |")
    print("|---" * len(head) + "|", flush=True)
    good = True
    for scene in options.scenes:
        cells, agree = measure(options, scene)
        good = good and agree
        print("| " + " | ".join(cells) + " |", flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
