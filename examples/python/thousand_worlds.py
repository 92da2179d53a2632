"""A thousand cart-poles at once: the same controller from a thousand starts, on all cores.

    python3 thousand_worlds.py [PICTURE.png] [WORLDS]
"""
import sys
import time

import numpy as np

import cart_pole
import msd


def run(count=1000, seconds=4.0):
    prototype = cart_pole.build()
    batch = msd.Batch(prototype, count)
    random = np.random.default_rng(7)
    start = random.uniform(-1.2, 1.2, count)  # [rad]
    place(batch, start)
    k = cart_pole.gains(prototype.dt, prototype.body("pole").inertia[1, 1])
    steps = round(seconds / prototype.dt)
    angles = np.empty((steps, count))
    begun = time.perf_counter()
    for i in range(steps):
        state = observe(batch)
        angles[i] = state[:, 2]
        batch.motor_targets[:, 0] = -state @ k  # of the rail's motor [N]
        batch.step()
    return start, angles, steps * count / (time.perf_counter() - begun), batch


def observe(batch):
    """(worlds, 4): place and speed of the cart, angle and rate of the pole. Bodies: 0 is the cart, 1 the pole."""
    where = batch.joint_positions  # 0 is the rail, 1 the pivot
    return np.stack([where[:, 0], batch.joint_velocities[:, 0], where[:, 1], batch.angular_velocities[:, 1, 1]], axis=1)


def place(batch, angles):
    """Turns the poles of all worlds about their pivots."""
    pole = batch[0].body("pole").row
    positions, orientations = batch.positions.copy(), batch.orientations.copy()
    positions[:, pole] = cart_pole.LENGTH * np.stack([np.sin(angles), 0 * angles, np.cos(angles)], axis=1)
    orientations[:, pole] = np.stack([np.cos(angles / 2), 0 * angles, np.sin(angles / 2), 0 * angles], axis=1)
    batch.set_states(positions=positions, orientations=orientations)


def main(picture=None, count=1000):
    start, angles, rate, batch = run(int(count))
    upright = np.abs(angles[-1]) < 0.05
    print(f"{len(start)} worlds, {batch.threads} threads: {rate:,.0f} steps a second")
    print(f"{upright.sum()} balanced, up to {np.abs(start[upright]).max():.2f} rad from upright at the start")
    if picture:
        import matplotlib
        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
        figure, axes = plt.subplots(figsize=(7, 5), constrained_layout=True)
        time_axis = np.arange(len(angles)) * batch[0].dt
        for i in range(min(300, len(start))):
            axes.plot(time_axis, angles[:, i], color="tab:blue" if upright[i] else "tab:red", alpha=0.2, linewidth=0.8)
        axes.set(ylim=(-4, 4), xlabel="time [s]", ylabel="angle of the pole [rad]",
                 title=f"{len(start)} cart-poles: {upright.sum()} balanced")
        figure.savefig(picture, dpi=100)
    return upright.mean()


if __name__ == "__main__":
    main(*sys.argv[1:3])
