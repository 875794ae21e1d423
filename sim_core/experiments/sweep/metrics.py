"""What is known about a run at its end: poses, distances, readings, and what functions of the user say."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sim_core.base.errors import ConfigError, DeviceError, hint
from sim_core.base.geometry import Vec3, norm, roll_pitch_yaw, subtract
from sim_core.experiments.sweep.user_code import find_code

if TYPE_CHECKING:
    from sim_core.session.robot import Robot
    from sim_core.session.simulation import Simulation

BUILT_IN = ("pose", "distance")
ALL = "*"
MOST_NUMBERS = 64
"""Numbers of one reading that get a column each."""

Values = dict[str, Any]


def check_metric(metric: str, devices: Mapping[str, Sequence[str]], folder: Path) -> None:
    """Whether there is such a metric.

    Args:
        metric: `robot1.pose`, `robot1.distance`, `robot1.ds_front`, with * for all robots, or `module:name`.
        devices: names of the devices of each robot.
        folder: where the user's modules are.

    Raises:
        ConfigError: there is none; names the closest.
    """
    if ":" in metric:
        find_code(metric, folder)
        return
    robot, what = _split(metric, devices)
    known = [*devices, ALL]
    if robot not in known:
        raise ConfigError(f'found no robot "{robot}", expected one of {", ".join(known)}{hint(robot, known)}')
    for each in devices if robot == ALL else (robot,):
        names = [*devices[each], *BUILT_IN]
        if what not in names:
            raise ConfigError(
                f'{each}: found no device "{what}", expected one of {", ".join(names)}{hint(what, names)}'
            )


class Metrics:
    """Watches a simulation from its start, and tells its results at the end."""

    def __init__(self, sim: Simulation, metrics: Sequence[str], period: float, folder: Path) -> None:
        """Begin to watch.

        Args:
            sim: at its start.
            metrics: as `check_metric` takes them.
            period: seconds of sim time between two looks at where a robot is, for its distance.
            folder: where the user's modules are.

        Raises:
            OdesimError: there is no such metric.
        """
        self._sim = sim
        self._results: list[Callable[[], Values]] = []
        devices = {name: list(robot.devices) for name, robot in sim.robots.items()}
        for metric in metrics:
            if ":" in metric:
                self._add_code(metric, folder)
                continue
            name, what = _split(metric, devices)
            for robot in sim.robots.values() if name == ALL else (sim.robot(name),):
                self._add(robot, what, period)

    def results(self) -> Values:
        """Numbers and texts by the names of their columns."""
        found: Values = {}
        for result in self._results:
            found |= result()
        return found

    def _add(self, robot: Robot, what: str, period: float) -> None:
        if what in robot:
            self._results.append(lambda: _columns(f"{robot.name}.{what}", reading(robot, what)))
        elif what == "pose":
            self._results.append(lambda: _pose(robot))
        elif what == "distance":
            odometer = Odometer(robot)
            self._sim.every(period, odometer.update)
            self._results.append(lambda: {f"{robot.name}.distance": odometer.distance})
        else:
            robot[what]  # says that there is no such device

    def _add_code(self, metric: str, folder: Path) -> None:
        """A function is called with the simulation at the end; of a class, `result` of an object made now."""
        code, name = find_code(metric, folder), metric.partition(":")[2]
        if isinstance(code, type):
            watcher = code(self._sim)
            self._results.append(lambda: as_values(name, watcher.result()))
        else:
            self._results.append(lambda: as_values(name, code(self._sim)))


class Odometer:
    """Length of a robot's path in space.

    Attributes:
        distance: m, sum of the straight lines between the places where it was looked at.
    """

    def __init__(self, robot: Robot) -> None:
        self._robot = robot
        self._last: Vec3 = robot.frame.pose().position
        self.distance = 0.0

    def update(self, _: int) -> None:
        """Add the way since the last call."""
        now = self._robot.frame.pose().position
        self.distance += norm(subtract(now, self._last))
        self._last = now


def as_values(name: str, result: Any) -> Values:
    """What a function of the user returned: a number, a text, a list, a table of these, or nothing.

    Raises:
        ConfigError: something else.
    """
    if result is None:
        return {}
    if isinstance(result, Mapping):
        found: Values = {}
        for key, value in result.items():
            found |= _columns(str(key), value)
        return found
    return _columns(name, result)


def reading(robot: Robot, device: str) -> Any:
    """The last reading of a sensor, the position of a motor; None before the first.

    Raises:
        DeviceError: the device has neither.
    """
    found = robot[device]
    for attribute in ("value", "position"):
        if hasattr(found, attribute):
            return getattr(found, attribute)
    raise DeviceError(
        f"{robot.name}.{device}: found a {found.spec.type_name}, expected a device with a reading"
    )


def _pose(robot: Robot) -> Values:
    """x, y, z in m and roll, pitch, yaw in rad of the robot's frame in the world."""
    pose = robot.frame.pose()
    numbers = (*pose.position, *roll_pitch_yaw(pose.rotation))
    names = ("x", "y", "z", "roll", "pitch", "yaw")
    return {f"{robot.name}.{name}": number for name, number in zip(names, numbers, strict=True)}


def _columns(name: str, value: Any) -> Values:
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, str)):
        return {name: value}
    if isinstance(value, float):
        return {name: None if math.isnan(value) else value}
    if isinstance(value, (list, tuple, np.ndarray)):
        size = int(np.size(np.asarray(value, dtype=object)))
        if size > MOST_NUMBERS:
            raise ConfigError(
                f"{name}: found {size} numbers, expected at most {MOST_NUMBERS}: use a function"
            )
        found: Values = {}
        for index, each in enumerate(value):
            found |= _columns(f"{name}.{index}", each)
        return found
    raise ConfigError(f"{name}: found a {type(value).__name__}, expected numbers or texts")


def _split(metric: str, devices: Mapping[str, Any]) -> tuple[str, str]:
    """Robot and what of it; names of robots and devices may have dots in them."""
    for robot in sorted((*devices, ALL), key=len, reverse=True):
        if metric.startswith(f"{robot}."):
            return robot, metric[len(robot) + 1 :]
    robot, _, what = metric.partition(".")
    return robot, what
