#!/usr/bin/env python3
"""Layout and words of the code.

    check_style.py SOURCE_FOLDER [--clang-format PROGRAM] [--update]

- tests/lint/deny.txt says what must not appear, where and why. A line that has a reason to differ ends with
  // lint: REASON.
- clang-format (the repository's .clang-format) decides the layout. Files that have not been laid out by it yet are in
  tests/lint/unformatted.txt; a file that is, and every new one, must stay so. --update writes that list anew;
  tools/format.sh lays out all files.
- No line ends with blanks or has tabs.
"""
import argparse
import concurrent.futures
import pathlib
import re
import subprocess
import sys

CODE = {".hpp", ".cpp", ".inc"}
TEXT = CODE | {".md", ".py", ".sh", ".cmake", ".txt", ".json"}


def tracked(source):
    listed = subprocess.run(["git", "-C", source, "ls-files", "--cached", "--others", "--exclude-standard"], capture_output=True, text=True, check=False)
    if listed.returncode == 0:
        return [source / line for line in listed.stdout.splitlines() if (source / line).is_file()]
    return [p for p in source.rglob("*") if p.is_file() and "build" not in p.relative_to(source).parts]


def bare(line):
    line = re.sub(r'"(?:[^"\\]|\\.)*"', '""', line)
    return re.sub(r"//.*", "", line)


def check_words(source, files, problems):
    rules = []
    for line in (source / "tests/lint/deny.txt").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            folder, pattern, reason = re.match(r"(\S+)\s+(.+?)\s{2,}(.+)", line).groups()
            whole = pattern.startswith("comment:")
            rules.append((folder + "/", re.compile(pattern.removeprefix("comment:")), whole, reason))
    for path in files:
        name = path.relative_to(source).as_posix()
        mine = [rule for rule in rules if name.startswith(rule[0])]
        if not mine or path.suffix not in TEXT or name.startswith("tests/lint/"):
            continue
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            for _, pattern, whole, reason in mine:
                if (whole or path.suffix in CODE) and pattern.search(line if whole else bare(line)) and "// lint:" not in line:
                    problems.append(f"{name}:{number}: {line.strip()[:90]}\n    refused: {reason}")


def check_blanks(source, files, problems):
    for path in files:
        if path.suffix not in CODE:
            continue
        for number, line in enumerate(path.read_text(errors="replace").split("\n"), 1):
            if line != line.rstrip() or "\t" in line:
                problems.append(f"{path.relative_to(source)}:{number}: a tab, or blanks at the end of the line")


def differs(program, path):
    done = subprocess.run([program, "--dry-run", "-Werror", str(path)], capture_output=True, text=True, check=False)
    return done.returncode != 0


def check_layout(source, files, options, problems):
    code = sorted(p for p in files if p.suffix in CODE)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = [p.relative_to(source).as_posix() for p, bad in zip(code, pool.map(lambda p: differs(options.clang_format, p), code)) if bad]
    listing = source / "tests/lint/unformatted.txt"
    if options.update:
        listing.write_text("# Files that clang-format has not laid out yet (tests/lint/check_style.py); the list only gets shorter.\n"
                           + "".join(f"{name}\n" for name in found))
        return
    allowed = {line for line in listing.read_text().splitlines() if line and not line.startswith("#")}
    problems += [f"{name}: clang-format would lay it out otherwise (tools/format.sh {name})" for name in found if name not in allowed]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("--clang-format", help="program; without it the layout is not checked")
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    source = options.source.resolve()
    files = tracked(source)
    problems = []
    check_words(source, files, problems)
    check_blanks(source, files, problems)
    if options.clang_format:
        check_layout(source, files, options, problems)
    else:
        print("left out: the layout (no --clang-format)")
    if problems:
        sys.exit("\n".join(problems))


if __name__ == "__main__":
    main()
