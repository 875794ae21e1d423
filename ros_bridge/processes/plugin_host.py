"""Run Python plugins of webots_ros2's driver: `python -m ros_bridge.processes.plugin_host`.

A URDF file names them: `<plugin type="package.module.Class">` in its `<webots>` tag. The class is
instantiated without arguments. `init(webots_node, properties)` is called once, `step()` after each step of
the simulation and, if there is one, `stop()` at the end. `webots_node.robot` is a Supervisor of the module
`controller`, for cars a Driver; `properties` are the texts of the tag's elements by name. The plugins call
rclpy.init themselves. (webots_ros2_driver,
https://github.com/cyberbotics/webots_ros2/wiki/Tutorial-Creating-a-Custom-Python-Plugin)
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import traceback
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from ros_bridge.topics.names import SimulationAddress
from sim_core.base.errors import hint, in_one_line
from sim_core.base.trust import folders_above
from sim_core.scene.scene import DriverPlugin

SHUT_DOWN = "ExternalShutdownException"
"""Exception of rclpy when a node is used after a signal."""


class WebotsNode:
    """The object that the driver passes to plugins.

    Attributes:
        robot: of the module `controller`.
    """

    def __init__(self, robot: Any) -> None:
        self.robot = robot


def host_command(plugins: Iterable[DriverPlugin], place: SimulationAddress) -> list[str]:
    """Return the command line that runs the plugins of one robot.

    Args:
        plugins: in the order in which they are called.
        place: address of the simulation on ROS: nodes of plugins are in its namespace, not in the robot's.
    """
    specs = [
        {
            "type": each.type_name,
            "properties": dict(each.properties),
            "always_on": dict(each.always_on),
            "where": each.where,
            "folders": folders_above(Path(each.file)),
        }
        for each in plugins
    ]
    rules = [f"__ns:={place.namespace}"] if place.namespace else []
    renamed = [word for rule in (*rules, *place.rules) for word in ("-r", rule)]
    own = [sys.executable, "-P", "-m", "ros_bridge.processes.plugin_host", json.dumps(specs)]
    return [*own, *(["--ros-args", *renamed] if renamed else [])]


def main(arguments: Sequence[str]) -> int:
    """Run the plugins until the simulation ends."""
    specs: list[dict[str, Any]] = json.loads(arguments[0])
    sys.argv = ["", *arguments[1:]]  # read by rclpy.init
    folders = dict.fromkeys(folder for each in specs for folder in each["folders"])
    sys.path += [folder for folder in folders if folder not in sys.path]
    plugins = [_instantiate(each) for each in specs]
    node = WebotsNode(_robot())
    _enable_devices(
        node.robot, {name: period for each in specs for name, period in each["always_on"].items()}
    )
    for each, plugin in zip(specs, plugins, strict=True):
        _call(each, plugin, "init", node, each["properties"])
    step = int(node.robot.getBasicTimeStep())
    while node.robot.step(step) != -1:
        for each, plugin in zip(specs, plugins, strict=True):
            _call(each, plugin, "step")
    for each, plugin in zip(specs, plugins, strict=True):
        if hasattr(plugin, "stop"):
            _call(each, plugin, "stop")
    return 0


def _robot() -> Any:
    """Return the robot as for a Webots controller; the modules are on the path."""
    driver = importlib.import_module("vehicle").Driver
    return (
        driver() if driver.isInitialisationPossible() else importlib.import_module("controller").Supervisor()
    )


def _enable_devices(robot: Any, periods: dict[str, float]) -> None:
    """Enable the driver's own devices, because plugins read them without enabling them."""
    for name, period in periods.items():
        device = robot.getDevice(name)
        if hasattr(device, "enable"):
            device.enable(round(period * 1000.0))


def _instantiate(spec: dict[str, Any]) -> Any:
    """Return an instance of a plugin's class."""
    module_name, _, class_name = spec["type"].rpartition(".")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
            _fail_with(spec, "import", error)
        places = ", ".join(spec["folders"])
        expected = f"one on PYTHONPATH (source the workspace that has it) or in {places}"
        _fail(spec, f'no module "{error.name}", expected {expected}')
    except Exception as error:
        _fail_with(spec, "import", error)
    kind = getattr(module, class_name, None)
    if not isinstance(kind, type):
        classes = [name for name, value in vars(module).items() if isinstance(value, type)]
        expected = f"expected one of: {', '.join(classes) or 'none'}{hint(class_name, classes)}"
        _fail(spec, f'no class "{class_name}" in {module.__file__}, {expected}')
    missing = [name for name in ("init", "step") if not callable(getattr(kind, name, None))]
    if missing:
        _fail(
            spec,
            f"no method {missing[0]}() in class {class_name}, expected init(node, properties) and step()",
        )
    try:
        return kind()
    except Exception as error:
        _fail_with(spec, f"{class_name}()", error)


def _call(spec: dict[str, Any], plugin: Any, method: str, *arguments: Any) -> None:
    try:
        getattr(plugin, method)(*arguments)
    except Exception as error:
        if type(error).__name__ == SHUT_DOWN:  # ended by a signal
            raise SystemExit(0) from None
        _fail_with(spec, f"{method}()", error)


def _fail_with(spec: dict[str, Any], what: str, error: Exception) -> NoReturn:
    """Report an exception of a plugin, with its place in the plugin's own files if there is one."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [each for each in frames if any(is_below(each.filename, folder) for folder in sys.path if folder)]
    place = (own or list(frames))[-1]
    where = f"{place.filename}:{place.lineno}"
    if isinstance(error, SyntaxError) and error.filename:
        where = f"{error.filename}:{error.lineno}"
    _fail(spec, f"{what} raised {in_one_line(error)}, at {where}")


def is_below(file: str, folder: str) -> bool:
    """Return whether a file is inside a folder and does not belong to an installed package."""
    return file.startswith(folder + os.sep) and "-packages" + os.sep not in file


def _fail(spec: dict[str, Any], text: str) -> NoReturn:
    """Print one line and exit.

    Raises:
        SystemExit: always.
    """
    print(f'{spec["where"]}: plugin "{spec["type"]}": {text}', file=sys.stderr, flush=True)
    raise SystemExit(1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
