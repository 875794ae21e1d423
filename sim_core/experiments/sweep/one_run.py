"""One run of a sweep in this process, without ROS."""

from __future__ import annotations

import random
from collections import OrderedDict
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from sim_core.base.clock import to_nanoseconds, whole_steps
from sim_core.base.config import SimulationConfig, make_config
from sim_core.base.trust import require_trust
from sim_core.experiments.sweep.metrics import Metrics, Values, as_values
from sim_core.experiments.sweep.plan import PlannedRun
from sim_core.experiments.sweep.spec import CONTROLLER, SIMULATION, Job
from sim_core.experiments.sweep.user_code import find_code, with_seed
from sim_core.scene import Scene, load_scene
from sim_core.scene.by_name import changed_fields
from sim_core.session.simulation import Simulation

MOST_SCENES = 8
_scenes: OrderedDict[str, Scene] = OrderedDict()
"""Scenes that this process has read; they are unchanged after a run."""

ControlLaw = Callable[[float], Any]
Watch = Callable[[Simulation], object]


def run_one(job: Job, run: PlannedRun, watch: Watch = lambda sim: None) -> Values:
    """Load the world with the run's fields and settings, simulate, and return the metrics.

    Only the file is read once per process. The simulation is built again for each run, from the same scene
    as in a new process, so the result does not depend on earlier runs.

    Args:
        job, run: what to do.
        watch: called with the simulation before its first step.

    Raises:
        OdesimError: the world cannot be simulated with these values.
        Exception: exceptions of the user's functions.
    """
    fields, settings, own = split_parameters(run.parameters)
    folder = Path(job.folder)
    with ExitStack() as stack:
        scene = _scene_of(run.file)
        require_trust(scene.trust_issues_of_plugin())  # without the plug-in the results would differ
        seed_common_random(run.seed)
        stack.enter_context(changed_fields(scene, fields))
        sim = Simulation(scene, config_of(run.seed, settings))
        stack.callback(sim.close)
        watch(sim)
        metrics = Metrics(sim, job.metrics, job.period, folder)
        values: Values = {}
        if job.run:
            code = find_code(job.run, folder)
            values = as_values(job.run.partition(":")[2], code(sim, **with_seed(code, own, run.seed)))
        if job.duration is not None:
            drive_until(sim, job.duration, job.period, make_drivers(sim, job, own, run.seed))
        values = {"time": sim.time} | metrics.results() | values
        sim.reset()  # reverts changes of the scene by a supervisor
    _scenes[run.file] = scene  # after a failure it is read again
    while len(_scenes) > MOST_SCENES:
        _scenes.popitem(last=False)
    return values


def split_parameters(parameters: Values) -> tuple[Values, Values, Values]:
    """Split parameters into fields of the world, settings of the simulation, and arguments of the
    controller."""
    fields, settings, own = {}, {}, {}
    for name, value in parameters.items():
        if name.startswith(CONTROLLER):
            own[name.removeprefix(CONTROLLER)] = value
        elif name.startswith(SIMULATION):
            settings[name.removeprefix(SIMULATION)] = value
        else:
            fields[name] = value
    return fields, settings, own


def seed_common_random(seed: int) -> None:
    """Seed the random numbers of Python and NumPy that are common to a process, for controllers that use
    them."""
    random.seed(seed)
    np.random.seed(seed % 2**32)


def config_of(seed: int, settings: Values) -> SimulationConfig:
    """Return the settings of a simulation, by their names in a spec without the prefix.

    Raises:
        ConfigError: a value is impossible.
    """
    return make_config(seed, {tuple(name.split(".")): value for name, value in settings.items()})


def make_drivers(sim: Simulation, job: Job, own: Values, seed: int) -> list[ControlLaw]:
    """Return the functions to call with the sim time in s after each period, one for each driven robot."""
    if job.controller is None:
        return []
    code = find_code(job.controller, Path(job.folder))
    arguments = with_seed(code, own, seed)
    robots = [sim.robot(name) for name in job.robots] or list(sim.robots.values())
    if isinstance(code, type):
        return [code(robot, **arguments).step for robot in robots]
    return [_bind(code, robot, arguments) for robot in robots]


def drive_until(sim: Simulation, duration: float, period: float, drivers: list[ControlLaw]) -> None:
    """Simulate, and call the drivers after each period, when its last readings are available."""
    steps = max(1, whole_steps(period, sim.step_ns, "period") // sim.step_ns)
    left = -(-to_nanoseconds(duration) // sim.step_ns)
    if not drivers:
        sim.step(left)
        return
    while left > 0:
        sim.step(min(steps, left))
        left -= steps
        for drive in drivers:
            drive(sim.time)


def _bind(code: Callable[..., Any], robot: Any, arguments: Values) -> ControlLaw:
    return lambda time: code(robot, time, **arguments)


def _scene_of(file: str) -> Scene:
    return _scenes.pop(file, None) or load_scene(file)
