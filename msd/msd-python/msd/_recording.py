"""Recordings as numpy arrays."""
from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Union

import numpy as np

from . import _core
from ._scene import Scene


@dataclass(frozen=True)
class Frame:
    """One recorded moment. States, contacts and reactions are structured arrays."""

    number: int
    step: int
    time: float  #: [s]
    states: "np.ndarray[Any, Any]"
    contacts: "np.ndarray[Any, Any]"
    reactions: "np.ndarray[Any, Any]"


class Recording:
    """A recording (msd run --record, or msd.Recorder), opened for reading; also while it is being written.

    Bodies are numbered as in the scene. RecordError says what is wrong with a file.
    """

    def __init__(self, path: Union[str, "os.PathLike[str]"]) -> None:
        self.path = Path(path)
        self._reader = _core.RecordingReader(str(path))

    @property
    def about(self) -> Dict[str, str]:
        """Facts about the run: engine, version, status, ..."""
        return self._reader.about()

    @property
    def settings(self) -> Dict[str, str]:
        """Settings of the run."""
        return self._reader.settings()

    @property
    def scene(self) -> Scene:
        """The scene that was simulated."""
        return Scene.parse(self._reader.scene_text(), source=str(self.path))

    @property
    def names(self) -> List[str]:
        """Names of all bodies, in the scene's order."""
        return list(self._reader.bodies()["name"])

    @property
    def moving(self) -> List[str]:
        """Names of the bodies that can move, in the order of the columns of `states`."""
        table = self._reader.bodies()
        return [name for name, place in zip(table["name"], table["place"]) if place is not None]

    @property
    def frames(self) -> "np.ndarray[Any, Any]":
        """The frames: frame, step, time [s], contacts."""
        return self._reader.frames()

    def __len__(self) -> int:
        return self._reader.frame_count()

    def __getitem__(self, number: int) -> Frame:
        count = len(self)
        if not -count <= number < count:
            raise IndexError(f"there is no frame {number} in a recording of {count}")
        read = self._reader.frame(number % count)
        return Frame(read["frame"], read["step"], read["time"], read["states"], read["contacts"], read["reactions"])

    def at(self, time: float) -> Frame:
        """The last frame at or before a time [s]."""
        return self[self._reader.frame_at(time)]

    @property
    def states(self) -> "np.ndarray[Any, Any]":
        """States of all frames, (frames, moving bodies): body, position [m], orientation, velocity [m/s], ..."""
        return self._reader.states()

    @property
    def positions(self) -> "np.ndarray[Any, Any]":
        """Positions of the shapes' frames, (frames, moving bodies, 3) [m]."""
        found: "np.ndarray[Any, Any]" = self.states["position"]
        return found

    def trajectory(self, body: str) -> "np.ndarray[Any, Any]":
        """One body through all frames: time [s], position [m], orientation, velocity [m/s], angular_velocity, awake."""
        return self._reader.trajectory(body)

    @property
    def steps(self) -> "np.ndarray[Any, Any]":
        """Reports of all steps, as World.run has them."""
        return self._reader.steps()

    @property
    def events(self) -> "np.ndarray[Any, Any]":
        """What began, ended or hit: kind, step, body_a, body_b, point [m], normal, approach_speed [m/s]."""
        return self._reader.events()

    def __repr__(self) -> str:
        return f"<msd.Recording {self.path}: {len(self)} frames of {len(self.names)} bodies>"
