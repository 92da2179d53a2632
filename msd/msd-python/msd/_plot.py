"""Pictures of a run, where matplotlib is installed."""
from __future__ import annotations

from typing import Any, Optional, Union

import numpy as np

from ._recording import Recording

WORKS = ("external_work", "joint_work", "normal_work", "friction_work", "position_work", "damping_work",
         "guard_work", "integrator_error")


def plot(steps: Union["np.ndarray[Any, Any]", Recording], *, title: str = "", path: Optional[str] = None) -> Any:
    """Energies, where they went, and contacts over time: of the reports World.run returned, or of a recording.

    Returns matplotlib's figure; `path` writes it to a file as well. ImportError where matplotlib is missing (Debian:
    python3-matplotlib).
    """
    try:
        import matplotlib  # type: ignore[import]
        if path is not None:
            matplotlib.use("Agg")
        import matplotlib.pyplot as plt  # type: ignore[import]
    except ImportError as error:
        raise ImportError("msd.plot needs matplotlib (Debian: apt-get install python3-matplotlib)") from error
    rows = steps.steps if isinstance(steps, Recording) else steps
    names = getattr(getattr(rows, "dtype", None), "names", None) or ()
    if "kinetic" not in names or len(rows) == 0:
        raise ValueError("steps: expected the reports of at least one step, as World.run(n) returns them")
    time = rows["time"]
    figure, (energy, works, contacts) = plt.subplots(3, 1, sharex=True, figsize=(8, 8), constrained_layout=True)
    energy.plot(time, rows["kinetic"], label="kinetic")
    energy.plot(time, rows["potential"], label="potential")
    energy.plot(time, rows["kinetic"] + rows["potential"], "k", label="sum")
    energy.set_ylabel("energy [J]")
    for name in WORKS:
        total = np.cumsum(rows[name])
        if np.any(total != 0.0):
            works.plot(time, total, label=name.replace("_", " "))
    works.set_ylabel("work so far [J]")
    contacts.plot(time, rows["contacts"], "k", label="contacts")
    contacts.set_ylabel("contacts")
    contacts.set_xlabel("time [s]")
    deepest = contacts.twinx()
    deepest.plot(time, 1e3 * rows["deepest_penetration"], "tab:red", alpha=0.6)
    deepest.set_ylabel("deepest penetration [mm]", color="tab:red")
    for axes in (energy, works):
        if axes.lines:
            axes.legend(loc="best", fontsize="small")
    for axes in (energy, works, contacts):
        axes.grid(alpha=0.3)
    figure.suptitle(title or (str(steps.path) if isinstance(steps, Recording) else ""))
    if path is not None:
        figure.savefig(path, dpi=100)
    return figure
