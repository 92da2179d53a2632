"""msd-sim: rigid-body dynamics with contact that can be trusted.

    import msd
    world = msd.World(gravity=(0, 0, -9.81))
    world.spawn(msd.EnvironmentDescription(msd.Plane(), name="floor"))
    cube = world.spawn(msd.InertialDescription(msd.Box((0.5, 0.5, 0.5)), name="cube", position=(0, 0, 2)))
    report = world.step(60)
    print(cube.position, report.energy.closure)

SI units, radians; quaternions are w, x, y, z; vectors are anything numpy makes three numbers of.
"""
from ._core import (
    Body, BusyError, Box, Capsule, Certificate, Compound, Cylinder, EnergyLedger, EnvironmentDescription,
    FrictionProblem, Hit, Hull, InertialDescription, Joint, JointLimit, JointMotor, Mechanism, Mesh, MeshError, Plane,
    ProblemFileError, Recorder, RecordError, SceneError, Settings, Shape, Snapshot, Solution, Sphere,
    StaleViewError, StepReport, Terrain, World, __version__, load_mesh)
from ._batch import Batch
from ._plot import plot
from ._recording import Frame, Recording
from ._scene import Scene, load, load_problem, save_problem
from ._view import ServerError, Viewer, view
from ._views import View

__all__ = [
    "Batch", "Body", "Box", "BusyError", "Capsule", "Certificate", "Compound", "Cylinder", "EnergyLedger",
    "EnvironmentDescription", "Frame", "FrictionProblem", "Hit", "Hull", "InertialDescription", "Joint", "JointLimit",
    "JointMotor", "Mechanism", "Mesh", "MeshError", "Plane", "ProblemFileError", "RecordError", "Recorder", "Recording", "Scene",
    "SceneError", "ServerError", "Settings", "Shape", "Snapshot", "Solution", "Sphere", "StaleViewError", "StepReport",
    "Terrain", "View", "Viewer", "World", "__version__", "load", "load_mesh", "load_problem", "plot", "save_problem",
    "view"]

for _name in __all__:
    _thing = globals()[_name]
    if getattr(_thing, "__module__", "").startswith("msd._"):
        try:
            _thing.__module__ = "msd"
        except (AttributeError, TypeError):
            pass
del _name, _thing
