"""Tasks whose rules are compiled: for the processor, and for graphics cards with the same source."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.random import Generator

from sim_core.base.arrays import Float32Array
from sim_core.base.compiled import compiled
from sim_core.experiments.learning.draws import WIDTH, from_row, to_row
from sim_core.experiments.learning.task import FunctionTask, Judged, PlanarPose, Seen, Start, Task


class Rules(NamedTuple):
    """Rules of a task: functions decorated with `compiled()`, each for the copies from `first` to before
    `end`.

    For a graphics card they must not allocate arrays, and use numbers from `draws.py`.

    Attributes:
        start: (first, end, random, places, drawn) draws starts: generators (n, WIDTH); x, y in m and heading
            in rad (n, p, 3) of the robots in `placed`; and what else is drawn, (n, m).
        command: (first, end, action, commands) turns actions (n, a) into commands (n, c), both float32.
        observe: (first, end, seen, observation) fills the float32 observations (n, k) from a `Seen`.
        judge: (first, end, seen, judged) fills the arrays of a `Judged`.
        placed: names of the robots that are placed at the start.
        drawn: number of values in `Start.drawn`.
    """

    start: Any
    command: Any
    observe: Any
    judge: Any
    placed: tuple[str, ...] = ()
    drawn: int = 0


class CompiledTask(Task):
    """A task that consists of rules; derived classes set them."""

    rules: ClassVar[Rules]

    def start(self, random: Generator) -> Start:
        """Return a start as drawn by the rules."""
        rules = self.rules
        row, places = np.empty((1, WIDTH), np.uint64), np.empty((1, len(rules.placed), 3))
        drawn = np.empty((1, rules.drawn))
        to_row(random, row[0])
        rules.start(0, 1, row, places, drawn)
        from_row(row[0], random)
        poses = [PlanarPose(*place) for place in places[0].tolist()]
        return Start(dict(zip(rules.placed, poses, strict=True)), drawn[0].tolist())

    def command(self, action: Float32Array) -> Float32Array:
        """Return the commands of the rules."""
        commands = np.empty((len(action), self.commands), np.float32)
        self.rules.command(0, len(action), action, commands)
        return commands

    commands: ClassVar[int] = 2
    """Number of commands."""

    def observe(self, seen: Seen) -> Float32Array:
        """Return the observations of the rules."""
        observation = np.empty((len(seen.readings), self.size), np.float32)
        self.rules.observe(0, len(observation), seen, observation)
        return observation

    size: ClassVar[int]
    """Number of observed values."""

    def judge(self, seen: Seen) -> Judged:
        """Return the evaluation of the rules."""
        count = len(seen.readings)
        judged = Judged(np.empty(count), np.empty(count, np.bool_), np.empty(count, np.bool_))
        self.rules.judge(0, count, seen, judged)
        return judged


@compiled()
def _start_as_in_file(first, end, random, places, drawn):  # type: ignore[no-untyped-def]
    """Draw nothing."""


@compiled()
def _command_devices(first, end, action, commands):  # type: ignore[no-untyped-def]
    """Command the devices in their units."""
    for row in range(first, end):
        for column in range(commands.shape[1]):
            commands[row, column] = action[row, column]


@compiled()
def _observe_readings(first, end, seen, observation):  # type: ignore[no-untyped-def]
    """Observe the readings in their units."""
    for row in range(first, end):
        for column in range(observation.shape[1]):
            observation[row, column] = seen.readings[row, column]


@compiled()
def _judge_nothing(first, end, seen, judged):  # type: ignore[no-untyped-def]
    """Give no reward, and never end."""
    for row in range(first, end):
        judged.reward[row] = 0.0
        judged.ended[row] = judged.won[row] = False


_PLAIN = Rules(_start_as_in_file, _command_devices, _observe_readings, _judge_nothing)
"""Rules of a world without reward and end, in the units of its devices."""


def rules_of(task: Task) -> Rules | None:
    """Return the compiled rules of a task; None: it consists of Python functions."""
    if isinstance(task, CompiledTask):
        return task.rules
    return _PLAIN if isinstance(task, FunctionTask) and task.is_plain else None
