"""Records a run of a scene, reads it back as numpy arrays and looks at what happened.

    python3 read_recording.py [PICTURE.png] [SCENE.json]
"""
import sys
import tempfile
from pathlib import Path

import numpy as np

import msd

SCENE = Path(__file__).resolve().parents[2] / "scenes" / "bouncing_ball.json"


def main(picture=None, scene=SCENE):
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder) / "run.db")
        world = msd.load(scene).world()
        with msd.Recorder(world, file):
            world.step(round(3.0 / world.dt))
        run = msd.Recording(file)
        print(run)
        speeds = np.linalg.norm(run.states["velocity"], axis=2)  # (frames, bodies)
        fastest = np.unravel_index(np.argmax(speeds), speeds.shape)
        print(f"fastest: {run.moving[fastest[1]]} with {speeds[fastest]:.3f} m/s at {run.frames['time'][fastest[0]]:.3f} s")
        hits = run.events[run.events["kind"] == "hit"]
        print(f"{len(hits)} impacts, the hardest at {hits['approach_speed'].max(initial=0.0):.3f} m/s")
        energy = run.steps["kinetic"] + run.steps["potential"]
        print(f"energy: {energy[0]:.6g} J at the start, {energy[-1]:.6g} J at the end")
        if picture:
            draw(run, picture)
        return len(hits), float(energy[-1] - energy[0])


def draw(run, picture):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    figure, (places, energies) = plt.subplots(2, 1, sharex=True, figsize=(7, 6), constrained_layout=True)
    time = run.frames["time"]
    for i, name in enumerate(run.moving):
        places.plot(time, run.positions[:, i, 2], label=name)
    for name in ("kinetic", "potential"):
        energies.plot(run.steps["time"], run.steps[name], label=name)
    places.set_ylabel("height [m]")
    energies.set_ylabel("energy [J]")
    energies.set_xlabel("time [s]")
    places.legend(fontsize="small", loc="right")
    energies.legend(fontsize="small", loc="right")
    figure.suptitle(run.scene.name)
    figure.savefig(picture, dpi=100)


if __name__ == "__main__":
    main(*sys.argv[1:3])
