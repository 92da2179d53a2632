"""Two fingers close on a block and lift it: friction alone carries it, as long as 2 mu F >= m g.

    python3 gripper.py [PICTURE.png]
"""
import sys

import numpy as np

import msd

GRIP = 60.0  # force of each finger [N]
MU = 0.6
MASS = 4.0  # of the block [kg]: 39 N of 72 N that friction can carry


def build(grip=GRIP):
    world = msd.World(sleeping=False, dt=1 / 240)
    world.spawn(msd.EnvironmentDescription(msd.Box((2, 2, 0.5)), name="table", position=(0, 0, -0.5)))
    block = world.spawn(msd.InertialDescription(msd.Box((0.1, 0.1, 0.1)), name="block", mass=MASS, friction=MU,
                                                restitution=0.0, position=(0, 0, 0.1)))
    hand = world.spawn(msd.InertialDescription(msd.Box((0.3, 0.1, 0.03)), name="hand", kinematic=True, collides=False,
                                               position=(0, 0, 0.45)))
    for side in (-1, 1):
        finger = world.spawn(msd.InertialDescription(msd.Box((0.02, 0.08, 0.15)), name=f"finger {side}", mass=0.5,
                                                     friction=MU, restitution=0.0, position=(0.2 * side, 0, 0.2)))
        world.add_joint("slider", finger, hand, anchor=finger.position, axis=(-side, 0, 0), name=f"slide {side}",
                        motor=msd.JointMotor("velocity", 0.2, max_force=grip))
    return world, block, hand


def lift(grip=GRIP, seconds=4.0):
    world, block, hand = build(grip)
    history = []
    for _ in range(int(seconds / world.dt)):
        # One second to close, then up at 0.15 m/s.
        height = 0.45 + 0.15 * max(0.0, world.time - 1.0)
        hand.move_to((0, 0, height))
        world.step()
        fingers = [c for c in block.contacts if 0 not in (c["body_a"], c["body_b"])]
        normal = sum(abs(np.dot(c["force"], c["normal"])) for c in fingers)
        history.append((world.time, block.position[2], normal, sum(c["state"] == "slip" for c in fingers)))
    return np.array(history)


def main(picture=None):
    held, dropped = lift(), lift(grip=0.4 * GRIP)
    print(f"{GRIP:g} N a finger: lifted to {held[-1, 1]:.3f} m, pressed with {held[-1, 2]:.1f} N in all")
    print(f"{0.4 * GRIP:g} N a finger: {dropped[-1, 1]:.3f} m, for 2 mu F = {0.8 * MU * GRIP:.1f} N < m g = {9.81 * MASS:.1f} N")
    if picture:
        import matplotlib
        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
        figure, (height, force) = plt.subplots(2, 1, sharex=True, figsize=(7, 6), constrained_layout=True)
        for run, name in ((held, f"{GRIP:g} N a finger"), (dropped, f"{0.4 * GRIP:g} N a finger")):
            height.plot(run[:, 0], run[:, 1], label=name)
            force.plot(run[:, 0], run[:, 2], label=name)
        height.set_ylabel("height of the block [m]")
        force.set_ylabel("normal forces on the block [N]")
        force.set_xlabel("time [s]")
        height.legend()
        figure.suptitle("A block that friction lifts, or does not")
        figure.savefig(picture, dpi=100)
    return held[-1, 1], dropped[-1, 1]


if __name__ == "__main__":
    main(*sys.argv[1:2])
