"""Metrics of a run at its end: poses, distances, readings, and results of the user's functions."""

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
"""Largest size of a reading whose numbers get a column each."""

Values = dict[str, Any]


def check_metric(metric: str, devices: Mapping[str, Sequence[str]], folder: Path) -> None:
    """Check that a metric exists.

    Args:
        metric: `robot1.pose`, `robot1.distance`, `robot1.ds_front`, with * for all robots, or `module:name`.
        devices: names of the devices of each robot.
        folder: folder of the user's modules.

    Raises:
        ConfigError: it does not exist; the message suggests the closest name.
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
    """Measures a simulation from its start, and returns the results at the end."""

    def __init__(self, sim: Simulation, metrics: Sequence[str], period: float, folder: Path) -> None:
        """Start the measurement.

        Args:
            sim: simulation at its start.
            metrics: names as in `check_metric`.
            period: seconds of sim time between two samples of a robot's position, for its distance.
            folder: folder of the user's modules.

        Raises:
            OdesimError: a metric does not exist.
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
        """Return numbers and texts by column name."""
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
            self._sim.every(period, odometer.add_distance)
            self._results.append(lambda: {f"{robot.name}.distance": odometer.distance})
        else:
            robot[what]  # raises an error if there is no such device

    def _add_code(self, metric: str, folder: Path) -> None:
        """Add user code: a function is called with the simulation at the end; of a class, an object is
        made now."""
        code, name = find_code(metric, folder), metric.partition(":")[2]
        if isinstance(code, type):
            watcher = code(self._sim)
            self._results.append(lambda: as_values(name, watcher.result()))
        else:
            self._results.append(lambda: as_values(name, code(self._sim)))


class Odometer:
    """Length of a robot's path in space.

    Attributes:
        distance: sum of the straight lines between the sampled positions in m.
    """

    def __init__(self, robot: Robot) -> None:
        self._robot = robot
        self._last: Vec3 = robot.frame.pose().position
        self.distance = 0.0

    def add_distance(self, _: int) -> None:
        """Add the distance since the last call."""
        now = self._robot.frame.pose().position
        self.distance += norm(subtract(now, self._last))
        self._last = now


def as_values(name: str, result: Any) -> Values:
    """Return the values of a user function's result: a number, a text, a list, a table of these, or
    nothing.

    Raises:
        ConfigError: the result is something else.
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
    """Return the last reading of a sensor or the position of a motor; None before the first.

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
    """Return x, y, z in m and roll, pitch, yaw in rad of the robot's frame in the world."""
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
    """Return the robot and its part in a metric; names of robots and devices may contain dots."""
    for robot in sorted((*devices, ALL), key=len, reverse=True):
        if metric.startswith(f"{robot}."):
            return robot, metric[len(robot) + 1 :]
    robot, _, what = metric.partition(".")
    return robot, what
