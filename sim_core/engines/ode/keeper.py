"""Keeps ODE's objects alive, and lets them go in an order that ODE survives.

Python's collector frees the members of a reference cycle in any order. A body freed after its ODE world
ends the process, so the objects of each ODE world are also held here, outside any cycle, until nothing else
can reach them.
"""

from __future__ import annotations

import atexit
import ctypes
import weakref
from typing import Any

_alive: list[Keeper] = []
_unreachable: list[Keeper] = []


class Keeper:
    """All objects of one ODE world.

    Attributes:
        joints, geoms, spaces, bodies: lists that their makers add to.
        meshes: the data of geoms, which must outlive them.
        users: what uses the objects for as long as this ODE world is in use; each forgets them by `let_go()`.
    """

    def __init__(self, world: Any) -> None:
        self.joints: list[Any] = []
        self.geoms: list[Any] = []
        self.spaces: list[Any] = []
        self.bodies: list[Any] = []
        self.worlds = [world]
        self.meshes: list[Any] = []
        self.users: list[Any] = []
        _alive.append(self)

    def release(self) -> None:
        """Let go of everything; nothing else may refer to the objects."""
        for user in self.users:
            user.let_go()
        for objects in (
            self.users, self.joints, self.geoms, self.spaces, self.bodies, self.worlds, self.meshes
        ):  # fmt: skip
            objects.clear()
        _alive.remove(self)


class KeeperSlot:
    """Holds the keeper of the ODE world in use, for an owner that may build several, one after the other."""

    def __init__(self, owner: Any, users: list[Any]) -> None:
        """`users`: everything in reference cycles that uses ODE's objects; each forgets them by `let_go()`.

        They must not refer to the owner.
        """
        self._current: list[Keeper] = []
        weakref.finalize(owner, _bury, users, self._current).atexit = False

    def use(self, keeper: Keeper) -> None:
        """Take a new keeper; the objects of the old one, which nothing uses any more, are let go."""
        while _unreachable:
            _unreachable.pop().release()
        for old in self._current:
            old.release()
        self._current[:] = [keeper]


def _bury(users: list[Any], keepers: list[Keeper]) -> None:
    """The owner dies, perhaps in the collector, which is then still at work: the objects are let go later."""
    for user in users:
        user.let_go()
    _unreachable.extend(keepers)


def _leak() -> None:
    """At the end of the process Python frees things in any order: leave these to the operating system."""
    for keeper in _alive:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(keeper))


atexit.register(_leak)
