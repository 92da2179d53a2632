"""A stack of cubes at rest: every contact force, and that they carry exactly the weight above.

    python3 stack_and_forces.py [PICTURE.png]
"""
import sys

import numpy as np

import msd


def build(count=5):
    world = msd.World(gravity=(0, 0, -9.81), sleeping=False)
    world.spawn(msd.EnvironmentDescription(msd.Box((3, 3, 0.5)), name="ground", position=(0, 0, -0.5)))
    for i in range(count):
        shift = 0.08 * (-1) ** i
        world.spawn(msd.InertialDescription(msd.Box((0.5, 0.5, 0.25)), name=f"brick {i}", density=2000, friction=0.6,
                                            restitution=0.0, position=(shift, 0, 0.25 + 0.5 * i)))
    return world


def main(picture=None):
    world = build()
    world.step(240)
    contacts = world.contacts
    forces = world.contact_forces()
    for body in world.bodies[1:]:
        weight = 9.81 * body.mass
        print(f"{body.name}: carried by {forces[body.row][2]:9.3f} N, weighs {weight:9.3f} N")
    total = sum(body.mass for body in world.bodies[1:]) * 9.81
    print(f"ground carries {-forces[0][2]:.3f} N of {total:.3f} N")
    if picture:
        draw(world, contacts, picture)
    return -forces[0][2] / total


def draw(world, contacts, picture):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    figure, axes = plt.subplots(figsize=(6, 6), constrained_layout=True)
    for body in world.bodies:
        lower, upper = body.position - (0.5, 0.5, 0.25), body.position + (0.5, 0.5, 0.25)
        if body.is_static:
            lower, upper = np.array([-1.2, 0, -0.2]), np.array([1.2, 0, 0])
        axes.add_patch(plt.Rectangle((lower[0], lower[2]), upper[0] - lower[0], upper[2] - lower[2],
                                     facecolor="0.9" if body.is_static else "#c9d8e8", edgecolor="0.4"))
    scale = 4e-5
    for contact in contacts:
        x, _, z = contact["point"]
        upward = contact["force"] if contact["force"][2] > 0 else -contact["force"]
        axes.annotate("", (x + scale * upward[0], z + scale * upward[2]), (x, z),
                      arrowprops={"arrowstyle": "->", "color": "tab:red"})
    axes.set(xlim=(-1.2, 1.2), ylim=(-0.2, 2.9), aspect="equal", xlabel="x [m]", ylabel="z [m]",
             title=f"Contact forces in a stack (1 m is {1 / scale / 1000:g} kN)")
    figure.savefig(picture, dpi=100)


if __name__ == "__main__":
    main(*sys.argv[1:2])
