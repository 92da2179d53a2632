#!/usr/bin/env python3
"""Every header compiles by itself: whoever includes it needs to know no order.

    check_headers.py SOURCE_FOLDER --compiler g++ [--include FOLDER ...] [--jobs N] [--exact] [HEADER ...]

Parsing 360 headers one by one takes minutes (--exact does it). Seconds are enough for this: all headers in one file, in their
order and in the reverse one, so that what is needed comes too late in one of the two; and names, which an earlier header
could have brought along in both: a type or constant of ours, or a name of the standard library, must be declared in a
header that is included, at whatever depth, or declared on the spot.
"""
import argparse
import concurrent.futures
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^">]+)[">]', re.M)
# Names of the standard library and the headers that declare them; any of them will do.
STANDARD = {
    r"u?int(?:8|16|32|64)_t": "cstdint",
    r"size_t|ptrdiff_t|byte": "cstddef array vector string string_view span cstring cstdlib map unordered_map cstdio memory",
    r"array": "array", r"vector": "vector", r"span": "span", r"string": "string", r"string_view|literals": "string_view string",
    r"optional|nullopt": "optional", r"variant|visit|monostate": "variant", r"tuple|tie": "tuple",
    r"function": "functional", r"unique_ptr|shared_ptr|weak_ptr|make_unique|make_shared": "memory",
    r"map|multimap": "map", r"unordered_map": "unordered_map", r"unordered_set": "unordered_set", r"set": "set", r"deque": "deque",
    r"atomic|atomic_ref|memory_order\w*": "atomic", r"mutex|lock_guard|unique_lock|scoped_lock": "mutex",
    r"condition_variable": "condition_variable", r"thread": "thread", r"chrono": "chrono", r"filesystem": "filesystem",
    r"numeric_limits": "limits", r"initializer_list": "initializer_list vector string",
    r"sqrt|abs|sin|cos|tan|atan2|atan|exp|log|pow|fma|isfinite|isnan|isinf|hypot|floor|ceil|cbrt|fmod": "cmath cstdlib",
    r"sort|find|find_if|any_of|all_of|none_of|clamp|max_element|min_element|copy_n|fill_n|lower_bound|ranges": "algorithm",
    r"max|min|fill|copy": "algorithm", r"move|forward|pair|exchange|swap": "utility memory vector map functional algorithm array optional string",
    r"accumulate|iota|partial_sum": "numeric", r"popcount|bit_cast|countr_zero": "bit", r"numbers": "numbers",
    r"memcpy|memset|strlen": "cstring", r"runtime_error|logic_error|invalid_argument|out_of_range": "stdexcept",
    r"exception|exception_ptr": "exception stdexcept", r"ostream|istream": "iosfwd ostream istream iostream fstream sstream",
    r"ofstream|ifstream": "fstream", r"FILE|snprintf": "cstdio", r"true_type|is_same_v|remove_cvref_t|type_identity_t|is_\w+_v|decay_t": "type_traits",
    r"integral|floating_point|same_as": "concepts",
}
# What Eigen's own headers bring along for certain.
EIGEN_BRINGS = {"cmath", "cstddef", "cstring", "functional", "limits", "algorithm", "array", "complex"}
PARTS = ["msd-assets", "msd-sim", "msd-scene", "msd-import", "msd-record", "msd-study", "msd-view", "msd-exe"]


def without_comments(text):
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)


class Tree:
    def __init__(self, root):
        self.root = root
        self.texts, self.ours, self.others = {}, {}, {}

    def read(self, path):
        if path in self.texts:
            return
        text = (self.root / "msd" / path).read_text() if (self.root / "msd" / path).exists() else (self.root / "include" / path).read_text()
        self.texts[path] = without_comments(text)
        includes = INCLUDE.findall(self.texts[path])
        self.ours[path] = [name for mark, name in includes if mark == '"' and self.is_ours(name)]
        self.others[path] = {name for mark, name in includes if name not in self.ours[path]}
        for name in self.ours[path]:
            self.read(name)

    def is_ours(self, name):
        return (self.root / "msd" / name).exists() or (self.root / "include" / name).exists()

    def all_of(self, path, seen=None):
        """A header and all of ours that it includes, at whatever depth."""
        seen = set() if seen is None else seen
        if path not in seen:
            seen.add(path)
            for name in self.ours[path]:
                self.all_of(name, seen)
        return seen


def missing_standard(tree, path):
    """Names of the standard library in a header that neither it nor what it includes declares."""
    reached = set().union(*(tree.others[name] for name in tree.all_of(path)))
    if any(name.startswith("Eigen/") for name in reached):
        reached |= EIGEN_BRINGS
    used = set(re.findall(r"\bstd::(\w+)", tree.texts[path]))
    for pattern, headers in STANDARD.items():
        for name in used:
            if re.fullmatch(pattern, name) and not reached & set(headers.split()):
                yield f"{path}: std::{name} needs <{headers.split()[0]}>"


DECLARED = re.compile(r"^(?:template\s*<[^;{]*?>\s*)?(?:class|struct|enum class|enum|concept|union)\s+(?:alignas\([^)]*\)\s*)?(\w+)", re.M)
CONSTANT = re.compile(r"^(?:inline )?constexpr [^=({;]*?\b(k[A-Z]\w*)\s*[={]", re.M)
ALIAS = re.compile(r"^using (\w+) =", re.M)


def declared_in(tree, path):
    text = tree.texts[path]
    return set(DECLARED.findall(text)) | set(CONSTANT.findall(text)) | set(ALIAS.findall(text))


def missing_ours(tree, path, declared, places):
    """Types and constants of ours that a header names and does not reach."""
    reached = set().union(*(declared[name] for name in tree.all_of(path)))
    text = re.sub(r'"[^"\n]*"|^\s*#[^\n]*', "", tree.texts[path], flags=re.M)
    text = re.sub(r"\bmsd_\w+::", "", text)
    # Qualified names are another's members; what a header declares further in (types, constants, parameters) is its own.
    words = set(re.findall(r"(?<![\w.>:])([A-Z]\w+|k[A-Z]\w*)", text))
    own = set(re.findall(r"\b(?:class|struct|enum|using|typename|concept|union|auto|int|bool|size_t) (?:alignas\([^)]*\) )?(\w+)", text))
    own |= set(re.findall(r"\b(k\w+)(?: ?=[^=]|\{)", text))
    own |= {word for body in re.findall(r"\benum\b[^{;]*\{([^}]*)\}", text) for word in re.findall(r"\w+", body)}
    for word in sorted(words & places.keys() - reached - own):
        yield f"{path}: {word} is declared in {sorted(places[word])[0]}, which is not included"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("headers", nargs="*", help="only these, by their place below msd/")
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--include", action="append", default=[])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--exact", action="store_true")
    options = parser.parse_args()
    root = options.root.resolve()
    tree = Tree(root)
    wanted = options.headers or sorted(
        [p.relative_to(root / "msd").as_posix() for part in PARTS for p in (root / "msd" / part / "src").rglob("*.hpp") if not p.name.endswith("-inl.hpp")]
        + [p.relative_to(root / "include").as_posix() for p in (root / "include").rglob("*.hpp")])
    for path in wanted:
        tree.read(path)
    declared = {path: declared_in(tree, path) for path in tree.texts}
    places = {}
    for path, names in declared.items():
        for name in names:
            places.setdefault(name, set()).add(path)
    faults = [fault for path in wanted for fault in (*missing_standard(tree, path), *missing_ours(tree, path, declared, places))]
    flags = [options.compiler, "-std=c++20", "-march=x86-64-v3", "-ffp-contract=off", "-fsyntax-only", "-Wno-pragma-once-outside-header",
             "-I", str(root / "msd"), "-I", str(root / "include")]
    for folder in options.include:
        flags += ["-isystem", folder]
    if options.exact:
        sources = {path: [path] for path in wanted}
    else:
        sources = {"all, in their order": wanted, "all, in the reverse order": wanted[::-1]}
    with tempfile.TemporaryDirectory() as scratch:

        def parse(name):
            source = pathlib.Path(scratch) / (re.sub(r"\W", "+", name) + ".cpp")
            source.write_text("".join(f'#include "{path}"\n' for path in sources[name]))
            done = subprocess.run(flags + [str(source)], capture_output=True, text=True, check=False)
            if done.returncode != 0:
                return f"{name}: does not compile:\n" + "\n".join(done.stderr.splitlines()[:8])
            return None

        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            faults += [fault for fault in pool.map(parse, sources) if fault]
    for fault in faults:
        print(fault)
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{len(wanted)} headers, {usage.ru_utime + usage.ru_stime:.0f} s of processor time; {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
