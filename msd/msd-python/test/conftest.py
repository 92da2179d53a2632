"""What the tests share: small worlds with known answers."""
from pathlib import Path
import os
import sys

import pytest

import msd
import touched

ROOT = Path(os.environ.get("MSD_SOURCE_DIR", Path(__file__).resolve().parents[3]))
SCENES = ROOT / "scenes"
sys.path.insert(0, str(ROOT / "examples" / "python"))


def pytest_configure(config):
    if os.environ.get("MSD_TOUCHED"):
        touched.watch()


def pytest_unconfigure(config):
    if os.environ.get("MSD_TOUCHED"):
        touched.write(os.environ["MSD_TOUCHED"], "-".join(Path(str(path)).stem for path in config.args))


def add_floor(world):
    return world.spawn(msd.EnvironmentDescription(msd.Box((50, 50, 1)), name="floor", position=(0, 0, -1)))


def add_cube(world, z=0.5, **fields):
    fields = {"name": "cube", "density": 1000, "restitution": 0.0, **fields}
    return world.spawn(msd.InertialDescription(msd.Box((0.5, 0.5, 0.5)), position=(0, 0, z), **fields))


def stack(count=3, **settings):
    world = msd.World(sleeping=False, **settings)
    add_floor(world)
    for i in range(count):
        add_cube(world, 0.5 + i, name=f"cube {i}")
    return world


@pytest.fixture
def world():
    return stack()


@pytest.fixture
def scenes():
    return SCENES
