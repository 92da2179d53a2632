#!/usr/bin/env python3
"""No bare numbers in the stages of the step and in the row kernels.

    check_numbers.py SOURCE_FOLDER [--table]

A number is plain if it is a whole one below ten (a count, an index, a power) or 0.5, 0.25, 0.125 and their like: halves of
formulas. Every other number must have a name (constexpr kName) and stand in tests/lint/solver_numbers.txt with what
it changes and why it has this value; numbers that users or the plan may change belong into Settings and SolverTuning.
What is on the list and no longer in the code is refused as well. --table prints how many of each kind there are.
"""
import argparse
import collections
import pathlib
import re
import sys

ENGINE = "msd/msd-sim/src"
PLACES = ["Environment/Stages/*.cpp", "Environment/Stages/*.hpp", "Physics/Constraints/Rows/*.cpp", "Physics/Constraints/Rows/*-inl.hpp"]
NUMBER = re.compile(r"(?<![\w.])(\d[\d']*\.?\d*(?:[eE][-+]?\d+)?)[fuULlz]*(?![\w.])")
NAMED = re.compile(r"\bconstexpr\b[^=;{]*?\b(k[A-Z]\w*)\s*[={]")
PLAIN = {0.5, 0.25, 0.125, 0.75, 1.5}
KINDS = {
    "grain": "cuts work into pieces: no bit of a result",
    "rounding": "a bound on rounding, or a number that stands for none",
    "layout": "of memory or of a formula: it follows from what stands there",
    "fast": "the result of fast mode",
    "exact": "the result or the cost of exact mode",
    "report": "what a report says, not what is simulated",
}


def without_comments(text):
    keep_lines = lambda match: "\n" * match.group(0).count("\n")
    text = re.sub(r"/\*.*?\*/", keep_lines, text, flags=re.S)
    text = re.sub(r"//[^\n]*", "", text)
    text = re.sub(r"alignas\(\d+\)", "", text)
    return re.sub(r'"(?:[^"\\\n]|\\.)*"', '""', text)


def is_plain(digits):
    value = float(digits.replace("'", ""))
    return value in PLAIN or (value == int(value) and value < 10)


def numbers_in(path, folder):
    """(file, name or '-', digits, line number, line) of every number that is not plain."""
    for number, line in enumerate(without_comments(path.read_text()).split("\n"), 1):
        if line.lstrip().startswith("#"):
            continue
        named = NAMED.search(line)
        for match in NUMBER.finditer(line):
            if not is_plain(match.group(1)):
                name = named.group(1) if named else "-"
                yield path.relative_to(folder).as_posix(), name, match.group(1), number, line.strip()


def read_list(path):
    listed = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        parts = line.split(None, 4)
        if len(parts) < 5 or parts[3] not in KINDS:
            sys.exit(f"{path}:{number}: expected FILE NAME NUMBER KIND REASON, KIND one of {', '.join(KINDS)}")
        listed[tuple(parts[:3])] = parts[3]
    return listed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    folder = options.source / ENGINE
    listed = read_list(options.source / "tests/lint/solver_numbers.txt")
    problems, seen = [], set()
    for pattern in PLACES:
        for path in sorted(folder.glob(pattern)):
            for file, name, digits, number, line in numbers_in(path, folder):
                seen.add((file, name, digits))
                if (file, name, digits) not in listed:
                    problems.append(f"{ENGINE}/{file}:{number}: {digits} is not in tests/lint/solver_numbers.txt: {line}")
    problems += [f"tests/lint/solver_numbers.txt: {' '.join(key)} is no longer in the code" for key in sorted(set(listed) - seen)]
    if options.table:
        counts = collections.Counter(listed.values())
        for kind, words in KINDS.items():
            print(f"{counts[kind]:4} {kind:9} {words}")
    if problems:
        sys.exit("\n".join(problems))


if __name__ == "__main__":
    main()
