"""Batches from scenes as well as from worlds."""
from __future__ import annotations

import os
from typing import Any, Union

from . import _core
from ._scene import Scene, load


class Batch(_core.Batch):
    """Many independent worlds of the same bodies, stepped together on all cores.

    Made from a world (copies of it, in the state it is in), a scene, or the path of a scene file; further keyword
    arguments are those of Scene.world(). Every world goes through exactly the bits that it would go through alone.
    Arrays are stacked: positions has the shape (worlds, rows, 3).
    """

    __slots__ = ()

    def __init__(self, world: Union[_core.World, Scene, str, "os.PathLike[str]"], n: int, *, threads: int = 0,
                 **overrides: Any) -> None:
        if isinstance(world, (str, os.PathLike)):
            world = load(world)
        if isinstance(world, Scene):
            world = world.world(**overrides)
        elif overrides:
            raise TypeError(f"{', '.join(overrides)}: expected for a scene only; the settings of a world are its own")
        super().__init__(world, n, threads=threads)


