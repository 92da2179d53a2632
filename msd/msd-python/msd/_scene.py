"""Scene files: load, edit, save, run. And friction problems from files."""
from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from . import _core

PathLike = Union[str, "os.PathLike[str]"]


class Scene:
    """A scene as docs/scene-format.md describes it, to be edited as plain dictionaries and lists.

    `scene.data` is the whole document; `bodies`, `joints`, `shapes` and `materials` are its lists. Nothing is checked
    while it is edited: `check()`, `save()` and `world()` do, and raise SceneError with the place, what was found and
    what was expected.
    """

    def __init__(self, data: Optional[Dict[str, Any]] = None, *, folder: Optional[PathLike] = None,
                 source: str = "scene", parameters: Optional[Mapping[str, float]] = None) -> None:
        """`folder` is where the files lie that the scene names; `source` names the scene in messages; `parameters` are
        values in place of those that a scene of version 2 gives its own."""
        self.data: Dict[str, Any] = data if data is not None else {"version": 1, "name": source, "bodies": []}
        self.folder: Optional[Path] = None if folder is None else Path(folder)
        self.source = source
        self.parameters: Dict[str, float] = dict(parameters or {})
        self._notes: List[str] = []

    @classmethod
    def load(cls, path: PathLike, *, parameters: Optional[Mapping[str, float]] = None) -> "Scene":
        """Reads and checks a scene file, or a robot's (.urdf, .xml, .mjcf)."""
        path = Path(path)
        if path.suffix.lower() in (".urdf", ".xml", ".mjcf"):
            if parameters:
                raise ValueError(f"parameters: a robot file has none ({path})")
            return cls.load_robot(path)
        text = path.read_text(encoding="utf-8")
        folder = path.resolve().parent
        # The engine reads it first: its messages have the line and the column.
        _core.CompiledScene(text, str(path), str(folder), dict(parameters or {}))
        return cls(json.loads(text), folder=folder, source=str(path), parameters=parameters)

    @classmethod
    def load_robot(cls, path: PathLike, *, strict: bool = False, fixed_base: bool = False, keyframe: str = "",
                   search: Sequence[PathLike] = ()) -> "Scene":
        """Reads a robot from URDF or MJCF as a scene that stands alone.

        strict: what cannot be carried over is an error, not a warning; fixed_base (URDF): the root stands still;
        keyframe (MJCF): where the robot starts; search: folders in which meshes and packages are looked for.
        """
        robot = _core.CompiledScene.import_robot(str(path), strict=strict, fixed_base=fixed_base, keyframe=keyframe,
                                                 search=[str(folder) for folder in search])
        scene = cls(json.loads(robot.text(True)), source=str(path))
        scene._notes = robot.warnings
        return scene

    @classmethod
    def parse(cls, text: str, *, folder: Optional[PathLike] = None, source: str = "scene") -> "Scene":
        """Reads and checks the text of a scene file."""
        _core.CompiledScene(text, source, None if folder is None else str(folder))
        return cls(json.loads(text), folder=folder, source=source)

    @property
    def name(self) -> str:
        """Name of the scene."""
        return str(self.data.get("name", ""))

    @property
    def materials(self) -> Dict[str, Any]:
        """Materials by name."""
        return self._object("materials")

    @property
    def shapes(self) -> Dict[str, Any]:
        """Shapes by name."""
        return self._object("shapes")

    @property
    def bodies(self) -> List[Dict[str, Any]]:
        """The list of bodies."""
        return self._list("bodies")

    @property
    def joints(self) -> List[Dict[str, Any]]:
        """The list of joints."""
        return self._list("joints")

    def body(self, name: str) -> Dict[str, Any]:
        """The body of this name; KeyError for none."""
        for body in self.bodies:
            if body.get("name") == name:
                return body
        raise KeyError(f'there is no body "{name}" in {self.source}')

    def joint(self, name: str) -> Dict[str, Any]:
        """The joint of this name; KeyError for none."""
        for joint in self.joints:
            if joint.get("name") == name:
                return joint
        raise KeyError(f'there is no joint "{name}" in {self.source}')

    def check(self) -> List[str]:
        """Checks the scene as it is now; returns warnings (also what a robot's file had that is not carried over),
        raises SceneError."""
        return self._notes + [text for text in self._compile().warnings if text not in self._notes]

    def text(self, *, embed_meshes: bool = False) -> str:
        """The scene as a file has it, one thing a line; embed_meshes: without files beside it."""
        return self._compile().text(embed_meshes)

    def save(self, path: PathLike, *, embed_meshes: bool = False) -> None:
        """Checks the scene and writes it to a file."""
        text = self.text(embed_meshes=embed_meshes)
        Path(path).write_text(text, encoding="utf-8")

    def world(self, *, method: Optional[str] = None, dt: Optional[float] = None, substeps: Optional[int] = None,
              iterations: Optional[int] = None, threads: Optional[int] = None, sleeping: Optional[bool] = None,
              hash_every_step: Optional[bool] = None) -> _core.World:
        """Builds a world of the scene; what is given here is taken instead of what the scene says."""
        return self._compile().world(method=method, dt=dt, substeps=substeps, iterations=iterations, threads=threads,
                                     sleeping=sleeping, hash_every_step=hash_every_step)

    def _compile(self) -> _core.CompiledScene:
        folder = None if self.folder is None else str(self.folder)
        return _core.CompiledScene(json.dumps(self.data, allow_nan=False), self.source, folder, self.parameters)

    def _object(self, key: str) -> Dict[str, Any]:
        found: Dict[str, Any] = self.data.setdefault(key, {})
        return found

    def _list(self, key: str) -> List[Dict[str, Any]]:
        found: List[Dict[str, Any]] = self.data.setdefault(key, [])
        return found

    def __repr__(self) -> str:
        return f'<msd.Scene "{self.name}": {len(self.bodies)} bodies, {len(self.joints)} joints>'


def load(path: PathLike, *, parameters: Optional[Mapping[str, float]] = None) -> Scene:
    """Reads a scene file, or a robot's (URDF or MJCF): msd.load("scenes/demo.json").world().

    `parameters` gives other values to the parameters of a scene of version 2."""
    return Scene.load(path, parameters=parameters)


def load_problem(path: PathLike) -> _core.FrictionProblem:
    """Reads a friction problem, in the text format of the Siconos collection, from a file."""
    try:
        return _core.FrictionProblem.parse(Path(path).read_text(encoding="utf-8"))
    except _core.ProblemFileError as error:
        raise _core.ProblemFileError(f"{path}: {error}") from None


def save_problem(problem: _core.FrictionProblem, path: PathLike) -> None:
    """Writes a friction problem to a file, in the same format."""
    Path(path).write_text(problem.text(), encoding="utf-8")
