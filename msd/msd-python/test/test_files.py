"""Scenes and recordings."""
import gc
import json

import numpy as np
import pytest

import msd
from conftest import SCENES, stack


def test_a_scene_runs_as_the_tool_runs_it(scenes):
    scene = msd.load(scenes / "stack_of_ten.json")
    assert scene.name == "stack of ten" and len(scene.bodies) == 11 and scene.joints == []
    assert "stack of ten" in repr(scene)
    world = scene.world()
    world.step(120)
    assert world.body("cube 10").position[2] == pytest.approx(9.5, abs=0.005)
    assert world.contact_forces()[0][2] == pytest.approx(-10 * 9810, rel=1e-3)


def test_overrides(scenes):
    world = msd.load(scenes / "stack_of_ten.json").world(method="exact", dt=0.005, threads=2, sleeping=True, substeps=2,
                                                          iterations=3, hash_every_step=True)
    s = world.settings
    assert (s.method, world.dt, s.threads, s.sleeping, s.substeps, s.iterations) == ("exact", 0.005, 2, True, 2, 3)
    assert int(world.step().hash, 16) != 0


def test_editing_and_saving(scenes, tmp_path):
    scene = msd.load(scenes / "stack_of_ten.json")
    scene.body("cube 10")["position"][2] = 12.0
    scene.materials["default"]["friction"] = 0.9
    scene.shapes["ball"] = {"type": "sphere", "radius": 0.25}
    scene.bodies.append({"name": "ball", "shape": "ball", "position": [3, 0, 1], "force": [0, 0, 5.0]})
    scene.joints.append({"type": "rope", "name": "rope", "bodyA": "world", "bodyB": "ball", "anchor": [3, 0, 4],
                         "anchorB": [3, 0, 1]})
    assert scene.joint("rope")["type"] == "rope" and scene.check() == []
    path = tmp_path / "edited.json"
    scene.save(path)
    again = msd.load(path)
    assert again.body("cube 10")["position"] == [0, 0, 12] and json.loads(again.text()) == json.loads(scene.text())
    world = again.world()
    assert world.forces[world.body("ball").row].tolist() == [0, 0, 5.0]
    twin = scene.world()
    world.step(50), twin.step(50)
    assert world.state_hash == twin.state_hash and world.joint("rope").kind == "rope"
    with pytest.raises(KeyError, match="nobody"):
        scene.body("nobody")
    with pytest.raises(KeyError, match="none"):
        scene.joint("none")


def test_a_scene_made_in_python():
    scene = msd.Scene(source="made")
    scene.shapes["ball"] = {"type": "sphere", "radius": 1.0}
    scene.bodies.append({"name": "ball", "shape": "ball", "position": [0, 0, 0]})
    world = scene.world()
    world.step(60)
    assert world.body("ball").position[2] == pytest.approx(-0.5 * 9.81, rel=1e-9)


def test_robots_and_parameters(scenes, tmp_path):
    arm = msd.Scene.load_robot(scenes / "robots" / "arm.urdf", fixed_base=True)
    world = arm.world()
    world.step(10)
    assert len(arm.joints) == 1 and world.report.joint_error < 1e-6
    assert isinstance(msd.load(scenes / "robots" / "legs.xml").check(), list)

    path = tmp_path / "row.json"
    path.write_text('''{"version": 2, "parameters": {"n": 2}, "shapes": {"ball": {"type": "sphere", "radius": 0.1}},
        "bodies": [{"repeat": {"i": "${n}"}, "name": "ball_${i}", "shape": "ball", "position": ["${i}", 0, 0]}]}''')
    assert len(msd.load(path).world().positions) == 2
    assert len(msd.load(path, parameters={"n": 5}).world().positions) == 5
    with pytest.raises(msd.SceneError, match="no parameter \"m\""):
        msd.load(path, parameters={"m": 5})


def test_wrong_scenes(scenes, tmp_path):
    scene = msd.load(scenes / "stack_of_ten.json")
    scene.body("cube 3")["position"][1] = "up"
    with pytest.raises(msd.SceneError, match=r'bodies\[3\].position\[1\]: found "up", expected'):
        scene.world()
    with pytest.raises(msd.SceneError):
        scene.save(tmp_path / "wrong.json")
    assert not (tmp_path / "wrong.json").exists()
    (tmp_path / "broken.json").write_text('{\n"version": 3}')
    with pytest.raises(msd.SceneError, match=r"broken.json:2:"):
        msd.load(tmp_path / "broken.json")
    with pytest.raises(FileNotFoundError):
        msd.load(tmp_path / "nothing.json")
    assert issubclass(msd.SceneError, ValueError)


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    path = tmp_path_factory.mktemp("recording") / "run.db"
    world = msd.load(SCENES / "stack_of_ten.json").world()
    with msd.Recorder(world, path, every=2) as recorder:
        world.step(20)
        world.run(20)
        assert "run.db" in repr(recorder) and recorder.path == str(path)
        with pytest.raises(ValueError, match="recorded"):
            world.body("cube 1").remove()
    assert recorder.frames == 21
    world.body("cube 1")
    return msd.Recording(path), world


def test_recordings_are_arrays(recording):
    read, world = recording
    assert len(read) == 21 and len(read.names) == 11 and read.moving == [f"cube {i}" for i in range(1, 11)]
    assert read.frames["step"].tolist() == list(range(0, 41, 2)) and "21 frames" in repr(read)
    assert read.states.shape == (21, 10) and read.positions.shape == (21, 10, 3)
    assert np.array_equal(read.positions[-1, 9], world.body("cube 10").origin)
    path = read.trajectory("cube 10")
    assert np.array_equal(path["position"], read.positions[:, 9]) and path["time"][-1] == pytest.approx(40 / 60)
    assert read.steps["step"].tolist() == list(range(1, 41))
    assert read.steps["kinetic"][-1] == world.report.energy.kinetic
    assert set(read.events["kind"]) <= {"begin", "end", "hit"} and (read.events["kind"] == "begin").sum() == 10


def test_frames_of_recordings(recording):
    read, world = recording
    last = read[-1]
    assert isinstance(last, msd.Frame) and read.path.name == "run.db" and last.step == 40 and last.number == 20 and last.time == pytest.approx(40 / 60)
    assert len(last.contacts) == 40 and last.states["awake"].all() and len(last.reactions) == 0
    assert read.at(0.5).time <= 0.5 and read[0].step == 0
    with pytest.raises(IndexError, match="no frame 21"):
        read[21]


def test_a_recording_holds_its_scene(recording):
    read, world = recording
    assert read.scene.name == "stack of ten" and read.about and read.settings
    twin = read.scene.world()
    twin.step(40)
    assert twin.state_hash == world.state_hash


def test_a_recorder_keeps_its_world(tmp_path):
    def record():
        world = msd.load(SCENES / "stack_of_ten.json").world()
        recorder = msd.Recorder(world, tmp_path / "kept.db")
        world.step(4)
        return recorder
    recorder = record()
    gc.collect()
    recorder.close()
    recorder.close()  # once is enough
    read = msd.Recording(tmp_path / "kept.db")
    assert read[-1].step == 4 and read.about["status"] == "ok"


def test_what_cannot_be_recorded_or_read(tmp_path):
    with pytest.raises(ValueError, match="scene"):
        msd.Recorder(stack(), str(tmp_path / "run.db"))
    (tmp_path / "not.db").write_text("text")
    with pytest.raises(msd.RecordError, match="not.db"):
        msd.Recording(tmp_path / "not.db")
    world = msd.load(SCENES / "stack_of_ten.json").world()
    msd.Recorder(world, str(tmp_path / "run.db")).close()
    with pytest.raises(msd.RecordError):
        msd.Recorder(world, str(tmp_path / "run.db"))
    msd.Recorder(world, str(tmp_path / "run.db"), overwrite=True).close()


def test_plots(recording, tmp_path):
    pytest.importorskip("matplotlib")
    world = stack()
    figure = msd.plot(world.run(10), title="stack", path=str(tmp_path / "stack.png"))
    assert len(figure.axes) == 4 and (tmp_path / "stack.png").stat().st_size > 5000
    assert msd.plot(recording[0], path=str(tmp_path / "recording.png"))
    for wrong in (np.zeros(3), world.run(0), [1, 2]):
        with pytest.raises(ValueError, match="World.run"):
            msd.plot(wrong, path=str(tmp_path / "wrong.png"))
