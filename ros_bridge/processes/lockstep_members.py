"""Determine which robots are in lock-step at the start or when added, and how."""

from __future__ import annotations

from ros_bridge.parameters.bridge_params import BridgeParams
from sim_core.session.lockstep import LockStep, WaitState
from sim_core.session.robot import EXTERN_CONTROLLER, NO_CONTROLLER, Robot
from sim_core.session.simulation import Simulation


def fill_lockstep(lockstep: LockStep, sim: Simulation, params: BridgeParams, controllers: bool) -> None:
    """Add the robots that are synchronized and have a controller to lock-step.

    Args:
        lockstep: receives the robots.
        sim: the simulation.
        params: how many controllers answer for a robot.
        controllers: whether controllers are started; if not, only those started elsewhere count.
    """
    lockstep.remove_robots(lockstep.robots())
    lockstep.clear_answers()
    for robot in sim.robots.values():
        extern = _is_left_to_others(robot, sim, controllers)
        started = controllers and robot.controller not in NO_CONTROLLER
        if extern or started:
            add_to_lockstep(lockstep, robot, sim, params, controllers)


def add_to_lockstep(
    lockstep: LockStep, robot: Robot, sim: Simulation, params: BridgeParams, controllers: bool = True
) -> None:
    """Add a synchronized robot that has a controller to lock-step.

    Args:
        lockstep: receives the robot.
        robot: its controller is started, or `<extern>`.
        sim: its configuration tells which robots the user wants to be waited for.
        params: how many controllers answer for a robot, and whether `<extern>` robots are waited for.
        controllers: whether controllers are started.
    """
    if not robot.synchronized:
        return
    always = sim.config.robot(robot.name).synchronization is True
    if _is_left_to_others(robot, sim, controllers):  # a controller that was started may drive it too
        wait_state = WaitState.IN_STEP if params.wait_extern or (always and controllers) else WaitState.FREE
    else:
        wait_state = WaitState.IN_STEP if always else WaitState.UNCONFIRMED
    lockstep.add_robot(robot.name, robot.control_period_ns, params.robot(robot.name).controllers, wait_state)


def _is_left_to_others(robot: Robot, sim: Simulation, controllers: bool) -> bool:
    """Return whether a robot is `<extern>`, and no plugins of a URDF file are started for it."""
    hosted = controllers and any(each.robot == robot.name for each in sim.scene.plugins)
    return robot.controller == EXTERN_CONTROLLER and not hosted


def unsynchronized_robots(sim: Simulation, lockstep: LockStep, controllers: bool) -> list[str]:
    """Return the robots with controllers outside lock-step, which the mode fast does not wait for."""
    return [
        robot.name
        for robot in sim.robots.values()
        if robot.name not in lockstep
        and robot.controller not in NO_CONTROLLER
        and (controllers or robot.controller == EXTERN_CONTROLLER)
    ]
