"""The package as a whole: every public name is tested, documented and in the stubs."""
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


def test_every_public_name_is_touched_by_a_test():
    text = "".join(path.read_text() for path in sorted(HERE.glob("test_*.py")))
    missing = [name for name in msd.__all__ if not re.search(rf"\b{name}\b", text)]
    for cls in CLASSES:
        missing += [f"{cls.__name__}.{name}" for name in members(cls) if not re.search(rf"\b{name}\b", text)]
    assert missing == []


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


def test_version_is_the_projects():
    text = (HERE.parents[2] / "CMakeLists.txt").read_text()
    assert msd.__version__ == re.search(r"project\(msd VERSION ([\d.]+)", text)[1]


def test_the_stubs_are_complete_and_right():
    pytest.importorskip("mypy")
    strict = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--no-incremental", str(PACKAGE)],
                            capture_output=True, text=True)
    assert strict.returncode == 0, strict.stdout
    for name in dir(_core):
        if not name.startswith("_"):
            assert re.search(rf"(class|def) {name}\b|^{name}:", (PACKAGE / "_core.pyi").read_text(), re.M), name


def test_the_stubs_match_what_runs():
    pytest.importorskip("mypy.stubtest")
    result = subprocess.run([sys.executable, "-m", "mypy.stubtest", "msd._core", "--ignore-missing-stub",
                             "--allowlist", str(HERE / "stubtest_allowlist.txt")], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout


def test_typed_use_is_checked(tmp_path):
    pytest.importorskip("mypy")
    good = "import msd\nworld = msd.World(gravity=(0, 0, -9.81))\nx: float = world.step().energy.closure\n"
    bad = good + 'world.step("three")\n'
    for text, code in ((good, 0), (bad, 1)):
        (tmp_path / "use.py").write_text(text)
        result = subprocess.run([sys.executable, "-m", "mypy", "--strict", "use.py"], cwd=tmp_path, capture_output=True,
                                text=True)
        assert result.returncode == code, result.stdout
