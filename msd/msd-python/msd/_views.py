"""Arrays on the memory of a world, which know when that memory has become another."""
from __future__ import annotations

from typing import Any

import numpy as np

_FREE = frozenset({"_lease", "_column", "__class__", "__dict__", "__array_finalize__", "is_stale"})


class View(np.ndarray):  # type: ignore[type-arg]
    """A numpy array on the memory of a world, without a copy: it always shows the present.

    It is valid until a body is added or removed; after that everything it is asked for raises StaleViewError. What
    numpy computes from it is an ordinary array. `numpy.asarray(view)` is one too: it cannot raise, and keeps the
    numbers of the moment before the bodies changed.

    Views of states are read-only, for a state is more than its numbers. Assigning to an element of a whole view
    (`world.velocities[3] = 0, 0, 1`) writes the state of those bodies, as assigning the whole array does.
    """

    _lease: Any
    _column: str | None

    def __array_finalize__(self, obj: Any) -> None:
        state = getattr(obj, "__dict__", None)
        self.__dict__["_lease"] = None if state is None else state.get("_lease")
        self.__dict__["_column"] = None

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
        return super().__getitem__(key)

    def __setitem__(self, key: Any, value: Any) -> None:
        self._check()
        column = self.__dict__["_column"]
        if column is None or self.flags.writeable:
            super().__setitem__(key, value)  # type: ignore[no-untyped-call]
            return
        changed = np.array(self)
        changed[key] = value
        self.__dict__["_lease"].write(column, changed)

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
        if out is not None:
            kwargs["out"] = tuple(_plain(each) for each in out)
        result = getattr(ufunc, method)(*(_plain(each) for each in inputs), **kwargs)
        # In-place operators of a view that may be written to (forces) give the view itself.
        if out is not None and len(out) == 1 and isinstance(out[0], View):
            return out[0]
        return result

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
