"""Arrays on the memory of a world, which know when that memory has become another."""
from __future__ import annotations

from typing import Any

import numpy as np

_FREE = frozenset({"_lease", "_column", "_origin", "__class__", "__dict__", "__array_finalize__", "is_stale"})


class View(np.ndarray):  # type: ignore[type-arg]
    """A numpy array on the memory of a world, without a copy: it always shows the present.

    It is valid until a body is added or removed; after that everything it is asked for raises StaleViewError. What
    numpy computes from it is an ordinary array. `numpy.asarray(view)` is one too: it cannot raise, and keeps the
    numbers of the moment before the bodies changed.

    The memory of states is read-only, for a state is more than its numbers. Assigning to elements of a view, also by
    `+=` (`world.velocities[3] = 0, 0, 1`, `world.positions[3, 2] += 1`), writes the state of those bodies, as assigning
    the whole array does.
    """

    _lease: Any
    _column: str | None
    _origin: Any  # a part: the view it was taken from, and its place there

    def __array_finalize__(self, obj: Any) -> None:
        state = getattr(obj, "__dict__", None)
        self.__dict__["_lease"] = None if state is None else state.get("_lease")
        self.__dict__["_column"] = None
        self.__dict__["_origin"] = None

    @property
    def is_stale(self) -> bool:
        """True once bodies were added or removed."""
        try:
            self._check()
        except RuntimeError:
            return True
        return False

    def _check(self) -> None:
        lease = self.__dict__["_lease"]
        if lease is not None:
            lease.check()

    def __getattribute__(self, name: str) -> Any:
        if name not in _FREE and name != "_check":
            lease = super().__getattribute__("__dict__").get("_lease")
            if lease is not None:
                lease.check()
        return super().__getattribute__(name)

    def __getitem__(self, key: Any) -> Any:
        self._check()
        part = super().__getitem__(key)
        if isinstance(part, View):
            part.__dict__["_origin"] = (self, key)
        return part

    def __setitem__(self, key: Any, value: Any) -> None:
        self._check()
        if self.flags.writeable or not self._is_of_states():
            super().__setitem__(key, value)  # type: ignore[no-untyped-call]
            return
        changed = np.array(self)
        changed[key] = value
        self._write(changed)

    def _is_of_states(self) -> bool:
        """Is there a way to write it? Not to what numpy makes of a view by turning or reshaping it."""
        return self.__dict__["_column"] is not None or self.__dict__["_origin"] is not None

    def _write(self, values: Any) -> None:
        if self.__dict__["_column"] is not None:
            self.__dict__["_lease"].write(self.__dict__["_column"], values)
        else:
            origin, place = self.__dict__["_origin"]
            origin[place] = values

    def __len__(self) -> int:
        self._check()
        return super().__len__()

    def __iter__(self) -> Any:
        self._check()
        return super().__iter__()

    # numpy's own comparisons turn errors into warnings.
    def __eq__(self, other: Any) -> Any:
        self._check()
        return np.equal(self, other)

    def __ne__(self, other: Any) -> Any:
        self._check()
        return np.not_equal(self, other)

    __hash__ = None

    def __repr__(self) -> str:
        self._check()
        return repr(np.asarray(self)).replace("array(", "View(", 1)

    def __str__(self) -> str:
        self._check()
        return str(np.asarray(self))

    def __reduce__(self) -> Any:
        self._check()
        return np.array(self).__reduce__()

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **kwargs: Any) -> Any:
        one = out[0] if out is not None and len(out) == 1 and isinstance(out[0], View) else None
        if one is not None and not one.flags.writeable and one._is_of_states():
            one._write(getattr(ufunc, method)(*(_plain(each) for each in inputs), **kwargs))
            return one
        if out is not None:
            kwargs["out"] = tuple(_plain(each) for each in out)
        result = getattr(ufunc, method)(*(_plain(each) for each in inputs), **kwargs)
        # In-place operators of a view that may be written to (forces) give the view itself.
        return result if one is None else one

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return func(*_plain_all(args), **{name: _plain_all(value) for name, value in kwargs.items()})


def _plain(value: Any) -> Any:
    if isinstance(value, View):
        value._check()
        return value.view(np.ndarray)
    return value


def _plain_all(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return type(value)(_plain_all(each) for each in value)
    return _plain(value)
