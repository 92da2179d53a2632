"""Every public name is touched by a test: not mentioned, but run (touched.py)."""
import os
import re
from pathlib import Path

import pytest

import msd
import touched

HERE = Path(__file__).parent
FOLDER = os.environ.get("MSD_TOUCHED")


@pytest.mark.skipif(not FOLDER, reason="MSD_TOUCHED is not set: run by ctest -R Python.names")
def test_every_public_name_was_run():
    assert sorted(touched.every_name() - touched.read(FOLDER)) == []


def test_every_error_is_expected_by_a_test():
    text = "".join(path.read_text() for path in sorted(HERE.glob("test_*.py")))
    errors = [cls.__name__ for cls in touched.public_classes() if issubclass(cls, Exception)]
    assert len(errors) == 7 and [name for name in errors if not re.search(rf"raises\(msd\.{name}\b|except msd\.{name}\b", text)] == []


def test_the_note_taker_sees_what_is_there():
    names = touched.every_name()
    assert {"World.step", "World.dt", "World.dt=", "Batch.positions", "Scene.load", "Box", "load"} <= names
    assert "World.time=" not in names and len(names) > 300
    assert callable(msd.World.step)
