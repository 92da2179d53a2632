#!/usr/bin/env python3
"""What is installed for users to include is what was promised, and stands alone.

    check_headers.py PREFIX --compiler CXX --promised installed_headers.txt [--flag FLAG]...

Each public header (PREFIX/include/msd/*.hpp) is compiled by itself, and may pull in nothing but the
installed headers, Eigen and the standard library: no JSON, no vector instructions, no database. The
installed files are those of the list, which is changed by hand when more is promised.
"""
import argparse
import pathlib
import re
import subprocess
import sys

FORBIDDEN = re.compile(r"nlohmann|/hwy/|sqlite3\.h|/fmt/|boost|-inl\.hpp|Lanes")


def closure_of(header, prefix, options):
    """The files that a program with this include alone is made of."""
    program = f'#include "msd/{header.name}"\n'
    command = [options.compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-H",
               f"-I{prefix / 'include'}", *options.flag, "-x", "c++", "-"]
    done = subprocess.run(command, input=program, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"msd/{header.name} does not compile by itself:\n{done.stderr[-3000:]}")
    return [line.lstrip(". ") for line in done.stderr.splitlines() if line.startswith(".")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("prefix", type=pathlib.Path)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--promised", required=True, type=pathlib.Path)
    parser.add_argument("--flag", action="append", default=[])
    options = parser.parse_args()
    include = options.prefix / "include"
    installed = sorted(str(path.relative_to(include)) for path in include.rglob("*") if path.is_file())
    promised = [line for line in options.promised.read_text().splitlines() if line and line[0] != "#"]
    problems = [f"installed, but not in {options.promised.name}: {path}" for path in sorted(set(installed) - set(promised))]
    problems += [f"in {options.promised.name}, but not installed: {path}" for path in sorted(set(promised) - set(installed))]
    public = sorted((include / "msd").glob("*.hpp"))
    used = {f"msd/{header.name}" for header in public}
    for header in public:
        for path in closure_of(header, options.prefix, options):
            if FORBIDDEN.search(path):
                problems.append(f"msd/{header.name} pulls in {path}")
            if str(include) in path:
                used.add(str(pathlib.Path(path).resolve().relative_to(include.resolve())))
    problems += [f"installed, but no public header needs it: {path}" for path in sorted(set(installed) - used)]
    if problems:
        sys.exit("\n".join(problems))
    print(f"{len(public)} public headers stand alone, on {len(installed) - len(public)} others")


if __name__ == "__main__":
    main()
