"""Worlds: making, stepping, reading, errors with the engine's own text."""
import copy
import os
import pickle
import signal
import threading
import time

import numpy as np
import pytest

import msd
from conftest import add_cube, add_floor, stack

WEIGHT = 1000 * 9.81  # of a cube of 1 m³ [N]


def test_the_readmes_program_in_ten_lines():
    world = msd.World(gravity=(0, 0, -9.81))
    world.spawn(msd.EnvironmentDescription(msd.Box((50, 50, 1)), name="floor", position=(0, 0, -1)))
    cube = world.spawn(msd.InertialDescription(msd.Box((0.5, 0.5, 0.5)), name="cube", density=1000, position=(0, 0, 2)))
    report = world.step()
    for contact in cube.contacts:
        print(f"{np.linalg.norm(contact['force']):g} N")
    print(f"t = {report.time:g} s, {report.energy.closure:g} J unexplained")
    assert report.time == pytest.approx(1 / 60)
    assert abs(report.energy.closure) < 1e-9 * report.energy.scale


def test_a_stack_carries_its_weight():
    world = stack(3)
    world.step(300)
    forces = world.contact_forces()
    # Each cube: what is below lifts it by its weight. The floor carries all three.
    for row in (1, 2, 3):
        assert forces[row] == pytest.approx([0, 0, WEIGHT], abs=1e-3 * WEIGHT)
    assert forces[0] == pytest.approx([0, 0, -3 * WEIGHT], abs=3e-3 * WEIGHT)


def test_step_n_is_n_steps():
    one, many = stack(), stack()
    for _ in range(50):
        report = one.step()
    assert many.step(50).time == report.time
    assert one.state_hash == many.state_hash
    assert many.step_count == 50 and many.time == pytest.approx(50 / 60)
    assert many.step(0).step == 50 and many.step_count == 50


def test_run_returns_every_report(world):
    rows = world.run(20)
    assert rows["step"].tolist() == list(range(1, 21))
    assert rows["status"].tolist() == ["ok"] * 20
    assert rows["contacts"][-1] == world.report.contacts == 12
    assert np.abs(rows["closure"]).max() < 1e-9 * rows["scale"].max()
    assert rows["kinetic"][-1] == world.report.energy.kinetic


def test_dt_and_settings():
    world = msd.World(msd.Settings(method="exact"), dt=0.01, sleeping=False)
    assert world.dt == 0.01 and world.settings.method == "exact" and world.settings.sleeping is False
    assert world.step().dt == 0.01 and world.step(dt=0.002).dt == 0.002
    settings = world.settings
    settings.gravity = (0, 0, -1.62)
    world.settings = settings
    assert world.settings.gravity.tolist() == [0, 0, -1.62]
    world.dt = 0.005
    assert world.step().dt == 0.005


@pytest.mark.parametrize("method", ["exact", "reference"])
def test_every_method_ends_where_fast_does(method):
    fast, other = stack(3), stack(3, method=method)
    assert other.settings.method == method and f'method=\'{method}\'' in repr(other.settings)
    fast.step(120)
    other.step(120)
    assert other.report.status == "ok"
    assert np.abs(other.positions - fast.positions).max() < 2e-3


@pytest.mark.parametrize("field, value", [
    ("method", "exact"), ("method", "reference"), ("substeps", 4), ("iterations", 3), ("exact_tolerance", 1e-9),
    ("exact_iterations", 50), ("restitution_threshold", 0.1), ("position_correction", 0.3), ("baumgarte", 0.2),
    ("correction_speed", 1.0), ("sleeping", False),
    ("sleep_speed", 0.01), ("sleep_time", 1.0), ("threads", 2), ("hash_every_step", True), ("sequential_impacts", True)])
def test_every_setting_is_kept(field, value):
    settings = msd.Settings(**{field: value})
    assert getattr(settings, field) == value == settings.to_dict()[field]
    assigned = msd.Settings()
    setattr(assigned, field, value)
    assert assigned == settings != msd.Settings()
    assert f"{field}={value!r}" in repr(settings)


def test_names_that_do_not_exist_cannot_be_assigned(world):
    for thing in (world, world.body(1), world.settings, world.report, msd.Batch(world, 1)):
        with pytest.raises(AttributeError):
            thing.gravty = (0, 0, 0)


def test_settings_pickle_and_compare():
    settings = msd.Settings(gravity=(0, 0, -1.62), method="exact", substeps=3)
    for twin in (pickle.loads(pickle.dumps(settings)), copy.deepcopy(settings)):
        assert twin == settings and twin is not settings
    assert settings != msd.Settings() and settings != 3


def test_a_step_that_did_not_converge_says_so():
    world = msd.World(method="exact", exact_tolerance=1e-15, exact_iterations=1)
    add_floor(world)
    for i in range(6):
        world.spawn(msd.InertialDescription(msd.Box((0.5, 0.4, 0.5)), position=(0.07 * i, 0.02 * i, 0.5 + i),
                                            linear_velocity=(1, 0.3, -1), angular_velocity=(0.1, 0.2, 0.3)))
    rows = []
    for _ in range(20):
        report = world.step()
        rows.append(report.unsolved_islands)
        assert (report.status == "degraded") == (report.faults == ["not converged"]) == (report.unsolved_islands > 0)
    assert max(rows) > 0
    assert set(world.run(3)["unsolved_islands"]) <= {0, 1}


@pytest.mark.parametrize("call, error, text", [
    (lambda w: msd.World(gravty=(0, 0, 0)), TypeError, 'no setting "gravty"; expected one of: gravity'),
    (lambda w: msd.World(method="quick"), ValueError, 'method is "quick"'),
    (lambda w: msd.World(substeps=99), ValueError, "substeps is 99"),
    (lambda w: msd.World(gravity=(0, 1)), ValueError, "gravity is (0, 1); expected three numbers [m/s²]"),
    (lambda w: msd.World(dt=2.0), ValueError, "dt is 2"),
    (lambda w: w.step(-1), ValueError, "n is -1"),
    (lambda w: w.step(dt=-0.1), ValueError, "dt is -0.1"),
    (lambda w: w.body("nobody"), KeyError, 'no body "nobody"'),
    (lambda w: w.body(17), IndexError, "no body in row 17"),
    (lambda w: w.joint("none"), KeyError, 'no joint "none"'),
    (lambda w: add_cube(w, mass=-1.0), ValueError, "mass is -1"),
    (lambda w: add_cube(w, restitution=2.0), ValueError, "estitution"),
    (lambda w: add_cube(w, friction=float("nan")), ValueError, "riction"),
    (lambda w: add_cube(w, colour="red"), TypeError, 'no field "colour"; expected some of: '),
    (lambda w: msd.Sphere(-1), ValueError, "radius"),
    (lambda w: msd.Box("abc"), ValueError, "half_extents is 'abc'; expected numbers"),
    (lambda w: msd.Hull([[0, 0, 0], [1, 0, 0], [0, 1, 0]]), ValueError, "points"),
    (lambda w: w.body("floor").apply_force((1, 0, 0)), ValueError, "environment"),
    (lambda w: w.body("floor").mass, ValueError, "environment"),
    (lambda w: w.friction_problem(), RuntimeError, "expected exact"),
    (lambda w: w.restore(msd.Snapshot(b"no snapshot")), ValueError, "snapshot"),
    (lambda w: w.add_joint("rubber", 1), ValueError, 'kind is "rubber"; expected one of: ball, hinge'),
    (lambda w: w.add_joint("hinge", 1, axis=(0, 0, 0)), ValueError, "axis"),
    (lambda w: pickle.dumps(w), TypeError, "snapshot"),
])
def test_errors_say_what_was_expected(world, call, error, text):
    before = world.state_hash
    with pytest.raises(error) as caught:
        call(world)
    assert text in str(caught.value)
    assert world.state_hash == before


def test_a_step_that_fails_is_undone_and_says_which_body():
    world = msd.World(gravity=(0, 0, 0))
    add_cube(world, 0.0)
    fast = add_cube(world, 9.0)
    fast.velocity = (1e308, 0, 0)
    fast.apply_force((1e308, 0, 0))
    before = world.state_hash
    report = world.step(5, dt=1.0)
    assert report.status == "failed" and report.failed_row in (0, 1)
    assert report.faults == ["non-finite"] and report.failed_stage in report.stage_seconds
    assert world.state_hash == before and world.step_count == 0


def test_bodies_by_name_row_and_handle(world):
    cube = world.body("cube 1")
    assert cube == world.body(2) == world.body(cube) and cube.row == 2 and hash(cube) == hash(world.body(2))
    assert cube != world.body(1) and cube != "cube 1"
    assert [b.name for b in world.bodies] == ["floor", "cube 0", "cube 1", "cube 2"] and len(world) == 4
    assert cube.mass == pytest.approx(1000) and cube.shape.kind == "box" and not cube.is_static
    assert cube.inertia == pytest.approx(np.eye(3) * 1000 / 6) and cube.centre_of_mass.tolist() == [0, 0, 0]
    assert world.body("floor").is_static and not cube.is_kinematic and cube.is_awake
    assert cube.friction == 0.5 and cube.restitution == 0.0 and cube.exists
    assert cube.kinetic_energy == 0.0 and cube.island is None
    world.step()
    assert isinstance(cube.island, int)
    lower, upper = cube.bounds
    assert (lower < cube.position).all() and (upper > cube.position).all()
    assert "cube 1" in repr(cube) and "1000 kg" in repr(cube)


def test_states_of_one_body(world):
    cube = world.body("cube 2")
    cube.position = (5, 0, 3)
    cube.orientation = (0, 0, 0, 1)
    cube.velocity = (1, 2, 3)
    cube.angular_velocity = (0.1, 0.2, 0.3)
    assert cube.position.tolist() == [5, 0, 3] and cube.orientation.tolist() == [0, 0, 0, 1]
    assert cube.velocity.tolist() == [1, 2, 3] and cube.angular_velocity.tolist() == [0.1, 0.2, 0.3]
    assert cube.origin.tolist() == [5, 0, 3] and cube.origin_velocity.tolist() == [1, 2, 3]
    cube.set_state(position=(0, 0, 9), velocity=(0, 0, 0))
    assert cube.position.tolist() == [0, 0, 9] and cube.angular_velocity.tolist() == [0.1, 0.2, 0.3]
    cube.wake()


def test_forces_and_impulses():
    world = msd.World(gravity=(0, 0, 0))
    cube = add_cube(world, 0.0)
    cube.apply_impulse((1000, 0, 0))
    assert cube.velocity.tolist() == [1, 0, 0]
    cube.apply_force((6000, 0, 0))
    cube.apply_torque((0, 0, 100))
    world.step(dt=0.1)
    assert cube.velocity == pytest.approx([1.6, 0, 0])
    assert cube.angular_velocity == pytest.approx([0, 0, 100 * 0.1 / (1000 / 6)])
    cube.apply_force((0, 6000, 0), at=cube.position + (0.5, 0, 0))
    world.step(dt=0.1)
    assert cube.velocity == pytest.approx([1.6, 0.6, 0], abs=1e-9)
    world.step(dt=0.1)  # they acted for one step
    assert cube.velocity == pytest.approx([1.6, 0.6, 0], abs=1e-9)


def test_kinematic_bodies_arrive():
    world = msd.World()
    lift = world.spawn(msd.InertialDescription(msd.Box((1, 1, 0.1)), name="lift", kinematic=True))
    lift.move_to((0, 0, 0.1))
    world.step()
    assert lift.position == pytest.approx([0, 0, 0.1]) and lift.is_kinematic
    with pytest.raises(ValueError, match="kinematic"):
        lift.apply_force((1, 0, 0))


def test_removing_a_body(world):
    cube = world.body("cube 2")
    cube.remove()
    assert not cube.exists and len(world) == 3 and repr(cube) == "<msd.Body that was removed>"
    with pytest.raises(IndexError, match="does not exist"):
        cube.position
    with pytest.raises(IndexError):
        cube.row
    assert world.rows.tolist() == [0, 1, 2]


def test_contacts_and_events():
    world = msd.World(restitution_threshold=0.1)
    add_floor(world)
    ball = world.spawn(msd.InertialDescription(msd.Sphere(0.5), name="ball", position=(0, 0, 1), restitution=0.8))
    kinds = set()
    for _ in range(120):
        world.step()
        for event in world.events:
            kinds.add(str(event["kind"]))
            assert {int(event["body_a"]), int(event["body_b"])} == {0, ball.row}
            assert event["step"] == world.step_count
    assert {"begin", "hit", "end"} <= kinds
    world.step(600)
    contacts = world.contacts
    assert contacts.dtype.names == ("body_a", "body_b", "point", "normal", "gap", "force", "slip", "friction", "state",
                                    "feature")
    assert len(contacts) == len(ball.contacts) == 1
    assert contacts["point"].shape == (1, 3) and contacts["state"][0] in ("stick", "slip")
    assert abs(contacts["normal"][0, 2]) == pytest.approx(1)
    assert abs(contacts["force"][0, 2]) == pytest.approx(ball.mass * 9.81, rel=1e-6)


def test_snapshots_pickle_and_restore(world):
    snapshot = pickle.loads(pickle.dumps(world.snapshot()))
    assert snapshot == world.snapshot() and hash(snapshot) == hash(world.snapshot())
    assert msd.Snapshot(bytes(snapshot)) == snapshot and len(snapshot) == len(bytes(snapshot))
    world.step(40)
    later = world.state_hash
    world.restore(snapshot)
    assert world.step_count == 0
    world.step(40)
    assert world.state_hash == later
    with pytest.raises(ValueError, match="another world"):
        stack(2).restore(snapshot)


def test_deepcopy_goes_on_with_the_same_bits(world):
    world.step(10)
    world.forces[3] = (50, 0, 0)
    for twin in (copy.deepcopy(world), copy.copy(world), world.copy()):
        assert twin is not world and twin.state_hash == world.state_hash
        assert twin.forces[3].tolist() == [50, 0, 0]
        expected = world.copy()
        expected.step(30)
        twin.step(30)
        assert twin.state_hash == expected.state_hash
        assert [b.name for b in twin.bodies] == [b.name for b in world.bodies]
    with pytest.raises(ValueError, match="another world"):
        world.add_joint("fixed", world.copy().body(1))


def test_ctrl_c_stops_a_long_run(world):
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        world.step(10**9)
    assert time.monotonic() - start < 60  # 0.4 s on an idle machine
    assert 0 < world.step_count < 10**9
    assert world.step().status == "ok"


def test_another_thread_is_told_that_the_world_is_busy(world):
    errors = []
    begun = threading.Event()

    def step():
        begun.set()
        world.step(20000)

    thread = threading.Thread(target=step)
    thread.start()
    begun.wait()
    while thread.is_alive():
        try:
            world.time
        except msd.BusyError as error:
            errors.append(str(error))
        time.sleep(0.001)
    thread.join()
    assert errors and "another thread" in errors[0]
    assert world.step_count == 20000


def test_two_worlds_run_at_once_in_two_threads():
    """Both are inside a step at one moment, while Python goes on here. (How much faster that is: test_cost.py.)"""
    worlds = [stack(10), stack(10)]
    threads = [threading.Thread(target=world.step, args=(3000,)) for world in worlds]
    for thread in threads:
        thread.start()

    def is_busy(world):
        try:
            world.time
        except msd.BusyError:
            return True
        return False

    at_once = turns = 0
    while any(thread.is_alive() for thread in threads):
        turns += 1
        at_once += is_busy(worlds[0]) and is_busy(worlds[1])
        time.sleep(0)
    for thread in threads:
        thread.join()
    assert at_once > 10 and turns > 10  # were the lock held, it would be none
    assert worlds[0].state_hash == worlds[1].state_hash and worlds[0].step_count == 3000


def test_reading_while_another_thread_makes_single_steps(world):
    world.step()
    done, refused, read = threading.Event(), 0, 0

    def step():
        for _ in range(2000):
            try:
                world.step()
            except msd.BusyError:  # the reader never uses it without Python's lock
                raise AssertionError("reading makes the world busy")
        done.set()

    thread = threading.Thread(target=step)
    thread.start()
    while not done.is_set():
        try:
            assert len(world.contacts) == 12  # whole, or refused: never half of a step
            assert (world.positions[1:, 2] > 0.4).all()
            read += 1
        except msd.BusyError:
            refused += 1
    thread.join()
    assert world.step_count == 2001 and read + refused > 0


def test_potentials():
    world = msd.World(gravity=(0, 0, 0))
    moon = world.spawn(msd.InertialDescription(msd.Sphere(0.1), position=(10, 0, 0), linear_velocity=(0, 1, 0)))
    world.add_point_gravity((0, 0, 0), mu=10.0, radius=1.0)  # v² = mu/r: a circle
    for _ in range(60):
        world.step()
        assert np.linalg.norm(moon.position) == pytest.approx(10, abs=1e-4)
    world.add_anchor_spring((0, 0, 0), (0, 0, 0), 1.0, 0.0)
    assert world.step().status == "ok"
    assert world.copy().step().status == "ok"


def test_reprs_help(world):
    world.step()
    assert repr(world) == "<msd.World: 4 bodies, 0 joints, t = 0.0166667 s after 1 steps, fast>"
    assert "12 contacts" in repr(world.report) and "J" in repr(world.report.energy)
    assert "natural map" in repr(world.report.certificate)
    assert "bytes" in repr(world.snapshot())
    assert repr(msd.Sphere(1)) == "msd.Sphere(1)" and repr(msd.Box((1, 2, 3))) == "msd.Box((1, 2, 3))"
    assert "floor" in repr(msd.EnvironmentDescription(msd.Plane(), name="floor"))
    assert "ball" in repr(msd.InertialDescription(msd.Sphere(1), name="ball"))


def test_everything_a_report_says(world):
    report = world.step(3)
    assert isinstance(report, msd.StepReport) and isinstance(report.energy, msd.EnergyLedger)
    assert isinstance(report.certificate, msd.Certificate) and report.failed_row is None and report.step == 3
    assert report.faults == [] and report.failed_stage is None
    assert report.unsolved_islands == report.torn_joints == 0
    for name in ("bodies", "awake_bodies", "pairs", "manifolds", "contacts", "islands", "colours", "substeps", "iterations",
                 "guarded_islands", "shape_tests", "unsettled", "visits", "visits_allowed"):
        assert isinstance(getattr(report, name), int), name
    assert report.bodies == report.awake_bodies == 3 and report.manifolds == 3 and report.pairs >= 3
    assert 0 < report.visits <= report.visits_allowed
    assert sum(group["bodies"] for group in report.groups.values()) == 3
    assert sum(group["visits"] for group in report.groups.values()) == report.visits
    for name in ("residual", "deepest_penetration", "joint_error", "seconds", "local_residual", "last_change"):
        assert getattr(report, name) >= 0.0, name
    assert report.seconds == pytest.approx(sum(report.stage_seconds.values())) and "solve" in report.stage_seconds
    assert set(report.hash) == {"0"} and report.taut_joints is False
    assert 0.0 <= report.guard_factor <= 1.0 and report.guard_energy >= 0.0
    energy = report.energy
    works = [energy.external_work, energy.joint_work, energy.normal_work, energy.friction_work, energy.position_work,
             energy.damping_work, energy.guard_work, energy.integrator_error]
    assert energy.works == pytest.approx(sum(works)) and energy.closure == energy.change - energy.works
    assert energy.potential > 0 and energy.scale > 0
