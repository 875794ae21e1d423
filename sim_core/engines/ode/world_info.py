"""What WorldInfo says about the physics of the whole world."""

from __future__ import annotations

from typing import Any

from sim_core.base.errors import SceneError
from sim_core.base.geometry import Vec3, norm
from sim_core.model.frames import world_vector_of
from sim_core.scene import Node

QUICK_ITERATIONS = 200
"""Of the iterative solver: with 50 an arm of seven joints trembles by 0.16 rad/s while a heap lies near it,
with 200 by 0.03."""
PUSHES_OUT = 1.0
"""Fastest that a contact pushes apart what is in each other, m/s: what starts inside the ground rises out of
it and is not shot into the air."""


def gravity_of(info: Node) -> Vec3:
    """WorldInfo.gravity as a vector in ENU: a number acts along -z; files before R2021 have a vector.

    Raises:
        SceneError: not finite.
    """
    value = info["gravity"]
    vector = world_vector_of(info, "gravity") if isinstance(value, tuple) else (0.0, 0.0, -value)
    if not norm(vector) < 1e6:
        raise SceneError(*info.source, f"WorldInfo.gravity {value}", "m/s², a finite number")
    return (vector[0] + 0.0, vector[1] + 0.0, vector[2] + 0.0)


def step_of(info: Node) -> int:
    """WorldInfo.basicTimeStep in nanoseconds.

    Raises:
        SceneError: it is no time step.
    """
    milliseconds = info["basicTimeStep"]
    if not 1e-3 <= milliseconds <= 1e4:
        raise SceneError(*info.source, f"WorldInfo.basicTimeStep {milliseconds:g}", "0.001 to 10000 ms")
    return round(milliseconds * 1e6)


def set_up(world: Any, info: Node, gravity: Vec3) -> None:
    """Gravity, solver and sleep of an ODE world.

    WorldInfo.physicsDisable…: bodies that have been slow for a time are not worked out any more.

    Raises:
        SceneError: a value that cannot be.
    """
    world.setGravity(gravity)
    world.setERP(_between(info, "ERP", 0.0, 1.0))
    world.setCFM(_between(info, "CFM", 0.0, 1e9))
    world.setQuickStepNumIterations(QUICK_ITERATIONS)
    world.setContactMaxCorrectingVel(PUSHES_OUT)
    time = info["physicsDisableTime"]
    world.setAutoDisableFlag(time > 0.0)
    world.setAutoDisableTime(max(0.0, time))
    world.setAutoDisableLinearThreshold(_between(info, "physicsDisableLinearThreshold", 0.0, 1e9))
    world.setAutoDisableAngularThreshold(_between(info, "physicsDisableAngularThreshold", 0.0, 1e9))


def _between(info: Node, field: str, least: float, most: float) -> float:
    value: float = info[field]
    if not least <= value <= most:
        raise SceneError(*info.source, f"WorldInfo.{field} {value:g}", f"{least:g} to {most:g}")
    return value
