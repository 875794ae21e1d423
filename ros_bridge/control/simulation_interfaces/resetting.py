"""ResetSimulation: everything, or some of time, state and spawned entities."""

from __future__ import annotations

from typing import Any

from ros_bridge.control.runner import Runner
from ros_bridge.control.simulation_interfaces.entities import Entities
from sim_core.base.errors import Code, CommandError
from sim_core.session.run_commands import STATE, TIME, Reset, ResetPart

SPAWNED = 4
EVERYTHING = TIME | STATE | SPAWNED
DEFAULT, ALL = 0, 255


def reset_simulation(runner: Runner, entities: Entities, request: Any, response: Any) -> None:
    """Reset the scopes requested.

    All three scopes at once are the reset of the node, after which the state is as in a new process.
    """
    scope = int(request.scope)
    if scope in (DEFAULT, ALL) or scope & EVERYTHING == EVERYTHING:
        runner.execute(Reset())
        return
    if not scope & EVERYTHING:
        raise CommandError(
            f"found the scope {scope}, expected TIME 1 + STATE 2 + SPAWNED 4", Code.FEATURE_UNSUPPORTED
        )
    part = scope & (TIME | STATE)
    if part and not entities.sim.physics.can.forces:  # arrays can only be reset as a whole
        raise CommandError(
            f"found the scope {scope}, expected 0 or 7 in the fast 2D mode", Code.FEATURE_UNSUPPORTED
        )
    if scope & SPAWNED:
        for entity in entities.spawned():
            entities.remove_entity(entity)
    if part:
        runner.execute(ResetPart(part))
    if part & TIME:
        runner.restart_connected()
