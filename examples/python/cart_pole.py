"""A pole on a cart, balanced by a linear motor that pushes the cart: state feedback with gains from Riccati's equation.

    python3 cart_pole.py [PICTURE.png]
"""
import sys

import numpy as np

import msd

CART, POLE, LENGTH = 1.0, 0.1, 0.5  # masses [kg], half the pole's length [m]
STRONGEST = 20.0  # force of the motor [N]


def build(angle=0.0, dt=1 / 120):
    """A cart on a rail along x, and a pole on it that starts at this angle from upright [rad]."""
    world = msd.World(sleeping=False, dt=dt)
    cart = world.spawn(msd.InertialDescription(msd.Box((0.2, 0.1, 0.08)), name="cart", mass=CART, collides=False))
    tip = np.array([np.sin(angle), 0, np.cos(angle)])
    pole = world.spawn(msd.InertialDescription(
        msd.Capsule(0.02, LENGTH - 0.02), name="pole", mass=POLE, collides=False, position=LENGTH * tip,
        orientation=(np.cos(angle / 2), 0, np.sin(angle / 2), 0)))
    world.add_joint("slider", cart, axis=(1, 0, 0), name="rail", motor=msd.JointMotor("force", max_force=STRONGEST))
    world.add_joint("hinge", pole, cart, anchor=(0, 0, 0), axis=(0, 1, 0), name="pivot")
    return world


def gains(dt, inertia):
    """K of u = -K (x, v, angle, rate): the least of the sum of x² + 10 angle² + 0.01 u² over all steps."""
    total, moment = CART + POLE, inertia + POLE * LENGTH**2
    below = total * moment - (POLE * LENGTH) ** 2
    a = np.array([[0, 1, 0, 0],
                  [0, 0, -((POLE * LENGTH) ** 2) * 9.81 / below, 0],
                  [0, 0, 0, 1],
                  [0, 0, total * POLE * LENGTH * 9.81 / below, 0]])
    b = np.array([[0], [moment / below], [0], [-POLE * LENGTH / below]])
    step, push = np.eye(4) + dt * a, dt * b
    cost, effort = np.diag([1.0, 0.0, 10.0, 0.0]), np.array([[0.01]])
    value = cost
    for _ in range(5000):
        gain = np.linalg.solve(effort + push.T @ value @ push, push.T @ value @ step)
        value = cost + step.T @ value @ (step - push @ gain)
    return gain[0]


def run(angle=0.4, seconds=6.0):
    world = build(angle)
    rail, pivot = world.joint("rail"), world.joint("pivot")
    pole = world.body("pole")
    k = gains(world.dt, pole.inertia[1, 1])
    history = []
    for _ in range(round(seconds / world.dt)):
        state = np.array([rail.position, rail.velocity, angle + pivot.position, pole.angular_velocity[1]])
        now = world.time
        rail.target = -k @ state  # what the motor should push with [N]; it gives no more than its strongest
        world.step()
        history.append((now, *state, rail.motor_force))
    return np.array(history)


def main(picture=None):
    history = run()
    print(f"pole: {history[0, 3]:.3f} rad at the start, {history[-1, 3]:.2e} rad after {history[-1, 0]:.1f} s; "
          f"strongest push {np.abs(history[:, 5]).max():.1f} N")
    if picture:
        import matplotlib
        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
        figure, axes = plt.subplots(3, 1, sharex=True, figsize=(7, 7), constrained_layout=True)
        for plot, column, name in zip(axes, (3, 1, 5), ("angle of the pole [rad]", "cart [m]", "motor [N]")):
            plot.plot(history[:, 0], history[:, column])
            plot.set_ylabel(name)
            plot.grid(alpha=0.3)
        axes[-1].set_xlabel("time [s]")
        figure.suptitle("A pole balanced through a motor")
        figure.savefig(picture, dpi=100)
    return history


if __name__ == "__main__":
    main(*sys.argv[1:2])
