"""Which robots are in lock-step at the start, or when they come, and how they stand to it."""

from __future__ import annotations

from ros_bridge.parameters.bridge_params import BridgeParams
from sim_core.session.lockstep import LockStep, WaitState
from sim_core.session.robot import EXTERN_CONTROLLER, NO_CONTROLLER, Robot
from sim_core.session.simulation import Simulation


def fill_lockstep(lockstep: LockStep, sim: Simulation, params: BridgeParams, controllers: bool) -> None:
    """Tell lock-step the robots that are synchronized and have a controller, and no others.

    Args:
        lockstep: who is in lock-step.
        sim: the simulation.
        params: says how many controllers answer for a robot.
        controllers: whether controllers are started; without, only those started elsewhere count.
    """
    lockstep.remove(lockstep.robots())
    lockstep.restart()
    for robot in sim.robots.values():
        extern = _is_left_to_others(robot, sim, controllers)
        started = controllers and robot.controller not in NO_CONTROLLER
        if extern or started:
            add_to_lockstep(lockstep, robot, sim, params, controllers)


def add_to_lockstep(
    lockstep: LockStep, robot: Robot, sim: Simulation, params: BridgeParams, controllers: bool = True
) -> None:
    """A synchronized robot that has a controller: how it stands to lock-step at the start.

    Args:
        lockstep: who is in lock-step.
        robot: its controller is started, or `<extern>`.
        sim: its configuration tells for which robots the user has said that they are waited for.
        params: says how many controllers answer for a robot, and whether `<extern>` robots are waited for.
        controllers: whether controllers are started.
    """
    if not robot.synchronized:
        return
    always = sim.config.robot(robot.name).synchronization is True
    if _is_left_to_others(robot, sim, controllers):  # one of those that are started may drive it too
        wait_state = WaitState.IN_STEP if params.wait_extern or (always and controllers) else WaitState.FREE
    else:
        wait_state = WaitState.IN_STEP if always else WaitState.UNCONFIRMED
    lockstep.add(robot.name, robot.control_period_ns, params.robot(robot.name).controllers, wait_state)


def _is_left_to_others(robot: Robot, sim: Simulation, controllers: bool) -> bool:
    """Whether a robot is `<extern>`, and no plugins of a URDF file are started for it."""
    hosted = controllers and any(each.robot == robot.name for each in sim.scene.plugins)
    return robot.controller == EXTERN_CONTROLLER and not hosted


def left_behind(sim: Simulation, lockstep: LockStep, controllers: bool) -> list[str]:
    """The robots that have a controller and are not in lock-step: the mode fast does not wait for them."""
    return [
        robot.name
        for robot in sim.robots.values()
        if robot.name not in lockstep
        and robot.controller not in NO_CONTROLLER
        and (controllers or robot.controller == EXTERN_CONTROLLER)
    ]
