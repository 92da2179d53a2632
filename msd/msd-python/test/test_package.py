"""The package as a whole: every public name is documented and in the stubs."""
import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import msd
from msd import _core

HERE = Path(__file__).parent
PACKAGE = HERE.parent / "msd"
CLASSES = [getattr(msd, name) for name in msd.__all__ if isinstance(getattr(msd, name), type)]


def members(cls):
    return [name for name in vars(cls) if not name.startswith("_")]


def test_every_public_name_has_a_docstring():
    missing = [name for name in msd.__all__ if not (getattr(getattr(msd, name), "__doc__", None) or "").strip()]
    for cls in CLASSES:
        if issubclass(cls, Exception):
            continue
        for name in members(cls):
            thing = vars(cls)[name]
            text = getattr(thing, "__doc__", None) or ""
            # pybind11 writes the signature; what counts is what follows it.
            text = re.sub(r"^(Overloaded function.*|.*->.*)$", "", text, flags=re.M).strip()
            if not text and not isinstance(thing, (int, float, str)) and cls.__module__ == "msd":
                missing.append(f"{cls.__name__}.{name}")
    assert missing == []


# What is a pure number or says its unit in words.
UNITLESS = {"orientation", "orientations", "normal", "mask", "layer"}


def stub_of_core():
    """Classes of the stub: name to its members, name to syntax trees (an overload or a setter has several)."""
    classes = {}
    for node in ast.parse((PACKAGE / "_core.pyi").read_text()).body:
        if isinstance(node, ast.ClassDef):
            found = classes.setdefault(node.name, {})
            for base in node.bases:
                found.update(classes.get(ast.unparse(base), {}))
            for item in node.body:
                if isinstance(item, ast.FunctionDef):
                    found.setdefault(item.name, []).append(item)
                elif isinstance(item, ast.AnnAssign):
                    found.setdefault(item.target.id, []).append(item)
        elif isinstance(node, ast.FunctionDef):
            classes.setdefault("", {}).setdefault(node.name, []).append(node)
    return classes


def measured(node):
    """Does it take or give a quantity? As far as the stub's types say so."""
    if isinstance(node, ast.AnnAssign):
        return ast.unparse(node.annotation) in ("float", "Optional[float]")
    annotations = [each.annotation for each in (*node.args.args, *node.args.kwonlyargs) if each.annotation]
    return any(re.search(r"\b(float|Vector|Table|Numbers|View)\b", ast.unparse(each))
               for each in (*annotations, node.returns) if each is not None)


def test_docstrings_of_quantities_have_units():
    missing = []
    for owner, found in stub_of_core().items():
        if owner not in msd.__all__ and owner != "":
            continue
        holder = getattr(msd, owner) if owner else msd
        for name, nodes in found.items():
            if name.startswith("_") or name in UNITLESS or not any(measured(node) for node in nodes):
                continue
            if not re.search(r"\[[^\]\n]+\]", re.sub(r"^.*->.*$", "", getattr(holder, name).__doc__ or "", flags=re.M)):
                missing.append(f"{owner}.{name}")
    assert missing == []


def test_no_signature_has_names_of_cpp():
    texts = {f"{name}.{member}": thing.__doc__ or "" for name, cls in vars(_core).items() if isinstance(cls, type)
             for member, thing in vars(cls).items() if not member.startswith("__")}
    assert [name for name, text in texts.items() if "::" in text] == []


def test_every_member_is_in_the_stubs():
    stubs = stub_of_core()
    missing = [f"{name}.{member}" for name, cls in vars(_core).items() if isinstance(cls, type) and not issubclass(cls, Exception)
               for member in members(cls) if member not in stubs[name]]
    assert missing == []


def test_version_is_the_projects():
    text = (HERE.parents[2] / "CMakeLists.txt").read_text()
    assert msd.__version__ == re.search(r"project\(msd VERSION ([\d.]+)", text)[1]


def mypy(tmp_path_factory, module, *arguments, **more):
    """Runs mypy with what it knows about numpy kept from one test to the next: that is most of its time."""
    pytest.importorskip("mypy")
    cache = tmp_path_factory.getbasetemp() / "mypy_cache"
    option = ["--cache-dir", str(cache)]
    if module != "mypy":
        (tmp_path_factory.getbasetemp() / "mypy.ini").write_text(f"[mypy]\ncache_dir = {cache}\n")
        option = ["--mypy-config-file", str(tmp_path_factory.getbasetemp() / "mypy.ini")]
    return subprocess.run([sys.executable, "-m", module, *arguments, *option], capture_output=True, text=True, **more)


def test_the_stubs_are_complete_and_right(tmp_path_factory):
    strict = mypy(tmp_path_factory, "mypy", "--strict", str(PACKAGE))
    assert strict.returncode == 0, strict.stdout
    for name in dir(_core):
        if not name.startswith("_"):
            assert re.search(rf"(class|def) {name}\b|^{name}:", (PACKAGE / "_core.pyi").read_text(), re.M), name


def test_the_stubs_match_what_runs(tmp_path_factory):
    result = mypy(tmp_path_factory, "mypy.stubtest", "msd._core", "--allowlist", str(HERE / "stubtest_allowlist.txt"))
    assert result.returncode == 0, result.stdout


def test_typed_use_is_checked(tmp_path, tmp_path_factory):
    good = "import msd\nworld = msd.World(gravity=(0, 0, -9.81))\nx: float = world.step().energy.closure\n"
    bad = good + 'world.step("three")\n'
    for text, code in ((good, 0), (bad, 1)):
        (tmp_path / "use.py").write_text(text)
        result = mypy(tmp_path_factory, "mypy", "--strict", "use.py", cwd=tmp_path)
        assert result.returncode == code, result.stdout
