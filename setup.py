"""Builds the Python package with CMake: python3 -m pip install --no-build-isolation .

MSD_BUILD_DIR names a build folder that exists (build/release, say); without it the engine is built in build/pip.
"""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent
PACKAGE = Path("msd") / "msd-python" / "msd"
VERSION = re.search(r"project\(msd VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


class CMakeBuild(build_ext):
    def build_extension(self, ext):
        if "MSD_BUILD_DIR" in os.environ:
            build = Path(os.environ["MSD_BUILD_DIR"]).resolve()
        else:
            build = ROOT / "build" / "pip"
            subprocess.run(["cmake", "-S", str(ROOT), "-B", str(build), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                            "-DMSD_BUILD_TESTS=OFF", "-DMSD_BUILD_BENCH=OFF", f"-DMSD_PYTHON={sys.executable}"],
                           check=True)
        subprocess.run(["cmake", "--build", str(build), "--target", "msd_python"], check=True)
        name = Path(self.get_ext_fullpath(ext.name)).name
        made = build / "python" / "msd" / name
        if not made.exists():
            raise SystemExit(f"{made} was not built; expected the module of {sys.executable}: CMake says what is missing")
        target = Path(self.get_ext_fullpath(ext.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(made, target)


setup(
    name="msd-sim",
    version=VERSION,
    description="Rigid-body contact dynamics that can be trusted",
    license="MIT",
    python_requires=">=3.9",
    install_requires=["numpy"],
    extras_require={"plot": ["matplotlib"]},
    packages=["msd"],
    package_dir={"msd": str(PACKAGE)},
    package_data={"msd": ["py.typed", "*.pyi"]},
    ext_modules=[Extension("msd._core", sources=[])],
    cmdclass={"build_ext": CMakeBuild},
    zip_safe=False,
)
