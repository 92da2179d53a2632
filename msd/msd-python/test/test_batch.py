"""Batches: every world goes through the bits that it would go through alone."""
import gc
import os
import signal
import threading

import numpy as np
import pytest

import msd
from conftest import SCENES, add_cube, add_floor, stack


def alone(prototype, forces, count):
    world = prototype.copy()
    world.forces = forces
    world.step(count)
    return world


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("method", ["fast", "exact", "reference"])
def test_worlds_of_a_batch_are_bit_identical_to_worlds_alone(threads, method):
    prototype = stack(2, method=method)
    prototype.step(7)
    batch = msd.Batch(prototype, 6, threads=threads)
    random = np.random.default_rng(1)
    batch.forces[:, 1:] = random.normal(scale=3000, size=(6, 2, 3))
    batch.step(10)
    batch.step(15)
    for i in range(6):
        twin = alone(prototype, batch.forces[i], 25)
        assert batch[i].state_hash == twin.state_hash == batch.state_hashes()[i]
        assert np.array_equal(batch.positions[i], twin.positions)
        assert np.array_equal(batch.orientations[i], twin.orientations)
        assert np.array_equal(batch.velocities[i], twin.velocities)
        assert np.array_equal(batch.angular_velocities[i], twin.angular_velocities)
    assert len(set(batch.state_hashes())) == 6
    assert batch.reports["step"].tolist() == [32] * 6


def test_stacked_arrays():
    batch = msd.Batch(SCENES / "pendulum.json", 3, method="exact", threads=2)
    rows = len(batch[0].positions)
    assert len(batch) == 3 and batch.threads == 2 and "3 worlds" in repr(batch)
    for name, columns in [("positions", 3), ("orientations", 4), ("velocities", 3), ("angular_velocities", 3),
                          ("forces", 3), ("torques", 3)]:
        array = getattr(batch, name)
        assert array.shape == (3, rows, columns) and array.flags.c_contiguous
        assert array.flags.writeable == (name in ("forces", "torques"))
        assert array.ctypes.data == getattr(batch, name).ctypes.data  # a view, not a copy
    assert batch[0].settings.method == "exact" and batch.joint_positions.shape == (3, len(batch[0].joints))
    batch.step()
    for i, joint in enumerate(batch[1].joints):
        found = batch.joint_positions[1, i]
        assert np.isnan(found) if joint.kind in ("ball", "fixed", "universal") else found == joint.position


def test_writing_and_resetting():
    batch = msd.Batch(stack(2), 4)
    velocities = np.zeros((4, 3, 3))
    velocities[:, 2, 0] = [1, 2, 3, 4]
    batch.set_states(velocities=velocities)
    assert np.array_equal(batch.velocities, velocities) and batch[3].body("cube 1").velocity.tolist() == [4, 0, 0]
    batch.step(20)
    moved = batch.positions[:, 2, 0].copy()
    assert (np.diff(moved) > 0).all()
    start = stack(2).state_hash
    batch.reset([True, False, True, False])
    assert [h == start for h in batch.state_hashes()] == [True, False, True, False]
    assert batch.positions[:, 2, 0].tolist() == [0, moved[1], 0, moved[3]]
    batch.reset()
    assert set(batch.state_hashes()) == {start}
    batch[1].body("cube 1").position = (0, 0, 9)
    assert batch.positions[1, 2, 2] == 1.5
    batch.gather()
    assert batch.positions[1, 2, 2] == 9


def test_errors_name_the_world():
    batch = msd.Batch(stack(1), 3)
    batch.forces[2, 0] = 1.0  # the floor
    with pytest.raises(ValueError, match='world 2: row 0: body "floor"'):
        batch.step()
    with pytest.raises(ValueError, match=r"positions has shape \(3, 3\); expected \(3, 2, 3\)"):
        batch.set_states(positions=np.zeros((3, 3)))
    positions = batch.positions.copy()
    positions[1, 1, 0] = np.nan
    positions[0, 1, 0] = 5.0
    before = batch.state_hashes()
    with pytest.raises(ValueError, match="world 1: row 1: position"):
        batch.set_states(positions=positions)
    assert batch.state_hashes() == before  # all or nothing
    with pytest.raises(IndexError, match="no world 3"):
        batch[3]
    with pytest.raises(ValueError, match="n is 0"):
        msd.Batch(stack(1), 0)
    with pytest.raises(ValueError, match="n is -1"):
        batch.step(-1)
    with pytest.raises(ValueError, match="expected 3 booleans"):
        batch.reset([True])
    with pytest.raises(ValueError, match="part of a batch"):
        add_cube(batch[0], 9.0)
    with pytest.raises(TypeError, match="for a scene only"):
        msd.Batch(stack(1), 2, dt=0.1)
    assert batch[-1] is batch[2]


def test_single_worlds_and_arrays_outlive_their_batch():
    batch = msd.Batch(stack(1), 2)
    world, positions, forces = batch[1], batch.positions, batch.forces
    del batch
    gc.collect()
    forces[1, 1] = (0, 0, 100)
    assert world.step().status == "ok" and positions.shape == (2, 2, 3) and world.forces[1].tolist() == [0, 0, 100]


def test_a_world_of_a_batch_is_busy_while_the_batch_steps():
    batch = msd.Batch(stack(1), 2)
    thread = threading.Thread(target=batch.step, args=(20000,))
    thread.start()
    told = set()
    while thread.is_alive():
        for use in (lambda: batch[1].time, batch.step, batch.reset, batch.gather, lambda: batch[0].step()):
            try:
                use()
            except msd.BusyError as error:
                told.add(str(error))
    thread.join()
    assert told and all("another thread" in text for text in told)


def test_ctrl_c_leaves_all_worlds_after_the_same_step():
    batch = msd.Batch(stack(1), 3, threads=2)
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        batch.step(10**9)
    steps = {batch[i].step_count for i in range(3)}
    assert len(steps) == 1 and steps.pop() > 0
