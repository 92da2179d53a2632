#!/usr/bin/env python3
"""Does what a page of the book says: runs its commands and compiles its C++.

    run_page.py PAGE --source DIR --binary DIR --compiler CXX [--flags FLAGS]

Fenced blocks are done in the order of the page, in one temporary folder that looks like a checkout (scenes/,
docs/, ...; what is written there goes nowhere else), with the built `msd` on the path:

    sh      run by `bash -e`; the last status must be 0
    cpp     compiled with warnings as errors; a block with a main() is linked and run as well
    python  run, where the modules it imports are installed
    json    a whole scene (an object with "bodies") must pass `msd check`

An HTML comment on the line before a block changes that:

    <!-- page-test: skip REASON -->     not run; the reason is printed
    <!-- page-test: help -->            only `msd COMMAND --help` is asked for the options that are shown
    <!-- page-test: serve -->           each command must go on until it is stopped (on a free port)
    <!-- page-test: needs PROGRAM -->   left out, by name, where the program is not installed
    <!-- page-test: before COMMANDS --> run first: what the reader is assumed to have done
    <!-- page-test: given CODE -->      C++ or Python that comes before what is shown
    <!-- page-test: inside CODE -->     likewise, with what is shown as the body of a function
    <!-- page-test: goes-on -->         Python that goes on where the block of Python before it ended

A command in a block of another kind would never be run, so it is an error.
"""
import argparse
import importlib.util
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

COMMAND = re.compile(r"^\s*(?:\$ )?(?:build/release/bin/)?(?:msd [a-z-]|\./(?:run|test)\b|cmake |sqlite3 |tools/\w+\.(?:py|sh))")
FENCE = re.compile(r"^(```+)([\w+-]*)\s*$")
MARK = re.compile(r"<!-- page-test: (skip|help|serve|needs|before|given|inside|goes-on)\b\s*(.*?)\s*-->", re.S)
KINDS = {"sh", "cpp", "python", "json"}
# Text that is not done but read: other tests deal with sql (msd-record) and cmake (tests/package).
OTHER_KINDS = {"sql", "cmake", "text", ""}
TIME_LIMIT = 500  # s, of one block: machines may be busy


class Failure(Exception):
    pass


class Block:
    def __init__(self, kind, line, text, marks):
        self.kind, self.line, self.text, self.marks = kind, line, text, marks
        self.goes_on = False  # in the next block of Python, with which it is run


def read_blocks(page):
    lines = page.read_text(encoding="utf-8").splitlines()
    blocks, before, i = [], [], 0
    while i < len(lines):
        fence = FENCE.match(lines[i])
        if not fence:
            if lines[i].startswith("    ") and COMMAND.match(lines[i]):
                raise Failure(f"line {i + 1}: a command in an indented block; fence it with ```sh")
            # A mark may take several lines; it belongs to the block that follows it.
            before = before + [lines[i]] if lines[i].strip() else before
            i += 1
            continue
        start = i + 1
        i = start
        while i < len(lines) and not re.fullmatch(fence[1] + r"\s*", lines[i]):
            i += 1
        if i == len(lines):
            raise Failure(f"line {start}: the block has no end")
        text = "\n".join(lines[start:i]) + "\n"
        marks = trailing_marks("\n".join(before))
        blocks.append(Block(fence[2], start, text, marks))
        before = []
        i += 1
    scripts = [block for block in blocks if block.kind == "python"]
    for block, following in zip(scripts, scripts[1:]):
        block.goes_on = "goes-on" in following.marks
    return blocks


def trailing_marks(text):
    """The marks that end the text, nothing but marks between them and its end."""
    marks, end = {}, len(text.rstrip())
    for found in reversed(list(MARK.finditer(text))):
        if text[found.end():end].strip():
            break
        marks[found[1]] = found[2]
        end = found.start()
    return marks


class Page:
    def __init__(self, path, options, folder):
        self.path, self.options, self.folder = path, options, folder
        self.environment = dict(os.environ, HOME=str(folder), LC_ALL="C.UTF-8",
                                PATH=f"{options.binary / 'bin'}:{os.environ['PATH']}", MPLBACKEND="Agg",
                                PYTHONPATH=str(options.binary / "python"))
        self.python = ""  # what the blocks of Python did so far

    def run(self, command, what):
        try:
            result = subprocess.run(command, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TIME_LIMIT,
                                    text=True, errors="replace")
        except subprocess.TimeoutExpired:
            raise Failure(f"{what}: not done after {TIME_LIMIT} s")
        if result.returncode != 0:
            raise Failure(f"{what}: exit code {result.returncode}\n{result.stdout}")
        return result.stdout

    def do(self, block):
        """Returns what was done, for the log; None where there is nothing to do."""
        if "skip" in block.marks:
            if not block.marks["skip"]:
                raise Failure("a skipped block needs a reason")
            return f"skipped: {block.marks['skip']}"
        if block.kind in OTHER_KINDS:
            for line in block.text.splitlines():
                if COMMAND.match(line):
                    raise Failure(f"a command in a block that is not marked sh: {line}")
            return None
        if block.kind not in KINDS:
            raise Failure(f"no rule for blocks of kind \"{block.kind}\"; known: {', '.join(sorted(KINDS | OTHER_KINDS))}")
        for program in block.marks.get("needs", "").split():
            if not shutil.which(program):
                return f"LEFT OUT: {program} is not installed"
        if "before" in block.marks:
            self.run(["bash", "-e", "-c", block.marks["before"]], "what comes before")
        return getattr(self, "do_" + block.kind)(block)

    def do_sh(self, block):
        if "help" in block.marks:
            return self.ask_help(block)
        if "serve" in block.marks:
            return self.serve(block)
        self.run(["bash", "-e", "-o", "pipefail", "-c", block.text], "the commands")
        return "run"

    def command_lines(self, block):
        lines = []
        for line in block.text.replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True)
            if words:
                lines.append(words)
        return lines

    def ask_help(self, block):
        for words in self.command_lines(block):
            command = ["msd"]
            for word in words[1:]:
                if not re.fullmatch(r"[a-z]+", word) or len(command) == 3:
                    break
                # A word may be an argument: a command is what answers for itself.
                if f"\n  {word} " not in self.run([*command, "--help"], " ".join(command)):
                    break
                command.append(word)
            text = self.run([*command, "--help"], " ".join(command))
            for word in words:
                if word.startswith("-") and word.split("=")[0] not in re.findall(r"(?<![\w-])--?[a-zA-Z][\w-]*", text):
                    raise Failure(f"{' '.join(command)} has no option {word}")
        return "options asked from --help"

    def serve(self, block):
        for words in self.command_lines(block):
            process = subprocess.Popen([*words, "--port", "0"], cwd=self.folder, env=self.environment,
                                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                       stderr=subprocess.STDOUT, text=True)
            try:
                address = process.stdout.readline()
                time.sleep(0.3)
                if not address.startswith("http://127.0.0.1:") or process.poll() is not None:
                    raise Failure(f"{shlex.join(words)}: did not go on serving; printed: {address}")
                process.send_signal(signal.SIGINT)
                if process.wait(timeout=20) != 0:
                    raise Failure(f"{shlex.join(words)}: exit code {process.returncode} after Ctrl-C")
            finally:
                process.kill()
        return "served and stopped"

    def do_cpp(self, block):
        text = block.text
        if "given" in block.marks:
            text = f"{block.marks['given']}\n#line {block.line + 1} \"{self.path.name}\"\n{text}"
        if "inside" in block.marks:
            includes = "".join(line + "\n" for line in text.splitlines() if line.startswith("#include"))
            rest = "".join(line + "\n" for line in text.splitlines() if not line.startswith("#include"))
            text = f"{includes}{block.marks['inside']}\n{{\n{rest}}}\n"
        source = self.folder / f"block_{block.line}.cpp"
        source.write_text(text, encoding="utf-8")
        compiler = [*shlex.split(self.options.compiler), "-std=c++20", "-Wall", "-Wextra", "-Werror",
                    *shlex.split(self.options.flags)]
        if not re.search(r"\bint main\(", text):
            self.run([*compiler, "-fsyntax-only", str(source)], "the compiler")
            return "compiled"
        program = source.with_suffix("")
        libraries = [str(file) for file in sorted((self.options.binary / "lib").glob("libmsd_*.a"))
                     if file.stem not in ("libmsd_cli", "libmsd_view")]
        self.run([*compiler, str(source), "-o", str(program), "-Wl,--start-group", *libraries, "-Wl,--end-group",
                  *shlex.split(self.options.libraries)], "the compiler")
        self.run([str(program)], "the program")
        return "compiled, linked and run"

    def do_python(self, block):
        text = (self.python if "goes-on" in block.marks else "") + block.marks.get("given", "") + "\n" + block.text
        self.python = text
        if block.goes_on:
            compile(text, f"{self.path.name}:{block.line}", "exec")
            return "run with the block that goes on with it"
        for module in re.findall(r"^\s*(?:import|from) ([\w, ]+?)(?: import .*| as \w+)?$", text, re.M):
            for name in module.split(","):
                if importlib.util.find_spec(name.strip().split(" ")[0]) is None:
                    compile(text, f"{self.path.name}:{block.line}", "exec")
                    return f"LEFT OUT: Python's {name.strip()} is not installed (its syntax is right)"
        self.run([sys.executable, "-c", text], "the script")
        return "run"

    def do_json(self, block):
        try:
            value = json.loads(block.text)
        except json.JSONDecodeError:
            return None  # a part of a scene, with dots in place of the rest
        if not isinstance(value, dict) or "bodies" not in value:
            return None
        file = self.folder / f"block_{block.line}.json"
        file.write_text(block.text, encoding="utf-8")
        self.run(["msd", "check", file.name], "msd check")
        return "checked as a scene"


def make_folder(folder, source):
    """Looks like a checkout to a reader who stands in it; what pages write does not reach the real one."""
    for name in ("scenes", "studies", "docs", "tools", "bench", "examples"):
        shutil.copytree(source / name, folder / name, ignore=shutil.ignore_patterns("*.png", "*.jpg"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("page", type=Path)
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--flags", default="")
    parser.add_argument("--libraries", default="")
    parser.add_argument("--all-wrong", action="store_true", help="every block must fail: a test of this script")
    options = parser.parse_args()
    options.source, options.binary = options.source.resolve(), options.binary.resolve()
    if any((options.binary / "python" / "msd").glob("_core*.so")):
        sys.path.insert(0, str(options.binary / "python"))  # the package, where it was built
    failures = 0
    with tempfile.TemporaryDirectory(prefix="msd-page-") as name:
        folder = Path(name)
        make_folder(folder, options.source)
        page = Page(options.page, options, folder)
        try:
            blocks = read_blocks(options.page)
        except Failure as failure:
            print(f"{options.page}: {failure}")
            return 1
        for block in blocks:
            where = f"{options.page.name}:{block.line} ({block.kind or 'plain'})"
            started = time.monotonic()
            try:
                done = page.do(block)
                if done:
                    print(f"{where}: {done} ({time.monotonic() - started:.1f} s)")
            except Failure as failure:
                failures += 1
                print(f"{where}: FAILED: {failure}")
    if options.all_wrong:
        return 0 if failures == len(blocks) > 0 else 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
