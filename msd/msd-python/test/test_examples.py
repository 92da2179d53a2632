"""Every example runs, draws its picture, and shows what it says."""
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


def test_a_recording_is_read(tmp_path):
    import read_recording
    path = picture(tmp_path, "recording")
    hits, change = read_recording.main(str(path))
    assert hits >= 3 and change <= 1e-6 and drawn(path)
