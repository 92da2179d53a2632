"""Environments for learning, many at once, in the style of Gymnasium's vector API, on msd.Batch.

    envs = CartPoleVectorEnv(64)
    observations, infos = envs.reset(seed=1)
    observations, rewards, terminated, truncated, infos = envs.step(actions)

Observations, rewards and ends are numpy arrays, one row a world. A world that has ended starts anew at once: the
observations are then those of the new start, and infos["final_observation"] has the last one of the old.
"""
import numpy as np

import cart_pole
import msd
import thousand_worlds


class VectorEnv:
    """What all of them share. A class of its own builds the world, observes, rewards and says when it is over."""

    observation_size = 0
    action_size = 0
    max_steps = 500
    frame_skip = 1  # steps of the engine for one action

    def __init__(self, num_envs, threads=0):
        self.num_envs = num_envs
        self.batch = msd.Batch(self.build(), num_envs, threads=threads)
        self.single_observation_shape = (self.observation_size,)
        self.single_action_shape = (self.action_size,)
        self.random = np.random.default_rng()
        self.age = np.zeros(num_envs, dtype=int)

    def reset(self, *, seed=None, options=None):
        if seed is not None:
            self.random = np.random.default_rng(seed)
        self._start(np.ones(self.num_envs, dtype=bool))
        return self.observe(), {}

    def step(self, actions):
        actions = np.asarray(actions, dtype=float).reshape(self.num_envs, self.action_size)
        self.act(np.clip(actions, -1.0, 1.0))
        self.batch.step(self.frame_skip)
        self.age += 1
        observations = self.observe()
        rewards = self.reward(observations, actions)
        terminated = self.is_over(observations)
        truncated = self.age >= self.max_steps
        infos = {}
        over = terminated | truncated
        if over.any():
            infos = {"final_observation": observations.copy(), "final": over}
            self._start(over)
            observations = self.observe()
        return observations, rewards, terminated, truncated, infos

    def close(self):
        self.batch = None

    def _start(self, chosen):
        self.batch.reset(chosen)
        self.age[chosen] = 0
        self.scatter(chosen)


class CartPoleVectorEnv(VectorEnv):
    """Keep the pole upright: one point for every step in which it is. Action: push of the motor, -1 to 1."""

    observation_size, action_size, frame_skip = 4, 1, 2

    def build(self):
        return cart_pole.build()

    def scatter(self, chosen):
        speeds = self.batch.velocities.copy()
        cart, pole = (self.batch[0].body(name).row for name in ("cart", "pole"))
        push = self.random.uniform(-0.3, 0.3, self.num_envs)[:, None] * [1.0, 0.0, 0.0]
        speeds[:, cart] = np.where(chosen[:, None], push, speeds[:, cart])
        speeds[:, pole] = np.where(chosen[:, None], push, speeds[:, pole])
        self.batch.set_states(velocities=speeds)

    def act(self, actions):
        self.batch.motor_targets[:, 0] = cart_pole.STRONGEST * actions[:, 0]

    def observe(self):
        return thousand_worlds.observe(self.batch)

    def reward(self, observations, actions):
        return np.where(self.is_over(observations), 0.0, 1.0)

    def is_over(self, observations):
        return (np.abs(observations[:, 0]) > 2.4) | (np.abs(observations[:, 2]) > 0.6)


class QuadrupedVectorEnv(VectorEnv):
    """Walk along x. Four legs of two hinges with motors; action: their angles about the stance, -1 to 1."""

    action_size, frame_skip, max_steps = 8, 4, 250
    observation_size = 3 + 1 + 3 + 3 + 8 + 8
    THIGH = SHIN = 0.2  # lengths [m]
    STANCE = (0.6, -1.2)  # hip, knee [rad]
    REACH = 0.5  # of an action [rad]
    STIFFNESS, DAMPING, STRONGEST = 60.0, 0.8, 25.0  # of the motors [N m/rad], [N m s/rad], [N m]
    TORSO = 1  # rows: the ground, the torso, then thigh and shin of each leg

    def build(self):
        world = msd.World(sleeping=False, dt=1 / 200)
        world.spawn(msd.EnvironmentDescription(msd.Plane(), name="ground", friction=0.9))
        hip, knee = self.STANCE
        height = self.THIGH * np.cos(hip) + self.SHIN * np.cos(hip + knee) + 0.03
        torso = world.spawn(msd.InertialDescription(msd.Box((0.25, 0.12, 0.06)), name="torso", mass=8.0,
                                                    restitution=0.0, position=(0, 0, height)))
        motor = msd.JointMotor("position", 0.0, self.STRONGEST, stiffness=self.STIFFNESS, damping=self.DAMPING)
        for name, x, y in (("fl", 0.2, 0.15), ("fr", 0.2, -0.15), ("hl", -0.2, 0.15), ("hr", -0.2, -0.15)):
            top = np.array([x, y, height])
            above = torso
            for part, length, turn in (("thigh", self.THIGH, hip), ("shin", self.SHIN, hip + knee)):
                along = np.array([-np.sin(turn), 0, -np.cos(turn)])
                limb = world.spawn(msd.InertialDescription(
                    msd.Capsule(0.03, length / 2 - 0.02), name=f"{name} {part}", mass=0.6, friction=0.9, restitution=0.0,
                    position=top + along * length / 2, orientation=(np.cos(turn / 2), 0, np.sin(turn / 2), 0)))
                world.add_joint("hinge", limb, above, anchor=top, axis=(0, 1, 0), name=f"{name} {part}", motor=motor)
                above, top = limb, top + along * length
        return world

    def scatter(self, chosen):
        speeds = self.batch.velocities.copy()
        speeds[chosen, self.TORSO] += self.random.uniform(-0.1, 0.1, (int(chosen.sum()), 3))
        self.batch.set_states(velocities=speeds)

    def act(self, actions):
        self.batch.motor_targets[:] = self.REACH * actions

    def observe(self):
        torso = self.TORSO
        q = self.batch.orientations[:, torso]
        # The body's z axis in the world says how far it leans.
        up = np.stack([2 * (q[:, 1] * q[:, 3] + q[:, 0] * q[:, 2]), 2 * (q[:, 2] * q[:, 3] - q[:, 0] * q[:, 1]),
                       1 - 2 * (q[:, 1] ** 2 + q[:, 2] ** 2)], axis=1)
        return np.concatenate([up, self.batch.positions[:, torso, 2:3], self.batch.velocities[:, torso],
                               self.batch.angular_velocities[:, torso], self.batch.joint_positions,
                               self.batch.joint_velocities], axis=1)

    def reward(self, observations, actions):
        return observations[:, 4] + 0.2 * observations[:, 2] - 0.01 * np.square(actions).sum(axis=1)

    def is_over(self, observations):
        return (observations[:, 2] < 0.3) | (observations[:, 3] < 0.12)


def trot(time, hip=0.5, knee=0.7, period=0.4):
    """Actions of a trot: diagonal legs together."""
    phase = 2 * np.pi * time / period + np.array([0, np.pi, np.pi, 0])
    actions = np.empty(8)
    actions[0::2] = hip * np.sin(phase)
    actions[1::2] = knee * np.maximum(np.cos(phase), 0.0)
    return actions


def main():
    envs = CartPoleVectorEnv(64)
    observations, _ = envs.reset(seed=1)
    gain = cart_pole.gains(2 * envs.batch[0].dt, envs.batch[0].body("pole").inertia[1, 1])
    total = np.zeros(64)
    for _ in range(200):
        observations, rewards, *_ = envs.step(-(observations @ gain)[:, None] / cart_pole.STRONGEST)
        total += rewards
    print(f"cart-pole with a controller: {total.mean():.1f} of 200 points")
    walkers = QuadrupedVectorEnv(8)
    walkers.reset(seed=1)
    alive = np.ones(8, dtype=bool)
    for i in range(100):
        actions = np.tile(trot(i * walkers.frame_skip * walkers.batch[0].dt), (8, 1))
        _, _, terminated, _, _ = walkers.step(actions)
        alive &= ~terminated
    print(f"quadruped on a trot: {walkers.batch.positions[:, 1, 0].mean():.2f} m in 2 s, {alive.sum()} of 8 upright")
    return total.mean(), alive.mean()


if __name__ == "__main__":
    main()
