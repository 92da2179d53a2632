"""Every example runs, draws its picture, and shows what it says."""
import numpy as np
import pytest

pytest.importorskip("matplotlib")


def picture(tmp_path, name):
    return tmp_path / f"{name}.png"


def drawn(path):
    return path.exists() and path.stat().st_size > 5000


def test_the_stack_carries_its_weight(tmp_path):
    import stack_and_forces
    path = picture(tmp_path, "stack")
    assert stack_and_forces.main(str(path)) == pytest.approx(1.0, abs=1e-3) and drawn(path)


def test_the_gripper_lifts_what_friction_can_carry(tmp_path):
    import gripper
    path = picture(tmp_path, "gripper")
    held, dropped = gripper.main(str(path))
    assert held > 0.5 and dropped < 0.15 and drawn(path)


def test_the_controller_balances_the_pole(tmp_path):
    import cart_pole
    path = picture(tmp_path, "cart_pole")
    history = cart_pole.main(str(path))
    assert abs(history[0, 3]) == pytest.approx(0.4) and np.abs(history[-60:, 3]).max() < 0.01 and drawn(path)


def test_a_batch_balances_most(tmp_path):
    import thousand_worlds
    path = picture(tmp_path, "thousand")
    assert 0.3 < thousand_worlds.main(str(path), 60) <= 1.0 and drawn(path)


def test_a_recording_is_read(tmp_path):
    import read_recording
    path = picture(tmp_path, "recording")
    hits, change = read_recording.main(str(path))
    assert hits >= 3 and change <= 1e-6 and drawn(path)


def test_environments():
    import environments
    points, upright = environments.main()
    assert points > 190 and upright == 1.0


@pytest.mark.parametrize("name", ["CartPoleVectorEnv", "QuadrupedVectorEnv"])
def test_environments_speak_as_gymnasiums_do(name):
    import environments
    one, two = (getattr(environments, name)(4, threads=t) for t in (1, 2))
    one.max_steps = two.max_steps = 4
    start, infos = one.reset(seed=3)
    assert start.shape == (4, *one.single_observation_shape) and infos == {}
    assert np.array_equal(start, two.reset(seed=3)[0])
    random = np.random.default_rng(0)
    ended = False
    for _ in range(6):
        actions = random.uniform(-1, 1, (4, *one.single_action_shape))
        first, second = one.step(actions), two.step(actions)
        for a, b in zip(first[:4], second[:4]):
            assert np.array_equal(a, b) and len(a) == 4  # the same bits on one thread and on two
        ended |= bool((first[2] | first[3]).any())
        if (first[2] | first[3]).any():
            assert first[4]["final_observation"].shape == start.shape
    assert ended
