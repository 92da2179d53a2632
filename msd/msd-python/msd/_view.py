"""The browser view of a world that a script or a notebook steps."""
from __future__ import annotations

import os
import time
import webbrowser
from typing import Any, Optional, Union

from . import _core
from ._recording import Recording
from ._scene import Scene


class _NoServerError(OSError):
    """The view cannot start."""


ServerError: Any = getattr(_core, "ServerError", _NoServerError)

Viewable = Union[_core.World, Scene, Recording, str, "os.PathLike[str]"]


class Viewer:
    """A view that is open. Every step of its world is shown, whoever makes it; close() ends it, and so does `with`."""

    def __init__(self, server: Any, world: Optional[_core.World]) -> None:
        self._server = server
        self._world = world

    @property
    def url(self) -> str:
        """Address of the page, on this machine only."""
        return str(self._server.url)

    @property
    def port(self) -> int:
        """Port on 127.0.0.1."""
        return int(self._server.port)

    @property
    def viewers(self) -> int:
        """How many pages are looking."""
        return int(self._server.viewers)

    @property
    def is_open(self) -> bool:
        """False after close()."""
        return bool(self._server.is_open)

    def update(self) -> None:
        """Shows the world as it is now, after changes between steps."""
        self._server.update()

    def run(self, seconds: Optional[float] = None, *, speed: float = 1.0) -> None:
        """Steps the world in real time, for so many seconds of simulated time or until Ctrl-C."""
        if self._world is None:
            raise ValueError("the view is of a file; expected one of a world to step")
        if not speed > 0.0:
            raise ValueError(f"speed is {speed}; expected a number > 0")
        start, begun = time.monotonic(), self._world.time
        try:
            while seconds is None or self._world.time - begun < seconds:
                self._world.step()
                ahead = (self._world.time - begun) / speed - (time.monotonic() - start)
                if ahead > 0.0:
                    time.sleep(ahead)
        except KeyboardInterrupt:
            if seconds is not None:
                raise

    def close(self) -> None:
        """Ends the view; the world stays."""
        self._server.close()
        self._world = None

    def __enter__(self) -> "Viewer":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def _repr_html_(self) -> str:
        if not self.is_open:
            return "<p>closed view</p>"
        return f'<iframe src="{self.url}" width="100%" height="560" style="border:0"></iframe>'

    def __repr__(self) -> str:
        return f"<msd.Viewer at {self.url}>" if self.is_open else "<msd.Viewer, closed>"


def view(what: Viewable, *, port: int = 0, title: str = "Python", open_browser: bool = True) -> Viewer:
    """Opens the browser view: on a world, which the caller goes on stepping; on a scene, a recording or their file.

    Serves on 127.0.0.1 alone; port 0 finds a free one. In a notebook the viewer shows itself; in a script keep it as
    long as the view should live. ServerError where the port is in use.
    """
    if not _core.HAS_VIEW:
        raise _NoServerError("this build of msd has no browser view (it was built with MSD_BUILD_VIEW=OFF)")
    if isinstance(what, Scene):
        title, what = what.name or title, what.world()
    world = what if isinstance(what, _core.World) else None
    if world is not None:
        server = _core.ViewServer(world, title, port)
    else:
        path = what.path if isinstance(what, Recording) else what
        server = _core.ViewServer(os.fspath(path), port)  # type: ignore[arg-type]
    viewer = Viewer(server, world)
    if open_browser:
        webbrowser.open(viewer.url)
    return viewer
