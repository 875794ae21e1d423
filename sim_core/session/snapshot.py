"""Snapshots of a whole simulation, to which it can be put back, exact to the last bit.

The physics tells its state itself (`physics/snapshots.py`). Everything else (devices, media, batteries,
players, schedules) is found by walking over all objects of `sim_core` that can be reached from the
simulation: the contents of each list, dict, array, picture and generator of random numbers, and the
attributes of each object, are noted, and put back into the very same objects. So a device needs to do
nothing: all that it remembers, it remembers in its attributes.
"""

from __future__ import annotations

import copy
import random
from array import array
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image

from sim_core.base.errors import PhysicsError
from sim_core.engines.ode import PhysicsWorld
from sim_core.engines.ode.snapshots import PhysicsSnapshot

if TYPE_CHECKING:
    from sim_core.session.simulation import Simulation

NOT_ENTERED = (
    "sim_core.scene",
    "sim_core.model",
    "sim_core.engines.ode",
    "sim_core.sensing.raycast",
    "sim_core.recording",
    "sim_core.sensing.render",
    "sim_core.session.simulation",
    "sim_core.base.config",
    "sim_core.devices.vision.pictures",
    "sim_core.sensing.picture_view",
)
"""Modules whose objects are not looked into: they do not change, or say their state themselves."""
WIRING = ("listeners", "demand", "wake", "changed", "views", "_renderer", "_orders")
"""Attributes that say who is told of something, and what runs elsewhere; what is there now stays."""


class Snapshot:
    """The state of a simulation at one moment, as made by `Simulation.snapshot`."""

    def __init__(self, sim: Simulation, roots: list[Any]) -> None:
        self._sim = sim
        self._robots = list(sim.robots.values())
        self._changes = sim.supervisor.changes
        self._physics: PhysicsSnapshot | None = None
        if isinstance(sim.physics, PhysicsWorld):
            self._physics = PhysicsSnapshot(sim.physics)
            roots = [*roots, sim.physics.plugin_variables()]
        else:
            roots = [*roots, sim.physics]
        self._memory = list(_remember(roots))
        self.time_ns = sim.time_ns

    def restore(self, sim: Simulation) -> None:
        """Put the simulation back.

        Raises:
            PhysicsError: it is the snapshot of another simulation, or another world has been loaded since.
        """
        if sim is not self._sim or any(each is not self._memory_owner(sim, each) for each in self._robots):
            raise PhysicsError("found a snapshot of another world, expected one of this world")
        sim.supervisor.go_to(self._changes)
        if self._physics is not None and isinstance(sim.physics, PhysicsWorld):
            self._physics.restore(sim.physics)
        for put_back in self._memory:
            put_back()
        sim.media.restored()
        sim.supervisor.after_restore()

    def _memory_owner(self, sim: Simulation, robot: Any) -> Any:
        """The robot itself, if it is one of the simulation, now or after changes are taken back."""
        return robot if sim.knows(robot) else None


def _remember(roots: list[Any]) -> Iterator[Callable[[], Any]]:
    """Calls that put back everything that can be reached."""
    seen: dict[int, Any] = {}
    stack = list(roots)[::-1]
    while stack:
        thing = stack.pop()
        if thing is None or isinstance(thing, (bool, int, float, str, bytes, type)) or id(thing) in seen:
            continue
        seen[id(thing)] = thing
        put_back, inside = _look_into(thing)
        if put_back is not None:
            yield put_back
        stack.extend(inside)


def _look_into(thing: Any) -> tuple[Callable[[], Any] | None, list[Any]]:
    """How to put back one thing, and what is in it."""
    if isinstance(thing, (tuple, frozenset)):
        return None, list(thing)
    if isinstance(thing, dict):
        return partial(_fill_dict, thing, dict(thing)), [*thing.keys(), *thing.values()]
    if isinstance(thing, (list, deque)):
        return partial(_fill_list, thing, list(thing)), list(thing)
    if isinstance(thing, set):
        return partial(_fill_set, thing, set(thing)), list(thing)
    if isinstance(thing, np.ndarray):
        if not thing.flags.writeable:
            return None, []
        return partial(np.copyto, thing, thing.copy()), []
    if isinstance(thing, Image.Image):
        return partial(thing.paste, thing.copy()), []
    if isinstance(thing, (bytearray, array)):
        return partial(_fill_buffer, thing, thing[:]), []
    if isinstance(thing, np.random.Generator):
        bits = thing.bit_generator
        return partial(setattr, bits, "state", copy.deepcopy(bits.state)), []
    if isinstance(thing, random.Random):
        return partial(thing.setstate, thing.getstate()), []
    if isinstance(thing, MethodType):
        return None, [thing.__self__]
    if isinstance(thing, partial):
        return None, [thing.func, *thing.args, *thing.keywords.values()]
    if isinstance(thing, FunctionType):
        return _look_into_function(thing)
    return _look_into_object(thing)


def _look_into_function(function: FunctionType) -> tuple[Callable[[], Any] | None, list[Any]]:
    """The variables that a function shares with the one that it stands in."""
    if not (function.__module__ or "").startswith("sim_core") or not function.__closure__:
        return None, []
    cells = [(cell, cell.cell_contents) for cell in function.__closure__]

    def put_back() -> None:
        for cell, contents in cells:
            cell.cell_contents = contents

    return put_back, [contents for _, contents in cells]


def _look_into_object(thing: Any) -> tuple[Callable[[], Any] | None, list[Any]]:
    """The attributes of an object of ours."""
    kind = type(thing)
    module = kind.__module__
    if not module.startswith("sim_core") or module.startswith(NOT_ENTERED):
        return None, []
    names = [name for each in kind.__mro__ for name in getattr(each, "__slots__", ())]
    values = {name: getattr(thing, name) for name in names if hasattr(thing, name)}
    own = {name: value for name, value in getattr(thing, "__dict__", {}).items() if name not in WIRING}
    inside = [*values.values(), *own.values()]
    parameters = getattr(kind, "__dataclass_params__", None)
    if parameters is not None and parameters.frozen:
        return None, inside

    def put_back() -> None:
        for name, value in values.items():
            setattr(thing, name, value)
        if own or hasattr(thing, "__dict__"):
            attributes = vars(thing)
            for name in [name for name in attributes if name not in own and name not in WIRING]:
                del attributes[name]
            attributes.update(own)

    return put_back, inside


def _fill_dict(thing: dict[Any, Any], items: dict[Any, Any]) -> None:
    thing.clear()
    thing.update(items)


def _fill_list(thing: Any, items: list[Any]) -> None:
    thing.clear()
    thing.extend(items)


def _fill_set(thing: set[Any], items: set[Any]) -> None:
    thing.clear()
    thing.update(items)


def _fill_buffer(thing: Any, items: Any) -> None:
    thing[:] = items
