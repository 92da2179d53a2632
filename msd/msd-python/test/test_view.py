"""The browser view on a world that Python steps."""
import gc
import socket
import urllib.request

import pytest

import msd
from conftest import SCENES, add_cube, stack
from msd import _core

pytestmark = pytest.mark.skipif(not _core.HAS_VIEW, reason="built without the browser view")


def fetch(url):
    with urllib.request.urlopen(url, timeout=20) as answer:
        return answer.status, answer.read()


def test_the_page_is_served_while_the_script_steps():
    world = stack()
    with msd.view(world, open_browser=False, title="stack") as viewer:
        assert isinstance(viewer, msd.Viewer) and viewer.url.startswith(f"http://127.0.0.1:{viewer.port}/") and viewer.is_open and viewer.viewers == 0
        world.step(30)
        world.run(5)
        status, page = fetch(viewer.url)
        assert status == 200 and b"<html" in page.lower() or b"<!doctype" in page.lower()
        world.positions[1, 0] = 3.0
        viewer.update()
        add_cube(world, 9.0)
        world.step(3)
        viewer.run(0.1)
        assert viewer.url in viewer._repr_html_() and viewer.url in repr(viewer)
    assert not viewer.is_open and "closed" in repr(viewer) and "closed" in viewer._repr_html_()
    world.step()  # the world stays
    with pytest.raises(ValueError, match="closed"):
        viewer.url


def test_a_run_that_is_watched_has_the_same_bits():
    one, two = stack(), stack()
    with msd.view(one, open_browser=False):
        one.step(50)
    two.step(50)
    assert one.state_hash == two.state_hash


def test_scenes_and_files(tmp_path):
    with msd.view(msd.load(SCENES / "pendulum.json"), open_browser=False) as viewer:
        viewer.run(0.05, speed=100)
    with msd.view(str(SCENES / "pendulum.json"), open_browser=False) as viewer:
        with pytest.raises(ValueError, match="of a file"):
            viewer.run(1)
    world = msd.load(SCENES / "pendulum.json").world()
    with msd.Recorder(world, str(tmp_path / "run.db")):
        world.step(5)
    with msd.view(msd.Recording(tmp_path / "run.db"), open_browser=False) as viewer:
        assert fetch(viewer.url)[0] == 200


def test_a_port_in_use_is_said():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(msd.ServerError, match=str(port)):
            msd.view(stack(), port=port, open_browser=False)
    with pytest.raises(ValueError, match="port is -1"):
        msd.view(stack(), port=-1, open_browser=False)
    with pytest.raises(ValueError, match="speed"), msd.view(stack(), open_browser=False) as viewer:
        viewer.run(1, speed=0)


def test_a_view_that_is_dropped_ends():
    world = stack()
    viewer = msd.view(world, open_browser=False)
    del viewer
    gc.collect()
    assert world.step().status == "ok"
