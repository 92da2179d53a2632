"""pip installs the package without a network, with the packaged tools."""
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(os.environ.get("MSD_SOURCE_DIR", Path(__file__).resolve().parents[3]))

missing = [name for name in ("pip", "setuptools", "wheel", "venv", "ensurepip") if importlib.util.find_spec(name) is None]
pytestmark = pytest.mark.skipif(bool(missing) or "MSD_BINARY_DIR" not in os.environ or "LD_PRELOAD" in os.environ,
                                reason=f"missing: {missing}, or no build folder, or a sanitizer")


def run(*command, **more):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, **more)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_pip_install_works_offline(tmp_path):
    source = tmp_path / "source"
    for name in ("setup.py", "pyproject.toml", "CMakeLists.txt", "msd/msd-python/msd"):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, source / name)
    run(sys.executable, "-m", "venv", "--system-site-packages", tmp_path / "env")
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE")}
    environment["MSD_BUILD_DIR"] = os.environ["MSD_BINARY_DIR"]
    python = tmp_path / "env" / "bin" / "python"
    run(python, "-m", "pip", "install", "--no-build-isolation", "--no-index", "--no-deps", ".", cwd=source,
        env=environment)
    program = "import msd, sys; print(msd.__file__); w = msd.World(); print(w.step().status)"
    out = run(python, "-c", program, cwd=tmp_path, env={k: v for k, v in environment.items() if k != "MSD_BUILD_DIR"})
    assert str(tmp_path / "env") in out and out.strip().endswith("ok")
    for name in ("py.typed", "_core.pyi"):
        assert list((tmp_path / "env").rglob(f"msd/{name}"))
