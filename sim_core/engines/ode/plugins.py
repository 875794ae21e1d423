"""Physics plug-ins: Python modules that a world names in WorldInfo.physics, called in each step.

`WorldInfo { physics "wind" }` is the file `plugins/physics/wind/wind.py` beside the folder of the world, or
beside a folder `worlds` further up (Webots reference, Physics Plugin, has the same folders). The module has
one or more of the functions `init(api)`, `step(api)` and `end(api)`; `api` is a `PluginApi`.

- `init` is called in the first step, before its `step`;
- `step` in phase 2 of each step, before collision detection;
- `end` when the simulation is reset or closed, if `init` was called;
- `get_state()` and `set_state(state)`, if it has both, are called for snapshots: the state is plain data.

A reset runs the file again, so that its variables are new.
"""

from __future__ import annotations

import copy
import random
import re
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import CodeType, ModuleType
from typing import TYPE_CHECKING

import numpy as np

from sim_core.base.errors import Mistake, OdesimError, PhysicsError, SceneError
from sim_core.base.state import not_plain
from sim_core.base.trust import NO_PLUGIN, Permission
from sim_core.engines.engine import PluginState, places
from sim_core.engines.ode.plugin_api import PluginApi
from sim_core.engines.world_view import PluginPort
from sim_core.model.dynamics.world import WorldRecord

if TYPE_CHECKING:
    from sim_core.engines.ode.world import PhysicsWorld

FUNCTIONS = ("init", "step", "end")
_OTHER_LANGUAGES = (".c", ".cpp", ".cc", ".so", ".dll", ".dylib")


class Plugin:
    """Plug-in of a world.

    Attributes:
        name: as in WorldInfo.physics.
        port: its file, and its packets to and from radio devices.
        permission: permission to run it.
    """

    def __init__(self, name: str, path: Path, permission: Permission) -> None:
        """Read the file and run it as a module.

        Raises:
            PhysicsError: the file cannot be read or compiled, or has none of the functions.
        """
        self.permission = permission
        self.name = name
        self.port = PluginPort(path)
        self._code = compiled(name, path)
        self._functions: dict[str, Callable[[PluginApi], object]] = {}
        self._variables: dict[str, object] = {}
        self._api: PluginApi | None = None
        self._load()

    def call_step(self, world: PhysicsWorld) -> None:
        """Call `init` if needed, and `step`, in phase 2 before collision detection.

        Raises:
            PhysicsError: the plug-in raised an error.
        """
        self.port.sent.clear()
        self._begin(world)
        self._call("step")
        self.port.received.clear()

    def end(self) -> None:
        """Call `end`, if `init` was called, and drop the world.

        Raises:
            PhysicsError: the plug-in raised an error.
        """
        if self._api is not None:
            try:
                self._call("end")
            finally:
                self._api = None

    def reload(self) -> None:
        """Call `end` and run the file again, when the simulation restarts.

        Raises:
            PhysicsError: the plug-in raised an error.
        """
        self.end()
        self.port.received.clear()
        self.port.sent.clear()
        self._load()

    def get_state(self) -> PluginState:
        """Return the result of the file's `get_state()`; without it, its variables that are plain data or
        random generators."""
        own, received = self._variables.get("get_state"), tuple(self.port.received)
        if callable(own):
            return PluginState(self._api is not None, True, copy.deepcopy(own()), received)
        kept = {name: value for name, value in self._variables.items() if _is_kept(name, value)}
        return PluginState(self._api is not None, False, copy.deepcopy(kept), received)

    def set_state(self, state: PluginState, world: PhysicsWorld) -> None:
        """Restore a state, by the file's `set_state(state)` if it has `get_state`.

        Raises:
            PhysicsError: the plug-in raised an error.
        """
        if state.has_begun:
            self._begin(world)
        elif self._api is not None:
            self.reload()
        self.port.received[:] = state.received
        self.port.sent.clear()
        value = copy.deepcopy(state.value)
        own = self._variables.get("set_state")
        if callable(own) and callable(self._variables.get("get_state")):
            own(value)
        elif isinstance(value, dict):
            self._variables.update(value)

    def _begin(self, world: PhysicsWorld) -> None:
        """Call `init`, if it has not been called."""
        if self._api is None:
            self._api = PluginApi(self.name, world, self.port)
            self._call("init")

    def _call(self, what: str) -> None:
        function = self._functions.get(what)
        if function is None:
            return
        try:
            function(self._api)  # type: ignore[arg-type]
        except (Exception, SystemExit) as error:
            raise self._wrong(error, f"{what}: ") from error

    def _load(self) -> None:
        """Run the file as a module."""
        module = ModuleType(f"odesim_physics_plugin_{self.name}")
        module.__file__ = str(self.port.file)
        sys.modules[module.__name__] = module  # dataclasses search for it during their creation
        try:
            exec(self._code, module.__dict__)  # a plug-in is code that the user has permitted
        except (Exception, SystemExit) as error:
            raise self._wrong(error, "") from error
        finally:
            del sys.modules[module.__name__]
        self._variables = module.__dict__
        self._functions = {name: getattr(module, name) for name in FUNCTIONS if hasattr(module, name)}
        if not self._functions:
            raise PhysicsError(
                f'{self.port.file}: physics plug-in "{self.name}" has none of the functions '
                f"{', '.join(f'{name}(api)' for name in FUNCTIONS)}, expected at least one"
            )
        for name, function in self._functions.items():
            if not callable(function):
                found = f"{name} is no function, expected {name}(api)"
                raise PhysicsError(f'{self.port.file}: physics plug-in "{self.name}": {found}')

    def _wrong(self, error: BaseException, where: str) -> PhysicsError:
        """Return an error of one line: the line of the plug-in that was running, and its exception."""
        lines = [
            frame.lineno
            for frame in traceback.extract_tb(error.__traceback__)
            if frame.filename == str(self.port.file) and frame.lineno is not None
        ]
        place = f"{self.port.file}:{lines[-1]}" if lines else str(self.port.file)
        text = " ".join(str(error).split())
        if not isinstance(error, OdesimError):
            text = f"{type(error).__name__}: {text}" if text else type(error).__name__
        return PhysicsError(f'{place}: physics plug-in "{self.name}": {where}{text}')


def compiled(name: str, path: Path) -> CodeType:
    """Compile a plug-in without running it.

    Raises:
        PhysicsError: the file cannot be read or compiled.
    """
    try:
        return compile(path.read_bytes(), str(path), "exec")
    except SyntaxError as error:
        raise PhysicsError(
            f'{path}:{error.lineno or 1}: physics plug-in "{name}": SyntaxError: {error.msg}'
        ) from error
    except (OSError, ValueError) as error:
        raise PhysicsError(f'{path}: physics plug-in "{name}": {error}') from error


def load_plugin(
    world: WorldRecord,
    world_file: str,
    permission: Permission | None,
    warnings: list[SceneError] | None = None,
) -> Plugin | None:
    """Load the plug-in that a world names; None: it names none, or without permission it is only compiled.

    Args:
        world: the settings that name it.
        world_file: path of the world.
        permission: permission to run it; None: it is only compiled.
        warnings: receives a warning if it does not exist, and the world goes without it; None: that is an
            error.

    Raises:
        PhysicsError: it does not exist, cannot be run, or has none of the functions.
    """
    name = world.plugin
    if name in NO_PLUGIN:
        return None
    if not re.fullmatch(r"[\w-]+", name):
        expected = "the name of a plug-in: letters, digits, - and _"
        raise PhysicsError(f'{world.source}: WorldInfo.physics "{name}", expected {expected}')
    looked = places(name, world_file)
    for path in looked:
        if path.is_file():
            if permission is not None:
                return Plugin(name, path, permission)
            compiled(name, path)
            return None
    other = [
        file for path in looked for ending in _OTHER_LANGUAGES if (file := path.with_suffix(ending)).is_file()
    ]
    hint = f" (found {other[0]}: plug-ins in C are not run, write it in Python)" if other else ""
    found = f'no physics plug-in "{name}", looked for {" and ".join(map(str, looked))}{hint}'
    if warnings is None:
        raise PhysicsError(f"{world.source}: {found}")
    warnings.append(Mistake(*world.source, found, "the world goes without it"))
    return None


def _is_kept(name: str, value: object) -> bool:
    """Return whether a variable is part of a snapshot of a plug-in without `get_state`."""
    if name.startswith("__"):
        return False
    return isinstance(value, (random.Random, np.random.Generator)) or not_plain(value) is None
