"""Physics settings of the whole world, from WorldInfo."""

from __future__ import annotations

from typing import NamedTuple

from sim_core.base.errors import SceneError
from sim_core.base.geometry import Vec3, norm
from sim_core.model.dynamics.contact_properties import ContactProperties, contact_properties
from sim_core.model.frames import world_vector_of
from sim_core.scene.node import Node, Source


class WorldRecord(NamedTuple):
    """Physics settings of the whole world.

    Attributes:
        source: place of the WorldInfo node.
        step_ns: basic time step.
        gravity: m/s², in ENU.
        erp, cfm: of all constraints without their own.
        sleep_after: s after which slow bodies are put to sleep; 0 or less: never.
        slow_linear, slow_angular: m/s and rad/s below which a body is slow.
        plugin: name of the physics plug-in.
        contacts: contact properties of pairs of materials; the first for a pair is used.
    """

    source: Source
    step_ns: int
    gravity: Vec3
    erp: float
    cfm: float
    sleep_after: float
    slow_linear: float
    slow_angular: float
    plugin: str
    contacts: tuple[ContactProperties, ...]


def world_record(info: Node) -> WorldRecord:
    """Return the record of a WorldInfo node.

    Raises:
        SceneError: a value is impossible.
    """
    return WorldRecord(
        info.source,
        step_of(info),
        gravity_of(info),
        _between(info, "ERP", 0.0, 1.0),
        _between(info, "CFM", 0.0, 1e9),
        info["physicsDisableTime"],
        _between(info, "physicsDisableLinearThreshold", 0.0, 1e9),
        _between(info, "physicsDisableAngularThreshold", 0.0, 1e9),
        info["physics"],
        tuple(contact_properties(each) for each in info["contactProperties"]),
    )


def gravity_of(info: Node) -> Vec3:
    """Return WorldInfo.gravity as a vector in ENU: a number acts along -z; files before R2021 have a vector.

    Raises:
        SceneError: it is not finite.
    """
    value = info["gravity"]
    vector = world_vector_of(info, "gravity") if isinstance(value, tuple) else (0.0, 0.0, -value)
    if not norm(vector) < 1e6:
        raise SceneError(*info.source, f"WorldInfo.gravity {value}", "m/s², a finite number")
    return (vector[0] + 0.0, vector[1] + 0.0, vector[2] + 0.0)


def step_of(info: Node) -> int:
    """Return WorldInfo.basicTimeStep in nanoseconds.

    Raises:
        SceneError: it is out of range.
    """
    milliseconds = info["basicTimeStep"]
    if not 1e-3 <= milliseconds <= 1e4:
        raise SceneError(*info.source, f"WorldInfo.basicTimeStep {milliseconds:g}", "0.001 to 10000 ms")
    return round(milliseconds * 1e6)


def _between(info: Node, field: str, least: float, most: float) -> float:
    value: float = info[field]
    if not least <= value <= most:
        raise SceneError(*info.source, f"WorldInfo.{field} {value:g}", f"{least:g} to {most:g}")
    return value
