"""Plan the processes of a world's controllers: command, folder, environment."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from ros_bridge.controller_api.compiling import main_source, uses_libcontroller, uses_our_api
from ros_bridge.controller_api.java import JAVA
from ros_bridge.controller_api.libcontroller import LibController
from ros_bridge.controllers import NAMESPACE
from ros_bridge.processes.controller_lookup import find_controller, not_found
from ros_bridge.processes.plugin_host import host_command
from ros_bridge.topics.names import NO_NAMESPACE, SimulationAddress
from sim_core.base.shipped import CODE, is_source_tree
from sim_core.base.trust import permission_of_urdf
from sim_core.scene.scene import DriverPlugin
from sim_core.session.robot import EXTERN_CONTROLLER, NO_CONTROLLER, Robot

_IMPORT = re.compile(r"^\s*(from|import)\s+(controller|vehicle)\b", re.MULTILINE)
_CLIENT = re.compile(r"^\s*(from|import)\s+ros_bridge\.controllers\b.*\brobot_client\b", re.MULTILINE)
ANSWERS_NOTHING = "command_player"
"""Our one controller that does not support lock-step."""


class Plan(NamedTuple):
    """A process to start."""

    robot_name: str
    controller: str
    command: list[str]
    folder: Path | None
    """Working directory; None: a controller of ours, which runs in the current one."""
    uses_api: bool = False
    """Whether it uses Webots' API: a Python file that imports `controller`, or C with `odesim.h`."""
    on_libcontroller: bool = False
    """Whether it uses Webots' own library, or is to use it."""
    in_step: bool = False
    """Whether it surely supports lock-step: it uses one of our two interfaces, or is one of ours."""

    def same_as(self, other: Plan) -> bool:
        """Return whether both start the same for the same robot, however it is built."""
        return (self.robot_name, self.command, self.folder) == (other.robot_name, other.command, other.folder)


class WebotsHome(NamedTuple):
    """Settings for controllers that use Webots' own library.

    Attributes:
        instance: folder of the simulation's sockets.
        library: library that they load; None: not installed.
        is_preferred: whether Python controllers use it too, instead of our module `controller`.
    """

    instance: Path
    library: LibController | None
    is_preferred: bool


def plan(
    robots: Iterable[Robot],
    world_path: Path,
    warn: Callable[[str], object],
    place: SimulationAddress = NO_NAMESPACE,
    plugins: Sequence[DriverPlugin] = (),
) -> list[Plan]:
    """Return the processes to start.

    Args:
        robots: robots of the world.
        world_path: its file.
        warn: receives one line for each missing controller; its robots are treated as if it were `void`.
        place: address of the simulation on ROS.
        plugins: plugins that drive `<extern>` robots.
    """
    plans: list[Plan] = []
    missing: dict[str, list[str]] = {}
    for robot in robots:
        name = robot.controller
        mine = [each for each in plugins if each.robot == robot.name and permission_of_urdf(each.file)]
        if name == EXTERN_CONTROLLER and mine:
            title = ", ".join(each.type_name for each in mine)
            plans.append(
                Plan(robot.name, title, host_command(mine, place), None, uses_api=True, in_step=True)
            )
        if name in NO_CONTROLLER or name == EXTERN_CONTROLLER:
            continue
        program = find_controller(name, world_path)
        if program is None:
            missing.setdefault(name, []).append(robot.name)
        else:
            path = Path(program[-1])
            folder = path.parent if path.is_absolute() else None
            on_libcontroller = len(program) == 1 and (path.suffix in JAVA or uses_libcontroller(path))
            uses_api = imports(_IMPORT, path) if len(program) > 1 else uses_our_api(path) or on_libcontroller
            in_step = uses_api or (name != ANSWERS_NOTHING if folder is None else imports(_CLIENT, path))
            command = [*program, *(robot.node["controllerArgs"] if uses_api else arguments(robot, place))]
            plans.append(Plan(robot.name, name, command, folder, uses_api, on_libcontroller, in_step))
    for name, names in missing.items():
        warn(not_found(name, names, world_path))
    return plans


def arguments(robot: Robot, place: SimulationAddress) -> list[str]:
    """Return `controllerArgs`, followed by the arguments for rclpy."""
    own: list[str] = robot.node["controllerArgs"]
    rules = (f"__ns:={place.of_robot(robot.name)}", *place.rules)
    renamed = [word for rule in rules for word in ("-r", rule)]
    return [*own, "--ros-args", *renamed, "-p", "use_sim_time:=true"]


def imports(what: re.Pattern[str], script: Path) -> bool:
    """Return whether a Python file, or another one next to it, has such an import line."""
    if script.suffix != ".py" or not script.is_file():
        return False
    for path in (script, *sorted(script.parent.glob("*.py"))):
        try:
            if what.search(path.read_text(encoding="utf-8", errors="replace")):
                return True
        except OSError:
            continue
    return False


def from_source(one: Plan) -> Plan:
    """Return the plan that builds the source next to its program, if there is one."""
    source = None if one.folder is None else main_source(one.folder)
    if source is None:
        return one
    command = [str(source), *one.command[1:]]
    return one._replace(command=command, on_libcontroller=False, uses_api=uses_our_api(source))


def is_python_for_webots(one: Plan) -> bool:
    """Return whether it is a Python file that imports `controller`."""
    return one.uses_api and len(one.command) > 1 and imports(_IMPORT, Path(one.command[1]))


def environment(
    plan: Plan,
    socket: Path | None,
    place: SimulationAddress = NO_NAMESPACE,
    webots: WebotsHome | None = None,
) -> dict[str, str]:
    """Return our environment, changed so that Python prints at once and finds our packages.

    All controllers find the simulation's socket, Python files also the module `controller`; those that use
    Webots' own library find that.
    """
    variables = {**os.environ, "PYTHONUNBUFFERED": "1", NAMESPACE: place.namespace}
    paths = [str(CODE)] if is_source_tree() else []
    if plan.on_libcontroller and webots is not None and webots.library is not None:
        library = webots.library
        paths += [str(library.python)] if library.python is not None else []
        known = filter(None, [str(library.folder), os.environ.get("LD_LIBRARY_PATH")])
        variables["LD_LIBRARY_PATH"] = os.pathsep.join(known)
        variables["WEBOTS_HOME"] = str(library.home)
        variables["WEBOTS_INSTANCE_PATH"] = f"{webots.instance}/"
    elif socket is not None:
        if plan.command[0] == sys.executable:
            paths.insert(0, str(CODE / "webots_api"))
        variables["ODESIM_CONTROLLER_URL"] = str(socket)
    variables["ODESIM_ROBOT"] = variables["WEBOTS_ROBOT_NAME"] = plan.robot_name
    if paths:
        variables["PYTHONPATH"] = os.pathsep.join([*paths, *filter(None, [os.environ.get("PYTHONPATH")])])
    return variables
