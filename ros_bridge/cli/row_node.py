"""The node of a run of a sweep: sets the fields of the run, drives its robots if asked to, and measures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from ros_bridge.node.run import run as run_node
from ros_bridge.node.sim_node import SimNode
from ros_bridge.parameters.options import RunOptions
from sim_core.base.alarm import NEVER
from sim_core.base.clock import to_nanoseconds
from sim_core.base.errors import OdesimError
from sim_core.experiments.sweep.metrics import Metrics, Values
from sim_core.experiments.sweep.one_run import config_of, make_drivers, seed_common_random, split_parameters
from sim_core.experiments.sweep.plan import PlannedRun
from sim_core.experiments.sweep.spec import IN_PROCESS, Job
from sim_core.experiments.sweep.user_code import one_line
from sim_core.session.simulation import Simulation

TakeValues = Callable[[Values], object]


def run_row(job: Job, run: PlannedRun, options: RunOptions, take: TakeValues) -> int:
    """Do one run of a sweep on ROS, as `odesim run` does it.

    Args:
        job, run: what to do.
        options: of the node.
        take: gets the metrics at the end.

    Returns:
        The exit code of `odesim run`.
    """
    fields, _, _ = split_parameters(run.parameters)
    return run_node(replace(options, fields=fields), partial(RowNode, job, run, take))


class RowNode(SimNode):
    """The node, which also measures.

    Robots are driven as the spec says: by controllers of the world, or by the user's functions. Without a
    duration among its options it pauses at the end of the run.
    """

    _metrics: Metrics | None = None

    def __init__(
        self, job: Job, run: PlannedRun, take: TakeValues, node: Any, begin: Any, options: RunOptions
    ) -> None:
        _, settings, own = split_parameters(run.parameters)
        self._take = take
        if job.runner == IN_PROCESS:  # a parameter file beside the world does not count
            seed_common_random(run.seed)
            begin = Simulation(begin, config_of(run.seed, settings))
        super().__init__(node, begin, options)
        self._metrics = Metrics(self.sim, job.metrics, job.period, Path(job.folder))
        for robot in self.sim.robots.values():
            for sensor in robot.sensors():
                names = (f"{robot.name}.{sensor.name}", f"*.{sensor.name}")
                if job.runner == IN_PROCESS or any(name in job.metrics for name in names):
                    sensor.demand = None  # sampled without a subscriber too
        if job.runner == IN_PROCESS:
            self._drivers = make_drivers(self.sim, job, own, run.seed)
            self.sim.every(job.period, self._drive)
        if options.duration is None and job.duration is not None:
            self._last_ns = to_nanoseconds(job.duration)
            self.sim.watchers.append(self._pause_at_end)

    def _drive(self, time_ns: int) -> None:
        try:
            for drive in self._drivers:
                drive(time_ns / 1e9)
        except Exception as error:  # the user's function may raise anything
            self._log.error(f"the run fails here: {one_line(error)}")
            self._drivers = []
            self._pause_run()

    def _pause_at_end(self, time_ns: int) -> None:
        if time_ns >= self._last_ns:
            self._last_ns = NEVER
            self._log.info(f"the run of the sweep ends at {time_ns / 1e9:g} s; Ctrl-C ends the simulation")
            self._pause_run()

    def _pause_run(self) -> None:
        self.session.inbox.put(lambda: self.control.set_mode("paused"))

    def close(self) -> None:
        """Give the metrics, and end as the node does."""
        metrics, self._metrics = self._metrics, None
        if metrics is not None:
            try:
                self._take({"time": self.sim.time} | metrics.results())
            except OdesimError as error:
                self._log.error(str(error))
        super().close()
