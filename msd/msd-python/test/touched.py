"""Notes which public names of the package a run of the tests uses: every member of every class, read or called, and
assigned to ("World.dt=") where that is possible.

MSD_TOUCHED names a folder: the tests of a file write what they touched to a file there, and test_names.py, which comes
after them, says what is missing.
"""
import functools
from pathlib import Path

import msd

seen = set()


def public_classes():
    return [getattr(msd, name) for name in msd.__all__ if isinstance(getattr(msd, name), type)]


def owners(cls):
    """The class and those of the package that it inherits from."""
    return [base for base in cls.__mro__ if base.__module__.partition(".")[0] == "msd"]


def members(cls):
    """Public members of a class: name and what the class holds under it."""
    found = {}
    for owner in reversed(owners(cls)):
        found.update({name: thing for name, thing in vars(owner).items() if not name.startswith("_")})
    return found


def every_name():
    names = {name for name in msd.__all__ if callable(getattr(msd, name)) and not isinstance(getattr(msd, name), type)}
    for cls in public_classes():
        for name, thing in members(cls).items():
            names.add(f"{cls.__name__}.{name}")
            if isinstance(thing, property) and thing.fset is not None:
                names.add(f"{cls.__name__}.{name}=")
    return names


def _noting(function, name):
    @functools.wraps(function, assigned=("__doc__", "__name__"), updated=())
    def noted(*args, **kwargs):
        seen.add(name)
        return function(*args, **kwargs)
    return noted


def _watched(thing, name):
    if isinstance(thing, property):
        return property(_noting(thing.fget, name), thing.fset and _noting(thing.fset, name + "="), thing.fdel,
                        thing.__doc__)
    if isinstance(thing, staticmethod):
        return staticmethod(_noting(thing.__func__, name))
    if isinstance(thing, classmethod):
        return classmethod(_noting(thing.__func__, name))
    return _noting(thing, name)


def watch():
    """Puts a note-taker before every name, for the rest of this process."""
    for cls in public_classes():
        for owner in owners(cls):
            for name, thing in list(vars(owner).items()):
                if not name.startswith("_") and (callable(thing) or isinstance(thing, (property, staticmethod, classmethod))):
                    setattr(owner, name, _watched(thing, f"{cls.__name__}.{name}"))
    for name in msd.__all__:
        thing = getattr(msd, name)
        if callable(thing) and not isinstance(thing, type):
            setattr(msd, name, _noting(thing, name))


def write(folder, name):
    Path(folder).mkdir(parents=True, exist_ok=True)
    (Path(folder) / f"{name}.txt").write_text("".join(f"{each}\n" for each in sorted(seen)))


def read(folder):
    return {line for path in Path(folder).glob("*.txt") for line in path.read_text().split()}
