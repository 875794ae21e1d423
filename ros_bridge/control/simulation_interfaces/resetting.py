"""ResetSimulation: the whole, or some of time, state and what was spawned."""

from __future__ import annotations

from typing import Any

from ros_bridge.control.simulation_interfaces.changes import RESET
from ros_bridge.control.simulation_interfaces.entities import Entities
from ros_bridge.control.simulation_interfaces.host import Code, Host, Refusal
from sim_core.devices import Actuator
from sim_core.session.simulation import Simulation

TIME, STATE, SPAWNED = 1, 2, 4
EVERYTHING = TIME | STATE | SPAWNED
DEFAULT, ALL = 0, 255


class Resetting:
    """Answers ResetSimulation."""

    def __init__(self, host: Host, entities: Entities) -> None:
        self._host, self._entities = host, entities

    def reset_simulation(self, request: Any, response: Any) -> None:
        """Back to the start, in the scope that is asked for.

        All three scopes at once are the reset of the node, after which all is as in a fresh process.
        """
        scope = int(request.scope)
        if scope in (DEFAULT, ALL) or scope & EVERYTHING == EVERYTHING:
            self._host.reset(None, EVERYTHING)
            return
        if not scope & EVERYTHING:
            raise Refusal(
                Code.FEATURE_UNSUPPORTED,
                f"found the scope {scope}, expected TIME 1 + STATE 2 + SPAWNED 4",
            )
        sim = self._entities.sim
        if scope & (TIME | STATE) and sim.physics.can.editing is None:  # changes go with the start
            raise Refusal(
                Code.FEATURE_UNSUPPORTED, f"found the scope {scope}, expected 0 or 7 in the fast 2D mode"
            )
        if scope & SPAWNED:
            for node in self._entities.spawned():
                self._entities.remove(node)
        if scope & TIME:
            keep_state = not scope & STATE
            self._host.reset(lambda: restart_clock(self._entities.sim, keep_state), scope & (TIME | STATE))
        elif scope & STATE:
            self._host.note(RESET, scope=STATE)
            back_to_start(sim)


def restart_clock(sim: Simulation, keep_state: bool) -> None:
    """Time is 0; the changes of the world stay, and who came is still there.

    Args:
        sim: the simulation.
        keep_state: all goes on as it is, or else bodies, joints and devices are as at the start.
    """
    if keep_state:
        sim.restart_clock()
        return
    changes = sim.supervisor.changes
    sim.reset()
    sim.supervisor.go_to(changes)
    _start_devices(sim)


def back_to_start(sim: Simulation) -> None:
    """Bodies and joints are where and as fast as the world, and who was spawned, began; time goes on."""
    physics = sim.physics
    time_ns = physics.time_ns
    physics.reset()
    physics.time_ns = time_ns
    sim.supervisor.after_reset()
    _start_devices(sim)


def _start_devices(sim: Simulation) -> None:
    sim.media.reset()
    sim.playback.reset()
    for robot in sim.robots.values():
        robot.reset()
        for device in robot.devices.values():
            if isinstance(device, Actuator):
                device.wake()
