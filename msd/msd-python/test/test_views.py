"""Arrays on a world's memory: they alias it, they say when it has become another, and they never dangle."""
import gc
import pickle
import sys

import numpy as np
import pytest

import msd
from conftest import add_cube, stack

STATES = ["positions", "orientations", "velocities", "angular_velocities"]
ALL = [*STATES, "forces", "torques"]


@pytest.mark.parametrize("name", ALL)
def test_shape_and_type(world, name):
    view = getattr(world, name)
    assert isinstance(view, np.ndarray) and isinstance(view, msd.View)
    assert view.shape == (4, 4 if name == "orientations" else 3) and view.dtype == np.float64 and len(view) == 4


@pytest.mark.parametrize("name", STATES)
def test_views_alias_the_engines_memory(world, name):
    cube = world.body("cube 2")
    cube.set_state(velocity=(1, 2, 3), angular_velocity=(0.1, 0.2, 0.3))
    view = getattr(world, name)
    plain = np.asarray(view)
    again = getattr(world, name)
    assert plain.ctypes.data == np.asarray(again).ctypes.data and not plain.flags.owndata
    one = {"positions": "position", "orientations": "orientation", "velocities": "velocity",
           "angular_velocities": "angular_velocity"}[name]
    for _ in range(3):
        before = plain[cube.row].copy()
        world.step(5)
        assert not np.array_equal(plain[cube.row], before)  # the same array shows the present
        assert np.array_equal(view[cube.row], getattr(cube, one))
    snapshot = world.snapshot()
    world.step(5)
    world.restore(snapshot)
    assert np.array_equal(plain[cube.row], getattr(cube, one))


def test_rows_are_the_bodies(world):
    world.step(10)
    for body in world.bodies:
        assert np.array_equal(world.positions[body.row], body.position)
        assert np.array_equal(world.orientations[body.row], body.orientation)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("change", ["add", "add static", "remove"])
def test_stale_views_raise(world, name, change):
    view = getattr(world, name)
    part, plain = view[1], np.asarray(view)
    before = plain.copy()
    assert not view.is_stale
    if change == "remove":
        world.body("cube 1").remove()
    elif change == "add":
        add_cube(world, 9.0)
    else:
        world.spawn(msd.EnvironmentDescription(msd.Sphere(0.1), position=(9, 9, 9)))
    uses = [lambda: view[0], lambda: view + 1, lambda: 1 - view, lambda: view.sum(), lambda: view.shape,
            lambda: np.linalg.norm(view), lambda: np.concatenate([view, view]), lambda: list(view), lambda: repr(view),
            lambda: str(view), lambda: len(view), lambda: view.copy(), lambda: part + 1, lambda: part[0],
            lambda: view == view, lambda: pickle.dumps(view), lambda: view.__setitem__(0, 1.0), lambda: view.T,
            lambda: np.add(view, 1, out=np.zeros(before.shape))]
    for use in uses:
        with pytest.raises(msd.StaleViewError, match="take it from the world again"):
            use()
    assert view.is_stale
    world.step(10)
    # What was taken out as a plain array cannot raise: it keeps the numbers of before.
    assert np.array_equal(plain, before)
    assert getattr(world, name).shape[0] == (4 if change == "remove" else 5)


def test_a_body_that_is_refused_leaves_views_current(world):
    view = world.positions
    with pytest.raises(ValueError):
        add_cube(world, mass=-1.0)
    assert not view.is_stale and view[1, 2] == 0.5


def test_joints_and_steps_leave_views_current(world):
    view = world.positions
    world.add_joint("ball", "cube 0", anchor=(0, 0, 1))
    world.step()
    assert not view.is_stale


def test_states_are_read_only_in_place(world):
    for name in STATES:
        view = getattr(world, name)
        assert not view.flags.writeable
        for wrong in (lambda: view.fill(1.0), lambda: view.T.__setitem__(0, 1.0), lambda: np.copyto(view, 1.0),
                      lambda: np.asarray(view).__setitem__(0, 1.0)):
            with pytest.raises(ValueError, match="read-only"):
                wrong()
        with pytest.raises(ValueError):
            view.setflags(write=True)


def test_assigning_writes_all_bodies(world):
    wanted = world.positions + np.array([[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0]])
    world.positions = wanted
    assert np.array_equal(world.positions, wanted)
    assert world.body("cube 1").position.tolist() == [2, 0, 1.5]
    velocities = np.zeros((4, 3))
    velocities[1:] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    world.velocities = velocities
    assert np.array_equal(world.velocities, velocities)
    world.angular_velocities = velocities * 2
    turned = np.tile([0.0, 0, 0, 1], (4, 1))
    turned[0] = [1, 0, 0, 0]
    world.orientations = turned
    assert np.array_equal(world.orientations, turned)
    assert np.array_equal(world.angular_velocities, velocities * 2)


def test_assigning_elements_writes_those_bodies(world):
    world.velocities[3] = 0, 0, 4
    assert world.body("cube 2").velocity.tolist() == [0, 0, 4]
    world.positions[1:, 0] = 7.0
    assert world.positions[:, 0].tolist() == [0, 7, 7, 7]


def test_in_place_operators_write_those_bodies(world):
    cube = world.body("cube 2")
    world.velocities[cube.row] += (1, 2, 3)
    world.velocities[cube.row] *= 2
    assert cube.velocity.tolist() == [2, 4, 6]
    world.positions[1:, 0] -= 4.0
    assert world.positions[:, 0].tolist() == [0, -4, -4, -4]
    world.velocities += [[0, 0, 0], [0, 0, 0], [0, 0, 0], [1, 0, 0]]
    assert cube.velocity.tolist() == [3, 4, 6]
    part = world.velocities[cube.row]
    part[0] = 9.0
    part += 1.0
    assert cube.velocity.tolist() == [10, 5, 7] == part.tolist()
    some = world.velocities[:, 2] > 6
    world.velocities[some] += 1.0
    assert cube.velocity.tolist() == [11, 6, 8]
    before = world.state_hash
    with pytest.raises(ValueError, match='row 0: body "floor"'):
        world.positions += 1.0
    with pytest.raises(ValueError, match="row 3: velocity"):
        world.velocities[cube.row] *= np.inf
    assert world.state_hash == before


def test_set_states_is_all_or_nothing(world):
    before = world.state_hash
    positions = np.array(world.positions)
    positions[2] = (1, 2, 3)
    positions[3] = (np.nan, 0, 0)
    with pytest.raises(ValueError, match="row 3: position"):
        world.set_states(positions=positions)
    positions[3] = world.positions[3]
    positions[0, 2] += 1.0  # the floor
    with pytest.raises(ValueError, match='row 0: body "floor"'):
        world.set_states(positions=positions)
    with pytest.raises(ValueError, match=r"velocities has shape \(2, 3\); expected \(4, 3\)"):
        world.velocities = np.zeros((2, 3))
    with pytest.raises(ValueError, match="row 1: orientation"):
        world.orientations = np.ones((4, 4)) * [[1], [1], [1], [1]] * 0 + [[1, 0, 0, 0], [1, 1, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]]
    assert world.state_hash == before


def test_writing_what_is_there_changes_nothing():
    one, two = stack(), stack()
    one.step(30), two.step(30)
    one.positions, one.velocities = one.positions, one.velocities
    assert one.step(30).contacts == two.step(30).contacts
    assert one.state_hash == two.state_hash


def test_forces_stay_until_they_are_set_otherwise():
    world = msd.World(gravity=(0, 0, 0))
    cube = add_cube(world, 0.0)
    forces = world.forces
    forces[cube.row] = (1000, 0, 0)
    world.step(10, dt=0.1)
    assert cube.velocity == pytest.approx([1, 0, 0])
    forces += 1000.0
    world.torques = [[0, 0, 1000 / 6]]
    world.step(10, dt=0.1)
    assert cube.velocity == pytest.approx([3, 1, 1]) and cube.angular_velocity[2] == pytest.approx(1)
    world.forces[:] = 0
    world.torques[:] = 0
    world.step(10, dt=0.1)
    assert cube.velocity == pytest.approx([3, 1, 1])
    # They stay with their bodies when others come.
    world.forces[cube.row] = (0, 0, 500)
    other = add_cube(world, 20.0)
    assert world.forces.tolist() == [[0, 0, 500], [0, 0, 0]] and other.row == 1
    cube.remove()
    assert world.forces.tolist() == [[0, 0, 0], [0, 0, 0]]


def test_forces_on_what_no_force_moves_are_an_error(world):
    world.forces[0] = (1, 0, 0)
    with pytest.raises(ValueError, match='row 0: body "floor"'):
        world.step()


def test_forces_that_are_refused_do_not_act_later():
    world = msd.World(gravity=(0, 0, 0))
    cube, gone = add_cube(world, 0.0), add_cube(world, 9.0)
    lift = world.spawn(msd.InertialDescription(msd.Sphere(1), name="lift", position=(9, 0, 0), kinematic=True))
    gone.remove()
    world.forces[cube.row] = (1000, 0, 0)
    for row, wrong, text in ((1, 1.0, "row 1: its body was removed"), (lift.row, 1.0, 'row 2: body "lift" is kinematic'),
                             (cube.row, np.nan, "row 0: force")):
        world.forces[row, 1] = wrong
        with pytest.raises(ValueError, match=text):
            world.step(dt=0.1)
        world.forces[row, 1] = 0.0
    world.step(dt=0.1)
    assert cube.velocity == pytest.approx([0.1, 0, 0])


def test_results_are_ordinary_arrays(world):
    for result in (world.positions + 1, np.sqrt(world.forces), np.array(world.positions), world.positions.copy(),
                   np.concatenate([world.positions, world.velocities])):
        assert type(result) in (np.ndarray, msd.View)
    total = world.positions + world.velocities
    add_cube(world, 9.0)
    assert type(total) is np.ndarray and total.shape == (4, 3)
    assert type(pickle.loads(pickle.dumps(world.positions))) is np.ndarray


def test_views_outlive_their_world():
    world = stack()
    view = world.positions
    plain, forces = np.asarray(world.velocities), world.forces
    del world
    gc.collect()
    for _ in range(100):
        stack(20)  # memory is taken and given back
    assert view.shape == (4, 3) and view[1].tolist() == [0, 0, 0.5] and plain[1].tolist() == [0, 0, 0]
    forces[1] = 3.0


def test_handles_outlive_their_world():
    body = stack().body("cube 1")
    gc.collect()
    assert body.position.tolist() == [0, 0, 1.5]


def test_no_references_are_lost_or_kept():
    world = stack()
    world.step(3)
    reads = [lambda: world.positions, lambda: world.forces, lambda: world.bodies, lambda: world.contacts,
             lambda: world.report, lambda: world.snapshot(), lambda: world.body("floor"), lambda: world.run(1),
             lambda: world.ray_cast((0, 0, 9), (0, 0, -1)), lambda: world.settings]
    for read in reads:
        read()
        before = sys.getrefcount(world), sys.getrefcount(None)
        for _ in range(200):
            read()
        gc.collect()
        after = sys.getrefcount(world), sys.getrefcount(None)
        assert after[0] == before[0] and abs(after[1] - before[1]) < 100


def test_worlds_are_given_back():
    import weakref
    world = stack()
    world.step(2)
    world.positions, world.forces, world.contacts
    ref = weakref.ref(world)
    del world
    gc.collect()
    assert ref() is None
