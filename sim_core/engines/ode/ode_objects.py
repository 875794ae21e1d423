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

_alive: list[OdeObjects] = []
_unreachable: list[OdeObjects] = []


class OdeUser(Protocol):
    """An object that refers to ODE's objects."""

    def release_ode(self) -> None:
        """Drop all references to ODE's objects."""


class OdeObjects:
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

    def destroy_all(self) -> None:
        """Destroy everything; nothing else may refer to the objects."""
        for user in self.users:
            user.release_ode()
        for objects in (
            self.users, self.joints, self.geoms, self.spaces, self.bodies, self.worlds, self.meshes
        ):  # fmt: skip
            objects.clear()
        _alive.remove(self)


class OdeObjectsSlot:
    """The objects of the present ODE world, for an owner that builds several worlds one after the other."""

    def __init__(self, owner: Any, users: list[OdeUser]) -> None:
        """Create the slot; `users`: the objects in reference cycles that use ODE's objects.

        The users must not refer to the owner.
        """
        self._current: list[OdeObjects] = []
        weakref.finalize(owner, _release_later, users, self._current).atexit = False

    def set_objects(self, new: OdeObjects) -> None:
        """Hold the objects of a new world; those of the previous one, which are unused, are destroyed."""
        while _unreachable:
            _unreachable.pop().destroy_all()
        for old in self._current:
            old.destroy_all()
        self._current[:] = [new]


def _release_later(users: list[OdeUser], worlds: list[OdeObjects]) -> None:
    """Schedule the destruction of the objects: the owner may be freed by the collector, which is still
    running."""
    for user in users:
        user.release_ode()
    _unreachable.extend(worlds)


def _keep_until_exit() -> None:
    """Keep objects at the end of the process, when Python frees in any order: the operating system frees
    them."""
    for each in _alive:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(each))


atexit.register(_keep_until_exit)
