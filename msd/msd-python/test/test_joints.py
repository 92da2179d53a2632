"""Motors in all modes, what may be changed of a joint, mechanisms, surfaces."""
import numpy as np
import pytest

import msd
from conftest import add_cube, add_floor

G = 9.81


def make_arm(**joint):
    """A bar of 1 m on a hinge at the origin, lying along x; turning up is negative about y."""
    world = msd.World(sleeping=False)
    bar = world.spawn(msd.InertialDescription(msd.Box((0.5, 0.05, 0.05)), name="bar", mass=2.0, position=(0.5, 0, 0),
                                              collides=False))
    return world, bar, world.add_joint("hinge", bar, axis=(0, 1, 0), name="elbow", **joint)


def inertia(bar):
    return bar.inertia[1, 1] + bar.mass * 0.25


def test_every_field_of_a_motor():
    fields = dict(mode="position", target=0.5, max_force=7.0, frequency=3.0, damping_ratio=0.7, stiffness=11.0,
                  damping=2.0, target_velocity=0.1, feed_forward=0.2, carries_load=True, gear=3.0, rotor_inertia=0.01)
    motor = msd.JointMotor(**fields)
    for name, value in fields.items():
        assert getattr(motor, name) == value, name
    motor.stiffness = motor.damping = motor.carries_load = None
    assert motor.stiffness is None and motor.damping is None and motor.carries_load is None
    world, _, elbow = make_arm(motor=msd.JointMotor(**fields))
    for name, value in fields.items():
        assert getattr(elbow.motor, name) == value, name


def test_motors_and_limits_are_assigned_field_by_field():
    motor, limit = msd.JointMotor(), msd.JointLimit()
    for name, value in dict(mode="position", target=0.5, max_force=7.0, frequency=3.0, damping_ratio=0.7, stiffness=11.0,
                            damping=2.0, target_velocity=0.1, feed_forward=0.2, carries_load=True, gear=3.0,
                            rotor_inertia=0.01).items():
        setattr(motor, name, value)
        assert getattr(motor, name) == value, name
    limit.lower, limit.upper = -0.3, 0.4
    assert (limit.lower, limit.upper) == (-0.3, 0.4) and "0.4" in repr(limit)
    with pytest.raises(ValueError, match='mode is "torque"'):
        motor.mode = "torque"


def test_a_force_motor_accelerates_by_force_over_inertia():
    world, bar, elbow = make_arm(motor=msd.JointMotor("force", 5.0), armature=0.3)
    world.settings = msd.Settings(gravity=(0, 0, 0), sleeping=False)
    world.step(30, dt=0.01)
    expected = 5.0 / (inertia(bar) + 0.3)
    assert elbow.velocity == pytest.approx(expected * 0.3, rel=1e-6)
    assert elbow.position == pytest.approx(0.5 * expected * 0.09, rel=0.05) and elbow.motor_force == pytest.approx(5.0)


def test_gains_hold_a_place_with_their_deflection():
    world, bar, elbow = make_arm(motor=msd.JointMotor("position", 0.0, stiffness=400.0, damping=60.0))
    world.step(1200)
    # kp (target - q) balances the weight: q sags by m g l cos(q) / kp, down being positive about y.
    q = elbow.position
    assert 400.0 * q == pytest.approx(bar.mass * G * 0.5 * np.cos(q), rel=1e-3)
    assert elbow.motor_force == pytest.approx(-400.0 * q, rel=1e-3)


def test_a_tuned_motor_reaches_its_target_and_follows_it():
    world, _, elbow = make_arm(motor=msd.JointMotor("position", 0.4, frequency=5.0))
    world.step(600)
    assert elbow.position == pytest.approx(0.4, abs=1e-3) and elbow.target == 0.4
    elbow.target = -0.2
    world.step(600)
    assert elbow.position == pytest.approx(-0.2, abs=1e-3)
    elbow.set_target(-0.2, velocity=0.5)
    assert elbow.motor.target_velocity == 0.5
    elbow.target = 0.0  # the speed stays
    assert elbow.motor.target_velocity == 0.5


def test_motor_and_limit_can_be_assigned():
    world, _, elbow = make_arm()
    with pytest.raises(ValueError, match="no motor"):
        elbow.target = 1.0
    elbow.motor = msd.JointMotor("velocity", -1.0, damping=50.0)
    elbow.limit = msd.JointLimit(-0.3, 0.3)
    world.step(240)
    assert elbow.limit.lower == -0.3 and elbow.position >= -0.31
    elbow.motor = None
    elbow.limit = None
    assert elbow.motor is None and elbow.limit is None


def test_change_touches_what_is_given():
    world, _, elbow = make_arm(stiffness=5.0, damping=0.1, rest=0.2, armature=0.1, friction=0.3)
    elbow.change(stiffness=900.0, damping=40.0, rest=-0.5, friction=0.0, armature=0.2, breaking_force=1e9,
                 breaking_torque=1e9)
    world.step(1500)
    q = elbow.position
    assert 900.0 * (q + 0.5) == pytest.approx(2.0 * G * 0.5 * np.cos(q), rel=1e-3)
    rope_world = msd.World()
    rope = rope_world.add_joint("rope", add_cube(rope_world, 1.0), anchor=(0, 0, 3), anchor_b=(0, 0, 1), length=2.0)
    rope.change(length=3.0)
    rope_world.step(300)
    assert not rope.broken
    with pytest.raises(ValueError, match="armature"):
        rope.change(armature=1.0)


def test_all_joints_at_once():
    world, bar, elbow = make_arm(motor=msd.JointMotor("position", 0.1))
    tip = world.spawn(msd.InertialDescription(msd.Sphere(0.1), position=(1, 0, 0), collides=False))
    world.add_joint("ball", tip, bar, anchor=(1, 0, 0))
    world.step(10)
    assert world.joint_positions[0] == elbow.position and np.isnan(world.joint_positions[1])
    assert world.joint_velocities[0] == elbow.velocity
    assert world.motor_targets[0] == 0.1 and np.isnan(world.motor_targets[1])
    world.motor_targets = [0.7, np.nan]
    assert elbow.target == 0.7
    with pytest.raises(ValueError, match="expected 2"):
        world.motor_targets = [1.0]


def test_batches_drive_their_motors():
    world, _, elbow = make_arm(motor=msd.JointMotor("position", 0.0, stiffness=300.0, damping=20.0, target_velocity=0.1))
    batch = msd.Batch(world, 3, threads=2)
    assert batch.motor_targets.shape == (3, 1) and batch.motor_targets.tolist() == [[0.0]] * 3
    batch.motor_targets[:, 0] = [0.1, 0.2, 0.3]
    batch.step(50)
    for i, target in enumerate((0.1, 0.2, 0.3)):
        twin = world.copy()
        twin.joint("elbow").target = target
        twin.step(50)
        assert batch[i].state_hash == twin.state_hash
        assert batch.joint_velocities[i, 0] == twin.joint("elbow").velocity
    batch.motor_targets[1, 0] = np.nan
    with pytest.raises(ValueError, match="world 1: motor target"):
        batch.step()


def test_a_mechanism_has_the_pendulums_numbers():
    world, bar, elbow = make_arm(armature=0.05)
    arm = world.mechanism([elbow])
    assert isinstance(arm, msd.Mechanism) and len(arm) == 1 and "1 coordinates" in repr(arm)
    assert arm.positions.tolist() == [0.0] and arm.velocities.tolist() == [0.0]
    h = inertia(bar) + 0.05
    assert arm.mass_matrix == pytest.approx(np.array([[h]]), rel=1e-12)
    # Gravity turns the bar down, positive about y; the bias is what holds it.
    assert arm.bias == pytest.approx([-bar.mass * G * 0.5], rel=1e-12)
    assert arm.inverse_dynamics([2.0]) == pytest.approx([2.0 * h - bar.mass * G * 0.5])
    assert arm.forward_dynamics(arm.inverse_dynamics([2.0])) == pytest.approx([2.0])
    with pytest.raises(ValueError, match="expected 1"):
        arm.inverse_dynamics([1.0, 2.0])
    with pytest.raises(ValueError):
        world.mechanism(["elbow", "elbow"])
    with pytest.raises(KeyError):
        world.mechanism(["knee"])


def test_jacobians_are_what_differences_give():
    world, bar, elbow = make_arm(motor=msd.JointMotor("velocity", 0.2))
    fore = world.spawn(msd.InertialDescription(msd.Box((0.3, 0.04, 0.04)), mass=1.0, position=(1.3, 0, 0), collides=False))
    wrist = world.add_joint("hinge", fore, bar, anchor=(1, 0, 0), axis=(0, 1, 0), motor=msd.JointMotor("velocity", -0.4))
    world.step(60)
    arm = world.mechanism([elbow, wrist])
    rates = arm.velocities
    point = fore.position + 0.1
    jacobian = arm.jacobian(fore, point)
    assert jacobian.shape == (6, 2)
    spin = fore.angular_velocity
    assert jacobian[3:] @ rates == pytest.approx(spin, abs=1e-9)
    assert jacobian[:3] @ rates == pytest.approx(fore.velocity + np.cross(spin, point - fore.position), abs=1e-9)
    assert np.array_equal(arm.jacobian(fore), arm.jacobian(fore, fore.position))
    assert arm.mass_matrix == pytest.approx(arm.mass_matrix.T) and (np.linalg.eigvalsh(arm.mass_matrix) > 0).all()


def test_belts_and_soft_surfaces():
    world = msd.World(sleeping=False)
    belt = world.spawn(msd.EnvironmentDescription(msd.Box((5, 1, 0.5)), position=(0, 0, -0.5), friction=1.0,
                                                  surface_velocity=(0.5, 0, 0)))
    cube = add_cube(world, 0.5, friction=1.0)
    world.step(240)
    assert cube.velocity[0] == pytest.approx(0.5, abs=0.01)
    belt.set_surface_velocity((0, 0, 0))
    world.step(240)
    assert cube.velocity[0] == pytest.approx(0.0, abs=0.01)
    soft = world.spawn(msd.InertialDescription(msd.Sphere(0.5), name="soft", position=(3, 0, 0.5), mass=10.0,
                                               contact_stiffness=2e4, contact_damping=400.0))
    world.step(600)
    assert 0.5 - soft.position[2] == pytest.approx(10.0 * G / 2e4, rel=0.05)
    cube.set_material(friction=0.0, restitution=0.9, rolling_resistance=0.01, torsional_resistance=0.01)
    assert cube.friction == 0.0 and cube.restitution == 0.9
    cube.set_material(contact_stiffness=1e5, contact_damping=10.0)
    with pytest.raises(ValueError, match="friction"):
        cube.set_material(friction=-1.0)
    exact = msd.World(method="exact")
    with pytest.raises(ValueError, match="gives way"):
        exact.spawn(msd.InertialDescription(msd.Sphere(0.5), contact_stiffness=1e4))


def test_a_copy_of_a_world_with_everything_goes_on_with_the_same_bits():
    world, bar, elbow = make_arm(motor=msd.JointMotor("position", 0.3, stiffness=200.0, damping=10.0), friction=0.1,
                                 armature=0.01, limit=msd.JointLimit(-1, 1))
    world.spawn(msd.EnvironmentDescription(msd.Box((5, 5, 0.5)), position=(0, 0, -2), surface_velocity=(0.3, 0, 0)))
    world.spawn(msd.InertialDescription(msd.Sphere(0.3), position=(0, 2, -1), contact_stiffness=5e4))
    world.add_anchor_spring((0, 0, 3), (0, 0, 0), 0.5, 0.1)
    world.step(40)
    twin = world.copy()
    assert bytes(twin.snapshot()) == bytes(world.snapshot())
    assert twin.joint("elbow").motor_force == elbow.motor_force
    for each in (world, twin):
        each.joint("elbow").target = -0.2
        each.step(100)
    assert bytes(twin.snapshot()) == bytes(world.snapshot())
