"""Shapes, joints, queries, friction problems."""
import numpy as np
import pytest

import msd
from conftest import SCENES, add_cube, add_floor, stack

CUBE = [[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]


@pytest.mark.parametrize("shape, kind, volume", [
    (msd.Sphere(2), "sphere", 4 / 3 * np.pi * 8),
    (msd.Box((1, 2, 3)), "box", 48),
    (msd.Capsule(1, 2), "capsule", np.pi * (4 + 4 / 3)),
    (msd.Cylinder(1, 2), "cylinder", np.pi * 4),
    (msd.Hull(CUBE), "hull", 1),
    (msd.Compound([msd.Box((1, 1, 1)), (msd.Sphere(1), (5, 0, 0)), (msd.Box((1, 1, 1)), (9, 0, 0), (1, 0, 0, 0))]),
     "compound", 16 + 4 / 3 * np.pi),
])
def test_solids(shape, kind, volume):
    assert isinstance(shape, msd.Shape) and shape.kind == kind and shape.volume == pytest.approx(volume)
    assert shape.inertia.shape == (3, 3) and shape.centre_of_mass.shape == (3,) and kind in repr(shape).lower()


def test_hulls_have_their_centre_elsewhere():
    world = msd.World(gravity=(0, 0, 0))
    body = world.spawn(msd.InertialDescription(msd.Hull(CUBE), position=(1, 2, 3), angular_velocity=(0, 0, 1)))
    assert body.position == pytest.approx([1.5, 2.5, 3.5]) and body.origin.tolist() == [1, 2, 3]
    assert body.origin_velocity == pytest.approx([0, 0, 0]) and body.velocity == pytest.approx([-0.5, 0.5, 0])
    assert msd.Hull(CUBE).vertices.shape == (8, 3)


def test_ground_shapes(tmp_path):
    corners = [[-5, -5, 0], [5, -5, 0], [5, 5, 0], [-5, 5, 0]]
    (tmp_path / "ground.obj").write_text("".join(f"v {x} {y} {z}\n" for x, y, z in corners) + "f 1 2 3 4\n")
    for ground in (msd.Plane(), msd.Plane((0, 0, 1), 0.0), msd.Mesh(corners, [[0, 1, 2], [0, 2, 3]]),
                   msd.load_mesh(tmp_path / "ground.obj"), msd.Terrain(np.zeros((11, 11)), (1, 1))):
        world = msd.World()
        world.spawn(msd.EnvironmentDescription(ground, position=(-5, -5, 0) if ground.kind == "terrain" else (0, 0, 0)))
        ball = world.spawn(msd.InertialDescription(msd.Sphere(0.5), position=(0.2, 0.3, 0.6), restitution=0.0))
        world.step(120)
        assert ball.position[2] == pytest.approx(0.5, abs=1e-3), ground
        with pytest.raises(ValueError, match="solid that can move"):
            world.spawn(msd.InertialDescription(ground))
    (tmp_path / "wrong.obj").write_text("f 1 2 3\n")
    with pytest.raises(msd.MeshError, match="wrong.obj"):
        msd.load_mesh(str(tmp_path / "wrong.obj"))


def test_every_field_of_a_description():
    fields = dict(name="x", density=2.0, mass=3.0, inertia=np.eye(3), centre_of_mass=(0, 0, 0.1), position=(1, 2, 3),
                  orientation=(1, 0, 0, 0), linear_velocity=(1, 0, 0), angular_velocity=(0, 1, 0), friction=0.1,
                  restitution=0.2, rolling_resistance=0.01, torsional_resistance=0.02, linear_damping=0.3,
                  angular_damping=0.4, layer=2, mask=3, collides=False, continuous=True, kinematic=False, may_sleep=False,
                  contact_stiffness=1e5, contact_damping=10.0, surface_velocity=(0.1, 0, 0))
    made = msd.InertialDescription(msd.Sphere(1), **fields)
    for name, value in fields.items():
        assert np.array_equal(getattr(made, name), value), name
    made.mass = None
    assert made.mass is None
    made.shape = msd.Box((1, 1, 1))
    assert made.shape.kind == "box"
    common = ("name", "position", "orientation", "friction", "restitution", "rolling_resistance", "torsional_resistance",
              "contact_stiffness", "contact_damping", "surface_velocity", "layer", "mask", "collides")
    still = msd.EnvironmentDescription(msd.Plane(), **{name: fields[name] for name in common})
    for name in common:
        assert np.array_equal(getattr(still, name), fields[name]), name
    still.shape = msd.Sphere(2)
    assert still.shape.kind == "sphere"


def test_filters():
    world = msd.World()
    world.spawn(msd.EnvironmentDescription(msd.Plane(), layer=2))
    through = world.spawn(msd.InertialDescription(msd.Sphere(0.5), position=(0, 0, 1), mask=1))
    on_top = world.spawn(msd.InertialDescription(msd.Sphere(0.5), position=(3, 0, 1), mask=2))
    world.step(90)
    assert through.position[2] < 0 < on_top.position[2]


def test_a_pendulum_on_a_hinge():
    world = msd.World(sleeping=False)
    bob = world.spawn(msd.InertialDescription(msd.Sphere(0.1), position=(0.1, 0, -1), name="bob"))
    hinge = world.add_joint("hinge", bob, anchor=(0, 0, 0), axis=(0, 1, 0), name="pivot",
                            limit=msd.JointLimit(-1, 1), friction=0.0)
    assert isinstance(hinge, msd.Joint) and hinge == world.joint("pivot") == world.joints[0] and hash(hinge) == hash(world.joint("pivot"))
    assert hinge.kind == "hinge" and hinge.body_a is None and hinge.body_b == bob and hinge.name == "pivot"
    assert hinge.limit.lower == -1 and hinge.limit.upper == 1 and hinge.motor is None and hinge.exists
    world.step(30)
    assert abs(hinge.position) > 0.01 and not hinge.broken
    assert np.linalg.norm(hinge.force) == pytest.approx(bob.mass * 9.81, rel=0.05) and hinge.torque.shape == (3,)
    assert "pivot" in repr(hinge) and "JointLimit(-1, 1)" in repr(hinge.limit)
    hinge.remove()
    assert not hinge.exists and world.joints == [] and "removed" in repr(hinge)
    with pytest.raises(IndexError):
        hinge.position


def test_motors_drive():
    world = msd.World(gravity=(0, 0, 0), sleeping=False)
    wheel = world.spawn(msd.InertialDescription(msd.Cylinder(0.5, 0.1)))
    motor = msd.JointMotor("velocity", 2.0, max_force=1e4)
    assert motor.mode == "velocity" and motor.target == 2.0 and motor.max_force == 1e4 and "velocity" in repr(motor)
    assert (motor.frequency, motor.damping_ratio) == (4.0, 1.0)
    joint = world.add_joint("hinge", wheel, axis=(0, 0, 1), motor=motor)
    world.step(120)
    assert wheel.angular_velocity == pytest.approx([0, 0, 2], abs=1e-6)
    assert joint.motor.target == 2.0
    with pytest.raises(ValueError, match="expected one of: velocity, position"):
        msd.JointMotor("speed")


@pytest.mark.parametrize("kind, more", [
    ("ball", {}), ("slider", {}), ("cylindrical", {}), ("universal", {}), ("fixed", {}),
    ("distance", {"anchor_b": (0, 0, 1)}), ("rope", {"anchor_b": (0, 0, 1), "length": 2.0}),
    ("spring", {"anchor_b": (0, 0, 1), "stiffness": 100.0, "damping": 1.0})])
def test_every_kind_of_joint(kind, more):
    world = msd.World()
    cube = add_cube(world, 1.0)
    joint = world.add_joint(kind, cube, anchor=(0, 0, 2), breaking_force=1e9, breaking_torque=1e9,
                            collide_connected=True, **more)
    world.step(10)
    assert joint.kind == kind and not joint.broken and world.report.joint_error < 0.1


def test_joints_break():
    world = msd.World()
    joint = world.add_joint("ball", add_cube(world, 0.0), anchor=(0, 0, 1), breaking_force=100.0)
    world.step(5)
    assert joint.broken and "broken" in repr(joint)


def test_rays(world):
    hit = world.ray_cast((0, 0, 10), (0, 0, -1))
    assert isinstance(hit, msd.Hit) and isinstance(hit.body, msd.Body) and hit.body == world.body("cube 2") and hit.distance == pytest.approx(7)
    assert hit.point == pytest.approx([0, 0, 3]) and hit.normal == pytest.approx([0, 0, 1]) and "cube 2" in repr(hit)
    assert world.ray_cast((0, 0, 10), (0, 0, -1), 5) is None
    assert world.ray_cast((0, 0, 10), (0, 0, -1), ignore=hit.body).body.name == "cube 1"
    assert world.ray_cast((0, 0, 10), (0, 0, -1), mask=2) is None
    rays = world.ray_casts([[0, 0, 10], [3, 0, 10], [99, 0, 10]], [[0, 0, -1]] * 3)
    assert rays["body"].tolist() == [3, 0, -1] and rays["distance"].tolist() == pytest.approx([7, 10, np.inf])
    with pytest.raises(ValueError, match="directions has 1 rows; expected 3"):
        world.ray_casts([[0, 0, 10]] * 3, [[0, 0, -1]])


def test_other_questions(world):
    cast = world.shape_cast(msd.Sphere(0.5), (0, 0, 10), (0, 0, -10))
    assert cast.body.name == "cube 2" and cast.distance == pytest.approx(0.65)
    assert [b.name for b in world.overlap(msd.Box((0.2, 0.2, 0.2)), (0, 0, 1))] == ["cube 0", "cube 1"]
    nearest = world.closest_point((2, 0, 2.5))
    assert nearest.body.name == "cube 2" and nearest.distance == pytest.approx(1.5)
    assert nearest.point == pytest.approx([0.5, 0, 2.5]) and nearest.normal == pytest.approx([1, 0, 0])
    assert world.closest_point((2, 0, 9), 1.0) is None


def test_exact_mode_certifies_and_gives_its_problem():
    world = stack(2, method="exact")
    report = world.step(20)
    assert report.status == "ok" and report.certificate.natural_map < 1e-8
    assert report.certificate.velocity_error < 1e-8
    for name in ("complementarity", "cone_violation", "normal_violation", "bilateral_violation"):
        assert isinstance(getattr(report.certificate, name), float)
    problem = world.friction_problem()
    assert problem.contacts == 8 and problem.bodies == 2 and problem.bilateral_rows == 0
    solution = problem.solve(tolerance=1e-10)
    assert solution.converged and solution.residual < 1e-10
    # The normal impulses of the lower four points carry both cubes over a step.
    assert solution.impulse[:, 0].sum() > 0 and solution.velocity.shape == (8, 3)


def test_friction_problems():
    # One block of 2 kg on the ground that wants to sink at 1 m/s and slide at 0.3 m/s, with friction 0.5.
    problem = msd.FrictionProblem(np.eye(3) / 2, [-1, 0.3, 0], [0.5])
    assert problem.contacts == 1 and problem.q.tolist() == [[-1, 0.3, 0]] and problem.mu.tolist() == [0.5]
    assert problem.matrix() == pytest.approx(np.eye(3) / 2)
    solution = problem.solve()
    assert isinstance(solution, msd.Solution) and solution.impulse == pytest.approx(np.array([[2, -0.6, 0]])) and solution.velocity == pytest.approx(0, abs=1e-7)
    assert solution.status == "converged" and "converged" in repr(solution) and solution.multiplier.shape == (0,)
    for name in ("residual", "velocity_error", "complementarity", "cone_violation", "normal_violation"):
        assert getattr(solution, name) < 1e-7, name
    assert solution.newton_steps + solution.sweeps >= 0
    again = msd.FrictionProblem.parse(problem.text())
    assert again.solve(warm_start=solution.impulse).impulse == pytest.approx(solution.impulse)
    with pytest.raises(msd.ProblemFileError):
        msd.FrictionProblem.parse("3 1 7")
    with pytest.raises(ValueError, match="q has 2 numbers; expected 3"):
        msd.FrictionProblem(np.eye(3), [1, 2], [0.5])
    assert "1 contacts" in repr(problem)


def test_friction_problems_in_files(tmp_path):
    problem = msd.FrictionProblem(np.eye(3), [-1, 0, 0], [0.1])
    path = tmp_path / "problem.dat"
    msd.save_problem(problem, path)
    assert msd.load_problem(path).text() == problem.text()
    path.write_text("nonsense")
    with pytest.raises(msd.ProblemFileError, match="problem.dat"):
        msd.load_problem(path)
