"""Ownership of ODE's objects, so that they are destroyed in a safe order.

Python's garbage collector frees the members of a reference cycle in any order. A body freed after its ODE
world ends the process, so the objects of each ODE world are also held here, outside any cycle, until nothing
else can reach them.
"""

from __future__ import annotations

import atexit
import ctypes
import weakref
from typing import Any, Protocol

_alive: list[Keeper] = []
_unreachable: list[Keeper] = []


class OdeUser(Protocol):
    """An object that refers to ODE's objects."""

    def release_ode(self) -> None:
        """Drop all references to ODE's objects."""


class Keeper:
    """All objects of one ODE world.

    Attributes:
        joints, geoms, spaces, bodies: lists to which their creators add.
        meshes: data of geoms, which must outlive them.
        users: objects that refer to ODE's objects.
    """

    def __init__(self, world: Any) -> None:
        self.joints: list[Any] = []
        self.geoms: list[Any] = []
        self.spaces: list[Any] = []
        self.bodies: list[Any] = []
        self.worlds = [world]
        self.meshes: list[Any] = []
        self.users: list[OdeUser] = []
        _alive.append(self)

    def release(self) -> None:
        """Destroy everything; nothing else may refer to the objects."""
        for user in self.users:
            user.release_ode()
        for objects in (
            self.users, self.joints, self.geoms, self.spaces, self.bodies, self.worlds, self.meshes
        ):  # fmt: skip
            objects.clear()
        _alive.remove(self)


class KeeperSlot:
    """Holds the keeper of the present ODE world, for an owner that may build several, one after the other."""

    def __init__(self, owner: Any, users: list[OdeUser]) -> None:
        """Create the slot; `users`: the objects in reference cycles that use ODE's objects.

        The users must not refer to the owner.
        """
        self._current: list[Keeper] = []
        weakref.finalize(owner, _release_later, users, self._current).atexit = False

    def set_keeper(self, keeper: Keeper) -> None:
        """Use a new keeper; the objects of the previous one, which are unused, are destroyed."""
        while _unreachable:
            _unreachable.pop().release()
        for old in self._current:
            old.release()
        self._current[:] = [keeper]


def _release_later(users: list[OdeUser], keepers: list[Keeper]) -> None:
    """Schedule the destruction of the objects: the owner may be freed by the collector, which is still
    running."""
    for user in users:
        user.release_ode()
    _unreachable.extend(keepers)


def _keep_until_exit() -> None:
    """Keep objects at the end of the process, when Python frees in any order: the operating system frees
    them."""
    for keeper in _alive:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(keeper))


atexit.register(_keep_until_exit)
